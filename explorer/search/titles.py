"""Titles that hold what is looked for, and titles that are like it."""

from collections.abc import Mapping
from typing import NamedTuple
from unicodedata import normalize

from explorer.render.letters import fold
from explorer.search.matcher import Matcher

ALIKE = 82
"""How like a title must be, of 100."""
SHORTEST = 4
"""Letters below which everything is like everything."""
MOST_ALIKE = 20
MOST_COMPARED = 3000
"""Titles compared letter by letter: all of 100,000 would stop the app for a sixth of a second."""


class Titles(NamedTuple):
    """The titles of all sessions, folded once for all the keys that somebody types."""

    stored: Mapping[int, str]
    folded: Mapping[int, str]

    @classmethod
    def of(cls, stored: Mapping[int, str]) -> "Titles":
        return cls(stored, {key: fold(title) for key, title in stored.items()})


NO_TITLES = Titles({}, {})


def titles_holding(titles: Titles, matcher: Matcher) -> tuple[int, ...]:
    """The sessions whose title holds what is looked for."""
    if not matcher.asks_titles:
        return ()
    found = titles.folded
    # One word after the other, each in one go: what counts are 100,000 titles.
    for group in matcher.sought:
        first, *others = group
        if others:
            tests = [sought.is_in for sought in group]
            found = {key: t for key, t in found.items() if any([test(t) for test in tests])}
        elif first.expression is None:
            word = first.folded
            found = {key: title for key, title in found.items() if word in title}
        else:
            holds = first.expression.search
            found = {key: t for key, t in found.items() if not t.isascii() and holds(t)}
    if matcher.is_bare:
        return tuple(found)
    stored = titles.stored
    return tuple(key for key, title in found.items() if matcher.in_title(stored[key], title))


def titles_alike(titles: Titles, matcher: Matcher) -> tuple[int, ...]:
    """The sessions whose title is like what is looked for, the most alike first."""
    if not matcher.asks_titles:
        return ()
    query = matcher.query
    plain = [clause.any_of[0] for clause in query.positive if len(clause.any_of) == 1]
    words = " ".join(term.text for term in plain if term.kind in ("word", "phrase"))
    if len(words) < SHORTEST or len(plain) != len(query.clauses):
        return ()
    # Late: 10 ms that only a search needs.
    from rapidfuzz import fuzz, process

    wanted = fold(normalize("NFC", words))
    pieces = {wanted[at : at + 2] for at in range(len(wanted) - 1)}
    near = {
        key: folded
        for key, folded in titles.folded.items()
        if sum([piece in folded for piece in pieces]) * 2 >= len(pieces)
    }
    chosen = dict(list(near.items())[:MOST_COMPARED])
    found = process.extract(
        wanted, chosen, scorer=fuzz.partial_ratio, score_cutoff=ALIKE, limit=MOST_ALIKE
    )
    return tuple(key for _, _, key in found)

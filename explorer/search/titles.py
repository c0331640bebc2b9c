"""Titles that hold what is looked for, and titles that are like it."""

from collections.abc import Mapping
from typing import NamedTuple

from explorer.render.folding import fold
from explorer.search.language import Query
from explorer.search.matcher import Matcher

ALIKE = 82
"""How like a title must be, of 100."""
SHORTEST = 4
"""Letters below which everything is like everything."""
MOST_ALIKE = 20
MOST_COMPARED = 3000
"""Titles compared letter by letter: all of 100,000 would stop the app for a sixth of a second."""


class Titled(NamedTuple):
    """Sessions by their titles."""

    holding: tuple[int, ...] = ()
    alike: tuple[int, ...] = ()
    """None of which holds it; the most alike first."""


def titled(titles: Mapping[int, str], query: Query, matcher: Matcher) -> Titled:
    """The sessions whose title holds it; where none does, those whose title is like it."""
    if not matcher.asks_titles:
        return Titled()
    holding = titles_holding(titles, matcher)
    return Titled(holding) if holding else Titled((), _alike(titles, query))


def titles_holding(titles: Mapping[int, str], matcher: Matcher) -> tuple[int, ...]:
    """The sessions whose title holds what is looked for."""
    if not matcher.asks_titles:
        return ()
    return tuple(key for key, title in titles.items() if matcher.in_title(title))


def _alike(titles: Mapping[int, str], query: Query) -> tuple[int, ...]:
    plain = [clause.any_of[0] for clause in query.positive if len(clause.any_of) == 1]
    words = " ".join(term.text for term in plain if term.kind in ("word", "phrase"))
    if len(words) < SHORTEST or len(plain) != len(query.clauses):
        return ()
    # Late: 10 ms that only a search needs.
    from rapidfuzz import fuzz, process

    wanted = fold(words)
    pieces = {wanted[at : at + 2] for at in range(len(wanted) - 1)}
    near = {
        key: folded
        for key, title in titles.items()
        if sum(piece in (folded := fold(title)) for piece in pieces) * 2 >= len(pieces)
    }
    chosen = dict(list(near.items())[:MOST_COMPARED])
    found = process.extract(
        wanted, chosen, scorer=fuzz.partial_ratio, score_cutoff=ALIKE, limit=MOST_ALIKE
    )
    return tuple(key for _, _, key in found)

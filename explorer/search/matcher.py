"""Whether a message or a title matches a query: decided on the text as seen.

A word matches anywhere inside the text, without regard to case and to how its letters are
composed; all of them must be in one message, though not in one field of it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import tzinfo
from itertools import islice
from typing import NamedTuple
from unicodedata import normalize

from explorer.model import Message
from explorer.render.letters import Sought, expression, fold, folded
from explorer.render.tools.kinds import unnamed
from explorer.search.language.fields import MessageTest, message_test
from explorer.search.language.query import Query, Term
from explorer.search.pattern import pattern
from explorer.stores.base import Needles
from explorer.stores.numbered_columns import TextColumn

FIELDS = ("content", "tool_calls", "tool_name", "reasoning")
_PLACES = dict(zip(FIELDS, ("content", "tools", "tools", "reasoning"), strict=True))
"""What `in:` calls them."""

_ACCENTS = "\u0300-\u036f\u3099\u309a"
"""Signs behind a letter: a word goes on after them, though they are no letters themselves."""

ALIKE = 82
"""How like a title must be, of 100."""
SHORTEST = 4
"""Letters below which everything is like everything."""
MOST_ALIKE = 20
MOST_COMPARED = 3000
"""Titles compared letter by letter: all of 100,000 would stop the app for a sixth of a second."""

Span = tuple[int, int]
Finder = Callable[[str, str], Iterator[Span]]
"""Where a term stands in (a text, the text folded)."""


class Where(NamedTuple):
    """Where a message matched first."""

    field: str
    text: str
    at: int | None
    """Where in it; None for what matches because something is not there."""


def fields_of(message: Message) -> dict[str, str]:
    """What can be looked for in a message, by field; a result is content, with its tool's name."""
    calls = "\n".join(f"{call.name}\n{said(call.arguments)}" for call in message.tool_calls)
    values = (message.text, calls, message.tool_name or "", message.all_reasoning)
    return {name: text for name, text in zip(FIELDS, values, strict=True) if text}


def said(arguments: object) -> str:
    """What is shown of the arguments of a call, a line each: the values, and the names that stand
    before them. Where a tool is drawn in a way of its own, as a command behind a prompt, they do
    not: `command` would find every command."""
    if not isinstance(arguments, dict):
        return "\n".join(_lines(arguments))
    hidden = unnamed(arguments)
    lines: list[str] = []
    for name, value in arguments.items():
        named = name not in hidden
        # An argument that says nothing is left out.
        lines += [name] if named and value not in (None, "", [], {}) else []
        lines += _lines(value, named)
    return "\n".join(lines)


def _lines(value: object, named: bool = True) -> Iterator[str]:
    """All texts and figures inside a value, and the names before them where it is `named`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            if named:
                yield name
            yield from _lines(one, named)
    elif isinstance(value, list):
        for one in value:
            yield from _lines(one, named)
    elif value is not None:
        yield json.dumps(value, ensure_ascii=False)


class Matcher:
    """A query, ready to be tried on messages."""

    def __init__(self, query: Query, now: float = 0.0, tz: tzinfo | None = None) -> None:
        self.query = query
        self.text = query.text
        self._clauses = [
            (clause.negated, [_finder(term) for term in clause.any_of]) for clause in query.clauses
        ]
        self.test = message_test(query, now, tz)
        places = self.test.places
        self.fields = tuple(name for name in FIELDS if _PLACES[name] in places)
        self.sought = tuple(
            tuple(map(Sought, group)) for group in needles(query, rewound=False).groups
        )
        """What must be there, one text of every group, in a text that is folded."""
        kinds = {term.kind for clause in query.clauses for term in clause.any_of}
        denies = any(clause.negated for clause in query.clauses)
        self.is_bare = not denies and kinds <= {"word", "phrase"}
        """A text that holds those matches: nothing else is asked of it."""
        self.asks_titles = bool(query.positive) and self.test.asks_titles
        every = self.test.idle and places == MessageTest().places
        self.is_plain = every and not denies and "regex" not in kinds
        """Plain content that holds all needles matches for certain: every message counts, and
        every field of it."""

    def where(self, message: Message) -> Where | None:
        """Where a message matches; None when it does not."""
        if not self.test.passes(message):
            return None
        texts = {name: text for name, text in fields_of(message).items() if name in self.fields}
        folded = {name: fold(text) for name, text in texts.items()}
        first: dict[str, int] = {}
        for negated, finders in self._clauses:
            found = [
                (name, span[0])
                for name, text in texts.items()
                for find in finders
                if (span := next(find(text, folded[name]), None)) is not None
            ]
            if bool(found) == negated:
                return None
            for name, at in found:
                first[name] = min(at, first.get(name, at))
        shown = next((name for name in texts if name in first), next(iter(texts), "content"))
        return Where(shown, texts.get(shown, ""), first.get(shown))

    def in_title(self, title: str, folded: str) -> bool:
        """Whether a title, which is also given folded, by itself holds what is wanted."""
        return all(
            any(next(find(title, folded), None) is not None for find in finders) != negated
            for negated, finders in self._clauses
        )

    def is_not_in(self, stored: str) -> bool:
        """Whether it surely matches nowhere in a text: several words may stand in several."""
        return False

    def spans(self, text: str) -> tuple[Span, ...]:
        """Where what is wanted stands in a text, without overlaps, from left to right."""
        folded = fold(text)
        found = sorted(
            span
            for negated, finders in self._clauses
            if not negated
            for find in finders
            for span in find(text, folded)
        )
        kept: list[Span] = []
        for start, end in found:
            if not kept or start >= kept[-1][1]:
                kept.append((start, end))
        return tuple(kept)


def needles(query: Query, rewound: bool) -> Needles:
    """What every message that matches must hold as it is: what a store can look for."""
    groups = [
        clause.any_of
        for clause in query.clauses
        if not clause.negated and all(term.kind != "regex" for term in clause.any_of)
    ]
    return Needles(
        tuple(tuple(term.text for term in terms) for terms in groups),
        rewound,
        tuple(tuple(_sure(term) for term in terms) for terms in groups),
    )


def _sure(term: Term) -> str:
    """A text that holds the term for certain: behind a space, a word begins."""
    return f" {term.text}" if term.kind == "prefix" else term.text


def _finder(term: Term) -> Finder:
    if term.kind == "regex":
        typed = pattern(f"/{term.text}/")
        return lambda text, _: iter(typed.spans(text)) if typed else iter(())
    if term.kind == "prefix":
        # What a tool answered is JSON as it is stored: a word may follow an escaped line end.
        begins = rf"(?:(?<![\w{_ACCENTS}])|(?<=\\[nrt]))"
        start = re.compile(begins + expression(term.text, folded))
        return lambda _, text: (match.span() for match in start.finditer(text))
    sought = Sought(term.text)
    return lambda _, text: sought.spans(text)


MOST_NARROWED = 10_000
"""Titles that are kept for the next key, at most."""


class Titles:
    """The titles of all sessions, folded once for all keys that are typed."""

    def __init__(self, stored: Mapping[int, str], folded: Mapping[int, str]) -> None:
        self.stored = stored
        self.folded = folded
        self._last: tuple[Sequence[str], Mapping[int, str]] = ((), folded)
        """Words that were looked for last, and the titles that hold them."""

    @classmethod
    def of(cls, stored: Mapping[int, str]) -> "Titles":
        folded = ((key, fold(title)) for key, title in stored.items())
        # Kept as they came: of a million sessions, not as an object each.
        packed = isinstance(stored, TextColumn)
        return cls(stored, TextColumn.of(folded) if packed else dict(folded))

    def holding(self, words: Sequence[str]) -> Mapping[int, str]:
        """The folded titles that hold all of these. After one more letter, they are among those
        that were found before it."""
        before, found = self._last
        if not all(any(less in word for word in words) for less in before):
            found = self.folded
        # One word after the other, each in one go: what counts are 100,000 titles.
        for word in words:
            if isinstance(found, TextColumn):
                found = found.holding(word)
            else:
                found = {key: title for key, title in found.items() if word in title}
        if len(found) <= MOST_NARROWED:
            self._last = words, found
        return found


NO_TITLES = Titles({}, {})


def titles_holding(titles: Titles, matcher: Matcher) -> tuple[int, ...]:
    """The sessions whose title holds what is looked for."""
    if not matcher.asks_titles:
        return ()
    plain = [one.folded for one, *more in matcher.sought if not more and one.expression is None]
    found = titles.holding(plain)
    for group in matcher.sought:
        first, *others = group
        if others:
            tests = [sought.is_in for sought in group]
            found = {key: t for key, t in found.items() if any([test(t) for test in tests])}
        elif first.expression is not None:
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
    near = (
        (key, folded)
        for key, folded in titles.folded.items()
        if sum([piece in folded for piece in pieces]) * 2 >= len(pieces)
    )
    chosen = dict(islice(near, MOST_COMPARED))
    found = process.extract(
        wanted, chosen, scorer=fuzz.partial_ratio, score_cutoff=ALIKE, limit=MOST_ALIKE
    )
    return tuple(key for _, _, key in found)

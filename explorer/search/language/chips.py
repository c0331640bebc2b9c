"""What was understood of a query, in plain words, and what could be typed next.

Chips show how the search bar read the query: every field, and every clause that is more than a
word. Offers complete the names of fields and their values, nothing else: words are free.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from explorer.search.language.query import LONGEST, NAMED, Clause, Field, Query, pieces
from explorer.search.language.vocabulary import FIELDS, PROFILE_FIELD, amount, takes_several
from explorer.search.words import FIELD_CHIPS, TERM_CHIPS, amount_chip, day_chip


class Understood(NamedTuple):
    """Something that was understood."""

    name: str
    """The field, or `text`."""
    words: str


class Offer(NamedTuple):
    """Something that could stand in place of what was typed."""

    start: int
    end: int
    text: str
    words: str
    """What it means; empty where it needs no explanation."""


_NAMING = re.compile(r"(-?)([A-Za-z]*)")
_REST_OF_NAME = re.compile(r"[A-Za-z]*:?")
_REST_OF_VALUE = re.compile(r"[^\s,]*")
_REST_OF_QUOTED = re.compile(r'(?:[^"]*")?')


def understood_parts(query: Query) -> tuple[Understood, ...]:
    """What was understood, text first."""
    said = [
        Understood("text", words) for clause in query.clauses if (words := _clause_words(clause))
    ]
    return (*said, *(Understood(field.name, field_words(field)) for field in query.fields))


def field_words(field: Field) -> str:
    """A field in words."""
    name, value = field.name, field.value.strip().lower()
    takes = FIELDS[name].takes
    if takes == "day":
        words = day_chip(name, value)
    elif takes == "amount":
        compared = amount(value)
        assert compared, "a field without a number is text"
        words = amount_chip(name, *compared)
    else:
        return FIELD_CHIPS[name][field.negated].format(" or ".join(field.any_of))
    return f"not {words}" if field.negated else words


def _clause_words(clause: Clause) -> str:
    """Empty for a plain word, which needs none."""
    words = " or ".join(TERM_CHIPS[term.kind].format(term.text) for term in clause.any_of)
    if clause.negated:
        return f"without {words}"
    return "" if [term.kind for term in clause.any_of] == ["word"] else words


def complete(text: str, cursor: int, known: Mapping[str, Sequence[str]]) -> list[Offer]:
    """What the word at the cursor could become: names of fields after two letters or a dash,
    values after a name. `known` holds the values that the file has, by name of the field; without
    several profiles the field for them is not offered."""
    for piece in pieces(text[:LONGEST]):
        if piece.start < cursor <= piece.end:
            if piece.kind not in ("word", "field"):
                return []
            named = NAMED.match(text, piece.start, cursor)
            if named and named[2].lower() in FIELDS:
                return _values(text, named[2].lower(), named.end(), cursor, known)
            return _names(text, piece.start, cursor, len(known.get(PROFILE_FIELD, ())) > 1)
    return []


def _names(text: str, start: int, cursor: int, profiles: bool) -> list[Offer]:
    naming = _NAMING.fullmatch(text, start, cursor)
    if not naming or (not naming[1] and len(naming[2]) < 2):
        return []
    dash, begun = naming[1], naming[2].lower()
    end = _end(_REST_OF_NAME, text, cursor)
    return [
        Offer(start, end, f"{dash}{name}:", about.words)
        for name, about in FIELDS.items()
        if name.startswith(begun) and (profiles or name != PROFILE_FIELD)
    ]


def _values(
    text: str, name: str, start: int, cursor: int, known: Mapping[str, Sequence[str]]
) -> list[Offer]:
    """Those that hold what was typed, those that begin with it first."""
    begin, quoted = _last_value(text, start, cursor, takes_several(name))
    typed = text[begin:cursor]
    if typed.startswith('"') and not quoted:
        return []
    typed = typed.removeprefix('"').casefold()
    end = _end(_REST_OF_QUOTED if quoted else _REST_OF_VALUE, text, cursor)
    words = dict.fromkeys(known.get(name, ()), "") | dict(FIELDS[name].offers)
    there = {value.strip('"').casefold() for value in text[start:begin].split(",")} | {typed}
    fitting = [
        value
        for value in words
        if typed in value.casefold() and value.casefold() not in there and _can_be_typed(value)
    ]
    fitting.sort(key=lambda value: not value.casefold().startswith(typed))
    return [Offer(begin, end, _as_typed(value), words[value]) for value in fitting]


def _last_value(text: str, start: int, cursor: int, several: bool) -> tuple[int, bool]:
    """(where the value at the cursor begins, whether it is in quotes that are still open)."""
    begin, quoted = start, False
    for at in range(start, cursor):
        if text[at] == '"' and (quoted or at == begin):
            quoted = not quoted
        elif text[at] == "," and several and not quoted:
            begin = at + 1
    return begin, quoted


def _end(rest: re.Pattern[str], text: str, cursor: int) -> int:
    found = rest.match(text, cursor)
    return found.end() if found else cursor


def _can_be_typed(value: str) -> bool:
    return bool(value.strip()) and value.isprintable() and '"' not in value


def _as_typed(value: str) -> str:
    """Between quotes where it would else be more than one value, or none."""
    return f'"{value}"' if re.search(r"[\s,]|^:", value) else value

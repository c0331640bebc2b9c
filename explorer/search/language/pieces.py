"""What somebody typed, cut into pieces: words, phrases, prefixes, expressions and fields.

Only the form counts here; what a field can take and where a word is an operator is decided above.
Every expression is linear in the length of the text, since this runs at each key.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from explorer.search.language.vocabulary import FIELDS, takes_several


class Piece(NamedTuple):
    """One of the pieces, and where it stands."""

    kind: Literal["word", "phrase", "prefix", "regex", "field"]
    text: str
    """Without quotes, star or slashes; the name of a field."""
    start: int
    end: int
    values: tuple[str, ...] = ()
    """Of a field."""
    negated: bool = False
    """A field with a dash before it."""


_BEGIN = re.compile(r"\S")
_WORD = re.compile(r"\S+")
# A quote without a partner begins a phrase that somebody is still typing; before a space it is
# only a quote. A star adds nothing to a phrase: its last word may go on anyway.
_QUOTED = r'"([^"]*)"|"(?=\S)([^"]*)\Z'
_PHRASE = re.compile(rf"(?:{_QUOTED})(?:\*(?!\S))?")
# Without spaces in it, an expression may hold slashes; with spaces only escaped ones, or two paths
# in a row would be one.
_EXPRESSION = re.compile(r"/(?![/\s])((?:[^\s\\]|\\\S)+|(?:[^/\\]|\\.)+)(?<!\s)/(?!\S)", re.DOTALL)
# Not before a second colon: Model::find is somebody's code.
_FIELD = re.compile(r"(-?)([A-Za-z]+):(?=[^\s:])")
_ONE = re.compile(rf"{_QUOTED}|([^\s,\"][^\s,]*)")
_WHOLE = re.compile(rf"{_QUOTED}|([^\s\"]\S*)")


def pieces(source: str) -> Iterator[Piece]:
    """All pieces, from left to right."""
    piece = piece_after(source, 0)
    while piece:
        yield piece
        piece = piece_after(source, piece.end)


def piece_after(source: str, at: int) -> Piece | None:
    """The first piece that begins here or behind; None where only space is left."""
    begin = _BEGIN.search(source, at)
    if not begin:
        return None
    start = begin.start()
    return (
        _phrase(source, start)
        or _expression(source, start)
        or _field(source, start)
        or plain(source, start)
    )


def plain(source: str, start: int) -> Piece:
    """What stands here taken for text, whatever it looks like: a word, or a prefix."""
    found = _WORD.match(source, start)
    word = found[0] if found else ""
    end = start + len(word)
    if word.endswith("*") and word.count("*") == 1 and any(map(str.isalnum, word)):
        return Piece("prefix", word[:-1], start, end)
    return Piece("word", word, start, end)


def _phrase(source: str, start: int) -> Piece | None:
    found = _PHRASE.match(source, start)
    if not found:
        return None
    text = (found[1] or found[2] or "").strip()
    return Piece("phrase", text, start, found.end())


def _expression(source: str, start: int) -> Piece | None:
    found = _EXPRESSION.match(source, start)
    return Piece("regex", found[1], start, found.end()) if found else None


def _field(source: str, start: int) -> Piece | None:
    found = _FIELD.match(source, start)
    name = found[2].lower() if found else ""
    if not found or name not in FIELDS:
        return None
    values, end = _values(source, found.end(), takes_several(name))
    if not values:
        return None
    return Piece("field", name, start, end, values, negated=bool(found[1]))


def _values(source: str, at: int, several: bool) -> tuple[tuple[str, ...], int]:
    """(the values that begin here, where they end)."""
    values: list[str] = []
    while True:
        found = (_ONE if several else _WHOLE).match(source, at)
        if found:
            value = (found[1] or found[2] or found[3] or "").strip()
            values += [value] if value else []
            at = found.end()
        if not several or source[at : at + 1] != ",":
            return tuple(values), at
        at += 1

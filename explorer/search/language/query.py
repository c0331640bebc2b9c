"""The language of the search bar: what the user typed, as clauses and fields that must all hold.

Words, "exact phrases", prefix*, a OR b, NOT a, /regular expressions/, and field:value or
-field:value. OR binds closer than anything, so `NOT a OR b` asks for neither. Anything can be
typed: there are no errors, only text, and notes that say what was taken for text.

The text is first cut into pieces by its form alone. Every expression is linear in the length of the
text, because this runs at each key.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import tzinfo
from typing import Literal, NamedTuple

from explorer.search.language.corrections import DASHED, misspelt_field
from explorer.search.language.vocabulary import (
    FIELDS,
    MESSAGE_FIELDS,
    PLACE_FIELD,
    PROFILE_FIELD,
    takes_several,
    trouble,
)
from explorer.search.pattern import BadPattern, pattern
from explorer.search.words import (
    NO_BRACKETS,
    OR_AS_AND,
    dash_before,
    not_a_field,
    not_an_expression,
    searched_as_text,
    space_after,
    too_long,
    unfinished,
)

LONGEST = 200
"""Characters that are read: few people type more, and thousands of words take SQLite seconds."""

_OPERATORS = ("AND", "OR", "NOT")
_SURROGATES = re.compile("[\ud800-\udfff]")
_ALTERNATIVE = re.compile(r'"([^"]*,[^"]*)"(?=,|\Z)|([^,]+)')


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
    is_like_a_field: bool = False
    """A word that begins with the name of a field, perhaps misspelt, but is text."""


_BEGIN = re.compile(r"\S")
_WORD = re.compile(r"\S+")
# A quote without a partner begins a phrase that is still being typed; before a space it is
# only a quote. A star adds nothing to a phrase: its last word may go on anyway.
_QUOTED = r'"([^"]*)"|"(?=\S)([^"]*)\Z'
_PHRASE = re.compile(rf"(?:{_QUOTED})(?:\*(?!\S))?")
# Without spaces in it, an expression may hold slashes; with spaces only escaped ones, or two paths
# in a row would be one.
_EXPRESSION = re.compile(r"/(?![/\s])((?:[^\s\\]|\\\S)+|(?:[^/\\]|\\.)+)(?<!\s)/(?!\S)", re.DOTALL)
NAMED = re.compile(r"(-?)([A-Za-z]+):")
# Not before a second colon: Model::find is code.
_FIELD = re.compile(rf"{NAMED.pattern}(?=[^\s:])")
_NO_VALUE = re.compile(r"-?([A-Za-z]+):[\",]*")
_OPENS = re.compile(r"\((?!.*\))")
_CLOSES = re.compile(r"^[^(]*\)$")
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
    if found := _PHRASE.match(source, start):
        return Piece("phrase", (found[1] or found[2] or "").strip(), start, found.end())
    if found := _EXPRESSION.match(source, start):
        return Piece("regex", found[1], start, found.end())
    return _field(source, start) or plain(source, start)


def plain(source: str, start: int) -> Piece:
    """What stands here taken for text, whatever it looks like: a word, or a prefix."""
    found = _WORD.match(source, start)
    word = found[0] if found else ""
    end = start + len(word)
    named = NAMED.match(word)
    like_a_field = named is not None and named[2].lower() in FIELDS
    like_a_field = like_a_field or bool(misspelt_field(word))
    piece = Piece("word", word, start, end, is_like_a_field=like_a_field)
    begins = word.endswith("*") and word.count("*") == 1 and any(map(str.isalnum, word))
    return piece._replace(kind="prefix", text=word[:-1]) if begins else piece


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


class Term(NamedTuple):
    """Something to find in a text."""

    kind: Literal["word", "phrase", "prefix", "regex"]
    text: str
    """Without quotes, star or slashes."""
    is_like_a_field: bool = False
    """It begins with the name of a field, but is text."""


class Clause(NamedTuple):
    """Terms of which one must be found, or none."""

    any_of: tuple[Term, ...]
    negated: bool = False


class Field(NamedTuple):
    """Something that must be so, or must not."""

    name: str
    value: str
    """As it was typed, several with commas between them; quotes are left only around a comma that
    is part of a value."""
    negated: bool = False

    @property
    def any_of(self) -> tuple[str, ...]:
        """The values of which one must fit, of a field that takes several."""
        return tuple(quoted or bare for quoted, bare in _ALTERNATIVE.findall(self.value))

    def names_one_of(self, names: Collection[str]) -> bool:
        """Whether one of its values is one of these names."""
        return not {one.casefold() for one in names}.isdisjoint(map(str.casefold, self.any_of))


class Query(NamedTuple):
    """What is searched for."""

    text: str
    clauses: tuple[Clause, ...]
    fields: tuple[Field, ...]
    notes: tuple[str, ...]
    """What was not understood, in words."""
    unfinished: str = ""
    """A field at the end that has no value yet: it is not part of the query."""

    @property
    def positive(self) -> tuple[Clause, ...]:
        """What must be found."""
        return tuple(clause for clause in self.clauses if not clause.negated)

    @property
    def needs_text(self) -> bool:
        """Whether any text must be found at all."""
        return bool(self.positive)

    @property
    def asks_messages(self) -> bool:
        """Whether messages are looked for; otherwise it is about sessions as a whole."""
        return self.needs_text or any(field.name in MESSAGE_FIELDS for field in self.fields)

    @property
    def asks_nothing(self) -> bool:
        """Whether everything fits: where words stand says nothing without words."""
        return not self.clauses and all(field.name == PLACE_FIELD for field in self.fields)

    def asks_for_profile(self, names: Collection[str]) -> bool:
        """Whether a profile with these names is among those that it asks for; all are where it
        names none."""
        return all(
            field.names_one_of(names) is not field.negated
            for field in self.fields
            if field.name == PROFILE_FIELD
        )


class _Group(NamedTuple):
    """Pieces with OR between them."""

    pieces: list[Piece]
    negated: bool


def parse(text: str, now: float, tz: tzinfo | None = None) -> Query:
    """The query in `text`; `now` and the zone say which day yesterday is."""
    # Half a surrogate is no text that SQLite would take.
    source = _SURROGATES.sub("\ufffd", text[:LONGEST])
    found, notes = _understood(source, now, tz)
    begun = _without_value(found[-1].text) if found else None
    typed = ""
    if begun:
        typed = found.pop().text
        notes.append(unfinished(typed, FIELDS[begun].takes, FIELDS[begun].example))
        if found and _operator(found, len(found) - 1):
            found.pop()
    notes += _notes_on_text(found)
    groups, unjoined = _grouped(found)
    if len(text) > LONGEST:
        unjoined.append(too_long(LONGEST))
    return Query(
        text=text,
        clauses=tuple(_clause(group) for group in groups if not _is_field(group)),
        fields=tuple(_made_field(group) for group in groups if _is_field(group)),
        notes=tuple(dict.fromkeys((*notes, *unjoined))),
        unfinished=typed,
    )


def _understood(source: str, now: float, tz: tzinfo | None) -> tuple[list[Piece], list[str]]:
    """(all pieces but empty ones, notes on those that are only text after all)."""
    found: list[Piece] = []
    notes: list[str] = []
    piece = piece_after(source, 0)
    while piece:
        if reason := _trouble(piece, now, tz):
            notes.append(searched_as_text(source[piece.start : piece.end], reason))
            piece = plain(source, piece.start)
        if piece.text:
            found.append(piece)
        piece = piece_after(source, piece.end)
    return found, notes


def _without_value(word: str) -> str:
    """The field that a word names without giving it a value; empty where it is another word."""
    named = _NO_VALUE.fullmatch(word)
    return named[1].lower() if named and named[1].lower() in FIELDS else ""


def _notes_on_text(found: Sequence[Piece]) -> Iterator[str]:
    """What looks as if it meant more than the text it is."""
    words = [piece.text for piece in found if piece.kind == "word"]
    for before, word in zip(("", *words), words, strict=False):
        if meant := misspelt_field(word):
            yield searched_as_text(word, not_a_field(meant))
        elif name := _without_value(word):
            yield searched_as_text(word, space_after(name))
        elif before != "NOT" and (dashed := DASHED.fullmatch(word)):
            yield searched_as_text(word, dash_before(dashed[1]))
    opened = next((at for at, word in enumerate(words) if _OPENS.match(word)), len(words))
    if any(_CLOSES.search(word) for word in words[opened + 1 :]):
        yield NO_BRACKETS


def _trouble(piece: Piece, now: float, tz: tzinfo | None) -> str:
    if piece.kind == "field":
        return trouble(piece.text, piece.values, now, tz)
    if piece.kind == "regex":
        try:
            pattern(f"/{piece.text}/")
        except BadPattern as error:
            return not_an_expression(error.message)
    return ""


def _grouped(found: Sequence[Piece]) -> tuple[list[_Group], list[str]]:
    """(what must all hold, notes on OR where it cannot join)."""
    groups: list[_Group] = []
    notes: list[str] = []
    joining = False
    at = 0
    while at < len(found):
        word = _operator(found, at)
        if word in ("AND", "OR") and groups and _begins_operand(found, at + 1):
            joining = word == "OR"
            at += 1
            continue
        negated = word == "NOT" and _is_operand(found, at + 1)
        at += negated
        if joining and not negated and _fits(groups[-1], found[at]):
            groups[-1].pieces.append(found[at])
        else:
            groups.append(_Group([found[at]], negated))
            if joining:
                notes.append(OR_AS_AND)
        joining = False
        at += 1
    return groups, notes


def _operator(found: Sequence[Piece], at: int) -> str:
    """The operator that a piece would be, if it stands where one may."""
    known = at < len(found) and found[at].kind == "word" and found[at].text in _OPERATORS
    return found[at].text if known else ""


def _is_operand(found: Sequence[Piece], at: int) -> bool:
    return at < len(found) and not _operator(found, at)


def _begins_operand(found: Sequence[Piece], at: int) -> bool:
    negated = _operator(found, at) == "NOT"
    return _is_operand(found, at + negated)


def _fits(group: _Group, piece: Piece) -> bool:
    """Whether one clause, or one field, can say that either must hold."""
    together = [*group.pieces, piece]
    if not any(each.kind == "field" for each in together):
        return True
    names = {each.text if each.kind == "field" else "" for each in together}
    dashed = any(each.negated for each in together)
    return len(names) == 1 and not dashed and takes_several(piece.text)


def _is_field(group: _Group) -> bool:
    return group.pieces[0].kind == "field"


def _clause(group: _Group) -> Clause:
    terms = (
        Term(each.kind, each.text, each.is_like_a_field)
        for each in group.pieces
        if each.kind != "field"
    )
    return Clause(tuple(terms), group.negated)


def _made_field(group: _Group) -> Field:
    first = group.pieces[0]
    values: Iterable[str] = [value for each in group.pieces for value in each.values]
    if FIELDS[first.text].takes == "choice":
        values = map(str.lower, values)
    if takes_several(first.text):
        values = (f'"{value}"' if "," in value else value for value in values)
    return Field(first.text, ",".join(values), group.negated != first.negated)

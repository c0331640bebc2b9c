"""What the triggers on a table do, read from their statements.

A delete is offered only beside triggers whose work is known: those that keep a search table, and
those that fill in columns of messages of the same session. A statement counts as known only in one
of these forms; whatever else a trigger holds, it is not.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorer.store import cells
from explorer.store.edits.images import Rows

_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    |(?P<word>[^\W\d][\w$]*)
    |(?P<number>\d[\w.]*)
    |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
_EVENTS = ("delete", "insert", "update")
_SELECTS = ("select", "values", "with")
_UNSPLIT = ("between", "case")
"""Words that hold an AND which joins no two conditions."""


class Token(NamedTuple):
    """A piece of a statement."""

    kind: str
    text: str
    """Of a name what it names, in lower case."""

    def says(self, *words: str) -> bool:
        """Whether it is one of these keywords or marks."""
        return self.kind in ("word", "mark") and self.text in words

    @property
    def names(self) -> bool:
        return self.kind in ("word", "quoted")


class Write(NamedTuple):
    """One statement of a trigger."""

    table: str
    """That it writes to; empty where the statement is of no known form."""
    columns: frozenset[str] = frozenset()
    """That an update sets; empty for a statement that adds or deletes rows."""
    own_row: bool = False
    """An update of nothing but the row that set the trigger off."""
    own_session: bool = False
    """An update of nothing but messages of the same session."""


UNKNOWN = Write("")


class Trigger(NamedTuple):
    """A trigger and what it does."""

    name: str
    table: str
    after: bool
    event: str
    """delete, insert or update; empty where it cannot be told."""
    columns: frozenset[str]
    """Those whose update sets it off; empty where any does."""
    writes: tuple[Write, ...]


def triggers(ask: Rows) -> list[Trigger]:
    """Every trigger of a file."""
    rows = ask("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'", ())
    return [
        parsed(cells.words(name), cells.words(table), cells.words(sql)) for name, table, sql in rows
    ]


def parsed(name: str, table: str, sql: str) -> Trigger:
    """What a trigger does; `UNKNOWN` stands for every statement that is of no known form."""
    tokens = list(_tokens(sql))
    begin = next((at for at, token in enumerate(tokens) if token.says("begin")), len(tokens))
    head, body = tokens[:begin], tokens[begin + 1 :]
    event, columns = _event(head)
    if not body or not body[-1].says("end"):
        return Trigger(name, table.lower(), False, event, columns, (UNKNOWN,))
    statements = _split(body[:-1], ";")
    writes = tuple(_write(statement) for statement in statements if statement)
    after = any(token.says("after") for token in head)
    return Trigger(name, table.lower(), after, event, columns, writes)


def _tokens(sql: str) -> Iterator[Token]:
    for found in _TOKEN.finditer(sql):
        kind, text = found.lastgroup or "", found[0]
        if kind == "quoted":
            yield Token(kind, text[1:-1].replace(text[0] * 2, text[0]).lower())
        elif kind != "skip":
            yield Token(kind, text.lower() if kind == "word" else text)


def _event(head: Sequence[Token]) -> tuple[str, frozenset[str]]:
    """(what sets a trigger off, the columns that an update must be of)."""
    for at, token in enumerate(head):
        if token.says(*_EVENTS):
            rest = head[at + 1 :]
            end = next((at for at, one in enumerate(rest) if one.says("on")), len(rest))
            return token.text, frozenset(one.text for one in rest[1:end] if one.names)
    return "", frozenset()


def _write(statement: Sequence[Token]) -> Write:
    if len(statement) < 3:
        return UNKNOWN
    first, second = statement[:2]
    adds = first.says("insert") and second.says("into")
    if adds or (first.says("delete") and second.says("from")):
        return Write(statement[2].text) if statement[2].names else UNKNOWN
    if first.says("update") and second.names and statement[2].says("set"):
        return _update(second.text, statement[3:])
    return UNKNOWN


def _update(table: str, rest: Sequence[Token]) -> Write:
    where = next(
        (at for at, token in _outside(rest) if token.says("where", "from", "returning")), None
    )
    if where is None or not rest[where].says("where"):
        return UNKNOWN
    columns = []
    for assignment in _split(rest[:where], ","):
        if len(assignment) < 3 or not assignment[0].names or not assignment[1].says("="):
            return UNKNOWN
        columns.append(assignment[0].text)
    test = rest[where + 1 :]
    return Write(
        table,
        frozenset(columns),
        own_row=_confined(test, table, ("id",)),
        own_session=_confined(test, table, ("id", "session_id")),
    )


def _confined(test: Sequence[Token], table: str, by: Sequence[str]) -> bool:
    """Whether a condition holds only for rows that share one of these columns with the row that
    set the trigger off."""
    inner = _without_parentheses(test)
    words = [token for _, token in _outside(inner)]
    if not inner or inner[0].says(*_SELECTS) or any(token.says(*_UNSPLIT) for token in words):
        return False
    either = _split(inner, "or")
    if len(either) > 1:
        return all(_confined(part, table, by) for part in either)
    both = _split(inner, "and")
    if len(both) > 1:
        return any(_confined(part, table, by) for part in both)
    return _same(inner, table, by)


def _same(test: Sequence[Token], table: str, by: Sequence[str]) -> bool:
    """Whether a condition is `column = new.column`, in either order, of one of these columns."""
    sides = _split(test, "=")
    if len(sides) != 2:
        return False
    names = [[token.text for token in side if token.names] for side in sides]
    plain = all(
        len(side) == 2 * len(name) - 1 and all(one.says(".") for one in side[1::2])
        for side, name in zip(sides, names, strict=True)
    )
    for (*owner, column), other in (names, names[::-1]) if plain and all(names) else ():
        if other in ([end, column] for end in ("new", "old")) and owner in ([], [table]):
            return column in by
    return False


def _without_parentheses(tokens: Sequence[Token]) -> Sequence[Token]:
    while tokens and tokens[0].says("(") and not list(_outside(tokens[1:-1], deepest=-1)):
        if not tokens[-1].says(")"):
            return tokens
        tokens = tokens[1:-1]
    return tokens


def _outside(tokens: Sequence[Token], deepest: int = 0) -> Iterator[tuple[int, Token]]:
    """(place, token) of what stands in no parentheses; with another `deepest` level, of what
    stands at that level or above it."""
    depth = 0
    for at, token in enumerate(tokens):
        depth -= token.says(")")
        if depth <= deepest:
            yield at, token
        depth += token.says("(")


def _split(tokens: Sequence[Token], by: str) -> list[Sequence[Token]]:
    """The pieces between separators that stand in no parentheses."""
    ends = [at for at, token in _outside(tokens) if token.says(by)]
    return [
        tokens[start + 1 : end]
        for start, end in zip((-1, *ends), (*ends, len(tokens)), strict=True)
    ]

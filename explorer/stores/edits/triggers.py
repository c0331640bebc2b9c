"""What the triggers on a table do, read from their statements.

A delete is offered only beside triggers whose work is known: those that keep a search table, and
those that fill in columns of messages of the same session. A statement counts as known only in one
of these forms; whatever else a trigger holds, it is not.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Rows
from explorer.stores.sqlite.statements import (
    Token,
    outside,
    split,
    trigger_parts,
    without_parentheses,
)

_EVENTS = ("delete", "insert", "update")
_SELECTS = ("select", "values", "with")
_UNSPLIT = ("between", "case")
"""Words that hold an AND which joins no two conditions."""


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


def any_trigger(known: Sequence[Trigger]) -> str:
    """The first of these as a reason not to edit; empty where there is none."""
    return f"the file has a trigger that is not known here ({known[0].name})" if known else ""


def filled_columns(known: Iterable[Trigger]) -> frozenset[str]:
    """The columns of messages that these triggers set by themselves."""
    return frozenset(
        column
        for trigger in known
        if trigger.table == "messages"
        for write in trigger.writes
        if write.table == "messages"
        for column in write.columns
    )


def parsed(name: str, table: str, sql: str) -> Trigger:
    """What a trigger does; `UNKNOWN` stands for every statement that is of no known form."""
    head, body = trigger_parts(sql)
    event, columns = _event(head)
    if not body or not body[-1].says("end"):
        return Trigger(name, table.lower(), False, event, columns, (UNKNOWN,))
    statements = split(body[:-1], ";")
    writes = tuple(_write(statement) for statement in statements if statement)
    after = any(token.says("after") for token in head)
    return Trigger(name, table.lower(), after, event, columns, writes)


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
        (at for at, token in outside(rest) if token.says("where", "from", "returning")), None
    )
    if where is None or not rest[where].says("where"):
        return UNKNOWN
    columns = []
    for assignment in split(rest[:where], ","):
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
    inner = without_parentheses(test)
    words = [token for _, token in outside(inner)]
    if not inner or inner[0].says(*_SELECTS) or any(token.says(*_UNSPLIT) for token in words):
        return False
    either = split(inner, "or")
    if len(either) > 1:
        return all(_confined(part, table, by) for part in either)
    both = split(inner, "and")
    if len(both) > 1:
        return any(_confined(part, table, by) for part in both)
    return _same(inner, table, by)


def _same(test: Sequence[Token], table: str, by: Sequence[str]) -> bool:
    """Whether a condition is `column = new.column`, in either order, of one of these columns."""
    sides = split(test, "=")
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

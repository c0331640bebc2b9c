"""What happened to a file since a catalog was read, at a cost that does not depend on its size.

Numbers of rows only grow, so it is enough to look above the highest known ones. What leaves no
higher number (a title, an archive flag, a delete) is not seen here; the visible rows are read again
for that, and now and then all of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from explorer.stores.catalog import Mark
from explorer.stores.power_loop.sessions import survey
from explorer.stores.power_loop.tables import Tables
from explorer.stores.small_store import SessionRow
from explorer.stores.table_reader import TableReader

MOST = 2000
"""With more changed sessions, a whole survey is as fast."""


def mark_of(reader: TableReader, sets: Sequence[Tables]) -> Mark | tuple[Mark, ...]:
    """How far the sets of tables have got; of one set, which is the rule, its mark alone."""
    marks = tuple(_mark(reader, tables) for tables in sets)
    return marks[0] if len(marks) == 1 else marks


def _mark(reader: TableReader, tables: Tables) -> Mark:
    flavour = tables.flavour
    return Mark(
        reader.value(f"SELECT max({flavour.row}) FROM {tables.messages} m") or 0,
        reader.value(f"SELECT max({flavour.handle}) FROM {tables.sessions} s") or 0,
    )


class Touched(NamedTuple):
    """What is new, and how far the file has got."""

    mark: Mark | tuple[Mark, ...]
    rows: Sequence[SessionRow]


def touched(reader: TableReader, sets: Sequence[Tables], since: object) -> Touched | None:
    """The sessions that are new or were written to; None where only a whole survey can tell."""
    now = mark_of(reader, sets)
    before, after = _marks(since), _marks(now)
    if len(before) != len(after) or any(
        new.message < old.message or new.session < old.session
        for old, new in zip(before, after, strict=True)
    ):
        return None
    rows: list[SessionRow] = []
    for tables, old, new in zip(sets, before, after, strict=True):
        if old != new:
            handles = _handles(reader, tables, old)
            if len(handles) > MOST:
                return None
            rows += survey(reader, tables, handles)
    return Touched(now, rows)


def _marks(mark: object) -> tuple[Mark, ...]:
    if isinstance(mark, Mark):
        return (mark,)
    found = mark if isinstance(mark, tuple) else ()
    return tuple(one for one in found if isinstance(one, Mark))


def _handles(reader: TableReader, tables: Tables, since: Mark) -> list[object]:
    """The handles of sessions that are new, or have new messages."""
    handle, row = tables.flavour.handle, tables.flavour.row
    return reader.column(
        f"SELECT {handle} FROM {tables.sessions} s WHERE s.session_id IN"
        f" (SELECT m.session_id FROM {tables.messages} m WHERE {row} > ?)"
        f" UNION SELECT {handle} FROM {tables.sessions} s WHERE {handle} > ? LIMIT {MOST + 1}",
        (since.message, since.session),
    )

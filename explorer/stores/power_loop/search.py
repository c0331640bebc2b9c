"""Search without an index: power-loop has no search table, and no index on times.

Messages are never moved, so the numbers of their rows grow with time: the table is walked from its
end, a stretch at a time, and the database itself compares the cells. A stretch ends early where it
has found a page, so that a common word costs what reading the last few messages costs.
"""

from typing import Any, NamedTuple

from explorer.stores.base import Candidate, Needles, Stretch
from explorer.stores.power_loop.tables import DROPPED, Tables
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.slices import LOWEST
from explorer.stores.table_reader import TableReader

SEARCHED = ("content", "tool_calls_json", "name", "meta_json")
"""Columns that a search looks at."""
STRETCH = 10_000
"""Rows that are compared in one read: it is to take some hundredths of a second, since a file
without a log is locked for as long."""
PAGE, MOST = 60, 1000
"""Candidates after which the first stretch ends, and those after it."""


def condition(
    reader: TableReader, tables: Tables, needles: Needles
) -> tuple[str, list[str | bytes]]:
    """(SQL, values): whether a message may hold what is wanted, and is to be seen."""
    flavour = tables.flavour
    known = [name for name in SEARCHED if tables.has(reader.schema, "messages", name)]
    present, values = flavour.may_hold([f'm."{name}"' for name in known], needles.groups)
    if needles.rewound or not tables.has(reader.schema, "messages", "state"):
        return present, values
    dropped = f"'{DROPPED}'"
    return f"{present} AND {flavour.differs('m.state', dropped)}", values


def certainty(reader: TableReader, tables: Tables, needles: Needles) -> tuple[str, list[str]]:
    """(SQL, values): whether that is certain, so that the message need not be read."""
    sure, values = tables.flavour.surely_holds(needles.sure)
    if not tables.has(reader.schema, "messages", "meta_json"):
        return sure, values
    return f"({sure} AND coalesce(m.meta_json, '') NOT LIKE '%content_encoding%')", values


class RowsBelow(NamedTuple):
    """How far a search has come: of each set of tables the row below which it continues, None where
    it is through."""

    below: tuple[int | None, ...]


def scanned(
    reader: TableReader, sets: tuple[Tables, ...], needles: Needles, below: object
) -> Stretch:
    """The candidates among the last messages of every set, or of those below a mark."""
    mark = below if isinstance(below, RowsBelow) else None
    found: list[Candidate] = []
    ends: list[int | None] = []
    done = 0.0
    for at, tables in enumerate(sets):
        row, messages = tables.flavour.row, tables.messages
        last = top = reader.value(f"SELECT max({row}) FROM {messages} m")
        if mark is not None:
            under = f"SELECT max({row}) FROM {messages} m WHERE {row} < ?"
            top = None if mark.below[at] is None else reader.value(under, (mark.below[at],))
        end = None if top is None else _stretch(reader, tables, needles, top, found, mark is None)
        ends.append(end)
        done += 1.0 if end is None else max(1.0 - max(end, 0) / max(last, 1), 0.0)
    rest = RowsBelow(tuple(ends)) if any(end is not None for end in ends) else None
    found.sort(key=lambda one: -one.at)
    return Stretch(found, rest, done / max(len(sets), 1))


def _stretch(
    reader: TableReader,
    tables: Tables,
    needles: Needles,
    top: int,
    found: list[Candidate],
    first: bool,
) -> int | None:
    """Take in the candidates of a stretch that ends with a row; gives the row below which the next
    one begins."""
    row, messages = tables.flavour.row, tables.messages
    low = max(top - STRETCH + 1, LOWEST)
    most = PAGE if first else MOST
    certain, sure = certainty(reader, tables, needles)
    holds, values = condition(reader, tables, needles)
    rows = reader.rows(
        f"SELECT {row}, {candidate_columns(tables, certain)} FROM {messages} m"
        f" LEFT JOIN {tables.sessions} s ON s.session_id = m.session_id"
        f" WHERE {row} BETWEEN ? AND ? AND {holds} ORDER BY {row} DESC LIMIT {most}",
        (*sure, low, top, *values),
    )
    found += [candidate(tables, cell) for _, *cell in rows]
    end = int(rows[-1][0]) if len(rows) == most else low
    return None if end == LOWEST else end


def candidate_columns(tables: Tables, certain: str) -> str:
    """What is read of a candidate."""
    flavour = tables.flavour
    return f"m.created_at, {flavour.seq}, {flavour.handle}, m.session_id, {certain}"


def candidate(tables: Tables, row: list[Any]) -> Candidate:
    time, seq, handle, id_, certain = row
    key = None if handle is None else tables.key(handle)
    return Candidate(seq, key, cells.words(id_), bool(certain), cells.seconds(time) or 0.0)

"""Search without an index: power-loop has no search table."""

from explorer.stores.base import Candidate, Needles, Stretch
from explorer.stores.power_loop.tables import DROPPED, Tables
from explorer.stores.sqlite import cells
from explorer.stores.table_reader import TableReader

SEARCHED = ("content", "tool_calls_json", "name", "meta_json")
"""Columns that a search looks at."""


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


def scanned(reader: TableReader, tables: Tables, needles: Needles) -> list[Candidate]:
    """Every message of one set of tables that may hold the words."""
    flavour = tables.flavour
    holds, values = condition(reader, tables, needles)
    rows = reader.rows(
        f"SELECT m.created_at, {flavour.seq}, {flavour.handle}, m.session_id"
        f" FROM {tables.messages} m LEFT JOIN {tables.sessions} s ON s.session_id = m.session_id"
        f" WHERE {holds} ORDER BY m.created_at DESC, {flavour.order} DESC",
        values,
    )
    return [
        Candidate(
            seq,
            None if handle is None else tables.key(handle),
            cells.words(id_),
            certain=False,
            at=cells.seconds(time) or 0.0,
        )
        for time, seq, handle, id_ in rows
    ]


def every(reader: TableReader, sets: tuple[Tables, ...], needles: Needles) -> Stretch:
    """The same of all sets, newest first."""
    found = [one for tables in sets for one in scanned(reader, tables, needles)]
    return Stretch(sorted(found, key=lambda one: -one.at), None, 1.0)

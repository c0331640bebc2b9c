"""What the server itself has noted about a table, to read less of it.

There is no index on the times of sessions, so the newest are found by sorting all. The server keeps
about a hundred times that split a column into equal parts, to plan its queries: one of the last of
them leaves few rows to sort. It may be out of date, or not be there: who uses it must be content
with rows that are too many, and ask again where they are too few.
"""

from explorer.stores.power_loop.server.tables import ServerTables
from explorer.stores.table_reader import TableReader

MANY = 20_000
"""Rows of a table from which on it is worth a question."""
_BOUNDS = """
SELECT c.reltuples::bigint, p.histogram_bounds::text
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_stats p ON p.schemaname = n.nspname AND p.tablename = c.relname
WHERE n.nspname = ? AND c.relname = ? AND p.attname = ? AND NOT p.inherited
"""


def late_time(reader: TableReader, tables: ServerTables, column: str, wanted: int) -> int | None:
    """A time in a column of sessions after which about as many rows as are wanted, or more, come;
    None where the server cannot tell."""
    row = reader.row(_BOUNDS, (tables.space, tables.named("sessions"), column))
    if row is None or row[0] < MANY or not row[1]:
        return None
    bounds = str(row[1]).strip("{}").split(",")
    parts = len(bounds) - 1
    back = 1 + wanted * parts // row[0]
    if back >= parts:
        return None
    bound = bounds[parts - back]
    # Another type than power-loop's is sorted without help.
    return int(bound) if bound.lstrip("-").isdecimal() and bound.isascii() else None

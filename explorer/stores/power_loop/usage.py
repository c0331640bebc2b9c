"""The tokens that sessions used: by their running totals where there are any, else by the rounds
that were kept."""

from collections.abc import Collection, Iterator

from explorer.stores.power_loop.tables import Tables
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.table_reader import KnownTables, TableReader

Tokens = tuple[int, int]
"""(in, out)"""


def counted_in(schema: KnownTables, tables: Tables) -> Iterator[str]:
    """Where tokens are counted; the first that knows a session is right."""
    needed = ("session_id", "prompt_tokens", "completion_tokens")
    for table in ("session_stats", "usage_rounds"):
        if tables.has(schema, table, *needed):
            yield tables.sql(table)


def tokens(
    reader: TableReader, tables: Tables, ids: Collection[str] | None = None
) -> dict[str, Tokens]:
    """The tokens of these sessions, or of all, by id: two questions for any number of them."""
    total = tables.flavour.total
    figures = f"{total('t.prompt_tokens')}, {total('t.completion_tokens')}"
    found: dict[str, Tokens] = {}
    for table in counted_in(reader.schema, tables):
        select = f"SELECT t.session_id, {figures} FROM {table} t"
        if ids is None:
            rows = reader.rows(f"{select} GROUP BY t.session_id")
        else:
            rows = [
                row
                for batch in batches(id_ for id_ in ids if id_ not in found)
                for row in reader.rows(
                    f"{select} WHERE t.session_id IN ({placeholders(batch)}) GROUP BY t.session_id",
                    batch,
                )
            ]
        for id_, prompt, completion in rows:
            found.setdefault(
                cells.words(id_), (cells.integer(prompt) or 0, cells.integer(completion) or 0)
            )
    return found

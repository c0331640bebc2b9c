"""How a file of power-loop tells the columns of its sessions.

It keeps no costs, no workspaces and no ends; a title is what a program put into the metadata.
"""

from collections.abc import Collection, Iterable, Sequence

from explorer.stores.columns import (
    BYTES,
    ID,
    LEASE,
    MESSAGES,
    MODEL,
    SOURCE,
    STARTED,
    TITLE,
    TOKENS,
    TOOLS,
    Column,
    Columns,
    Found,
    Recipe,
    Recipes,
    asked_of,
    read,
)
from explorer.stores.power_loop import rows
from explorer.stores.power_loop.rows import usage_tables
from explorer.stores.power_loop.tables import Tables
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader


def columns(
    reader: Reader,
    sets: Iterable[Tables],
    asked: Collection[Column[object]],
    keys: Sequence[int] | None = None,
) -> Columns:
    """What is asked of these sessions, or of all."""
    found: Found = {column: {} for column in asked}
    for tables in sets:
        own = None if keys is None else [tables.row(key) for key in keys if tables.owns(key)]
        part = read(
            reader, f"{tables.prefix}sessions", asked_of(_recipes(tables), {ID, *asked}), own
        )
        if TOKENS in asked:
            part[TOKENS] = _by_row(part[ID], _usage(reader, tables))
        if LEASE in asked:
            part[LEASE] = _by_row(part[ID], tables.leases(reader.rows, reader.schema))
        for column, values in part.items():
            if column in asked:
                found[column] |= {tables.key(row): value for row, value in values.items()}
    return Columns(found)


def _recipes(tables: Tables) -> Recipes:
    said = f"FROM {tables.messages} m WHERE m.session_id = s.session_id"
    return {
        ID: Recipe(("session_id",), cells.words),
        TITLE: Recipe(("metadata_json",), _title),
        SOURCE: Recipe(("session_id",), lambda _: rows.SOURCE),
        MODEL: Recipe(("model",), lambda cell: cells.text(cell) or None),
        MESSAGES: Recipe((f"(SELECT count(*) {said})",), cells.amount),
        TOOLS: Recipe((f"(SELECT count(*) {said} AND m.role = 'tool')",), lambda n: n or None),
        STARTED: Recipe(("created_at",), cells.seconds),
        BYTES: Recipe((f"(SELECT total(length(CAST(m.content AS BLOB))) {said})",), int),
    }


def _title(about: object) -> str | None:
    return cells.text(cells.mapping(about).get("title")) or None if about else None


def _by_row(ids: dict[int, str], known: dict[str, float]) -> dict[int, float]:
    return {row: known[id_] for row, id_ in ids.items() if id_ in known}


def _usage(reader: Reader, tables: Tables) -> dict[str, float]:
    """Tokens by session id."""
    found: dict[str, float] = {}
    for table in reversed(usage_tables(reader.schema, tables)):
        for id_, number in reader.rows(
            # Not sum(): that fails when the figures are too great.
            "SELECT t.session_id, total(t.prompt_tokens) + total(t.completion_tokens)"
            f' FROM "{table}" t GROUP BY t.session_id'
        ):
            found[cells.words(id_)] = cells.number(number) or 0.0
    return found

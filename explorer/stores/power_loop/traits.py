"""What a search asks of every session of power-loop: ids, titles, tokens, leases.

It keeps no costs, no workspaces and no ends; a title is what a program put into the metadata.
"""

from collections.abc import Collection, Iterable, Sequence

from explorer.stores.power_loop.rows import usage_tables
from explorer.stores.power_loop.tables import Tables
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.traits import Trait, Traits


def traits(
    reader: Reader,
    sets: Iterable[Tables],
    asked: Collection[Trait],
    keys: Sequence[int] | None = None,
) -> Traits:
    """What is asked of these sessions, or of all."""
    wanted = None if keys is None else set(keys)
    ids: dict[int, str] = {}
    titles: dict[int, str] = {}
    tokens: dict[int, float] = {}
    held: dict[int, float] = {}
    for tables in sets:
        used = _usage(reader, tables) if Trait.TOKENS in asked else {}
        until: dict[str, float] = {}
        if Trait.STATE in asked:
            until = tables.leases(reader.rows, reader.schema)
        meta = "s.metadata_json" if Trait.TITLE in asked else "NULL"
        for row, cell, about in reader.rows(
            f"SELECT s.rowid, s.session_id, {meta} FROM {tables.sessions} s"
        ):
            key, id_ = tables.key(row), cells.words(cell)
            if wanted is not None and key not in wanted:
                continue
            if Trait.ID in asked and id_:
                ids[key] = id_
            if about and (title := cells.text(cells.mapping(about).get("title"))):
                titles[key] = title
            if id_ in used:
                tokens[key] = used[id_]
            if id_ in until:
                held[key] = until[id_]
    return Traits(ids=ids, titles=titles, tokens=tokens, held=held)


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

"""A few sessions with everybody they are tied to: enough to say what each of them is.

A catalog of a family is exact about its members, at a cost that does not grow with the file.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from explorer.stores.catalog import Catalog
from explorer.stores.hermes.links import Ties, chains, links
from explorer.stores.hermes.sessions.survey import (
    FLAGS,
    NEWEST,
    TIES,
    latest,
    make_ties,
    newest_time,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.parameters import batches, placeholders
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import numbered_rows

GENERATIONS = 100


class Family(NamedTuple):
    """Some sessions, their ancestors and the continuations of all these."""

    ties: dict[int, Ties]
    flagged: dict[str, set[int]]
    """Those of which a column of `FLAGS` says yes."""
    empty: set[int]


def local_catalog(family: Family, markers: bool) -> Catalog:
    ties = family.ties
    found = links(ties.values(), markers)
    return Catalog(
        keys=list(ties),
        active=[row.last_active for row in ties.values()],
        sources=[row.source for row in ties.values()],
        links=found,
        chains=chains(found, ties),
        empty=frozenset(family.empty),
        archived=family.flagged["archived"],
        pinned=family.flagged["pinned"],
        hidden=family.flagged["hidden"],
    )


def family_of(reader: Reader, keys: Iterable[int]) -> Family:
    family = Family({}, {column: set() for column in FLAGS}, set())
    names = (*TIES, *FLAGS, "last_activity_at")
    columns = f"{reader.schema.pick('sessions', 's', names)}, {NEWEST}"
    wanted = keys
    for _ in range(GENERATIONS):
        fresh = numbered_rows(reader, columns, "sessions", wanted)
        for key, *row, noted, greatest in fresh:
            active = latest(newest_time(reader, key, greatest), noted) or 0.0
            family.ties[key] = make_ties((key, *row[: len(TIES)]), {key: active})
            for column, cell in zip(FLAGS, row[len(TIES) :], strict=True):
                if cells.flag(cell, default=False):
                    family.flagged[column].add(key)
            if greatest is None:
                family.empty.add(key)
        wanted = [key for key in _relatives(reader, fresh) if key not in family.ties]
        if not wanted:
            break
    return family


def _relatives(reader: Reader, rows: Sequence[Sequence[object]]) -> set[int]:
    """Parents of rows of (rowid, *TIES, …), and the children of those that were compressed."""
    parents = {row[2] for row in rows if row[2] is not None}
    compressed = {row[1] for row in rows if row[7] == "compression"}
    found: set[int] = set()
    for column, ids in (("id", parents), ("parent_session_id", compressed)):
        for batch in batches(ids):
            sql = f"SELECT rowid FROM sessions WHERE {column} IN ({placeholders(batch)})"
            found.update(reader.column(sql, batch))
    return found

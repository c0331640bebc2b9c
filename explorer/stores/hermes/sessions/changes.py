"""What has happened since the catalog was read: sessions that are new or were written to.

Ids only grow, so looking above the highest known ones is enough, at a cost that does not depend on
how many sessions there are. What leaves no higher id (a title, an end, an archive flag, a delete,
activity between two messages) is not seen here; the visible rows are read again for that, and now
and then all of them. A catalog of a family (some sessions and all that they are linked to) is exact
about its members.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from explorer.stores.base import Changes
from explorer.stores.catalog import Catalog, Mark
from explorer.stores.hermes.links import Ties, chains, links
from explorer.stores.hermes.sessions.survey import (
    FLAGS,
    NEWEST,
    TIES,
    latest,
    make_ties,
    mark_of,
    newest_time,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.sqlite.slices import numbered_rows

MOST = 2000
"""Beyond so many changed sessions a whole survey is no slower."""


def changes(reader: Reader, since: Mark) -> Changes | None:
    """What changed; None where only a whole survey can tell."""
    now = mark_of(reader)
    if now.message < since.message or now.session < since.session:
        return None
    if now == since:
        return Changes(now, frozenset(), None)
    touched = reader.column(
        "SELECT s.rowid FROM sessions s WHERE s.id IN"
        " (SELECT m.session_id FROM messages m NOT INDEXED WHERE m.id > ?)"
        " UNION SELECT s.rowid FROM sessions s WHERE s.rowid > ? LIMIT ?",
        (since.message, since.session, MOST + 1),
    )
    if len(touched) > MOST:
        return None
    family = family_of(reader, touched)
    markers = reader.schema.has("sessions", "archived")
    return Changes(now, frozenset(touched), local_catalog(family, markers))


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

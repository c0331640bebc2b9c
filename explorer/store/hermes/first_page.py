"""The first page of a list, in a few milliseconds at any size.

The exact order by last activity needs a probe for every session; a person waits for fifty rows.
So candidates come from three index walks (the newest messages, the newest sessions of each
source that is not noise, the newest roots), and only they are probed, linked and read. The
catalog puts right in the background what this can miss: an old session taken up again of late.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from explorer.model import Session, Sort
from explorer.store import cells
from explorer.store.catalog import NOISE, Catalog
from explorer.store.hermes.links import Ties, chains, links
from explorer.store.hermes.rows import sessions
from explorer.store.hermes.survey import TIES, batches, make_ties, newest_time
from explorer.store.read_only import Reader

NEWEST_MESSAGES = 400
MARGIN = 14
"""Candidates beyond the page, for those that turn out to be hidden."""
GREATER = 12
WIDEST = 500
"""How far the net is cast, in pages, before the page is left short: the catalog will fill it."""
GENERATIONS = 100


def first_page(reader: Reader, limit: int, now: float, sort: Sort) -> list[Session]:
    """About the newest `limit` rows of a list, noise left out. Order: last activity or start."""
    markers = reader.schema.has("sessions", "archived")
    reach = limit + MARGIN
    while True:
        found = _candidates(reader, reach, sort)
        take = reach
        while True:
            family = _family(reader, found[:take])
            catalog = _local_catalog(family, markers)
            listed, _ = catalog.select()
            if len(listed) >= limit or take >= len(found):
                break
            take *= 2
        if len(listed) >= limit or len(found) < reach or reach > limit * WIDEST:
            break
        reach *= GREATER
    order = catalog.by_last_active(listed)
    if sort is Sort.STARTED:
        starts = {key: family.ties[catalog.chain(key)[0]].started_at or 0.0 for key in order}
        order.sort(key=starts.__getitem__, reverse=True)
    return sessions(reader, [catalog.folded(key) for key in order[:limit]], now)


def _candidates(reader: Reader, reach: int, sort: Sort) -> list[int]:
    """Keys worth a closer look, the most promising first."""
    found = set(_newest_roots(reader, reach))
    for source in _sources(reader):
        if source not in NOISE:
            found.update(_newest_of(reader, source, reach))
    found.update(_lately_written(reader))
    if sort is Sort.STARTED:
        return sorted(found, reverse=True)
    newest: list[tuple[object, int]] = []
    for batch in batches(found):
        places = ",".join("?" * len(batch))
        newest += reader.rows(
            "SELECT coalesce((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id),"
            f" s.started_at), s.rowid FROM sessions s WHERE s.rowid IN ({places})",
            batch,
        )
    return [key for _, key in sorted(newest, key=_newest_first)]


def _newest_first(row: tuple[object, int]) -> tuple[float, int]:
    return -(cells.seconds(row[0]) or 0.0), -row[1]


def _sources(reader: Reader) -> list[object]:
    """Every source there is: a leap through the index on it, not a scan."""
    return reader.column(
        "WITH RECURSIVE leap(source) AS (SELECT min(source) FROM sessions UNION ALL"
        " SELECT (SELECT min(s.source) FROM sessions s WHERE s.source > leap.source)"
        " FROM leap WHERE leap.source IS NOT NULL)"
        " SELECT source FROM leap WHERE source IS NOT NULL"
    )


def _newest_of(reader: Reader, source: object, reach: int) -> list[int]:
    return reader.column(
        "SELECT rowid FROM sessions WHERE source = ? ORDER BY rowid DESC LIMIT ?", (source, reach)
    )


def _newest_roots(reader: Reader, reach: int) -> list[int]:
    return reader.column(
        "SELECT rowid FROM sessions WHERE parent_session_id IS NULL ORDER BY rowid DESC LIMIT ?",
        (reach,),
    )


def _lately_written(reader: Reader) -> list[int]:
    return reader.column(
        "SELECT s.rowid FROM sessions s WHERE s.id IN (SELECT DISTINCT session_id FROM"
        " (SELECT session_id FROM messages ORDER BY id DESC LIMIT ?))",
        (NEWEST_MESSAGES,),
    )


class _Family(NamedTuple):
    """The candidates, their ancestors and the continuations of all these."""

    ties: dict[int, Ties]
    archived: set[int]
    empty: set[int]


def _local_catalog(family: _Family, markers: bool) -> Catalog:
    ties = family.ties
    found = links(ties.values(), markers)
    return Catalog(
        keys=list(ties),
        active=[row.last_active for row in ties.values()],
        sources=[row.source for row in ties.values()],
        links=found,
        chains=chains(found, ties),
        archived=family.archived,
        empty=frozenset(family.empty),
    )


def _family(reader: Reader, keys: Iterable[int]) -> _Family:
    family = _Family({}, set(), set())
    archive = reader.schema.pick("sessions", "s", ("archived",))
    select = (
        f"SELECT {archive}, (SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id),"
        f" s.rowid, {reader.schema.pick('sessions', 's', TIES)} FROM sessions s"
    )
    wanted: Sequence[int] = list(keys)
    for _ in range(GENERATIONS):
        fresh = []
        for batch in batches(wanted):
            places = ",".join("?" * len(batch))
            fresh += reader.rows(f"{select} WHERE s.rowid IN ({places})", batch)
        for out, greatest, *row in fresh:
            key = row[0]
            newest = newest_time(reader, key, greatest) or 0.0
            family.ties[key] = make_ties(tuple(row), {key: newest})
            if cells.flag(out, default=False):
                family.archived.add(key)
            if greatest is None:
                family.empty.add(key)
        wanted = [key for key in _relatives(reader, fresh) if key not in family.ties]
        if not wanted:
            break
    return family


def _relatives(reader: Reader, rows: Sequence[Sequence[object]]) -> set[int]:
    """Parents of these rows, and the children of those that were compressed."""
    parents = {row[4] for row in rows if row[4] is not None}
    compressed = [row[3] for row in rows if row[9] == "compression"]
    found: set[int] = set()
    for column, ids in (("id", list(parents)), ("parent_session_id", compressed)):
        for start in range(0, len(ids), 500):
            batch = ids[start : start + 500]
            places = ",".join("?" * len(batch))
            sql = f"SELECT rowid FROM sessions WHERE {column} IN ({places})"
            found.update(reader.column(sql, batch))
    return found

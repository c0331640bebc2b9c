"""The first page of a list, in a few milliseconds at any size, and what has happened since.

The exact order by last activity needs a probe for every session; a person waits for fifty rows.
So candidates come from a few index walks (the newest messages, the newest sessions of each source
that is not noise, the newest roots, where there is an index on it the latest activity), and only
they are probed, linked and read. The catalog puts right in the background what this can miss: an
old session taken up again of late. A catalog of a family (some sessions and all that they are
linked to) is exact about its members.

Ids only grow, so for what has changed it is enough to look above the highest known ones, at a cost
that does not depend on how many sessions there are. What leaves no higher id (a title, an end, an
archive flag, a delete, activity between two messages) is not seen here; the visible rows are read
again for that, and now and then all of them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from explorer.model import Session, Sort
from explorer.stores.base import Changes
from explorer.stores.catalog import NOISE, Catalog, Mark
from explorer.stores.hermes.sessions.columns import keys_of
from explorer.stores.hermes.sessions.rows import sessions
from explorer.stores.hermes.sessions.survey import (
    FLAGS,
    NEWEST,
    TIES,
    Ties,
    chains,
    latest,
    links,
    make_ties,
    mark_of,
    newest_time,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.sqlite.slices import numbered_rows

MOST = 2000
"""With more changed sessions, a whole survey is as fast."""


def changes(reader: Reader, since: object) -> Changes | None:
    """What changed; None where only a whole survey can tell."""
    now = mark_of(reader)
    if not isinstance(since, Mark) or now.message < since.message or now.session < since.session:
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
    return Changes(now, frozenset(touched), family_of(reader, touched)[1])


GENERATIONS = 100


def family_of(reader: Reader, keys: Iterable[int]) -> tuple[dict[int, Ties], Catalog]:
    """Some sessions, their ancestors and the continuations of all these."""
    ties: dict[int, Ties] = {}
    flagged: dict[str, set[int]] = {column: set() for column in FLAGS}
    empty: set[int] = set()
    names = (*TIES, *FLAGS, "last_activity_at")
    columns = f"{reader.schema.pick('sessions', 's', names)}, {NEWEST}"
    wanted = keys
    for _ in range(GENERATIONS):
        fresh = numbered_rows(reader, columns, "sessions", wanted)
        for key, *row, noted, greatest in fresh:
            active = latest(newest_time(reader, key, greatest), noted) or 0.0
            ties[key] = make_ties((key, *row[: len(TIES)]), {key: active})
            for column, cell in zip(FLAGS, row[len(TIES) :], strict=True):
                if cells.flag(cell, default=False):
                    flagged[column].add(key)
            if greatest is None:
                empty.add(key)
        wanted = [key for key in _relatives(reader, fresh) if key not in ties]
        if not wanted:
            break
    found = links(ties.values(), markers=reader.schema.has("sessions", "archived"))
    return ties, Catalog(
        keys=list(ties),
        active=[row.last_active for row in ties.values()],
        sources=[row.source for row in ties.values()],
        links=found,
        chains=chains(found, ties),
        empty=frozenset(empty),
        archived=flagged["archived"],
        pinned=flagged["pinned"],
        hidden=flagged["hidden"],
    )


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


NEWEST_MESSAGES = 400
MARGIN = 14
"""Candidates beyond the page, for those that turn out to be hidden."""
MOST_CHILDREN = 500
"""Children looked at for the page; the catalog counts all."""
GREATER = 12
SHORT_WALK = 20_000
"""Sessions that are gone through in a few milliseconds."""
MOST_PINS = 100
_NEWEST_ROWS = "ORDER BY rowid DESC LIMIT ?"
WIDEST = 500
"""How far the net is cast, in pages, before the page is left short: the catalog will fill it."""


def first_page(reader: Reader, limit: int, now: float, sort: Sort) -> list[Session]:
    """About the newest `limit` rows of a list, noise left out. Order: last activity or start."""
    reach = limit + MARGIN
    while True:
        found = _candidates(reader, reach, sort)
        take = reach
        while True:
            ties, catalog = family_of(reader, found[:take])
            listed, _ = catalog.select()
            if len(listed) >= limit or take >= len(found):
                break
            take *= 2
        if len(listed) >= limit or len(found) < reach or reach > limit * WIDEST:
            break
        reach *= GREATER
    order: Sequence[int] = catalog.by_last_active(listed)
    if sort is Sort.STARTED:
        starts = {key: ties[catalog.chain(key)[0]].started_at or 0.0 for key in order}
        order = sorted(order, key=starts.__getitem__, reverse=True)
    return _with_subagents(reader, ties, catalog, order[:limit], now)


def pinned(reader: Reader, noted: Collection[str], now: float) -> list[Session]:
    """The conversations that are pinned, the newest first: those that our notes name, and those
    that the agent pinned, as far as a walk through the sessions is short."""
    keys = {*keys_of(reader, sorted(noted)).values(), *_own_pins(reader)}
    if not keys:
        return []
    ties, catalog = family_of(reader, keys)
    rows = catalog.by_last_active(catalog.tips(frozenset(keys)))
    return _with_subagents(reader, ties, catalog, rows, now)


def _with_subagents(
    reader: Reader, ties: Mapping[int, Ties], catalog: Catalog, page: Sequence[int], now: float
) -> list[Session]:
    """The rows of a page; each says how many subagents it had."""
    helpers = _children(reader, [part for key in page for part in catalog.chain(key)])
    if not helpers <= ties.keys():
        _, catalog = family_of(reader, {*ties, *helpers})
    return sessions(reader, [catalog.folded(key) for key in page], now)


def _own_pins(reader: Reader) -> list[int]:
    """No index has them, and rows that hold prompts are long."""
    schema = reader.schema
    if not schema.has("sessions", "pinned") or not schema.has("system_prompts"):
        return []
    if (reader.value("SELECT max(rowid) FROM sessions") or 0) > SHORT_WALK:
        return []
    sql = 'SELECT s.rowid FROM sessions s WHERE s."pinned" = 1 LIMIT ?'
    return reader.column(sql, (MOST_PINS,))


def _children(reader: Reader, keys: list[int]) -> set[int]:
    """Whoever these sessions called up: a row says how many subagents it had."""
    found: set[int] = set()
    for batch in batches(keys):
        places = placeholders(batch)
        found.update(
            reader.column(
                "SELECT c.rowid FROM sessions c WHERE c.parent_session_id IN"
                f" (SELECT s.id FROM sessions s WHERE s.rowid IN ({places})) LIMIT {MOST_CHILDREN}",
                batch,
            )
        )
    return found


def _candidates(reader: Reader, reach: int, sort: Sort) -> list[int]:
    """Keys worth a closer look, the most promising first."""
    found = _newest_met(reader, reach)
    if sort is Sort.STARTED:
        return sorted(found, reverse=True)
    active = _times(reader, found)
    return sorted(active, key=lambda key: (active[key], key), reverse=True)


def candidate_times(
    reader: Reader, reach: int, sources: Collection[str] = ()
) -> Mapping[int, float]:
    """When the sessions that may be among the newest were last active, those of some sources or of
    all that are not noise."""
    found = _newest_of(reader, reach, sources) if sources else _newest_met(reader, reach)
    return _times(reader, found)


def _newest_met(reader: Reader, reach: int) -> set[int]:
    """The newest sessions, and those of the newest messages."""
    roots = f"SELECT rowid FROM sessions WHERE parent_session_id IS NULL {_NEWEST_ROWS}"
    found = set(reader.column(roots, (reach,)))
    found |= _newest_of(reader, reach, (one for one in _sources(reader) if one not in NOISE))
    found.update(
        reader.column(
            "SELECT s.rowid FROM sessions s WHERE s.id IN (SELECT DISTINCT session_id FROM"
            " (SELECT session_id FROM messages ORDER BY id DESC LIMIT ?))",
            (NEWEST_MESSAGES,),
        )
    )
    found.update(_lately_active(reader, reach))
    return found


def _newest_of(reader: Reader, reach: int, sources: Iterable[object]) -> set[int]:
    """The newest sessions of each of these sources."""
    of_source = f"SELECT rowid FROM sessions WHERE source = ? {_NEWEST_ROWS}"
    return {key for source in sources for key in reader.column(of_source, (source, reach))}


def _times(reader: Reader, keys: Iterable[int]) -> dict[int, float]:
    noted = reader.schema.pick("sessions", "s", ("last_activity_at",))
    columns = f"coalesce({NEWEST}, s.started_at), {noted}"
    rows = numbered_rows(reader, columns, "sessions", keys)
    return {key: latest(cells.seconds(time), noted) or 0.0 for key, time, noted in rows}


def _sources(reader: Reader) -> list[object]:
    """Every source there is: a leap through the index on it, not a scan."""
    return reader.column(
        "WITH RECURSIVE leap(source) AS (SELECT min(source) FROM sessions UNION ALL"
        " SELECT (SELECT min(s.source) FROM sessions s WHERE s.source > leap.source)"
        " FROM leap WHERE leap.source IS NOT NULL)"
        " SELECT source FROM leap WHERE source IS NOT NULL"
    )


def _lately_active(reader: Reader, reach: int) -> list[int]:
    """Sessions that were at work of late, also without a message, where an index tells."""
    hint = reader.schema.indexed_by("idx_sessions_effective_activity")
    if not hint or not reader.schema.has("sessions", "last_activity_at"):
        return []
    return reader.column(
        f"SELECT rowid FROM sessions {hint}"
        " WHERE COALESCE(last_activity_at, started_at) < ?"
        " ORDER BY COALESCE(last_activity_at, started_at) DESC LIMIT ?",
        (cells.SANE_UNTIL, reach),
    )

"""All sessions of a server at a glance, the newest of them, and those that were written to."""

from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from explorer.model import Kind, Sort
from explorer.stores.catalog import Catalog, Link, Unit
from explorer.stores.numbered_catalog import NumberedCatalog, SubagentLinks
from explorer.stores.power_loop.server.estimates import late_time
from explorer.stores.power_loop.server.flavour import streamed
from explorer.stores.power_loop.server.tables import ServerTables
from explorer.stores.power_loop.sessions import subagents_of
from explorer.stores.power_loop.tables import AGENT
from explorer.stores.small_store import SessionRow
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.table_reader import TableReader

MOST = 2000
"""With more changed sessions, a whole survey is as fast."""
SKEW = 30_000
"""Milliseconds by which the clocks of two hosts that write may differ."""
MARGIN = 4
"""How many times its rows a first page sorts, as some may be empty: to sort all sessions a second
time would take as long as everything else."""
ARCHIVED, SAID = 1, 2
"""Flags of a row."""


class ServerMark(NamedTuple):
    """How far the tables had got."""

    newest: int
    """When a session was last written, as the server has it."""
    sessions: int
    numbered: int
    """Ids that had a number: those after it are of new sessions."""


def _select(reader: TableReader, tables: ServerTables) -> str:
    """(id, last activity, start, parent of a subagent, flags) of sessions."""
    first = f"(SELECT m.seq FROM {tables.messages} m WHERE m.session_id = s.session_id LIMIT 1)"
    said, state = f"{first} IS NOT NULL", ""
    if tables.has(reader.schema, "session_state", "session_id", "next_seq"):
        # Only where it says that there is no message, the messages are asked.
        said = f"CASE WHEN t.next_seq > 1 THEN true ELSE {said} END"
        state = f" LEFT JOIN {tables.sql('session_state')} t ON t.session_id = s.session_id"
    has = tables.has(reader.schema, "sessions", "status")
    archived = f"CASE WHEN s.status = 'archived' THEN {ARCHIVED} ELSE 0 END" if has else "0"
    parent = "NULL"
    if tables.has(reader.schema, "sessions", "parent_session_id"):
        parent = "CASE WHEN s.kind = 'subagent' THEN coalesce(s.parent_session_id, '') END"
    return (
        f"SELECT s.session_id, {tables.active}, s.created_at, {parent},"
        f" {archived} + CASE WHEN {said} THEN {SAID} ELSE 0 END FROM {tables.sessions} s{state}"
    )


def catalog(reader: TableReader, tables: ServerTables) -> Catalog:
    """Every session, by one streamed query, in arrays: rows as objects would take three times the
    memory. What is known of its last activity is what its own row says (`ServerTables.active`)."""
    keys, active = array("q"), array("d")
    links = _ServerLinks(tables)
    archived: list[int] = []
    empty: list[int] = []
    newest = 0
    for id_, written, created, parent, flags in streamed(reader, _select(reader, tables)):
        key = tables.key(id_)
        keys.append(key)
        active.append(_time(written, created) or 0.0)
        newest = max(newest, cells.integer(written) or 0)
        if parent is not None:
            links.add(key, parent)
        if flags & ARCHIVED:
            archived.append(key)
        if not flags & SAID:
            empty.append(key)
    return NumberedCatalog(
        keys=keys,
        active=active,
        sources=[AGENT] * len(keys),
        links=links.found(keys),
        chains=(),
        archived=archived,
        empty=frozenset(empty),
        mark=ServerMark(newest, len(keys), len(tables.ids)),
    )


class _ServerLinks:
    """The parents of subagents, as they are read: most come after their parent, and need not keep
    its id."""

    def __init__(self, tables: ServerTables) -> None:
        self._tables = tables
        self._children, self._parents = array("q"), array("q")
        self._late: dict[int, str] = {}
        """The ids of the parents that were not read yet, by where they belong."""

    def add(self, key: int, parent: str) -> None:
        number = self._tables.ids.known(parent)
        if not number:
            self._late[len(self._children)] = parent
        self._children.append(key)
        self._parents.append(number)

    def found(self, there: Collection[int]) -> SubagentLinks:
        """The links, where `there` are the keys of all sessions."""
        ids = self._tables.ids
        for at, number in zip(self._late, ids.numbers(self._late.values()), strict=True):
            self._parents[at] = number
        # Numbers have no gaps: a set of all keys would take ten times the memory.
        known = bytearray(len(ids) + 1)
        for key in there if self._children else ():
            known[key] = 1
        both = zip(self._children, self._parents, strict=True)
        children = (
            (key, parent if parent != key and known[parent] else None) for key, parent in both
        )
        return SubagentLinks.of(children, len(ids))


def _time(written: object, created: object) -> float | None:
    return cells.seconds(written) or cells.seconds(created)


class WrittenSessions(NamedTuple):
    """Sessions that were written to, and how far the tables have got."""

    mark: ServerMark
    rows: Sequence[SessionRow]


def touched(reader: TableReader, tables: ServerTables, since: object) -> WrittenSessions | None:
    """The sessions that are new or were written to; None where only a whole survey can tell, as
    where some are gone."""
    if not isinstance(since, ServerMark):
        return None
    newest, sessions = reader.row(f"SELECT max({tables.active}), count(*) FROM {tables.sessions} s")
    select = f"{_select(reader, tables)} WHERE {tables.active} >= ?"
    found = reader.rows(
        f"{select} ORDER BY {tables.active} DESC LIMIT {MOST + 1}", (since.newest - SKEW,)
    )
    keys = tables.ids.numbers(row[0] for row in found)
    new = sum(key > since.numbered for key in keys)
    if len(found) > MOST or since.sessions + new != sessions:
        return None
    rows = list(_rows(reader, tables, zip(keys, found, strict=True)))
    # Ids of parents that are gone have numbers too, and are not new when they come back.
    mark = ServerMark(cells.integer(newest) or 0, sessions, len(tables.ids))
    return WrittenSessions(mark, rows)


def _rows(
    reader: TableReader, tables: ServerTables, found: Iterable[tuple[int, Sequence[object]]]
) -> Iterator[SessionRow]:
    rows = list(found)
    above = {cells.words(row[3]) for _, row in rows if row[3] is not None}
    parents = keys_of(reader, tables, above)
    for key, (id_, written, created, parent, flags) in rows:
        time, known = _time(written, created), parents.get(cells.words(parent))
        yield SessionRow(
            key=key,
            id=cells.words(id_),
            started_at=time,
            newest=time or 0.0 if cells.amount(flags) & SAID else None,
            parent_id=cells.text(parent) or None,
            link=Link(Kind.SUBAGENT, known if known != key else None)
            if parent is not None
            else None,
            archived=bool(cells.amount(flags) & ARCHIVED),
        )


def keys_of(reader: TableReader, tables: ServerTables, ids: Iterable[str]) -> dict[str, int]:
    """The keys of the sessions with these ids that are there."""
    select = f"SELECT s.session_id FROM {tables.sessions} s WHERE s.session_id IN"
    there = [
        id_
        for batch in batches(ids)
        for id_ in reader.column(f"{select} ({placeholders(batch)})", batch)
    ]
    return dict(zip(there, tables.ids.numbers(there), strict=True))


def newest(reader: TableReader, tables: ServerTables, limit: int, sort: Sort) -> list[Unit]:
    """The first rows of a list, as the server sorts them; with as few questions as can be."""
    by = tables.active if sort is Sort.ACTIVE else "s.created_at"
    rows, said = _first_rows(reader, tables, limit, by)
    # In turn from the oldest: of two that were written at once, the one with the higher key is
    # listed first.
    found = [row for row in reversed(rows) if row[0] in said]
    keys = tables.ids.numbers(row[0] for row in found)
    order = sorted(zip((row[1] or 0 for row in found), keys, strict=True), reverse=True)
    chosen = [(key, cells.words(tables.handle(key))) for _, key in order[:limit]]
    helpers = subagents_of(reader, tables, [id_ for _, id_ in chosen])
    return [Unit(key, (key,), Kind.ROOT, subagents=helpers.get(id_, 0)) for key, id_ in chosen]


def _first_rows(
    reader: TableReader, tables: ServerTables, limit: int, by: str
) -> tuple[list[Any], set[str]]:
    """((id, time) of the newest sessions, those of them in which something was said)."""
    listed = "s.kind IS DISTINCT FROM 'subagent'"
    if tables.has(reader.schema, "sessions", "status"):
        listed += " AND s.status IS DISTINCT FROM 'archived'"
    most = limit * MARGIN
    late = late_time(reader, tables, by.removeprefix("s."), most * MARGIN)
    while True:
        # First the time, which decides alone about most rows.
        since = f"{by} >= {late} AND " if late is not None else ""
        rows = reader.rows(
            f"SELECT s.session_id, {by} FROM {tables.sessions} s WHERE {since}{listed}"
            f" ORDER BY {by} DESC LIMIT {most}"
        )
        said = _with_messages(reader, tables, [row[0] for row in rows])
        if len(said) >= limit or (len(rows) < most and late is None):
            return rows, said
        if len(rows) < most:
            late = None
        else:
            most *= MARGIN


def _with_messages(reader: TableReader, tables: ServerTables, ids: Sequence[str]) -> set[str]:
    """Those of these sessions in which something was said."""
    first = f"(SELECT m.seq FROM {tables.messages} m WHERE m.session_id = s.session_id LIMIT 1)"
    return {
        id_
        for batch in batches(ids)
        for id_ in reader.column(
            f"SELECT s.session_id FROM {tables.sessions} s"
            f" WHERE s.session_id IN ({placeholders(batch)}) AND {first} IS NOT NULL",
            batch,
        )
    }

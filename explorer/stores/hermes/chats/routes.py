"""The chats of one state file: their routes, and the sessions that belong to them.

Routes are in the table `gateway_routing`, one for each chat and folder of a gateway; and in
`sessions.json`, which counts for the chats that the table lacks. Sessions carry the key of their
chat where the schema has a column for it; of earlier ones only the current session of a chat is
known.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.stores.chat_origin import Origin
from explorer.stores.chats import NO_RESET, ChatSession, KnownFrom, Route, Routes
from explorer.stores.hermes.chats.chat_outlook import ChatOutlook
from explorer.stores.hermes.noted_origins import noted_origins
from explorer.stores.hermes.origins import COLUMNS, of_entry, of_row
from explorer.stores.hermes.routes_file import ROUTES, Entry, folder_of, read_routes_file
from explorer.stores.hermes.sessions.rows import known_cost, owner
from explorer.stores.hermes.sessions.survey import NEWEST, latest, newest_time
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.sqlite.slices import walk

MOST_ROUTES = 100_000
"""Rows that are read; a gateway has as many as there are chats."""
LONGEST_ENTRY = 1 << 20
"""Bytes of an entry; a real one has a thousandth of it."""

_TABLE = "gateway_routing"
_SESSION = (
    *COLUMNS,
    *("id", "title", "started_at", "end_reason", "parent_session_id", "profile_name"),
    *("input_tokens", "output_tokens", "last_activity_at"),
    *("actual_cost_usd", "estimated_cost_usd", "cost_status"),
)


class ChatFile(NamedTuple):
    """The state file whose chats are read."""

    path: Path
    profile: str | None
    """Who owns what names no other profile; None for a copy that lies elsewhere."""
    home: str
    """As that of a route."""

    def owned(self, key: object, named: object) -> tuple[str, str]:
        """(profile, scope) of a chat. In a copy all chats are the copy's: those of another file
        are not the same ones."""
        profile = owner(key, named) or self.profile or ""
        return profile, profile if self.profile else str(self.path)


def read_routes(reader: Reader, file: ChatFile, now: float) -> Routes:
    """All routes in a state file and beside it."""
    scope = str(folder_of(file.path))
    outlook = ChatOutlook.of(file.path, reader.schema, now) if file.profile else None
    found: dict[str, Route] = {}
    broken = 0
    for key, entry, moved, time in _rows(reader, scope):
        route = _route(key, entry, file, KnownFrom.ROUTING)
        if route is None:
            broken += 1
        elif key not in found or (found[key].moved and not moved):
            known = route.updated_at if route.updated_at is not None else time
            # A gateway elsewhere has settings that are not known here.
            reset = outlook.of_route(entry, route.origin) if outlook and not moved else NO_RESET
            found[key] = route._replace(moved=moved, updated_at=known, reset=reset)
    beside = read_routes_beside(file, found.keys(), outlook)
    return beside._replace(
        routes=(*found.values(), *beside.routes),
        troubles=(*_unnamed(broken, str(file.path)), *beside.troubles),
    )


def read_routes_beside(
    file: ChatFile, known: Collection[str] = (), outlook: ChatOutlook | None = None
) -> Routes:
    """The routes in `sessions.json` of chats that are not `known`. It is there where the state file
    is gone, too."""
    beside = read_routes_file(file.path)
    place = str(folder_of(file.path) / ROUTES)
    if beside.trouble:
        trouble = f"Cannot read {place}: {beside.trouble}."
        return Routes((), (trouble,), frozenset([str(file.path)]))
    found: list[Route] = []
    broken = 0
    for key, entry in beside.entries.items():
        if key in known:
            continue
        route = _route(key, entry, file, KnownFrom.FILE)
        if route is None:
            broken += 1
        else:
            reset = outlook.of_route(entry, route.origin) if outlook else NO_RESET
            found.append(route._replace(reset=reset))
    return Routes(tuple(found), tuple(_unnamed(broken, place)))


def _unnamed(broken: int, place: str) -> Iterator[str]:
    """What is wrong with routes in a file."""
    if broken:
        routes = "1 route" if broken == 1 else f"{broken:,} routes"
        yield f"{routes} in {place} cannot be read: no session is named."


def _rows(reader: Reader, scope: str) -> Iterator[tuple[str, Entry, bool, float | None]]:
    """(key, entry, whether the gateway of another folder wrote it, when) of the table, which may
    have rows for several folders."""
    if not reader.schema.has(_TABLE, "session_key", "entry_json"):
        return
    picked = reader.schema.pick(_TABLE, "r", ("scope", "session_key", "updated_at"))
    rows = reader.rows(
        f"SELECT {picked}, CASE WHEN length(r.entry_json) <= {LONGEST_ENTRY} THEN r.entry_json END"
        f" FROM {_TABLE} r LIMIT {MOST_ROUTES}"
    )
    for place, key, time, entry in rows:
        other = cells.words(place)
        yield (
            cells.words(key),
            cells.mapping(entry, lenient=True),
            bool(other) and other != scope,
            cells.seconds(time),
        )


def _route(key: str, entry: Entry, file: ChatFile, known_from: KnownFrom) -> Route | None:
    """The route of an entry; None where it leads to no session."""
    session_id = entry.get("session_id")
    if not isinstance(session_id, str) or not session_id:
        return None
    origin = of_entry(entry, key)
    noted = entry.get("origin")
    profile, scope = file.owned(key, noted.get("profile") if isinstance(noted, dict) else None)
    return Route(
        key=key,
        session_id=session_id,
        profile=profile,
        scope=scope,
        home=file.home,
        file=str(file.path),
        place="",
        known_from=known_from,
        origin=origin,
        updated_at=cells.seconds(entry.get("updated_at")),
        tokens=_tokens(entry),
        cost_usd=known_cost(None, entry.get("estimated_cost_usd"), entry.get("cost_status")),
        suspended=entry.get("suspended") is True,
        resume_pending=entry.get("resume_pending") is True,
        turn_since=_turn(entry),
    )


def _tokens(entry: Entry) -> int | None:
    """In and out together; None where none were counted, as by gateways that leave it to the
    session."""
    total = cells.amount(entry.get("total_tokens"))
    return (
        total
        or sum(cells.amount(entry.get(f"{way}_tokens")) for way in ("input", "output"))
        or None
    )


def _turn(entry: Entry) -> float | None:
    if not entry.get("active_turn_token"):
        return None
    return cells.seconds(entry.get("active_turn_started_at"))


def read_sessions(reader: Reader, file: ChatFile, ids: Collection[str]) -> list[ChatSession]:
    """Every session that names its chat, and those with these ids."""
    schema, found = reader.schema, dict[int, ChatSession]()
    columns = f"{NEWEST}, {schema.pick('sessions', 's', _SESSION)}"
    rows: list[Sequence[object]] = []
    if schema.has("sessions", "session_key"):
        rows += walk(reader, columns, "sessions", "s.session_key IS NOT NULL")
    for some in batches(sorted(id_ for id_ in ids if _valid(id_))):
        where = f"s.id IN ({placeholders(some)})"
        rows += reader.rows(f"SELECT s.rowid, {columns} FROM sessions s WHERE {where}", some)
    noted = noted_origins(file.path)
    for key, greatest, *row in rows:
        assert isinstance(key, int), "a row number"
        if key not in found:
            cell = dict(zip(_SESSION, row, strict=True))
            newest = latest(newest_time(reader, key, greatest), cell["last_activity_at"])
            found[key] = _session(key, cell, newest, file, noted)
    return list(found.values())


def _session(
    key: int,
    cell: Mapping[str, object],
    newest: float | None,
    file: ChatFile,
    noted: Mapping[str, Origin],
) -> ChatSession:
    id_, started = cells.words(cell["id"]), cells.seconds(cell["started_at"])
    origin = of_row(*(cell[name] for name in COLUMNS)) or noted.get(id_) or Origin()
    profile, scope = file.owned(cell["session_key"], cell["profile_name"])
    return ChatSession(
        key=key,
        id=id_,
        chat=cells.words(cell["session_key"]),
        profile=profile,
        scope=scope,
        home=file.home,
        file=str(file.path),
        stored_by=file.profile or "",
        place="",
        title=cells.text(cell["title"]) or None,
        origin=origin,
        started_at=started,
        last_active=newest or started,
        end_reason=cells.text(cell["end_reason"]) or None,
        parent_id=cells.text(cell["parent_session_id"]) or None,
        tokens=sum(cells.amount(cell[f"{way}_tokens"]) for way in ("input", "output")) or None,
        cost_usd=known_cost(
            cell["actual_cost_usd"], cell["estimated_cost_usd"], cell["cost_status"]
        ),
    )


def _valid(id_: str) -> bool:
    """Whether it can be an id: half a surrogate is none, and SQLite would not take it."""
    return id_.encode("utf-8", "replace").decode() == id_

"""Chats of an agent's gateway: who talks to the agent, where, and which session is going on there.

A chat is known by a route, which says what its current session is, by the sessions that carry its
key, or by both. Routes and sessions may lie in different files: a gateway that serves several
profiles keeps all routes in one of them. So they are read apart and joined here, within one home of
the agent: a backup beside it has the same chats again.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from explorer.stores.chat_origin import Origin

ENOUGH = 20
"""Sessions of a chat that are asked for what others do not say of it."""
COMPRESSED = "compression"
"""How a session ends whose conversation is continued in another one."""


class KnownFrom(StrEnum):
    """What says that there is a chat."""

    ROUTING = "routing"
    FILE = "sessions.json"
    SESSIONS = "sessions"


class ChatReset(NamedTuple):
    """What the gateway will do to a chat by itself."""

    mode: str = "unknown"
    """When it begins a new session: idle, daily, both, none, never, or unknown."""
    at: float | None = None
    """From when on the next message begins one; None where that is not known, or never."""
    reason: str = ""
    words: str = ""
    """In a sentence."""
    brief: str = ""
    """In a few words."""
    forgotten_at: float | None = None
    """From when on it forgets which session belongs to the chat, if nothing is written there."""


NO_RESET = ChatReset()


class Route(NamedTuple):
    """Where the gateway sends the messages of a chat."""

    key: str
    session_id: str
    profile: str
    """The profile that the chat belongs to; empty where its file is of none."""
    scope: str
    """Within which the key means one chat: the profile, or the file where that is of none."""
    home: str
    """The folder of the agent that all its profiles are in; of a copy elsewhere the file itself."""
    file: str
    """The state file that the route was found in or beside."""
    place: str
    """The name of that file among several."""
    known_from: KnownFrom
    origin: Origin
    updated_at: float | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    suspended: bool = False
    resume_pending: bool = False
    turn_since: float | None = None
    """Since when a turn is running, by the word of the gateway."""
    moved: bool = False
    """Written by a gateway in another folder: the one here does not see it."""
    reset: ChatReset = NO_RESET


class ChatSession(NamedTuple):
    """A session of a chat."""

    key: int
    id: str
    chat: str
    """The key of its chat; empty where only a route says that it is one."""
    profile: str
    scope: str
    home: str
    file: str
    stored_by: str
    """The profile whose file it is in; empty for a copy."""
    place: str
    title: str | None
    origin: Origin
    started_at: float | None
    last_active: float | None
    end_reason: str | None
    parent_id: str | None = None
    tokens: int | None = None
    cost_usd: float | None = None


class Routes(NamedTuple):
    """All routes of a store, and why some could not be read."""

    routes: Sequence[Route] = ()
    troubles: tuple[str, ...] = ()
    unread: frozenset[str] = frozenset()
    """State files with routes beside them that cannot be read."""


class RouteTarget(StrEnum):
    """Where the current session of a chat is."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    """In the file of another profile than the chat belongs to."""
    GONE = "gone"
    NONE = "none"
    """No route says which one it is."""


class Chat(NamedTuple):
    """A chat with all that is known of it."""

    key: str
    profile: str
    origin: Origin
    known_from: KnownFrom
    file: str
    place: str
    session_id: str
    """The current session, or else the newest."""
    current: ChatSession | None
    where: RouteTarget
    earlier: tuple[ChatSession, ...]
    """The other sessions of the chat, the newest first."""
    updated_at: float | None
    tokens: int | None = None
    cost_usd: float | None = None
    suspended: bool = False
    resume_pending: bool = False
    turn_since: float | None = None
    moved: bool = False
    unread: bool = False
    """It may have a route, in a file that cannot be read."""
    reset: ChatReset = NO_RESET

    @property
    def words(self) -> str:
        return self.origin.words or self.key

    @property
    def sessions(self) -> tuple[ChatSession, ...]:
        return (*([self.current] if self.current else ()), *self.earlier)


class Chats(NamedTuple):
    """All chats, those written to last first."""

    chats: tuple[Chat, ...] = ()
    troubles: tuple[str, ...] = ()


def joined(
    routes: Iterable[Route],
    sessions: Collection[ChatSession],
    unread: Collection[str] = frozenset(),
) -> tuple[Chat, ...]:
    """The chats of these routes and sessions; the routes of some files are `unread`. A session that
    was continued after compression is a part of the one that continues it, not an earlier one."""
    of_chat: dict[tuple[str, str, str], list[ChatSession]] = {}
    by_id: dict[tuple[str, str], list[ChatSession]] = {}
    for one in sessions:
        by_id.setdefault((one.home, one.id), []).append(one)
        if one.chat:
            of_chat.setdefault((one.home, one.scope, one.chat), []).append(one)
    chats = []
    for route in _best(routes):
        target = _target(route, by_id)
        own = of_chat.pop((route.home, route.scope, route.key), [])
        if target is not None and target.chat == route.key and target.scope != route.scope:
            # A gateway of one profile names it in the sessions, but not in its routes.
            own = [*own, *of_chat.pop((target.home, target.scope, route.key), [])]
            route = route._replace(profile=target.profile or route.profile)
        chats.append(_routed(route, target, own))
    alone = (_unrouted(own) for own in of_chat.values())
    chats += [one._replace(unread=one.file in unread) for one in alone]
    return tuple(sorted(chats, key=lambda one: (-(one.updated_at or 0.0), one.key)))


def _best(routes: Iterable[Route]) -> list[Route]:
    """One route for each chat: the one that the gateway itself would take."""
    found: dict[tuple[str, str, str], Route] = {}
    for route in routes:
        chat = route.home, route.scope, route.key
        other = found.get(chat)
        if other is None or _weight(route) > _weight(other):
            found[chat] = route
    return list(found.values())


def _weight(route: Route) -> tuple[bool, bool, float]:
    return not route.moved, route.known_from is KnownFrom.ROUTING, route.updated_at or 0.0


def _target(
    route: Route, by_id: Mapping[tuple[str, str], Sequence[ChatSession]]
) -> ChatSession | None:
    """The session that a route leads to: in the file of the chat's own profile, else in the file
    that has the route, else wherever it is in this home."""

    def weight(one: ChatSession) -> tuple[bool, bool, bool]:
        own = one.stored_by == one.profile == route.profile
        return own, one.file == route.file, bool(one.chat)

    return max(by_id.get((route.home, route.session_id), ()), key=weight, default=None)


def _routed(route: Route, current: ChatSession | None, own: Sequence[ChatSession]) -> Chat:
    where = RouteTarget.GONE
    if current is not None:
        same = current.file == route.file or current.stored_by == route.profile
        where = RouteTarget.HERE if same else RouteTarget.ELSEWHERE
    origin = route.origin
    for one in (*([current] if current else ()), *own[:ENOUGH]):
        origin = _completed(origin, one.origin)
    return Chat(
        key=route.key,
        profile=route.profile,
        origin=origin,
        known_from=route.known_from,
        file=route.file,
        place=route.place,
        session_id=route.session_id,
        current=current,
        where=where,
        earlier=_earlier(own, current),
        updated_at=_latest(route.updated_at, current.last_active if current else None),
        tokens=route.tokens or (current.tokens if current else None),
        cost_usd=route.cost_usd or (current.cost_usd if current else None),
        suspended=route.suspended,
        resume_pending=route.resume_pending,
        turn_since=route.turn_since,
        moved=route.moved,
        reset=route.reset,
    )


def _unrouted(own: Sequence[ChatSession]) -> Chat:
    """A chat that only its sessions know."""
    newest = max(own, key=lambda one: one.started_at or 0.0)
    origin = newest.origin
    for one in own[:ENOUGH]:
        origin = _completed(origin, one.origin)
    return Chat(
        key=newest.chat,
        profile=newest.profile,
        origin=origin,
        known_from=KnownFrom.SESSIONS,
        file=newest.file,
        place=newest.place,
        session_id=newest.id,
        current=newest,
        where=RouteTarget.NONE,
        earlier=_earlier(own, newest),
        updated_at=newest.last_active,
        tokens=newest.tokens,
        cost_usd=newest.cost_usd,
    )


def _earlier(own: Sequence[ChatSession], current: ChatSession | None) -> tuple[ChatSession, ...]:
    continued = {(one.file, one.parent_id) for one in own if one.parent_id}
    others = (
        one
        for one in own
        if one is not current
        and not (one.end_reason == COMPRESSED and (one.file, one.id) in continued)
    )
    return tuple(sorted(others, key=lambda one: -(one.last_active or one.started_at or 0.0)))


def _completed(origin: Origin, other: Origin) -> Origin:
    """What one origin lacks, taken from another of the same chat."""
    return Origin(*(own or more for own, more in zip(origin, other, strict=True)))


def _latest(*times: float | None) -> float | None:
    return max((time for time in times if time is not None), default=None)

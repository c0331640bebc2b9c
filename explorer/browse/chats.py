"""Chats without a screen: what is read of them, which are wanted and in which order, and what is
said of each."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Kind, called, whose
from explorer.render.clean import clean_line
from explorer.render.figures import clock, plural, rounded, short_day, when
from explorer.stores.base import Store
from explorer.stores.catalog import Unit
from explorer.stores.chats import Chat, KnownFrom, RouteTarget

MOST_NAMED = 500
"""Sessions without a title whose first words are read."""
LONGEST = 80
"""Characters of a name."""
LONGEST_ID = 20
"""Characters of an id that tells a chat from others; of a longer one the end."""
SOON = 14 * 86400.0
"""Seconds before a chat loses its route within which that is said."""
NEW_SESSION = "Next message starts a new session"
IF_KNOWN = "Next message continues this session, unless Hermes drops its route first"
"""Where the route is so old that Hermes drops it when it next tidies up."""

NO_CHATS = "No chats. They appear here when Hermes' gateway talks to people."
_PIECE = re.compile(r'(?:"[^"]*"|\S)+')
_SPAN = re.compile(r"(\d{1,5})([hdwmy])")
_SECONDS = {"h": 3600.0, "d": 86400.0, "w": 604800.0, "m": 2592000.0, "y": 31536000.0}


Identity = tuple[str, str, str]


class ChatList(NamedTuple):
    """All chats of a store."""

    chats: tuple[Chat, ...] = ()
    names: Mapping[int, str] = {}
    """What sessions without a title are called, by key."""
    troubles: tuple[str, ...] = ()
    labels: Mapping[Identity, str] = {}
    """What chats are called whose words others have too."""
    profiles: Mapping[str, tuple[str, ...]] = {}
    """The names of each of several profiles, by that of lists."""

    def name(self, chat: Chat) -> str:
        """What the current session of a chat is called; empty where nothing is known."""
        current = chat.current
        if current is None:
            return ""
        return clean_line(called(current.title, self.names.get(current.key, "")), LONGEST)

    def words(self, chat: Chat) -> str:
        """What a chat is called among all others."""
        return clean_line(self.labels.get(identity(chat), chat.words), 100)

    def profile_names(self, chat: Chat) -> tuple[str, ...]:
        """The names of the profile that it belongs to, and of that whose file has its route."""
        return chat.profile, *self.profiles.get(chat.place, ())


class ChatSort(StrEnum):
    """The orders that chats can have."""

    UPDATED = "last update"
    NAME = "name"
    PLATFORM = "platform"
    NEXT = "next reset"

    @property
    def next(self) -> "ChatSort":
        """The one after it, in a circle."""
        every = list(ChatSort)
        return every[(every.index(self) + 1) % len(every)]


class ChatWish(NamedTuple):
    """Which chats are wanted."""

    words: tuple[str, ...] = ()
    platforms: frozenset[str] = frozenset()
    profiles: frozenset[str] = frozenset()
    active: float | None = None
    """Within how many seconds they were written to."""

    def takes(self, chat: Chat, listed: ChatList, now: float) -> bool:
        if self.platforms and chat.origin.platform.casefold() not in self.platforms:
            return False
        if self.profiles and self.profiles.isdisjoint(
            map(str.casefold, listed.profile_names(chat))
        ):
            return False
        if self.active is not None and (chat.updated_at or 0.0) < now - self.active:
            return False
        origin = chat.origin
        known = (*origin, origin.words, chat.key, chat.session_id, listed.name(chat))
        text = "\n".join(known).casefold()
        return all(word in text for word in self.words)


def wish_of(typed: str) -> ChatWish:
    """What was typed: words, and `platform:`, `profile:`, `chat:` and `active:7d`; between quotes
    what has spaces."""
    return wish_of_words(_PIECE.findall(typed))


def wish_of_words(pieces: Sequence[str]) -> ChatWish:
    """The same of words that stand apart already."""
    words: list[str] = []
    platforms: set[str] = set()
    profiles: set[str] = set()
    active: float | None = None
    for piece in pieces:
        piece = piece.casefold()
        field, _, value = piece.partition(":")
        value = value.strip('"')
        if field == "platform" and value:
            platforms.update(value.split(","))
        elif field == "profile" and value:
            profiles.update(value.split(","))
        elif field == "active" and (seconds := span_of(value)) is not None:
            active = seconds
        else:
            words.append(value if field == "chat" and value else piece.strip('"'))
    return ChatWish(tuple(words), frozenset(platforms), frozenset(profiles), active)


def span_of(text: str) -> float | None:
    """The seconds in 12h, 7d, 8w, 6m or 1y; None where it is none of these."""
    found = _SPAN.fullmatch(text.strip().casefold())
    return int(found[1]) * _SECONDS[found[2]] if found else None


def read_chats(store: Store, now: float, token: CancelToken | None = None) -> ChatList:
    """All chats, with what their current sessions are called."""
    found = store.chats(now, token)
    current = [chat.current for chat in found.chats if chat.current is not None]
    untitled = [Unit(one.key, (one.key,), Kind.ROOT) for one in current if not one.title]
    rows = store.sessions(untitled[:MOST_NAMED], now, token) if untitled else []
    named = {row.key: row.called for row in rows}
    profiles = {one.name: one.names for one in store.stores()}
    return ChatList(found.chats, named, found.troubles, _labels(found.chats), profiles)


def _labels(chats: Sequence[Chat]) -> dict[Identity, str]:
    by_words: dict[tuple[str, str, str], list[Chat]] = {}
    for one in chats:
        by_words.setdefault((one.words, *_kin(one)), []).append(one)
    return {
        identity(one): label(one, alike)
        for alike in by_words.values()
        if len(alike) > 1
        for one in alike
    }


def unknown_platforms(listed: ChatList, wish: ChatWish) -> tuple[list[str], list[str]]:
    """(those that are wanted and no chat has, those that there are)."""
    known = sorted({one.origin.platform for one in listed.chats if one.origin.platform})
    there = {one.casefold() for one in known}
    return sorted(one for one in wish.platforms if one not in there), known


def chosen(listed: ChatList, wish: ChatWish, sort: ChatSort, now: float) -> list[Chat]:
    """The chats that are wanted, in order."""
    found = [one for one in listed.chats if wish.takes(one, listed, now)]
    if sort is ChatSort.NAME:
        found.sort(key=lambda one: one.words.casefold())
    elif sort is ChatSort.PLATFORM:
        found.sort(key=lambda one: (one.origin.platform.casefold(), one.words.casefold()))
    elif sort is ChatSort.NEXT:
        found.sort(key=lambda one: (one.reset.at is None, one.reset.at or 0.0))
    return found


def state_of_chat(chat: Chat) -> str:
    """One word for scripts."""
    if chat.turn_since is not None:
        return "running"
    if chat.suspended:
        return "suspended"
    return "resume_pending" if chat.resume_pending else "idle"


def flags(chat: Chat, now: float) -> Iterator[str]:
    """What is special about a chat, in words."""
    if chat.turn_since is not None:
        yield f"answering since {clock(chat.turn_since)}"
    if chat.suspended:
        yield "suspended"
    if chat.resume_pending:
        yield "continues after a restart"
    if chat.moved:
        yield "route from another folder"
    elif chat.known_from is KnownFrom.SESSIONS:
        yield "route cannot be read" if chat.unread else "no route"
    elif chat.current is not None and chat.current.file != chat.file and chat.place:
        yield f"route in {clean_line(chat.place, 40)}"
    forgotten = chat.reset.forgotten_at
    if forgotten is not None and now < forgotten < now + SOON:
        yield f"route expires {short_day(forgotten)}"


def session_words(listed: ChatList, chat: Chat) -> str:
    """The current session, or why it cannot be shown."""
    if chat.where is RouteTarget.GONE:
        return f"session {clean_line(chat.session_id, 60)} is gone: deleted, or in another file"
    return listed.name(chat) or clean_line(chat.session_id, 60)


def next_words(chat: Chat, now: float) -> str:
    """What happens to a chat next; empty where that is not known."""
    if chat.where is RouteTarget.GONE or (chat.where is RouteTarget.NONE and not chat.unread):
        return NEW_SESSION
    words, forgotten = chat.reset.words, chat.reset.forgotten_at
    if words and words != NEW_SESSION and forgotten is not None and forgotten <= now:
        return IF_KNOWN
    return words


def facts(chat: Chat, now: float, several: bool) -> list[str]:
    """What else is said of a chat, the most useful first."""
    said = [clean_line(chat.origin.platform, 20)]
    if several:
        said.append(clean_line(profile_words(chat), 60))
    said.append(when(chat.updated_at, now))
    if chat.earlier:
        said.append(plural(len(chat.earlier), "earlier session"))
    if chat.tokens:
        said.append(f"{rounded(chat.tokens)} tokens")
    return [one for one in said if one]


def profile_words(chat: Chat) -> str:
    """Whose chat it is, and whose file has its session where that is another one."""
    current = chat.current
    if current is None or not current.place:
        return chat.profile or chat.place
    return whose(chat.profile, current.stored_by, current.place)


def label(chat: Chat, every: Sequence[Chat]) -> str:
    """What a chat is called, with as much more as tells it from others of the name: the person,
    or an id."""
    alike = [one for one in every if one.words == chat.words and _kin(one) == _kin(chat)]
    if len(alike) < 2:
        return chat.words
    for told in (_person, lambda one: one.origin.chat_id, lambda one: one.origin.user_id):
        if told(chat) and sum(told(one) == told(chat) for one in alike) == 1:
            return f"{chat.words} · {_ending(told(chat))}"
    return f"{chat.words} · {_ending(chat.key)}"


def _kin(chat: Chat) -> tuple[str, str]:
    """What is shown of a chat beside its name."""
    return chat.origin.platform, profile_words(chat)


def _person(chat: Chat) -> str:
    """Who talks there, where the name of the chat does not say it."""
    return "" if chat.origin.chat_type == "dm" else chat.origin.user_name


def _ending(told: str) -> str:
    return told if len(told) <= LONGEST_ID else f"…{told[-LONGEST_ID + 1 :]}"


class ChosenChat:
    """The chat whose sessions are listed: what the search bar says, and which sessions that means.

    Two people may have one name, and a chat one key in two profiles. So what stands in the bar is
    for people to read, and the sessions are those that were joined to this chat. They are joined
    again when a file has changed: a chat goes on while it is looked at."""

    def __init__(self, chat: Chat, label: str, query: str, stamp: object) -> None:
        self.label = label
        """The value of `chat:` that means it."""
        self.query = query
        self._chat = chat
        self._known = stamp, _keys(chat)

    def sessions(self, store: Store, now: float, token: CancelToken) -> frozenset[int]:
        """The keys of its sessions as they are now."""
        stamp = store.chats_stamp()
        if stamp != self._known[0]:
            found = (one for one in store.chats(now, token).chats if same_chat(one, self._chat))
            self._known = stamp, _keys(next(found, self._chat))
        return self._known[1]


def _keys(chat: Chat) -> frozenset[int]:
    return frozenset(one.key for one in chat.sessions)


def identity(chat: Chat) -> Identity:
    return chat.key, chat.profile, chat.file


def same_chat(one: Chat, other: Chat) -> bool:
    return identity(one) == identity(other)


def choose(chat: Chat, every: Sequence[Chat], stamp: object) -> ChosenChat:
    """A chat as it is searched for: by its words, and as much more as tells a reader which of
    several it is. The `stamp` is that of the chats when they were read."""
    words = _typed(chat.words)
    same = [one for one in every if _typed(one.words) == words]
    more = ""
    if any(one.origin.platform != chat.origin.platform for one in same) and chat.origin.platform:
        more += f" platform:{_typed(chat.origin.platform)}"
        same = [one for one in same if one.origin.platform == chat.origin.platform]
    if any(one.profile != chat.profile for one in same) and chat.profile:
        more += f" profile:{_typed(chat.profile)}"
        same = [one for one in same if one.profile == chat.profile]
    named = _typed(label(chat, every)) if len(same) > 1 else words
    return ChosenChat(chat, named, f'chat:"{named}"{more}', stamp)


def _typed(words: str) -> str:
    """Words as they can stand between quotes in the search bar."""
    return clean_line(words.replace('"', "'"), LONGEST)

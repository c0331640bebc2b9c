"""Looking into the chats of a gateway: by the people and names that its routes know, and by the ids
that they lead to. A session may be gone while its chat is still there."""

from pathlib import Path

from explorer.stores.chats import Chat, Chats, RouteTarget, joined
from explorer.stores.hermes.chats.routes import ChatFile, read_routes_beside
from explorer.stores.hermes.store import STATE_FILE
from explorer.whereabouts.sightings import Place, Reason, Sighting
from explorer.whereabouts.wanted import Shown, Wanted


def chats_beside(path: Path) -> Chats:
    """The chats that are known beside a state file that is missing or cannot be read."""
    if path.name != STATE_FILE:
        return Chats()
    found = read_routes_beside(ChatFile(path, None, str(path)))
    return Chats(joined(found.routes, ()), found.troubles)


def in_chat(place: Place, chat: Chat, wanted: Wanted, lost: bool = False) -> Sighting | None:
    """The current session of a chat, where that is meant; one that is gone has no key. With `lost`
    it is not known whether it is gone: its state file cannot be read."""
    origin = chat.origin
    names = (chat.words, origin.chat_name, origin.user_name, origin.topic)
    named = next((name for name in names if wanted.in_title(name)), "")
    ids = (origin.chat_id, origin.user_id, chat.key)
    if not named and not set(wanted.ids_typed).isdisjoint(ids):
        named = chat.words
    if wanted.is_id(chat.session_id):
        where = Shown("id", chat.session_id, ())
    elif named:
        where = wanted.shown("chat", named if named == chat.words else f"{chat.words} ({named})")
    else:
        return None
    current = chat.current
    gone = Reason.LOST if lost else Reason.GONE
    return Sighting(
        place,
        chat.session_id,
        current.title if current else None,
        chat.words,
        current.last_active if current else chat.updated_at,
        origin.platform,
        (gone,) if chat.where is RouteTarget.GONE else (),
        *where,
        key=current.key if current else None,
        names_profile=chat.profile or None,
    )

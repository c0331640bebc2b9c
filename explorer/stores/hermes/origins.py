"""Where a session of the gateway comes from: the columns of its row, what the gateway noted as
JSON, and the key of its chat.

The key is taken apart only for platform and type: ids may hold any sign that a key is divided by.
"""

from collections.abc import Mapping
from functools import lru_cache

from explorer.stores.chat_origin import Origin
from explorer.stores.sqlite import cells

COLUMNS = (
    *("session_key", "source", "user_id", "chat_id", "chat_type", "thread_id"),
    *("display_name", "origin_json"),
)
"""The cells that `of_row` takes."""
LONGEST = 500
"""Characters of a name or an id that anybody can tell apart."""

_TEXT = (str, int)


@lru_cache(maxsize=4096)
def of_row(
    session_key: object,
    source: object,
    user_id: object,
    chat_id: object,
    chat_type: object,
    thread_id: object,
    display_name: object,
    origin_json: object,
) -> Origin | None:
    """The origin of a row of sessions; None for a session that is of no chat. Kept for those of the
    same chat, of which there may be thousands."""
    if session_key is None and chat_id is None and origin_json is None:
        return None
    noted = of_entry({"origin": cells.mapping(origin_json)})
    platform, kind = by_key(cells.words(session_key))
    return Origin(
        platform=noted.platform or platform or _said(source),
        chat_type=noted.chat_type or _said(chat_type) or kind,
        chat_id=noted.chat_id or _said(chat_id),
        chat_name=noted.chat_name or _said(display_name),
        user_id=noted.user_id or _said(user_id),
        user_name=noted.user_name,
        thread_id=noted.thread_id or _said(thread_id),
        topic=noted.topic,
    )


def of_entry(entry: Mapping[str, object], key: str = "") -> Origin:
    """The origin of a route, which is named in its entry, in the entry's own origin, or by its
    key."""
    noted = entry.get("origin")
    origin = noted if isinstance(noted, dict) else {}
    platform, kind = by_key(key)
    return Origin(
        platform=_said(origin.get("platform")) or _said(entry.get("platform")) or platform,
        chat_type=_said(origin.get("chat_type")) or _said(entry.get("chat_type")) or kind,
        chat_id=_said(origin.get("chat_id")),
        chat_name=_said(origin.get("chat_name")) or _said(entry.get("display_name")),
        user_id=_said(origin.get("user_id")),
        user_name=_said(origin.get("user_name")),
        thread_id=_said(origin.get("thread_id")),
        topic=_said(origin.get("chat_topic")),
    )


def chat_text(origin: Origin, key: str) -> str:
    """What a chat can be looked for by, one a line: its words first."""
    named = (origin.words, origin.user_name, origin.chat_name, origin.topic, key)
    return "\n".join(dict.fromkeys(one.replace("\n", " ") for one in named if one))


def by_key(key: str) -> tuple[str, str]:
    """(platform, type of chat) that the key of a chat names."""
    parts = key[:LONGEST].split(":", 4)
    return (parts[2], parts[3]) if len(parts) > 3 and parts[0] == "agent" else ("", "")


def _said(value: object) -> str:
    """A name or an id; anything else says nothing."""
    if isinstance(value, bytes):
        value = cells.words(value)
    if not isinstance(value, _TEXT) or isinstance(value, bool):
        return ""
    return str(value)[:LONGEST].strip() if isinstance(value, str) or abs(value) < 1 << 64 else ""

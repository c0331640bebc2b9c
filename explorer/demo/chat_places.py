"""Where Ada talks to her agent through a messenger."""

from collections.abc import Mapping
from typing import NamedTuple


class ChatPlace(NamedTuple):
    """A chat of the demo."""

    platform: str
    chat_id: str
    chat_type: str = "dm"
    chat_name: str | None = "Ada"
    user_id: str = "ada"
    user_name: str = "Ada"
    thread_id: str | None = None
    topic: str | None = None

    @property
    def key(self) -> str:
        """As the gateway makes it."""
        parts = ("agent", "main", self.platform, self.chat_type, self.chat_id, self.thread_id)
        return ":".join(filter(None, parts))

    @property
    def origin(self) -> dict[str, object]:
        """As the gateway notes it."""
        fields = self._asdict()
        return {**fields, "chat_topic": fields.pop("topic")}


PLACES: Mapping[str, ChatPlace] = {
    "telegram": ChatPlace("telegram", "7001", user_id="7001"),
    "slack": ChatPlace(
        "slack", "C0PARCEL", "channel", "#label-service", "U0ADA", thread_id="1718.9"
    ),
    "discord": ChatPlace("discord", "8101", "group", "Rainy day club", "8100"),
    "email": ChatPlace("email", "ada@example.org", user_id="ada@example.org"),
    "whatsapp": ChatPlace(
        "whatsapp", "120363@g.us", "group", "Bread and other animals", "491700000001"
    ),
}
"""By the source of a session."""


def route(place: ChatPlace, session_id: str, updated: str, tokens: int) -> dict[str, object]:
    """Which session is going on in a chat, as the gateway writes it."""
    return {
        "session_key": place.key,
        "session_id": session_id,
        "created_at": updated,
        "updated_at": updated,
        "display_name": place.chat_name,
        "platform": place.platform,
        "chat_type": place.chat_type,
        "total_tokens": tokens,
        "suspended": False,
        "resume_pending": False,
        "origin": place.origin,
    }

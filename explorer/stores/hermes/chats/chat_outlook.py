"""What Hermes will do to its chats by itself: the rules of its release and the settings of its
home, asked for one route at a time."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from explorer.stores.chat_origin import Origin
from explorer.stores.chats import ChatReset
from explorer.stores.hermes.chats.reset_policy import Era, era_of
from explorer.stores.hermes.chats.reset_rules import RouteClock, Time, forecast
from explorer.stores.hermes.chats.reset_settings import ResetSettings, read_reset_settings
from explorer.stores.hermes.chats.reset_words import reset_column, reset_words
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import Schema

PLUGIN_CLOCK = "srp_last_user_inbound"
"""What the plugin for resets notes in a route."""


class ChatOutlook(NamedTuple):
    """What holds for all chats of a home."""

    settings: ResetSettings
    era: Era
    now: float

    @classmethod
    def of(cls, path: Path, schema: Schema, now: float) -> "ChatOutlook":
        return cls(read_reset_settings(path.resolve().parent), era_of(schema), now)

    def of_route(self, entry: Mapping[str, object], origin: Origin) -> ChatReset:
        noted = entry.get("metadata")
        clock = RouteClock(
            platform=origin.platform,
            chat_type=origin.chat_type,
            updated_at=_time(entry.get("updated_at")),
            suspended=entry.get("suspended") is True,
            resume_pending=entry.get("resume_pending") is True,
            last_resume_marked_at=_time(entry.get("last_resume_marked_at")),
            expiry_finalized=entry.get("expiry_finalized", entry.get("memory_flushed")) is True,
            metadata_inbound=_time(noted.get(PLUGIN_CLOCK)) if isinstance(noted, dict) else None,
        )
        found = forecast(clock, self.settings, self.era)
        return ChatReset(
            mode=found.mode,
            at=found.at,
            reason=found.reason,
            words=reset_words(found, self.now),
            brief=reset_column(found, self.now),
            forgotten_at=found.route_dropped_at,
        )


def _time(value: object) -> Time:
    """A time as an entry has it: local and without a zone, unless it says more."""
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return cells.seconds(value)
        return found if found.tzinfo is None else cells.seconds(value)
    return cells.seconds(value)

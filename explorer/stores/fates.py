"""What an agent is going to do to sessions by itself: delete, archive or end them, and when.

Only the time at the earliest is known: an agent cleans up when it starts, and nobody knows when
that will be. A time that has passed means its next start.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from explorer.stores.columns import renewed

DAY = 86_400.0
HOUR = 3600.0
SOON = 7 * DAY
"""A session that is deleted within this many seconds counts as expiring."""


class Deed(StrEnum):
    """What is done to a session."""

    DELETE = "delete"
    ARCHIVE = "archive"
    END = "end"


class SettingState(StrEnum):
    """How a setting of the agent is."""

    SET = "set"
    NOT_SET = "not set"
    NOT_UNDERSTOOD = "not understood"


class Setting(NamedTuple):
    """A setting of the agent; the value only where it is set and understood."""

    given: SettingState = SettingState.NOT_SET
    value: bool | int | float | None = None


class Fate(NamedTuple):
    """What happens to a session or a conversation next."""

    deed: Deed
    at: float
    """At the agent's next start after this time."""
    certain: bool
    """It will; else it may, since nobody set what the agent's release decides."""
    days: float
    """Without activity, after which it happens."""
    parts: int = 1
    """Of a conversation, how many parts it happens to."""

    def is_due(self, now: float) -> bool:
        """Whether it happens at the very next start."""
        return self.at <= now

    def is_soon(self, now: float) -> bool:
        """Whether it counts as expiring. An archive is no loss, so it does only when due: else all
        that was used lately would."""
        return self.at <= now + (SOON if self.deed is Deed.DELETE else 0.0) and not self.harmless

    @property
    def harmless(self) -> bool:
        """Nothing disappears from the list."""
        return self.deed is Deed.END


class Fates(NamedTuple):
    """What is known of all sessions, or of those that were asked for, by key."""

    deletes: Mapping[int, float] = {}
    """When at the earliest."""
    archives: Mapping[int, float] = {}
    ends: Mapping[int, float] = {}
    """Sessions that were left open."""
    certain: bool = True
    """Of deletes and ends; an archive is always asked for by somebody."""
    retention: float = 0.0
    """Days without activity until a session is deleted."""
    idle: float = 0.0
    """Days without activity until a session is archived."""
    acts: bool = False
    """The agent does something by itself, or may."""
    next_run: float | None = None
    """When at the earliest the agent deletes again; None where it does not."""
    pins: bool = False
    """Pinned sessions are spared, and the file can hold pins."""
    by_start: bool = False
    """A session counts from its start, not from its last activity."""
    unknown: str = ""
    """Why nothing can be told, in words."""
    path: str = ""
    """Where the settings are, or would be."""
    settings: Mapping[str, Setting] = {}

    @property
    def tell_nothing(self) -> bool:
        return not (self.deletes or self.archives or self.ends)

    def of(self, parts: Sequence[int], now: float) -> Fate | None:
        """What happens next to a conversation of these sessions."""
        deleted = [time for part in parts if (time := self.deletes.get(part)) is not None]
        first = min(deleted, default=None)
        found: list[Fate] = []
        if first is not None:
            together = sum(time <= max(first, now) for time in deleted)
            fate = Fate(Deed.DELETE, first, self.certain, self.retention, together)
            if fate.is_due(now):
                # The same start may archive it before, which would not be worth a word.
                return fate
            found.append(fate)
        archived = min((self.archives[part] for part in parts if part in self.archives), default=0)
        if archived:
            found.append(Fate(Deed.ARCHIVE, archived, True, self.idle, len(parts)))
        ended = min((self.ends[part] for part in parts if part in self.ends), default=0)
        if ended:
            found.append(Fate(Deed.END, ended, self.certain, self.retention))
        return min(found, key=lambda fate: fate.at, default=None)

    def renewed(self, newer: "Fates", keys: Collection[int]) -> "Fates":
        """These fates, but of some sessions the newer ones."""
        return newer._replace(
            deletes=renewed(self.deletes, newer.deletes, keys),
            archives=renewed(self.archives, newer.archives, keys),
            ends=renewed(self.ends, newer.ends, keys),
        )


NO_FATES = Fates()
"""Of a store whose agent does nothing by itself."""


def expiring(fates: Fates, chain: Callable[[int], Sequence[int]], now: float) -> dict[int, Fate]:
    """The conversations that are about to disappear from the list, by their tips; `chain` gives
    the parts of each. Only those of which something is known are looked at."""
    found: dict[int, Fate] = {}
    for key in {**fates.deletes, **fates.archives}:
        parts = chain(key)
        if parts[-1] not in found and (fate := fates.of(parts, now)) and fate.is_soon(now):
            found[parts[-1]] = fate
    return found

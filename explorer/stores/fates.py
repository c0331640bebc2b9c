"""What an agent is going to do to sessions by itself: delete, archive or end them, when, and the
words for it.

Only the earliest time is known: an agent cleans up when it starts, whenever that is. A time that
has passed means its next start.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from explorer.render.figures import plural, short_day
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


AGENT = "Hermes"
"""The only agent that does something by itself."""
NOT_SET = "sessions.auto_prune is not set: releases since September 2026 delete, older ones do not"


def fate_words(fates: Fates, fate: Fate, parts: int, now: float) -> str:
    """A sentence on what happens next to a conversation of so many parts."""
    verb = "mark" if fate.deed is Deed.END else fate.deed.value
    verb = f"{verb}s" if fate.certain else f"may {verb}"
    some = f"{fate.parts} of its {parts} parts" if fate.parts < parts else "it"
    object_ = "it as ended" if fate.deed is Deed.END else some
    when = "" if fate.is_due(now) else f" after {short_day(fate.at)}"
    said = f"{AGENT} {verb} {object_} at its next start{when}"
    if fate.deed is Deed.END:
        return f"{said}, and deletes it {_days(fate)} later."
    return f"{said}, unless you pin it." if fates.pins else f"{said}."


def reason_words(fates: Fates, fate: Fate) -> str:
    """Why it happens."""
    said = {
        Deed.DELETE: f"ended sessions are deleted after {_days(fate)} without activity",
        Deed.ARCHIVE: f"sessions are archived after {_days(fate)} without activity",
        Deed.END: f"sessions that never ended are ended after {_days(fate)} without activity",
    }[fate.deed]
    if fates.by_start and fate.deed is Deed.DELETE:
        said = f"ended sessions are deleted {_days(fate)} after their start"
    return said if fate.certain else f"{said}; {NOT_SET}"


def clean_up_rows(
    fates: Fates, parts: Sequence[int], pinned: bool, now: float
) -> tuple[tuple[str, str], ...]:
    """What details say of a conversation: (label, words)."""
    fate = fates.of(parts, now)
    if fate is not None:
        next_ = fate_words(fates, fate, len(parts), now)
        why = reason_words(fates, fate)
        return (("Next", next_), ("Why", f"{why[0].upper()}{why[1:]}."))
    if pinned and fates.pins and fates.next_run is not None:
        return (("Next", f"{AGENT} keeps it: it is pinned."),)
    return ()


def mark_of(fate: Fate) -> str:
    """The sign of it in a list."""
    sign = "◷▣" if fate.deed is Deed.ARCHIVE else "◷"
    return sign if fate.certain else f"{sign}?"


def warning_forms(due: int, soon: int, certain: bool) -> tuple[str, ...]:
    """How many sessions are deleted at the next start, or else within a week: the longest form
    first, for a bar that has little room."""
    number = due or soon
    if not number:
        return ()
    will = "will" if certain else "may"
    sessions = plural(number, "session")
    when = "at its next start" if due else "within 7 days"
    return (
        f"{sessions} {will} be deleted by {AGENT} {when}",
        f"{AGENT} {will} delete {sessions}",
        f"{number:,} expiring" if certain else f"{number:,} may expire",
    )


def _days(fate: Fate) -> str:
    whole = int(fate.days) == fate.days
    return plural(int(fate.days), "day") if whole else f"{fate.days:g} days"

"""What an agent does to sessions by itself: delete, archive or end them, when, and the words for
it.

Only the earliest time is known: an agent cleans up when it starts, whenever that is. A time that
has passed means its next start.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from explorer.errors import sentence
from explorer.render.figures import count, exact, plural, short_day
from explorer.stores.columns import renewed
from explorer.stores.sqlite.failures import short_path

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
    """It will; else it may: the setting is missing, and the agent's release decides."""
    days: float
    """Without activity, after which it happens."""
    parts: int = 1
    """Of a conversation, how many parts it happens to."""

    def is_due(self, now: float) -> bool:
        """Whether it happens at the very next start."""
        return self.at <= now

    def is_soon(self, now: float) -> bool:
        """Whether it counts as expiring. An archived session is not lost, so that counts only when
        due: else every recent session would."""
        return self.at <= now + (SOON if self.deed is Deed.DELETE else 0.0) and not self.harmless

    @property
    def harmless(self) -> bool:
        """Nothing disappears from the list."""
        return self.deed is Deed.END


class Fates(NamedTuple):
    """The fates of all sessions, or of those that were asked for, by key."""

    deletes: Mapping[int, float] = {}
    """When at the earliest."""
    archives: Mapping[int, float] = {}
    ends: Mapping[int, float] = {}
    """Sessions that were left open."""
    certain: bool = True
    """Of deletes and ends; archiving always has to be set."""
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
    """Why nothing is known, in words."""
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
                # The same start may archive it first, which does not matter any more.
                return fate
            found.append(fate)
        archived = min((self.archives[part] for part in parts if part in self.archives), default=0)
        if archived:
            found.append(Fate(Deed.ARCHIVE, archived, True, self.idle, len(parts)))
        ended = min((self.ends[part] for part in parts if part in self.ends), default=0)
        if ended:
            found.append(Fate(Deed.END, ended, self.certain, self.retention))
        return min(found, key=lambda fate: fate.at, default=None)

    def until(self, time: float) -> "Fates":
        """Only those up to a time."""
        kinds = (self.deletes, self.archives, self.ends)
        deletes, archives, ends = (
            {key: at for key, at in times.items() if at <= time} for times in kinds
        )
        return self._replace(deletes=deletes, archives=archives, ends=ends)

    def renewed(self, newer: "Fates", keys: Collection[int]) -> "Fates":
        """These fates, with the newer ones of some sessions."""
        return newer._replace(
            deletes=renewed(self.deletes, newer.deletes, keys),
            archives=renewed(self.archives, newer.archives, keys),
            ends=renewed(self.ends, newer.ends, keys),
        )


def joined(found: Sequence[Fates]) -> Fates:
    """The fates of sessions of several stores. What is said of all is said only where it holds of
    all: certainty, the days, the settings."""
    if len(found) == 1:
        return found[0]
    acting = [one for one in found if one.acts]
    runs = [one.next_run for one in acting if one.next_run is not None]
    return Fates(
        deletes={key: at for one in found for key, at in one.deletes.items()},
        archives={key: at for one in found for key, at in one.archives.items()},
        ends={key: at for one in found for key, at in one.ends.items()},
        certain=all(one.certain for one in acting),
        retention=min((one.retention for one in acting), default=0.0),
        idle=min((one.idle for one in acting), default=0.0),
        acts=bool(acting),
        next_run=min(runs, default=None),
        pins=any(one.pins for one in acting),
        by_start=any(one.by_start for one in acting),
        unknown=next((one.unknown for one in found if one.unknown), ""),
    )


NO_FATES = Fates()
"""Of a store whose agent does nothing by itself."""


def expiring(fates: Fates, chain: Callable[[int], Sequence[int]], now: float) -> dict[int, Fate]:
    """The conversations that are about to disappear from the list, by their tips; `chain` gives
    the parts of each."""
    found: dict[int, Fate] = {}
    for key in {**fates.deletes, **fates.archives}:
        parts = chain(key)
        if parts[-1] not in found and (fate := fates.of(parts, now)) and fate.is_soon(now):
            found[parts[-1]] = fate
    return found


AGENT = "Hermes"
"""The only agent that does something by itself."""
NOT_SET = "sessions.auto_prune is not set: releases since September 2026 delete, older ones do not"


_DONE = {Deed.DELETE: "deleted", Deed.ARCHIVE: "archived", Deed.END: "marked as ended"}


def fate_words(fates: Fates, fate: Fate, parts: int, now: float) -> str:
    """What happens next to a conversation of so many parts."""
    done = _DONE[fate.deed] if fate.certain else f"may be {_DONE[fate.deed]}"
    whole = fate.parts == parts or fate.deed is Deed.END
    some = "" if whole else f"{count(fate.parts)} of {plural(parts, 'part')} "
    when = "" if fate.is_due(now) else f" after {short_day(fate.at)}"
    said = f"{some}{done} by {AGENT} at its next start{when}"
    if fate.deed is Deed.END:
        said += f", then deleted {_days(fate.days)} later"
    elif fates.pins:
        said += ", unless pinned"
    return sentence(said)


def reason_words(fates: Fates, fate: Fate) -> str:
    """Why it happens; part of the JSON contract."""
    said = {
        Deed.DELETE: f"ended sessions are deleted after {_days(fate.days)} without activity",
        Deed.ARCHIVE: f"sessions are archived after {_days(fate.days)} without activity",
        Deed.END: f"sessions that never ended are ended after {_days(fate.days)} without activity",
    }[fate.deed]
    if fates.by_start and fate.deed is Deed.DELETE:
        said = f"ended sessions are deleted {_days(fate.days)} after their start"
    return said if fate.certain else f"{said}; {NOT_SET}"


def clean_up_rows(
    fates: Fates, parts: Sequence[int], pinned: bool, now: float
) -> tuple[tuple[str, str], ...]:
    """The rows of the details about a conversation: (label, words)."""
    fate = fates.of(parts, now)
    if fate is not None:
        next_ = fate_words(fates, fate, len(parts), now)
        return (("Next", next_), ("Why", sentence(reason_words(fates, fate))))
    if pinned and fates.pins and fates.next_run is not None:
        return (("Next", f"Kept by {AGENT} because it is pinned."),)
    return ()


def clean_up_line(fates: Fates, due: Mapping[Deed, int], now: float) -> str:
    """What the agent cleans up, and to how many conversations at its next start; empty where the
    agent never does."""
    if fates.unknown:
        return f"unknown: {fates.unknown}"
    if not fates.path:
        return ""
    path = Path(fates.path)
    where = f" ({short_path(path)})" if os.path.lexists(path) else f" (without a {path.name})"
    if not fates.acts:
        return f"{AGENT} does not delete or archive sessions by itself{where}"
    done = []
    for deed in Deed:
        may = "" if fates.certain or deed is Deed.ARCHIVE else "may be "
        done += [f"{plural(due[deed], 'session')} {may}{_DONE[deed]}"] if due.get(deed) else []
    said = [_rule(fates) + where, f"at its next start: {', '.join(done) or 'nothing to do'}"]
    if fates.next_run is not None and fates.next_run > now:
        said.append(f"next deletion not before {exact(fates.next_run)}")
    return " · ".join(said)


def _rule(fates: Fates) -> str:
    idle = f"archives sessions after {_days(fates.idle)} without activity"
    if fates.next_run is None:
        return f"{AGENT} {idle}"
    kept = _days(fates.retention)
    since = f"{kept} after their start" if fates.by_start else f"after {kept} without activity"
    rule = f"{AGENT} {'deletes' if fates.certain else 'may delete'} ended sessions {since}"
    if fates.settings["auto_archive"].value is True and fates.pins:
        rule += f", {idle}"
    return rule if fates.certain else f"{rule}; {NOT_SET}"


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
        f"{count(number)} expiring" if certain else f"{count(number)} may expire",
    )


def _days(number: float) -> str:
    whole = int(number) == number
    return plural(int(number), "day") if whole else f"{number:g} days"

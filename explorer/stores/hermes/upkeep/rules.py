"""When Hermes deletes, archives or ends a session by itself: its rules, release by release.

Pure: rows and settings in, times out. The columns of a file tell which release wrote it last, and
that is the one that cleans it up next, at its start and at most once in `min_interval_hours`:

- Up to schema 22 (no `pinned`) it deletes ended rows by the age of their start, if `auto_prune` is
  set.
- 23 to 26 delete ended rows that are not pinned by the age of their newest message, one by one:
  the beginning of a conversation may be deleted before its end. With `auto_archive` they archive
  rows that are neither pinned nor compressed, open ones too, by their last activity.
- 30 (it has `gateway_heartbeats`) also ends rows of some sources that were left open, by their
  start and last activity; what it ended counts from that end.
- 31 (it has `auto_archived`) deletes a part only with everything that continues it, by its last
  activity; a pin covers what comes after it, and the hidden Bot Chat is never archived.

Rows under a live lease are spared, too. That is left out: no agent writes rows so old.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from explorer.stores.catalog import descendants
from explorer.stores.fates import DAY, HOUR
from explorer.stores.hermes.upkeep.settings import Settings
from explorer.stores.sqlite.schema import Schema

RETENTION = 90
IDLE = 3
INTERVAL = 24
"""Defaults of `retention_days`, `auto_archive_days` and `min_interval_hours` in all releases."""
REAPED = "startup_orphan_reap"
"""The end reason of rows that Hermes ended because they were left open."""
ENDED_SOURCES = frozenset(
    ("cli", "cron", "kanban", "acp", "api_server", "subagent", "tool"),
)
BOT_CHAT = "Bot Chat"
LATEST = 253_402_300_799.0
"""The end of the year 9999: what comes after it never comes."""


class Release(NamedTuple):
    """What the release does that wrote a file last."""

    prunes: bool
    """It keeps note of its clean-up; the first releases had none."""
    by_start: bool
    """A session is as old as its start, not as its newest message."""
    archives: bool
    """It archives, and spares what is pinned."""
    ends: frozenset[str]
    """Sources whose open sessions it ends."""
    whole: bool
    """A part of a conversation is deleted only with everything that continues it."""


class LastRuns(NamedTuple):
    """When Hermes did it last; zero for never."""

    pruned: float = 0.0
    archived: float = 0.0


class Plan(NamedTuple):
    """What the settings come to."""

    retention: float | None = None
    """Seconds until a session is deleted; None where none is."""
    certain: bool = True
    next_prune: float = 0.0
    idle: float | None = None
    """Seconds until a session is archived; None where none is."""
    next_archive: float = 0.0

    @property
    def acts(self) -> bool:
        """Whether anything is done at all."""
        return self.retention is not None or self.idle is not None

    @property
    def shortest(self) -> float:
        """Seconds without activity before which nothing is done."""
        return min((wait for wait in (self.retention, self.idle) if wait is not None), default=0.0)


class Row(NamedTuple):
    """What the rules ask of a session. Times are as they are stored: None for what is none."""

    key: int
    source: str
    started: float | None
    spoken: float | None
    """Its newest message, else its start."""
    active: float | None
    """The same, or later activity that was noted."""
    open: bool
    ended: float | None
    end_reason: str
    pinned: bool
    archived: bool
    is_bot_chat: bool = False


class Due(NamedTuple):
    """When each deed is done at the earliest, by key."""

    deletes: dict[int, float]
    archives: dict[int, float]
    ends: dict[int, float]


def release_of(schema: Schema) -> Release:
    """The release that wrote a file last, by its columns."""
    pins = schema.has("sessions", "pinned", "archived")
    whole = pins and schema.has("sessions", "auto_archived")
    ends = ENDED_SOURCES if pins and "gateway_heartbeats" in schema.tables else frozenset()
    return Release(
        prunes=schema.has("state_meta", "key", "value") and schema.has("sessions", "ended_at"),
        by_start=not pins,
        archives=pins,
        ends=ends | {"recovered"} if whole and ends else ends,
        whole=whole,
    )


def plan_of(settings: Settings, release: Release, last: LastRuns) -> Plan:
    """What is done, and when at the earliest; nothing that depends on a value that is not
    understood. Whether a missing `auto_prune` is on depends on the release: on since September
    2026, which files from 23 on do not show; so it may be."""
    interval = settings.amount("min_interval_hours", INTERVAL)
    if settings.trouble or not release.prunes or interval is None:
        return Plan()
    wait = interval * HOUR
    plan = Plan(next_prune=last.pruned + wait, next_archive=last.archived + wait)
    days = settings.amount("retention_days", RETENTION)
    if settings.flag("auto_prune", not release.by_start) and days is not None:
        asked = settings.flag("auto_prune", None) is True
        plan = plan._replace(retention=days * DAY, certain=asked)
    idle = settings.amount("auto_archive_days", IDLE)
    if release.archives and settings.flag("auto_archive", False) and idle is not None:
        plan = plan._replace(idle=idle * DAY)
    return plan


def due(
    rows: Iterable[Row],
    continued: Mapping[int, Iterable[int]],
    pinned: Collection[int],
    release: Release,
    plan: Plan,
) -> Due:
    """When what happens to whom. `continued` are the sessions that continue another one; what is
    not among the `rows`, but `pinned` or continuing one of them, counts as well."""
    by_key = {row.key: row for row in rows}
    spared = {key for key, row in by_key.items() if row.pinned and release.archives}
    spared |= set(pinned)
    if release.whole:
        spared |= descendants(spared, continued)
    found = Due({}, {}, {})
    for key, row in by_key.items():
        if key in spared:
            continue
        if (time := _deleted(row, release, plan)) is not None:
            found.deletes[key] = time
        if (time := _archived(row, release, plan)) is not None:
            found.archives[key] = time
        if (time := _ended(row, release, plan)) is not None:
            found.ends[key] = time
    if release.whole:
        _hold_together(found.deletes, continued)
    return found


def _deleted(row: Row, release: Release, plan: Plan) -> float | None:
    if row.open or plan.retention is None:
        return None
    since = row.started if release.by_start else row.active if release.whole else row.spoken
    if release.ends and row.end_reason == REAPED:
        since = _later(since, row.ended)
    return _at(since, plan.retention, plan.next_prune)


def _archived(row: Row, release: Release, plan: Plan) -> float | None:
    bot = row.is_bot_chat and release.whole
    if plan.idle is None or row.archived or row.end_reason == "compression" or bot:
        return None
    return _at(row.active, plan.idle, plan.next_archive)


def _ended(row: Row, release: Release, plan: Plan) -> float | None:
    # A retention of no days ends nothing.
    if not row.open or not plan.retention or row.source not in release.ends:
        return None
    return _at(_later(row.started, row.active), plan.retention, plan.next_prune)


def _later(one: float | None, other: float | None) -> float | None:
    """The later of two times that must both be known."""
    return None if one is None or other is None else max(one, other)


def _at(since: float | None, wait: float, run: float) -> float | None:
    time = None if since is None else max(since + wait, run)
    return time if time is not None and time <= LATEST else None


def _hold_together(deletes: dict[int, float], continued: Mapping[int, Iterable[int]]) -> None:
    """A part waits for the last of what continues it, and stays where any of that does."""
    for key in list(deletes):
        times = [deletes.get(later) for later in descendants((key,), continued)]
        if None in times:
            del deletes[key]
        else:
            deletes[key] = max((deletes[key], *(time for time in times if time is not None)))

"""What Hermes does by itself to the sessions of a file, and which it does not resume: its settings,
when it last did so, and the columns that its rules ask about.

Where the settings leave nothing to do, no session is read. Else it is one walk through the table,
with a look into the index of messages for each session: as much as a survey, so it belongs in the
background.

Since schema 25 it also refuses to resume a conversation of more than `max_resume_messages` (20,000
where it is not set, 0 for no limit). Up to 26 live messages of all parts count; from 30 on those
that were summarised away count too, since it loads them to show them.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from explorer.cancel import CancelToken
from explorer.model import Kind
from explorer.stores.base import TooLong
from explorer.stores.catalog import Catalog, Unit, children
from explorer.stores.fates import DAY, Fates, SettingState
from explorer.stores.hermes.sessions.survey import NEWEST
from explorer.stores.hermes.state_meta import notes
from explorer.stores.hermes.upkeep import rules
from explorer.stores.hermes.upkeep.settings import Settings, read_settings
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import Schema, batches, placeholders
from explorer.stores.sqlite.slices import numbered_rows, walk

COLUMNS = (
    *("started_at", "ended_at", "end_reason", "last_activity_at"),
    *("pinned", "archived", "hidden"),
)


def fates(
    file: ReadOnlyFile,
    place: Path | str,
    catalog: Catalog,
    keys: Sequence[int] | None,
    before: float | None,
    token: CancelToken | None,
) -> Fates:
    """The fates of these sessions, or of all; of all times, or only those `before` one. `place` is
    where the settings are, or why there are none; they are read while no connection is open."""
    if isinstance(place, str):
        return Fates(unknown=place)
    settings = read_settings(place)
    if settings.trouble:
        return Fates(unknown=f"{place.name} cannot be read: {settings.trouble}", path=str(place))
    if keys is not None:
        # With all parts of their conversations, which the rules take together.
        keys = list(dict.fromkeys(part for key in keys for part in catalog.chain(key)))
    release, plan, read = file.read(lambda reader: _read(reader, settings, keys, before), token)
    continued = children(catalog.links, Kind.CONTINUATION)
    found = rules.due(_rows(read, catalog), continued, catalog.pinned, release, plan)
    if before is not None:
        found = rules.Due(
            *({key: at for key, at in times.items() if at <= before} for times in found)
        )
    return Fates(
        *found,
        certain=plan.certain,
        retention=rules.RETENTION if plan.retention is None else plan.retention / DAY,
        idle=rules.IDLE if plan.idle is None else plan.idle / DAY,
        acts=plan.acts,
        next_run=None if plan.retention is None else plan.next_prune,
        pins=release.archives,
        by_start=release.by_start,
        unknown="" if plan.acts else _unknown(settings, release),
        path=str(place),
        settings=settings.values,
    )


def _read(
    reader: Reader, settings: Settings, keys: Sequence[int] | None, before: float | None
) -> tuple[rules.Release, rules.Plan, list[Any]]:
    """What is done, and the rows of `_columns` that are asked for; of all of them, where only some
    time is asked about, those that were not used for long enough."""
    release = rules.release_of(reader.schema)
    plan = rules.plan_of(settings, release, _last_runs(reader))
    columns = _columns(reader.schema)
    if not plan.acts:
        return release, plan, []
    if keys is not None or before is None:
        return release, plan, numbered_rows(reader, columns, "sessions", keys)
    since = "s.started_at" if release.by_start else f"coalesce({NEWEST}, s.started_at)"
    until = (before - plan.shortest,)
    return release, plan, walk(reader, columns, "sessions", f"{since} <= ?", until)


def _unknown(settings: Settings, release: rules.Release) -> str:
    """Why nothing is known, unless nothing is done."""
    for name, days, usual in (
        ("auto_prune", "retention_days", not release.by_start),
        ("auto_archive", "auto_archive_days", False),
    ):
        wanted = settings.flag(name, usual)
        needed = (days, "min_interval_hours") if wanted else ()
        strange = [name] if wanted is None else []
        strange += [one for one in needed if settings.amount(one, 0) is None]
        if strange:
            return f"sessions.{strange[0]} is not understood"
    return ""


def _last_runs(reader: Reader) -> rules.LastRuns:
    """When Hermes cleaned up last: in `state_meta`, as text."""
    names = ("last_auto_prune", "last_auto_archive")
    found = notes(reader, *names)
    return rules.LastRuns(*(_when(found.get(name)) for name in names))


def _when(cell: object) -> float:
    """A time; what is none counts as never, as with Hermes."""
    try:
        value = float(cells.words(cell))
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(value) else value


def _rows(read: Iterable[Any], catalog: Catalog) -> Iterable[rules.Row]:
    for key, bot, newest, start, end, reason, noted, pinned, archived, hidden in read:
        if not catalog.has(key):
            continue
        yield rules.Row(
            key=key,
            source=catalog.source(key),
            started=_time(start),
            spoken=_latest((newest,), start),
            active=_latest((newest, noted), start),
            open=end is None,
            ended=_time(end),
            end_reason=cells.words(reason),
            pinned=pinned is not None and pinned != 0,
            archived=archived is None or archived != 0,
            is_bot_chat=bool(bot) and hidden is not None and hidden != 0,
        )


def _columns(schema: Schema) -> str:
    """What the rules ask about, and whether the title is that of the Bot Chat: titles themselves
    may be long."""
    title = f"s.\"title\" IS '{rules.BOT_CHAT}'" if schema.has("sessions", "title") else "0"
    return f"{title}, {NEWEST}, {schema.pick('sessions', 's', COLUMNS)}"


def _time(cell: object) -> float | None:
    """A time as Hermes compares it: only a number is ever older than another."""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return None
    return float(cell) if abs(cell) < 1e300 else None


def _latest(noted: Sequence[object], start: object) -> float | None:
    """The latest of what was noted, else the start. SQL sorts what is not a number as the greatest,
    which is never old."""
    times = [_time(cell) for cell in noted if cell is not None] or [_time(start)]
    known = [time for time in times if time is not None]
    return max(known) if len(known) == len(times) else None


SETTING = "max_resume_messages"
USUAL = 20_000


def too_long(
    file: ReadOnlyFile, place: Path | str, unit: Unit, token: CancelToken | None
) -> TooLong | None:
    """Whether Hermes refuses a conversation; None where its settings are not understood."""
    if isinstance(place, str):
        return None
    settings = read_settings(place)
    limit = settings.amount(SETTING, USUAL)
    if settings.trouble or not limit:
        return None
    asked = settings.values[SETTING].given is SettingState.SET

    def work(reader: Reader) -> TooLong | None:
        if not reader.schema.has("system_prompts") or not reader.schema.has("messages", "active"):
            return None
        number = _counted(reader, unit)
        # The first releases of schema 25 did not know the limit.
        sure = asked or reader.schema.has("sessions", "hidden")
        over = number > limit
        return (
            TooLong(number, int(limit), f"sessions.{SETTING}", str(place), sure) if over else None
        )

    return file.read(work, token)


def _counted(reader: Reader, unit: Unit) -> int:
    counted = 'm."active" = 1'
    if reader.schema.has("messages", "display_order", "compacted"):
        counted = f'({counted} OR m."compacted" = 1)'
    return sum(
        cells.amount(
            reader.value(
                f"SELECT count(*) FROM messages m WHERE {counted} AND m.session_id IN"
                f" (SELECT s.id FROM sessions s WHERE s.rowid IN ({placeholders(batch)}))",
                batch,
            )
        )
        for batch in batches(unit.whole or unit.parts)
    )

"""What Hermes is going to do by itself to the sessions of a file: its settings, its marks and the
columns that its rules ask about.

Where the settings leave nothing to do, no session is looked at. Else it is one walk through the
table, with a look into the index of messages for each session: as much as a survey, so it belongs
in the background.
"""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Kind
from explorer.stores.catalog import Catalog, children
from explorer.stores.fates import DAY, Fates
from explorer.stores.hermes.home import config_of
from explorer.stores.hermes.search.layout import notes
from explorer.stores.hermes.sessions.survey import NEWEST
from explorer.stores.hermes.upkeep.rules import (
    BOT_CHAT,
    IDLE,
    RETENTION,
    Marks,
    Plan,
    Release,
    Row,
    due,
    plan_of,
    release_of,
)
from explorer.stores.hermes.upkeep.settings import Settings, read_settings
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from explorer.stores.sqlite.schema import Schema
from explorer.stores.sqlite.slices import numbered_rows, walk

COLUMNS = (
    *("started_at", "ended_at", "end_reason", "last_activity_at"),
    *("pinned", "archived", "hidden"),
)


def fates(
    file: ReadOnlyFile,
    catalog: Catalog,
    keys: Sequence[int] | None,
    before: float | None,
    token: CancelToken | None,
) -> Fates:
    """The fates of these sessions, or of all; of all times, or only those `before` one. The
    settings are read while no connection is open."""
    place = config_of(file.path)
    if isinstance(place, str):
        return Fates(unknown=place)
    settings = read_settings(place)
    if settings.trouble:
        return Fates(unknown=f"{place.name} cannot be read: {settings.trouble}", path=str(place))
    asked = _Asked(catalog, _with_chains(catalog, keys), before)
    read = file.read(lambda reader: _read(reader, settings, asked), token)
    return _judged(read, place, settings, asked)


class _Asked(NamedTuple):
    """Whose fates are asked for."""

    catalog: Catalog
    keys: Sequence[int] | None
    """None for all."""
    before: float | None
    """None for all times."""


class _Read(NamedTuple):
    """What a file says."""

    release: Release
    plan: Plan
    rows: list[Any]
    """As `_columns` has them."""


def _read(reader: Reader, settings: Settings, asked: _Asked) -> _Read:
    release = release_of(reader.schema)
    plan = plan_of(settings, release, _marks(reader))
    return _Read(release, plan, _cells(reader, asked, release, plan) if plan.acts else [])


def _judged(read: _Read, place: Path, settings: Settings, asked: _Asked) -> Fates:
    """When nobody reads any more: what it comes to."""
    release, plan, catalog = read.release, read.plan, asked.catalog
    rows = _rows(read.rows, catalog)
    found = due(rows, children(catalog.links, Kind.CONTINUATION), catalog.pinned, release, plan)
    return Fates(
        deletes=_before(found.deletes, asked.before),
        archives=_before(found.archives, asked.before),
        ends=_before(found.ends, asked.before),
        certain=plan.certain,
        retention=RETENTION if plan.retention is None else plan.retention / DAY,
        idle=IDLE if plan.idle is None else plan.idle / DAY,
        acts=plan.acts,
        next_run=None if plan.retention is None else plan.next_prune,
        pins=release.archives,
        by_start=release.by_start,
        unknown="" if plan.acts else _unknown(settings, release),
        path=str(place),
        settings=settings.values,
    )


def _before(times: dict[int, float], before: float | None) -> dict[int, float]:
    if before is None:
        return times
    return {key: time for key, time in times.items() if time <= before}


def _unknown(settings: Settings, release: Release) -> str:
    """Why nothing can be told, where that is not because nothing is done."""
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


def _marks(reader: Reader) -> Marks:
    """When Hermes cleaned up last: in `state_meta`, as text."""
    names = ("last_auto_prune", "last_auto_archive")
    found = notes(reader, *names)
    return Marks(*(_mark(found.get(name)) for name in names))


def _mark(cell: object) -> float:
    """A time; what is none counts as never, as with Hermes."""
    try:
        value = float(cells.words(cell))
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(value) else value


def _with_chains(catalog: Catalog, keys: Sequence[int] | None) -> list[int] | None:
    """With all parts of their conversations, which the rules take together."""
    if keys is None:
        return None
    return list(dict.fromkeys(part for key in keys for part in catalog.chain(key)))


def _cells(reader: Reader, asked: _Asked, release: Release, plan: Plan) -> list[Any]:
    """The rows that are asked for; of all of them, where only some time is asked about, those
    that were not used for long enough."""
    columns = _columns(reader.schema)
    if asked.keys is not None or asked.before is None:
        return numbered_rows(reader, columns, "sessions", asked.keys)
    since = "s.started_at" if release.by_start else f"coalesce({NEWEST}, s.started_at)"
    return walk(reader, columns, "sessions", f"{since} <= ?", (asked.before - plan.shortest,))


def _rows(read: Iterable[Any], catalog: Catalog) -> Iterable[Row]:
    for key, bot, newest, start, end, reason, noted, pinned, archived, hidden in read:
        if not catalog.has(key):
            continue
        yield Row(
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
    title = f"s.\"title\" IS '{BOT_CHAT}'" if schema.has("sessions", "title") else "0"
    return f"{title}, {NEWEST}, {schema.pick('sessions', 's', COLUMNS)}"


def _time(cell: object) -> float | None:
    """A time as Hermes compares it: only a number is ever older than another."""
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return None
    return float(cell) if abs(cell) < 1e300 else None


def _latest(noted: Sequence[object], start: object) -> float | None:
    """The latest of what was noted, else the start. SQL takes what is no number for the greatest,
    which is never old."""
    times = [_time(cell) for cell in noted if cell is not None] or [_time(start)]
    known = [time for time in times if time is not None]
    return max(known) if len(known) == len(times) else None

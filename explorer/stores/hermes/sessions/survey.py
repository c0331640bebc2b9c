"""The light columns of every session, for the catalog.

Long system prompts lie in the middle of the rows, so columns behind them cost a walk through
overflow pages: 100,000 sessions took 5.6 s from the table and 1 s from the indices, cold. What an
index holds is read from the index; the rest only for the few rows that need it.

In a damaged file the table of sessions and its indices may tell of different sessions, and SQLite
says nothing about it. Counting along an index is quick; counting along the table takes seconds on a
big file, so it is done only on suspicion.
"""

from array import array
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, NamedTuple

from explorer.stores.catalog import Catalog, Link, Mark
from explorer.stores.hermes.links import Ties, chains, links
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import numbered_rows, walk, walk_along

TIES = (
    *("id", "parent_session_id", "source", "model_config"),
    *("started_at", "ended_at", "end_reason", "session_key"),
)
FLAGS = ("archived", "pinned", "hidden")
"""Columns that say yes or no of a session, where a file has them."""

ID_INDEX = "sqlite_autoindex_sessions_1"
SOURCE_INDEX = "idx_sessions_source"
_INDICES = (ID_INDEX, SOURCE_INDEX, "idx_sessions_started")

_NO_MESSAGE = -1.5e300
"""Stands for the time of no message: no clock was ever so wrong."""
NEWEST = "(SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id)"
"""The greatest time of a session's messages, by the index on (session_id, timestamp)."""
_NEWEST = f"coalesce({NEWEST}, {_NO_MESSAGE})"


def survey(reader: Reader) -> Catalog:
    """Read the whole catalog of a Hermes file."""
    mark = mark_of(reader)
    keys, sources, active, sound = _everybody(reader)
    silent = [at for at, time in enumerate(active) if time <= 0.0]
    empty = frozenset(keys[at] for at in silent if active[at] == _NO_MESSAGE)
    _note_activity(reader, keys, active)
    timeless = [at for at in silent if active[at] <= 0.0]
    if timeless:
        rows = numbered_rows(reader, "s.started_at", "sessions", (keys[at] for at in timeless))
        starts = {key: cells.seconds(time) or 0.0 for key, time in rows}
        for at in timeless:
            active[at] = starts.get(keys[at], 0.0)
    marks = _exceptions(reader)
    found, conversations = _families(reader, marks.delegates, keys, active)
    return Catalog(
        keys=keys,
        active=active,
        sources=sources,
        links=found,
        chains=conversations,
        archived=marks.archived,
        empty=empty,
        mark=mark,
        pinned=marks.pinned,
        hidden=marks.hidden,
        sound=sound,
    )


def mark_of(reader: Reader) -> Mark:
    """The highest ids in the file."""
    message = reader.value("SELECT id FROM messages ORDER BY id DESC LIMIT ?", (1,))
    session = reader.value("SELECT max(rowid) FROM sessions")
    return Mark(cells.integer(message) or 0, cells.integer(session) or 0)


_Everybody = tuple[Sequence[int], Sequence[str], "array[float]", bool]


def _everybody(reader: Reader) -> _Everybody:
    """(keys, sources, newest message or `_NO_MESSAGE`) of all, and whether the file agrees with
    itself on who they are: one walk along the index of ids, which is the order of the index on
    (session_id, timestamp) that is probed for each."""
    keys, times = _walk_by_id(reader)
    commonest, source_of, counted = _sources(reader)
    sound = len(keys) == counted == len(frozenset(keys)) or table_agrees(reader)
    if not sound:
        # The indices are not to be trusted; what the table holds is listed, each row once.
        rows = reader.rows(f"SELECT s.rowid, {_NEWEST}, s.source FROM sessions s NOT INDEXED")
        keys, times = [row[0] for row in rows], [row[1] for row in rows]
        source_of = {row[0]: cells.words(row[2]) for row in rows}
    try:
        active = array("d", times)
        honest = max(active, default=0.0) < 1e11
    except TypeError:
        honest = False
    if not honest:
        active = array("d", map(_coerced, repeat(reader), keys, times))
    return keys, [source_of.get(key, commonest) for key in keys], active, sound


def _walk_by_id(reader: Reader) -> tuple[list[int], list[Any]]:
    hint = reader.schema.indexed_by(ID_INDEX)
    if not reader.breathes:
        keys, times = reader.columns(f"SELECT s.rowid, {_NEWEST} FROM sessions s {hint}")
        return keys, times
    found = reader.rows(f"SELECT s.rowid, {_NEWEST} FROM sessions s WHERE s.id IS NULL")
    found += walk_along(reader, f"{_NEWEST}, s.id", "sessions", "id", hint)
    return [row[0] for row in found], [row[1] for row in found]


def _coerced(reader: Reader, key: int, time: object) -> float:
    return _NO_MESSAGE if time == _NO_MESSAGE else newest_time(reader, key, time) or 0.0


def newest_time(reader: Reader, key: int, greatest: object) -> float | None:
    """The newest time of a session, of which SQL knows the greatest value: text sorts above every
    number, infinity above every time, so where that is no time, all values are looked at."""
    found = cells.seconds(greatest) if isinstance(greatest, int | float) else None
    if greatest is None or found is not None:
        return found
    values = reader.column(
        "SELECT m.timestamp FROM messages m"
        " WHERE m.session_id = (SELECT id FROM sessions WHERE rowid = ?)",
        (key,),
    )
    return max(filter(None, map(cells.seconds, values)), default=None)


def latest(newest: float | None, noted: object) -> float | None:
    """When a session was last active: at its newest message, or when its agent noted that it was
    at work, which newer ones do once a minute between messages."""
    activity = cells.sane_seconds(noted)
    return activity if newest is None or (activity or 0.0) > newest else newest


def _note_activity(reader: Reader, keys: Sequence[int], active: "array[float]") -> None:
    """Where the agent noted activity after the newest message, that counts. Only those come back,
    and those of whose messages SQL cannot tell a time."""
    if not reader.schema.has("sessions", "last_activity_at"):
        return
    rows = walk(
        reader,
        "s.last_activity_at",
        "sessions",
        f"NOT coalesce({NEWEST}, 0.0) BETWEEN s.last_activity_at AND {cells.SANE_UNTIL}",
    )
    place = dict(zip(keys, range(len(keys)), strict=True)) if rows else {}
    for key, noted in rows:
        time = cells.sane_seconds(noted) if key in place else None
        if time is not None and time > active[place[key]]:
            active[place[key]] = time


def _sources(reader: Reader) -> tuple[str, dict[int, str], int]:
    """(the commonest source, the sources of all others by key, how many sessions). The index on it
    counts in an instant, and the keys of a source come as one text: a row for each would take four
    times as long."""
    hint = reader.schema.indexed_by(SOURCE_INDEX)
    numbers = reader.rows(f"SELECT s.source, count(*) FROM sessions s {hint} GROUP BY s.source")
    if not numbers:
        return "", {}, 0
    commonest = max(numbers, key=itemgetter(1))[0]
    found: dict[int, str] = {}
    for source, keys in reader.rows(
        f"SELECT s.source, group_concat(s.rowid) FROM sessions s {hint}"
        " WHERE s.source IS NOT ? GROUP BY s.source",
        (commonest,),
    ):
        found |= dict.fromkeys(map(int, keys.split(",")), cells.words(source))
    return cells.words(commonest), found, sum(number for _, number in numbers)


class _Exceptions(NamedTuple):
    """Sessions with a mark of their own, by what it is."""

    archived: frozenset[int]
    pinned: frozenset[int]
    hidden: frozenset[int]
    delegates: list[int]


def _exceptions(reader: Reader) -> _Exceptions:
    """The marked sessions: the one scan of the table, with few rows coming back."""
    known = [f's."{name}"' for name in FLAGS if reader.schema.has("sessions", name)]
    delegate = "instr(s.model_config, '_delegate_from')"
    rows = walk(
        reader,
        f"{delegate}, {reader.schema.pick('sessions', 's', FLAGS)}",
        "sessions",
        " OR ".join((*known, delegate)),
    )

    def flagged(column: str) -> frozenset[int]:
        at = 2 + FLAGS.index(column)
        return frozenset(row[0] for row in rows if cells.flag(row[at], default=False))

    return _Exceptions(
        archived=flagged("archived"),
        pinned=flagged("pinned"),
        hidden=flagged("hidden"),
        delegates=[row[0] for row in rows if row[1]],
    )


def _families(
    reader: Reader, marked: Iterable[int], keys: Sequence[int], active: Sequence[float]
) -> tuple[dict[int, Link], list[tuple[int, ...]]]:
    """(links, conversations of several parts), from the rows that have to do with any of them."""
    rows = _tied(reader, marked)
    if reader.breathes:
        # Somebody may have come since the walk.
        known = frozenset(keys)
        rows = [row for row in rows if row[0] in known]
    reader.rest()
    tied = {row[0] for row in rows}
    newest = {key: time for key, time in zip(keys, active, strict=True) if key in tied}
    ties = {row[0]: make_ties(row, newest) for row in rows}
    found = links(ties.values(), markers=reader.schema.has("sessions", "archived"))
    return found, chains(found, ties)


def _tied(reader: Reader, marked: Iterable[int]) -> list[tuple[Any, ...]]:
    """What the links hang on: of all children, of their parents and of the marked."""
    columns = reader.schema.pick("sessions", "s", TIES)
    family = (
        "SELECT c.rowid FROM sessions c WHERE c.parent_session_id IS NOT NULL"
        " UNION SELECT p.rowid FROM sessions p WHERE p.id IN"
        " (SELECT c.parent_session_id FROM sessions c WHERE c.parent_session_id IS NOT NULL)"
    )
    if reader.breathes:
        rows = []
        marked = dict.fromkeys((*reader.column(family), *marked))
    else:
        rows = reader.rows(f"SELECT s.rowid, {columns} FROM sessions s WHERE s.rowid IN ({family})")
    found = {row[0] for row in rows}
    left = (key for key in marked if key not in found)
    return [*rows, *numbered_rows(reader, columns, "sessions", left)]


def make_ties(row: tuple[object, ...], newest: dict[int, float]) -> Ties:
    """A row of (rowid, *TIES) as `Ties`."""
    key, id_, parent, source, config, start, end, reason, route = row
    number = cells.integer(key) or 0
    started_at = cells.seconds(start)
    return Ties(
        key=number,
        id=cells.words(id_),
        parent_id=cells.text(parent) or None,
        source=cells.words(source),
        model_config=config,
        started_at=started_at,
        ended_at=cells.seconds(end),
        end_reason=cells.text(reason),
        last_active=newest.get(number) or started_at or 0.0,
        session_key=cells.text(route) or None,
    )


def indices_agree(reader: Reader) -> bool:
    """Whether the indices on all sessions have the same number of them."""
    return _one_count(reader, [])


def table_agrees(reader: Reader) -> bool:
    """The same, with the table itself."""
    return _one_count(reader, ["NOT INDEXED"])


def _one_count(reader: Reader, ways: list[str]) -> bool:
    """Whether all ways to count come to one number: in one statement, since between two an agent
    may add a session."""
    ways = [*ways, *filter(None, map(reader.schema.indexed_by, _INDICES))]
    if not ways:
        return True
    # Not count(*): for that SQLite takes the smallest index, whatever it is told.
    counts = ", ".join(f"(SELECT total(1) FROM sessions s {way})" for way in ways)
    return len(set(reader.row(f"SELECT {counts}"))) == 1

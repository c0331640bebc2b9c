"""The light columns of every session, for the catalog, and what a parent link means: continuation,
branch, subagent, a chat that was reset; which parts make a chain, and which a lease holds.

Long system prompts are in the middle of the rows, so columns behind them cost a walk through
overflow pages: 100,000 sessions took 5.6 s from the table and 1 s from the indices, cold. What an
index holds is read from the index; the rest only for the few rows that need it.

In a damaged file the table of sessions and its indices may tell of different sessions, and SQLite
says nothing about it. Counting along an index is quick; counting along the table takes seconds on a
big file, so it is done only on suspicion.

The agent marks children in the JSON of `model_config`, but only since schema 16, and a marker may
be inherited; before that the parent's end reason and the times decide. Circles and missing
parents occur: each session is reached exactly once, and none is lost. A turn is noted under the
first part of a conversation, while its newest part is written: so its lease holds every part. The
lock of a compression names the very session.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, NamedTuple

from explorer.model import Kind
from explorer.stores.catalog import Catalog, Link, Mark, children, descendants
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.leases import Ask, later, leases
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import Schema, placeholders
from explorer.stores.sqlite.slices import numbered_rows, walk, walk_along

ORPHANED = "__orphaned__"
"""The mark of an upgrade's guess that an ordinary session was a subagent's."""

DELEGATE = "_delegate_from"
BRANCH = "_branched_from"
RESET = "_reset_from"
RESET_REASONS = (
    *("session_reset", "session_switch", "idle", "daily", "suspended"),
    "resume_pending_expired",
)
"""Ends after which a chat of the gateway starts over, in a child with the same key."""


class Ties(NamedTuple):
    """What the links of one session depend on; a tuple, since a big file has many thousands."""

    key: int
    id: str
    parent_id: str | None
    source: str
    model_config: object
    started_at: float | None
    ended_at: float | None
    end_reason: str | None
    last_active: float = 0.0
    session_key: str | None = None
    """The chat it belongs to, as the gateway names it."""


def links(rows: Iterable[Ties], markers: bool) -> dict[int, Link]:
    """The link of every session that has one. `rows` are all children, their parents, and all
    marked sessions; `markers` says that this agent marks its children (schema 16 and later)."""
    everyone = {row.id: row for row in rows}
    found: dict[int, Link] = {}
    for row in everyone.values():
        parent = everyone.get(row.parent_id) if row.parent_id not in (None, row.id) else None
        if parent is None and row.model_config is None:
            continue
        marks = marks_in(row.model_config)
        if parent is None:
            link = _unparented(row, marks)
        else:
            link = Link(_kind(row, parent, marks, markers), parent.key)
        if link:
            found[row.key] = link
    _break_circles(found)
    return found


def chains(found: Mapping[int, Link], ties: Mapping[int, Ties]) -> list[tuple[int, ...]]:
    """Conversations of several parts: in the order they were started, the tip last."""
    continued = children(found, Kind.CONTINUATION)
    result = []
    for root in continued:
        own = found.get(root)
        if own is None or own.kind is not Kind.CONTINUATION or own.parent is None:
            tip = _tip(root, continued, ties)
            rest = sorted(
                descendants((root,), continued) - {tip},
                key=lambda key: (ties[key].started_at or 0.0, key),
            )
            result.append((root, *rest, tip))
    return result


def _unparented(row: Ties, marks: Mapping[str, object]) -> Link | None:
    mark = marks.get(DELEGATE)
    if mark == ORPHANED:
        return Link(Kind.ROOT, None, restored=True)
    return Link(Kind.SUBAGENT, None) if isinstance(mark, str) and mark else None


def _kind(row: Ties, parent: Ties, marks: Mapping[str, object], markers: bool) -> Kind:
    if marks.get(BRANCH) == parent.id:
        return Kind.BRANCH
    if marks.get(DELEGATE) == parent.id:
        return Kind.SUBAGENT
    if marks.get(RESET) == parent.id:
        return Kind.ROOT
    after = (row.started_at or 0.0) >= (parent.ended_at or 0.0)
    # Markers that name another session were inherited along a chain.
    if parent.end_reason == "compression" and row.source != "tool" and (markers or after):
        return Kind.CONTINUATION
    if marks.get(BRANCH) or (parent.end_reason == "branched" and after):
        return Kind.BRANCH
    return Kind.ROOT if marks.get(RESET) or _reset(row, parent) else Kind.SUBAGENT


def _reset(row: Ties, parent: Ties) -> bool:
    """Whether a chat was reset and this session follows: before there was a mark for it, both have
    the same chat."""
    same_chat = row.session_key is not None and row.session_key == parent.session_key
    return same_chat and parent.end_reason in RESET_REASONS


def marks_in(cell: object) -> Mapping[str, object]:
    source = cell if type(cell) is str else cells.text(cell)
    return cells.mapping(source) if source and "_from" in source else {}


def _break_circles(found: dict[int, Link]) -> None:
    """Where parents lead round in a circle, the first one met becomes a root."""
    settled: set[int] = set()
    for start in list(found):
        path: dict[int, None] = {}
        key: int | None = start
        while key is not None and key not in settled and key in found:
            if key in path:
                found[key] = Link(Kind.ROOT, None)
                break
            path[key] = None
            key = found[key].parent
        settled.update(path)


def _tip(root: int, continued: Mapping[int, Sequence[int]], ties: Mapping[int, Ties]) -> int:
    """Follow, at each fork, the child the agent would follow when it resumes."""
    key = root
    while key in continued:
        key = max(continued[key], key=lambda child: _promise(ties[child]))
    return key


def _promise(row: Ties) -> tuple[int, float, float, str]:
    still_open = int(row.ended_at is None)
    rank = 2 if row.end_reason == "compression" else still_open
    return rank, row.last_active, row.started_at or 0.0, row.id


GENERATIONS = 100


def hermes_leases(ask: Ask, schema: Schema) -> dict[str, float]:
    """Until when a process holds a session, by id."""
    held = leases(ask, schema, "compression_locks", "session_id")
    for column in ("conversation_id", "session_id"):
        turns = leases(ask, schema, "session_turn_leases", column)
        held = later(held, _with_later_parts(ask, turns))
    return held


def _with_later_parts(ask: Ask, held: Mapping[str, float]) -> dict[str, float]:
    """The same, for whatever continues these sessions too."""
    found = dict(held)
    fresh = list(held)
    for _ in range(GENERATIONS):
        if not fresh:
            break
        rows = ask(
            "SELECT c.id, p.id, c.model_config FROM sessions p"
            " JOIN sessions c ON c.parent_session_id = p.id"
            f" WHERE p.end_reason = 'compression' AND p.id IN ({placeholders(fresh)})",
            fresh,
        )
        parts: dict[str, float] = {}
        for cell, above, config in rows:
            parent, marks = cells.words(above), marks_in(config)
            if parent in found and parent not in map(marks.get, (BRANCH, DELEGATE, RESET)):
                parts[cells.words(cell)] = found[parent]
        fresh = [id_ for id_ in parts if id_ not in found]
        found = later(found, parts)
    return found


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
NEWEST = (
    "(SELECT m.timestamp FROM messages m WHERE m.session_id = s.id"
    " ORDER BY m.timestamp DESC LIMIT 1)"
)
"""The greatest time of a session's messages, by the index on (session_id, timestamp). `max` says
the same, and takes a quarter longer."""
_NEWEST = f"coalesce({NEWEST}, {_NO_MESSAGE})"


def survey(reader: Reader) -> Catalog:
    """Read the whole catalog of a Hermes file."""
    mark = mark_of(reader)
    keys, sources, active, sound = _every_session(reader)
    silent = [at for at, time in enumerate(active) if time <= 0.0]
    empty = frozenset(keys[at] for at in silent if active[at] == _NO_MESSAGE)
    _note_activity(reader, keys, active)
    timeless = [at for at in silent if active[at] <= 0.0]
    if timeless:
        rows = numbered_rows(reader, "s.started_at", "sessions", (keys[at] for at in timeless))
        starts = {key: cells.seconds(time) or 0.0 for key, time in rows}
        for at in timeless:
            active[at] = starts.get(keys[at], 0.0)
    flagged, delegates = _exceptions(reader)
    found, conversations = _families(reader, delegates, keys, active)
    return Catalog(
        keys=keys,
        active=active,
        sources=sources,
        links=found,
        chains=conversations,
        empty=empty,
        mark=mark,
        sound=sound,
        **flagged,
    )


def mark_of(reader: Reader) -> Mark:
    """The highest ids in the file."""
    message = reader.value("SELECT id FROM messages ORDER BY id DESC LIMIT ?", (1,))
    session = reader.value("SELECT max(rowid) FROM sessions")
    return Mark(cells.integer(message) or 0, cells.integer(session) or 0)


def _every_session(reader: Reader) -> tuple[Sequence[int], Sequence[str], "array[float]", bool]:
    """(keys, sources, newest message or `_NO_MESSAGE`) of all, and whether the file is consistent
    about them: one walk along the index of ids, which is the order of the index on
    (session_id, timestamp) that is probed for each."""
    keys, times = _walk_by_id(reader)
    commonest, source_of, counted = _sources(reader)
    sound = len(keys) == counted == len(frozenset(keys)) or counts_agree(reader, "NOT INDEXED")
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
    number, infinity above every time, so if that is not a time, all values are read."""
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


def _exceptions(reader: Reader) -> tuple[dict[str, frozenset[int]], list[int]]:
    """(the sessions of which a column of `FLAGS` says yes, those that are marked as delegates): the
    one scan of the table, with few rows coming back."""
    known = [f's."{name}"' for name in FLAGS if reader.schema.has("sessions", name)]
    delegate = f"instr(s.model_config, '{DELEGATE}')"
    rows = walk(
        reader,
        f"{delegate}, {reader.schema.pick('sessions', 's', FLAGS)}",
        "sessions",
        " OR ".join((*known, delegate)),
    )
    flagged = {
        column: frozenset(row[0] for row in rows if cells.flag(row[at], default=False))
        for at, column in enumerate(FLAGS, 2)
    }
    return flagged, [row[0] for row in rows if row[1]]


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
    """What the links depend on: of all children, of their parents and of the marked."""
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
    # By position, which is quicker: a big file has many thousands of them.
    return Ties(
        number,
        cells.words(id_),
        None if parent is None else cells.text(parent) or None,
        cells.words(source),
        config,
        started_at,
        None if end is None else cells.seconds(end),
        cells.text(reason),
        newest.get(number) or started_at or 0.0,
        None if route is None else cells.text(route) or None,
    )


def counts_agree(reader: Reader, *ways: str) -> bool:
    """Whether the indices on all sessions, and what other `ways` there are to count, come to one
    number: in one statement, since between two an agent may add a session."""
    ways = (*ways, *filter(None, map(reader.schema.indexed_by, _INDICES)))
    if not ways:
        return True
    # Not count(*): for that SQLite always uses the smallest index.
    counts = ", ".join(f"(SELECT total(1) FROM sessions s {way})" for way in ways)
    return len(set(reader.row(f"SELECT {counts}"))) == 1

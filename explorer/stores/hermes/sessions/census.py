"""A census of a Hermes file: its sessions counted in SQL, without a row for each.

It comes to the same as `survey`, which makes an object of every session and takes half as long
again. Three walks: along the index of sources, which counts; along the index of ids with a look at
the newest message of each session, from which only those without one and the newest come back; and
through the table, from which children and flagged sessions come back. How new is new is guessed
from a few candidates; the caller checks that the census reaches far enough.

Nothing is assumed about what was counted before. A proof that a kept count still holds would have
to see every flag and every newest message again, which is what these walks do.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from math import inf, nextafter
from typing import Any, NamedTuple

from explorer.model import Kind
from explorer.stores.catalog import Catalog, Link, children
from explorer.stores.census import Census
from explorer.stores.hermes.sessions.first_page import MARGIN, candidate_times
from explorer.stores.hermes.sessions.survey import (
    DELEGATE,
    FLAGS,
    ID_INDEX,
    NEWEST,
    SOURCE_INDEX,
    TIES,
    Ties,
    chains,
    links,
    make_ties,
    mark_of,
    newest_time,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import numbered_rows

_ABOVE_ZERO = 5e-324
_NOTED = "last_activity_at"
_OF_PARENT = ("source", "ended_at", "end_reason", "session_key")
_TEXT = (str, type(None))
_END = 1 + len(TIES)
"""Where, in a row, the flags follow what links depend on; then comes the noted activity."""
_MARK = _END + len(FLAGS) + 1
"""Where the mark of a delegate is; then the parent follows."""


class Tied(NamedTuple):
    """What a walk through the table found."""

    sources: dict[int, str]
    flagged: dict[str, set[int]]
    noted: dict[int, float]
    """When the agent noted activity, where that is new."""
    ties: dict[int, Ties]
    """Of children, delegates and parents."""


def census(reader: Reader, first: int, sources: Collection[str]) -> Census | None:
    """A census that is likely to tell the first so many rows of these sources, or of all; None
    where only a survey can tell."""
    since = _since(reader, first, sources)
    if reader.breathes or since is None:
        # Without a log, an agent would have to wait for each of the walks.
        return None
    numbers = _numbers(reader)
    found = _tied(reader, since)
    if numbers is None or found is None:
        return None
    known, active, empty = _probed(reader, since)
    known |= found.sources
    for key, noted in found.noted.items():
        active[key] = max(noted, active.get(key, -inf))
    linked = links(found.ties.values(), markers=reader.schema.has("sessions", "archived"))
    conversations = chains(linked, _with_forks(reader, found.ties, linked))
    for part in (key for chain in conversations for key in chain):
        known.setdefault(part, found.ties[part].source)
    others = Counter(numbers)
    others.subtract(known.values())
    if any(number < 0 for number in others.values()):
        return None
    catalog = Catalog(
        keys=list(known),
        active=[active.get(key, -inf) for key in known],
        sources=list(known.values()),
        links=linked,
        chains=conversations,
        empty=empty,
        mark=mark_of(reader),
        archived=found.flagged["archived"],
        pinned=found.flagged["pinned"],
        hidden=found.flagged["hidden"],
    )
    return Census(catalog, +others, since)


def _since(reader: Reader, first: int, sources: Collection[str]) -> float | None:
    """A time after which more than so many rows were active; a guess, since some may be hidden."""
    times = candidate_times(reader, first + MARGIN, sources)
    newest = sorted(times.values(), reverse=True)[: 2 * first + MARGIN]
    return newest[-1] if newest and newest[-1] > 0.0 else None


def _numbers(reader: Reader) -> dict[str, int] | None:
    """How many sessions each source has; None where the indices do not come to one number."""
    hint, along = map(reader.schema.indexed_by, (SOURCE_INDEX, ID_INDEX))
    rows = reader.rows(f"SELECT s.source, count(*) FROM sessions s {hint} GROUP BY s.source")
    counted = sum(number for _, number in rows)
    # Not count(*): for that SQLite always uses the smallest index.
    if reader.value(f"SELECT total(1) FROM sessions s {along}") != counted:
        return None
    numbers: dict[str, int] = {}
    for source, number in rows:
        numbers[cells.words(source)] = numbers.get(cells.words(source), 0) + number
    return numbers


def _probed(
    reader: Reader, since: float
) -> tuple[dict[int, str], dict[int, float], frozenset[int]]:
    """(sources, last activity, which are empty) of the sessions whose newest message is new or has
    no time, and of those without one."""
    columns = f"{NEWEST}, s.started_at, {reader.schema.pick('sessions', 's', (_NOTED,))}"
    rows = reader.rows(
        f"SELECT s.rowid, s.source, {columns} FROM sessions s"
        f" {reader.schema.indexed_by(ID_INDEX)} WHERE coalesce({NEWEST} NOT BETWEEN ? AND ?, 1)",
        (_ABOVE_ZERO, nextafter(since, 0.0)),
    )
    active = {key: _active(reader, key, *row) for key, _, *row in rows}
    empty = frozenset(row[0] for row in rows if row[2] is None)
    return {row[0]: cells.words(row[1]) for row in rows}, active, empty


def _active(reader: Reader, key: int, newest: object, start: object, noted: object) -> float:
    """When a session was last active: at its newest message, when its agent noted that, or, where
    neither has a time, when it was started."""
    spoken = newest_time(reader, key, newest) or 0.0
    worked = cells.sane_seconds(noted) or 0.0
    return max(spoken, worked) or cells.seconds(start) or 0.0


def _tied(reader: Reader, since: float) -> Tied | None:
    """The one walk through the table; None where ids or links are not text."""
    schema = reader.schema
    flags = [f's."{name}"' for name in FLAGS if schema.has("sessions", name)]
    delegate = f"instr(s.model_config, '{DELEGATE}')"
    told = ["s.parent_session_id IS NOT NULL", delegate, *flags]
    if schema.has("sessions", _NOTED):
        told.append(f"s.{_NOTED} >= ?")
    rows = reader.rows(
        f"SELECT s.rowid, {schema.pick('sessions', 's', (*TIES, *FLAGS, _NOTED))}, {delegate},"
        f" p.rowid, {schema.pick('sessions', 'p', _OF_PARENT)} FROM sessions s NOT INDEXED"
        f" LEFT JOIN sessions p ON p.id = s.parent_session_id WHERE {' OR '.join(told)}",
        (since,) if len(told) > 2 + len(flags) else (),
    )
    if len(sources := {row[0]: cells.words(row[3]) for row in rows}) != len(rows):
        return None
    flagged = {
        column: {row[0] for row in rows if row[at] and cells.flag(row[at], default=False)}
        for at, column in enumerate(FLAGS, _END)
    }
    noted = {row[0]: cells.sane_seconds(row[_MARK - 1]) or 0.0 for row in rows if row[_MARK - 1]}
    tied = [row for row in rows if row[2] is not None or row[_MARK]]
    if not all(type(row[1]) is str and type(row[2]) in _TEXT for row in tied):
        return None
    ties = {row[0]: make_ties(row[:_END], {}) for row in tied}
    # Children come before, by their numbers: of links in a circle, the first is the one to break.
    for row in tied:
        if row[_MARK + 1] is not None and row[_MARK + 1] not in ties:
            ties[row[_MARK + 1]] = _parent(row[2], *row[_MARK + 1 :])
    new = {key: time for key, time in noted.items() if time >= since}
    return Tied(sources, flagged, new, ties)


def _parent(id_: str, key: int, source: object, end: object, reason: object, route: object) -> Ties:
    """A parent, with what the links of its children depend on."""
    ended, chat = cells.seconds(end), cells.text(route) or None
    return Ties(
        key, id_, None, cells.words(source), None, None, ended, cells.text(reason), 0.0, chat
    )


def _with_forks(reader: Reader, ties: dict[int, Ties], linked: dict[int, Link]) -> dict[int, Ties]:
    """The same ties, with the last activity of sessions that continue the same one: that decides
    which of them is followed."""
    continued = children(linked, Kind.CONTINUATION).values()
    forked: Iterable[int] = (key for several in continued if len(several) > 1 for key in several)
    columns = f"{NEWEST}, s.started_at, {reader.schema.pick('sessions', 's', (_NOTED,))}"
    rows: list[Any] = numbered_rows(reader, columns, "sessions", forked)
    told = {key: ties[key]._replace(last_active=_active(reader, key, *row)) for key, *row in rows}
    return {**ties, **told} if told else ties

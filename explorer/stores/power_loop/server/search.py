"""Search on a server: there is no search table, and no index on the times of messages.

The sessions are walked from the one written last, some at a time, and their messages found by their
primary key; the server compares the cells. So the newest hits come first, each stretch can be
cancelled, and no message is newer than the last activity of its session.
"""

import math
from array import array
from collections.abc import Collection, Iterable
from typing import NamedTuple

from explorer.stores.base import Candidate, Needles, Stretch
from explorer.stores.power_loop.search import (
    candidate,
    candidate_columns,
    certainty,
    condition,
)
from explorer.stores.power_loop.server.flavour import streamed
from explorer.stores.power_loop.server.tables import ServerTables
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import placeholders
from explorer.stores.table_reader import TableReader

FIRST, MOST = 100, 1000
"""Sessions in the first stretch, and at most in one: each takes three times as many as the one
before it."""


class ServerScan(NamedTuple):
    """How far a search has come."""

    keys: "array[int]"
    """The sessions, the one written last first."""
    active: "array[float]"
    at: int
    """The first session that was not searched; after the last one come messages without a
    session."""
    size: int
    """Sessions in the next stretch."""
    every: bool
    """Whether these are all sessions, and not only those of the first stretch."""


def scanned(reader: TableReader, tables: ServerTables, needles: Needles, below: object) -> Stretch:
    """The candidates in the sessions written last, or in the next ones below a mark."""
    place = below if isinstance(below, ServerScan) else _newest_of(reader, tables)
    if place.at >= len(place.keys) and not place.every:
        place = _all_but(reader, tables, place)
    if place.at >= len(place.keys):
        return Stretch(_lost(reader, tables, needles), None, 1.0)
    end = min(place.at + place.size, len(place.keys))
    ids = filter(None, map(tables.ids.id, place.keys[place.at : end]))
    found = _within(reader, tables, needles, ids)
    rest = place._replace(at=end, size=min(3 * place.size, MOST))
    return Stretch(found, rest, end / (len(place.keys) + 1) if place.every else 0.0)


def _newest_of(reader: TableReader, tables: ServerTables) -> ServerScan:
    """Where a search begins: to put all sessions in order takes a server seconds."""
    return _ordered(reader, tables, f" LIMIT {FIRST}", ())._replace(size=FIRST, every=False)


def _all_but(reader: TableReader, tables: ServerTables, searched: ServerScan) -> ServerScan:
    """All sessions but those that were searched first, in the order of now."""
    return _ordered(reader, tables, "", frozenset(searched.keys))._replace(size=searched.size)


def _ordered(
    reader: TableReader, tables: ServerTables, limit: str, without: Collection[int]
) -> ServerScan:
    keys, active = array("q"), array("d")
    for id_, written in streamed(
        reader,
        f"SELECT s.session_id, {tables.active} FROM {tables.sessions} s"
        f" ORDER BY {tables.active} DESC{limit}",
    ):
        key = tables.key(id_)
        if key not in without:
            keys.append(key)
            active.append(cells.seconds(written) or 0.0)
    return ServerScan(keys, active, 0, MOST, every=True)


def _within(
    reader: TableReader, tables: ServerTables, needles: Needles, ids: Iterable[str]
) -> list[Candidate]:
    """The candidates in these sessions, newest first."""
    some = list(ids)
    certain, sure = certainty(reader, tables, needles)
    holds, values = condition(reader, tables, needles)
    # Session by session: for a join, the server reads all sessions again for every stretch, since
    # it cannot know how few messages hold the words.
    rows = reader.rows(
        f"SELECT {candidate_columns(tables, certain)} FROM {tables.sessions} s CROSS JOIN LATERAL"
        f" (SELECT o.* FROM {tables.messages} o WHERE o.session_id = s.session_id OFFSET 0) m"
        f" WHERE s.session_id IN ({placeholders(some)}) AND {holds}",
        (*sure, *some, *values),
    )
    return sorted((candidate(tables, row) for row in rows), key=lambda one: -one.at)


def _lost(reader: TableReader, tables: ServerTables, needles: Needles) -> list[Candidate]:
    """The candidates among messages whose session is gone."""
    certain, sure = certainty(reader, tables, needles)
    holds, values = condition(reader, tables, needles)
    rows = reader.rows(
        f"SELECT {candidate_columns(tables, certain)} FROM {tables.messages} m"
        f" LEFT JOIN {tables.sessions} s ON s.session_id = m.session_id"
        f" WHERE s.session_id IS NULL AND {holds}",
        (*sure, *values),
    )
    return sorted((candidate(tables, row) for row in rows), key=lambda one: -one.at)


def newest_below(mark: object) -> float:
    """A time that no message below a mark is newer than; messages without a session come last,
    whatever their time."""
    if not isinstance(mark, ServerScan) or not len(mark.keys):
        return math.inf
    if mark.at < len(mark.keys):
        return mark.active[mark.at]
    return -math.inf if mark.every else mark.active[-1]

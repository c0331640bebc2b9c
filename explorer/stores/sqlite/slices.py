"""Walks through whole tables in slices, each a short read.

Without a write-ahead log a reader keeps the agent from committing, so a walk through 100,000
sessions is made in pieces of some hundredths of a second, between which the agent gets its turn.
Changes in between are seen in part: callers cope with rows that come and go. With a log, one
statement reads one state of everything and delays no writer.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import MOST_BOUND, batches, placeholders, quoted

AIM = 0.015
"""Seconds that a slice is to take; what a disk adds comes on top."""
FIRST, LEAST, MOST = 1000, 50, 20_000
"""Rows of the first slice, and the bounds of those after it: a row may span many pages."""
FEW = 50
"""Rows that are looked up at once: they may be anywhere on the disk."""
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
"""The numbers that a row may have."""


class Pace:
    """How many rows fit into a slice, by how long the last one took."""

    def __init__(self) -> None:
        self.rows = FIRST
        self._began = time.monotonic()

    def end(self) -> None:
        """A slice has ended, and the next one begins."""
        began, self._began = self._began, time.monotonic()
        took = max(self._began - began, 0.0005)
        # Not at once to a hundredfold: the next rows may be longer.
        fits = min(self.rows * AIM / took, self.rows * 4)
        self.rows = int(min(max(fits, LEAST), MOST))


def walk(
    reader: Reader, columns: str, table: str, where: str = "", values: Sequence[object] = ()
) -> list[Any]:
    """All rows of a table (its alias is `s`), or those for which a condition holds, each with its
    number before the `columns`."""
    select = f"SELECT s.rowid, {columns} FROM {quoted(table)} s"
    if not reader.breathes:
        return reader.rows(f"{select} WHERE {where}" if where else select, values)
    found: list[Any] = []
    within = f"{select} WHERE s.rowid BETWEEN ? AND ?" + (f" AND ({where})" if where else "")
    for low, high in _ranges(reader, table):
        found += reader.rows(within, (low, high, *values))
    reader.rest()
    return found


def walk_along(reader: Reader, columns: str, table: str, column: str, hint: str) -> list[Any]:
    """The same along the index on a column, the last of `columns`: all rows in which it is set. No
    two of them may have the same value."""
    select = f"SELECT s.rowid, {columns} FROM {quoted(table)} s {hint} WHERE s.{column}"
    if not reader.breathes:
        return reader.rows(f"{select} IS NOT NULL")
    pace = Pace()
    found: list[Any] = []
    above, last = "IS NOT NULL", ()
    while True:
        few = reader.rows(f"{select} {above} ORDER BY s.{column} LIMIT ?", (*last, pace.rows))
        found += few
        if len(few) < pace.rows:
            reader.rest()
            return found
        above, last = "> ?", few[-1][-1:]
        pace.end()


def numbered_rows(
    reader: Reader, columns: str, table: str, keys: Iterable[int] | None = None
) -> list[Any]:
    """The rows with these numbers, or all, each with its number before the `columns`."""
    if keys is None:
        return walk(reader, columns, table)
    select = f"SELECT s.rowid, {columns} FROM {quoted(table)} s"
    return [
        row
        for batch in batches(keys, FEW if reader.breathes else MOST_BOUND)
        for row in reader.rows(f"{select} WHERE s.rowid IN ({placeholders(batch)})", batch)
    ]


def _ranges(reader: Reader, table: str) -> Iterator[tuple[int, int]]:
    """(first, last) numbers of rows, of as many as fit into a slice."""
    pace, low = Pace(), LOWEST
    last = (
        f"SELECT s.rowid FROM {quoted(table)} s WHERE s.rowid >= ? ORDER BY s.rowid"
        " LIMIT 1 OFFSET ?"
    )
    while True:
        high = reader.value(last, (low, pace.rows - 1))
        yield low, HIGHEST if high is None else high
        if high is None or high == HIGHEST:
            return
        low = high + 1
        pace.end()

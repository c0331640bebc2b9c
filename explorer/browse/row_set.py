"""Some rows of a list, by their numbers.

Few are in a set. Of a million, a set would take 60 MB, so where most numbers up to the highest are
there, they are flags: a byte for each number.
"""

from collections.abc import Collection, Iterable, Iterator, MutableSet, Set
from itertools import chain, compress

MANY = 20_000
"""Rows from which on a set takes more than it is worth."""
SPARSE = 16
"""Bytes for each row up to which flags take less than a set."""


class RowSet(MutableSet[int]):
    """A set of whole numbers, which may be below zero."""

    def __init__(self, rows: Iterable[int] = ()) -> None:
        self._flags = bytearray()
        self._others: set[int] = set()
        """Those that have no place among the flags."""
        self._flagged = 0
        self.update(rows if isinstance(rows, Collection) else list(rows))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Set):
            return NotImplemented
        return len(self) == len(other) and all(row in self for row in other)

    def __len__(self) -> int:
        return self._flagged + len(self._others)

    def __contains__(self, row: object) -> bool:
        if isinstance(row, int) and 0 <= row < len(self._flags):
            return self._flags[row] == 1
        return row in self._others

    def __iter__(self) -> Iterator[int]:
        return chain(compress(range(len(self._flags)), self._flags), tuple(self._others))

    def add(self, value: int) -> None:
        if not 0 <= value < len(self._flags):
            self._others.add(value)
        elif not self._flags[value]:
            self._flags[value] = 1
            self._flagged += 1

    def discard(self, value: int) -> None:
        if not 0 <= value < len(self._flags):
            self._others.discard(value)
        elif self._flags[value]:
            self._flags[value] = 0
            self._flagged -= 1

    def toggle(self, row: int) -> None:
        """In or out."""
        if row in self:
            self.discard(row)
        else:
            self.add(row)

    def clear(self) -> None:
        self._flags, self._others, self._flagged = bytearray(), set(), 0

    def copy(self) -> "RowSet":
        made = RowSet()
        made._flags, made._others = self._flags[:], set(self._others)
        made._flagged = self._flagged
        return made

    def update(self, rows: Collection[int]) -> None:
        """Add all of these."""
        self._make_room(rows)
        if not self._flags:
            self._others.update(rows)
            return
        flags, others = self._flags, self._others
        room = len(flags)
        for row in rows:
            if 0 <= row < room:
                flags[row] = 1
            else:
                others.add(row)
        self._flagged = flags.count(1)

    def difference_update(self, rows: Iterable[int]) -> None:
        """Remove all of these."""
        for row in rows:
            self.discard(row)

    def number_of(self, rows: Iterable[int]) -> int:
        """How many of these, which are all different, are here."""
        flags, others = self._flags, self._others
        room = len(flags)
        return sum(flags[row] if 0 <= row < room else row in others for row in rows)

    def _make_room(self, rows: Collection[int]) -> None:
        """Have flags for these, where they are worth it."""
        if len(rows) < MANY:
            return
        highest = max(rows)
        if len(self._flags) <= highest < SPARSE * len(rows):
            self._flags.extend(bytes(highest + 1 - len(self._flags)))
            moved = [row for row in self._others if 0 <= row <= highest]
            self._others.difference_update(moved)
            for row in moved:
                self._flags[row] = 1
            self._flagged += len(moved)

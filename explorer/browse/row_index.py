"""Which session, or which heading, is on which line of the list.

Rows all have one height and headings one line, so every answer is arithmetic and a search among
the few headings: 100,000 rows cost the same as 100.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Group(NamedTuple):
    """A heading and the row it stands above."""

    first: int
    title: str


class RowIndex:
    """Lines of a list of `rows` rows, each `height` lines tall, in groups."""

    def __init__(self, rows: int, height: int, groups: Sequence[Group] = ()) -> None:
        self.rows = rows
        self.height = height
        self.groups = tuple(groups)
        self._firsts = [group.first for group in self.groups]
        self._heads = [group.first * height + at for at, group in enumerate(self.groups)]

    @property
    def total(self) -> int:
        return self.rows * self.height + len(self.groups)

    def top(self, row: int) -> int:
        """The first line of a row."""
        return row * self.height + bisect_right(self._firsts, row)

    def group_of(self, row: int) -> int | None:
        """The group that a row is in."""
        at = bisect_right(self._firsts, row) - 1
        return at if at >= 0 else None

    def heading_at(self, line: int) -> int | None:
        """The group whose heading is on this line."""
        at = bisect_right(self._heads, line) - 1
        return at if at >= 0 and self._heads[at] == line else None

    def row_at(self, line: int) -> tuple[int, int] | None:
        """(row, line within it), or None on a heading and beyond the end."""
        if not 0 <= line < self.total or self.heading_at(line) is not None:
            return None
        return divmod(line - bisect_right(self._heads, line), self.height)

    def nearest_row(self, line: int) -> int:
        """The row on this line, below this heading, or at this end of the list."""
        line = max(0, min(line, self.total - 1))
        found = self.row_at(line) or self.row_at(line + 1) or (0, 0)
        return found[0]

    def rows_of(self, group: int) -> range:
        """The rows under a heading."""
        after = group + 1
        end = self._firsts[after] if after < len(self._firsts) else self.rows
        return range(self._firsts[group], end)

    def beside(self, row: int, step: int) -> int:
        """The first row under the next heading; backwards under this one, then the one before."""
        if not self.groups:
            return self.rows - 1 if step > 0 else 0
        if step > 0:
            after = bisect_right(self._firsts, row)
            return self._firsts[after] if after < len(self._firsts) else self.rows - 1
        return self._firsts[max(bisect_left(self._firsts, row) - 1, 0)]

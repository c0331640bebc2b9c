"""Where each item of a long scroll begins, when the heights are mostly estimates.

Items are summed up in blocks, so that setting a height, finding where an item begins and finding
the item at a line touch one block and the list of all blocks, and 35,000 messages feel like 20. A
tree would save little there, and takes milliseconds to build.
"""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate

BLOCK = 32


class HeightIndex:
    """The heights of items, one below the other."""

    def __init__(self, heights: Iterable[int]) -> None:
        self._heights = list(heights)
        firsts = range(0, len(self._heights), BLOCK)
        self._sums = [sum(self._heights[first : first + BLOCK]) for first in firsts]
        self._starts: list[int] | None = None
        """Where each block begins, and the end of the last; None after a change."""

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def total(self) -> int:
        return self._blocks()[-1]

    def height(self, item: int) -> int:
        return self._heights[item]

    def set(self, item: int, height: int) -> None:
        change = height - self._heights[item]
        if change:
            self._heights[item] = height
            self._sums[item // BLOCK] += change
            self._starts = None

    def start(self, item: int) -> int:
        """The first line of an item: the sum of all heights before it."""
        block = item // BLOCK
        return self._blocks()[block] + sum(self._heights[block * BLOCK : item])

    def at(self, line: int) -> tuple[int, int]:
        """(item, line within it) at a line of the scroll; the nearest one beyond either end."""
        if not self._heights:
            return 0, 0
        starts = self._blocks()
        left = max(line, 0)
        if left >= starts[-1]:
            last = len(self._heights) - 1
            return last, max(self._heights[last] - 1, 0)
        # The last block that begins there: one without any height before it has no line.
        block = bisect_right(starts, left) - 1
        left -= starts[block]
        item = block * BLOCK
        while left >= self._heights[item]:
            left -= self._heights[item]
            item += 1
        return item, left

    def _blocks(self) -> list[int]:
        if self._starts is None:
            self._starts = list(accumulate(self._sums, initial=0))
        return self._starts

"""Where each item of a long scroll begins, when the heights are mostly estimates.

A Fenwick tree: setting a height, finding where an item begins and finding the item at a line all
take the logarithm of the number of items, so that 35,000 messages feel like 20.
"""

from collections.abc import Iterable


class HeightIndex:
    """The heights of items, one below the other."""

    def __init__(self, heights: Iterable[int]) -> None:
        self._heights = list(heights)
        size = len(self._heights)
        self._tree = [0, *self._heights]
        for at in range(1, size + 1):
            parent = at + (at & -at)
            if parent <= size:
                self._tree[parent] += self._tree[at]
        self._top = 1 << (size.bit_length() - 1) if size else 0

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def total(self) -> int:
        return self.start(len(self._heights))

    def height(self, item: int) -> int:
        return self._heights[item]

    def set(self, item: int, height: int) -> None:
        change = height - self._heights[item]
        if not change:
            return
        self._heights[item] = height
        at = item + 1
        while at < len(self._tree):
            self._tree[at] += change
            at += at & -at

    def start(self, item: int) -> int:
        """The first line of an item: the sum of all heights before it."""
        total, at = 0, item
        while at > 0:
            total += self._tree[at]
            at -= at & -at
        return total

    def at(self, line: int) -> tuple[int, int]:
        """(item, line within it) at a line of the scroll; the nearest one beyond either end."""
        if not self._heights:
            return 0, 0
        left, at, step = max(line, 0), 0, self._top
        while step:
            further = at + step
            if further < len(self._tree) and self._tree[further] <= left:
                at = further
                left -= self._tree[further]
            step >>= 1
        if at >= len(self._heights):
            last = len(self._heights) - 1
            return last, max(self._heights[last] - 1, 0)
        return at, left

"""Which rows are selected: by session, so that filter and order do not change it."""

from collections.abc import Collection, Sequence

from explorer.render.figures import count
from explorer.stores.catalog import Catalog


class Selection:
    """A set of rows, and the range that is being drawn with the keyboard or the mouse."""

    def __init__(self) -> None:
        self.keys: set[int] = set()
        self._anchor: int | None = None
        self._before: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return len(self.keys)

    def __contains__(self, key: int) -> bool:
        return key in self.keys

    def toggle(self, key: int) -> None:
        self.keys ^= {key}
        self.rest()

    def rest(self) -> None:
        """The cursor moves on by itself: the next range begins elsewhere."""
        self._anchor = None

    def extend(self, order: Sequence[int], start: int, to: int) -> None:
        """Draw the range on to the row `to`, from where it was begun or from `start`."""
        if self._anchor is None or self._anchor not in order:
            self._anchor = order[start]
            self._before = frozenset(self.keys)
        first, last = sorted((order.index(self._anchor), to))
        self.keys = set(self._before.union(order[first : last + 1]))

    def invert(self, order: Sequence[int]) -> None:
        """Of the rows that are shown; others stay as they are."""
        self.keys.symmetric_difference_update(order)
        self.rest()

    def add(self, order: Sequence[int]) -> None:
        self.keys.update(order)
        self.rest()

    def drop(self, keys: Collection[int]) -> None:
        """These only: what was selected since stays."""
        self.keys.difference_update(keys)
        self.rest()

    def clear(self) -> None:
        self.keys.clear()
        self.rest()

    def follow(self, catalog: Catalog) -> None:
        """Conversations have been continued: they stay selected."""
        self.keys = set(catalog.tips(frozenset(self.keys)))
        self._before = catalog.tips(self._before)
        if self._anchor is not None:
            self._anchor = catalog.tip(self._anchor)

    def words(self, shown: Collection[int]) -> str:
        """How many, and how many of them are out of sight because of filter or search."""
        if not self.keys:
            return ""
        missing = len(self.keys.difference(shown))
        unseen = f", {count(missing)} not shown" if missing else ""
        return f"{count(len(self.keys))} selected{unseen}"

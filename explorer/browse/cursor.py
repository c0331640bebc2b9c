"""The cursor of a list, the row it is on and where it goes when the list changes; and which rows
are selected. Both are about sessions, not lines, so that filter and order do not change them.

Lists are made in threads: if the user has moved the cursor before a new list arrives, it stays
where it is. Otherwise it follows an edit, a search or a jump, and stays near a row that has left
the list. All of that is decided here.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from explorer.browse.arrangement import Arranged, inside_row, session_of
from explorer.browse.row_cache import text_of
from explorer.browse.row_set import RowSet
from explorer.stores.catalog import Catalog


class _Goal(NamedTuple):
    """The first of these rows that is listed is where the cursor goes."""

    rows: Sequence[int] = ()
    moves: int = 0
    """How often the user had moved the cursor by then."""


class ListCursor:
    """The cursor of one list."""

    def __init__(self) -> None:
        self.order: Sequence[int] = ()
        self.place = 0
        """Where it is in that order."""
        self.moves = 0
        """How often the user has moved it."""
        self._touched = False
        """The user has moved it, since the search began if there is one."""
        self._picked: int | None = None
        """The row that it was moved to last."""
        self._text = ""
        """What was searched for to get this list."""
        self.guessed = False
        """The list is a first page, whose order is a guess: until the user has moved the cursor, it
        is on the first row of the exact list that follows, not on a row from far below."""
        self._next = _Goal()
        self._back = _Goal()
        self._before_search: int | None = None
        self._left: _Goal | None = None
        """Where it was before a search that was left on what it found."""

    @property
    def row(self) -> int | None:
        """The number of the row under it: its key, or that of a row inside another."""
        return self.order[self.place] if self.order else None

    def place_of(self, row: int | None) -> int | None:
        """Where a row is: a look at the old place first, since most changes move little."""
        if row is None:
            return None
        if self.place < len(self.order) and self.order[self.place] == row:
            return self.place
        return self.order.index(row) if row in self.order else None

    def move(self, to: int) -> bool:
        """Move it for the user; whether it is on another row then."""
        self._touched = True
        self.moves += 1
        to = max(0, min(to, len(self.order) - 1))
        if not self.order or to == self.place:
            return False
        self.place, self._picked = to, self.order[to]
        return True

    def search(self) -> None:
        """A search begins: the cursor goes to its results, and can go back to where it was."""
        self._left = None
        if self._before_search is None:
            self._before_search = self.row
            self._touched = False

    @property
    def can_step_back(self) -> bool:
        """Whether there is somewhere to step back to."""
        left = self._left
        return left is not None and left.moves == self.moves

    def step_back(self) -> int | None:
        """Where it was before the search that was just closed, if the user has neither moved it nor
        stepped back since."""
        left, self._left = self._left, None
        if left is None or left.moves != self.moves:
            return None
        return next((row for row in left.rows if row in self.order), None)

    def go_to(self, row: int) -> None:
        """With the next list."""
        self._next = _Goal((row,), self.moves)

    def jump(self, row: int) -> None:
        """As `go_to`, where the user asks for it: that is a move."""
        self.moves += 1
        self.go_to(row)

    def go_back(self, rows: Sequence[int], moves: int) -> None:
        """To sessions that are back, when the list is sure to have them; `moves` is how often the
        cursor had been moved when the user asked for them."""
        self._back = _Goal(rows, moves)

    def stay_near(self, leaving: Collection[int]) -> None:
        """These rows leave the list: the cursor then stays where they were."""
        near = self.row
        if near in leaving:
            rest = [*self.order[self.place :], *reversed(self.order[: self.place])]
            near = next((row for row in rest if row not in leaving), None)
            if near is not None:
                self.go_to(near)
        if self._before_search in leaving:
            self._before_search = near

    def follow(self, arranged: Arranged, tip: Callable[[int], int] | None, sure: bool) -> bool:
        """Go on in another list, of which it is `sure` that it has what an edit brought back; `tip`
        tells by which row a session is listed now. Whether the cursor has kept to something."""
        wanted = self._wanted(arranged, tip, sure)
        before, self.order = self.order, arranged.order
        kept = self.place_of(wanted)
        if kept is None and wanted is not None and wanted in before:
            kept = self._nearest(before, before.index(wanted))
        self.place, self._text = kept or 0, text_of(arranged)
        self.guessed = self.guessed and arranged.basis is None
        return kept is not None

    def _wanted(
        self, arranged: Arranged, tip: Callable[[int], int] | None, sure: bool
    ) -> int | None:
        here, order = self.row, arranged.order
        if arranged.found is None:
            reached = self._reached(order, sure)
            if reached is not None:
                return reached
        elif self._touched:
            # It may not have been among the results for a letter or two.
            if self._picked in order:
                return self._picked
        elif order and text_of(arranged) != self._text:
            # The first results of another search: the first one is what was looked for.
            return order[0]
        if self.guessed and arranged.basis is not None and not self.moves:
            return None
        return tip(here) if tip is not None and here is not None else here

    def _reached(self, order: Sequence[int], sure: bool) -> int | None:
        """The row to go to in a list of everything."""
        before, self._before_search = self._before_search, None
        here = self.row
        if before is not None and here is not None and here != before and here in order:
            self._left = _Goal((before,), self.moves)
            before = None
        goals, self._next = [self._next], _Goal()
        if sure:
            goals, self._back = [self._back, *goals], _Goal()
        wanted = [row for goal in goals if goal.moves == self.moves for row in goal.rows]
        listed = RowSet(order) if wanted else ()
        return next((row for row in wanted if row in listed), before)

    def _nearest(self, before: Sequence[int], at: int) -> int | None:
        """The place of the first row after one that is gone, else of the last one before it."""
        listed = RowSet(self.order)
        following = (row for row in before[at:] if row in listed)
        preceding = (row for row in reversed(before[:at]) if row in listed)
        near = next(following, next(preceding, None))
        return None if near is None else self.order.index(near)


class Selection:
    """A set of rows, and the range that is being drawn with the keyboard or the mouse."""

    def __init__(self) -> None:
        self.keys = RowSet()
        self.ids: dict[int, str] = {}
        """Which sessions they are, by key, of most of them: a file may give the number of one to
        another."""
        self._anchor: int | None = None
        self._before = RowSet()

    def __len__(self) -> int:
        return len(self.keys)

    def __contains__(self, key: int) -> bool:
        return key in self.keys

    def note(self, ids: Mapping[int, str]) -> None:
        """Of what is selected, which sessions they are; others are forgotten."""
        known = {**ids, **self.ids}
        self.ids = {key: id_ for key, id_ in known.items() if self._has(key)}

    def _has(self, key: int) -> bool:
        return key in self.keys or inside_row(key) in self.keys

    def missing_in(self, order: Sequence[int]) -> int:
        """How many selected rows a list does not have."""
        return len(self.keys) - self.keys.number_of(order) if self.keys else 0

    def toggle(self, key: int) -> None:
        self.keys.toggle(key)
        self.rest()

    def rest(self) -> None:
        """The cursor moves on by itself: the next range begins elsewhere."""
        self._anchor = None

    def extend(self, order: Sequence[int], start: int, to: int) -> None:
        """Draw the range on to the row `to`, from where it was begun or from `start`."""
        if self._anchor is None or self._anchor not in order:
            self._anchor = order[start]
            self._before = self.keys.copy()
        first, last = sorted((order.index(self._anchor), to))
        self.keys = self._before.copy()
        self.keys.update(order[first : last + 1])

    def invert(self, order: Sequence[int]) -> None:
        """Of the rows that are shown; others stay as they are."""
        for row in order:
            self.keys.toggle(row)
        self.rest()

    def add(self, order: Sequence[int]) -> None:
        self.keys.update(order)
        self.rest()

    def drop(self, keys: Collection[int]) -> None:
        """These only: what was selected since stays."""
        self.keys.difference_update(keys)
        for key in keys:
            self.ids.pop(session_of(key), None)
        self.rest()

    def clear(self) -> None:
        self.keys.clear()
        self.ids.clear()
        self.rest()

    def follow(self, catalog: Catalog) -> None:
        """Conversations have been continued: they stay selected."""
        for rows in (self.keys, self._before):
            parts = catalog.folded_of(rows)
            rows.difference_update(parts)
            rows.update(list(map(catalog.tip, parts)))
        if self._anchor is not None:
            self._anchor = catalog.tip(self._anchor)

"""Where the cursor goes with the next list, unless somebody moves it first.

Lists are made in threads. Whoever has moved on by the time one comes stays where they are.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from explorer.tui.list.session_list import SessionList


class _Goal(NamedTuple):
    """Rows of which the first that is listed is gone to."""

    rows: Sequence[int] = ()
    moves: int = 0
    """How often somebody had moved the cursor by then."""


class CursorGoal:
    """The goals of the cursor of one list."""

    def __init__(self, sessions: SessionList) -> None:
        self._sessions = sessions
        self._next = _Goal()
        self._back = _Goal()
        self._before_search: int | None = None
        self._left: _Goal | None = None
        """Where the cursor was before a search that was left on what it found."""

    @property
    def moves(self) -> int:
        """How often somebody has moved the cursor."""
        return self._sessions.moves

    def search(self) -> None:
        """Something is searched for: what it found is gone to, and where the cursor was before can
        be gone back to."""
        self._left = None
        if self._before_search is None:
            self._before_search = self._sessions.cursor_row
            self._sessions.touched = False

    def step_back(self) -> int | None:
        """Where the cursor was before the search that was just left, if it has not been moved since
        and nobody has stepped back already."""
        left, self._left = self._left, None
        if left is None or left.moves != self.moves:
            return None
        return next((row for row in left.rows if row in self._sessions.order), None)

    def go_to(self, row: int) -> None:
        """With the next list."""
        self._next = _Goal((row,), self.moves)

    def stay_near(self, leaving: Collection[int]) -> None:
        """These rows may leave the list: the cursor then stays where they were."""
        order, here = self._sessions.order, self._sessions.cursor_row
        if here not in leaving or here not in order:
            return
        at = order.index(here)
        rest = [*order[at:], *reversed(order[:at])]
        near = next((row for row in rest if row not in leaving), None)
        if near is not None:
            self.go_to(near)
        if self._before_search in leaving:
            self._before_search = near

    def go_back(self, rows: Sequence[int], moves: int) -> None:
        """To sessions that are back, when the list is sure to have them; `moves` is how often the
        cursor had been moved when somebody asked for them."""
        self._back = _Goal(rows, moves)

    def reached(self, order: Sequence[int], sure: bool) -> int | None:
        """The row to go to in a list of everything; `sure` if it has what an edit brought back."""
        before, self._before_search = self._before_search, None
        here = self._sessions.cursor_row
        if before is not None and here is not None and here != before and here in order:
            self._left = _Goal((before,), self.moves)
            before = None
        goals, self._next = [self._next], _Goal()
        if sure:
            goals, self._back = [self._back, *goals], _Goal()
        wanted = [row for goal in goals if goal.moves == self.moves for row in goal.rows]
        listed = set(order) if wanted else ()
        return next((row for row in wanted if row in listed), before)

"""Looks at a file that changes: one at a time, each to its end.

On a big file a look takes longer than an agent needs for its next message. If each change began it
anew, it would never end; so what changes meanwhile waits for the next look. And an edit of ours
leaves no trace that a small look would find: after one, everything is to be read by a look that
began later.
"""

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Look:
    """One look at the file."""

    def __init__(self, edits: int) -> None:
        self.edits = edits
        """How many edits there had been when it began."""
        self.ended = False

    def run(self, work: Callable[[], T]) -> T:
        """In its thread: whatever stops it, the next one may begin."""
        try:
            return work()
        except BaseException:
            self.ended = True
            raise


class Looks:
    """Knows which look is under way, and what it will not have seen."""

    def __init__(self) -> None:
        self._edits = 0
        self._seen = 0
        self._last: Look | None = None
        self._next: Callable[[], object] | None = None

    def edited(self) -> None:
        self._edits += 1

    @property
    def must_see_all(self) -> bool:
        return self._edits != self._seen

    @property
    def under_way(self) -> bool:
        return self._last is not None and not self._last.ended

    def begin(self) -> Look:
        self._last = Look(self._edits)
        self._next = None
        return self._last

    def put_off(self, again: Callable[[], object]) -> bool:
        """Whether a look is under way: then this one is had after it."""
        if self.under_way:
            self._next = again
        return self.under_way

    def taken_over(self, look: Look, saw_all: bool) -> None:
        """It is shown: go on with what waited for it."""
        look.ended = True
        if saw_all:
            self._seen = look.edits
        again, self._next = self._next, None
        if again is not None:
            again()

    def forget(self) -> None:
        """Another file is there."""
        self._last = self._next = None

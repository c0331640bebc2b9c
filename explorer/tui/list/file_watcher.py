"""Noticing that the file has changed.

A look at sizes and times about once a second, half as often while the terminal is in the
background, never a connection: the agent must not notice us. What changed is read by whoever is
told.
"""

from collections.abc import Callable
from pathlib import Path

from textual.screen import Screen

from explorer.stores.sqlite.read_only import Stamp, stamp
from explorer.tui.workers import Lanes

EVERY = 1.0
SETTLES_AFTER = 2
"""Looks after which a change is read once more: an agent writes its log, waits for the disk, and
only then can what it wrote be seen, though the log does not change any more."""


class Watching:
    """Watches one file."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        changed: Callable[[], None],
        gone: Callable[[], None],
        replaced: Callable[[], None],
    ) -> None:
        self._lanes = lanes
        self._changed, self._gone, self._replaced = changed, gone, replaced
        self._path: Path | None = None
        self._last: Stamp | None = None
        self._missing = False
        self._skip = False
        self._again = False
        self._settling = 0
        """Looks until the last change is read once more."""
        self.in_background = False
        screen.set_interval(EVERY, self._tick)

    def start(self, path: Path, seen: Stamp | None) -> None:
        """Watch a file; what it was like when it was `seen` is known."""
        self._path = path
        self._last = seen
        self._missing = False

    def look_again(self) -> None:
        """Take the next look for a change: what was read last did not arrive."""
        self._again = True

    @property
    def written(self) -> float | None:
        """When the file was written last, if it was seen."""
        return None if self._last is None else self._last.written

    def _tick(self) -> None:
        self._skip = self.in_background and not self._skip
        path = self._path
        if path is not None and not self._skip:
            self._lanes.start("watch", lambda _: stamp(path), self._look)

    def _look(self, found: Stamp | None) -> None:
        if self._path is None:
            return
        if found is None:
            if not self._missing:
                self._missing = True
                self._gone()
            return
        before, self._last = self._last, found
        if before is not None and found.identity != before.identity:
            self._replaced()
        elif self._missing or self._again or found != before:
            self._again = False
            self._settling = SETTLES_AFTER
            self._changed()
        elif self._settling:
            self._settling -= 1
            if not self._settling:
                self._changed()
        self._missing = False

"""Noticing that the file has changed, or that others were made that belong to it.

A look at sizes, times and folders about once a second, half as often while the terminal is in the
background, never a connection: the agent must not notice us.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from textual.screen import Screen

from explorer.stores.base import Store
from explorer.stores.discover import FoundStore
from explorer.stores.sqlite.read_only import FileState
from explorer.tui.workers import Lanes

LOOK_EVERY = 1.0
SETTLES_AFTER = 2
"""Looks after which a change is read once more: an agent writes its log, waits for the disk, and
only then can what it wrote be seen, though the log does not change any more."""


RETRIES, SELDOM = 10, 5
"""Tries to read a file that cannot be read, one a look, before they come less often; looks between
two of them at most."""


class WatchedFile(Protocol):
    """Who is told what was noticed."""

    def gone(self) -> None: ...

    def replaced(self) -> None: ...

    def changed(self) -> None: ...

    def quiet(self) -> None: ...

    def appeared(self, found: Sequence[FoundStore]) -> None: ...


class Watching:
    """Watches one file."""

    def __init__(self, file: WatchedFile, screen: Screen[None], lanes: Lanes) -> None:
        self._file = file
        self._lanes = lanes
        self._store: Store | None = None
        self._look_for_more: Callable[[], Sequence[FoundStore]] = tuple
        self._last: FileState | None = None
        self._missing = False
        self._skip = False
        self.again = False
        """Treat the next look as a change: the last read failed."""
        self._settling = 0
        """Looks until the last change is read once more."""
        self._seen_writing = False
        self._retries = 0
        self.in_background = False
        screen.set_interval(LOOK_EVERY, self._tick)

    def start(
        self,
        store: Store,
        seen: FileState | None,
        look_for_more: Callable[[], Sequence[FoundStore]],
    ) -> None:
        """Watch a store; what its file was like when it was `seen` is known. `look_for_more` finds
        files that were made since."""
        self._store = store
        self._look_for_more = look_for_more
        self._last = seen
        self._missing = self._seen_writing = False

    @property
    def written(self) -> float | None:
        """When the file was written last, if it was seen."""
        # A server may not have been asked yet.
        return (self._last.written or None) if self._last is not None else None

    @property
    def live(self) -> bool:
        """Whether an agent seems to have the file open: it has a log, or was seen to change."""
        return self._seen_writing or (self._last is not None and self._last.log_size > 0)

    def _tick(self) -> None:
        self._skip = self.in_background and not self._skip
        store = self._store
        if store is not None and not self._skip:
            more = self._look_for_more
            self._lanes.start("watch", lambda _: (store.look(), more()), self._looked)
            self._retry(store)

    def _looked(self, seen: tuple[FileState | None, Sequence[FoundStore]]) -> None:
        state, more = seen
        self._look(state)
        if more:
            self._file.appeared(more)

    def _retry(self, store: Store) -> None:
        """Of several files some cannot be read: see whether that has passed. Each time it has not,
        the next try comes later."""
        if not store.troubles:
            self._retries = 0
            return
        self._retries += 1
        often = min(max(self._retries // RETRIES, 1), SELDOM)
        if self._retries % often == 0 and not self._lanes.busy("retry"):
            self._lanes.start("retry", store.recovered, self._recovered)

    def _recovered(self, found: bool) -> None:
        if found:
            self._retries = 0
            self._file.changed()

    def _look(self, found: FileState | None) -> None:
        if found is None:
            if not self._missing:
                self._missing = True
                self._file.gone()
            return
        before, self._last = self._last, found
        if before is not None and found.identity != before.identity:
            self._file.replaced()
        elif self._missing or self.again or found != before:
            self._seen_writing |= before is not None and found != before
            self.again = False
            self._settling = SETTLES_AFTER
            self._file.changed()
        elif self._settling:
            self._settling -= 1
            if not self._settling:
                self._file.changed()
        else:
            self._file.quiet()
        self._missing = False

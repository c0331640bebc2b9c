"""Opening the state file before Textual is imported.

The first page takes a few milliseconds and Textual a few hundred, so the rows are there when the
first frame is painted. In a thread, since a cold disk or a busy file must not keep that frame
waiting. No import of Textual here.
"""

import threading
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from shutil import get_terminal_size
from typing import NamedTuple

from explorer.config import Config
from explorer.errors import Cancelled, StoreError
from explorer.model import Session
from explorer.store.base import Store
from explorer.store.opening import open_store
from explorer.store.read_only import CancelToken

SHORT = 30
"""Below this many lines of the terminal a session takes one line, else two."""
HEAD_START = 0.06
"""Seconds to wait for the first page; a warm file needs a quarter of it."""


class Intent(StrEnum):
    """What enter does in the list."""

    READ = "read"
    PICK = "pick"
    PRINT = "print"


class Opened(NamedTuple):
    """A store and its first rows."""

    store: Store
    rows: tuple[Session, ...]


class Opening:
    """An attempt to open a file, under way or at its end."""

    def __init__(
        self, path: Path, now: float, demo: str = "", prepare: Callable[[], None] | None = None
    ) -> None:
        """`demo` says why this is the demo, if it is; `prepare` makes the file first."""
        self.path = path
        self.demo = demo
        self._now = now
        self._prepare = prepare
        self._token = CancelToken()
        self._result: Opened | StoreError | None = None
        self.busy = False
        """Another program holds the file; it is being tried again."""
        self._thread = threading.Thread(target=self._run, name="opening", daemon=True)
        self._thread.start()
        # A head start: beside the import it would get the interpreter every 5 ms only.
        self._thread.join(HEAD_START)

    @property
    def result(self) -> Opened | StoreError | None:
        """What came of it; None while it is under way."""
        return self._result

    def wait(self) -> Opened | StoreError:
        """The result, however long it takes: for a worker thread."""
        self._thread.join()
        if self._result is None:
            raise Cancelled
        return self._result

    def cancel(self) -> None:
        """Nobody waits for it any more: leaving must not."""
        self._token.cancel()

    def again(self, now: float) -> "Opening":
        return Opening(self.path, now, self.demo)

    def _run(self) -> None:
        try:
            if self._prepare:
                self._prepare()
            store = open_store(self.path, self._token, waiting=self._wait)
            page = store.first_page(_in_sight(), self._now, token=self._token)
            self._result = Opened(store, tuple(page))
        except StoreError as error:
            self._result = error
        except Cancelled:
            return

    def _wait(self) -> None:
        self.busy = True


class Start(NamedTuple):
    """All that the app starts with."""

    opening: Opening
    clock: Callable[[], float]
    config: Config = Config()
    intent: Intent = Intent.READ


def _in_sight() -> int:
    """The rows that the first frame has room for."""
    lines = get_terminal_size().lines
    return max(lines if lines < SHORT else lines // 2 + 1, 5)

"""The one way to stop a piece of work: from any thread, and inside SQLite."""

import threading

from explorer.errors import Cancelled


class CancelToken:
    """Cancels a piece of work, from any thread."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        self._event.set()

    @property
    def cancelled(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        if self._event.is_set():
            raise Cancelled

    def wait(self, seconds: float) -> None:
        """Pause, or stop at once when cancelled."""
        if self._event.wait(seconds):
            raise Cancelled

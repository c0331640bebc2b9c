"""A connection that waits for the next read.

Opening a file takes a millisecond, five times as long as a search without a match, and the first
connection reads the whole log: half a gigabyte after a big prune, for a second. So a connection
stays open for the next read while the user types, and longer beside a long log. Idle, it holds no
lock that an agent could meet, and being read-only it never checkpoints. It is closed a moment after
the last read, because an agent that repairs its file waits until no other process has it open.
"""

import sqlite3
import threading
import time
from pathlib import Path
from typing import NamedTuple

from explorer.stores.sqlite import failures

LONG = 16_000_000
"""Bytes of a log that take some hundredths of a second to read."""
MOMENT = 0.5
"""Seconds for which a connection waits after a search: most keys come sooner."""
WHILE = 30.0
"""The same beside a long log, after any read."""

Identity = tuple[int, int, int, int]
"""What tells a file from another in its place (device and number), and from itself after it was
written over (bytes and time)."""


class Idle(NamedTuple):
    """A connection that is waiting, and until when."""

    connection: sqlite3.Connection
    file: Identity
    until: float


class IdleConnection:
    """At most one connection to a file, between two reads; any thread may ask."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._idle: Idle | None = None
        self._timer: threading.Timer | None = None
        self._wakes = 0.0
        self._log: tuple[tuple[int, int], str] | None = None

    def take(self, file: Identity) -> Idle | None:
        """The connection that waits, if it is to this file as it is now; to be left again, or
        closed."""
        with self._lock:
            idle, self._idle = self._idle, None
        if idle is not None and idle.file != file:
            idle.connection.close()
            return None
        return idle

    def leave(
        self, connection: sqlite3.Connection, file: Identity, until: float, searching: bool
    ) -> None:
        """A read has ended well: keep its connection if another read is expected, or if it was
        kept `until` later for one."""
        now = time.monotonic()
        if searching:
            until = max(until, now + MOMENT)
        if self._log_size(file) > LONG:
            until = max(until, now + WHILE)
        over: sqlite3.Connection | None = connection
        with self._lock:
            if until > now:
                # Of two, the one that was used last knows what the next read needs.
                before, self._idle = self._idle, Idle(connection, file, until)
                self._wake_at(until)
                over = before and before.connection
        if over is not None:
            over.close()

    def _log_size(self, file: Identity) -> int:
        """Where the log is, is found out once: following links takes longer than a search."""
        if self._log is None or self._log[0] != file[:2]:
            self._log = file[:2], failures.log_path(self._path)
        return failures.size_of(self._log[1])

    def _wake_at(self, until: float) -> None:
        """Look then, or earlier: a thread for each read would cost more than it saves."""
        if self._timer is not None:
            if self._wakes <= until:
                return
            self._timer.cancel()
        self._wakes = until
        self._timer = threading.Timer(max(until - time.monotonic(), 0.0), self._look)
        self._timer.daemon = True
        self._timer.start()

    def _look(self) -> None:
        """Close what has waited long enough."""
        over = None
        with self._lock:
            self._timer = None
            if self._idle is not None and self._idle.until <= time.monotonic():
                over, self._idle = self._idle, None
            elif self._idle is not None:
                self._wake_at(self._idle.until)
        if over is not None:
            over.connection.close()

"""A file with a long log, held open between two reads.

Whoever opens a file first reads its whole log: after a big prune that no agent was there to write
back, half a gigabyte, for a second, at every key. So beside a long log one connection stays, idle:
it holds no lock that an agent could meet, and read-only as it is, it never writes the log back.
"""

import os
import sqlite3
import threading
from pathlib import Path

from explorer.store.failures import log_size

LONG = 16_000_000
"""Bytes of a log that take some hundredths of a second to read."""


class LongLog:
    """Keeps what SQLite knows of the log beside one file, while that is long."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._held: tuple[tuple[int, int], sqlite3.Connection] | None = None

    def keep(self) -> None:
        """To be called before each read: hold the file where its log is long, else let it go."""
        if log_size(self._path) < LONG:
            if self._held is not None:
                with self._lock:
                    self._let_go()
            return
        found = os.stat(self._path)
        identity = found.st_dev, found.st_ino
        with self._lock:
            if self._held is None or self._held[0] != identity:
                self._let_go()
                self._held = identity, self._opened()

    def _opened(self) -> sqlite3.Connection:
        address = f"{self._path.resolve().as_uri()}?mode=ro"
        connection = sqlite3.connect(address, uri=True, timeout=0.25, check_same_thread=False)
        try:
            # Only a read makes SQLite look at the log; finished, it leaves no lock.
            connection.execute("PRAGMA schema_version").fetchall()
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _let_go(self) -> None:
        if self._held is not None:
            self._held[1].close()
            self._held = None

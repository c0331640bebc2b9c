"""Writes back the log that our own edits make, where nobody else has the file.

A long edit of a file that no agent has open would leave a log of a gigabyte. This is the one
exception to our never writing a log back, and it is made only where it can harm nobody: no other
process has the file or its log open, and whoever sees that sees every process of this machine.
SQLite's own lock keeps writers out meanwhile. Everywhere else the log waits for the agent.
"""

import os
import sqlite3
import time
from pathlib import Path

from explorer.stores.sqlite.failures import log_path, log_size
from explorer.stores.sqlite.processes import holders

ENOUGH = 24_000_000
"""Bytes of a log that are written back at a time; it may grow by one transaction more."""
LEAST = 1_000_000
LONGEST = 0.25
"""Seconds for which that may take the file: where it took longer, the next time is sooner."""


class Log:
    """The log of one file, during one edit."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._enough = ENOUGH

    def write_back(self, connection: sqlite3.Connection) -> bool:
        """Write back what is in the log, if that is much and nobody else has the file; whether it
        was done. The log itself stays where it is, empty."""
        bytes_ = log_size(self._path)
        if bytes_ < self._enough or self._enough < LEAST or not self._ours():
            return False
        began = time.monotonic()
        # Waits for nobody: a reader of ours in another thread is a reason to do it later.
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        took = time.monotonic() - began
        if took > LONGEST:
            self._enough = min(self._enough, int(bytes_ * LONGEST / took))
        return not busy

    def _ours(self) -> bool:
        names = (str(self._path.resolve()), log_path(self._path), f"{self._path.resolve()}-shm")
        others = holders([name for name in names if os.path.exists(name)])
        return others is not None and not others

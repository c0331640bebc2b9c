"""A second process that keeps a file locked until it is released."""

import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

_CODE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA locking_mode = EXCLUSIVE")
db.execute("BEGIN EXCLUSIVE")
db.execute("CREATE TABLE IF NOT EXISTS locker (x)")
print("held", flush=True)
sys.stdin.readline()
db.execute("ROLLBACK")
db.close()
print("free", flush=True)
"""


class Locker:
    """Holds the lock from entering to `release`, or to leaving."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CODE, str(self._path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "held\n"
        self._held = True
        return self

    def release(self) -> None:
        """Returns when the file is free; a second call changes nothing."""
        if self._held:
            self._held = False
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write("\n")
            self._process.stdin.flush()
            assert self._process.stdout.readline() == "free\n"

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
        self._process.communicate(timeout=60)

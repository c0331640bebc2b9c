"""Making a new file, never in the place of another one.

All that happens until the file is closed is one transaction, so a file is complete or does not
exist.
"""

import os
import sqlite3
from pathlib import Path
from typing import Self

from explorer.errors import ExplorerError, Refused


def with_companions(path: Path) -> list[Path]:
    """A file and what SQLite may keep beside it."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal")]


class NewFile:
    """A file in the making; use it as a context manager, or `close` it."""

    TABLES = ""
    """The statements that a new file begins with: settings, the begin of a transaction, tables."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._db = connection

    @classmethod
    def create(cls, path: Path) -> Self:
        """A new file, readable by its owner only."""
        _claim(path)
        # No implicit transactions: the one there is ends in `close` or `discard`.
        made = cls(path, sqlite3.connect(path, isolation_level=None))
        try:
            made._db.executescript(cls.TABLES)
        except sqlite3.Error:
            made.discard()
            raise
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        (self.discard if kind else self.close)()

    def close(self) -> None:
        """Make it all durable; afterwards there is one file, without a log beside it."""
        try:
            self._db.execute("COMMIT")
        except sqlite3.Error:
            self.discard()
            raise
        self._db.close()

    def discard(self) -> None:
        """Leave nothing behind."""
        self._db.close()
        for path in with_companions(self.path):
            path.unlink(missing_ok=True)

    def _insert(self, table: str, **values: str | float | None) -> int:
        """The number of the new row."""
        sql = f"INSERT INTO {table} ({', '.join(values)}) VALUES (:{', :'.join(values)})"
        return self._db.execute(sql, values).lastrowid or 0


def _claim(path: Path) -> None:
    """An empty file, readable by its owner only."""
    # A log left over from another file would be replayed into the new one.
    for taken in with_companions(path):
        if taken.exists():
            raise Refused("File exists", f"{taken} already exists. Choose another name.")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise ExplorerError("Cannot create the file", f"{path}: {error.strerror}.") from None

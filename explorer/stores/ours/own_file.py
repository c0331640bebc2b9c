"""A file of our own: private, made with the first thing that is kept in it. What goes wrong with it
is reported as our trouble, not as one of the state file."""

import os
import sqlite3
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from explorer.errors import ExplorerError, Refused
from explorer.stores.sqlite.schema import introspect


class OwnFile:
    """Opened for each use, and closed after it."""

    def __init__(self, path: Path, trouble: str, patience: float) -> None:
        """`trouble` is what it means when the file cannot be used; `patience` the seconds to wait
        for another explorer that writes it."""
        self.path = path
        self._trouble = trouble
        self._patience = patience

    @property
    def made(self) -> bool:
        return self.path.is_absolute() and os.path.exists(self.path)

    @contextmanager
    def writing(
        self, tables: str, pragmas: Sequence[str] = (), version: int = 0
    ) -> Iterator[sqlite3.Connection]:
        """A write that happens as a whole or not at all; file and tables are made if need be. An
        older file gets what it lacks in the same transaction, so a kill leaves it unchanged."""
        with self.telling("written"):
            self.make_folder()
            if not self.made:
                self.path.touch(mode=0o600)
        with self.connected("written") as connection:
            for pragma in pragmas:
                connection.execute(f"PRAGMA {pragma}").close()
            connection.execute("BEGIN IMMEDIATE").close()
            self.check_version(connection, version)
            self.check_known(connection, tables)
            if version_of(connection) < version:
                connection.execute(f"PRAGMA user_version = {version}").close()
            for statement in tables.split(";"):
                connection.execute(statement).close()
            yield connection
            connection.execute("COMMIT").close()

    @contextmanager
    def connected(self, done: str, mode: str = "rw") -> Iterator[sqlite3.Connection]:
        """A connection without a transaction; for a file that is made. Writable also for a reader
        of what a crash may have left in the middle of a write: only a writer rolls that back."""
        with self.telling(done):
            self._check_plain()
            address = f"{self.path.resolve().as_uri()}?mode={mode}"
            with closing(
                sqlite3.connect(address, uri=True, timeout=self._patience, isolation_level=None)
            ) as connection:
                self._check_views(connection)
                yield connection

    def rows(
        self, sql: str, values: Sequence[object], mode: str = "rw", text: type = str
    ) -> list[tuple[Any, ...]]:
        """Every row that answers; none where the file or the table is not yet made."""
        if not self.made:
            return []
        with self.connected("read", mode) as connection:
            connection.text_factory = text
            try:
                return connection.execute(sql, values).fetchall()
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):
                    return []
                raise

    def check_known(self, connection: sqlite3.Connection, tables: str, others: bool = True) -> None:
        """Refuse to write a file that a newer version made: a column that we do not know, we could
        spoil. Of `others`, tables that are not ours, nothing need be known."""
        known = _columns_of(tables)
        for table, columns in introspect(connection).tables.items():
            foreign = table not in known and not table.startswith("sqlite_")
            if (foreign and not others) or not columns <= known.get(table, columns):
                raise self.newer()

    def check_version(self, connection: sqlite3.Connection, version: int) -> None:
        if version_of(connection) > version:
            raise self.newer()

    def newer(self) -> Refused:
        return Refused(
            self._trouble,
            f"A newer version of Session Explorer has written {self.path}, and this version only"
            " reads it. Use the newer one for changes. Nothing was changed.",
        )

    def _check_plain(self) -> None:
        """A pipe would be waited for, for ever."""
        for name in (self.path, f"{self.path}-journal", f"{self.path}-wal"):
            if os.path.exists(name) and not stat.S_ISREG(os.stat(name).st_mode):
                raise ExplorerError(
                    self._trouble,
                    f"{name} is a folder, a device or a pipe, not a regular file. Move it away.",
                )

    def _check_views(self, connection: sqlite3.Connection) -> None:
        """A view in place of a table may be read for ever."""
        views = "SELECT count(*) FROM sqlite_master WHERE type = 'view'"
        if connection.execute(views).fetchone()[0]:
            raise ExplorerError(
                self._trouble, f"{self.path} was not written by Session Explorer. Move it away."
            )

    def make_folder(self) -> None:
        if not self.path.is_absolute():
            # Without a home folder, this would be one named ~ below the current one.
            raise ExplorerError(
                self._trouble, "No home folder. Set HOME or XDG_DATA_HOME. Nothing was changed."
            )
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def telling(self, done: str) -> Iterator[None]:
        """Whatever fails in here is reported in our words; `done` is what could not be."""
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise ExplorerError(
                self._trouble, f"{self.path} could not be {done}: {error}."
            ) from error


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the tables, as the one that made them wrote it down."""
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


@cache
def _columns_of(tables: str) -> Mapping[str, frozenset[str]]:
    """The columns of the tables that these statements make."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(tables).close()
        return introspect(connection).tables

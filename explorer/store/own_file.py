"""A file of our own: private, made with the first thing that is kept in it, and what goes wrong
with it is told as our trouble, not as one of the state file."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from explorer.errors import ExplorerError


class OwnFile:
    """Opened for each use, and held open by nobody."""

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
    def writing(self, tables: str, pragmas: Sequence[str] = ()) -> Iterator[sqlite3.Connection]:
        """A write that happens as a whole or not at all; file and tables are made if need be."""
        with self.telling("written"):
            self.make_folder()
            if not self.made:
                self.path.touch(mode=0o600)
            with self._connection("rw") as connection:
                for pragma in pragmas:
                    connection.execute(f"PRAGMA {pragma}").close()
                connection.execute("BEGIN IMMEDIATE").close()
                for statement in tables.split(";"):
                    connection.execute(statement).close()
                yield connection
                connection.execute("COMMIT").close()

    @contextmanager
    def connected(self, done: str, mode: str = "rw") -> Iterator[sqlite3.Connection]:
        """A connection without a transaction; for a file that is made. Writable also for a reader
        of what a crash may have left in the middle of a write: only a writer rolls that back."""
        with self.telling(done), self._connection(mode) as connection:
            yield connection

    @contextmanager
    def _connection(self, mode: str) -> Iterator[sqlite3.Connection]:
        address = f"{self.path.resolve().as_uri()}?mode={mode}"
        connection = sqlite3.connect(
            address, uri=True, timeout=self._patience, isolation_level=None
        )
        try:
            yield connection
        finally:
            connection.close()

    def make_folder(self) -> None:
        if not self.path.is_absolute():
            # Where nobody knows the home folder, this would be one named ~ below the current one.
            raise ExplorerError(
                self._trouble, "No home folder is known: set HOME, or XDG_DATA_HOME. Not changed."
            )
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def telling(self, done: str) -> Iterator[None]:
        """Whatever fails in here is told in our words; `done` is what could not be."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise ExplorerError(
                self._trouble, f"Our own file {self.path} could not be {done}: {error}."
            ) from error

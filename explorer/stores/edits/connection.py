"""Writing to a file that is not ours: the one place that opens it writable.

A read-only connection is held open around the writing one. Without it, closing ours beside an
agent that lost its own locks unlinks its log, and with it what it was told is stored. We write no
log back but as `write_back_log` has it, each transaction is short, and after the first error
nothing more is tried: SQLite may have rolled back already, and the next statement would stand
alone.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self, TypeVar

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, Problem, Refused, StoreError, sentence
from explorer.stores.edits.refusal_words import (
    CANNOT_CHANGE,
    CANNOT_WRITE,
    FILE_CHANGED,
    HARD_LINKED,
    NOTHING_CHANGED,
    disk_words,
    rows_words,
    sqlite_words,
)
from explorer.stores.sqlite.failures import (
    busy,
    check_beside,
    check_file,
    error_name,
    explain,
    log_path,
    log_size,
    store_error,
    to_put_back,
)
from explorer.stores.sqlite.images import Image, RawText
from explorer.stores.sqlite.leases import holders
from explorer.stores.sqlite.read_only import longest_wait
from explorer.stores.sqlite.schema import Schema, introspect

T = TypeVar("T")

LOOK_AGAIN = 0.001, 0.01
"""Seconds until a busy file is tried again. SQLite itself would sleep for up to a tenth of one, and
hardly ever meet the gap between two writes of a busy agent."""
PATIENCE = 10.0
TOLD_AFTER = 0.5
"""Seconds after which the caller is told, again and again, that we wait."""
LOG_ENOUGH = 24_000_000
"""Bytes of a log that are written back at a time; it may grow by one transaction more."""
LOG_LEAST = 1_000_000
LOG_LONGEST = 0.25
"""Seconds for which that may take the file: where it took longer, the next time is sooner."""
_FULL = ("SQLITE_FULL", "SQLITE_IOERR")
_READ_ONLY = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")


class Changed(Refused):
    """The file is no longer as it was when the plan was made."""


def _fetched(connection: sqlite3.Connection, sql: str, values: Sequence[object]) -> list[Image]:
    """Every row; the cursor holds no lock any more."""
    with closing(connection.execute(sql, values)) as cursor:
        return cursor.fetchall()


class Transaction:
    """One short write, under the lock."""

    def __init__(self, connection: sqlite3.Connection, schema: Schema) -> None:
        self._connection = connection
        self.schema = schema

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Image]:
        """Every row, with text as it is stored."""
        self._inside()
        return _fetched(self._connection, sql, values)

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        found = self.rows(sql, values)
        return found[0][0] if found else None

    def run(self, sql: str, values: Sequence[object] = (), expect: int | None = None) -> int:
        """Change something; how many rows it was. Where it is not `expect`, nothing is done."""
        self._inside()
        cursor = self._connection.execute(sql, values)
        count = cursor.rowcount
        cursor.close()
        self._inside()
        if expect is not None and count != expect:
            raise Changed(FILE_CHANGED, rows_words(count, expect))
        return count

    def _inside(self) -> None:
        if not self._connection.in_transaction:
            raise ExplorerError(CANNOT_WRITE, f"SQLite rolled it back. {NOTHING_CHANGED}")


class ReadConnection:
    """A read-only connection that gives cells as they are stored; it holds no lock between two
    questions."""

    def __init__(
        self,
        path: Path,
        token: CancelToken | None = None,
        waits: Callable[[], None] | None = None,
    ) -> None:
        """`waits` is told while another program keeps us waiting."""
        self.path = path
        self._waits = waits
        self._token = token or CancelToken()
        self._schema: tuple[int, Schema] | None = None

    def __enter__(self) -> Self:
        try:
            self._open()
        except StoreError as error:
            # It was an agent's when it was listed.
            raise to_put_back(error, self.path) from None
        return self

    def _open(self) -> None:
        found = check_file(self.path)
        self._identity = found.st_dev, found.st_ino
        self._guard = self._connected("ro")
        with ExitStack() as unless_open:
            unless_open.callback(self._guard.close)
            if (error := self._hindrance()) and error_name(error) == "SQLITE_READONLY_ROLLBACK":
                self._roll_back()
            self._guard.execute("PRAGMA query_only=1").close()
            self.ask("SELECT count(*) FROM sqlite_master")
            unless_open.pop_all()

    def __exit__(self, *error: object) -> None:
        self._guard.close()

    def _hindrance(self) -> sqlite3.Error | None:
        """What keeps us from reading at this moment, if anything does."""
        try:
            self._guard.execute("PRAGMA schema_version").close()
        except sqlite3.Error as error:
            return error
        return None

    def readable(self) -> bool:
        """Whether the file can be read at this moment: after a write that failed half way it may
        not be, until the next writer has rolled it back."""
        return self._hindrance() is None

    def _roll_back(self) -> None:
        """A program died in the middle of a write, without a log: the file cannot be read until
        that is rolled back. It may have been us. Have SQLite do so, as the agent's own next start
        would."""
        with closing(self._connected("rw")) as connection:
            self._waiting(lambda: connection.execute("PRAGMA schema_version").close())

    def see_through(self) -> None:
        """From here on the user cannot stop it: rows are being put back."""
        self._token = CancelToken()

    def _connected(self, mode: str) -> sqlite3.Connection:
        resolved = self.path.resolve()
        check_beside(resolved)
        try:
            connection = sqlite3.connect(
                f"{resolved.as_uri()}?mode={mode}",
                uri=True,
                timeout=0.0,
                isolation_level=None,
            )
        except sqlite3.Error as error:
            raise self.explained(error) from error
        connection.text_factory = RawText
        return connection

    @property
    def schema(self) -> Schema:
        """What tables there are."""
        return self._waiting(lambda: self._introspected(self._guard))

    def ask(self, sql: str, values: Sequence[object] = ()) -> list[Image]:
        """Read something, without any lock that outlives the answer."""
        return self._waiting(lambda: _fetched(self._guard, sql, values))

    def _waiting(self, work: Callable[[], T]) -> T:
        """What `work` gives, when it gets its turn."""
        began = told = time.monotonic()
        most = longest_wait(PATIENCE)
        while True:
            self._token.check()
            try:
                return work()
            except sqlite3.Error as error:
                if not busy(error) or time.monotonic() > began + most:
                    raise self.explained(error) from error
            except UnicodeDecodeError as error:
                raise explain(error, self.path) from error
            if self._waits is not None and time.monotonic() > told + TOLD_AFTER:
                told = time.monotonic()
                self._waits()
            import random  # late: 1 ms that `info` need not pay

            self._token.wait(random.uniform(*LOOK_AGAIN))

    def _introspected(self, connection: sqlite3.Connection) -> Schema:
        """Read again only when the tables have changed."""
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        if self._schema is None or self._schema[0] != version:
            self._schema = version, introspect(connection)
        return self._schema[1]

    def explained(self, error: sqlite3.Error) -> ExplorerError:
        """What went wrong, in words."""
        name = error_name(error)
        if busy(error):
            return store_error(Problem.BUSY, self.path)
        if name.startswith(_FULL):
            return ExplorerError(CANNOT_WRITE, disk_words(error))
        if name.startswith(_READ_ONLY):
            return Refused(CANNOT_WRITE, f"SQLite says: {error}.")
        if name.startswith("SQLITE_CONSTRAINT") and "sessions.title" in str(error):
            return Changed(FILE_CHANGED, "Another session has taken its title.")
        if name.startswith("SQLITE_CONSTRAINT"):
            return Changed(FILE_CHANGED, sqlite_words(error))
        if name == "SQLITE_ERROR":
            return Refused(CANNOT_CHANGE, sqlite_words(error))
        return explain(error, self.path)


class WriteConnection(ReadConnection):
    """A writable connection inside a read-only one, for the length of one edit."""

    others_at = 0.0
    """When another program was last found to have written, by the clock of `time.monotonic`."""
    _version = 0

    def __enter__(self) -> Self:
        super().__enter__()
        with ExitStack() as unless_open:
            unless_open.callback(self._guard.close)
            if os.stat(self.path).st_nlink > 1:
                raise Refused(CANNOT_CHANGE, sentence(HARD_LINKED))
            self._connection = self._connected("rw")
            unless_open.callback(self._connection.close)
            self._log_enough = LOG_ENOUGH
            self._prepare()
            unless_open.pop_all()
        return self

    def _prepare(self) -> None:
        try:
            self._connection.execute("PRAGMA foreign_keys=ON").close()
            linked = self._connection.execute("PRAGMA foreign_keys").fetchone()[0]
            self._connection.execute("PRAGMA wal_autocheckpoint=0").close()
        except sqlite3.Error as error:
            raise self.explained(error) from error
        if linked != 1:
            raise Refused(CANNOT_CHANGE, "This build of SQLite has no foreign keys.")

    def __exit__(self, *error: object) -> None:
        with closing(self._guard), closing(self._connection):
            if self._connection.in_transaction:
                self._connection.rollback()

    @contextmanager
    def transaction(self, keep: bool = True) -> Iterator[Transaction]:
        """A write that happens as a whole or not at all; with `keep` off, not at all."""
        found = os.stat(self.path)
        if (found.st_dev, found.st_ino) != self._identity:
            raise Changed("The file was replaced", "Another file has its name now.")
        self._waiting(lambda: self._connection.execute("BEGIN IMMEDIATE").close())
        try:
            version = self._connection.execute("PRAGMA data_version").fetchone()[0]
            if version != self._version:
                self._version, self.others_at = version, time.monotonic()
            yield Transaction(self._connection, self._introspected(self._connection))
            if keep:
                # Without a log, readers may keep us waiting at this point.
                self._waiting(lambda: self._connection.execute("COMMIT").close())
        except sqlite3.Error as error:
            raise self.explained(error) from error
        except UnicodeDecodeError as error:
            raise explain(error, self.path) from error
        finally:
            if self._connection.in_transaction:
                self._connection.rollback()

    def write_back_log(self) -> None:
        """Between two transactions: keep the log of a long edit short, where that is safe.

        A long edit of a file that no agent has open would leave a log of a gigabyte. This is the
        one exception to our never writing a log back, and it is made only where it is harmless: no
        other process has the file or its log open, and we can see every process of this machine.
        SQLite's own lock keeps writers out while it runs. Everywhere else the log waits for the
        agent. The log itself stays where it is, empty.
        """
        # The edit does not depend on it, and the agent will do it.
        with suppress(sqlite3.Error, OSError):
            bytes_ = log_size(self.path)
            if bytes_ < self._log_enough or self._log_enough < LOG_LEAST or not self._alone():
                return
            began = time.monotonic()
            # Does not wait: a reader of ours in another thread is a reason to do it later.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
            took = time.monotonic() - began
            if took > LOG_LONGEST:
                self._log_enough = min(self._log_enough, int(bytes_ * LOG_LONGEST / took))

    def _alone(self) -> bool:
        names = (str(self.path.resolve()), log_path(self.path), f"{self.path.resolve()}-shm")
        others = holders([name for name in names if os.path.exists(name)])
        return others is not None and not others

"""Reading a file that is not ours: open, query, close.

A `ReadOnlyFile` hands a piece of work one short-lived connection. It tries again while the
agent holds a lock, stops inside SQLite when its token is cancelled, and never leaves a cursor
unfinished: in DELETE journal mode that would lock the agent out, in WAL it would grow the log.
Between two pieces of work nothing is open, but for a moment while somebody types, and longer beside
a log so long that reading it takes its time.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from explorer.cancel import CancelToken
from explorer.errors import Cancelled
from explorer.stores.sqlite.failures import (
    NEEDS_A_WRITABLE_FOLDER,
    busy,
    check_file,
    error_name,
    explain,
    is_passing,
    log_at_rest,
    read_only_address,
)
from explorer.stores.sqlite.idle_connection import Identity, IdleConnection
from explorer.stores.sqlite.schema import Schema, introspect, lossy

T = TypeVar("T")
Values = Sequence[object] | Mapping[str, object]

LOCK_WAIT = 0.25
"""Seconds SQLite itself waits for a lock; beyond that we wait, where we can be cancelled."""
PATIENCE = 5.0
STEPS_BETWEEN_CHECKS = 4000
"""SQLite instructions between two looks at the token: well under a millisecond."""
ROWS_AT_A_TIME = 1000
BREATH = 0.01
"""Seconds for which a reader has a file without a log to itself, or as long as a query takes."""
AGAIN = 0.005
"""Seconds until a reader that has let go tries again to read on."""
GLITCHES = 3
"""Tries after an error that only a file changing under us explains."""


class Reader:
    """One read-only connection, for the length of one piece of work."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        token: CancelToken,
        schema: Schema,
        snapshot: bool,
        breathes: bool = False,
    ) -> None:
        self._connection = connection
        self.token = token
        self.schema = schema
        self.snapshot = snapshot
        """Opened as a file nobody can be writing, because its folder is read-only."""
        self.breathes = breathes
        """The file has no write-ahead log, so whoever reads it keeps its agent from committing: a
        long piece of work lets go between two queries."""
        self._until = time.monotonic() + BREATH
        self._let_go = False

    def _breathe(self) -> None:
        """Let an agent commit that waits for us, if we have had the file for a while: what is read
        next may be a later state of it."""
        if time.monotonic() > self._until:
            self.rest()

    def rest(self) -> None:
        """Let go of a file without a log: what was read now takes its time to be worked on."""
        if self.breathes:
            self._connection.execute("COMMIT").close()
            self._connection.execute("BEGIN").close()
            self._until = time.monotonic() + BREATH
            self._let_go = True

    def _execute(self, sql: str, values: Values) -> sqlite3.Cursor:
        """Begin a query. Whoever has let go waits for the file here: to begin the whole piece of
        work anew, as `read` does, would take a long one no further beside a busy agent."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self.token.check()
            try:
                return self._connection.execute(sql, values)
            except sqlite3.OperationalError as error:
                if not self._let_go or not busy(error) or time.monotonic() > deadline:
                    raise
            self.token.wait(AGAIN)

    def rows(self, sql: str, values: Values = ()) -> list[Any]:
        """Every row at once: a finished cursor holds nothing open."""
        cursor = self._execute(sql, values)
        try:
            return cursor.fetchall()
        finally:
            cursor.close()
            self._breathe()

    def columns(self, sql: str, values: Values = ()) -> list[list[Any]]:
        """Every row at once, column by column: of 100,000 rows, less than half the memory."""
        cursor = self._execute(sql, values)
        try:
            columns: list[list[Any]] = [[] for _ in cursor.description]
            while rows := cursor.fetchmany(ROWS_AT_A_TIME):
                for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
                    column += cells
            return columns
        finally:
            cursor.close()
            self._breathe()

    def row(self, sql: str, values: Values = ()) -> Any:
        """The first row, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def value(self, sql: str, values: Values = ()) -> Any:
        """The first cell of the first row, or None."""
        found = self.row(sql, values)
        return found[0] if found else None

    def column(self, sql: str, values: Values = ()) -> list[Any]:
        """The first cell of every row."""
        return [row[0] for row in self.rows(sql, values)]


class _Shared(threading.local):
    """What the reads of one thread have in common, while they do."""

    reader: Reader | None = None


class ReadOnlyFile:
    """A state file, opened anew for each piece of work; any thread may ask."""

    def __init__(
        self,
        path: Path,
        patience: float = PATIENCE,
        waiting: Callable[[], None] | None = None,
    ) -> None:
        self.path = path
        self._patience = patience
        self._waiting = waiting
        self._lossy = False
        self._schema: tuple[int, Schema] | None = None
        self._shared = _Shared()
        self._idle = IdleConnection(path)

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        """Run `work` with one connection for all that it reads in this thread: of a few short
        queries, most of the time would go into opening the file. It begins anew as `read` does.
        The connection stays for a moment: this is how somebody searches who is typing."""

        def share(reader: Reader) -> T:
            self._shared.reader = reader
            try:
                return work()
            finally:
                self._shared.reader = None

        return self.read(share, token, more=True)

    def read(
        self, work: Callable[[Reader], T], token: CancelToken | None = None, more: bool = False
    ) -> T:
        """Run `work` on a connection of its own; again while the file is busy, from the start.
        With `more` the connection waits a moment for the next read."""
        if self._shared.reader is not None:
            return work(self._shared.reader)
        token = token or CancelToken()
        deadline = time.monotonic() + self._patience
        delay, glitches = 0.02, 0
        while True:
            token.check()
            try:
                return self._once(work, token, more)
            except sqlite3.Error as error:
                if error_name(error) == "SQLITE_INTERRUPT":
                    raise Cancelled from None
                if "Could not decode to UTF-8" in str(error) and not self._lossy:
                    self._lossy = True
                    continue
                if not is_passing(error):
                    raise explain(error, self.path) from error
                if not busy(error):
                    glitches += 1
                    self._schema = None
                if glitches > GLITCHES or time.monotonic() + delay > deadline:
                    raise explain(error, self.path) from error
            except UnicodeDecodeError as error:
                raise explain(error, self.path) from error
            if self._waiting:
                self._waiting()
            token.wait(delay)
            delay = min(delay * 2, 0.5)

    def _once(self, work: Callable[[Reader], T], token: CancelToken, more: bool) -> T:
        file = Identity.of(check_file(self.path))
        try:
            return self._as_it_is(file, work, token, more)
        except sqlite3.OperationalError as error:
            if error_name(error) not in NEEDS_A_WRITABLE_FOLDER or not log_at_rest(self.path):
                raise
        with closing(self._opened(immutable=True)) as connection:
            return self._with(connection, work, token, immutable=True)

    def _as_it_is(
        self, file: Identity, work: Callable[[Reader], T], token: CancelToken, more: bool
    ) -> T:
        waiting = self._idle.take(file)
        connection = waiting.connection if waiting else self._opened(immutable=False)
        sound = True
        try:
            return self._with(connection, work, token, immutable=False)
        except sqlite3.Error as error:
            sound = error_name(error) == "SQLITE_INTERRUPT"
            raise
        finally:
            if sound:
                connection.rollback()
                self._idle.leave(connection, file, waiting.until if waiting else 0.0, more)
            else:
                connection.close()

    def _opened(self, immutable: bool) -> sqlite3.Connection:
        address = read_only_address(self.path) + ("&immutable=1" if immutable else "")
        connection = sqlite3.connect(
            address, uri=True, timeout=LOCK_WAIT, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA query_only=1").close()
        return connection

    def _with(
        self,
        connection: sqlite3.Connection,
        work: Callable[[Reader], T],
        token: CancelToken,
        immutable: bool,
    ) -> T:
        if self._lossy:
            # Slower by a third, so only for a file that is known to need it.
            connection.text_factory = lossy
        connection.set_progress_handler(lambda: int(token.cancelled), STEPS_BETWEEN_CHECKS)
        # One state of the file for all queries of a piece of work, while the agent writes on; if
        # that cannot, `breathes` says so.
        connection.execute("BEGIN").close()
        schema = self._introspect(connection)
        logged = immutable or connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        return work(Reader(connection, token, schema, immutable, breathes=not logged))

    def _introspect(self, connection: sqlite3.Connection) -> Schema:
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        if self._schema is None or self._schema[0] != version:
            self._schema = (version, introspect(connection))
        return self._schema[1]

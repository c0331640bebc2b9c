"""Reading a file that is not ours: open, query, close.

A `ReadOnlyFile` gives each piece of work a short-lived connection. It tries again while the agent
holds a lock, stops inside SQLite when its token is cancelled, and never leaves a cursor
unfinished: in DELETE journal mode that would lock the agent out, in WAL it would grow the log.

Where another read will follow soon, the connection waits for it: see `idle`.

`stamp` tells whether a file has changed by its size, times and identity, without opening it.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, StoreError
from explorer.stores.sqlite import failures
from explorer.stores.sqlite.idle import Identity, IdleConnection
from explorer.stores.sqlite.schema import Schema, introspect, lossy

T = TypeVar("T")
U = TypeVar("U")
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


PAGES, FEWEST_PAGES = 2000, 100
"""Kilobytes of a file that SQLite keeps for a connection by its own choice, and those that the
connections of many files get at least."""


class _Hurry(threading.local):
    """How long the reads of one thread wait at most for a locked file."""

    most: float | None = None


_hurry = _Hurry()


@contextmanager
def impatient(most: float) -> Iterator[None]:
    """Have the reads of this thread wait for a locked file no longer than so many seconds."""
    before, _hurry.most = _hurry.most, most
    try:
        yield
    finally:
        _hurry.most = before


def longest_wait(usual: float) -> float:
    """Seconds that a read of this thread may wait: the usual ones, or less where it is
    impatient."""
    return usual if _hurry.most is None else min(usual, _hurry.most)


class FileState(Protocol):
    """What is seen of a file without opening it; equal while nothing has changed."""

    @property
    def identity(self) -> tuple[int, int]:
        """Another one means that the file was replaced."""
        ...

    @property
    def log_size(self) -> int: ...

    @property
    def written(self) -> float:
        """When something was last written, in seconds since the epoch."""
        ...


class Stamp(NamedTuple):
    """A state file and its log, as the file system sees them."""

    identity: tuple[int, int]
    """Another one means that the file was replaced."""
    size: int
    time: int
    log_size: int
    log_time: int

    @property
    def written(self) -> float:
        """When something was last written, in seconds since the epoch."""
        return max(self.time, self.log_time) / 1e9


def stamp(path: Path) -> Stamp | None:
    """The stamp of a file; None when there is none."""
    try:
        file = os.stat(path)
    except OSError:
        return None
    try:
        log = os.stat(failures.log_path(path))
        logged = (log.st_size, log.st_mtime_ns) if log.st_size else (0, 0)
    except OSError:
        logged = (0, 0)
    return Stamp((file.st_dev, file.st_ino), file.st_size, file.st_mtime_ns, *logged)


class Reader:
    """One read-only connection, for the length of one piece of work."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        token: CancelToken,
        schema: Schema,
        snapshot: bool,
        breathes: bool = False,
        open_another: Callable[[], sqlite3.Connection] | None = None,
    ) -> None:
        self._connection = connection
        self.token = token
        self.schema = schema
        self._open_another = open_another
        self.snapshot = snapshot
        """Opened as a file that no process can write, because its folder is read-only."""
        self.breathes = breathes
        """The file has no write-ahead log, so a reader keeps the agent from committing: long work
        releases its lock between two queries."""
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

    def at_once(self, own: Callable[[], T], other: Callable[["Reader"], U]) -> tuple[T, U]:
        """What both give: `other` works in a thread, with a reader of its own that sees the same
        state of the file. What was read before may be of an earlier state. One after the other
        where that cannot be."""
        twin = self._twin()
        if twin is None:
            return own(), other(self)
        done: list[U] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                done.append(other(twin))
            except BaseException as error:
                failed.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            mine = own()
        except BaseException:
            twin.token.cancel()
            raise
        finally:
            thread.join()
            twin._connection.close()
        if failed:
            raise failed[0]
        return mine, done[0]

    def _twin(self) -> "Reader | None":
        """A reader with another connection to this very state of the file. If nothing was committed
        from before it began to read until after, both see the same."""
        if self._open_another is None or self.breathes:
            return None
        try:
            connection = self._open_another()
        except sqlite3.Error:
            return None
        token = CancelToken()

        def stops() -> int:
            return int(token.cancelled or self.token.cancelled)

        connection.set_progress_handler(stops, STEPS_BETWEEN_CHECKS)
        connection.text_factory = self._connection.text_factory
        try:
            for _ in range(GLITCHES):
                before = self.value("PRAGMA data_version")
                connection.execute("BEGIN").close()
                schema = connection.execute("PRAGMA schema_version").fetchone()
                self._connection.execute("COMMIT").close()
                self._connection.execute("BEGIN").close()
                after = self.value("PRAGMA data_version")
                if before == after and schema == self.row("PRAGMA schema_version"):
                    return Reader(connection, token, self.schema, self.snapshot)
                connection.execute("COMMIT").close()
        except sqlite3.Error:
            connection.close()
            raise
        connection.close()
        return None

    def _execute(self, sql: str, values: Values) -> sqlite3.Cursor:
        """Begin a query. Work that released its lock waits here: starting all over, as `read` does,
        would never finish long work next to a busy agent."""
        most = PATIENCE if _hurry.most is None else _hurry.most
        deadline = time.monotonic() + most
        while True:
            self.token.check()
            try:
                return self._connection.execute(sql, values)
            except sqlite3.OperationalError as error:
                if not self._let_go or not failures.busy(error) or time.monotonic() > deadline:
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


class Held(NamedTuple):
    """A connection that a thread keeps between some reads."""

    reader: Reader
    connection: sqlite3.Connection
    file: Identity
    until: float
    """How long it was to wait for the next read anyway."""


class _Shared(threading.local):
    """What the reads of one thread have in common, while they do."""

    reader: Reader | None = None
    held: Held | None = None


class ReadOnlyFile:
    """A state file, opened for each piece of work, from any thread."""

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
        self._pages: int | None = None

    def one_of(self, files: int) -> None:
        """It is read in turn with others, and has its share of the memory that one would take: ten
        connections that wait for the next key would else hold 20 MB."""
        self._pages = max(PAGES // files, FEWEST_PAGES)

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        """Run `work` with one connection for all that it reads in this thread: of a few short
        queries, most of the time would go into opening the file. It starts over as `read` does.
        The connection stays open for a moment, for a user who searches while typing."""

        def share(reader: Reader) -> T:
            before, self._shared.reader = self._shared.reader, reader
            try:
                return work()
            finally:
                self._shared.reader = before

        return self.read(share, token, more=True)

    def hold(self, token: CancelToken | None = None) -> bool:
        """Keep one connection for what this thread reads until it lets go: whether there was none
        yet, and it can be. Between two reads, a file without a log is not locked. Unlike with
        `together`, each read by itself starts over where it has to, without that connection."""
        if self._shared.held is not None or self._shared.reader is not None:
            return False
        try:
            file = self._identity()
            waiting = self._idle.take(file)
            connection = waiting.connection if waiting else self._opened(immutable=False)
        except (sqlite3.Error, StoreError):
            # Reading it says what is wrong, or waits until nothing is.
            return False
        try:
            reader = self._reader(connection, token or CancelToken(), immutable=False)
        except sqlite3.Error:
            connection.close()
            return False
        self._shared.held = Held(reader, connection, file, waiting.until if waiting else 0.0)
        return True

    def let_go(self, sound: bool = True) -> None:
        """The end of `hold`; a connection that is not `sound` is not used again."""
        held, self._shared.held = self._shared.held, None
        if held is None:
            return
        if sound:
            held.connection.rollback()
            self._idle.leave(held.connection, held.file, held.until, searching=True)
        else:
            held.connection.close()

    def read(
        self, work: Callable[[Reader], T], token: CancelToken | None = None, more: bool = False
    ) -> T:
        """Run `work` on a connection of its own; again while the file is busy, from the start.
        With `more` the connection waits a moment for the next read."""
        if self._shared.reader is not None:
            return work(self._shared.reader)
        if self._shared.held is not None:
            try:
                return self._with_held(self._shared.held.reader, work)
            except sqlite3.Error:
                self.let_go(sound=False)
        token = token or CancelToken()
        deadline = time.monotonic() + longest_wait(self._patience)
        delay, glitches = 0.02, 0
        while True:
            token.check()
            try:
                return self._once(work, token, more)
            except sqlite3.Error as error:
                if failures.error_name(error) == "SQLITE_INTERRUPT":
                    raise Cancelled from None
                if "Could not decode to UTF-8" in str(error) and not self._lossy:
                    self._lossy = True
                    continue
                if not failures.is_passing(error):
                    raise self._explained(error) from error
                if not failures.busy(error):
                    glitches += 1
                    self._schema = None
                if glitches > GLITCHES or time.monotonic() + delay > deadline:
                    raise self._explained(error) from error
            except UnicodeDecodeError as error:
                raise self._explained(error) from error
            if self._waiting:
                self._waiting()
            token.wait(delay)
            delay = min(delay * 2, 0.5)

    def _explained(self, error: sqlite3.Error | UnicodeDecodeError) -> StoreError:
        return failures.explain(error, self.path)

    def _with_held(self, reader: Reader, work: Callable[[Reader], T]) -> T:
        self._shared.reader = reader
        try:
            return work(reader)
        finally:
            self._shared.reader = None
            reader.rest()

    def _identity(self) -> Identity:
        found = failures.check_file(self.path)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _once(self, work: Callable[[Reader], T], token: CancelToken, more: bool) -> T:
        file = self._identity()
        try:
            return self._as_it_is(file, work, token, more)
        except sqlite3.OperationalError as error:
            if failures.error_name(
                error
            ) not in failures.NEEDS_A_WRITABLE_FOLDER or not failures.log_is_empty(self.path):
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
            sound = failures.error_name(error) == "SQLITE_INTERRUPT"
            raise
        finally:
            if sound:
                connection.rollback()
                self._idle.leave(connection, file, waiting.until if waiting else 0.0, more)
            else:
                connection.close()

    def _opened(self, immutable: bool) -> sqlite3.Connection:
        address = failures.read_only_address(self.path, immutable)
        wait = LOCK_WAIT if _hurry.most is None else min(LOCK_WAIT, _hurry.most)
        connection = sqlite3.connect(
            address, uri=True, timeout=wait, isolation_level=None, check_same_thread=False
        )
        connection.execute("PRAGMA query_only=1").close()
        if self._pages is not None:
            connection.execute(f"PRAGMA cache_size=-{self._pages}").close()
        return connection

    def _with(
        self,
        connection: sqlite3.Connection,
        work: Callable[[Reader], T],
        token: CancelToken,
        immutable: bool,
    ) -> T:
        return work(self._reader(connection, token, immutable))

    def _reader(
        self, connection: sqlite3.Connection, token: CancelToken, immutable: bool
    ) -> Reader:
        if self._lossy:
            # Slower by a third, so only for a file that is known to need it.
            connection.text_factory = lossy
        connection.set_progress_handler(lambda: int(token.cancelled), STEPS_BETWEEN_CHECKS)
        # One state of the file for all queries of a piece of work, while the agent writes on; if
        # that cannot, `breathes` says so.
        connection.execute("BEGIN").close()
        version = connection.execute("PRAGMA schema_version").fetchone()[0]
        if self._schema is None or self._schema[0] != version:
            self._schema = (version, introspect(connection))
        logged = immutable or connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        return Reader(
            connection,
            token,
            self._schema[1],
            immutable,
            breathes=not logged,
            open_another=lambda: self._opened(immutable),
        )


class FinishedCopy(ReadOnlyFile):
    """A copy that no process writes any more: read as it is, without a lock, and without the two
    files that SQLite would make next to it. Only for what an agent itself made as a snapshot, and
    only where no log lies beside it: what is in a log would be missing."""

    def _once(self, work: Callable[[Reader], T], token: CancelToken, more: bool) -> T:
        failures.check_file(self.path)
        with closing(self._opened(immutable=True)) as connection:
            return self._with(connection, work, token, immutable=True)

    def _explained(self, error: sqlite3.Error | UnicodeDecodeError) -> StoreError:
        return failures.explain(error, self.path, finished=True)

    def hold(self, token: CancelToken | None = None) -> bool:
        return False

"""Noticing a write, without reading tables on a server that is not ours.

Which transactions write, and the number of the next one, is known to the server without looking at
a table. While that stays, nothing was written; when it has moved, anything in any database of the
server may have been, so the sessions are asked when they were last written, which reads all of
them: there is no index for it.
Both together take at most a twentieth of the time. `look` waits for the server and belongs into a
thread, like every read; one look at a time asks, and those that come in between are told what is
known.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from explorer.cancel import CancelToken
from explorer.errors import StoreError
from explorer.stores.postgres.connection import ServerDatabase
from explorer.stores.postgres.reader import ServerReader
from explorer.stores.postgres.schema import TableSet
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import impatient

SHARE = 0.05
"""Of the time, at most this much is spent asking."""
OFTEN, SELDOM = 0.9, 5.0
"""Seconds between two questions: while there are changes, and after a while without one. A little
less than a second: who looks once a second is not to miss every other look."""
CALM = 30.0
"""Seconds without a change after which questions come seldom."""

HURRY = 0.1
"""Seconds that a look waits for a server that cannot be read: a connection that was lost long ago
is made again."""

POSITION = "SELECT pg_current_snapshot()::text"
"""The next transaction, and those under way: one of them may end without a new one having begun."""


@dataclass(frozen=True)
class ServerStamp:
    """What is known of a set of tables without reading its rows; equal while nothing changed."""

    identity: tuple[int, int]
    """Another one means another database: the tables were made again."""
    version: int = 0
    """Another one after every change that was noticed."""
    sessions: int = field(default=-1, compare=False)
    """-1 where they were not counted yet."""
    written: float = field(default=0.0, compare=False)
    """When something was last written, in seconds since the epoch."""
    reached: bool = True
    """Whether the server answered: a read says what is wrong, and whether it has passed."""
    log_size: int = 0


class ServerChanges:
    """Looks at one set of tables, about once a second."""

    def __init__(
        self,
        database: ServerDatabase,
        clock: Callable[[], float] = time.monotonic,
        lazily: bool = False,
    ) -> None:
        """If `lazily`, the first look reads no table: who is about to read all sessions would
        wait for that, and can tell when they were `written`."""
        self._database = database
        self._lazily = lazily
        self._clock = clock
        self._stamp: ServerStamp | None = None
        self._position: object = None
        self._next = 0.0
        self._changed = clock()
        self._asking = threading.Lock()

    def written(self, at: float) -> None:
        """A session was last written at this time, as the caller has read."""
        with self._asking:
            if self._stamp is not None and at > self._stamp.written:
                self._stamp = replace(self._stamp, written=at)

    def look(self, token: CancelToken | None = None) -> ServerStamp:
        """How the tables are now, or were when they were last asked about."""
        known = self._stamp
        if not self._asking.acquire(blocking=known is None):
            assert known is not None
            return known
        try:
            began = self._clock()
            if self._stamp is not None and began < self._next:
                return self._stamp
            return self._asked(began, token)
        finally:
            self._asking.release()

    def _asked(self, began: float, token: CancelToken | None) -> ServerStamp:
        try:
            # The next look tries again.
            with impatient(HURRY):
                found = self._database.read(self._ask, token)
        except StoreError:
            self._position = None
            before = self._stamp or ServerStamp(self._identity((0,)))
            found = replace(before, reached=False)
        now = self._clock()
        if found != self._stamp:
            self._changed = now
        self._stamp = found
        pause = SELDOM if now - self._changed > CALM else OFTEN
        self._next = began + max(pause, (now - began) / SHARE)
        return found

    def _ask(self, reader: ServerReader) -> ServerStamp:
        position = reader.value(POSITION)
        before = self._stamp
        if before is not None and before.reached and position == self._position:
            return before
        if before is None and self._lazily:
            self._position = position
            return ServerStamp(self._identity((reader.value(f"SELECT {_number(reader.schema)}"),)))
        oid, sessions, cell = reader.row(_written(reader.schema))
        self._position = position
        version, written = 0, cells.seconds(cell) or 0.0
        if before is not None:
            same = (before.sessions, before.written) == (sessions, written)
            version = before.version + (not same)
        return ServerStamp(self._identity((oid,)), version, int(sessions), written)

    def _identity(self, marks: Sequence[object]) -> tuple[int, int]:
        """The table's own number on the server, and one for where it is."""
        named = f"{self._database.server}\0{self._database.tables.sessions}".encode()
        place = int.from_bytes(blake2b(named, digest_size=7).digest(), "big")
        return place, cells.integer(marks[0]) or 0


def _written(tables: TableSet) -> str:
    """One row: the table's own number, how many sessions there are, when one was last written."""
    table = f"{tables.prefix}sessions"
    newest = "max(s.updated_at)" if tables.has(table, "updated_at") else "max(s.created_at)"
    return f"SELECT {_number(tables)}, count(*), {newest} FROM {tables.sessions} s"


def _number(tables: TableSet) -> str:
    return f"to_regclass({_text(tables.sessions)})::oid::bigint"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"

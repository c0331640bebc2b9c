"""Reading a database on a server: what `ReadOnlyFile` is for a file.

Every piece of work runs in one `READ ONLY` transaction of one state of the database, with limits
on how long the server may work or wait for a lock. No transaction and no cursor outlives the work.
What is lost with the connection is run again from the start on another one.
"""

import threading
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import psycopg

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, Problem, StoreError
from explorer.stores.postgres import failures, rights
from explorer.stores.postgres.address import Address, Peer
from explorer.stores.postgres.pool import Pool
from explorer.stores.postgres.reader import ServerReader
from explorer.stores.postgres.schema import (
    HEADS,
    NO_TABLES,
    ROLE,
    SEARCH_PATH,
    SESSIONS,
    FoundSets,
    TableSet,
    schemas_named,
    sets_of_tables,
    tables_query,
)
from explorer.stores.postgres.session import SILENCE, ServerSession
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import PATIENCE, longest_wait

T = TypeVar("T")

GLITCHES = 2
"""Tries after an error that only tables which changed under us explain."""


class Limits(NamedTuple):
    """Seconds after which the server itself gives up."""

    statement: float = 120.0
    """A query: all sessions of a big database take some seconds."""
    lock: float = 2.0
    """Waiting for a table that is being altered."""
    idle: float = 60.0
    """Keeping a transaction open between two queries."""

    @property
    def begin(self) -> str:
        """Begins a transaction, in one message. The settings end with it: behind a pooler the
        connection will be another program's."""
        settings = {
            "statement_timeout": self.statement,
            "lock_timeout": self.lock,
            "idle_in_transaction_session_timeout": self.idle,
        }
        return "".join(
            (
                "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY;",
                *(f"SET LOCAL {name} = {int(value * 1000)};" for name, value in settings.items()),
            )
        )


LIMITS = Limits()
PATH = "SET LOCAL search_path = pg_catalog, pg_temp"
"""Names of tables are full; a function is the server's own."""
KEEP_TO_PATH = "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)"
"""The same where something was asked before."""


class _SharedReads(threading.local):
    """What the reads of one thread have in common, while they do."""

    reader: ServerReader | None = None
    held: ServerSession | None = None


class ServerDatabase:
    """A database, or with `of` one set of its tables, from any thread."""

    def __init__(
        self,
        address: Address,
        patience: float = PATIENCE,
        limits: Limits = LIMITS,
        waiting: Callable[[], None] | None = None,
        pool: Pool | None = None,
        tables: TableSet = NO_TABLES,
    ) -> None:
        self.server = address.shown
        self.tables = tables
        self._patience = patience
        self._limits = limits
        self._waiting = waiting
        self._pool = pool or Pool(address)
        self._shared = _SharedReads()

    def of(self, tables: TableSet) -> "ServerDatabase":
        """The same database, over the same connections, for work on this set of tables."""
        return ServerDatabase(
            self.address, self._patience, self._limits, self._waiting, self._pool, tables
        )

    @property
    def address(self) -> Address:
        return self._pool.address

    @property
    def peer(self) -> Peer | None:
        """Where the address led; None before the first connection."""
        return self._pool.peer

    def close(self) -> None:
        """Close the connections that wait; the next read makes another."""
        self._pool.clear()

    def one_of(self, stores: int) -> None:
        """It is read in turn with others: one connection waits for the next read."""
        self._pool.most = 1

    def found(self, token: CancelToken | None = None) -> FoundSets:
        """The sets of tables as they are now, those among them that may not be read, and the
        schemas with sets that the search path leaves out."""

        def work(reader: ServerReader) -> FoundSets:
            path = [cells.words(name) for name in reader.column(SEARCH_PATH)]
            role, setting = map(cells.words, reader.row(ROLE))
            reader.value(KEEP_TO_PATH)
            usable = {cells.words(schema): bool(may) for schema, may in reader.rows(HEADS)}
            # A schema that may not be used is left out of the path without a word.
            named = [one for one in schemas_named(setting, role) if not usable.get(one, True)]
            asked = [one for one in dict.fromkeys([*path, *named]) if one in usable]
            rows = reader.rows(tables_query(asked), asked) if asked else []
            sets = sets_of_tables(rows, asked)
            return FoundSets(
                tuple(one._replace(usable=usable[one.schema]) for one in sets),
                tuple(sorted(usable.keys() - set(asked))),
                role,
            )

        return self._retried(lambda token: self._once(work, token, own_path=True), token)

    def sets(self, token: CancelToken | None = None) -> tuple[TableSet, ...]:
        """The sets of tables that can be read, in the order of the search path."""
        return self.found(token).readable

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        """Run `work`, whose reads in this thread are of one state of the database."""

        def share(reader: ServerReader) -> T:
            before, self._shared.reader = self._shared.reader, reader
            try:
                return work()
            finally:
                self._shared.reader = before

        return self.read(share, token)

    def hold(self, token: CancelToken | None = None) -> bool:
        """Keep one connection for what this thread reads until it lets go: whether there was none
        yet, and it can be. Each read is a transaction of its own."""
        if self._shared.held is not None or self._shared.reader is not None:
            return False
        try:
            self._shared.held = self._pool.take(token or CancelToken())
        except psycopg.Error:
            # Reading it says what is wrong, or waits until nothing is.
            return False
        return True

    def let_go(self, sound: bool = True) -> None:
        """The end of `hold`; a connection that is not `sound` is not used again."""
        held, self._shared.held = self._shared.held, None
        if held is None:
            return
        if sound:
            self._pool.leave(held)
        else:
            held.close()

    def read(
        self,
        work: Callable[[ServerReader], T],
        token: CancelToken | None = None,
        more: bool = False,
    ) -> T:
        """Run `work` in a transaction of its own; again, from the start, where the connection was
        lost or the server is busy. A connection always waits for the next read, whether or not
        there will be `more`."""
        if self._shared.reader is not None:
            return work(self._shared.reader)
        return self._retried(lambda token: self._once(work, token), token)

    def _retried(self, once: Callable[[CancelToken], T], token: CancelToken | None) -> T:
        token = token or CancelToken()
        deadline = time.monotonic() + longest_wait(self._patience)
        delay, glitches = 0.02, 0
        while True:
            token.check()
            try:
                return once(token)
            except UnicodeDecodeError as error:
                if self._pool.lossy:
                    raise self._unreadable(error) from None
                self._read_bytes()
                continue
            except psycopg.Error as error:
                if token.cancelled:
                    raise Cancelled from None
                if failures.undecodable(error) and not self._pool.lossy:
                    self._read_bytes()
                    continue
                if failures.tables_changed(error) and glitches < GLITCHES:
                    glitches += 1
                    self._look_again(token)
                    continue
                if not self._may_pass(error) or time.monotonic() + delay > deadline:
                    # Without the driver's error: it holds the connection and its password.
                    raise failures.explain(error, self.server) from None
            if self._waiting:
                self._waiting()
            token.wait(delay)
            delay = min(delay * 2, 0.5)

    def _unreadable(self, error: Exception) -> StoreError:
        return failures.server_error(Problem.UNREADABLE, self.server, str(error))

    def _may_pass(self, error: psycopg.Error) -> bool:
        """Whether to try again. A server that was never reached is not waited for: the address may
        be wrong."""
        if failures.is_lost(error):
            self._pool.clear()
            return self._pool.reached
        return failures.is_passing(error)

    def _read_bytes(self) -> None:
        """Some text is not valid: read it as bytes from now on, which takes longer."""
        self._pool.lossy = True
        self._pool.clear()
        self.let_go(sound=False)

    def _look_again(self, token: CancelToken) -> None:
        """Tables have changed: find this set again as it is now."""
        self.tables = self.chosen(self.found(token), self.tables.schema, self.tables.prefix, token)

    def chosen(
        self, found: FoundSets, schema: str, prefix: str, token: CancelToken | None = None
    ) -> TableSet:
        """The set of this name among those that were found; a `StoreError` where it is gone, or
        may not be read."""
        for one in found.sets:
            if (one.schema, one.prefix) == (schema, prefix):
                if one.refused:
                    raise rights.refusal(one, found.role, self._sessions(one, token))
                return one
        raise self.no_store(found)

    def _sessions(self, tables: TableSet, token: CancelToken | None) -> int | None:
        """How many sessions a set has; None where that may not be read either."""
        if f"{tables.prefix}{SESSIONS}" in tables.closed:
            return None
        count = f"SELECT count(*) FROM {tables.sessions}"
        return self.read(lambda reader: cells.integer(reader.value(count)), token)

    def no_store(self, found: FoundSets) -> StoreError:
        """For a database without a set of tables in the search path."""
        error = failures.server_error(Problem.NOT_A_STORE, self.server)
        others = rights.elsewhere(found.elsewhere)
        return error.also(others) if others else error

    def _once(
        self, work: Callable[[ServerReader], T], token: CancelToken, own_path: bool = False
    ) -> T:
        held = self._shared.held
        session = held if held is not None and not held.closed else self._pool.take(token)
        try:
            return self._within(session, work, token, own_path)
        finally:
            if session is not held:
                self._pool.leave(session)

    def _within(
        self,
        session: ServerSession,
        work: Callable[[ServerReader], T],
        token: CancelToken,
        own_path: bool,
    ) -> T:
        """Run `work` in a transaction. `own_path` leaves the search path of the role in force."""
        session.token = token
        session.answers_within = self._limits.statement + SILENCE
        try:
            session.execute((self._limits.begin + ("" if own_path else PATH)).encode())
            return work(ServerReader(session, token, self.tables))
        finally:
            session.token = None
            _end(session)


def _end(session: ServerSession) -> None:
    """Leave nothing open on the server; a connection on which that fails is closed."""
    session.answers_within = SILENCE
    try:
        if not session.closed:
            session.execute(b"ROLLBACK")
    except psycopg.Error:
        session.close()

"""Writing to a database on a server: the one place here that begins a transaction which may write.

One connection for the length of one edit, and none of those that wait for reads. A transaction
happens as a whole or not at all, and is durable when it has: a server that answers before it has
written is told to write first. Where the connection is lost while the server commits, nobody knows
whether it did: that is `Unsure`, and the rows tell.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

import psycopg

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError, Problem, Refused, StoreError
from explorer.render.clean import clean_line
from explorer.stores.postgres import failures
from explorer.stores.postgres.address import Address
from explorer.stores.postgres.connection import PATH, Limits
from explorer.stores.postgres.placeholders import numbered
from explorer.stores.postgres.secrets import scrubbed
from explorer.stores.postgres.session import SILENCE, ServerSession, connect
from explorer.stores.sqlite.images import Cell, Image, RawText

Names = Callable[[str], str]
"""Puts the full names of tables into a statement."""

CANNOT = "Cannot change the database"
NOTHING_CHANGED = "Nothing was changed."
WRITING = "Another program is writing to it."
LIMITS = Limits(statement=120.0, lock=5.0, idle=120.0)
"""A delete may wait for the disk of our trash between two statements."""
_BUSY = ("55P03", "40001", "40P01", "57014")
_FULL = ("53100", "53200")
_DURABLE = (
    "SELECT pg_catalog.set_config('synchronous_commit', 'on', true)"
    " WHERE pg_catalog.current_setting('synchronous_commit') = 'off';"
)


class Conflict(Refused):
    """The rows are no longer as they were, or another program holds them."""


class Unsure(StoreError):
    """The connection was lost while the server committed: it did, or it did not."""

    def __init__(self, server: str) -> None:
        super().__init__(
            Problem.UNREACHABLE,
            "Connection lost",
            f"{server} went away while a change was being saved. Session Explorer finds out"
            " whether it was saved when the server is back.",
        )
        self._server = server

    def not_done(self) -> StoreError:
        """The same when it is known that the server did not commit."""
        return StoreError(
            Problem.UNREACHABLE,
            self.title,
            f"{self._server} went away before the change was saved. {NOTHING_CHANGED}",
        )


def image(row: Sequence[object]) -> Image:
    """A row as our trash keeps it."""
    return tuple(_cell(value) for value in row)


def _cell(value: object) -> Cell:
    if isinstance(value, str):
        return RawText(value.encode("utf-8"))
    if value is None or isinstance(value, int | float | bytes):
        return value
    raise Refused(CANNOT, "It holds a value of an unknown type.")


def given(cell: object) -> object:
    """A cell as the server takes it."""
    return cell.decode("utf-8") if isinstance(cell, RawText) else cell


class ServerTransaction:
    """One write, with the locks that it has taken so far."""

    def __init__(self, session: ServerSession, names: Names) -> None:
        self._session = session
        self._names = names

    def _sql(self, sql: str) -> bytes:
        return numbered(self._names(sql))

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Image]:
        with self._session.cursor() as cursor:
            found = cursor.execute(self._sql(sql), [given(one) for one in values] or None)
            return [image(row) for row in found.fetchall()]

    def taken(self, sql: str, values: Sequence[object]) -> Iterator[Image]:
        """What a statement returns, row by row: a session may be longer than our memory."""
        with self._session.cursor() as cursor:
            for row in cursor.stream(self._sql(sql), [given(one) for one in values]):
                yield image(row)

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        """Change something; how many rows it was."""
        with self._session.cursor() as cursor:
            cursor.execute(self._sql(sql), [given(one) for one in values] or None)
            return cursor.rowcount

    def add(self, sql: str, rows: Sequence[Sequence[object]]) -> int:
        """Insert each of these rows; how many there are now."""
        with self._session.cursor() as cursor:
            cursor.executemany(self._sql(sql), [[given(one) for one in row] for row in rows])
            return cursor.rowcount


class ServerWriter:
    """A connection for one edit."""

    def __init__(self, address: Address, names: Names, limits: Limits = LIMITS) -> None:
        self.server = address.shown
        self._address = address
        self._names = names
        self._limits = limits
        self._session: ServerSession | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._session is not None:
            self._session.close()

    def _connected(self) -> ServerSession:
        if self._session is None or self._session.closed:
            self._session = connect(self._address, lossy=False)
        return self._session

    @contextmanager
    def transaction(self, token: CancelToken | None = None) -> Iterator[ServerTransaction]:
        """A write that happens as a whole or not at all. A `token` stops what waits for the server,
        until it commits."""
        try:
            session = self._connected()
        except psycopg.Error as error:
            raise failures.explain(error, self.server) from None
        session.token = token
        session.answers_within = self._limits.statement + SILENCE
        try:
            session.execute(self._begin())
            yield ServerTransaction(session, self._names)
            session.token = None
        except psycopg.Error as error:
            self._give_up(session)
            if token is not None and token.cancelled:
                raise Cancelled from None
            raise self._explained(error) from None
        except BaseException:
            self._give_up(session)
            raise
        self._commit(session)

    def _begin(self) -> bytes:
        begin = self._limits.begin.replace(
            "REPEATABLE READ, READ ONLY", "READ COMMITTED, READ WRITE"
        )
        return f"{begin}{_DURABLE}{PATH}".encode()

    def _commit(self, session: ServerSession) -> None:
        try:
            ended = session.execute(b"COMMIT").statusmessage
        except psycopg.Error as error:
            self._give_up(session)
            if failures.is_lost(error) or session.closed:
                raise Unsure(self.server) from None
            raise self._explained(error) from None
        if ended != "COMMIT":
            raise ExplorerError(CANNOT, "The server rolled it back.")

    def _give_up(self, session: ServerSession) -> None:
        """The server rolls back what is not committed when the connection ends."""
        session.token = None
        session.close()

    def _explained(self, error: psycopg.Error) -> ExplorerError:
        """What went wrong with a transaction, of which nothing was committed. Those before it may
        have been: what is left of the whole edit, its caller says."""
        code = error.sqlstate or ""
        said = clean_line(scrubbed(error.diag.message_primary or str(error)), 300).rstrip(". ")
        if code in _BUSY:
            return Conflict("It is being written", WRITING)
        if code.startswith("23"):
            return Conflict("The database has changed", f"The server rejected a step: {said}.")
        if code == "42501" or code == "25006":
            return Refused(CANNOT, f"Its user may not: {said}.")
        if code in _FULL:
            return ExplorerError(CANNOT, f"The server is out of space: {said}.")
        if failures.is_lost(error):
            return failures.explain(error, self.server)
        return ExplorerError(CANNOT, f"The server rejected a step: {said}.")

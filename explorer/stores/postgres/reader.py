"""One read-only transaction on a server, for the length of one piece of work.

It offers what the `Reader` of a file does, in the same words. A result is fetched whole, so queries
ask for pages; what may be long is streamed through a cursor on the server.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from psycopg import RawServerCursor

from explorer.cancel import CancelToken
from explorer.stores.postgres.placeholders import bound, numbered
from explorer.stores.postgres.schema import TableSet
from explorer.stores.postgres.session import ServerSession

AT_A_TIME = 1000
"""Rows of a stream that are in memory."""


class ServerReader:
    """Asks the server; `schema` is the set of tables that the work is about."""

    snapshot = False
    breathes = False
    """A reader on a server keeps no writer waiting."""

    def __init__(self, session: ServerSession, token: CancelToken, schema: TableSet) -> None:
        self._session = session
        self.token = token
        self.schema = schema
        self._streams = 0

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """Every row at once."""
        self.token.check()
        with self._session.cursor() as cursor:
            return cursor.execute(numbered(sql), bound(values) or None).fetchall()

    def columns(self, sql: str, values: Sequence[object] = ()) -> list[list[Any]]:
        """Every row at once, column by column."""
        self.token.check()
        with self._session.cursor() as cursor:
            cursor.execute(numbered(sql), bound(values) or None)
            columns: list[list[Any]] = [[] for _ in cursor.description or ()]
            while rows := cursor.fetchmany(AT_A_TIME):
                for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
                    column += cells
            return columns

    def row(self, sql: str, values: Sequence[object] = ()) -> Any:
        """The first row, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """The first cell of the first row, or None."""
        found = self.row(sql, values)
        return found[0] if found else None

    def column(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """The first cell of every row."""
        return [row[0] for row in self.rows(sql, values)]

    def stream(self, sql: str, values: Sequence[object] = ()) -> Iterator[Any]:
        """Row by row, with few of them in memory; only within the work, and closed with it."""
        self.token.check()
        self._streams += 1
        with RawServerCursor(self._session, f"streamed_{self._streams}") as cursor:
            cursor.execute(numbered(sql), bound(values) or None)
            while rows := cursor.fetchmany(AT_A_TIME):
                yield from rows
                self.token.check()

    def rest(self) -> None:
        """Nothing to let go of: see `breathes`."""

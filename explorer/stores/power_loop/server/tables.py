"""The set of tables of one store on a server.

A server numbers no rows, so sessions are numbered here as they are read, and looked up by their id,
which is the primary key.
"""

from typing import Any

from explorer.stores.postgres.schema import TableSet
from explorer.stores.power_loop.server.flavour import Postgres
from explorer.stores.power_loop.server.numbers import SessionNumbers
from explorer.stores.power_loop.tables import Tables, marks_parts

RECENT = 600_000
"""Milliseconds in which a session was active that may count as running: more than it takes, since
the clock of the server may be another one."""


class ServerTables(Tables):
    """One set; the reader is asked about no other."""

    ids: SessionNumbers
    _active: str
    _lag: str

    @classmethod
    def of(cls, found: TableSet) -> "ServerTables":
        made = cls(
            *(0, found.prefix),
            flavour=Postgres(found.numbers),
            space=found.schema,
            marks=marks_parts(found, found.prefix),
        )
        made.ids = SessionNumbers()
        dated = found.has(f"{found.prefix}sessions", "updated_at")
        made._active = "s.updated_at" if dated else "s.created_at"
        counted = {"created_at", "updated_at"} <= found.numbers
        made._lag = made._lag_of_recent() if dated and counted else ""
        return made

    def _lag_of_recent(self) -> str:
        """Only of sessions that may count as running is the last message looked for."""
        recent = f"s.updated_at > extract(epoch FROM now()) * 1000 - {RECENT}"
        newest = f"coalesce({self.newest}, s.created_at)"
        return f"(CASE WHEN {recent} THEN s.updated_at - {newest} END)"

    def named(self, table: str) -> str:
        return f"{self.prefix}{table}"

    @property
    def active(self) -> str:
        """power-loop writes down with every message when its session was last written. To look for
        the newest message of each would read as many rows as there are sessions, and there is no
        index on the times of messages."""
        return self._active

    @property
    def lag(self) -> str:
        return self._lag

    def key(self, handle: Any) -> int:
        return self.ids.number(handle)

    def handle(self, key: int) -> Any:
        return self.ids.id(key)

    def owns(self, key: int) -> bool:
        return True

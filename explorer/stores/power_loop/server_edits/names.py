"""How SQL calls the tables of a server.

The edits engine and our trash know a table by one name, in which the schema comes first; in SQL
those are two names. Wherever the engine has quoted the one, the two are put in its place.
"""

from collections.abc import Iterable
from typing import Protocol

from explorer.stores.sqlite.schema import quoted


class NumberedTables(Protocol):
    """A set of tables whose sessions have numbers of ours: `power_loop.tables.Tables`, as a store
    on a server has them."""

    @property
    def prefix(self) -> str: ...

    @property
    def space(self) -> str:
        """The schema."""
        ...

    def named(self, table: str) -> str: ...

    def sql(self, table: str) -> str: ...

    def key(self, handle: str) -> int:
        """The key of the session with an id."""
        ...

    def handle(self, key: int) -> str:
        """The id of the session with a key, which may be gone."""
        ...

    def owns(self, key: int) -> bool: ...


class SqlNames:
    """Puts the full names of tables into statements."""

    def __init__(self, sets: Iterable[NumberedTables], tables: Iterable[str]) -> None:
        names = list(tables)
        self._names = [
            (quoted(one.named(table)), one.sql(table)) for one in sets for table in names
        ]

    def __call__(self, sql: str) -> str:
        for ours, full in self._names:
            if ours in sql:
                sql = sql.replace(ours, full)
        return sql

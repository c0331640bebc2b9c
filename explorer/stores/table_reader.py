"""What a kind of store needs of a database to read it: questions, and the names of tables.

`sqlite/read_only.Reader` offers it for a file. A kind of store whose sessions may also be in
another database is written against this, with `?` for each value, and never against one of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from explorer.cancel import CancelToken


class KnownTables(Protocol):
    """The tables of a database with their columns."""

    @property
    def tables(self) -> Mapping[str, frozenset[str]]: ...

    def has(self, table: str, *columns: str) -> bool:
        """Whether the table is there, with all these columns."""
        ...

    def pick(self, table: str, alias: str, columns: tuple[str, ...]) -> str:
        """A select list in the given order, NULL standing for what the table lacks."""
        ...


class TableReader(Protocol):
    """One connection that only reads, for the length of one piece of work. Every answer is
    complete: nothing stays open between two questions."""

    @property
    def token(self) -> CancelToken: ...

    @property
    def schema(self) -> KnownTables: ...

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]: ...

    def row(self, sql: str, values: Sequence[object] = ()) -> Any:
        """The first row, or None."""
        ...

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """The first cell of the first row, or None."""
        ...

    def column(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """The first cell of every row."""
        ...

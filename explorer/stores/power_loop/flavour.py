"""What differs in SQL between the databases that power-loop keeps its sessions in.

Everything that reads writes plain SQL, and asks a `Flavour` for the few pieces that it cannot
write in one way. `Sqlite` is the one for files, whose cells may hold anything. Another database
brings its own, and a subclass of `tables.Tables` that knows how its sessions are numbered.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Protocol

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import batches, bytes_of, first_bytes, placeholders
from explorer.stores.table_reader import TableReader


class NamesTables(Protocol):
    """A set of tables, as far as a flavour needs to know it."""

    @property
    def sessions(self) -> str:
        """What SQL calls the table of sessions."""
        ...

    @property
    def messages(self) -> str:
        """The same of messages."""
        ...

    def named(self, table: str) -> str:
        """What the schema calls a table."""
        ...


class Flavour(ABC):
    """Pieces of SQL. In them a table of sessions is `s`, and a table of messages is `m`."""

    handle: str
    """What finds the row of a session again, for as long as it is there."""
    seq: str
    """The number of a message in its session, unique there."""
    row: str
    """The number of a message in its table, which grows as they are written; empty where there is
    none, and a search has to walk along something else."""

    @abstractmethod
    def size(self, cell: str) -> str:
        """The bytes of a text."""

    @abstractmethod
    def head(self, cell: str, size: int) -> str:
        """A cell, of a text only the first bytes: it may end inside a letter."""

    @abstractmethod
    def total(self, cell: str) -> str:
        """A sum that never fails, however great the figures; 0 of nothing."""

    @abstractmethod
    def differs(self, cell: str, other: str) -> str:
        """Whether two cells differ, where a cell that is NULL differs from any text."""

    @abstractmethod
    def may_hold(
        self, columns: Sequence[str], groups: Sequence[Sequence[str]]
    ) -> tuple[str, list[str | bytes]]:
        """(SQL, values): whether some of these cells may hold one text of each group."""

    def surely_holds(self, groups: Sequence[Sequence[str]]) -> tuple[str, list[str]]:
        """(SQL, values): whether the plain content of a message holds them for certain; 0 where
        that is not told."""
        return "0", []

    def rows(
        self,
        reader: TableReader,
        tables: NamesTables,
        columns: str,
        handles: Collection[object] | None = None,
    ) -> list[Any]:
        """(handle, columns) of the sessions with these handles, or of all."""
        select = f"SELECT {self.handle}, {columns} FROM {tables.sessions} s"
        if handles is None:
            return reader.rows(select)
        found: list[Any] = []
        for batch in batches(handles):
            found += reader.rows(f"{select} WHERE {self.handle} IN ({placeholders(batch)})", batch)
        return found

    def with_first(self, tables: NamesTables, order: str, most: int) -> str:
        """Sessions, each with its first or last messages of a role, which is the one value."""
        return (
            f"{tables.sessions} s JOIN {tables.messages} m ON m.session_id = s.session_id"
            f" AND m.seq IN (SELECT f.seq FROM {tables.messages} f"
            f" WHERE f.session_id = s.session_id AND f.role = ? ORDER BY f.seq {order}"
            f" LIMIT {most})"
        )

    def pieces(
        self,
        reader: TableReader,
        tables: NamesTables,
        columns: str,
        handles: Collection[object] | None = None,
    ) -> Iterator[list[Any]]:
        """The same in as many pieces as it takes to have few of them in memory."""
        yield self.rows(reader, tables, columns, handles)


class Sqlite(Flavour):
    """A file. A column holds whatever it was given, so text is compared and measured as bytes."""

    handle = "s.rowid"
    seq = "CASE typeof(m.seq) WHEN 'integer' THEN m.seq ELSE -m.rowid END"
    """Where a damaged file has no number, another that no message of its session has."""
    row = "m.rowid"

    def size(self, cell: str) -> str:
        return bytes_of(cell)

    def head(self, cell: str, size: int) -> str:
        return first_bytes(cell, size)

    def total(self, cell: str) -> str:
        # Not sum(): that fails when the figures are too great.
        return f"total({cell})"

    def differs(self, cell: str, other: str) -> str:
        return f"{cell} IS NOT {other}"

    def rows(
        self,
        reader: TableReader,
        tables: NamesTables,
        columns: str,
        handles: Collection[object] | None = None,
    ) -> list[Any]:
        # Late, as is the whole store: users of other agents need neither.
        from explorer.stores.sqlite.read_only import Reader
        from explorer.stores.sqlite.slices import numbered_rows

        assert isinstance(reader, Reader)
        # In pieces, where a reader would keep the agent from committing.
        numbers = None if handles is None else [cells.integer(one) or 0 for one in handles]
        return numbered_rows(reader, columns, tables.named("sessions"), numbers)

    def may_hold(
        self, columns: Sequence[str], groups: Sequence[Sequence[str]]
    ) -> tuple[str, list[str | bytes]]:
        # Late: only a search needs the ways to write a letter.
        from explorer.stores.sqlite.spelling import may_hold

        return may_hold(columns, groups)

    def surely_holds(self, groups: Sequence[Sequence[str]]) -> tuple[str, list[str]]:
        from explorer.stores.sqlite.spelling import surely_holds

        return surely_holds(groups)


SQLITE = Sqlite()

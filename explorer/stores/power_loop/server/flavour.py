"""The SQL of PostgreSQL, where it differs from that of a file."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from explorer.render.reasoning import TAGS
from explorer.stores.postgres.reader import AT_A_TIME, ServerReader
from explorer.stores.power_loop.flavour import Flavour, NamesTables
from explorer.stores.sqlite.spelling import any_of, has_case_beyond_ascii, lower, spelt
from explorer.stores.table_reader import TableReader

PIECE = 10 * AT_A_TIME
"""Rows that are worked on at once where all sessions are read."""


class Postgres(Flavour):
    """A server: columns have types, and text is valid. Only ASCII letters are folded, as in a file:
    what the server's own rules fold depends on the database."""

    handle = "s.session_id"
    seq = "m.seq"
    row = ""

    def __init__(self, numbers: Collection[str]) -> None:
        """`numbers` are the names of columns that hold numbers, which are not cut."""
        self._numbers = numbers

    def size(self, cell: str) -> str:
        return f"octet_length(({cell})::text)"

    def head(self, cell: str, size: int) -> str:
        name = cell.rpartition(".")[2].strip('"')
        return cell if name in self._numbers else f"left(({cell})::text, {size})"

    def total(self, cell: str) -> str:
        return f"coalesce(sum({cell}), 0)"

    def differs(self, cell: str, other: str) -> str:
        return f"{cell} IS DISTINCT FROM {other}"

    def may_hold(
        self, columns: Sequence[str], groups: Sequence[Sequence[str]]
    ) -> tuple[str, list[str | bytes]]:
        tests, values = ["true"], list[str | bytes]()
        for group in groups:
            ways = [way for text in group for way in spelt(text)]
            tests.append(any_of([_holds(column) for _ in ways for column in columns]))
            values += [way for way in ways for _ in columns]
        return " AND ".join(tests), values

    def surely_holds(self, groups: Sequence[Sequence[str]]) -> tuple[str, list[str]]:
        tests, values = [], []
        for group in groups:
            known = [text for text in group if not any(map(has_case_beyond_ascii, text))]
            if not known:
                return "false", []
            tests.append(any_of([_holds("m.content")] * len(known)))
            values += [lower(text) for text in known]
        if not tests:
            return "false", []
        tagged = any_of([f"strpos(m.content, '{name}>') > 0" for name in TAGS])
        plain = f"ascii(m.content) != 91 AND NOT {tagged}"
        return f"coalesce({plain} AND {' AND '.join(tests)}, false)", values

    def with_first(self, tables: NamesTables, order: str, most: int) -> str:
        # Otherwise the server would look for them again for every message of a session.
        return (
            f"{tables.sessions} s CROSS JOIN LATERAL (SELECT f.* FROM {tables.messages} f"
            f" WHERE f.session_id = s.session_id AND f.role = ? ORDER BY f.seq {order}"
            f" LIMIT {most}) m"
        )

    def pieces(
        self,
        reader: TableReader,
        tables: NamesTables,
        columns: str,
        handles: Collection[object] | None = None,
    ) -> Iterator[list[Any]]:
        if handles is not None:
            yield self.rows(reader, tables, columns, handles)
            return
        select = f"SELECT {self.handle}, {columns} FROM {tables.sessions} s"
        piece: list[Any] = []
        for row in streamed(reader, select):
            piece.append(row)
            if len(piece) == PIECE:
                yield piece
                piece = []
        yield piece


def streamed(reader: TableReader, sql: str, values: Sequence[object] = ()) -> Iterator[Any]:
    """Row by row: a million of them would not fit into memory."""
    assert isinstance(reader, ServerReader)
    return reader.stream(sql, values)


def _holds(cell: str) -> str:
    return f"strpos(lower(coalesce({cell}, '') COLLATE \"C\"), ?) > 0"

"""Which tables and columns a file has, and how SQL names them.

Version numbers lie (columns are added before the number is raised, and after it), so callers ask
for columns. A column that may be missing is always written `s."title"` with its table: a bare
"title" that does not exist would silently be the string 'title'.
"""

import re
import sqlite3
from collections.abc import Iterable, Mapping, Sized
from itertools import islice
from typing import NamedTuple, TypeVar

from explorer.stores.sqlite import cells

_COMMENT = r"'(?:[^']|'')*'|--[^\n]*|/\*(?s:.*?)(?:\*/|\Z)"
_QUOTES = str.maketrans("", "", '"`[]')


class Schema(NamedTuple):
    """The tables of one file with their columns, and the names of its indices."""

    tables: Mapping[str, frozenset[str]]
    """Without views: they have no row numbers, and one may never end."""
    indices: frozenset[str]
    virtual: Mapping[str, str]
    """Virtual tables with the statement that made them."""
    fed: frozenset[str] = frozenset()
    """Virtual tables that a trigger adds every new row to; the others go stale."""

    def has(self, table: str, *columns: str) -> bool:
        """Whether the table is there, with all these columns."""
        found = self.tables.get(table)
        return found is not None and all(column in found for column in columns)

    def pick(self, table: str, alias: str, columns: tuple[str, ...]) -> str:
        """A select list in the given order, NULL standing for what the file lacks."""
        known = self.tables.get(table, frozenset())
        return ", ".join(f'{alias}."{c}"' if c in known else f'NULL AS "{c}"' for c in columns)

    def indexed_by(self, index: str) -> str:
        """A hint for the planner, where the index exists; empty otherwise."""
        return f'INDEXED BY "{index}"' if index in self.indices else ""


def introspect(connection: sqlite3.Connection) -> Schema:
    """Read the schema: one query for the names, one for each real table."""
    factory = connection.text_factory
    # Names need not be text either; what is none is known by another name and never asked for.
    connection.text_factory = lossy
    try:
        rows = connection.execute(
            "SELECT type, name, CASE WHEN type = 'trigger' OR sql LIKE 'CREATE VIRTUAL%' THEN sql"
            " END FROM sqlite_master"
        ).fetchall()
        objects = [tuple(map(cells.words, row)) for row in rows]
        made = {name: sql for kind, name, sql in objects if kind == "table"}
        tables = {
            name: _columns(connection, name)
            for name, sql in made.items()
            if not sql and not _shadow(name)
        }
    finally:
        connection.text_factory = factory
    virtual = {name: sql for name, sql in made.items() if sql}
    triggers = [_bare(sql) for kind, _, sql in objects if kind == "trigger"]
    adding = [sql for sql in triggers if "inserton" in sql]
    return Schema(
        tables=tables,
        indices=frozenset(name for kind, name, _ in objects if kind == "index"),
        virtual=virtual,
        fed=frozenset(name for name in virtual if any(f"into{name}(" in sql for sql in adding)),
    )


def _columns(connection: sqlite3.Connection, name: str) -> frozenset[str]:
    # Only the names: decoding types and defaults would take most of the time.
    rows = connection.execute("SELECT name FROM pragma_table_info(?)", (name,)).fetchall()
    return frozenset(cells.words(row[0]) for row in rows)


def lossy(raw: bytes) -> str:
    """Text that may not be valid."""
    return raw.decode("utf-8", "replace")


def _bare(sql: str) -> str:
    """A statement without comments, spaces, quotes and case."""
    if "--" in sql or "/*" in sql:
        sql = re.sub(_COMMENT, lambda found: found[0] if found[0][0] == "'" else " ", sql)
    return "".join(sql.translate(_QUOTES).split()).lower()


def _shadow(name: str) -> bool:
    """The tables in which a full-text table keeps itself: of no interest, and many."""
    return "_fts" in name and name.endswith(("_data", "_idx", "_content", "_docsize", "_config"))


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def bytes_of(cell: str) -> str:
    """SQL for the size of a cell."""
    return f"length(CAST({cell} AS BLOB))"


def first_bytes(cell: str, size: int) -> str:
    """SQL for a cell that is cut where it is text."""
    text = f"typeof({cell}) IN ('text', 'blob')"
    return f"CASE WHEN {text} THEN substr(CAST({cell} AS BLOB), 1, {size}) ELSE {cell} END"


T = TypeVar("T")

MOST_BOUND = 500
"""Values in one statement: some builds of SQLite take no more than 999."""


def placeholders(values: Sized) -> str:
    """A list for `IN (…)`."""
    return ",".join("?" * len(values))


def batches(values: Iterable[T], size: int = MOST_BOUND) -> Iterable[list[T]]:
    """Values in lists that can be bound."""
    left = iter(values)
    while batch := list(islice(left, size)):
        yield batch

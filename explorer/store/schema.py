"""What tables and columns a file has.

Version numbers lie (columns are added before the number is raised, and after it), so everything
above asks for columns. A column that may be missing is always written `s."title"` with its table:
a bare "title" that does not exist would silently be the string 'title'.
"""

import sqlite3
from collections.abc import Mapping
from typing import NamedTuple


class Schema(NamedTuple):
    """The tables of one file with their columns, and the names of its indices."""

    tables: Mapping[str, frozenset[str]]
    indices: frozenset[str]
    virtual: Mapping[str, str]
    """Virtual tables with the statement that made them."""

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
    objects = connection.execute(
        "SELECT type, name, CASE WHEN sql LIKE 'CREATE VIRTUAL%' THEN sql END FROM sqlite_master"
        " WHERE type IN ('table', 'view', 'index')"
    ).fetchall()
    columns: dict[str, set[str]] = {}
    virtual: dict[str, str] = {}
    for kind, name, sql in objects:
        if kind == "index":
            continue
        if sql:
            virtual[name] = sql
        elif not _shadow(name):
            columns[name] = {
                row[1]
                for row in connection.execute(f"PRAGMA table_info({_quoted(name)})").fetchall()
            }
    return Schema(
        tables={name: frozenset(found) for name, found in columns.items()},
        indices=frozenset(name for kind, name, _ in objects if kind == "index"),
        virtual=virtual,
    )


def _shadow(name: str) -> bool:
    """The tables in which a full-text table keeps itself: of no interest, and many."""
    return "_fts" in name and name.endswith(("_data", "_idx", "_content", "_docsize", "_config"))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

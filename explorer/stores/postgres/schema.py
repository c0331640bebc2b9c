"""Which sets of tables a database has: found by their columns in every schema of the search path.

power-loop has no name for a set but the prefix of its tables, and no schema but the first one of
its connection. Tables are asked for by their full name, and the search path of a read has none but
the server's own functions in it: one in another schema could stand in for them. Views are left out:
one may call anything, and may never end.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import quoted

SESSIONS, MESSAGES = "sessions", "messages"
_OF_SESSIONS = ("session_id", "created_at", "kind")
_OF_MESSAGES = ("session_id", "seq", "role", "content")
MOST_TABLES = 5000
"""Of a search path: a database of a thousand tenants may have more, and is cut."""

SEARCH_PATH = "SELECT pg_catalog.unnest(pg_catalog.current_schemas(false))"
TABLES = f"""
SELECT n.nspname, c.relname, array_to_string(array_agg(a.attname ORDER BY a.attnum), chr(1)),
array_to_string(array_agg(a.attname) FILTER (WHERE t.typcategory = 'N'), chr(1))
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relkind IN ('r', 'p') AND n.nspname IN (MARKS)
AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
GROUP BY n.nspname, c.relname ORDER BY n.nspname, c.relname LIMIT {MOST_TABLES}
"""


class TableSet(NamedTuple):
    """The tables of one power-loop: those of a schema whose names begin with a prefix."""

    schema: str
    prefix: str
    tables: Mapping[str, frozenset[str]]
    """By the name without the schema, as in a file."""
    numbers: frozenset[str] = frozenset()
    """Names of columns that hold numbers wherever they occur in the schema."""

    def has(self, table: str, *columns: str) -> bool:
        """Whether the table is there, with all these columns."""
        found = self.tables.get(table)
        return found is not None and all(column in found for column in columns)

    def pick(self, table: str, alias: str, columns: tuple[str, ...]) -> str:
        """A select list in the given order, NULL standing for what the table lacks."""
        known = self.tables.get(table, frozenset())
        return ", ".join(f'{alias}."{c}"' if c in known else f'NULL AS "{c}"' for c in columns)

    def name(self, table: str) -> str:
        """The full name of a table, for a query."""
        return f"{quoted(self.schema)}.{quoted(table)}"

    @property
    def sessions(self) -> str:
        return self.name(f"{self.prefix}{SESSIONS}")

    @property
    def messages(self) -> str:
        return self.name(f"{self.prefix}{MESSAGES}")


NO_TABLES = TableSet("", "", {})


def tables_query(schemas: Sequence[str]) -> str:
    return TABLES.replace("MARKS", ",".join("?" * len(schemas)))


def sets_of_tables(rows: Iterable[Sequence[Any]], path: Sequence[str]) -> tuple[TableSet, ...]:
    """Every set that power-loop could have made, in the order of the search path."""
    by_schema: dict[str, dict[str, frozenset[str]]] = {schema: {} for schema in path}
    numbers: dict[str, set[str]] = {schema: set() for schema in path}
    others: dict[str, set[str]] = {schema: set() for schema in path}
    for schema, table, columns, counting in rows:
        within = cells.words(schema)
        named = frozenset(cells.words(columns).split("\1"))
        by_schema.setdefault(within, {})[cells.words(table)] = named
        counts = set(cells.words(counting).split("\1"))
        numbers.setdefault(within, set()).update(counts)
        others.setdefault(within, set()).update(named - counts)
    return tuple(
        one
        for schema, tables in by_schema.items()
        for one in _in(schema, tables, frozenset(numbers[schema] - others[schema]))
    )


def _in(
    schema: str, tables: Mapping[str, frozenset[str]], numbers: frozenset[str]
) -> Iterator[TableSet]:
    whole = TableSet(schema, "", tables)
    prefixes = [
        name.removesuffix(SESSIONS)
        for name in tables
        if name.endswith(SESSIONS)
        and whole.has(name, *_OF_SESSIONS)
        and whole.has(f"{name.removesuffix(SESSIONS)}{MESSAGES}", *_OF_MESSAGES)
    ]
    for prefix in sorted(prefixes):
        own = {name: columns for name, columns in tables.items() if name.startswith(prefix)}
        yield TableSet(schema, prefix, own, numbers)

"""Which sets of tables a database has: found by their columns in every schema of the search path.

power-loop has no name for a set but the prefix of its tables, and no schema but the first one of
its connection. Tables are asked for by their full name, and the search path of a read has none but
the server's own functions in it: one in another schema could stand in for them. Views are left out:
one may call anything, and may never end.

The catalog of the server names every table, also those that this user may not read. So a set with
such tables is found as well, and so are the schemas that the search path leaves out.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import quoted

SESSIONS, MESSAGES = "sessions", "messages"
NAMES = (
    *(SESSIONS, MESSAGES, "schema_migrations", "compactions", "usage_rounds", "session_state"),
    *("session_runtime_state", "shared_state", "background_tasks", "session_stats", "timers"),
    *("notes", "project_messages", "hook_events", "session_leases", "follow_up_queue"),
    *("context_cache", "context_attempts"),
)
"""The tables of a set, without their prefix."""
_OF_SESSIONS = ("session_id", "created_at", "kind")
_OF_MESSAGES = ("session_id", "seq", "role", "content")

SEARCH_PATH = "SELECT pg_catalog.unnest(pg_catalog.current_schemas(false))"
ROLE = "SELECT current_user, pg_catalog.current_setting('search_path')"


def _with_columns(table: str, columns: Collection[str]) -> str:
    """A condition: the table has all these columns. Asked of few, which the name has chosen."""
    named = ", ".join(f"'{column}'" for column in columns)
    return (
        f"(SELECT count(*) FROM pg_attribute a WHERE a.attrelid = {table}.oid AND a.attnum > 0"
        f" AND NOT a.attisdropped AND a.attname IN ({named})) = {len(columns)}"
    )


# By name first: a search path may have any number of other tables.
_HEADS = f"""
SELECT n.oid AS space, n.nspname AS schema, left(s.relname::text, -{len(SESSIONS)}) AS prefix
FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
JOIN pg_class m ON m.relnamespace = s.relnamespace AND m.relkind IN ('r', 'p')
    AND m.relname = (left(s.relname::text, -{len(SESSIONS)}) || '{MESSAGES}')::name
WHERE s.relkind IN ('r', 'p') AND right(s.relname::text, {len(SESSIONS)}) = '{SESSIONS}'
AND n.nspname::text NOT LIKE 'pg\\_%' AND n.nspname != 'information_schema'
AND {_with_columns("s", _OF_SESSIONS)} AND {_with_columns("m", _OF_MESSAGES)}
"""
HEADS = f"SELECT DISTINCT h.schema, has_schema_privilege(h.space, 'USAGE') FROM ({_HEADS}) h"
"""Every schema that has a set, and whether this user may look into it."""
TABLES = f"""
WITH heads AS MATERIALIZED ({_HEADS})
SELECT h.schema, h.prefix, c.relname,
has_schema_privilege(h.space, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'),
has_any_column_privilege(c.oid, 'SELECT'), row_security_active(c.oid),
array_to_string(array_agg(a.attname ORDER BY a.attnum), chr(1)),
array_to_string(array_agg(a.attname) FILTER (WHERE t.typcategory = 'N'), chr(1))
FROM heads h
JOIN (VALUES {", ".join(f"('{name}')" for name in NAMES)}) known (name) ON true
JOIN pg_class c ON c.relnamespace = h.space AND c.relkind IN ('r', 'p')
    AND c.relname = (h.prefix || known.name)::name
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
WHERE h.schema IN (MARKS)
GROUP BY h.schema, h.space, h.prefix, c.oid, c.relname ORDER BY h.schema, h.prefix, c.relname
"""


class TableSet(NamedTuple):
    """The tables of one power-loop: those of a schema whose names begin with a prefix."""

    schema: str
    prefix: str
    tables: Mapping[str, frozenset[str]]
    """By the name without the schema, as in a file. Of a set that can be read, those that this
    user may read."""
    numbers: frozenset[str] = frozenset()
    """Names of columns that hold numbers in every table of the set."""
    closed: frozenset[str] = frozenset()
    """The tables that this user may not read."""
    partly: frozenset[str] = frozenset()
    """Those of them of which it may read some columns."""
    filtered: frozenset[str] = frozenset()
    """The tables of which the server may show this user only some rows."""
    usable: bool = True
    """Whether this user may look into the schema."""

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

    @property
    def refused(self) -> frozenset[str]:
        """The tables without which no session can be read, where this user may not read them."""
        return self.closed & {f"{self.prefix}{SESSIONS}", f"{self.prefix}{MESSAGES}"}


NO_TABLES = TableSet("", "", {})


class FoundSets(NamedTuple):
    """What a database has for a user."""

    sets: tuple[TableSet, ...] = ()
    """In the order of the search path, also those that may not be read."""
    elsewhere: tuple[str, ...] = ()
    """Other schemas with sets of tables."""
    role: str = ""
    """What the server calls the user."""

    @property
    def readable(self) -> tuple[TableSet, ...]:
        return tuple(one for one in self.sets if not one.refused)


def tables_query(schemas: Sequence[str]) -> str:
    return TABLES.replace("MARKS", ",".join("?" * len(schemas)))


def sets_of_tables(rows: Iterable[Sequence[Any]], path: Sequence[str]) -> tuple[TableSet, ...]:
    """Every set that power-loop could have made, in the order of the search path."""
    found: dict[tuple[str, str], list[Sequence[Any]]] = {}
    for schema, prefix, *table in rows:
        found.setdefault((cells.words(schema), cells.words(prefix)), []).append(table)
    return tuple(
        _set(schema, prefix, tables)
        for within in path
        for (schema, prefix), tables in found.items()
        if schema == within
    )


def _set(schema: str, prefix: str, rows: Iterable[Sequence[Any]]) -> TableSet:
    tables: dict[str, frozenset[str]] = {}
    closed, partly, filtered = set[str](), set[str](), set[str]()
    numbers, others = set[str](), set[str]()
    for name, whole, some, secured, columns, counting in rows:
        table, named = cells.words(name), frozenset(cells.words(columns).split("\1"))
        counts = set(cells.words(counting).split("\1"))
        numbers |= counts
        others |= named - counts
        if secured:
            filtered.add(table)
        if whole:
            tables[table] = named
            continue
        closed.add(table)
        if some:
            partly.add(table)
    return TableSet(
        schema,
        prefix,
        tables,
        numbers=frozenset(numbers - others),
        closed=frozenset(closed),
        partly=frozenset(partly),
        filtered=frozenset(filtered),
    )


def schemas_named(setting: str, role: str) -> tuple[str, ...]:
    """The schemas of a search path as it is written, also those that it has in vain."""
    names = (_unquoted(part) for part in _PART.findall(setting))
    return tuple(role if name == "$user" else name for name in names)


_PART = re.compile(r'"(?:[^"]|"")*"|[^\s,"]+')


def _unquoted(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part.lower()

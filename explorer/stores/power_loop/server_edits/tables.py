"""The tables of power-loop on a server, for the edits engine: what it keeps, and what speaks
against changing it.

An edit is offered only where all that it deletes could be put back as it was. So a table that does
something by itself (triggers, rules, links from other tables), one of which the user may not see
every row, and a column of a type that is not known to come back the same are reasons not to.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from explorer.stores.edits.dialect import SessionTables, Size, Subject, Values
from explorer.stores.edits.plans import RULES
from explorer.stores.postgres.writing import image
from explorer.stores.power_loop.dialect import (
    BELONGINGS,
    COLUMNS,
    LOOKED_AT,
    PowerLoopDialect,
    SetTables,
    first_said,
    shape_of,
    subject_of,
)
from explorer.stores.power_loop.server_edits.names import NumberedTables, SqlNames
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Image, Rows, raw
from explorer.stores.sqlite.leases import leases
from explorer.stores.sqlite.schema import Schema, batches, placeholders, quoted
from explorer.stores.table_reader import TableReader

NAMES = ("sessions", "messages", *BELONGINGS)
"""The tables of a set that an edit is about."""
LOCAL_TRASH = (
    "What is deleted is kept on this machine only: it cannot be restored from another one."
)
_TYPES = frozenset(("smallint", "integer", "bigint", "text", "character varying"))
"""Of columns whose values come back exactly."""
_LAYOUT = """
SELECT c.relname, a.attname, format_type(a.atttypid, NULL), a.attgenerated::text,
    c.relkind = 'r' AND NOT c.relhassubclass AND NOT c.relispartition,
    (SELECT min(t.tgname) FROM pg_trigger t WHERE t.tgrelid = c.oid),
    (SELECT min(r.rulename) FROM pg_rewrite r WHERE r.ev_class = c.oid),
    row_security_active(c.oid), has_table_privilege(c.oid, 'SELECT'),
    has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE'),
    has_table_privilege(c.oid, 'DELETE')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE n.nspname = ? AND c.relname IN (MARKS) AND c.relkind IN ('r', 'p')
ORDER BY c.relname, a.attnum
"""
_SERVER = """
SELECT pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on',
    current_setting('server_encoding')
"""


class TableLayout(NamedTuple):
    """One table."""

    columns: tuple[str, ...]
    odd: str
    """Why nothing is changed in it, if so."""
    lacking: frozenset[str]
    """What its user may not do."""


class SetLayout(NamedTuple):
    """What was found out about a set of tables, by the names that the engine uses."""

    tables: Mapping[str, TableLayout]
    server: str
    """Why nothing is changed on this server, if so."""

    @property
    def schema(self) -> Schema:
        known = {name: frozenset(one.columns) for name, one in self.tables.items()}
        return Schema(known, frozenset(), {})

    def reasons(self, of: NumberedTables) -> dict[str, str | None]:
        """Of each edit why it is not possible; None where it is."""
        cells_of = [of.named(name) for name in ("sessions", "session_state")]
        change = self.server or self._against(cells_of, ("SELECT", "UPDATE"))
        every = ("SELECT", "INSERT", "UPDATE", "DELETE")
        remove = self.server or self._against(list(self.tables), every)
        found: dict[str, str] = {
            **dict.fromkeys(("rename", "archive"), change),
            **dict.fromkeys(("delete", "prune"), remove),
            **PowerLoopDialect.lacks,
        }
        return {name: found.get(name) or None for name in RULES}

    def _against(self, tables: Sequence[str], needed: Sequence[str]) -> str:
        known = [(name, self.tables[name]) for name in tables if name in self.tables]
        for name, one in known:
            lacking = [what for what in needed if what in one.lacking]
            if lacking:
                return f"this user has no permission for {', '.join(lacking)} on the table {name}"
        return next((f"the table {name} {one.odd}" for name, one in known if one.odd), "")


def layout_of(ask: Rows, of: NumberedTables) -> SetLayout:
    """A set of tables as it is now."""
    by_name = {f"{of.prefix}{name}": of.named(name) for name in NAMES}
    rows = ask(_LAYOUT.replace("MARKS", placeholders(by_name)), (of.space, *by_name))
    found: dict[str, list[Image]] = {}
    for row in rows:
        found.setdefault(by_name[cells.words(row[0])], []).append(row)
    tables = {name: _layout(columns) for name, columns in found.items()}
    ((standby, read_only, encoding),) = ask(_SERVER, ())
    server = ""
    if standby:
        server = "the server is a standby, which takes no changes"
    elif read_only:
        server = "the transactions of this user are read-only"
    elif cells.words(encoding) == "SQL_ASCII":
        server = "the database does not tell how its text is encoded (SQL_ASCII)"
    return SetLayout(tables, server)


def _layout(rows: Sequence[Image]) -> TableLayout:
    columns = tuple(cells.words(row[1]) for row in rows)
    _, _, _, _, plain, trigger, rule, hidden, *may = rows[0]
    odd = "" if plain else "is divided into others"
    if trigger is not None:
        odd = f"has a trigger or a foreign key ({cells.words(trigger)})"
    elif rule is not None:
        odd = f"has a rule ({cells.words(rule)})"
    elif hidden:
        odd = "has rows that this user may not see"
    for row in rows:
        kind = cells.words(row[2])
        if not odd and (kind not in _TYPES or cells.words(row[3])):
            odd = f"has a column that could not be restored ({cells.words(row[1])}, {kind})"
    rights = zip(("SELECT", "INSERT", "UPDATE", "DELETE"), may, strict=True)
    return TableLayout(columns, odd, frozenset(what for what, allowed in rights if not allowed))


def asking(reader: TableReader, names: SqlNames) -> Rows:
    """Questions of the engine, for a read; cells as our trash keeps them."""

    def ask(sql: str, values: Sequence[object]) -> list[Image]:
        return [image(row) for row in reader.rows(names(sql), values)]

    return ask


class ServerDialect(PowerLoopDialect):
    """power-loop's way to keep sessions, on a server. A session is known to plans by its key."""

    def __init__(self, path: Path, sets: Sequence[NumberedTables]) -> None:
        super().__init__(path, ())
        self.sessions = tuple(one.named("sessions") for one in sets)
        self.sets = tuple(sets)
        self.names = SqlNames(sets, NAMES)

    def place(self, key: int) -> tuple[str, int]:
        return next(one for one in self.sets if one.owns(key)).named("sessions"), key

    def key(self, table: str, row: int) -> int:
        return row

    def set_of(self, table: str) -> NumberedTables | None:
        """The set with this table of sessions, if it is open."""
        return next((one for one in self.sets if one.named("sessions") == table), None)

    def over(self, ask: Rows, schema: Schema, table: str) -> SessionTables:
        super().over(ask, schema, table)
        of = self.set_of(table)
        assert of is not None
        return ServerSessionTables(ask, schema, of)


class ServerSessionTables(SetTables):
    """One set of tables, asked over one connection."""

    reclaim = LOCAL_TRASH
    late = "updated_at"

    def __init__(self, ask: Rows, schema: Schema, of: NumberedTables) -> None:
        shape = shape_of(schema, of.named("sessions").removesuffix("sessions"))
        super().__init__(ask, schema, shape, lambda table, row: row)
        self._of = of

    def over(self, ask: Rows) -> "ServerSessionTables":
        """The same, asked in another transaction."""
        return ServerSessionTables(ask, self.schema, self._of)

    def subjects(self, column: str, values: Iterable[object]) -> list[Subject]:
        if column == "rowid":
            column = self.shape.id
            values = [self._of.handle(key) for key in values if isinstance(key, int)]
        picked = self.schema.pick(self.shape.sessions, "s", COLUMNS)
        # As the list has it, which tells by the newest message whether a session is running.
        written = self.schema.pick(self.shape.sessions, "s", ("updated_at",))
        newest = (
            f"SELECT m.created_at FROM {quoted(self.shape.messages)} m"
            " WHERE m.session_id = s.session_id ORDER BY m.seq DESC LIMIT 1"
        )
        return [
            self._subject(row)
            for batch in batches(values)
            for row in self.ask(
                f"SELECT s.session_id, {written}, ({newest}), {self._pending()}, {picked}"
                f" FROM {quoted(self.shape.sessions)} s"
                f" WHERE s.{quoted(column)} IN ({placeholders(batch)})",
                batch,
            )
        ]

    def _subject(self, row: Sequence[Any]) -> Subject:
        id_, written, newest, pending, *rest = row
        key = self._of.key(cells.words(id_))
        found = subject_of((key, "text", written, pending, *rest))
        created = dict(zip(COLUMNS, rest, strict=True))["created_at"]
        return found._replace(said_at=cells.seconds(newest) or cells.seconds(created))

    def archived(self, subject: Subject, on: bool, now: float) -> Values:
        # Not `updated_at`, as power-loop would: that is the last activity of the session.
        return {"status": raw("archived" if on else "active")}

    def size(self, id_: str) -> Size:
        ((count, bytes_),) = self.ask(
            f"SELECT count(*), coalesce(sum(octet_length(m.content)), 0)"
            f" FROM {quoted(self.shape.messages)} m WHERE m.session_id = ?",
            (id_,),
        )
        return Size(cells.amount(count), cells.amount(bytes_))

    def leases(self) -> Mapping[str, float]:
        table = f"{self.shape.sessions.removesuffix('sessions')}session_leases"
        return leases(self.ask, self.schema, table, "session_id")

    def first_words(self, subject: Subject) -> str:
        texts: Sequence[Sequence[object]] = self.ask(
            f"SELECT left(m.content, 6000) FROM {quoted(self.shape.messages)} m"
            f" WHERE m.session_id = ? AND m.role = 'user' ORDER BY m.seq LIMIT {LOOKED_AT}",
            (subject.id,),
        )
        return first_said(cell for (cell,) in texts)


def server_reasons(reader: TableReader, sets: Sequence[NumberedTables]) -> Mapping[str, str | None]:
    """Of each edit why it is possible in no set of tables; None where it is in one. For `info`."""
    ask = partial(_plain, reader)
    every = [layout_of(ask, one).reasons(one) for one in sets]
    return {
        name: None if any(one[name] is None for one in every) else every[0][name] for name in RULES
    }


def _plain(reader: TableReader, sql: str, values: Sequence[object]) -> list[Image]:
    return [image(row) for row in reader.rows(sql, values)]

"""Databases for edits: copies of one that power-loop has filled, and what they hold."""

import os
import time
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from explorer.model import Action
from explorer.stores.edits.plans import Done
from explorer.stores.ours.notes import Notes, OurFiles
from explorer.stores.postgres.address import parse
from explorer.stores.postgres.connection import ServerDatabase
from explorer.stores.power_loop.server_edits.editor import ServerEditor
from explorer.stores.power_loop.server_edits.tables import NAMES, ServerDialect
from explorer.stores.power_loop.tables import Tables
from tests.agents import run_agent
from tests.postgres.filling import FILL, POWER_LOOP
from tests.postgres.server import Server

TEMPLATE = "edits"
LATER = 600.0
"""Seconds after which no session counts as written to just now; the lease is for an hour."""
_COLUMNS = """
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'public'
AND table_name = '{}' AND is_nullable = 'NO' AND is_identity = 'NO' AND column_default IS NULL
"""
_KEYS: dict[str, int] = {}


class Numbered(Tables):
    """A set whose sessions get numbers as they are met."""

    def key(self, handle: Any) -> int:
        return _KEYS.setdefault(handle, len(_KEYS) + 1)

    def named(self, table: str) -> str:
        return f"{self.prefix}{table}"

    def handle(self, key: int) -> Any:
        return next(id_ for id_, number in _KEYS.items() if number == key)

    def owns(self, key: int) -> bool:
        return True


PUBLIC = Numbered(0, "pl_", 1, space="public")


def make_template(server: Server, home: Path) -> None:
    """A database of which copies are made: in every table there is something of `first_root`."""
    server.run(f"CREATE DATABASE {TEMPLATE}")
    run_agent(FILL, *POWER_LOOP, home, server.address(TEMPLATE), "pl_", "first")
    run_agent(FILL, *POWER_LOOP, home, server.address(TEMPLATE), "pl_", "second")
    for table in (f"pl_{name}" for name in NAMES):
        rows = server.run(
            f"SELECT 1 FROM {table} WHERE session_id = 'first_root'", database=TEMPLATE
        )
        columns = server.run(_COLUMNS.format(table), database=TEMPLATE)
        values = [
            "'first_root'" if name == "session_id" else "'ü ''\"\n'" if type_ == "text" else "7"
            for name, type_ in columns
        ]
        if not rows:
            names = ", ".join(str(name) for name, _ in columns)
            server.run(
                f"INSERT INTO {table} ({names}) VALUES ({', '.join(values)})",
                database=TEMPLATE,
            )


class Ground(NamedTuple):
    """A database of its own, and an editor with a trash of its own."""

    server: Server
    database: str
    folder: Path

    def run(self, *statements: str) -> list[tuple[object, ...]]:
        return self.server.run(*statements, database=self.database)

    def editor(self, user: str = "postgres", later: float = LATER, port: int = 0) -> ServerEditor:
        server = self.server if not port else Server(port, "", 0)
        address = parse(server.address(self.database, user))
        path = Path("/postgresql:", self.database)
        notes = Notes(self.folder / "explorer.db", path)
        ours = OurFiles(self.folder / "trash.db", lambda: time.time() + later, notes)
        dialect = ServerDialect(path, [PUBLIC])
        return ServerEditor(ServerDatabase(address), dialect, lambda units, now: [], ours)

    def write_now(self, id_: str) -> None:
        """Have a session written just now, however long ago the template was made."""
        now = int(time.time() * 1000)
        of = f"session_id = '{id_}'"
        self.run(
            f"UPDATE pl_sessions SET updated_at = {now} WHERE {of}",
            f"UPDATE pl_messages SET created_at = {now} WHERE {of}"
            f" AND seq = (SELECT max(seq) FROM pl_messages WHERE {of})",
        )

    def drop(self) -> None:
        self.server.run(f"DROP DATABASE {self.database} WITH (FORCE)")

    def dump(self) -> dict[str, list[object]]:
        """Every row of every table, over one connection."""
        found: dict[str, list[object]] = {}
        with psycopg.connect(self.server.address(self.database)) as connection:
            tables = connection.execute(
                "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
                " WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1"
            ).fetchall()
            for (table,) in tables:
                rows = connection.execute(f"SELECT t::text FROM {table} t ORDER BY 1".encode())
                found[str(table)] = [row for (row,) in rows.fetchall()]
        return found

    def ids(self) -> set[object]:
        return {id_ for (id_,) in self.run("SELECT session_id FROM pl_sessions")}

    def left_of(self, id_: str) -> dict[str, int]:
        """How many rows each table has of a session, where it has any."""
        counts = " UNION ALL ".join(
            f"SELECT '{name}', count(*) FROM pl_{name} WHERE session_id = '{id_}'" for name in NAMES
        )
        return {str(name): int(str(count)) for name, count in self.run(counts) if count}


def keys(*ids: str) -> list[int]:
    return [PUBLIC.key(id_) for id_ in ids]


def delete(editor: ServerEditor, *ids: str, force: bool = False) -> Done:
    return editor.apply(editor.plan(Action.DELETE, keys(*ids), force=force), force=force)


def undo(editor: ServerEditor) -> Done:
    return editor.undo(editor.undo_plan())


def copy(server: Server, folder: Path, template: str = TEMPLATE) -> Ground:
    """A new copy of a template."""
    name = f"edit_{os.getpid()}_{time.monotonic_ns()}"
    server.run(f"CREATE DATABASE {name} TEMPLATE {template}")
    return Ground(server, name, folder)

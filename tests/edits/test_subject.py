"""What is asked of a session, also under the lock: never all of its messages."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from explorer.stores.edits.dialect import Dialect
from explorer.stores.hermes.edits.dialect import HermesDialect
from explorer.stores.power_loop.dialect import PowerLoopDialect
from explorer.stores.sqlite.images import Image
from explorer.stores.sqlite.schema import introspect
from tests.factories import rows


def test_who_a_session_is_costs_one_look_into_an_index(real_file: Path) -> None:
    names = rows(real_file, "SELECT name FROM sqlite_master WHERE type = 'table'")
    for table in (str(name) for (name,) in names if str(name).endswith("sessions")):
        hermes = "hermes" in real_file.name
        dialect = HermesDialect(real_file) if hermes else PowerLoopDialect(real_file, ())
        plans = _plans(real_file, dialect, table)
        assert not [plan for plan in plans if plan.startswith("SCAN")]
        (of_messages,) = (plan for plan in plans if plan.startswith("SEARCH m "))
        assert ("COVERING INDEX" in of_messages) == hermes


def _plans(path: Path, dialect: Dialect, table: str) -> list[str]:
    """How SQLite goes about it."""
    plans: list[str] = []
    with closing(sqlite3.connect(path)) as db:

        def ask(sql: str, values: Sequence[object]) -> list[Image]:
            return db.execute(sql, values).fetchall()

        def explained(sql: str, values: Sequence[object]) -> list[Image]:
            plans.extend(str(row[3]) for row in ask(f"EXPLAIN QUERY PLAN {sql}", values))
            return []

        tables = dialect.over(ask, introspect(db), table)
        tables.ask = explained
        tables.subjects("rowid", [1])
    return plans

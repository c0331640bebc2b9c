"""What is asked of a session, also under the lock: never all of its messages."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from explorer.store.edits.images import Image
from explorer.store.edits.shape import shape_of
from explorer.store.edits.subject import subjects
from explorer.store.schema import introspect
from tests.factories import rows


def test_who_a_session_is_costs_one_look_into_an_index(real_file: Path) -> None:
    names = rows(real_file, "SELECT name FROM sqlite_master WHERE type = 'table'")
    for table in (str(name) for (name,) in names if str(name).endswith("sessions")):
        plans, hermes = _plans(real_file, table)
        assert not [plan for plan in plans if plan.startswith("SCAN")]
        (of_messages,) = (plan for plan in plans if plan.startswith("SEARCH m "))
        assert ("COVERING INDEX" in of_messages) == hermes


def _plans(path: Path, table: str) -> tuple[list[str], bool]:
    """(how SQLite goes about it, whether it is a file of Hermes)."""
    plans: list[str] = []
    with closing(sqlite3.connect(path)) as db:

        def ask(sql: str, values: Sequence[object]) -> list[Image]:
            return db.execute(sql, values).fetchall()

        def explained(sql: str, values: Sequence[object]) -> list[Image]:
            plans.extend(str(row[3]) for row in ask(f"EXPLAIN QUERY PLAN {sql}", values))
            return []

        schema = introspect(db)
        shape = shape_of(ask, schema, table)
        subjects(explained, schema, shape, "rowid", [1])
    return plans, shape.hermes

"""The invented history that speed is measured on, in the tables of power-loop."""

from pathlib import Path
from uuid import uuid4

import pytest

from bench.server_history import ServerRecipe, fill, floor, planned, size
from bench.server_store import filled, server_store
from explorer.stores.columns import (
    BYTES,
    CALL,
    ID,
    MESSAGES,
    MODEL,
    SOURCE,
    STARTED,
    STATE,
    TITLE,
    TOKENS,
    TOOLS,
)
from explorer.stores.discover import locate
from explorer.stores.open_found import every_set, open_found
from tests.postgres.conftest import Open
from tests.postgres.filling import LOOPS
from tests.postgres.server import Server

SMALL = ServerRecipe(300, 3000)
LONG = ServerRecipe(25_000, 25_000)
"""Long enough for the server's own notes about it to be used."""
LATER = 2e9
NEWEST = """
SELECT session_id FROM pl_sessions s WHERE kind != 'subagent' AND status != 'archived'
AND EXISTS (SELECT 1 FROM pl_messages m WHERE m.session_id = s.session_id)
ORDER BY updated_at DESC LIMIT 50
"""


@pytest.fixture(scope="module")
def history(server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    # Other workers have their own, and a worker may come back to this module.
    name = f"history_{uuid4().hex}"
    server.run(f"CREATE DATABASE {name}")
    fill(server.address(name), SMALL, tmp_path_factory.mktemp("power-loop"))
    return name


def test_sums_are_exact_and_the_plan_is_repeatable() -> None:
    one, two = list(planned(SMALL)), list(planned(SMALL))
    assert one == two
    assert (len(one), sum(session.messages for session in one)) == (300, 3000)
    assert max(session.messages for session in one) < 200


def test_the_tables_are_as_power_loop_made_them(server: Server, history: str) -> None:
    def indices(database: str) -> list[tuple[object, ...]]:
        return server.run(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'"
            " AND starts_with(tablename::text, 'pl_') ORDER BY 1",
            database=database,
        )

    assert len(indices(history)) > 20
    assert indices(history) == indices(LOOPS)
    assert size(server.address(history)) > 1_000_000


def test_rows_are_sound(opened: Open, history: str) -> None:
    database = opened("postgres", history)
    (tables,) = database.sets()
    counts = database.read(
        lambda reader: reader.row(
            f"SELECT (SELECT count(*) FROM {tables.sessions}),"
            f" (SELECT count(*) FROM {tables.messages}),"
            f" (SELECT count(*) FROM {tables.messages} m LEFT JOIN {tables.sessions} s"
            "  USING (session_id) WHERE s.session_id IS NULL),"
            f" (SELECT count(*) FROM {tables.sessions} WHERE kind = 'subagent')"
        )
    )
    assert counts[:3] == (300, 3000, 0)
    assert 20 < counts[3] < 120


def test_the_bare_first_page_is_measured(server: Server, history: str) -> None:
    assert floor(server.address(history), 1) > 0


def test_reading_it_is_measured_against_bare_queries(server: Server, history: str) -> None:
    found = filled(server.address(history))
    assert found.recipe == SMALL
    table = server_store(found, 1)
    assert len(table.aims) == 3


def test_what_is_read_of_all_sessions_is_what_is_read_of_each(server: Server, history: str) -> None:
    asked = {ID, TITLE, SOURCE, MODEL, MESSAGES, TOOLS, STARTED, BYTES, CALL, TOKENS, *STATE}
    for name in (history, LOOPS):
        store = open_found(every_set(locate([server.address(name)], (), {}, None)))
        every = store.columns(asked)
        each = store.columns(asked, list(every[ID]))
        assert len(every[ID]) == len(store.catalog())
        for column in asked:
            assert dict(every[column].items()) == dict(each[column].items())


def test_the_first_page_is_right_whatever_the_server_has_noted(
    server: Server, tmp_path: Path
) -> None:
    name = f"long_{uuid4().hex}"
    server.run(f"CREATE DATABASE {name}")
    fill(server.address(name), LONG, tmp_path)
    store = open_found(every_set(locate([server.address(name)], (), {}, None)))

    def shown() -> list[tuple[str]]:
        return [(row.id,) for row in store.first_page(50, LATER)]

    newest = server.run(NEWEST, database=name)
    assert len(newest) == 50
    assert shown() == newest
    # All are older than the newest that it has noted.
    server.run("UPDATE pl_sessions SET updated_at = updated_at - 100000000000", database=name)
    assert shown() == newest
    # More than a page are hidden, of those that are newer than anything noted.
    hide = "UPDATE pl_sessions SET updated_at = 3000000000000, status = 'archived'"
    server.run(f"{hide} WHERE session_id < 'sess_2'", database=name)
    assert shown() == server.run(NEWEST, database=name)

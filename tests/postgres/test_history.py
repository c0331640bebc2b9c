"""The invented history that speed is measured on, in the tables of power-loop."""

from uuid import uuid4

import pytest

from bench.server_history import ServerRecipe, fill, floor, planned, size
from bench.server_store import measured
from tests.postgres.conftest import Open
from tests.postgres.filling import LOOPS
from tests.postgres.server import Server

SMALL = ServerRecipe(300, 3000)


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


def test_reading_it_is_measured_against_the_bare_query(server: Server, history: str) -> None:
    figures = measured(server.address(history), 1)
    assert min(figures) > 0
    assert "memory" in str(figures)

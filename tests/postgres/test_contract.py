"""A set of tables on a server keeps the promises that every store makes to whoever reads."""

from pathlib import Path
from typing import Any

import psycopg
import pytest

from explorer.stores.base import Store
from explorer.stores.discover import locate
from explorer.stores.open_found import every_set, open_found
from explorer.stores.ours.notes import Notes
from explorer.stores.sqlite import cells
from tests.contract.cases import Case
from tests.contract.test_reading import (  # noqa: F401  # run here once more
    test_a_search_finds_what_a_plain_scan_finds,
    test_a_session_is_found_by_a_title_of_its_own,
    test_a_session_is_found_by_its_id_and_by_the_beginning_of_it,
    test_a_session_was_active_when_its_newest_message_was_written,
    test_a_transcript_has_every_message_once,
    test_columns_say_what_the_rows_say,
    test_details_tell_of_the_very_session,
    test_every_order_is_that_of_the_rows,
    test_every_row_of_the_file_is_listed_or_counted,
    test_info_counts_what_is_there,
    test_messages_come_as_they_are_asked_for,
    test_the_first_page_is_what_the_catalog_says,
    test_the_pinned_rows_are_what_the_catalog_says,
    test_what_means_nobody_finds_nobody,
    test_who_is_not_there_has_nothing_to_tell,
)
from tests.postgres.filling import fill_one
from tests.postgres.server import Server


@pytest.fixture(scope="module")
def address(server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    return fill_one(server, tmp_path_factory.mktemp("power-loop"), "promised")


class ServerCase(Case):
    """One set of tables, and what plain SQL says of it."""

    def __init__(self, address: str, folder: Path) -> None:
        self.name = "power-loop on PostgreSQL"
        self.address = address
        self.found = every_set(locate([address], (), {}, None))
        self.path = self.found[0].path
        self.trash = folder / "trash.db"
        self.notes = Notes(folder / "explorer.db", self.path)

    def store(self) -> Store:
        return open_found(self.found)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.address) as connection:
            return connection.execute(sql.encode()).fetchall()

    @property
    def files(self) -> list[Path]:
        return []

    def size(self) -> int:
        sql = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
        return int(self.rows(f"{sql} AND relname LIKE 'pl\\_%'")[0][0])

    def stored(self) -> dict[str, list[object]]:
        found: dict[str, list[object]] = {
            id_: [] for (id_,) in self.rows("SELECT session_id FROM pl_sessions")
        }
        for id_, seq in self.rows("SELECT session_id, seq FROM pl_messages ORDER BY seq"):
            found[id_].append(seq)
        return found

    def newest(self) -> dict[str, float]:
        sql = "SELECT session_id, max(created_at) FROM pl_messages GROUP BY session_id"
        return {id_: cells.seconds(time) or 0.0 for id_, time in self.rows(sql)}


@pytest.fixture
def case(address: str, tmp_path: Path) -> Case:
    return ServerCase(address, tmp_path)

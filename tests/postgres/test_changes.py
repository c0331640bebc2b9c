"""Noticing what power-loop writes, without reading its tables when nothing was written."""

import os
import signal
import threading
from pathlib import Path

import psycopg
import pytest

from explorer.stores.postgres import changes
from explorer.stores.postgres.address import parse
from explorer.stores.postgres.changes import ServerChanges
from explorer.stores.postgres.connection import ServerDatabase
from explorer.stores.postgres.reader import ServerReader
from explorer.stores.sqlite.read_only import FileState
from tests.postgres.conftest import Open
from tests.postgres.filling import LOOPS, append
from tests.postgres.server import Server, running, stop

TABLES = (
    "CREATE TABLE q_sessions (session_id text, created_at bigint, updated_at bigint, kind text)",
    "CREATE TABLE q_messages (session_id text, seq bigint, role text, content text)",
)


class Clock:
    """A clock that moves by itself only while the server is asked."""

    now = 100.0
    per_question = 0.0

    def __call__(self) -> float:
        self.now += self.per_question
        return self.now


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every query that is sent."""
    sent: list[str] = []
    real = ServerReader.rows

    def rows(self: ServerReader, sql: str, values: tuple[object, ...] = ()) -> list[object]:
        sent.append(sql)
        return real(self, sql, values)

    monkeypatch.setattr(ServerReader, "rows", rows)
    return sent


def watched(opened: Open, schema: str = "public") -> ServerDatabase:
    """A set of tables that no test in another process writes to."""
    database = opened(more=f"?search_path=%22{schema}%22")
    return database.of(database.sets()[0])


def test_a_new_message_is_noticed(server: Server, opened: Open, tmp_path: Path) -> None:
    clock = Clock()
    looks = ServerChanges(watched(opened), clock)
    before: FileState = looks.look()
    append(server, tmp_path, "other_", "second_root", "news")
    assert looks.look() == before, "not asked again at once"
    clock.now += 1
    after: FileState = looks.look()
    assert after != before
    assert after.written > before.written
    assert after.identity == before.identity
    assert after.log_size == 0


def test_a_deleted_session_is_noticed(server: Server, opened: Open) -> None:
    clock = Clock()
    looks = ServerChanges(watched(opened, "team b"), clock)
    before = looks.look()
    server.run("""DELETE FROM "team b".pl_sessions WHERE kind = 'subagent'""", database=LOOPS)
    clock.now += 1
    after = looks.look()
    assert after != before
    assert after.sessions == before.sessions - 3


def test_the_tables_are_not_read_while_nothing_is_written(
    own_server: Server, tmp_path: Path, asked: list[str]
) -> None:
    own_server.run(*TABLES)
    database = ServerDatabase(parse(own_server.address()))
    clock = Clock()
    looks = ServerChanges(database.of(database.sets()[0]), clock)
    stamp = looks.look()
    asked.clear()
    for _ in range(10):
        clock.now += 1
        assert looks.look() == stamp
    assert asked == [changes.POSITION] * 10
    # After a while without a change it is asked less often.
    clock.now += changes.CALM
    looks.look()
    asked.clear()
    for _ in range(10):
        clock.now += 1
        looks.look()
    assert len(asked) == 2
    # A write to something else is looked into, and is no change.
    clock.now += changes.SELDOM
    own_server.run("CREATE TABLE IF NOT EXISTS elsewhere (x int)")
    assert looks.look() == stamp
    assert "q_sessions" in asked[-1]
    database.close()


def test_a_twentieth_of_the_time_at_most_is_spent_asking(opened: Open, asked: list[str]) -> None:
    clock = Clock()
    looks = ServerChanges(watched(opened), clock)
    clock.per_question = 0.5
    looks.look()
    clock.per_question = 0.0
    asked.clear()
    for _ in range(8):
        clock.now += 1
        looks.look()
    assert asked == []
    clock.now += 3
    looks.look()
    assert asked


def test_a_look_that_takes_long_keeps_no_other_waiting(server: Server, opened: Open) -> None:
    server.run("CREATE DATABASE slow")
    server.run(*TABLES, database="slow")
    database = opened(database="slow")
    clock = Clock()
    looks = ServerChanges(database.of(database.sets()[0]), clock)
    known = looks.look()
    process = database.read(lambda reader: reader.value("SELECT pg_backend_pid()"))
    waits = f"SELECT wait_event_type FROM pg_stat_activity WHERE pid = {process}"
    with psycopg.connect(server.address("slow")) as other:
        other.execute("INSERT INTO q_sessions VALUES ('new', 1, 1, 'root')")
        other.execute("LOCK TABLE q_sessions")
        server.run("CREATE TABLE moved (x int)")
        clock.now += 1
        found: list[FileState] = []
        thread = threading.Thread(target=lambda: found.append(looks.look()))
        thread.start()
        while server.run(waits) != [("Lock",)]:
            assert thread.is_alive()
        assert looks.look() is known
        assert found == []
        other.commit()
    thread.join(10)
    # What was read began before that commit, which moves no number.
    clock.now += 1
    assert looks.look().written > known.written


def test_a_server_that_goes_away_is_a_change_and_so_is_its_return() -> None:
    server = running(os.getpid())
    server.run(*TABLES)
    database = ServerDatabase(parse(server.address()), patience=0)
    clock = Clock()
    looks = ServerChanges(database.of(database.sets()[0]), clock)
    before = looks.look()
    os.kill(server.keeper, signal.SIGSTOP)
    postmaster = int((Path(server.folder) / "data" / "postmaster.pid").read_text().split()[0])
    os.kill(postmaster, signal.SIGQUIT)
    clock.now += 10
    while looks.look().reached:
        clock.now += 10
    away = looks.look()
    assert (away.reached, away.identity) == (False, before.identity)
    os.kill(server.keeper, signal.SIGCONT)
    os.kill(server.keeper, signal.SIGUSR1)
    while not looks.look().reached:
        clock.now += 10
    assert looks.look() == before
    database.close()
    stop(server)

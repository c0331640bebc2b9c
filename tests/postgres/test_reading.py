"""Reading a real server: in short read-only transactions that can be cancelled and run again."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, Problem, StoreError
from explorer.stores.postgres.address import parse
from explorer.stores.postgres.connection import Limits, ServerDatabase
from explorer.stores.postgres.reader import AT_A_TIME, ServerReader
from tests.postgres.conftest import Open
from tests.postgres.filling import append
from tests.postgres.server import Server

MANY = "SELECT g FROM generate_series(1, ?) g"
SLOW = "SELECT count(*) FROM generate_series(1, 100000000000) g WHERE g % 7 = ?"

FLOWING = "SELECT generate_series(1, 100000000000) WHERE 0 < ?"
"""Answers on and on, without a pause."""


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def warm(database: ServerDatabase) -> int:
    """The number of the server's process that the next read will use."""
    return int(database.read(lambda reader: reader.value("SELECT pg_backend_pid()")))


def state(server: Server, process: int) -> str:
    """What a process of the server is doing; empty where it has ended."""
    rows = server.run(f"SELECT state FROM pg_stat_activity WHERE pid = {process}")
    return str(rows[0][0]) if rows else ""


def test_rows_cells_and_columns_are_those_of_a_file_reader(opened: Open) -> None:
    def work(reader: ServerReader) -> None:
        assert reader.rows(MANY, (3,)) == [(1,), (2,), (3,)]
        assert reader.row(MANY, (0,)) is None
        assert reader.value("SELECT ? || '?' -- really?\n", ("why",)) == "why?"
        assert reader.column(MANY, (2,)) == [1, 2]
        assert reader.columns("SELECT g, -g FROM generate_series(1, 2) g") == [[1, 2], [-1, -2]]
        assert not reader.breathes

    opened().read(work)


def test_cells_have_the_types_that_a_file_gives(opened: Open) -> None:
    row = opened().read(
        lambda reader: reader.row(
            "SELECT 1 = 1, sum(g), avg(g), 1.5::real, '{}'::jsonb, 'infinity'::timestamp,"
            " '4713-01-01 BC'::date, ARRAY[1, 2], ''::bytea, NULL, 'x'::\"char\""
            " FROM generate_series(1, 2) g"
        )
    )
    assert row == (*(1, 3, 1.5, 1.5, "{}", "infinity", "4713-01-01 BC", "{1,2}", b"", None, "x"),)
    assert [type(cell) for cell in row[:4]] == [int, int, float, float]


@pytest.mark.parametrize("value", ["a\0b", "\udcff", "'; DROP TABLE x --", "ü🦀", "%s %(x)s ?"])
def test_any_text_can_be_asked_for(opened: Open, value: str) -> None:
    told = opened().read(lambda reader: reader.value("SELECT ?::text", (value,)))
    assert told == value.replace("\0", "\ufffd").replace("\udcff", "?")


@pytest.mark.parametrize("value", [0, -1, 2**40, 2**70, 1.5, None, b"\0\xff", True])
def test_any_other_value_can_be_asked_for(opened: Open, value: object) -> None:
    assert opened().read(lambda reader: reader.value("SELECT ?", (value,))) == value


def test_nothing_can_be_written(server: Server, opened: Open) -> None:
    database = opened()
    (tables, *_) = database.sets()
    for sql in (
        f"DELETE FROM {tables.messages} RETURNING 1",
        f"UPDATE {tables.sessions} SET kind = 'x' RETURNING 1",
        "CREATE TABLE public.made (x int)",
    ):
        with pytest.raises(StoreError, match="read-only transaction"):
            database.read(lambda reader, sql=sql: reader.rows(sql))  # type: ignore[misc]


def test_work_sees_one_state_while_power_loop_writes(
    server: Server, opened: Open, tmp_path: Path
) -> None:
    database = opened()
    tables = next(one for one in database.sets() if (one.schema, one.prefix) == ("public", "pl_"))
    count = f"SELECT count(*) FROM {tables.messages}"
    seen: list[int] = []

    def work() -> None:
        for _ in range(2):
            seen.append(database.read(lambda reader: reader.value(count)))
            append(server, tmp_path, "pl_", "first_root", "in between")

    database.together(work)
    assert seen[0] == seen[1]
    assert database.read(lambda reader: reader.value(count)) == seen[0] + 2


def test_no_transaction_and_no_cursor_outlives_the_work(server: Server, opened: Open) -> None:
    database = opened()
    process = warm(database)
    database.read(lambda reader: next(reader.stream(MANY, (10_000,))))
    assert state(server, process) == "idle"
    with pytest.raises(ZeroDivisionError):
        database.read(lambda reader: reader.rows(MANY, (1,)) and 1 / 0)
    with pytest.raises(StoreError):
        database.read(lambda reader: reader.rows("SELECT 1 / 0"))
    assert database.hold()
    database.read(lambda reader: reader.rows("SELECT 'held'"))
    assert warm(database) == process
    assert state(server, process) == "idle"
    assert not database.hold()
    database.let_go()
    database.close()
    wait_until(lambda: not state(server, process))


def test_a_connection_is_used_again(server: Server, opened: Open) -> None:
    database = opened()
    first = warm(database)
    assert warm(database) == first
    assert database.together(lambda: warm(database)) == first


def test_a_stream_has_few_rows_in_memory(opened: Open) -> None:
    asked: list[int] = []

    def work(reader: ServerReader) -> int:
        for (number,) in reader.stream(MANY, (5_000_000,)):
            asked.append(number)
            if len(asked) == 2 * AT_A_TIME:
                break
        return len(asked)

    assert opened().read(work) == 2 * AT_A_TIME


@pytest.mark.parametrize("sql", [SLOW, FLOWING], ids=["silent", "flowing"])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_cancel_ends_the_query_on_the_server(
    server: Server, opened: Open, streamed: bool, sql: str
) -> None:
    database = opened()
    process = warm(database)
    token = CancelToken()
    raised: list[BaseException] = []

    def run() -> None:
        try:
            if streamed:
                database.read(lambda reader: sum(1 for _ in reader.stream(sql, (1,))), token)
            else:
                database.read(lambda reader: reader.rows(sql, (1,)), token)
        except Cancelled as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: state(server, process) == "active")
    token.cancel()
    thread.join(20)
    assert raised
    assert state(server, process) == "idle"
    assert warm(database) == process


def test_a_cancelled_token_asks_nothing(opened: Open) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        opened().read(lambda reader: reader.rows("SELECT 1"), token)


def test_the_server_gives_up_a_query_that_takes_too_long(server: Server) -> None:
    database = ServerDatabase(parse(server.address()), limits=Limits(statement=0.05))
    with pytest.raises(StoreError, match="took too long") as raised:
        database.read(lambda reader: reader.rows(SLOW, (1,)))
    assert raised.value.problem is Problem.TIMED_OUT
    database.close()


def test_a_locked_table_is_busy_and_is_read_when_it_is_free(server: Server) -> None:
    server.run("CREATE TABLE IF NOT EXISTS public.locked_table (x int)")
    waits: list[int] = []
    limits = Limits(lock=0.05)
    with psycopg.connect(server.address()) as other:
        other.execute("LOCK TABLE public.locked_table")
        sql = "SELECT count(*) FROM public.locked_table"
        short = ServerDatabase(parse(server.address()), patience=0.2, limits=limits)
        with pytest.raises(StoreError) as raised:
            short.read(lambda reader: reader.rows(sql))
        assert raised.value.problem is Problem.BUSY

        def waiting() -> None:
            waits.append(1)
            other.rollback()

        long = ServerDatabase(parse(server.address()), limits=limits, waiting=waiting)
        assert long.read(lambda reader: reader.value(sql)) == 0
        assert waits
    short.close()
    long.close()


def test_text_that_cannot_be_decoded_is_read_with_marks(server: Server, opened: Open) -> None:
    server.run(
        "CREATE DATABASE bytes ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    )
    server.run(
        "CREATE TABLE t (x text)", r"INSERT INTO t VALUES (E'a\xff\xc3\xbc')", database="bytes"
    )
    database = opened(database="bytes")
    for _ in range(2):
        found = database.read(lambda reader: reader.row("SELECT x, ? FROM public.t", ("ö",)))
        assert found == ("a\ufffdü", "ö")


def test_a_lost_connection_is_made_again(server: Server, opened: Open) -> None:
    database = opened()
    tried: list[int] = []

    def work(reader: ServerReader) -> int:
        tried.append(reader.value("SELECT pg_backend_pid()"))
        if len(tried) == 1:
            server.run(f"SELECT pg_terminate_backend({tried[0]}, 5000)")
        return int(reader.value("SELECT 5"))

    assert database.read(work) == 5
    assert len(set(tried)) == 2
    # The next one is lost while it waits.
    server.run(f"SELECT pg_terminate_backend({tried[1]}, 5000)")
    assert database.read(lambda reader: reader.value("SELECT 6")) == 6


def test_a_restart_in_the_middle_of_a_read_is_survived(own_server: Server) -> None:
    waits: list[int] = []
    address = parse(own_server.address())
    database = ServerDatabase(address, patience=60, waiting=lambda: waits.append(1))
    started = "SELECT pg_postmaster_start_time()::text"
    before: list[str] = []

    def work(reader: ServerReader) -> str:
        found = str(reader.value(started))
        if not before:
            before.append(found)
            os.kill(own_server.keeper, signal.SIGUSR1)
            reader.rows("SELECT pg_sleep(60)")
        return found

    assert database.read(work) != before[0]
    assert waits
    database.close()


def test_a_server_that_says_nothing_is_given_up(own_server: Server) -> None:
    """A machine that was unplugged: the connection is there, and no answer ever comes."""
    database = ServerDatabase(parse(own_server.address()), patience=0)
    process = warm(database)
    token = CancelToken()
    os.kill(process, signal.SIGSTOP)
    try:
        threading.Timer(0.1, token.cancel).start()
        with pytest.raises(Cancelled):
            database.read(lambda reader: reader.rows("SELECT 1"), token)
    finally:
        os.kill(process, signal.SIGCONT)
    assert database.read(lambda reader: reader.value("SELECT 1")) == 1
    database.close()

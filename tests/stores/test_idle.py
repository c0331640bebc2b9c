"""While somebody searches, and beside a long log, the file stays open for a while: read-only, idle,
and never another one than is there."""

import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import Cancelled
from explorer.stores.sqlite.idle import LONG
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from tests.factories import altered, one_session, say
from tests.stores.test_read_only import DESCRIPTORS, needs_proc, open_modes

pytestmark = pytest.mark.long

BIG = "x" * 1_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return one_session(tmp_path / "state.db")


def _write_much(path: Path) -> int:
    """A log that nobody writes back, as our own edits leave it; its size."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as guard:
        guard.execute("SELECT count(*) FROM messages").fetchall()
        with altered(path) as db:
            db.execute("PRAGMA wal_autocheckpoint = 0")
            for _ in range(LONG // len(BIG) + 1):
                say(db, "s", content=BIG)
    size = path.with_name(f"{path.name}-wal").stat().st_size
    assert size > LONG
    return size


def _count(reader: Reader) -> object:
    return reader.value("SELECT count(*) FROM messages")


def _search(file: ReadOnlyFile) -> object:
    return file.together(lambda: file.read(_count))


def _closed(path: Path) -> None:
    """Wait until nothing has the file open."""
    deadline = time.monotonic() + 60
    while open_modes(path):
        assert time.monotonic() < deadline, "still open"
        time.sleep(0.01)


@pytest.fixture
def long_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A moment that no load on the machine makes too short for looking at what is open in it."""
    monkeypatch.setattr("explorer.stores.sqlite.idle.MOMENT", 60.0)


@needs_proc
@pytest.mark.usefixtures("long_moment")
def test_after_a_search_the_file_stays_open_for_a_moment(path: Path) -> None:
    assert _search(ReadOnlyFile(path)) == 2
    assert open_modes(path) == [os.O_RDONLY]


@needs_proc
def test_it_is_open_no_longer_than_that(path: Path) -> None:
    file = ReadOnlyFile(path)
    assert _search(file) == 2
    _closed(path)
    assert file.read(_count) == 2


@needs_proc
def test_other_reads_use_its_connection_and_do_not_keep_it(path: Path) -> None:
    file = ReadOnlyFile(path)
    _search(file)
    descriptors = set(os.listdir(DESCRIPTORS))
    for _ in range(50):
        file.read(_count)
        assert set(os.listdir(DESCRIPTORS)) <= descriptors
    while open_modes(path):
        file.read(_count)


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_what_an_agent_writes_meanwhile_is_read(path: Path, mode: str) -> None:
    with altered(path) as agent:
        agent.execute(f"PRAGMA journal_mode = {mode}")
        file = ReadOnlyFile(path)
        for number in range(2, 9):
            assert _search(file) == number
            say(agent, "s")
            agent.commit()


@needs_proc
@pytest.mark.usefixtures("long_moment")
def test_a_search_that_is_taken_back_leaves_a_sound_connection(path: Path) -> None:
    file, token = ReadOnlyFile(path), CancelToken()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    def work() -> object:
        threading.Timer(0.02, token.cancel).start()
        return file.read(lambda reader: reader.value(endless), token)

    with pytest.raises(Cancelled):
        file.together(work, token)
    assert open_modes(path) == [os.O_RDONLY]
    assert _search(file) == 2


@pytest.mark.parametrize("in_place", [True, False], ids=["written over", "put in its place"])
def test_another_file_is_seen_at_once(path: Path, tmp_path: Path, in_place: bool) -> None:
    file = ReadOnlyFile(path)
    with altered(path) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    other = one_session(tmp_path / "other.db")
    with altered(other) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        say(db, "s")
    assert _search(file) == 2
    if in_place:
        path.write_bytes(other.read_bytes())
    else:
        shutil.move(other, path)
    assert _search(file) == 3


@needs_proc
def test_a_file_with_a_long_log_stays_open_until_the_log_is_written_back(path: Path) -> None:
    size = _write_much(path)
    file = ReadOnlyFile(path)
    counted = file.read(_count)
    assert set(open_modes(path)) == {os.O_RDONLY}
    for _ in range(20):
        file.read(_count)
    assert len(open_modes(path)) <= 2
    assert path.with_name(f"{path.name}-wal").stat().st_size == size
    with altered(path) as agent:
        say(agent, "s")
        assert agent.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone() == (0, 0, 0)
    assert file.read(_count) == counted + 1  # type: ignore[operator]
    assert open_modes(path) == []


@needs_proc
def test_when_the_log_is_short_again_it_is_closed_as_soon_as_after_any_search(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.stores.sqlite.idle.WHILE", 3600.0)
    _write_much(path)
    file = ReadOnlyFile(path)
    file.read(_count)
    with altered(path) as agent:
        agent.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _search(file)
    _closed(path)


def test_a_file_that_takes_its_place_is_the_one_that_is_read(path: Path, tmp_path: Path) -> None:
    _write_much(path)
    file = ReadOnlyFile(path)
    assert file.read(_count) != 2
    other = one_session(tmp_path / "other.db")
    for end in ("-wal", "-shm"):
        path.with_name(f"{path.name}{end}").unlink()
    shutil.move(other, path)
    _write_much(path)
    with altered(path) as db:
        db.execute("DELETE FROM messages WHERE id > 2")
    assert file.read(_count) == 2

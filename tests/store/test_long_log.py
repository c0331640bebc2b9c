"""Beside a long log the file stays open, read-only and idle; everywhere else nothing does."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.store.long_log import LONG
from explorer.store.read_only import Reader, ReadOnlyFile
from tests.factories import altered, one_session, say
from tests.store.test_read_only import needs_proc, open_modes

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

"""A file that is read again and again beside others keeps one connection, and keeps no agent from
writing."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import Cancelled
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from tests.factories import altered, one_session, say


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return one_session(tmp_path / "state.db")


def _count(reader: Reader) -> object:
    return reader.value("SELECT count(*) FROM messages")


def _write(path: Path) -> None:
    """As an agent that does not wait for anybody."""
    with closing(sqlite3.connect(path, timeout=0)) as db, db:
        say(db, "s", content="another one")


def test_a_held_file_is_of_one_state_until_it_is_let_go(path: Path) -> None:
    file = ReadOnlyFile(path)
    assert file.hold()
    assert not file.hold()
    before = file.read(_count)
    _write(path)
    assert file.together(lambda: file.read(_count)) == before
    file.let_go()
    assert file.read(_count) == 3


def test_a_held_file_without_a_log_is_not_locked_between_two_reads(path: Path) -> None:
    with altered(path) as db:
        db.execute("PRAGMA journal_mode=delete")
    file = ReadOnlyFile(path)
    assert file.hold()
    for number in range(2, 5):
        assert file.read(_count) == number
        _write(path)
    file.let_go()


def test_a_read_that_fails_starts_over_without_the_held_connection(path: Path) -> None:
    file = ReadOnlyFile(path)
    assert file.hold()
    readers: list[Reader] = []

    def work(reader: Reader) -> object:
        readers.append(reader)
        if len(readers) == 1:
            raise sqlite3.OperationalError("disk I/O error")
        return _count(reader)

    assert file.read(work) == 2
    first, second = readers
    assert first is not second
    file.let_go()
    assert file.read(_count) == 2


def test_a_held_read_can_be_cancelled(path: Path) -> None:
    file, token = ReadOnlyFile(path), CancelToken()
    assert file.hold(token)
    token.cancel()
    with pytest.raises(Cancelled):
        file.read(_count, token)
    file.let_go()
    assert file.read(_count) == 2


def test_a_file_that_is_not_there_is_not_held(tmp_path: Path) -> None:
    assert not ReadOnlyFile(tmp_path / "state.db").hold()


def test_many_files_share_the_memory_of_one(path: Path) -> None:
    file = ReadOnlyFile(path)
    file.one_of(10)
    assert file.read(lambda reader: reader.value("PRAGMA cache_size")) == -200

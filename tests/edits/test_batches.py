"""Many steps in few transactions: what happens under the lock, and how long it is left alone."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, Refused
from explorer.model import Action
from explorer.stores.edits.batches import AHEAD, Step, run_batches
from explorer.stores.edits.connection import Transaction, WriteConnection
from explorer.stores.hermes.create.state_file import StateFile
from tests.editors import edits_on
from tests.edits.states import dump
from tests.factories import NOW, rows, talk


def _retitle(number: int, transaction: Transaction) -> None:
    transaction.run("UPDATE sessions SET title = ?", (str(number),), expect=1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "one", "hello", at=NOW, end="cli_close")
    return file


def _locked(path: Path) -> bool:
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as db:
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        db.rollback()
    return False


def test_steps_are_made_ready_before_the_lock_is_taken(path: Path) -> None:
    locked: list[bool] = []
    done: list[int] = []

    def steps() -> Iterator[Step]:
        for number in range(3 * AHEAD):
            if number % 10 == 0:
                locked.append(_locked(path))
            yield Step(number, partial(_retitle, number))

    with WriteConnection(path) as writing:
        reached = run_batches(
            writing,
            steps(),
            CancelToken(),
            lambda batch: done.extend(step.job for step in batch),
            lambda job, error: None,
            pause=0.0,
        )
    assert reached
    assert done == list(range(3 * AHEAD))
    assert rows(path, "SELECT title FROM sessions") == [(str(3 * AHEAD - 1),)]
    assert not any(locked)


def test_a_file_that_nobody_else_writes_is_known(path: Path) -> None:
    with WriteConnection(path) as writing:
        seen = []
        for others in (False, True, False):
            if others:
                with closing(sqlite3.connect(path)) as db, db:
                    db.execute("UPDATE sessions SET title = 'theirs'")
            with writing.transaction() as transaction:
                transaction.run("UPDATE sessions SET title = 'ours'")
            seen.append(writing.others_at)
    assert seen[0] < seen[1] == seen[2], "our own writes do not count"


def test_a_long_edit_ends_before_it_fills_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.stores.edits.delete.CHUNK_SESSIONS", 2)
    monkeypatch.setattr("explorer.stores.edits.refusals.DISK_LEAST", 1 << 60)
    path = tmp_path / "many.db"
    with StateFile.create(path) as state:
        for number in range(6):
            talk(state, str(number), "hello", at=NOW - 9e6, end="cli_close")
    before, editor = dump(path), edits_on(path, tmp_path / "trash.db", lambda: NOW)
    plan = editor.plan(Action.DELETE, [1, 2, 3, 4, 5, 6])
    with pytest.raises(ExplorerError, match="Done before that: 2 sessions; you can undo it"):
        editor.apply(plan)
    assert rows(path, "SELECT count(*) FROM sessions") == [(4,)]
    assert editor.trash.receipts()[0].words == "Deleted 2 of 6 sessions"
    assert list(editor.after_crash().half_done) == []
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_long_undo_ends_before_it_fills_the_disk_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "many.db"
    with StateFile.create(path) as state:
        for number in range(6):
            talk(state, str(number), "hello", at=NOW - 9e6, end="cli_close")
    before, editor = dump(path), edits_on(path, tmp_path / "trash.db", lambda: NOW)
    editor.apply(editor.plan(Action.DELETE, [1, 2, 3, 4, 5, 6]))
    with monkeypatch.context() as full:
        full.setattr("explorer.stores.edits.undo.CHUNK_SESSIONS", 2)
        full.setattr("explorer.stores.edits.refusals.DISK_LEAST", 1 << 60)
        with pytest.raises(ExplorerError, match="nearly full"):
            editor.undo(editor.undo_plan())
    (receipt,) = list(editor.after_crash().half_done)
    editor.finish(receipt)
    assert dump(path) == before
    assert list(editor.after_crash().half_done) == []


def test_an_undo_for_which_there_is_no_room_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "one", "hello", at=NOW - 9e6, end="cli_close")
    editor = edits_on(path, tmp_path / "trash.db", lambda: NOW)
    editor.apply(editor.plan(Action.DELETE, [1]))
    gone = dump(path)
    with monkeypatch.context() as full:
        full.setattr("explorer.stores.edits.refusals.DISK_SPARE", 1 << 60)
        with pytest.raises(Refused, match="Restoring needs about"):
            editor.undo(editor.undo_plan())
    assert dump(path) == gone
    editor.undo(editor.undo_plan())
    assert rows(path, "SELECT id FROM sessions") == [("one",)]

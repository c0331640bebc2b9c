"""Edits that were cut short: by a crash, by whoever stopped them, by a file that changed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, Refused
from explorer.model import Action
from explorer.stores.edits import batches, delete
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import Progress
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.ours.trash_records import EntryState, ReceiptState
from tests.edits.crash import Died, die_after
from tests.edits.states import dump, faults
from tests.factories import NOW, altered, insert, rows, talk
from tests.real_files import POWER_LOOP_FILES

EditorOf = Callable[[Path], Editor]

DIE_WRITING = """
import os, signal, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA journal_mode = DELETE")
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN IMMEDIATE")
db.execute("CREATE TABLE scratch (x)")
db.executemany("INSERT INTO scratch VALUES (?)", [("x" * 3000,) for _ in range(200)])
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a session of many messages and two of a few, all ended."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "long", *(f"word {turn}" for turn in range(300)), end="cli_close")
        talk(state, "a", "hello", end="cli_close")
        talk(state, "b", "hello", end="cli_close")
    return path


def _number(path: Path, id_: str) -> int:
    ((row,),) = rows(path, "SELECT rowid FROM sessions WHERE id = ?", (id_,))
    return int(str(row))


def _die_writing(path: Path) -> None:
    """Have somebody else die in the middle of a write, with pages of it in the file."""
    done = subprocess.run([sys.executable, "-c", DIE_WRITING, path], check=False)
    assert done.returncode == -signal.SIGKILL
    assert Path(f"{path}-journal").exists()


def _half_deleted(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Die when some of the long session is out: each slice is a transaction."""
    plan = editor.plan(Action.DELETE, [_number(editor.path, "long")])
    with monkeypatch.context() as patch:
        die_after(patch, 5, 'DELETE FROM "messages"')
        with pytest.raises(Died):
            editor.apply(plan)
    ((left,),) = rows(editor.path, "SELECT count(*) FROM messages WHERE session_id = 'long'")
    assert 0 < int(str(left)) < 300


@pytest.mark.parametrize("way", ["finish", "restore"])
def test_half_a_delete_can_be_finished_or_taken_back(
    path: Path, editor_of: EditorOf, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, editor = dump(path), editor_of(path)
    _half_deleted(editor, monkeypatch)
    (receipt,) = list(editor.after_crash().half_done)
    if way == "finish":
        editor.finish(receipt)
        assert rows(path, "SELECT count(*) FROM sessions WHERE id = 'long'") == [(0,)]
        editor.undo(editor.undo_plan())
    else:
        editor.restore(receipt)
    assert list(editor.after_crash().half_done) == []
    assert dump(path) == before
    assert faults(path) == []


def test_half_a_delete_is_told_even_when_the_file_cannot_be_read(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = editor_of(path)
    _half_deleted(editor, monkeypatch)
    path.rename(f"{path}.away")
    assert [receipt.state for receipt in list(editor.after_crash().half_done)] == [
        ReceiptState.BEGUN
    ]


def test_a_trash_that_was_left_in_the_middle_of_a_write_is_read(
    path: Path, editor_of: EditorOf
) -> None:
    before, editor = dump(path), editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "a")]))
    _die_writing(editor.trash.path)
    assert len(editor.trash.receipts()) == 1
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_half_a_delete_in_a_file_without_a_log_is_rolled_back_and_told(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, editor = dump(path), editor_of(path)
    _half_deleted(editor, monkeypatch)
    _die_writing(path)
    (receipt,) = list(editor.after_crash().half_done)
    editor.restore(receipt)
    assert dump(path) == before
    assert faults(path) == []


def test_files_of_a_session_that_is_gone_go_at_the_next_start(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = path.parent / "sessions" / "session_a.json"
    beside.parent.mkdir()
    beside.write_text("all of it")
    editor = editor_of(path)

    def die(*_: object) -> bool:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(delete, "remove_file", die)
        with pytest.raises(Died):
            editor.apply(editor.plan(Action.DELETE, [_number(path, "a")]))
    assert beside.exists()
    assert list(editor.after_crash().half_done) == []
    assert not beside.exists()
    editor.undo(editor.undo_plan())
    assert beside.read_text() == "all of it"


def test_an_undo_that_was_only_not_closed_is_closed(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    receipt = editor.apply(editor.plan(Action.DELETE, [_number(path, "a")])).receipt
    assert receipt is not None
    editor.undo(editor.undo_plan())
    with editor.trash.writing() as trash:
        trash.set_receipt(receipt, ReceiptState.UNDOING)
    assert list(editor.after_crash().half_done) == []
    assert [one.state for one in editor.trash.receipts()] == [ReceiptState.UNDONE]


@pytest.mark.parametrize("way", ["finish", "restore"])
def test_what_is_restored_alone_comes_back_alone_after_a_crash(
    path: Path, editor_of: EditorOf, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, editor = dump(path), editor_of(path)
    plan = editor.plan(Action.DELETE, [_number(path, "long"), _number(path, "a")])
    number = editor.apply(plan).receipt
    assert number is not None
    (long,) = (one for one in editor.trash.entries(number) if one.session == "long")
    back = editor.undo_plan(number, [long.number])
    with monkeypatch.context() as patch:
        die_after(patch, 100, 'INSERT INTO "messages"')
        with pytest.raises(Died):
            editor.undo(back)
    (receipt,) = list(editor.after_crash().half_done)
    (editor.finish if way == "finish" else editor.restore)(receipt)
    assert sorted(rows(path, "SELECT id FROM sessions")) == [("b",), ("long",)]
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_delete_that_is_stopped_leaves_whole_sessions(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches.run_batches, "__defaults__", (0.0, 0.0))
    before, editor, token = dump(path), editor_of(path), CancelToken()

    def stop(progress: Progress) -> None:
        if progress.messages > 50:
            token.cancel()

    done = editor.apply(editor.plan(Action.DELETE, [_number(path, "long")]), token, stop)
    assert (done.receipt, done.ids, done.stopped) == (None, (), True)
    assert dump(path) == before
    assert list(editor.after_crash().half_done) == []
    assert editor.trash.receipts() == []


def test_a_file_that_is_replaced_in_the_middle_is_left_alone(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches.run_batches, "__defaults__", (0.0, 0.0))
    editor = editor_of(path)
    other = path.with_name("other.db")
    with StateFile.create(other) as state:
        talk(state, "another", "hello", end="cli_close")
    content = dump(other)

    def replace(progress: Progress) -> None:
        if other.exists():
            os.replace(other, path)
            for end in ("-wal", "-shm"):
                Path(f"{path}{end}").unlink(missing_ok=True)

    with pytest.raises(Changed, match="replaced") as told:
        editor.apply(editor.plan(Action.DELETE, [_number(path, "long")]), None, replace)
    assert "The next start of Session Explorer asks" in told.value.message
    assert dump(path) == content


def test_an_undo_that_cannot_be_changes_nothing(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.CLEAR, [_number(path, "a")]))
    with altered(path) as db:
        db.execute("DELETE FROM sessions WHERE id = 'a'")
    with pytest.raises(Refused, match="no longer exists"):
        editor.undo(editor.undo_plan())
    assert list(editor.after_crash().half_done) == []
    assert [one.state for one in editor.trash.receipts()] == [ReceiptState.DONE]


def test_an_undo_on_a_locked_file_can_be_tried_again(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, editor = dump(path), editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "a")]))
    plan = editor.undo_plan()
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 0.2)
    with altered(path) as db:
        db.execute("BEGIN IMMEDIATE")
        with pytest.raises(ExplorerError, match="busy"):
            editor.undo(plan)
        db.execute("ROLLBACK")
    assert list(editor.after_crash().half_done) == []
    editor.undo(editor.undo_plan())
    assert dump(path) == before


@pytest.mark.parametrize("real_file", POWER_LOOP_FILES, indirect=True)
def test_messages_come_back_though_others_have_their_numbers(
    real_file: Path, editor_of: EditorOf
) -> None:
    """power-loop's messages have no numbers of their own: new ones get those of deleted ones."""
    prefix = "pl_" if "8.0.0" in real_file.name else ""
    ((newest, count),) = rows(
        real_file,
        f"SELECT session_id, count(*) FROM {prefix}messages GROUP BY session_id"
        " ORDER BY max(rowid) DESC LIMIT 1",
    )
    ((row,),) = rows(
        real_file, f"SELECT rowid FROM {prefix}sessions WHERE session_id = ?", (newest,)
    )
    editor = editor_of(real_file)
    editor.apply(editor.plan(Action.DELETE, [int(str(row))], force=True), force=True)
    with altered(real_file) as db:
        for seq in range(5):
            insert(
                db,
                f"{prefix}messages",
                session_id="new",
                seq=seq,
                role="user",
                content="hello",
                created_at=int(NOW * 1000),
            )
    editor.undo(editor.undo_plan())
    counted = f"SELECT count(*) FROM {prefix}messages WHERE session_id = ?"
    assert rows(real_file, counted, (newest,)) == [(count,)]
    assert rows(real_file, counted, ("new",)) == [(5,)]


def test_half_a_delete_is_seen_though_others_have_the_numbers(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of other tables: their numbers are given again when they are free."""
    usage = {"model": "m", "first_seen": 1.0, "last_seen": 2.0}
    with altered(path) as db:
        db.execute("DELETE FROM messages WHERE session_id = 'b'")
        insert(db, "session_model_usage", session_id="b", **usage)
    before, editor = (
        rows(path, "SELECT session_id, model FROM session_model_usage"),
        editor_of(path),
    )
    plan = editor.plan(Action.DELETE, [_number(path, "b")])
    with monkeypatch.context() as patch:
        die_after(patch, 0, 'UPDATE "sessions"')
        with pytest.raises(Died):
            editor.apply(plan)
    with altered(path) as db:
        insert(db, "session_model_usage", session_id="a", **usage)
    (receipt,) = list(editor.after_crash().half_done)
    editor.restore(receipt)
    now = rows(path, "SELECT session_id, model FROM session_model_usage")
    assert sorted(now) == sorted([*before, ("a", "m")])
    assert [entry.state for entry in editor.trash.entries(receipt.number)] == [EntryState.BACK]


def test_a_file_that_our_own_edit_left_in_the_middle_of_a_write_opens_again(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an agent's write that is left to the agent; without a log, nobody else could read on."""
    editor, before = editor_of(path), dump(path)
    _die_writing(path)
    with pytest.raises(ExplorerError, match="must recover the file"):
        open_store(path, trash=editor.trash.path)
    with editor.trash.writing() as trash:
        trash.begin("delete", "Deleted something", NOW)
    store = open_store(path, trash=editor.trash.path)
    assert len(store.catalog()) == 3
    assert dump(path) == before
    assert list(editor.after_crash().half_done) == []

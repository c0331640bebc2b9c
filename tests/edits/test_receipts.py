"""What a receipt says is what was done, also where that is less than was planned."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.undo_words import state_words, undo_question, undone_words
from explorer.stores.edits.words import done_words, receipt_words
from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import altered, rows, talk

EditorOf = Callable[[Path], Editor]
pytestmark = pytest.mark.usefixtures("at_full_speed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three sessions, all ended."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for id_ in "abc":
            talk(state, id_, "hello", "Hi.", title=id_.upper(), end="cli_close")
    return path


def _rows(path: Path) -> list[int]:
    return [int(str(row)) for (row,) in rows(path, "SELECT rowid FROM sessions ORDER BY id")]


def test_a_delete_that_finds_fewer_says_and_keeps_how_many(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, _rows(path))
    with altered(path) as db:
        db.execute("DELETE FROM messages WHERE session_id = 'a'")
        db.execute("DELETE FROM sessions WHERE id = 'a'")
    done = editor.apply(plan)
    assert sorted(done.ids) == ["b", "c"]
    told = "Deleted 2 of 3 sessions. Not deleted: “A” (it is no longer in the file)"
    assert done_words(done, receipt_words(plan)) == told
    assert editor.trash.receipts()[0].words == "Deleted 2 of 3 sessions"


def test_what_comes_back_in_parts_is_counted(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, _rows(path)))
    (receipt,) = editor.trash.receipts()
    one, *others = [entry.number for entry in editor.trash.entries(receipt.number)]
    first = editor.undo_plan(receipt.number, [one])
    assert undo_question(first) == "Restore “A”?"
    done = editor.undo(first)
    assert undone_words(first, done) == "Restored “A”"
    assert state_words(editor.trash.receipts()[0]) == "1 of 3 restored"
    rest = editor.undo_plan(receipt.number, others)
    assert undo_question(rest) == "Restore the other 2 sessions?"
    done = editor.undo(rest)
    assert undone_words(rest, done) == "Restored the other 2 sessions"
    assert state_words(editor.trash.receipts()[0]) == "undone"


def test_a_whole_undo_is_not_counted(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, _rows(path)))
    plan = editor.undo_plan()
    assert undo_question(plan) == "Restore 3 sessions?"
    done = editor.undo(plan)
    assert undone_words(plan, done) == "Restored 3 sessions"
    editor.apply(editor.plan(Action.ARCHIVE, _rows(path)))
    with altered(path) as db:
        db.execute("UPDATE sessions SET archived = 0 WHERE id = 'a'")
    part = editor.undo_plan()
    assert undo_question(part) == "Undo archiving 2 of 3 sessions?"
    done = editor.undo(part)
    assert undone_words(part, done) == "Undone: archived 2 of 3 sessions"


def test_the_size_is_that_of_what_is_from_this_file(
    path: Path, tmp_path: Path, editor_of: EditorOf
) -> None:
    other = tmp_path / "other.db"
    with StateFile.create(other) as state:
        talk(state, "a", os.urandom(50_000).hex(), end="cli_close")
    small, big = editor_of(path), editor_of(other)
    assert small.trash.size() == 0
    small.apply(small.plan(Action.DELETE, _rows(path)))
    alone = small.trash.size()
    big.apply(big.plan(Action.DELETE, _rows(other)))
    assert small.trash.size() == alone > 0
    assert big.trash.size() > 40_000
    small.trash.purge([one.number for one in small.trash.receipts()])
    assert small.trash.size() == 0
    assert big.trash.size() > 40_000

"""Where nothing is taken back: the reasons that keep an edit from being done keep it from being
undone, and what is refused stays in the trash."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import Refused
from explorer.model import Action
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.undo_words import still_running
from explorer.stores.ours.trash_records import ReceiptState
from tests.edits.states import dump, need_tokenizer
from tests.edits.victim import numbers
from tests.factories import NOW, altered, insert, say

EditorOf = Callable[[Path], Editor]


def _watch(path: Path) -> None:
    with altered(path) as db:
        db.execute("CREATE TABLE audit (x)")
        db.execute(
            "CREATE TRIGGER watch AFTER INSERT ON messages"
            " BEGIN INSERT INTO audit VALUES (new.id); END"
        )


def _link(path: Path) -> None:
    os.link(path, path.with_name("other.db"))


SPOILT = {
    "unknown trigger": _watch,
    "several hard links": _link,
    "tokenizer": need_tokenizer,
}


@pytest.mark.parametrize("reason", SPOILT)
def test_a_file_that_can_no_longer_be_edited(path: Path, editor_of: EditorOf, reason: str) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, numbers(path, "s")))
    SPOILT[reason](path)
    before = dump(path)
    with pytest.raises(Refused, match=reason):
        editor.undo_plan()
    assert dump(path) == before
    assert [one.state for one in editor.trash.receipts()] == [ReceiptState.DONE]


@pytest.mark.parametrize("reason", SPOILT)
def test_a_file_that_was_spoilt_after_the_question(
    path: Path, editor_of: EditorOf, reason: str
) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, numbers(path, "s")))
    plan = editor.undo_plan()
    SPOILT[reason](path)
    before = dump(path)
    with pytest.raises(Refused, match=reason):
        editor.undo(plan)
    assert dump(path) == before
    assert [one.state for one in editor.trash.receipts()] == [ReceiptState.DONE]


def test_a_rename_is_undone_where_only_messages_cannot_be(path: Path, editor_of: EditorOf) -> None:
    before, editor = dump(path), editor_of(path)
    plan = editor.plan(Action.RENAME, [numbers(path, "s")[0]], title="Journey")
    editor.apply(plan)
    need_tokenizer(path)
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def _run(path: Path, id_: str) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = ?", (id_,))
        say(db, id_, content="on and on", timestamp=NOW)


def test_cleared_messages_wait_while_their_session_runs(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.CLEAR, numbers(path, "s", "t")))
    _run(path, "s")
    plan = editor.undo_plan()
    assert [entry.session for entry in plan.entries] == ["t"]
    assert plan.notes == (still_running("Trip"),)
    editor.undo(plan)
    with pytest.raises(Refused, match="running"):
        editor.undo(editor.undo_plan())
    with altered(path) as db:
        db.execute("UPDATE sessions SET ended_at = ? WHERE id = 's'", (NOW,))
    assert editor.undo(editor.undo_plan()).ids == ("s",)


def test_a_deleted_session_that_its_agent_runs_anew_is_left_alone(
    path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, numbers(path, "s")))
    plan = editor.undo_plan()
    with altered(path) as db:
        insert(db, "sessions", id="s", source="cli", started_at=NOW)
    before = dump(path)
    with pytest.raises(Changed, match="running"):
        editor.undo(plan)
    with pytest.raises(Refused, match="running"):
        editor.undo(editor.undo_plan())
    assert dump(path) == before
    assert [one.state for one in editor.trash.receipts()] == [ReceiptState.DONE]


def test_a_reopened_session_that_runs_is_not_ended(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.REOPEN, numbers(path, "s")))
    _run(path, "s")
    before = dump(path)
    with pytest.raises(Refused, match="running"):
        editor.undo(editor.undo_plan())
    assert dump(path) == before

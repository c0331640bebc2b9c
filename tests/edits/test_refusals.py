"""Where nothing is written: each reason is told, and the file stays as it was to the last byte."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import ExplorerError, Refused
from explorer.model import Action
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import WAITING, OnlyAgent, Progress
from explorer.stores.edits.reasons import RUNNING
from explorer.stores.kinds import open_store
from tests.edits.states import dump, need_tokenizer
from tests.edits.victim import numbers
from tests.factories import NOW, altered, rows, say
from tests.locker import Locker

EditorOf = Callable[[Path], Editor]


def _refusals(editor: Editor, *edits: str) -> set[str]:
    found = open_store(editor.path).info().edits
    return {str(found[edit]) for edit in edits}


def _not_deleted(editor: Editor, reason: str) -> None:
    before = dump(editor.path)
    assert all(reason in one for one in _refusals(editor, "delete", "clear", "prune"))
    with pytest.raises(Refused, match=reason):
        editor.plan(Action.DELETE, numbers(editor.path, "s"))
    assert dump(editor.path) == before
    assert editor.trash.receipts() == []


def test_a_file_with_two_names(path: Path, editor_of: EditorOf) -> None:
    os.link(path, path.with_name("other.db"))
    _not_deleted(editor_of(path), "has several hard links")


def test_a_trigger_of_somebody_else(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        db.execute("CREATE TABLE audit (x)")
        db.execute(
            "CREATE TRIGGER watch AFTER DELETE ON messages"
            " BEGIN INSERT INTO audit VALUES (old.id); END"
        )
    editor = editor_of(path)
    _not_deleted(editor, "has an unknown trigger")
    assert _refusals(editor, "rename", "archive") == {"None"}


def test_a_search_table_that_is_gone_while_its_triggers_are_not(
    path: Path, editor_of: EditorOf
) -> None:
    with altered(path) as db:
        db.execute("DROP TABLE messages_fts")
    _not_deleted(editor_of(path), "messages_fts is gone")


def test_a_tokenizer_that_only_the_agent_has(path: Path, editor_of: EditorOf) -> None:
    need_tokenizer(path)
    editor = editor_of(path)
    _not_deleted(editor, "needs the tokenizer cjk_words")
    with pytest.raises(OnlyAgent) as told:
        editor.plan(Action.DELETE, numbers(path, "s", "t"))
    assert told.value.ids == ["s", "t"]


def test_the_agent_is_not_asked_to_delete_what_is_running(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = 's'")
        say(db, "s", content="on", timestamp=NOW)
    need_tokenizer(path)
    plan = editor_of(path).plan(Action.DELETE, numbers(path, "s"))
    assert plan.skipped == {RUNNING: 1}


def test_a_tokenizer_that_only_the_agent_has_beside_another_reason(
    path: Path, editor_of: EditorOf
) -> None:
    need_tokenizer(path)
    with altered(path) as db:
        db.execute("CREATE TABLE stars (of TEXT REFERENCES sessions(id))")
    with pytest.raises(Refused, match="table stars refers to sessions") as told:
        editor_of(path).plan(Action.DELETE, numbers(path, "s"))
    assert not isinstance(told.value, OnlyAgent)


def test_a_table_that_would_keep_a_session_from_going(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        db.execute("CREATE TABLE stars (of TEXT REFERENCES sessions(id))")
    _not_deleted(editor_of(path), "table stars refers to sessions")


def test_a_trigger_that_came_after_the_plan(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, numbers(path, "s"))
    with altered(path) as db:
        db.execute(
            "CREATE TRIGGER watch AFTER DELETE ON messages"
            " BEGIN UPDATE sessions SET title = 'watched'; END"
        )
    before = dump(path)
    with pytest.raises(Changed, match=r"unknown trigger \("):
        editor.apply(plan)
    assert dump(path) == before
    assert editor.trash.receipts() == []


def test_a_session_that_went_after_the_plan(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, numbers(path, "s", "t"))
    with altered(path) as db:
        db.execute("DELETE FROM messages WHERE session_id = 's'")
        db.execute("DELETE FROM sessions WHERE id = 's'")
    done = editor.apply(plan)
    assert done.ids == ("t",)
    assert done.skipped == {"It is no longer in the file": 1}


def test_a_message_that_nobody_agreed_to_delete_keeps_its_session(
    path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, numbers(path, "s"))
    with altered(path) as db:
        say(db, "s", content="one more")
    before = dump(path)
    done = editor.apply(plan)
    assert (done.receipt, done.ids) == (None, ())
    assert done.skipped == {"Its agent has written to it": 1}
    assert dump(path) == before
    assert editor.trash.receipts() == []
    assert editor.apply(editor.plan(Action.DELETE, numbers(path, "s"))).ids == ("s",)


def test_a_session_that_began_to_run_after_the_plan(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, numbers(path, "s"))
    with altered(path) as db:
        db.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = 's'")
        say(db, "s", content="on", timestamp=NOW)
    before = dump(path)
    done = editor.apply(plan)
    assert (done.receipt, done.ids) == (None, ())
    assert done.skipped == {"Its agent has written to it": 1}
    assert dump(path) == before
    assert list(editor.after_crash().half_done) == []


def test_a_session_that_was_opened_again_after_the_plan(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    with altered(path) as db:
        db.execute("UPDATE messages SET timestamp = ? WHERE session_id = 's'", (NOW,))
    plan = editor.plan(Action.DELETE, numbers(path, "s"))
    with altered(path) as db:
        db.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = 's'")
    before = dump(path)
    done = editor.apply(plan)
    assert done.skipped == {"Its agent has started writing to it": 1}
    assert dump(path) == before


def test_a_title_that_the_agent_changed_after_the_plan(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.RENAME, [numbers(path, "s")[0]], title="Journey")
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'Voyage' WHERE id = 's'")
    with pytest.raises(Changed, match="program has changed this session"):
        editor.apply(plan)
    assert rows(path, "SELECT title FROM sessions WHERE id = 's'") == [("Voyage",)]


def test_a_file_that_is_locked_for_long(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, editor = dump(path), editor_of(path)
    plan = editor.plan(Action.DELETE, numbers(path, "s"))
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 0.3)
    with Locker(path), pytest.raises(ExplorerError, match="busy"):
        editor.apply(plan)
    assert dump(path) == before
    assert list(editor.after_crash().half_done) == []
    assert editor.apply(plan).ids == ("s",)


def test_a_busy_file_is_told_once_that_nothing_was_done(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    with altered(path) as db:
        db.execute("DELETE FROM messages WHERE session_id = 's'")
    editor, (row,) = editor_of(path), numbers(path, "s")
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 0.1)
    prune = editor.plan(Action.PRUNE, [row])
    rename = editor.plan(Action.RENAME, [row], title="Journey")
    for plan in (prune, rename):
        with altered(path) as db:
            db.execute("BEGIN IMMEDIATE")
            with pytest.raises(ExplorerError, match="busy") as caught:
                editor.apply(plan)
            db.execute("ROLLBACK")
        assert caught.value.message.endswith("Try again in a moment. Nothing was changed.")


def test_whoever_waits_for_another_program_is_told(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, (row,) = editor_of(path), numbers(path, "s")
    monkeypatch.setattr("explorer.stores.edits.connection.TOLD_AFTER", 0.01)
    plan = editor.plan(Action.RENAME, [row], title="Journey")
    told: list[Progress] = []
    with Locker(path) as locker:

        def tell(progress: Progress) -> None:
            told.append(progress)
            locker.release()

        editor.apply(plan, progress=tell)
    assert set(told) == {WAITING}
    assert rows(path, "SELECT title FROM sessions WHERE id = 's'") == [("Journey",)]


def test_two_explorers_that_edit_at_the_same_time(path: Path, editor_of: EditorOf) -> None:
    one, other = editor_of(path), editor_of(path)
    plan = one.plan(Action.DELETE, numbers(path, "s"))
    with (
        other.trash.alone(),
        pytest.raises(ExplorerError, match="Another Session Explorer is making a change"),
    ):
        one.apply(plan)
    assert one.apply(plan).ids == ("s",)

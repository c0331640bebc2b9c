"""Conversations go whole or stay whole, whoever stops a delete, and whenever."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.model import Action
from explorer.stores.edits import batches
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import Progress
from explorer.stores.hermes.create.state_file import StateFile
from tests.edits.states import dump, faults
from tests.factories import NOW, altered, go_on, insert, rows, say, talk

EditorOf = Callable[[Path], Editor]

PARTS = 3
CONVERSATIONS = ("one", "two", "three")
HOUR = 3600.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three conversations of three parts, all ended."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number, name in enumerate(CONVERSATIONS):
            at = NOW - (100 - number) * HOUR
            talk(state, f"{name}.0", "hello", "Hi.", at=at, title=name, end="done")
    with altered(path) as db:
        for name in CONVERSATIONS:
            for part in range(1, PARTS):
                go_on(db, f"{name}.{part - 1}", f"{name}.{part}", NOW - 50 * HOUR + part)
        db.execute("UPDATE sessions SET ended_at = started_at + 9 WHERE ended_at IS NULL")
    return path


def _all(path: Path) -> list[int]:
    return [int(str(row)) for (row,) in rows(path, "SELECT rowid FROM sessions ORDER BY rowid")]


def _left(path: Path) -> dict[str, int]:
    """How many parts of each conversation there are."""
    ids = [str(id_) for (id_,) in rows(path, "SELECT CAST(id AS TEXT) FROM sessions")]
    return {name: sum(id_.startswith(f"{name}.") for id_ in ids) for name in CONVERSATIONS}


@pytest.mark.parametrize("after", range(1, 9))
def test_a_prune_that_is_stopped_leaves_whole_conversations(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(batches.run_batches, "__defaults__", (-1.0, 0.0))
    before, editor, token = dump(path), editor_of(path), CancelToken()

    def stop(progress: Progress) -> None:
        if progress.sessions >= after:
            token.cancel()

    done = editor.apply(editor.plan(Action.PRUNE, _all(path)), token, stop)
    left = _left(path)
    assert set(left.values()) <= {0, PARTS}
    whole = -(-after // PARTS) * PARTS
    assert len(done.ids) == whole, "what was begun went, and nothing more"
    (receipt,) = editor.trash.receipts()
    part = f"Deleted {whole} of 9 sessions"
    assert receipt.words == ("Deleted 3 conversations (9 sessions)" if whole == 9 else part)
    assert faults(path) == []
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_part_that_is_written_again_keeps_the_parts_before_it(
    path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, _all(path))
    with altered(path) as db:
        say(db, "two.2", content="one more", timestamp=NOW - HOUR)
    done = editor.apply(plan)
    assert _left(path) == {"one": 0, "two": PARTS, "three": 0}
    assert done.skipped == {
        "Its agent has written to it": 1,
        "What continues it stays": 2,
    }
    assert done.words == "Deleted 6 of 9 sessions"
    assert [one.words for one in editor.trash.receipts()] == [done.words]
    links = rows(path, "SELECT parent_session_id FROM sessions ORDER BY id")
    assert links == [(None,), ("two.0",), ("two.1",)]


def test_a_part_that_is_running_keeps_the_parts_before_it(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET ended_at = NULL WHERE id = 'two.2'")
        say(db, "two.2", content="at it", timestamp=NOW)
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, _all(path))
    assert {one.id for one in plan.doomed} == {
        f"{name}.{part}" for name in ("one", "three") for part in range(PARTS)
    }
    assert plan.skipped == {
        "running (its agent may be writing it)": 1,
        "what continues it stays": 2,
    }


def test_a_branch_keeps_nobody(path: Path, editor_of: EditorOf) -> None:
    marked = {"parent_session_id": "one.2", "model_config": '{"_branched_from": "one.2"}'}
    with altered(path) as db:
        insert(db, "sessions", id="branch", source="cli", started_at=NOW, **marked)
        say(db, "branch", content="else", timestamp=NOW)
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, _all(path))
    assert [one.id for one in plan.sessions if one.reason.startswith("running")] == ["branch"]
    assert {one.id for one in plan.doomed} == {
        f"{name}.{part}" for name in CONVERSATIONS for part in range(PARTS)
    }


def test_what_a_kill_left_between_two_sessions_is_settled_and_said(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Died(BaseException):
        """Stands for a kill."""

    def die(progress: Progress) -> None:
        if progress.sessions == 4:
            raise Died

    before, editor = dump(path), editor_of(path)
    with monkeypatch.context() as patch:
        patch.setattr(batches.run_batches, "__defaults__", (-1.0, 0.0))
        with pytest.raises(Died):
            editor.apply(editor.plan(Action.PRUNE, _all(path)), progress=die)
    found = editor.after_crash()
    assert [one.words for one in found.ended] == ["Deleted 4 of 9 sessions"]
    assert (found.half_done, found.nothing) == ([], 0)
    assert editor.after_crash().ended == (), "it is said once"
    plan = editor.undo_plan()
    assert plan.receipt.words == "Deleted 4 of 9 sessions"
    editor.undo(plan)
    assert dump(path) == before


@pytest.mark.parametrize("change", ["a message", "another subagent"])
def test_subagents_stay_with_a_session_that_changed_after_the_plan(
    tmp_path: Path, editor_of: EditorOf, change: str
) -> None:
    path, at = tmp_path / "state.db", NOW - 90 * HOUR
    with StateFile.create(path) as state:
        talk(state, "starter", "hello", "Hi.", at=at, end="done")
        for name, parent in (("first", "starter"), ("second", "starter"), ("below", "first")):
            config = {"_delegate_from": parent}
            talk(state, name, "look", "Done.", at=at, parent=parent, config=config, end="done")
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, [1])
    assert {one.id for one in plan.doomed} == {"starter", "first", "second", "below"}
    with altered(path) as db:
        if change == "a message":
            say(db, "starter", content="one more", timestamp=NOW)
        else:
            cells = {"id": "third", "parent_session_id": "starter", "end_reason": "done"}
            insert(db, "sessions", source="cli", started_at=at, ended_at=at, **cells)
    before = dump(path)
    done = editor.apply(plan)
    assert (done.ids, sum(done.skipped.values())) == ((), 4)
    assert dump(path) == before
    assert list(editor.trash.receipts()) == []

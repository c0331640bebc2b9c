"""Every edit and its undo on the files of today's Hermes: born and upgraded, in both modes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import PlannedOutcome
from tests.editors import edits_on
from tests.edits.states import dump, faults
from tests.factories import altered, rows
from tests.newer_files import newer_file

EditorOf = Callable[[Path], Editor]
LATER = 1_800_000_000.0
"""Long after everything in these files."""
pytestmark = pytest.mark.usefixtures("at_full_speed")


@pytest.fixture
def editor_of(tmp_path: Path) -> EditorOf:
    return lambda path: edits_on(path, tmp_path / "ours" / "trash.db", lambda: LATER)


def _numbers(path: Path, where: str = "1") -> list[int]:
    return [int(str(row)) for (row,) in rows(path, f"SELECT rowid FROM sessions WHERE {where}")]


def test_all_that_is_deleted_comes_back_cell_by_cell(
    newer_hermes: Path, editor_of: EditorOf
) -> None:
    editor, before = editor_of(newer_hermes), dump(newer_hermes)
    done = editor.apply(editor.plan(Action.DELETE, _numbers(newer_hermes), force=True), force=True)
    assert len(done.ids) == len(before["sessions"])
    left = {name for name in ("sessions", "messages", "system_prompts") if name in before}
    now = dump(newer_hermes)
    assert {name: now[name] for name in left} == {name: [] for name in left}
    assert faults(newer_hermes) == []
    editor.undo(editor.undo_plan())
    assert faults(newer_hermes) == []
    assert dump(newer_hermes) == before


def test_a_part_that_is_deleted_comes_back_beside_the_rest(
    newer_hermes: Path, editor_of: EditorOf
) -> None:
    editor, before = editor_of(newer_hermes), dump(newer_hermes)
    editor.apply(editor.plan(Action.DELETE, _numbers(newer_hermes)[::3], force=True), force=True)
    assert faults(newer_hermes) == []
    editor.undo(editor.undo_plan())
    assert faults(newer_hermes) == []
    assert dump(newer_hermes) == before


def test_messages_that_are_cleared_come_back(newer_hermes: Path, editor_of: EditorOf) -> None:
    editor, before = editor_of(newer_hermes), dump(newer_hermes)
    editor.apply(editor.plan(Action.CLEAR, _numbers(newer_hermes), force=True), force=True)
    assert rows(newer_hermes, "SELECT count(*) FROM messages") == [(0,)]
    assert faults(newer_hermes) == []
    editor.undo(editor.undo_plan())
    assert faults(newer_hermes) == []
    assert dump(newer_hermes) == before


def test_a_prompt_goes_with_its_last_session_and_comes_back_before_it(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = newer_file("hermes-v31", tmp_path)
    with altered(path) as db:
        db.execute("INSERT INTO system_prompts VALUES ('h', 'Be brief.'), ('t', 'terminal')")
        db.execute("UPDATE sessions SET system_prompt_hash = 'h' WHERE rowid IN (1, 2)")
        db.execute("UPDATE sessions SET tool_names = 't' WHERE rowid = 2")
    editor, before = editor_of(path), dump(path)
    kept = "SELECT hash FROM system_prompts WHERE hash IN ('h', 't') ORDER BY hash"
    editor.apply(editor.plan(Action.DELETE, [1], force=True), force=True)
    assert rows(path, kept) == [("h",), ("t",)], "the other session still uses both"
    editor.apply(editor.plan(Action.DELETE, [2], force=True), force=True)
    assert rows(path, kept) == []
    for _ in range(2):
        editor.undo(editor.undo_plan())
    assert dump(path) == before
    assert faults(path) == []


def test_what_the_agent_wrote_since_stays_and_the_rest_comes_back(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = newer_file("hermes-v31", tmp_path)
    columns = "session_id, model, billing_provider, billing_base_url, billing_mode, task"
    usage = f"SELECT {columns} FROM session_model_usage LIMIT 1"
    (used,) = rows(path, usage)
    id_ = used[0]
    ((number,),) = rows(path, "SELECT rowid FROM sessions WHERE id = ?", [id_])
    editor = editor_of(path)
    messages = rows(path, "SELECT id FROM messages WHERE session_id = ?", [id_])
    editor.apply(editor.plan(Action.DELETE, [int(str(number))], force=True), force=True)
    with altered(path) as db:
        db.execute("INSERT INTO sessions (id, source, started_at) VALUES (?, 'cli', 1)", (id_,))
        db.execute(
            f"INSERT INTO session_model_usage ({columns}, input_tokens)"
            " VALUES (?, ?, ?, ?, ?, ?, 7)",
            used,
        )
    editor.undo(editor.undo_plan())
    assert rows(path, "SELECT id FROM messages WHERE session_id = ?", [id_]) == messages
    counted = "SELECT input_tokens FROM session_model_usage WHERE session_id = ? AND model = ?"
    assert (7,) in rows(path, counted, used[:2])
    assert faults(path) == []


def test_twins_that_a_trigger_changes_on_the_way_do_not_stop_a_delete(
    tmp_path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each message goes by itself, so that the trigger of the first changes those after it."""
    monkeypatch.setattr("explorer.stores.sqlite.images.SLICE", 1)
    path = newer_file("hermes-v30", tmp_path)
    with altered(path) as db:
        long = "SELECT session_id FROM messages GROUP BY 1 HAVING count(*) > 4"
        (id_,) = db.execute(long).fetchone()
        db.execute(
            "UPDATE messages SET display_identity = x'01', display_order = (SELECT min(id) FROM"
            " messages WHERE session_id = ?1) WHERE session_id = ?1 AND active = 1",
            (id_,),
        )
    ((number,),) = rows(path, "SELECT rowid FROM sessions WHERE id = ?", [id_])
    editor, before = editor_of(path), dump(path)
    done = editor.apply(editor.plan(Action.DELETE, [int(str(number))], force=True), force=True)
    assert (id_ in done.ids, done.skipped) == (True, {})
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_every_small_edit_is_undone_to_the_last_cell(
    newer_hermes: Path, editor_of: EditorOf
) -> None:
    editor, before = editor_of(newer_hermes), dump(newer_hermes)
    every = _numbers(newer_hermes)
    edits = (
        editor.plan(Action.RENAME, [every[0]], title="A title that nobody has"),
        editor.plan(Action.RENAME, [every[1]], title=""),
        editor.plan(Action.ARCHIVE, every),
        editor.plan(Action.UNARCHIVE, every),
        editor.plan(Action.END, every, force=True),
        editor.plan(Action.REOPEN, every),
        editor.plan(Action.PIN, every[:9]),
        editor.plan(Action.UNPIN, every[:9]),
    )
    for plan in edits:
        if any(one.outcome is PlannedOutcome.CHANGE for one in plan.sessions):
            editor.apply(plan, force=True)
            assert faults(newer_hermes) == [], plan.action
            editor.undo(editor.undo_plan())
            assert dump(newer_hermes) == before, plan.action
    assert sum(bool(plan.doomed) for plan in edits) >= 6


def _id(path: Path, number: int) -> str:
    ((id_,),) = rows(path, "SELECT id FROM sessions WHERE rowid = ?", [number])
    return str(id_)

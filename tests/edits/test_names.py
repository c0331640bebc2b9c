"""A session is named as in the list wherever something is about to happen to it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.words import plan_lines, question, receipt_words
from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import T0, rows, talk
from tests.real_files import unpack

EditorOf = Callable[[Path], Editor]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An untitled session with an untitled subagent, and one in which nothing was said."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "Mend the blue net", "Done.", end="cli_close")
        helper = {"_delegate_from": "s"}
        talk(state, "h", "Look for holes", parent="s", config=helper, source="subagent", end="done")
        talk(state, "long", "word " * 100, at=T0 + 9, end="cli_close")
        talk(state, "empty", end="cli_close")
    return path


def test_an_untitled_session_is_called_by_its_first_words(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, [1])
    assert question(plan) == "Delete “Mend the blue net” and 1 subagent session?"
    told = "\n".join(plan_lines(plan))
    assert "Look for holes" in told
    assert "cli · last active 2025-10-09 08:53:22 · 2 messages" in told
    assert receipt_words(plan) == "Deleted “Mend the blue net” and 1 subagent session"
    editor.apply(plan)
    assert editor.trash.receipts()[0].words == "Deleted “Mend the blue net” and 1 subagent session"


def test_long_words_are_cut_and_a_session_without_any_is_called_empty(
    path: Path, editor_of: EditorOf
) -> None:
    numbers = dict(
        (str(id_), int(str(row))) for id_, row in rows(path, "SELECT id, rowid FROM sessions")
    )
    editor = editor_of(path)
    assert question(editor.plan(Action.DELETE, [numbers["long"]])) == f"Delete “{'word ' * 12}…”?"
    assert question(editor.plan(Action.DELETE, [numbers["empty"]])) == "Delete an empty session?"


def test_sessions_of_power_loop_have_words_too(tmp_path: Path, editor_of: EditorOf) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    plan = editor_of(path).plan(Action.DELETE, [1], force=True)
    (said,) = rows(
        path,
        "SELECT m.content FROM pl_messages m JOIN pl_sessions s ON s.session_id = m.session_id"
        " WHERE s.rowid = 1 AND m.role = 'user' ORDER BY m.seq LIMIT 1",
    )
    assert str(said[0])[:20] in question(plan)

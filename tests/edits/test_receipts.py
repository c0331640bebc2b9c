"""What a receipt says is what was done, also where that is less than was planned."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.store.create import StateFile
from explorer.store.edits.editor import Editor
from explorer.store.edits.words import done_words, receipt_words
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
    plan = editor.delete_plan(_rows(path))
    with altered(path) as db:
        db.execute("DELETE FROM messages WHERE session_id = 'a'")
        db.execute("DELETE FROM sessions WHERE id = 'a'")
    done = editor.apply(plan)
    assert sorted(done.ids) == ["b", "c"]
    assert done_words(done, receipt_words(plan)).startswith("Deleted 2 of 3 sessions · left out")
    assert editor.trash.receipts()[0].words == "Deleted 2 of 3 sessions"

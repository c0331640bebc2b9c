"""An undo says what came back, to the row: where a title is taken half way, or the trash has lost
something."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import Refused
from explorer.model import Action
from explorer.settings import trash_path
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.undo_words import undone_words
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.ours.trash_records import EntryState, ReceiptState
from tests.conftest import Command
from tests.edits.states import dump, faults
from tests.factories import altered, insert, rows, talk

EditorOf = Callable[[Path], Editor]
pytestmark = pytest.mark.usefixtures("at_full_speed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three titled sessions with a file beside each; the second one is long."""
    path = tmp_path / "home" / "state.db"
    (path.parent / "sessions").mkdir(parents=True)
    with StateFile.create(path) as state:
        for name, messages in (("one", 2), ("two", 300), ("three", 2)):
            texts = [f"{name} {number} " + "long " * 900 for number in range(messages)]
            talk(state, name, *texts, title=name, end="cli_close")
            (path.parent / "sessions" / f"session_{name}.json").write_text(name)
    return path


def _deleted(path: Path, editor: Editor) -> None:
    numbers = [int(str(row)) for (row,) in rows(path, "SELECT rowid FROM sessions")]
    editor.apply(editor.plan(Action.DELETE, numbers))


def _ids(path: Path) -> set[object]:
    return {id_ for (id_,) in rows(path, "SELECT id FROM sessions")}


def _files(path: Path) -> set[str]:
    return {file.name for file in (path.parent / "sessions").iterdir()}


def test_a_title_that_is_taken_half_way_keeps_only_its_session_back(
    path: Path, editor_of: EditorOf
) -> None:
    editor, before = editor_of(path), dump(path)
    _deleted(path, editor)
    plan = editor.undo_plan()
    with altered(path) as db:
        insert(db, "sessions", id="thief", source="cli", started_at=1, title="two")
    done = editor.undo(plan)
    assert set(done.ids) == {"one", "three"}
    assert done.skipped == {"Another session has taken its title": 1}
    assert undone_words(plan, done) == (
        "Restored 2 of 3 sessions. Not restored: 1 session (another session has taken its title)"
    )
    assert _ids(path) == {"one", "three", "thief"}
    assert _files(path) == {"session_one.json", "session_three.json"}
    (receipt,) = editor.trash.receipts()
    assert (receipt.state, receipt.back) == (ReceiptState.DONE, 2)
    states = {one.session: one.state for one in editor.trash.entries(receipt.number)}
    assert states["two"] is EntryState.GONE
    again = editor.undo_plan()
    assert editor.undo(again).ids == ("two",)
    assert rows(path, "SELECT title FROM sessions WHERE id = 'two'") == [("two #2",)]
    assert "session_two.json" in _files(path)
    assert dump(path)["messages"] == before["messages"]
    assert faults(path) == []


def test_where_none_can_come_back_nothing_is_said_to_be(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [1]))
    plan = editor.undo_plan()
    with altered(path) as db:
        insert(db, "sessions", id="thief", source="cli", started_at=1, title="one")
    with pytest.raises(Refused, match="title"):
        editor.undo(plan)
    (receipt,) = editor.trash.receipts()
    assert (receipt.state, receipt.back) == (ReceiptState.DONE, 0)


def _lose(editor: Editor, sql: str) -> None:
    with closing(sqlite3.connect(editor.trash.path)) as db:
        assert db.execute(sql).rowcount > 0
        db.commit()


OF_TWO = "entry = (SELECT number FROM entries WHERE session = x'74776f')"


def test_messages_that_the_trash_has_lost_are_counted(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    _deleted(path, editor)
    _lose(
        editor,
        f"DELETE FROM packs WHERE name = 'messages' AND {OF_TWO} AND number >"
        f" (SELECT min(number) FROM packs WHERE name = 'messages' AND {OF_TWO})",
    )
    plan = editor.undo_plan()
    done = editor.undo(plan)
    ((left,),) = rows(path, "SELECT count(*) FROM messages WHERE session_id = 'two'")
    assert 0 < int(str(left)) < 300
    assert undone_words(plan, done).startswith("Partly restored ")
    assert f"“two”: {left} of 300 messages restored. The trash has lost the others." in done.notes
    assert faults(path) == []


@pytest.mark.parametrize(
    "loss",
    [
        f"DELETE FROM packs WHERE name = 'sessions' AND {OF_TWO}",
        f"UPDATE packs SET content = x'00ff' WHERE name = 'sessions' AND {OF_TWO}",
        f"UPDATE packs SET content = zeroblob(9) WHERE name = 'messages' AND {OF_TWO}",
    ],
    ids=["no row", "damaged row", "damaged messages"],
)
def test_what_the_trash_cannot_tell_keeps_nobody_else_back(
    loss: str, path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    _deleted(path, editor)
    _lose(editor, loss)
    done = editor.undo(editor.undo_plan())
    assert set(done.ids) == {"one", "three"}
    assert sum(done.skipped.values()) == 1
    assert faults(path) == []


def test_the_command_says_so_too(path: Path, command: Command) -> None:
    deleted = command("delete", "one", "two", "--yes", "--json", "--db", path).json
    with closing(sqlite3.connect(trash_path())) as db:
        db.execute(f"DELETE FROM packs WHERE name = 'messages' AND {OF_TWO}")
        db.commit()
    for line in (["undo"], ["trash", "restore", str(deleted["receipt"])]):
        dry = command(*line, "--dry-run", "--db", path)
        assert dry.code == 0
        assert "Restores 2 messages." in dry.out
        assert "“two”: only 0 of 300 messages can be restored." in dry.out
    said = command("undo", "--yes", "--db", path)
    assert said.code == 1
    assert "Partly restored" in said.err
    assert "0 of 300 messages" in said.err

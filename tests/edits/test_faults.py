"""Every write fails once: the disk is full, or gives an error, at each step of each edit.

Of the state file and of our trash alike. Whatever fails, nothing is lost, and the message says how
far it got.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import ExplorerError
from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.ours.notes import Notes
from tests.editors import edits_on
from tests.edits.kills import starve_many
from tests.edits.states import dump
from tests.edits.victim import numbers
from tests.edits.whereabouts import Whereabouts, aftermath
from tests.factories import NOW, altered, talk
from tests.real_files import unpack

pytestmark = pytest.mark.long

WRITES = ("INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT")


class Breaking(sqlite3.Connection):
    """A connection to one file of which one write fails, as on a full disk."""

    file = Path()
    last = 0
    count = 0
    forget = False
    """SQLite rolls some failures back by itself, and leaves others to the program."""

    def __init__(self, database: Any, *args: Any, **more: Any) -> None:
        super().__init__(database, *args, **more)
        self._watched = str(database).split("?")[0].endswith(str(Breaking.file))

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if self._watched and sql.startswith(WRITES):
            Breaking.count += 1
            if Breaking.count == Breaking.last:
                if Breaking.forget and self.in_transaction:
                    self.rollback()
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorname = "SQLITE_FULL"
                raise error
        return super().execute(sql, *values)


@contextmanager
def breaking(file: Path, last: int, patch: pytest.MonkeyPatch) -> Iterator[None]:
    plain = sqlite3.connect

    def connect(*args: Any, **more: Any) -> sqlite3.Connection:
        return plain(*args, **more, factory=Breaking)

    Breaking.file, Breaking.last, Breaking.count = file, last, 0
    Breaking.forget = bool(last % 2)
    with patch.context() as patched:
        patched.setattr(sqlite3, "connect", connect)
        yield


def _state(path: Path) -> None:
    path.parent.mkdir()
    with StateFile.create(path) as state:
        talk(state, "one", *(f"word {turn}" for turn in range(25)), title="One", end="cli_close")
        talk(state, "two", "hello", parent="one", end="cli_close")
        talk(state, "three", "hello", end="cli_close")
    (path.parent / "sessions").mkdir()
    (path.parent / "sessions" / "session_one.json").write_text("all of it")


def _delete(editor: Editor) -> Callable[[], object]:
    plan = editor.plan(Action.DELETE, numbers(editor.path, "one", "three"))
    return lambda: editor.apply(plan)


def _clear(editor: Editor) -> Callable[[], object]:
    plan = editor.plan(Action.CLEAR, numbers(editor.path, "one"))
    return lambda: editor.apply(plan)


def _rename(editor: Editor) -> Callable[[], object]:
    plan = editor.plan(Action.RENAME, [numbers(editor.path, "one")[0]], title="Another")
    return lambda: editor.apply(plan)


def _undo(editor: Editor) -> Callable[[], object]:
    editor.apply(editor.plan(Action.DELETE, numbers(editor.path, "one", "three")))
    plan = editor.undo_plan()
    return lambda: editor.undo(plan)


EDITS = {"delete": _delete, "clear": _clear, "rename": _rename, "undo": _undo}


@pytest.mark.parametrize("which", ["state.db", "trash.db"])
@pytest.mark.parametrize("edit", EDITS)
def test_each_write_that_fails_loses_nothing(
    tmp_path: Path, edit: str, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.stores.edits.batches.run_batches.__defaults__", (0.0, 0.0))
    for last in range(1, 500):
        path = tmp_path / str(last) / "state.db"
        _state(path)
        was, before = Whereabouts(path), dump(path)
        editor = edits_on(path, tmp_path / str(last) / "trash.db", lambda: NOW)
        act = EDITS[edit](editor)
        away = dump(path)
        file = path if which == "state.db" else editor.trash.path
        said = ""
        with breaking(file, last, monkeypatch):
            try:
                act()
            except ExplorerError as error:
                said = error.message
        if Breaking.count < last:
            assert last > 3, "some writes were met"
            return
        if "Nothing was" in said:
            assert dump(path) == away, said
        way = "finish" if last % 4 < 2 else "restore"
        _, wrong = aftermath(editor, was, way, set())
        assert wrong == [], f"write {last}: {said}"
        assert dump(path) == before
    raise AssertionError("it never came to its end")


@pytest.mark.parametrize("which", ["trash.db", "explorer.db"])
@pytest.mark.parametrize("undone", [False, True])
def test_a_title_in_our_notes_is_the_old_or_the_new_one_whatever_fails(
    tmp_path: Path, which: str, undone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for last in range(1, 100):
        folder = tmp_path / str(last)
        folder.mkdir()
        path = unpack("power-loop-8.0.0", folder)
        with altered(path) as db:
            db.execute("UPDATE pl_sessions SET metadata_json = NULL")
        notes = Notes(folder / "explorer.db", path)
        editor = edits_on(path, folder / "trash.db", notes=notes)
        editor.apply(editor.plan(Action.RENAME, [1], title="Old"))
        plan = editor.plan(Action.RENAME, [1], title="New")
        if undone:
            editor.apply(plan)
        back, failed = editor.undo_plan(), False
        with breaking(folder / which, last, monkeypatch):
            try:
                editor.undo(back) if undone else editor.apply(plan)
            except ExplorerError:
                failed = True
        if Breaking.count < last:
            assert last > 2, "some writes were met"
            return
        (title,) = notes.titles().values()
        assert title in ("Old", "New"), f"write {last}"
        assert failed or title == ("Old" if undone else "New")
        while notes.titles():
            editor.undo(editor.undo_plan())
    raise AssertionError("it never came to its end")


def test_no_room_for_a_file_to_grow_loses_nothing(tmp_path: Path) -> None:
    """The same from below SQLite: writes fail inside it, in the middle of a commit too."""
    edits = ("delete one big", "delete many", "undo a big delete", "clear")
    figures, said = starve_many(tmp_path, edits, (33_000, 100_000, 260_000), messages=150)
    assert [line for one in figures.values() for line in one.wrong] == []
    assert any("disk is full" in one for one in said)
    assert any("could not be written: " in one for one in said)

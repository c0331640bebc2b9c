"""A damaged file is not edited: what is taken out of it might not go back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import Problem, StoreError
from explorer.model import Action
from explorer.stores.edits import refusals
from explorer.stores.edits.editor import Editor
from tests.edits.states import dump
from tests.factories import altered, rows
from tests.mutants.making import replace_index
from tests.newer_files import newer_file


def _free_pages_that_are_none(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[36:40] = (9_999).to_bytes(4, "big")
    path.write_bytes(content)


def _half_an_index(path: Path) -> None:
    with altered(path) as db:
        replace_index(db, "idx_sessions_started", [1])


@pytest.mark.parametrize("damage", [_free_pages_that_are_none, _half_an_index])
def test_nothing_leaves_a_damaged_file(
    damage: Callable[[Path], None], path: Path, editor_of: Callable[[Path], Editor]
) -> None:
    with altered(path) as db:
        db.execute("PRAGMA journal_mode = delete")
    damage(path)
    before = path.read_bytes()
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, [1])
    with pytest.raises(StoreError, match="Nothing was changed") as caught:
        editor.apply(plan)
    assert caught.value.problem is Problem.CORRUPT
    assert path.read_bytes() == before
    assert editor.trash.receipts() == []


def test_cells_that_are_odd_do_not_keep_a_sound_file_from_being_edited(
    path: Path, editor_of: Callable[[Path], Editor]
) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET source = x'ff', message_count = 'many', model = 1.5")
        db.execute("UPDATE messages SET timestamp = 'soon', role = x'00'")
    before = dump(path)
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [1]))
    assert rows(path, "SELECT rowid FROM sessions") == [(2,)]
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_session_that_names_a_prompt_that_is_gone_stays(
    tmp_path: Path, editor_of: Callable[[Path], Editor]
) -> None:
    path = newer_file("hermes-v26", tmp_path)
    with altered(path) as db:
        db.execute("UPDATE sessions SET system_prompt_hash = 'gone' WHERE rowid = 1")
    before = dump(path)
    editor = editor_of(path)
    done = editor.apply(editor.plan(Action.DELETE, [1], force=True), force=True)
    assert (done.ids, done.receipt) == ((), None)
    assert list(done.skipped) == ["It refers to something that is no longer in the file"]
    assert dump(path) == before


def test_an_index_that_sqlite_does_not_know_as_one_is_damage(
    path: Path, editor_of: Callable[[Path], Editor]
) -> None:
    with altered(path) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET type = x'ff' WHERE name LIKE 'sqlite_autoindex_s%'")
    editor = editor_of(path)
    with pytest.raises(StoreError, match="Nothing was changed"):
        editor.apply(editor.plan(Action.DELETE, [1]))


def test_a_row_that_its_table_would_not_take_again_stays(
    path: Path, editor_of: Callable[[Path], Editor]
) -> None:
    with altered(path) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'model TEXT,', 'model TEXT NOT NULL,')"
            " WHERE name = 'sessions'"
        )
    editor = editor_of(path)
    with pytest.raises(StoreError, match="Nothing was changed"):
        editor.apply(editor.plan(Action.DELETE, [1]))


def test_a_big_file_is_not_looked_through(
    path: Path, editor_of: Callable[[Path], Editor], monkeypatch: pytest.MonkeyPatch
) -> None:
    _half_an_index(path)
    monkeypatch.setattr(refusals, "LOOKED_THROUGH", 0)
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [1]))
    assert rows(path, "SELECT rowid FROM sessions NOT INDEXED") == [(2,)]

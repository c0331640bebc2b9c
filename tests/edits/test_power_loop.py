"""Changes to sessions of power-loop: its titles, when it is left alone, and what it does after."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import Refused
from explorer.model import Action, Session
from explorer.search.hits import CompleteSearch
from explorer.stores.columns import TITLE
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.reasons import INTERRUPTED, RUNNING, SAME_TITLE
from explorer.stores.edits.words import TITLE_NOTED
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes
from tests.agents import run_agent
from tests.editors import edits_on
from tests.edits.states import dump
from tests.factories import NOW, altered, everybody, rows
from tests.real_files import unpack

EditorOf = Callable[[Path], Editor]
GOES_ON = """
import asyncio, sys
from power_loop.runtime.store import open_store

async def main():
    path, kept, closed = sys.argv[1:]
    store = await open_store(path)
    session = await store.get_session(kept)
    print(session.metadata["title"])
    print(await store.append_message(kept, role="user", content="and now?"))
    print(await store.close_session(closed))
    await store.close()

asyncio.run(main())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return unpack("power-loop-8.0.0", tmp_path)


def _titled(path: Path, title: str) -> Session:
    return next(session for session in everybody(path) if session.title == title)


@pytest.mark.parametrize("name", ["power-loop-0.2.0", "power-loop-8.0.0"])
def test_a_title_is_changed_in_the_metadata_and_back(
    tmp_path: Path, name: str, editor_of: EditorOf
) -> None:
    path = unpack(name, tmp_path)
    prefix = "" if "0.2" in name else "pl_"
    one = _titled(path, "Marathon")
    about = '{ "tag": [1, 2.50],  "title": "Marathon", "über": null}'
    with altered(path) as db:
        db.execute(
            f"UPDATE {prefix}sessions SET metadata_json = ? WHERE session_id = ?", (about, one.id)
        )
    before, editor = dump(path), editor_of(path)
    editor.apply(editor.plan(Action.RENAME, [one.key], title=" A \x1b long  run "))
    ((cell,),) = rows(
        path, f"SELECT metadata_json FROM {prefix}sessions WHERE session_id = ?", (one.id,)
    )
    assert json.loads(str(cell)) == {"tag": [1, 2.5], "title": "A long run", "über": None}
    assert _titled(path, "A long run").key == one.key
    editor.undo(editor.undo_plan())
    assert dump(path) == before
    editor.apply(editor.plan(Action.RENAME, [one.key], title=""))
    assert {row.key: row.title for row in everybody(path)}[one.key] is None
    editor.undo(editor.undo_plan())
    assert dump(path) == before


@pytest.fixture
def untitled(path: Path) -> Path:
    """A file of a program that keeps no titles."""
    with altered(path) as db:
        db.execute("UPDATE pl_sessions SET metadata_json = '{}'")
    return path


@pytest.fixture
def notes(tmp_path: Path, path: Path) -> Notes:
    return Notes(tmp_path / "ours" / "explorer.db", path)


@pytest.fixture
def noting(tmp_path: Path, untitled: Path, notes: Notes) -> Editor:
    return edits_on(untitled, tmp_path / "ours" / "trash.db", notes=notes)


def test_a_title_that_no_program_would_look_for_is_kept_in_our_notes(
    untitled: Path, noting: Editor, notes: Notes
) -> None:
    before = dump(untitled)
    plan = noting.plan(Action.RENAME, [1], title=" A \x1b long  run ")
    assert plan.notes == (TITLE_NOTED,)
    noting.apply(plan)
    noting.apply(noting.plan(Action.RENAME, [2], title="A long run"))
    assert dump(untitled) == before, "nothing of it goes into the file"
    store = open_store(untitled, notes=notes)
    catalog = store.catalog()
    (row,) = store.sessions([catalog.single(1)], NOW)
    assert (row.title, row.name) == ("A long run", "A long run")
    assert store.details(catalog.single(1)).title == "A long run"
    assert [one.key for one in store.find("A long run")] == [1, 2]
    found = CompleteSearch(store, catalog, "title:long", NOW, everything=True).hits()
    assert {hit.session_key for hit in found} == {1, 2}
    found = CompleteSearch(store, catalog, "long run", NOW, everything=True).hits()
    assert {hit.session_key for hit in found if hit.field == "title"} == {1, 2}
    assert store.columns({TITLE}, [1])[TITLE] == {1: "A long run"}
    deleted = noting.apply(noting.plan(Action.DELETE, [1]))
    assert noting.trash.entries(deleted.receipt or 0)[0].title == "A long run"
    noting.undo(noting.undo_plan())
    assert notes.titles() == {row.id: "A long run", store.find("A long run")[1].id: "A long run"}


def test_a_title_in_our_notes_is_changed_removed_and_undone(
    untitled: Path, noting: Editor, notes: Notes
) -> None:
    for title in ("One", "Two", ""):
        noting.apply(noting.plan(Action.RENAME, [1], title=title))
    assert not notes.titles()
    assert noting.plan(Action.RENAME, [1], title="").skipped == {SAME_TITLE: 1}
    first = noting.trash.receipts()[-1].number
    noting.apply(noting.plan(Action.RENAME, [1], title="Four"))
    with pytest.raises(Refused, match="changed since"):
        noting.undo(noting.undo_plan(first))
    expected = [{}, {"Two"}, {"One"}, {}]
    for left in expected:
        noting.undo(noting.undo_plan())
        assert set(notes.titles().values()) == set(left)


def test_a_session_that_is_written_may_get_a_title_in_our_notes(
    untitled: Path, noting: Editor
) -> None:
    with altered(untitled) as db:
        db.execute("UPDATE pl_messages SET created_at = ?", (int(NOW * 1000),))
    assert noting.plan(Action.RENAME, [1], title="x").doomed
    long = noting.plan(Action.RENAME, [1], title="x" * 201)
    assert long.title is not None
    assert long.title.trouble == "too long: 201 of 200 characters"


def test_a_program_that_begins_to_keep_titles_gets_the_next_one(
    untitled: Path, noting: Editor, notes: Notes
) -> None:
    noting.apply(noting.plan(Action.RENAME, [1], title="Ours"))
    with altered(untitled) as db:
        db.execute('UPDATE pl_sessions SET metadata_json = \'{"title": "x"}\' WHERE rowid > 5')
    noted, before = notes.titles(), dump(untitled)
    noting.apply(noting.plan(Action.RENAME, [1], title="Theirs"))
    assert not notes.titles()
    assert {row.key: row.title for row in everybody(untitled)}[1] == "Theirs"
    noting.undo(noting.undo_plan())
    assert (notes.titles(), dump(untitled)) == (noted, before)


def test_without_notes_there_is_no_place_for_a_title(untitled: Path, editor_of: EditorOf) -> None:
    plan = editor_of(untitled).plan(Action.RENAME, [1], title="x")
    assert plan.title is not None
    assert "no place for a title" in plan.title.trouble
    assert plan.changes == ()


@pytest.mark.parametrize("action", [Action.DELETE, Action.ARCHIVE])
def test_what_waits_for_tools_or_was_just_written_is_left_alone(
    path: Path, action: Action, editor_of: EditorOf
) -> None:
    waiting, loop = _titled(path, "Interrupted"), _titled(path, "Loop 1")
    with altered(path) as db:
        db.execute(
            "UPDATE pl_messages SET created_at = ? WHERE session_id = ?",
            (int((NOW - 100) * 1000), loop.id),
        )
    editor, before = editor_of(path), dump(path)
    plan = editor.plan(action, [waiting.key, loop.key])
    assert plan.skipped == {INTERRUPTED: 1, RUNNING: 1}
    assert not plan.doomed
    assert dump(path) == before
    forced = editor.plan(action, [waiting.key, loop.key], force=True)
    assert len(editor.apply(forced, force=True).ids) == 2
    editor.undo(editor.undo_plan())
    assert dump(path) == before
    with altered(path) as db:
        db.execute("UPDATE pl_messages SET created_at = created_at - 30000")
    assert editor.plan(action, [loop.key]).doomed, "two minutes later nobody is writing"


def test_power_loop_goes_on_after_a_rename_a_delete_and_its_undo(
    path: Path, tmp_path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    one, other = _titled(path, "Marathon"), _titled(path, "Compacted twice")
    editor.apply(editor.plan(Action.RENAME, [one.key], title="A long run"))
    editor.apply(editor.plan(Action.DELETE, [other.key]))
    editor.undo(editor.undo_plan())
    said = run_agent(GOES_ON, "power-loop", "8.0.0", tmp_path / "home", path, one.id, other.id)
    title, number, closed = said.split("\n")[:3]
    assert (title, int(number), int(closed)) == ("A long run", 2002, 1)
    assert other.id not in {session.id for session in everybody(path)}

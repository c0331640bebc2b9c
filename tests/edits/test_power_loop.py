"""Changes to sessions of power-loop: its titles, when it is left alone, and what it does after."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Action, Session
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.reasons import INTERRUPTED, RUNNING
from tests.agents import run_agent
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


def test_no_title_is_put_where_no_program_would_look(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        db.execute("UPDATE pl_sessions SET metadata_json = '{}'")
    plan = editor_of(path).plan(Action.RENAME, [1], title="x")
    assert plan.title is not None
    assert "keeps no titles" in plan.title.trouble
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

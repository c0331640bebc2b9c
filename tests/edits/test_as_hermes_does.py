"""Small edits do what Hermes of the same schema does, and undo takes back every cell of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.edits.editor import Editor
from tests.editors import edits_on
from tests.edits.states import dump, faults
from tests.factories import altered, rows
from tests.newer_files import newer_file

LATER = 1_800_000_000.0
"""Long after everything in these files."""

Make = Callable[[str], tuple[Path, Editor]]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A file by its name, with an editor."""

    def made(name: str) -> tuple[Path, Editor]:
        path = newer_file(name, tmp_path, "delete")
        return path, edits_on(path, tmp_path / "trash.db", lambda: LATER)

    return made


def _one(path: Path, columns: str, number: int = 1) -> tuple[object, ...]:
    ((*found,),) = rows(path, f"SELECT {columns} FROM sessions WHERE rowid = ?", [number])
    return tuple(found)


def _plain(path: Path) -> list[int]:
    """Ended sessions with messages that have nothing to do with any other."""
    sql = (
        "SELECT s.rowid FROM sessions s WHERE s.parent_session_id IS NULL AND s.ended_at NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = s.id)"
        " AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)"
    )
    return [int(str(number)) for (number,) in rows(path, sql)]


@pytest.mark.parametrize("name", ["hermes-v25", "hermes-v26", "hermes-v31"])
def test_a_rename_says_that_a_person_chose_the_title(name: str, make: Make) -> None:
    path, editor = make(name)
    (number, *_), before = _plain(path), dump(path)
    for title, source in (("A title of mine", "user"), ("", None)):
        plan = editor.plan(Action.RENAME, [number], title=title)
        editor.apply(plan)
        assert _one(path, "title, title_source", number) == (title or None, source)
    for _ in range(2):
        editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_only_a_hidden_bot_chat_keeps_its_title(make: Make) -> None:
    path, editor = make("hermes-v31")
    number, *_ = _plain(path)
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = NULL WHERE title = 'Bot Chat'")
        db.execute("UPDATE sessions SET title = 'Bot Chat', hidden = 1 WHERE rowid = ?", (number,))
    plan = editor.plan(Action.RENAME, [number], title="Something else")
    title = plan.title
    assert title is not None
    assert "Bot Chat" in title.trouble
    with altered(path) as db:
        db.execute("UPDATE sessions SET hidden = 0 WHERE rowid = ?", (number,))
    plan = editor.plan(Action.RENAME, [number], title="Something else")
    title = plan.title
    assert title is not None
    assert (title.trouble, len(plan.doomed)) == ("", 1)


@pytest.mark.parametrize(
    ("name", "ghost", "yields"),
    [
        ("hermes-v31", "ended_at = 1, archived = 0, hidden = 0", True),
        ("hermes-v31", "ended_at = 1, archived = 1, hidden = 1", True),
        ("hermes-v31", "ended_at = NULL, archived = 0, hidden = 0", False),
        ("hermes-v31", "ended_at = 1, archived = 1, hidden = 0", False),
        ("hermes-v26", "ended_at = 1, archived = 0, hidden = 0", False),
    ],
)
def test_an_empty_session_gives_its_title_up_where_hermes_has_it_so(
    name: str, ghost: str, yields: bool, make: Make
) -> None:
    path, editor = make(name)
    number, other, *_ = _plain(path)
    with altered(path) as db:
        db.execute("INSERT INTO sessions (id, source, started_at) VALUES ('ghost', 'cli', 1)")
        db.execute(f"UPDATE sessions SET title = 'Wanted', {ghost} WHERE id = 'ghost'")
    before = dump(path)
    plan = editor.plan(Action.RENAME, [number], title="Wanted")
    title = plan.title
    assert title is not None
    assert title.owner is not None
    assert bool(title.owner.yields) is bool(plan.doomed) is yields
    if yields:
        editor.apply(plan)
        assert _one(path, "title", number) == ("Wanted",)
        assert rows(path, "SELECT title, title_source FROM sessions WHERE id = 'ghost'") == [
            (None, None)
        ]
        editor.undo(editor.undo_plan())
        assert dump(path) == before
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = NULL WHERE id = 'ghost'")
        db.execute("UPDATE sessions SET title = 'Wanted' WHERE rowid = ?", (other,))
    plan = editor.plan(Action.RENAME, [number], title="Wanted")
    assert not plan.doomed, "whoever has messages keeps its title"


@pytest.mark.parametrize("on", [True, False])
def test_what_is_archived_by_a_person_is_not_brought_back_by_the_agent(
    on: bool, make: Make
) -> None:
    path, editor = make("hermes-v31")
    number, *_ = _plain(path)
    with altered(path) as db:
        state = "UPDATE sessions SET archived = ?, auto_archived = 1 WHERE rowid = ?"
        db.execute(state, (int(not on), number))
    before = dump(path)
    editor.apply(editor.plan(Action.ARCHIVE if on else Action.UNARCHIVE, [number]))
    assert _one(path, "archived, auto_archived", number) == (int(on), 0)
    editor.undo(editor.undo_plan())
    assert dump(path) == before


@pytest.mark.parametrize("name", ["hermes-v23", "hermes-v26", "hermes-v31"])
def test_reopening_marks_what_a_chat_began_anew_with(name: str, make: Make) -> None:
    """Without the mark Hermes takes the child for a subagent's, and lists it no more."""
    path, editor = make(name)
    ((number, parent, child, config),) = rows(
        path,
        "SELECT p.rowid, p.id, c.id, c.model_config FROM sessions c JOIN sessions p"
        " ON p.id = c.parent_session_id AND p.session_key = c.session_key"
        " WHERE p.end_reason = 'session_reset' LIMIT 1",
    )
    with altered(path) as db:
        unmarked = "UPDATE sessions SET model_config = json_remove(?, '$._reset_from') WHERE id = ?"
        db.execute(unmarked, (config, child))
    before = dump(path)
    plan = editor.plan(Action.REOPEN, [int(str(number))])
    editor.apply(plan)
    assert _one(path, "ended_at, end_reason", int(str(number))) == (None, None)
    ((marked,),) = rows(path, "SELECT model_config FROM sessions WHERE id = ?", [child])
    known = json.loads(str(config)) if config else {}
    assert json.loads(str(marked)) == {**known, "_reset_from": parent}
    editor.undo(editor.undo_plan())
    assert dump(path) == before
    assert faults(path) == []


def test_reopening_takes_out_of_the_archive_what_the_agent_put_there(make: Make) -> None:
    path, editor = make("hermes-v31")
    number, other, *_ = _plain(path)
    with altered(path) as db:
        db.execute(
            "UPDATE sessions SET archived = 1, auto_archived = (rowid = ?1)"
            " WHERE rowid IN (?1, ?2)",
            (number, other),
        )
    before = dump(path)
    editor.apply(editor.plan(Action.REOPEN, [number, other]))
    assert _one(path, "archived, auto_archived", number) == (0, 0)
    assert _one(path, "archived, auto_archived", other) == (1, 0)
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_chat_that_began_anew_does_not_keep_what_was_before(make: Make) -> None:
    """Its next session runs, and is left alone; the one before is a conversation of its own."""
    path, editor = make("hermes-v26")
    ((before, after),) = rows(
        path,
        "SELECT p.rowid, c.rowid FROM sessions c JOIN sessions p ON p.id = c.parent_session_id"
        " AND p.session_key = c.session_key WHERE p.end_reason = 'session_reset' LIMIT 1",
    )
    with altered(path) as db:
        db.execute(
            "UPDATE sessions SET ended_at = NULL, last_activity_at = ? WHERE rowid = ?",
            (LATER, after),
        )
    plan = editor.plan(Action.DELETE, [int(str(before)), int(str(after))])
    assert [one.key for one in plan.doomed] == [before]

"""A schema that nobody has seen yet: it is read, and edited or refused with the reason.

Made of the newest one by adding what releases add: columns, tables that hang on sessions, a trigger
that fills in a column, another view as the source of the search table.
"""

from pathlib import Path

import pytest

from explorer.errors import Refused
from explorer.model import Action
from explorer.stores.edits.editor import Editor
from tests.conftest import Command
from tests.editors import edits_on
from tests.edits.states import dump, faults
from tests.factories import altered, rows
from tests.newer_files import newer_file

LATER = 1_800_000_000.0

ADDED = """
    ALTER TABLE sessions ADD COLUMN mood TEXT DEFAULT 'calm';
    ALTER TABLE messages ADD COLUMN weight INTEGER;
    CREATE TABLE session_bookmarks (
        id INTEGER PRIMARY KEY, session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        place TEXT
    );
    INSERT INTO session_bookmarks (session_id, place) SELECT id, 'page ' || rowid FROM sessions;
    CREATE TABLE session_followers (
        session_id TEXT REFERENCES sessions(id) ON DELETE SET NULL, name TEXT
    );
    INSERT INTO session_followers SELECT id, 'Ada' FROM sessions;
    CREATE TABLE session_weather (session_id TEXT, sky TEXT);
    INSERT INTO session_weather SELECT id, 'clear' FROM sessions;
    CREATE TRIGGER messages_weight AFTER INSERT ON messages WHEN new.weight IS NULL
    BEGIN
        -- Whoever wrote it; DELETE FROM messages is only said here.
        UPDATE messages SET weight = length(new.content) WHERE id = new.id;
    END;
    DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_delete;
    DROP TRIGGER messages_fts_update; DROP TABLE messages_fts; DROP VIEW messages_fts_src;
    CREATE VIEW messages_words AS SELECT id, content, tool_name, tool_calls FROM messages;
    CREATE VIRTUAL TABLE messages_fts USING fts5(
        content, tool_name, tool_calls, content='messages_words', content_rowid='id'
    );
    CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
        INSERT INTO messages_fts(rowid, content, tool_name, tool_calls)
        VALUES (new.id, new.content, new.tool_name, new.tool_calls);
    END;
    CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
        INSERT INTO messages_fts(messages_fts, rowid, content, tool_name, tool_calls)
        VALUES ('delete', old.id, old.content, old.tool_name, old.tool_calls);
    END;
    INSERT INTO messages_fts(messages_fts) VALUES ('rebuild');
    UPDATE schema_version SET version = 33;
"""

REFUSED = {
    "a table that nothing is known to do about": (
        "CREATE TABLE session_debts (session_id TEXT REFERENCES sessions(id))",
        "session_debts",
    ),
    "a table about single messages": (
        "CREATE TABLE message_votes (message_id INTEGER REFERENCES messages(id))",
        "message_votes",
    ),
    "a table about what hangs on a session": (
        "CREATE TABLE bookmark_notes (bookmark INTEGER REFERENCES session_bookmarks(id))",
        "bookmark_notes",
    ),
    "a session that goes with another": (
        "ALTER TABLE sessions ADD COLUMN twin TEXT REFERENCES sessions(id) ON DELETE CASCADE",
        "sessions",
    ),
    "a trigger that writes elsewhere": (
        "CREATE TRIGGER noted AFTER DELETE ON messages BEGIN DELETE FROM session_weather; END",
        "noted",
    ),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = newer_file("hermes-v31", tmp_path, "delete")
    with altered(path) as db:
        db.executescript(ADDED)
    return path


@pytest.fixture
def editor(path: Path, tmp_path: Path) -> Editor:
    return edits_on(path, tmp_path / "ours" / "trash.db", lambda: LATER)


def _numbers(path: Path) -> list[int]:
    return [int(str(row)) for (row,) in rows(path, "SELECT rowid FROM sessions")]


def test_it_is_read(path: Path, command: Command) -> None:
    said = command("list", "--all", "--limit", "0", "--json", "--db", path).json
    assert {(one["id"],) for one in said["sessions"]} == set(rows(path, "SELECT id FROM sessions"))
    id_ = said["sessions"][0]["id"]
    shown = command("show", id_, "--all", "--json", "--db", path).json["messages"]
    number = rows(path, "SELECT count(*) FROM messages WHERE session_id = ?", [id_])
    assert [(len(shown),)] == number
    assert command("search", "the", "--limit", "3", "--json", "--db", path).json["hits"]
    info = command("info", "--json", "--db", path).json
    assert (info["schema_version"], set(info["edits"].values())) == (33, {None})


@pytest.mark.usefixtures("at_full_speed")
def test_it_is_edited_and_undone_to_the_last_cell(path: Path, editor: Editor) -> None:
    before = dump(path)
    editor.apply(editor.plan(Action.DELETE, _numbers(path)[::2], force=True), force=True)
    ((left,),) = rows(path, "SELECT count(*) FROM sessions")
    assert rows(path, "SELECT count(*) FROM session_bookmarks") == [(left,)]
    assert rows(path, "SELECT count(session_id) FROM session_followers") == [(left,)]
    assert dump(path)["session_weather"] == before["session_weather"], "nothing says it is theirs"
    assert faults(path) == []
    editor.undo(editor.undo_plan())
    assert dump(path) == before
    assert faults(path) == []


@pytest.mark.usefixtures("at_full_speed")
def test_small_edits_leave_what_is_new_alone(path: Path, editor: Editor) -> None:
    before = dump(path)
    plan = editor.plan(Action.RENAME, [1], title="Another title")
    editor.apply(plan)
    editor.apply(editor.plan(Action.ARCHIVE, [1, 2]))
    editor.apply(editor.plan(Action.CLEAR, [1], force=True), force=True)
    for _ in range(3):
        editor.undo(editor.undo_plan())
    assert dump(path) == before


@pytest.mark.parametrize(("sql", "word"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_undone_exactly_is_refused_with_the_reason(
    sql: str, word: str, path: Path, editor: Editor, command: Command
) -> None:
    with altered(path) as db:
        db.execute(sql)
    before = dump(path)
    with pytest.raises(Refused, match=word):
        editor.plan(Action.DELETE, [1], force=True)
    edits = command("info", "--json", "--db", path).json["edits"]
    assert word in edits["delete"]
    assert dump(path) == before
    assert command("list", "--json", "--db", path).json["sessions"], "and it is read all the same"

"""What a trigger does, told from its text; and which of them a delete is offered beside."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import Refused
from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.edits.refusals import UNKNOWN, Write, parsed
from tests.edits.states import dump, faults
from tests.factories import altered, rows
from tests.newer_files import newer_file
from tests.real_files import unpack

EditorOf = Callable[[Path], Editor]
pytestmark = pytest.mark.usefixtures("at_full_speed")


def _writes(body: str, head: str = "AFTER DELETE ON messages") -> tuple[Write, ...]:
    return parsed("t", "messages", f"CREATE TRIGGER t {head} BEGIN {body} END").writes


def test_statements_are_told_apart_by_their_words_not_by_their_text() -> None:
    body = """
        -- A note; with DROP TABLE messages; in it.
        INSERT INTO "messages_fts"(rowid, content) VALUES (new.id, 'DELETE FROM x; --');
        /* another; note */ DELETE FROM [messages_fts] WHERE rowid = old.id;
    """
    assert _writes(body) == (Write("messages_fts"), Write("messages_fts"))


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT OR REPLACE INTO messages_fts(rowid) VALUES (old.id)",
        "REPLACE INTO messages_fts(rowid) VALUES (old.id)",
        "UPDATE OR REPLACE messages SET display_order = 1 WHERE id = old.id",
        "UPDATE messages SET display_order = 1",
        "UPDATE messages SET (display_order, x) = (1, 2) WHERE id = old.id",
        "UPDATE messages SET display_order = o.x FROM other o WHERE messages.id = old.id",
        "SELECT RAISE(ABORT, 'no')",
    ],
)
def test_other_forms_are_not_known(statement: str) -> None:
    assert _writes(f"{statement};") == (UNKNOWN,)


@pytest.mark.parametrize(
    ("test", "own_row", "own_session"),
    [
        ("id = new.id", True, True),
        ("new.id = messages.id", True, True),
        ("session_id = old.session_id AND active = 1", False, True),
        ("(id = new.id OR (session_id = old.session_id AND x = 1))", False, True),
        ("id = new.id OR active = 1", False, False),
        ("id = new.parent", False, False),
        ("other.session_id = old.session_id", False, False),
        ("NOT session_id = old.session_id AND 1", False, False),
        ("session_id = old.session_id = 0", False, False),
        ("session_id = (SELECT old.session_id)", False, False),
        ("active BETWEEN 0 AND session_id = old.session_id", False, False),
        ("CASE WHEN 1 AND session_id = old.session_id AND 0 THEN 0 ELSE 1 END", False, False),
        ("(SELECT 1 FROM x WHERE a AND session_id = old.session_id AND b)", False, False),
    ],
)
def test_which_rows_an_update_can_reach(test: str, own_row: bool, own_session: bool) -> None:
    (write,) = _writes(f"UPDATE messages SET display_order = (SELECT 1, 2) WHERE {test};")
    assert (write.own_row, write.own_session) == (own_row, own_session)
    assert write.columns == {"display_order"}


def test_what_sets_a_trigger_off_is_told() -> None:
    head = 'AFTER UPDATE OF role, "content" ON messages WHEN new.role IS NOT old.role'
    found = parsed("t", "messages", f"CREATE TRIGGER t {head} BEGIN SELECT 1; END")
    assert (found.event, found.columns, found.after) == (
        "update",
        frozenset({"role", "content"}),
        True,
    )


HARMLESS = {
    "stamps a message that comes": (
        "AFTER INSERT ON messages WHEN new.display_metadata IS NULL"
        " BEGIN UPDATE messages SET display_metadata = '{}' WHERE id = new.id; END"
    ),
    "counts those that are left": (
        "AFTER DELETE ON messages BEGIN UPDATE messages SET token_count = coalesce(token_count, 0)"
        " + 1 WHERE session_id = old.session_id AND id > old.id; END"
    ),
}
NOT_KNOWN = {
    "another table": "AFTER DELETE ON messages BEGIN INSERT INTO log VALUES (old.id); END",
    "replaces": "AFTER DELETE ON messages BEGIN INSERT OR REPLACE INTO log VALUES (old.id); END",
    "replaces, in short": "AFTER INSERT ON messages BEGIN REPLACE INTO log VALUES (new.id); END",
    "every message": "AFTER DELETE ON messages BEGIN UPDATE messages SET token_count = 1; END",
    "other sessions": (
        "AFTER DELETE ON messages BEGIN UPDATE messages SET token_count = 1"
        " WHERE role = old.role; END"
    ),
    "others when one comes": (
        "AFTER INSERT ON messages BEGIN UPDATE messages SET token_count = 1"
        " WHERE session_id = new.session_id; END"
    ),
    "what was said": (
        "AFTER INSERT ON messages BEGIN UPDATE messages SET content = 'x' WHERE id = new.id; END"
    ),
    "because of what is filled in": (
        "AFTER UPDATE ON messages BEGIN UPDATE messages SET token_count = 1 WHERE id = new.id; END"
    ),
    "usage": "AFTER DELETE ON session_model_usage BEGIN DELETE FROM log; END",
    "prompts": "AFTER DELETE ON system_prompts BEGIN DELETE FROM log; END",
}


@pytest.mark.parametrize("trigger", HARMLESS.values(), ids=HARMLESS)
def test_a_trigger_that_only_fills_in_columns_leaves_undo_exact(
    trigger: str, tmp_path: Path, editor_of: EditorOf
) -> None:
    path = newer_file("hermes-v31", tmp_path)
    with altered(path) as db:
        db.execute(f"CREATE TRIGGER yet_another {trigger}")
    before, editor = dump(path), editor_of(path)
    numbers = [int(str(row)) for (row,) in rows(path, "SELECT rowid FROM sessions")]
    editor.apply(editor.plan(Action.DELETE, numbers, force=True), force=True)
    assert rows(path, "SELECT count(*) FROM messages") == [(0,)]
    editor.undo(editor.undo_plan())
    assert dump(path) == before
    assert faults(path) == []


@pytest.mark.parametrize("trigger", NOT_KNOWN.values(), ids=NOT_KNOWN)
def test_any_other_trigger_is_refused_by_name(
    trigger: str, tmp_path: Path, editor_of: EditorOf
) -> None:
    path = newer_file("hermes-v31", tmp_path)
    with altered(path) as db:
        db.execute("CREATE TABLE log (x)")
        db.execute(f"CREATE TRIGGER yet_another {trigger}")
    before = dump(path)
    with pytest.raises(Refused, match="yet_another"):
        editor_of(path).plan(Action.DELETE, [1], force=True)
    assert dump(path) == before


def test_a_trigger_on_the_messages_of_power_loop_is_refused(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    with altered(path) as db:
        db.execute("CREATE TABLE log (x)")
        db.execute(
            "CREATE TRIGGER noted AFTER DELETE ON pl_messages BEGIN INSERT INTO log VALUES (1); END"
        )
    with pytest.raises(Refused, match="noted"):
        editor_of(path).plan(Action.DELETE, [1], force=True)

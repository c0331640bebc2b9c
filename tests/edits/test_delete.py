"""Deleting and its undo, on every real schema: what goes, what stays, what comes back."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import PlannedOutcome
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.editors import edits_on
from tests.edits.states import dump, faults
from tests.factories import NOW, T0, altered, go_on, insert, keys, rows, say, talk
from tests.real_files import HERMES_FILES, POWER_LOOP_FILES, REAL_FILES

EditorOf = Callable[[Path], Editor]
pytestmark = pytest.mark.usefixtures("at_full_speed")


def _table(path: Path) -> str:
    return "pl_sessions" if "8.0.0" in path.name else "sessions"


def _rows(path: Path) -> list[int]:
    return [int(str(row)) for (row,) in rows(path, f'SELECT rowid FROM "{_table(path)}"')]


@pytest.mark.parametrize("real_file", REAL_FILES, indirect=True)
def test_all_that_is_deleted_comes_back_cell_by_cell(real_file: Path, editor_of: EditorOf) -> None:
    editor, before = editor_of(real_file), dump(real_file)
    plan = editor.plan(Action.DELETE, _rows(real_file), force=True)
    done = editor.apply(plan, force=True)
    assert len(done.ids) == len(before[_table(real_file)])
    assert rows(real_file, f'SELECT count(*) FROM "{_table(real_file)}"') == [(0,)]
    assert faults(real_file) == []
    editor.undo(editor.undo_plan())
    assert faults(real_file) == []
    assert dump(real_file) == before


@pytest.mark.parametrize("real_file", REAL_FILES, indirect=True)
def test_what_was_not_asked_for_stays(real_file: Path, editor_of: EditorOf) -> None:
    editor, before = editor_of(real_file), dump(real_file)
    table = _table(real_file)
    every_third = _rows(real_file)[::3]
    plan = editor.plan(Action.DELETE, every_third, force=True)
    editor.apply(plan, force=True)
    gone = {one.id for one in plan.doomed}
    left = rows(real_file, f'SELECT * FROM "{table}"')
    assert len(left) == len(before[table]) - len(gone)
    id_column = "id" if "hermes" in real_file.name else "session_id"
    assert gone.isdisjoint(
        str(id_) for (id_,) in rows(real_file, f"SELECT {id_column} FROM {table}")
    )
    assert faults(real_file) == []
    editor.undo(editor.undo_plan())
    assert dump(real_file) == before


@pytest.mark.parametrize("real_file", REAL_FILES, indirect=True)
def test_the_plan_counts_what_goes(real_file: Path, editor_of: EditorOf) -> None:
    table = _table(real_file)
    messages = table.replace("sessions", "messages")
    plan = editor_of(real_file).plan(Action.DELETE, _rows(real_file), force=True)
    assert plan.totals.sessions == len(plan.doomed)
    assert [(plan.totals.messages,)] == rows(real_file, f"SELECT count(*) FROM {messages}")
    assert dump(real_file) == dump(real_file), "a plan changes nothing"


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """A conversation of two parts with a subagent, its subagent, a branch and a look-alike."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "root", "one", "two", end="compression", title="Trip")
        talk(state, "tip", "three", parent="root", at=T0 + 100, title="Trip #2", end="cli_close")
        helper = {"_delegate_from": "root"}
        talk(state, "helper", "look", parent="root", config=helper, source="subagent", end="done")
        below = {"_delegate_from": "helper"}
        talk(state, "below", "deep", parent="helper", config=below, source="subagent", end="done")
        inherited = {"_branched_from": "root", "_delegate_from": "root"}
        talk(state, "branch", "else", parent="root", config=inherited, end="cli_close")
        talk(state, "bystander", "hello", end="cli_close")
    return path


def test_subagents_go_along_and_branches_stay(family: Path, editor_of: EditorOf) -> None:
    editor, before = editor_of(family), dump(family)
    plan = editor.plan(Action.DELETE, [keys(open_store(family))["root"]])
    assert {one.id for one in plan.doomed} == {"root", "helper", "below"}
    assert {one.id for one in plan.detached} == {"tip", "branch"}
    editor.apply(plan)
    assert sorted(rows(family, "SELECT id, parent_session_id FROM sessions")) == [
        ("branch", None),
        ("bystander", None),
        ("tip", None),
    ]
    assert faults(family) == []
    editor.undo(editor.undo_plan())
    assert dump(family) == before


def test_a_whole_conversation_goes_with_all_its_parts(family: Path, editor_of: EditorOf) -> None:
    found, editor = keys(open_store(family)), editor_of(family)
    plan = editor.plan(Action.DELETE, [found["root"], found["tip"]])
    editor.apply(plan)
    assert sorted(rows(family, "SELECT id FROM sessions")) == [("branch",), ("bystander",)]


def test_before_schema_16_children_are_detached_and_the_plan_says_so(
    family: Path, editor_of: EditorOf
) -> None:
    with altered(family) as db:
        db.execute("DROP INDEX IF EXISTS idx_sessions_archived")
        db.execute("ALTER TABLE sessions DROP COLUMN archived")
    plan = editor_of(family).plan(Action.DELETE, [keys(open_store(family))["root"]])
    assert {one.id for one in plan.doomed} == {"root"}
    assert {one.id for one in plan.detached} == {"tip", "branch", "helper"}
    assert any("does not mark subagents" in note for note in plan.notes)


def test_a_running_session_is_left_alone_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "busy", "hello", at=NOW - 60)
        talk(state, "open", "hello", at=NOW - 3600)
    editor = edits_on(path, tmp_path / "trash.db", lambda: NOW)
    found = keys(open_store(path))
    plan = editor.plan(Action.DELETE, list(found.values()))
    assert {one.id: one.outcome for one in plan.sessions} == {
        "open": PlannedOutcome.DELETE,
        "busy": PlannedOutcome.SKIP,
    }
    assert plan.skipped == {"running (its agent may be writing it)": 1}
    forced = editor.plan(Action.DELETE, list(found.values()), force=True)
    assert editor.apply(forced, force=True).ids


def test_a_message_that_arrives_after_the_plan_keeps_the_session(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", "Hi.", end="cli_close")
        talk(state, "other", "hello", end="cli_close")
    editor = editor_of(path)
    plan = editor.plan(Action.DELETE, list(keys(open_store(path)).values()))
    with altered(path) as db:
        say(db, "s", content="one more", timestamp=NOW)
        db.execute("UPDATE sessions SET message_count = 3, ended_at = NULL WHERE id = 's'")
    done = editor.apply(plan)
    assert done.ids == ("other",)
    assert done.skipped == {"Its agent has written to it": 1}
    assert rows(path, "SELECT count(*) FROM messages WHERE session_id = 's'") == [(3,)]
    assert faults(path) == []


def test_odd_cells_come_back_as_they_were(tmp_path: Path, editor_of: EditorOf) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", title="x", end="cli_close")
    with altered(path) as db:
        say(db, "s", content=b"\xff\x00 bytes")
        say(db, "s", content="a\0b")
        number = say(db, "s", content="")
        bad = "UPDATE messages SET content = CAST(? AS TEXT), reasoning = ? WHERE id = ?"
        db.execute(bad, (b"bad \xff\xed\xa0\x80 text", float("inf"), number))
        say(db, "s", content=None, timestamp="not a time", tool_calls=7)
        say(db, "s", content=2**62)
    before, editor = dump(path), editor_of(path)
    editor.apply(editor.plan(Action.DELETE, _rows(path)))
    assert rows(path, "SELECT count(*) FROM messages") == [(0,)]
    editor.undo(editor.undo_plan())
    assert dump(path) == before
    assert faults(path) == []


def test_parents_in_a_circle_can_be_deleted_and_restored(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for name in ("a", "b", "c"):
            talk(state, name, "hello", end="cli_close")
    with altered(path) as db:
        for child, parent in (("a", "b"), ("b", "a"), ("c", "c")):
            db.execute("UPDATE sessions SET parent_session_id = ? WHERE id = ?", (parent, child))
    before, editor = dump(path), editor_of(path)
    assert len(editor.apply(editor.plan(Action.DELETE, _rows(path))).ids) == 3
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_an_id_that_is_no_text_is_not_touched(tmp_path: Path, editor_of: EditorOf) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", end="cli_close")
    with altered(path) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("UPDATE sessions SET id = CAST(x'ff41' AS TEXT)")
    plan = editor_of(path).plan(Action.DELETE, _rows(path))
    assert plan.doomed == ()
    assert plan.skipped == {"its id is not valid text": 1}


def test_files_beside_the_store_go_and_come_back(tmp_path: Path, editor_of: EditorOf) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", end="cli_close")
        talk(state, "s_2", "hello", end="cli_close")
        talk(state, "../escape", "hello", end="cli_close")
    folder = tmp_path / "sessions"
    folder.mkdir()
    (tmp_path / "escape.json").write_text("not ours")
    own = ("s.json", "s.jsonl", "session_s.json", "request_dump_s_1.json")
    for name in (*own, "session_s_2.json", "request_dump_s_2_1.json", "sessions.json", "x.json"):
        (folder / name).write_text(f"text of {name}")
    (folder / "s.json").chmod(0o600)
    editor, found = editor_of(path), keys(open_store(path))
    plan = editor.plan(Action.DELETE, [found["s"], found["../escape"]])
    assert plan.totals.files == 4
    editor.apply(plan)
    left = {"session_s_2.json", "request_dump_s_2_1.json", "sessions.json", "x.json"}
    assert {file.name for file in folder.iterdir()} == left
    assert (tmp_path / "escape.json").read_text() == "not ours"
    editor.undo(editor.undo_plan())
    assert {file.name for file in folder.iterdir()} == left | set(own)
    assert (folder / "s.jsonl").read_text() == "text of s.jsonl"
    assert (folder / "s.json").stat().st_mode & 0o777 == 0o600


def test_what_hangs_on_a_session_goes_and_comes_back(tmp_path: Path, editor_of: EditorOf) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", end="cli_close")
    with altered(path) as db:
        db.execute(
            "CREATE TABLE later (id INTEGER PRIMARY KEY, session_id TEXT"
            " REFERENCES sessions(id) ON DELETE CASCADE, note TEXT)"
        )
        db.execute(
            "CREATE TABLE loose (note TEXT, of TEXT REFERENCES sessions(id) ON DELETE SET NULL)"
        )
        insert(db, "later", session_id="s", note="of a version to come")
        insert(db, "loose", of="s", note="stays")
    before, editor = dump(path), editor_of(path)
    editor.apply(editor.plan(Action.DELETE, _rows(path)))
    assert rows(path, "SELECT count(*) FROM later") == [(0,)]
    assert rows(path, "SELECT note, of FROM loose") == [("stays", None)]
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_session_that_was_begun_anew_gets_its_old_messages_back(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "old words", end="cli_close")
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, _rows(path)))
    with altered(path) as db:
        earlier = NOW - 3600
        insert(db, "sessions", id="s", source="cli", started_at=earlier, message_count=1)
        say(db, "s", content="new words", timestamp=earlier)
    plan = editor.undo_plan()
    assert any("was started again" in note for note in plan.notes)
    editor.undo(plan)
    told = rows(path, "SELECT content FROM messages WHERE session_id = 's' ORDER BY id")
    assert told == [("old words",), ("new words",)]
    assert faults(path) == []


def test_a_title_that_was_taken_comes_back_with_a_number(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", title="Trip", end="cli_close")
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, _rows(path)))
    with altered(path) as db:
        insert(db, "sessions", id="t", source="cli", started_at=NOW, title="Trip")
    plan = editor.undo_plan()
    assert any("The restored one is called “Trip #2”" in note for note in plan.notes)
    editor.undo(plan)
    assert rows(path, "SELECT title FROM sessions WHERE id = 's'") == [("Trip #2",)]


def test_one_of_many_can_be_restored_alone(tmp_path: Path, editor_of: EditorOf) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for name in ("a", "b"):
            talk(state, name, "hello", end="cli_close")
    before, editor = dump(path), editor_of(path)
    receipt = editor.apply(editor.plan(Action.DELETE, _rows(path))).receipt
    assert receipt is not None
    (_, b) = sorted(editor.trash.entries(receipt), key=lambda entry: entry.session)
    editor.undo(editor.undo_plan(receipt, [b.number]))
    assert rows(path, "SELECT id FROM sessions") == [("b",)]
    editor.undo(editor.undo_plan(receipt))
    assert dump(path) == before


def test_the_trash_is_private(tmp_path: Path, editor_of: EditorOf) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", end="cli_close")
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, _rows(path)))
    assert editor.trash.path.stat().st_mode & 0o777 == 0o600
    assert editor.trash.path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("real_file", HERMES_FILES, indirect=True)
def test_clearing_keeps_the_session_and_can_be_undone(real_file: Path, editor_of: EditorOf) -> None:
    editor, before = editor_of(real_file), dump(real_file)
    number = _rows(real_file)[0]
    editor.apply(editor.plan(Action.CLEAR, [number], force=True), force=True)
    counted = "SELECT message_count, tool_call_count FROM sessions WHERE rowid = ?"
    assert rows(real_file, counted, (number,)) == [(0, 0)]
    assert len(dump(real_file)["sessions"]) == len(before["sessions"])
    assert len(dump(real_file)["messages"]) < len(before["messages"])
    editor.undo(editor.undo_plan())
    assert dump(real_file) == before
    assert faults(real_file) == []


@pytest.mark.parametrize("real_file", POWER_LOOP_FILES, indirect=True)
def test_power_loop_refuses_what_it_has_no_place_for(real_file: Path) -> None:
    reasons = open_store(real_file).info().edits
    assert reasons["delete"] is None
    assert reasons["archive"] is None
    assert reasons["rename"] is None
    assert "unbroken message numbers" in str(reasons["clear"])


def test_a_continuation_of_the_deleted_part_becomes_a_root(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "a", "hello")
    with altered(path) as db:
        go_on(db, "a", "b", T0 + 50)
        go_on(db, "b", "c", T0 + 90)
        db.execute("UPDATE sessions SET ended_at = 1, end_reason = 'cli_close' WHERE id = 'c'")
    before, editor = dump(path), editor_of(path)
    plan = editor.plan(Action.DELETE, [keys(open_store(path))["b"]])
    assert [(one.id, one.reason) for one in plan.detached] == [
        ("c", "kept, no longer linked to the deleted session")
    ]
    editor.apply(plan)
    assert sorted(rows(path, "SELECT id, parent_session_id FROM sessions")) == [
        ("a", None),
        ("c", None),
    ]
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_shared_prompt_goes_with_the_last_session_that_shares_it(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for name in ("a", "b"):
            talk(state, name, "hello", end="cli_close")
    with altered(path) as db:
        db.execute("CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT)")
        for column in ("system_prompt_hash", "tool_names"):
            db.execute(f"ALTER TABLE sessions ADD COLUMN {column} TEXT")
        for name in ("shared", "tools of a", "nobody's"):
            insert(db, "system_prompts", hash=name, prompt=f"text of {name}")
        db.execute("UPDATE sessions SET system_prompt_hash = 'shared'")
        db.execute("UPDATE sessions SET tool_names = 'tools of a' WHERE id = 'a'")
    before, editor, found = dump(path), editor_of(path), keys(open_store(path))
    prompts = "SELECT hash FROM system_prompts ORDER BY hash"
    editor.apply(editor.plan(Action.DELETE, [found["a"]]))
    assert rows(path, prompts) == [("nobody's",), ("shared",)]
    editor.apply(editor.plan(Action.DELETE, [found["b"]]))
    assert rows(path, prompts) == [("nobody's",)]
    editor.undo(editor.undo_plan())
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_long_messages_go_one_by_one(
    tmp_path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twenty of them in one transaction would keep the agent waiting for twenty times as long."""
    monkeypatch.setattr("explorer.stores.edits.batches.HOLD", -1.0)
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", *("word " * 40_000 for _ in range(4)), end="cli_close")
    before, editor = dump(path), editor_of(path)
    reached: list[int] = []
    editor.apply(
        editor.plan(Action.DELETE, _rows(path)), progress=lambda done: reached.append(done.messages)
    )
    assert {1, 2, 3, 4} <= set(reached)
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_long_log_that_a_delete_leaves_is_said(
    tmp_path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for name in ("one", "two"):
            talk(state, name, *["word " * 20_000] * 4, at=T0)
    editor = editor_of(path)
    rename = editor.apply(editor.plan(Action.RENAME, [1], title="Short"))
    assert not any("log" in note for note in rename.notes)
    monkeypatch.setattr("explorer.stores.edits.editor.LONG_LOG", 200_000)
    done = editor.apply(editor.plan(Action.DELETE, [1, 2], force=True), force=True)
    assert any(note.startswith("The write-ahead log is now ") for note in done.notes)

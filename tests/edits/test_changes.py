"""Rename, archive, end and reopen with their undo, on every real schema."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import Refused
from explorer.model import Action
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.edits.titles import cleaned
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes
from tests.agents import HERMES, run_agent
from tests.editors import edits_on
from tests.edits.states import dump, faults
from tests.factories import NOW, T0, altered, go_on, insert, keys, rows, talk

EditorOf = Callable[[Path], Editor]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "a", "hello", title="Trip", end="cli_close")
        talk(state, "b", "hello", title="Other", source="telegram", end="cli_close")
        talk(state, "open", "hello")
        state.set_archived("b", True)
    return path


def _key(path: Path, id_: str) -> int:
    return keys(open_store(path))[id_]


def _title(path: Path, id_: str) -> object:
    return rows(path, "SELECT title FROM sessions WHERE id = ?", (id_,))[0][0]


def test_a_rename_and_its_undo(path: Path, editor_of: EditorOf) -> None:
    editor, before = editor_of(path), dump(path)
    plan = editor.plan(Action.RENAME, [_key(path, "a")], title="  A  new\tname\u200b ")
    done = editor.apply(plan)
    assert _title(path, "a") == "A new name"
    assert done.receipt is not None
    assert editor.trash.receipts()[0].words == "Renamed “Trip” to “A new name”"
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_an_empty_title_takes_it_off(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.RENAME, [_key(path, "a")], title=" "))
    assert _title(path, "a") is None
    editor.undo(editor.undo_plan())
    assert _title(path, "a") == "Trip"


def test_a_title_that_is_taken_says_by_whom_and_what_is_free(
    path: Path, editor_of: EditorOf
) -> None:
    plan = editor_of(path).plan(Action.RENAME, [_key(path, "a")], title="Other")
    title = plan.title
    assert title is not None
    assert plan.changes == ()
    assert title.owner is not None
    assert (title.owner.id, title.owner.source, title.owner.archived) == ("b", "telegram", True)
    assert title.next == "Other #2"


def test_a_title_that_was_taken_after_the_question_says_so_too(
    path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.RENAME, [_key(path, "open")], title="Kites")
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'Kites' WHERE id = 'b'")
    with pytest.raises(Changed) as caught:
        editor.apply(plan)
    assert caught.value.title == "Not renamed"
    told = caught.value.message
    assert told.startswith("“Kites” is already the title of another session: telegram, archived, ")
    assert told.endswith(". Free: “Kites #2”. Nothing was changed.")
    assert _title(path, "open") is None
    assert editor.trash.receipts() == []


def test_an_old_title_that_was_taken_after_the_question_says_so_too(
    path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.RENAME, [_key(path, "a")], title="Kites"))
    plan = editor.undo_plan()
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'Trip' WHERE id = 'b'")
    told = r"“Kites” keeps its title: “Trip” is .* Nothing was changed\.$"
    with pytest.raises(Changed, match=told):
        editor.undo(plan)
    assert _title(path, "a") == "Kites"


def test_a_title_moves_on_from_an_earlier_part(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        go_on(db, "a", "a2", T0 + 50)
        db.execute("UPDATE sessions SET ended_at = 1, end_reason = 'cli_close' WHERE id = 'a2'")
    editor, before = editor_of(path), dump(path)
    plan = editor.plan(Action.RENAME, [_key(path, "a2")], title="Trip")
    title = plan.title
    assert title is not None
    assert title.owner is not None
    assert title.owner.yields
    editor.apply(plan)
    assert (_title(path, "a"), _title(path, "a2")) == (None, "Trip")
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_title_of_more_than_100_characters_is_refused(path: Path, editor_of: EditorOf) -> None:
    plan = editor_of(path).plan(Action.RENAME, [_key(path, "a")], title="x" * 101)
    title = plan.title
    assert title is not None
    assert plan.changes == ()
    assert title.trouble == "too long: 101 of 100 characters"
    assert editor_of(path).plan(Action.RENAME, [_key(path, "a")], title="x" * 100).changes


@pytest.mark.parametrize(
    "typed",
    [
        "plain",
        " a\tb\nc ",
        "x\u200by",
        "a\u202eb",
        "e\u0301",
        "日本 語",
        "\x00\x1b[2J",
        "#2",
        "x #2",
    ],
)
def test_titles_are_cleaned_as_hermes_does(typed: str, tmp_path: Path) -> None:
    code = (
        "import sys, hermes_state; print(hermes_state.SessionDB.sanitize_title(eval(sys.argv[1])))"
    )
    told = run_agent(code, *HERMES, tmp_path, ascii(typed))
    assert str(cleaned(typed)) == told.rstrip("\n")


def test_a_rename_that_was_overtaken_changes_nothing(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.RENAME, [_key(path, "a")], title="Mine")
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'The agent was faster' WHERE id = 'a'")
    with pytest.raises(Changed):
        editor.apply(plan)
    assert _title(path, "a") == "The agent was faster"
    assert editor.trash.receipts() == []


def test_a_title_taken_between_plan_and_rename_changes_nothing(
    path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    plan = editor.plan(Action.RENAME, [_key(path, "a")], title="Mine")
    with altered(path) as db:
        insert(db, "sessions", id="c", source="cli", started_at=NOW, title="Mine")
    with pytest.raises(Changed):
        editor.apply(plan)
    assert _title(path, "a") == "Trip"


def test_undo_leaves_alone_what_was_changed_since(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.RENAME, [_key(path, "a")], title="Mine"))
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'Newer' WHERE id = 'a'")
    plan = editor.undo_plan()
    assert any("has changed since" in note for note in plan.notes)
    with pytest.raises(Refused):
        editor.undo(plan)
    assert _title(path, "a") == "Newer"


def test_archiving_and_its_undo_on_every_schema(hermes_file: Path, tmp_path: Path) -> None:
    notes = Notes(tmp_path / "ours" / "explorer.db", hermes_file)
    editor = edits_on(hermes_file, tmp_path / "ours" / "trash.db", lambda: NOW, notes)
    store = open_store(hermes_file, notes=notes)
    catalog, before = store.catalog(), dump(hermes_file)
    listed, _ = catalog.select()
    chain = catalog.chain(listed[0])
    editor.apply(editor.plan(Action.ARCHIVE, chain))
    after = store.catalog()
    assert listed[0] not in after.select()[0]
    assert set(chain) <= after.archived
    (row,) = store.sessions([after.folded(listed[0])], NOW)
    assert row.archived
    editor.undo(editor.undo_plan())
    assert listed[0] in store.catalog().select()[0]
    assert dump(hermes_file) == before
    assert faults(hermes_file) == []


def test_unarchiving(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.UNARCHIVE, [_key(path, "b")]))
    assert rows(path, "SELECT archived FROM sessions WHERE id = 'b'") == [(0,)]
    plan = editor.plan(Action.UNARCHIVE, [_key(path, "b")])
    assert plan.skipped == {"not archived": 1}


def test_a_session_left_open_is_ended_and_an_ended_one_reopened(
    path: Path, editor_of: EditorOf
) -> None:
    editor, before = editor_of(path), dump(path)
    editor.apply(editor.plan(Action.END, [_key(path, "open"), _key(path, "a")]))
    ended = "SELECT ended_at, end_reason FROM sessions WHERE id = ?"
    assert rows(path, ended, ("open",)) == [(NOW, "explorer_close")]
    assert rows(path, ended, ("a",))[0][1] == "cli_close"
    editor.apply(editor.plan(Action.REOPEN, [_key(path, "a")]))
    assert rows(path, ended, ("a",)) == [(None, None)]
    editor.undo(editor.undo_plan())
    editor.undo(editor.undo_plan())
    assert dump(path) == before


def test_a_part_that_goes_on_in_the_next_is_never_reopened(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        go_on(db, "a", "a2", T0 + 50)
    plan = editor_of(path).plan(Action.REOPEN, [_key(path, "a")])
    assert plan.changes == ()
    assert "would break the conversation" in next(iter(plan.skipped))


@pytest.mark.parametrize("real_file", ["hermes-v2"], indirect=True)
def test_a_file_without_titles_says_why_not(real_file: Path, editor_of: EditorOf) -> None:
    with pytest.raises(Refused, match="has no titles"):
        editor_of(real_file).plan(Action.RENAME, [1], title="x")


def test_rename_end_and_reopen_with_their_undo_on_every_schema(
    hermes_file: Path, editor_of: EditorOf
) -> None:
    editor, before = editor_of(hermes_file), dump(hermes_file)
    first = "SELECT rowid FROM sessions WHERE ended_at IS {} NULL AND end_reason IS NOT ? LIMIT 1"
    ((ended,),) = rows(hermes_file, first.format("NOT"), ("compression",))
    ((never_ended,),) = rows(hermes_file, first.format(""), ("compression",))
    ended, never_ended = int(str(ended)), int(str(never_ended))
    done = 0
    if open_store(hermes_file).info().edits["rename"] is None:
        editor.apply(editor.plan(Action.RENAME, [ended], title="A title of my own"))
        titled = "SELECT title FROM sessions WHERE rowid = ?"
        assert rows(hermes_file, titled, (ended,)) == [("A title of my own",)]
        done += 1
    editor.apply(editor.plan(Action.REOPEN, [ended]))
    editor.apply(editor.plan(Action.END, [never_ended], force=True))
    times = "SELECT ended_at IS NULL FROM sessions WHERE rowid = ?"
    assert rows(hermes_file, times, (ended,)) == [(1,)]
    assert rows(hermes_file, times, (never_ended,)) == [(0,)]
    for _ in range(done + 2):
        editor.undo(editor.undo_plan())
    assert dump(hermes_file) == before
    assert faults(hermes_file) == []

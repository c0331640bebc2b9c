"""What is in the trash, and what an undo says of it, is named as in the list: by title, else by its
first words."""

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from explorer.model import Action
from explorer.stores.base import Store
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.words import question
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.ours.trash import BEGINNING, TrashFile
from explorer.stores.ours.trash_records import ReceiptState
from explorer.stores.sqlite.images import RawText, pack, unpack_beginning
from tests.factories import NOW, T0, altered, everybody, insert, rows, say, talk
from tests.newer_files import newer_file
from tests.real_files import unpack

EditorOf = Callable[[Path], Editor]
pytestmark = pytest.mark.usefixtures("at_full_speed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An untitled session with an untitled subagent, a titled one, and one without a word."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "Mend the blue net", "Done.", end="cli_close")
        helper = {"_delegate_from": "s"}
        talk(state, "h", "Look for holes", parent="s", config=helper, source="subagent", end="done")
        talk(state, "titled", "hello", title="Trip", end="cli_close")
        talk(state, "empty", end="cli_close")
    return path


def _number(path: Path, id_: str) -> int:
    ((found,),) = rows(path, "SELECT rowid FROM sessions WHERE id = ?", (id_,))
    return int(str(found))


def _names(editor: Editor) -> dict[str, str]:
    trash = editor.trash
    entries = [one for receipt in trash.receipts() for one in trash.entries(receipt.number)]
    return {one.session: one.name for one in editor.worded_entries(entries)}


def test_sessions_in_the_trash_are_called_as_in_the_list(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(
        editor.plan(Action.DELETE, [_number(path, id_) for id_ in ("s", "titled", "empty")])
    )
    assert _names(editor) == {
        "s": "Mend the blue net",
        "h": "Look for holes",
        "titled": "Trip",
        "empty": "empty",
    }


@pytest.mark.parametrize(
    ("file", "make"),
    [
        *((name, newer_file) for name in ("hermes-v23", "hermes-v26", "hermes-v31")),
        *((name, unpack) for name in ("hermes-v6", "hermes-v11", "hermes-v16", "hermes-v22")),
        *((name, unpack) for name in ("power-loop-8.0.0", "power-loop-0.2.0")),
    ],
)
def test_of_every_agent_the_words_are_those_of_the_list(
    file: str, make: Callable[[str, Path], Path], tmp_path: Path, editor_of: EditorOf
) -> None:
    path = make(file, tmp_path)
    store: Store = open_store(path)
    sessions = everybody(path)
    listed = {one.id: one.title or one.preview or one.id for one in sessions}
    editor = editor_of(path)
    mine = [one.key for one in sessions if store.set_of(one.key) == store.set_of(sessions[0].key)]
    editor.apply(editor.plan(Action.DELETE, mine, force=True), force=True)
    found = _names(editor)
    assert len(found) > 3
    wrong = {
        id_: (name, listed[id_])
        for id_, name in found.items()
        if not listed[id_].startswith(name.removesuffix("…"))
    }
    assert wrong == {}


def test_what_nobody_said_gives_no_name(tmp_path: Path, editor_of: EditorOf) -> None:
    path = newer_file("hermes-v31", tmp_path)
    with altered(path) as db:
        insert(db, "sessions", id="x", source="cli", started_at=T0, ended_at=T0, end_reason="done")
        say(db, "x", content="A switch", display_kind="model_switch", active=1)
        say(db, "x", content="For the model", display_metadata='{"model_only": true}', active=1)
        say(db, "x", content="<thing>made</thing> Paint it", timestamp=T0 + 1, active=1)
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "x")]))
    assert _names(editor) == {"x": "Paint it"}


def test_a_very_long_first_message_still_gives_a_name(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        long = "A log of the night " + "\n".join(
            f"line {n} {n * 7919 % 977}" for n in range(90_000)
        )
        assert len(long) > 4 * BEGINNING
        db.execute("UPDATE messages SET content = ? WHERE content = 'Mend the blue net'", (long,))
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "s")]))
    name = _names(editor)["s"]
    assert name.startswith("A log of the night line 0 0 line 1")
    assert len(name) <= 61


def test_of_a_long_session_only_the_beginning_is_unpacked(
    path: Path, editor_of: EditorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    with altered(path) as db:
        for _ in range(8):
            say(db, "s", content="x" * 500_000, timestamp=T0 + 9)
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "s")]))

    def no_more(content: object, bytes_: int = 0) -> None:
        raise AssertionError("unpacked as a whole")

    monkeypatch.setattr("explorer.stores.ours.trash.unpack", no_more)
    assert _names(editor)["s"] == "Mend the blue net"


def test_no_more_of_a_long_session_is_unpacked_than_names_it(tmp_path: Path) -> None:
    trash = TrashFile(tmp_path / "trash.db", tmp_path / "state.db")
    with trash.writing() as writer:
        receipt = writer.begin(Action.PRUNE, "Pruned", NOW)
        kept = writer.keep(receipt, "sessions", "session", "s", None, "cli", None)
        message = (1, RawText(b"user"), RawText(b"word " * 200_000))
        writer.add_rows(kept, "messages", ("role", "content"), [message])
        writer.set_receipt(receipt, ReceiptState.DONE)
    ((_, pack_),) = trash.beginnings([kept])
    cells = [cell for row in pack_.rows for cell in row if isinstance(cell, bytes)]
    assert cells[-1].startswith(b"word word ")
    assert sum(map(len, cells)) <= BEGINNING


def test_a_trash_of_an_older_version_needs_nothing_new(path: Path, editor_of: EditorOf) -> None:
    """Names come out of the messages themselves: nothing is stored for them, and nothing of the
    tables is other than it was."""
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "s")]))
    with closing(sqlite3.connect(editor.trash.path)) as db:
        columns = [row[1] for row in db.execute("PRAGMA table_info(entries)")]
    assert columns == [
        *("number", "receipt", "shape", "session", "title", "source", "kind", "messages"),
        *("bytes", "active", "state"),
    ]


@pytest.mark.parametrize("content", [b"", b"no zlib at all", "text", None, zlib.compress(b"\xff")])
def test_damage_costs_the_name_alone(path: Path, editor_of: EditorOf, content: object) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "s")]))
    with closing(sqlite3.connect(editor.trash.path, isolation_level=None)) as db:
        if content is None:
            db.execute("DELETE FROM packs WHERE name = 'messages'")
        else:
            db.execute("UPDATE packs SET content = ? WHERE name = 'messages'", (content,))
    assert _names(editor) == {"s": "s", "h": "h"}


def test_a_newer_trash_is_named_as_far_as_it_is_understood(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "s")]))
    with closing(sqlite3.connect(editor.trash.path, isolation_level=None)) as db:
        db.execute("ALTER TABLE entries ADD COLUMN colour TEXT")
    before = editor.trash.path.read_bytes()
    assert _names(editor)["s"] == "Mend the blue net"
    with closing(sqlite3.connect(editor.trash.path, isolation_level=None)) as db:
        db.execute("ALTER TABLE packs RENAME TO parcels")
        before = editor.trash.path.read_bytes()
    assert _names(editor)["s"] == "s"
    assert editor.trash.path.read_bytes() == before


def test_the_beginning_of_a_pack_is_what_fits() -> None:
    first, second = (1, RawText(b"user"), b"blob", 2.5), (2, RawText(b"x" * 900), None, 3.5)
    packed = pack([first, second])
    assert unpack_beginning(packed, 10_000) == [first, second]
    assert unpack_beginning(packed, 300)[0] == first
    assert unpack_beginning(packed, 300)[1][0] == 2
    assert len(unpack_beginning(packed, 300)[1]) == 2
    for most in range(1, 100):
        assert len(unpack_beginning(packed, most)) <= 2
    for length in range(len(packed)):
        assert len(unpack_beginning(packed[:length], 10_000)) <= 2


def test_an_undo_names_what_was_begun_anew(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "s")]))
    with altered(path) as db:
        insert(db, "sessions", id="s", source="cli", started_at=T0, ended_at=T0, end_reason="done")
    (note,) = editor.undo_plan().notes
    assert note.startswith("“Mend the blue net” was started again.")


def test_an_undo_names_what_cannot_come_back(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.CLEAR, [_number(path, "h")]))
    with altered(path) as db:
        db.execute("DELETE FROM sessions WHERE id = 'h'")
    assert editor.undo_plan().why_not == (
        "“Look for holes” no longer exists, so its messages cannot be restored."
    )


def test_an_undo_names_what_is_running_again(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "s")]))
    with altered(path) as db:
        insert(db, "sessions", id="s", source="cli", started_at=NOW)
    (note,) = editor.undo_plan().notes
    assert note.startswith("“Mend the blue net” is running.")


def test_an_undo_names_what_has_changed_since(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.ARCHIVE, [_number(path, "s"), _number(path, "empty")]))
    with altered(path) as db:
        db.execute("UPDATE sessions SET archived = 0")
    first, second = sorted(editor.undo_plan().notes)
    assert first.startswith("“Mend the blue net” has changed since")
    assert second.startswith("“empty” has changed since")


def test_an_undo_names_what_is_gone_by_its_title(path: Path, editor_of: EditorOf) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.RENAME, [_number(path, "titled")], title="Kites"))
    with altered(path) as db:
        db.execute("DELETE FROM sessions WHERE id = 'titled'")
    assert editor.undo_plan().notes == ("“Kites” no longer exists.",)


def test_an_undo_tells_who_has_a_title_by_what_is_not_the_title(
    path: Path, editor_of: EditorOf
) -> None:
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "titled")]))
    with altered(path) as db:
        insert(db, "sessions", id="thief", source="telegram", started_at=T0, title="Trip")
    assert editor.undo_plan().notes == (
        "“Trip” is now the title of another session (telegram, last active 2025-10-09 08:53:20)."
        " The restored one is called “Trip #2”.",
    )


def test_an_undo_names_what_the_trash_has_lost(path: Path, editor_of: EditorOf) -> None:
    with altered(path) as db:
        for _ in range(3):
            say(db, "s", content="x" * 900_000, timestamp=T0 + 9)
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, [_number(path, "s")]))
    with closing(sqlite3.connect(editor.trash.path, isolation_level=None)) as db:
        db.execute(
            "DELETE FROM packs WHERE number ="
            " (SELECT max(number) FROM packs WHERE name = 'messages' AND entry ="
            " (SELECT number FROM entries WHERE session = CAST('s' AS BLOB)))"
        )
    done = editor.undo(editor.undo_plan())
    (note,) = done.notes
    assert note.startswith("“Mend the blue net”: ")
    assert "The trash has lost the others." in note


def test_a_session_is_named_though_many_subagents_go_with_it(
    tmp_path: Path, editor_of: EditorOf
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "Mend the blue net", "Done.", end="cli_close")
        for number in range(30):
            helper = {"_delegate_from": "s"}
            talk(state, f"h{number}", f"Hole {number}", parent="s", config=helper, end="done")
    plan = editor_of(path).plan(Action.DELETE, [_number(path, "s")])
    assert question(plan) == "Delete “Mend the blue net” and 30 subagent sessions?"

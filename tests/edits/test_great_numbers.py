"""Messages and sessions with the greatest and the least numbers there are: every edit finds them,
and its undo gives them the same again."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.model import Action
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import EditPlan
from tests.conftest import Command
from tests.edits.states import dump, faults
from tests.edits.victim import numbers
from tests.edits.whereabouts import layout
from tests.factories import altered, insert, rows, say
from tests.newer_files import newer_file
from tests.real_files import unpack

EditorOf = Callable[[Path], Editor]
pytestmark = pytest.mark.usefixtures("at_full_speed")

GREATEST, LEAST = (1 << 63) - 1, -(1 << 63)
ODD = (GREATEST, GREATEST - 1, 1 << 40, 0, -1, LEAST)
ARCHIVED = " WHERE name = 'archived'"
FILES: dict[str, Callable[[str, Path], Path]] = {
    "hermes-v31": newer_file,
    "hermes-v22": unpack,
    "hermes-v6": unpack,
    "power-loop-8.0.0": unpack,
}


@pytest.fixture(params=["WAL", "DELETE"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=FILES)
def path(request: pytest.FixtureRequest, tmp_path: Path, mode: str) -> Path:
    """A file with a session `odd`, of a message for each odd number, among its others."""
    name = str(request.param)
    path = FILES[name](name, tmp_path)
    here = layout(path)
    with altered(path) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")
        if here.id == "id":
            insert(db, "sessions", id="odd", source="cli", started_at=1, ended_at=2)
            db.execute("UPDATE sessions SET message_count = ? WHERE id = 'odd'", (len(ODD),))
            for number in ODD:
                say(db, "odd", id=number, content=f"words {number}")
        else:
            _add_to_power_loop(db.execute, here.sessions, here.messages)
    return path


def _add_to_power_loop(
    run: Callable[[str, Sequence[object]], object], sessions: str, messages: str
) -> None:
    run(
        f"INSERT INTO {sessions} (session_id, kind, status, created_at, updated_at)"
        " VALUES ('odd', 'main', 'active', 1, 1)",
        (),
    )
    for number in ODD:
        run(
            f"INSERT INTO {messages} (rowid, session_id, seq, role, content, created_at)"
            " VALUES (?, 'odd', ?, 'user', ?, 1)",
            (number, number, f"words {number}"),
        )


def _row(path: Path) -> list[int]:
    return numbers(path, "odd")


def _stored(path: Path) -> int:
    messages = layout(path).messages
    ((found,),) = rows(path, f"SELECT count(*) FROM {messages} WHERE session_id = 'odd'")
    return int(str(found))


@pytest.mark.parametrize("action", [Action.DELETE, Action.PRUNE])
def test_a_delete_takes_them_and_brings_them_back(
    path: Path, editor_of: EditorOf, action: Action
) -> None:
    before, wrong = dump(path), faults(path)
    editor = editor_of(path)
    plan = editor.plan(action, _row(path))
    assert plan.totals.messages == len(ODD)
    done = editor.apply(plan)
    assert (done.ids, done.skipped) == (("odd",), {})
    assert _stored(path) == 0
    editor.undo(editor.undo_plan())
    assert dump(path) == before
    assert faults(path) == wrong


def test_other_edits_find_them(path: Path, editor_of: EditorOf) -> None:
    before, wrong = dump(path), faults(path)
    editor, here = editor_of(path), layout(path)
    plans: list[Callable[[], EditPlan]] = []
    if here.id == "id":
        plans += [
            lambda: editor.plan(Action.CLEAR, _row(path)),
            lambda: editor.plan(Action.RENAME, [_row(path)[0]], title="Another title"),
            lambda: editor.plan(Action.REOPEN, _row(path)),
        ]
    if here.id != "id" or rows(path, "SELECT 1 FROM pragma_table_info('sessions')" + ARCHIVED):
        plans.append(lambda: editor.plan(Action.ARCHIVE, _row(path)))
    for make in plans:
        plan = make()
        assert editor.apply(plan).ids == ("odd",)
        editor.undo(editor.undo_plan())
        assert dump(path) == before
    assert faults(path) == wrong


def test_a_delete_that_was_cut_short_is_settled(path: Path, editor_of: EditorOf) -> None:
    before = dump(path)
    editor = editor_of(path)
    editor.apply(editor.plan(Action.DELETE, _row(path)))
    receipt = editor.trash.receipts()[0].number
    plan = editor.undo_plan(receipt)
    entry = plan.entries[0]
    with altered(editor.trash.path) as db:
        db.execute("UPDATE receipts SET state = 'begun'")
        db.execute("UPDATE entries SET state = 'copied'")
    assert list(editor.after_crash().half_done) == []
    assert [one.number for one in editor.trash.entries(receipt)] == [entry.number]
    editor.undo(editor.undo_plan())
    assert dump(path) == before


@pytest.mark.parametrize("number", [GREATEST, -1, LEAST])
def test_a_session_with_such_a_number_is_edited_too(
    path: Path, editor_of: EditorOf, number: int
) -> None:
    here = layout(path)
    with altered(path) as db:
        db.execute(f"UPDATE {here.sessions} SET rowid = ? WHERE {here.id} = 'odd'", (number,))
    before, wrong = dump(path), faults(path)
    editor = editor_of(path)
    done = editor.apply(editor.plan(Action.DELETE, [number]))
    assert done.ids == ("odd",)
    editor.undo(editor.undo_plan())
    assert dump(path) == before
    assert faults(path) == wrong


@pytest.mark.parametrize("number", [None, GREATEST, -1, LEAST])
def test_the_commands_list_show_delete_and_undo_it(
    path: Path,
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int | None,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    here = layout(path)
    if number is not None:
        with altered(path) as db:
            db.execute(f"UPDATE {here.sessions} SET rowid = ? WHERE {here.id} = 'odd'", (number,))
    before = dump(path)
    shown = command("show", "odd", "--json", "--db", path).json
    assert len(shown["messages"]) == len(ODD)
    assert command("delete", "odd", "--yes", "--db", path).code == ExitCode.DONE
    assert _stored(path) == 0
    assert "words" in command("trash", "show", "1", "--db", path).out
    assert command("undo", "--yes", "--db", path).code == ExitCode.DONE
    assert dump(path) == before

"""Told to leave (SIGTERM) with the progress of an edit on the screen, in a real terminal: it leaves
at once and in good order, and what it was doing is whole or is found at the next start."""

import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.ours.trash_records import EntryState, ReceiptState
from tests.editors import edits_on
from tests.edits.states import dump, faults
from tests.factories import T0, altered, rows, talk
from tests.terminal import ALTERNATE_SCREEN, ITS_END, Terminal

pytestmark = pytest.mark.long

SESSIONS = 1_500
MESSAGES = 12_000


def _terminal(path: Path, folder: Path, **more: str) -> Terminal:
    ours = {"XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config")}
    return Terminal(["--db", str(path)], environment=ours | more)


def _editor(path: Path, folder: Path) -> Editor:
    return edits_on(path, folder / "data" / "session-explorer" / "trash.db", time.time)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(SESSIONS):
            at = T0 + number
            talk(state, f"s{number}", "some words", "others", at=at, title=f"T{number}", end="done")
    return path


@pytest.fixture
def long(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        words = [f"message {number} " + "word " * 100 for number in range(MESSAGES)]
        talk(state, "long", *words, title="A long one", end="done")
        talk(state, "other", "hello", title="Another", at=T0 - 999, end="done")
    return path


def _begin_prune(terminal: Terminal) -> None:
    terminal.until("message 1 of")
    terminal.press(b"p")
    terminal.until("Start from")
    terminal.press(b"jjj\r")
    terminal.until(f"Will be removed: {SESSIONS:,} sessions")
    terminal.press(b"d")
    terminal.until(f"Delete {SESSIONS:,} sessions?")
    terminal.press(b"y")


def _begin_delete(terminal: Terminal) -> None:
    terminal.until("message 1 of")
    terminal.press(b"d")
    terminal.until("Delete “A long one”?")
    terminal.press(b"y")


def _moving(of: str) -> Callable[[str], bool]:
    """The progress is shown, and is neither at its beginning nor at its end."""

    def is_so(text: str) -> bool:
        found = re.search(rf"([\d,]+) of ([\d,]+) {of}", text)
        return bool(found and "Stop (esc)" in text and found[1] not in ("0", found[2]))

    return is_so


def _left_in_good_order(terminal: Terminal) -> None:
    assert terminal.leave() == 0
    raw = terminal.raw
    assert raw.count(ALTERNATE_SCREEN) == 1
    assert raw.rindex(ITS_END) > raw.index(ALTERNATE_SCREEN)
    assert raw.rindex(b"\x1b[?25h") > raw.rindex(b"\x1b[?25l"), "the cursor is seen again"
    assert b"Traceback" not in raw
    assert b"Exception" not in raw


def _put_back(terminal: Terminal) -> None:
    """Answer the question that the start after it asks."""
    terminal.until("Interrupted: ", "Undo it: restore what it deleted")
    terminal.press(b"j\r")
    terminal.until("Done: the interrupted change is")


def _ids(path: Path) -> set[str]:
    return {str(id_) for (id_,) in rows(path, "SELECT id FROM sessions")}


def _kept(editor: Editor) -> set[str]:
    """The sessions that are in the trash alone."""
    return {
        entry.session
        for receipt in editor.trash.receipts()
        for entry in editor.trash.entries(receipt.number)
        if entry.state is EntryState.GONE
    }


def test_in_a_prune_whole_sessions_went_and_all_come_back(many: Path, tmp_path: Path) -> None:
    before, every = dump(many), _ids(many)
    with _terminal(many, tmp_path) as terminal:
        _begin_prune(terminal)
        terminal.until(_moving("sessions"))
        terminal.signal(signal.SIGTERM)
        _left_in_good_order(terminal)
    editor = _editor(many, tmp_path)
    left = _ids(many)
    assert left
    assert left != every
    assert faults(many) == []
    with _terminal(many, tmp_path) as terminal:
        # Nothing is left to be decided: the list is all there is.
        terminal.until("message 1 of")
        terminal.press(b"u")
        terminal.until(f"Restore {len(every) - len(left):,} sessions?")
        assert _kept(editor) == every - left
        terminal.press(b"\x1b")
        terminal.until(lambda text: " sessions?" not in text)
        terminal.press(b"q")
        assert terminal.leave() == 0
    editor.undo(editor.undo_plan())
    assert dump(many) == before
    assert faults(many) == []


def test_in_the_middle_of_one_session_it_is_put_back_or_asked_about(
    long: Path, tmp_path: Path
) -> None:
    before = dump(long)
    with _terminal(long, tmp_path) as terminal:
        _begin_delete(terminal)
        terminal.until(_moving("messages"))
        terminal.signal(signal.SIGTERM)
        _left_in_good_order(terminal)
    assert _ids(long) == {"long", "other"}
    editor = _editor(long, tmp_path)
    with _terminal(long, tmp_path) as terminal:
        if editor.trash.receipts():
            _put_back(terminal)
        else:
            terminal.until("message 1 of")
        terminal.press(b"q")
        assert terminal.leave() == 0
    assert list(editor.after_crash().half_done) == []
    assert dump(long) == before
    assert faults(long) == []


def test_control_c_while_it_leaves_says_and_changes_nothing(many: Path, tmp_path: Path) -> None:
    """The terminal is given back and no screen is left, but a thread is still waited for."""
    with _terminal(many, tmp_path) as terminal:
        _begin_prune(terminal)
        terminal.until(_moving("sessions"))
        with altered(many) as db:
            db.execute("PRAGMA busy_timeout = 60000")
            db.execute("BEGIN IMMEDIATE")
            terminal.until("Another program is writing")
            terminal.signal(signal.SIGTERM)
            terminal.until(lambda text: ITS_END in terminal.raw)
            for _ in range(20):
                # It is a zombie where it has left already: no other program has its number.
                terminal.signal(signal.SIGINT)
                time.sleep(0.05)
            _left_in_good_order(terminal)
    assert faults(many) == []


def test_while_another_program_keeps_it_waiting(many: Path, tmp_path: Path) -> None:
    """Whoever holds the lock is not waited for: what is half done is for the next start."""
    before, every = dump(many), _ids(many)
    with _terminal(many, tmp_path) as terminal:
        _begin_prune(terminal)
        terminal.until(_moving("sessions"))
        with altered(many) as db:
            db.execute("PRAGMA busy_timeout = 60000")
            db.execute("BEGIN IMMEDIATE")
            terminal.until("Another program is writing")
            terminal.signal(signal.SIGTERM)
            _left_in_good_order(terminal)
    editor = _editor(many, tmp_path)
    assert [one.state for one in editor.trash.receipts()] == [ReceiptState.BEGUN]
    with _terminal(many, tmp_path) as terminal:
        # Nothing else is waited for: the report may cover the rest of the start.
        terminal.until(lambda text: "interrupted: deleted" in text.lower())
        # A session may be half out; else whole ones went, and there is nothing to decide.
        if editor.trash.receipts()[0].half_done:
            _put_back(terminal)
        terminal.press(b"q")
        assert terminal.leave() == 0
    assert list(editor.after_crash().half_done) == []
    left = _ids(many)
    assert _kept(editor) == every - left
    if left != every:
        (receipt,) = editor.trash.receipts()
        assert receipt.words == f"Deleted {len(every) - len(left):,} of {SESSIONS:,} sessions"
        editor.undo(editor.undo_plan())
    assert dump(many) == before
    assert faults(many) == []


HANGS = """
import sys, time
from explorer.cli import run
from explorer.tui.app import ExplorerApp
ExplorerApp.exit = lambda *_, **__: time.sleep(600)
sys.argv = ["session-explorer", "demo"]
run()
"""


def test_an_app_that_does_not_come_to_its_end_gives_the_terminal_back(tmp_path: Path) -> None:
    ours = {"XDG_DATA_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    with Terminal(["-c", HANGS], environment=ours, program=sys.executable) as terminal:
        terminal.until("message 1 of")
        terminal.signal(signal.SIGTERM)
        _left_in_good_order(terminal)


def test_the_copy_of_a_deleted_session_goes_with_the_app(tmp_path: Path) -> None:
    path, copies = tmp_path / "state.db", tmp_path / "copies"
    copies.mkdir()
    with StateFile.create(path) as state:
        talk(state, "s", "Mend the net", title="A long one", end="done")
    with _terminal(path, tmp_path, TMPDIR=str(copies)) as terminal:
        _begin_delete(terminal)
        terminal.until("Deleted “A long one”")
        terminal.press(b"U")
        terminal.until("History and trash")
        terminal.press(b"j\r")
        terminal.until("In the trash")
        assert list(copies.glob("session-explorer-*"))
        terminal.signal(signal.SIGTERM)
        _left_in_good_order(terminal)
    assert list(copies.glob("session-explorer-*")) == []

"""A crash that nobody foresaw: a report without a word of what is stored, and an offer after it."""

import os
import stat
import sys
from pathlib import Path

import pytest

from explorer.crash_report import KEPT, report, write_report
from explorer.left_open import LeftOpen, keep, take, understood
from explorer.stores.ours.notes import Notes
from tests.terminal import Terminal
from tests.tui.driving import NOW, animals, opened

SECRET = "what only the agent was told"
CRASHING = """
import sys
from explorer.tui.list.session_list import SessionList
def crash(self, rows):
    secret = {secret!r}
    raise KeyError(secret) from ValueError(secret)
SessionList.action_move = crash
sys.argv = ["session-explorer", "--db", sys.argv[1]]
from explorer.cli import run
run()
"""


def _fail() -> None:
    secret = SECRET
    try:
        int(secret)
    except ValueError as error:
        raise KeyError(secret) from error


def _failed() -> BaseException:
    with pytest.raises(KeyError) as failure:
        _fail()
    return failure.value


def test_a_report_says_where_and_nothing_of_what_is_stored() -> None:
    said = report(_failed(), "search", NOW)
    assert "builtins.KeyError" in said
    assert "builtins.ValueError" in said
    assert "test_crashes.py:" in said
    assert "SQLite 3." in said
    assert "Command: search" in said
    assert SECRET not in said
    assert os.path.expanduser("~") not in said
    assert str(Path(__file__).parent) not in said


def test_reports_are_private_and_few(tmp_path: Path) -> None:
    folder = tmp_path / "ours" / "crashes"
    written = [write_report(_failed(), folder, "", NOW + second) for second in range(KEPT + 3)]
    assert sorted(folder.iterdir()) == written[3:]
    assert written[-1] is not None
    assert stat.S_IMODE(written[-1].stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_report_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "crashes").write_text("a file")
    assert write_report(_failed(), tmp_path / "crashes", "", NOW) is None


def test_errors_in_a_circle_come_to_an_end() -> None:
    first, second = KeyError(), ValueError()
    first.__cause__, second.__cause__ = second, first
    assert report(first, "", NOW).count("Error") == 2


@pytest.mark.long
def test_after_a_crash_the_terminal_is_sane_and_the_next_start_offers_what_was_open(
    tmp_path: Path,
) -> None:
    path = animals(tmp_path / "state.db")
    script = tmp_path / "crashing.py"
    script.write_text(CRASHING.format(secret=SECRET))
    ours = {"XDG_DATA_HOME": str(tmp_path / "data")}
    python = [str(script), str(path)]
    with Terminal(python, environment=ours, program=sys.executable) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"/bee")
        terminal.until("in 1 session")
        terminal.press(b"\x1b[B")
        assert terminal.leave() == 70
        assert "Unexpected error (KeyError)" in terminal.text
        assert terminal.raw.rindex(b"\x1b[?1049l") > terminal.raw.rindex(b"\x1b[?1049h")
        assert terminal.raw.rindex(b"\x1b[?25h") > terminal.raw.rindex(b"\x1b[?25l")
        assert SECRET.encode() not in terminal.raw
    (written,) = (tmp_path / "data" / "session-explorer" / "crashes").iterdir()
    assert "in crash" in written.read_text()
    assert SECRET not in written.read_text()
    for offered in (True, False):
        with Terminal(["--db", str(path)], environment=ours) as terminal:
            terminal.until("message 1 of")
            if offered:
                terminal.until("closed unexpectedly", "Search: bee", "Session: bee")
                terminal.press(b"y")
                terminal.until(" / bee")
            else:
                assert "closed unexpectedly" not in terminal.text
            terminal.press(b"\x11")
            assert terminal.leave() == 0


def test_a_command_that_crashes_says_so_without_a_traceback(tmp_path: Path) -> None:
    script = tmp_path / "crashing.py"
    script.write_text(
        "import sys, explorer.commands.info as info\n"
        f"def crash(*options): raise KeyError({SECRET!r})\n"
        "info.show_info = crash\n"
        "sys.argv = ['session-explorer', 'info']\n"
        "from explorer.cli import run\n"
        "run()\n"
    )
    ours = {"XDG_DATA_HOME": str(tmp_path / "data")}
    program = sys.executable
    with Terminal([str(script)], environment=ours, program=program) as terminal:
        assert terminal.leave() == 70
        assert "Unexpected error (KeyError)" in terminal.text
        assert SECRET not in terminal.text
        assert "Traceback" not in terminal.text


@pytest.mark.parametrize(
    "stored",
    ["", "{", "[" * 5_000, "7", "null", '{"query": 7, "session": ["x"]}', '{"other": "x"}'],
)
def test_what_was_open_is_nothing_where_it_makes_no_sense(stored: str) -> None:
    assert not understood(stored)


async def test_what_was_open_is_offered_once_and_only_as_far_as_it_is_there(
    tmp_path: Path,
) -> None:
    path, notes = animals(tmp_path / "state.db"), tmp_path / "ours" / "explorer.db"
    keep(Notes(notes, path), LeftOpen("", "cat"))
    async with opened(path, notes=notes) as driver:
        await driver.until(lambda: driver.app.screen is not driver.main)
        assert "Session: cat" in driver.screen()
        await driver.press("y")
        assert driver.current() == "cat"
    assert not take(Notes(notes, path))
    keep(Notes(notes, path), LeftOpen("", "gone\x1b[2J\ud800"))
    async with opened(path, notes=notes) as driver:
        assert driver.app.screen is driver.main

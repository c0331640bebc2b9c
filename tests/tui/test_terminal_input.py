"""What a terminal and a shell may do to the app: odd bytes, floods of text, stops and goes."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from explorer.tui.terminal_driver import TerminalDriver
from tests.terminal import Terminal
from tests.tui.driving import animals

pytestmark = pytest.mark.long

WORDS = "why does the build fail on arm64, and which of the images has no variant for it? "


def _stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return animals(tmp_path / "state.db")


def test_bytes_that_are_no_text_do_not_end_the_app(path: Path) -> None:
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"\xe7j\xff\xc3(")
        terminal.press(b"/b\xe9e")
        terminal.until("b\ufffde")
        terminal.press(b"\x11")
        assert terminal.leave() == 0
        assert b"Traceback" not in terminal.raw


@pytest.mark.parametrize(
    "sequence",
    [
        b"\x1b[999999999999999999999A",
        b"\x1b[99999999999u",
        b"\x1b[1114112u",
        b"\x1b[55296u",
        b"\x1b[97;99999999999;99999999999u",
        b"\x1b[<99999999999999999999;1;1M",
        b"\x1b[48;0;0;0;0t",
        b"\x1b[48;99999;99999;1;1t",
    ],
)
def test_a_sequence_whose_numbers_make_no_sense_does_not_end_the_app(
    path: Path, sequence: bytes
) -> None:
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until("message 1 of")
        terminal.press(sequence)
        terminal.press(b"j")
        terminal.until("─ bee ")
        terminal.press(b"q")
        assert terminal.leave() == 0


def test_a_signal_to_go_on_after_the_last_frame_does_no_harm() -> None:
    driver = object.__new__(TerminalDriver)
    driver._auto_restart = True
    driver._loop = asyncio.new_event_loop()
    driver._loop.close()
    driver._sigcont_application()
    assert not driver._going_on


@pytest.mark.parametrize("how", ["stray", "stop", "tstp"])
def test_going_on_paints_the_screen_anew_and_quitting_does_not_hang(path: Path, how: str) -> None:
    if not os.path.isdir("/proc/self"):
        pytest.skip("needs /proc")
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until("message 1 of")
        for _ in range(4):
            if how != "stray":
                terminal.signal(signal.SIGSTOP if how == "stop" else signal.SIGTSTP)
                terminal.until(lambda _: _stopped(terminal.pid))
            # The screen is drawn anew: whatever a shell wrote on it is gone.
            drawn = terminal.drawn_anew()
            terminal.signal(signal.SIGCONT)
            terminal.until(drawn)
            terminal.until("message 1 of", "I am ant")
        terminal.press(b"j")
        terminal.until("─ bee ")
        terminal.press(b"q")
        assert terminal.leave() == 0


def test_a_flood_of_letters_is_taken_as_one_and_cut(path: Path) -> None:
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"/")
        terminal.until("enter Read")
        for _ in range(5):
            terminal.press((WORDS * 45)[:3_600].encode() + b"\r")
        terminal.until("only the first 200 characters")
        terminal.signal(signal.SIGTERM)
        assert terminal.leave() == 0


def test_a_flood_of_letters_does_not_act_on_the_list(path: Path) -> None:
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until("message 1 of")
        # As keys this would open a plan to delete, agree to it, and leave.
        terminal.press(b"k" + b"d y " * 60 + b"q")
        terminal.press(b"\x1b[B")
        terminal.until("─ bee ")
        assert "Delete" not in terminal.text.split("d Delete")[0]
        terminal.press(b"q")
        assert terminal.leave() == 0


def test_a_paste_of_a_megabyte_is_taken_and_cut(path: Path) -> None:
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"/")
        terminal.until("enter Read")
        sent = b"\x1b[200~" + (WORDS.encode() * 13_000)[:1_000_000] + b"\x1b[201~"
        for at in range(0, len(sent), 4096):
            terminal.press(sent[at : at + 4096])
        terminal.until("only the first 200 characters")
        terminal.press(b"\x11")
        assert terminal.leave() == 0

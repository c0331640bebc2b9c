"""The whole of a prune in a real terminal, beside a real agent that writes all the time: chosen,
looked at, stopped half way, restored in part from the trash, and undone."""

import re
from pathlib import Path

import pytest

from tests.edits.appender import LIVE, acknowledged, appender
from tests.edits.states import faults
from tests.factories import rows
from tests.terminal import Terminal

pytestmark = pytest.mark.long

SESSIONS = 700
DOWN_TO_CRON = b"j\r"


def _cron(path: Path) -> list[tuple[object, ...]]:
    """All that the scheduled jobs left, cell by cell."""
    own = rows(path, "SELECT rowid, * FROM sessions WHERE source = 'cron' ORDER BY id")
    return [*own, *rows(path, "SELECT * FROM messages WHERE session_id LIKE 'cron%' ORDER BY id")]


def _left(path: Path) -> int:
    return int(str(rows(path, "SELECT count(*) FROM sessions WHERE source = 'cron'")[0][0]))


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_prune_from_the_first_key_to_the_last(mode: str, tmp_path: Path) -> None:
    path, log = tmp_path / "state.db", tmp_path / "log"
    ours = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    with appender("0.19.0", tmp_path / "home") as agent:
        agent.fill(path, SESSIONS, 3)
        before = _cron(path)
        with (
            agent.appending(path, mode, log, rest=0.02),
            Terminal(["--db", str(path)], environment=ours) as terminal,
        ):
            _choose(terminal)
            assert _left(path) == SESSIONS, "Cancel is the default"
            _stop_half_way(terminal, path)
            _restore_one(terminal, path)
            terminal.press(b"u")
            terminal.until("Restore the other ")
            terminal.press(b"y")
            terminal.until("Restored the other ")
            assert _cron(path) == before
            terminal.press(b"q")
            assert terminal.leave() == 0
        assert agent.errors == []
    live = rows(path, "SELECT id FROM messages WHERE session_id = ? ORDER BY id", (LIVE,))
    assert [id_ for (id_,) in live] == [number for number, _, _ in acknowledged(log)]
    assert faults(path) == []


def _choose(terminal: Terminal) -> None:
    """By a preset; one is read and kept, and nothing is said yes to."""
    terminal.until("hidden: 700 cron")
    terminal.press(b"p")
    terminal.until("Cron sessions older than 7 days")
    terminal.press(DOWN_TO_CRON)
    terminal.until("Will be removed: 700 sessions")
    terminal.until("700 sessions, 2,100 messages")
    terminal.press(b"\t\r")
    terminal.until("message 1 of 3")
    terminal.press(b"\x1b")
    terminal.until("space Keep")
    terminal.press(b" ")
    terminal.until("1 kept by you")
    terminal.press(b"d")
    terminal.until("Delete 699 sessions?")
    terminal.press(b"\r")
    terminal.until(lambda text: "Delete 699 sessions?" not in text)


def _stop_half_way(terminal: Terminal, path: Path) -> None:
    terminal.press(b"d")
    terminal.until("Delete 699 sessions?")
    terminal.press(b"y")
    terminal.until("messages per second")
    terminal.press(b"\x1b")
    told = re.compile(r"Deleted (\d+) of 699")
    found = told.search(terminal.until("Stopped.", lambda text: told.search(text) is not None))
    assert found
    gone = SESSIONS - _left(path)
    assert int(found[1]) == gone
    assert 0 < gone < SESSIONS - 1
    terminal.until(f"Will be removed: {SESSIONS - gone - 1} sessions")
    terminal.until("1 kept by you")


def _restore_one(terminal: Terminal, path: Path) -> None:
    left = _left(path)
    terminal.press(b"\tq")
    terminal.until("hidden: ")
    terminal.press(b"\x10")
    terminal.until("Search commands")
    terminal.press(b"trash")
    terminal.until("History and trash …")
    terminal.press(b"\r")
    terminal.until("History and trash · ")
    terminal.press(b"j\r")
    terminal.until("In the trash · cron_")
    terminal.press(b"\x1b")
    terminal.until(lambda text: "In the trash" not in text)
    terminal.press(b"r")
    terminal.until("Restores 3 messages.")
    terminal.press(b"y")
    terminal.until("Restored “")
    assert _left(path) == left + 1
    terminal.until("History and trash · ", lambda text: "Restored “" not in text)
    terminal.press(b"\x1b")
    terminal.until("hidden: ")

"""The list beside a writing agent: what is new appears, nothing jumps, nobody is disturbed."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.demo import write_demo
from explorer.store.create import StateFile
from explorer.store.hermes.store import HermesStore
from tests.agents import agent_path
from tests.terminal import Terminal
from tests.tui.driving import NOW, Driver, opened

WRITER = """
import sys
from hermes_state import SessionDB
db = SessionDB()
db._conn.execute(f"PRAGMA journal_mode = {sys.argv[1]}")
for line in sys.stdin:
    number = line.strip()
    db.create_session(f"live_{number}", "cli")
    db.append_message(f"live_{number}", "user", f"breaking news {number}")
    print(number, flush=True)
db.close()
"""


async def _until(driver: Driver, text: str) -> None:
    while text not in driver.screen():
        await driver.pilot.pause(0.05)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    write_demo(file, NOW)
    return file


def _write(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


NEW_SESSION = (
    f"INSERT INTO sessions (id, source, started_at, title) VALUES ('new', 'cli', {NOW}, 'Just in')",
    "INSERT INTO messages (session_id, role, content, timestamp)"
    f" VALUES ('new', 'user', 'hot off the press', {NOW})",
)


async def test_a_new_session_appears_and_the_cursor_stays_on_its_own(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j", "j", "j")
        held = driver.main.sessions.cursor_row
        shown = str(driver.main.transcript.border_title)
        _write(path, *NEW_SESSION)
        await _until(driver, "Just in")
        await driver.settle()
        assert driver.main.sessions.cursor_row == held
        assert str(driver.main.transcript.border_title) == shown
        assert driver.main.sessions.row(driver.main.sessions.order[0]).title == "Just in"  # type: ignore[union-attr]


async def test_the_view_does_not_jump_when_something_is_added_above_it(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("G")
        lines = driver.screen().splitlines()[4:30]
        _write(path, *NEW_SESSION)
        while len(driver.main.sessions.order) == 53:
            await driver.pilot.pause(0.05)
        await driver.settle()
        assert [line[:50] for line in driver.screen().splitlines()[4:30]] == [
            line[:50] for line in lines
        ]


async def test_a_new_title_of_a_session_in_sight_is_shown(path: Path) -> None:
    async with opened(path) as driver:
        _write(path, "UPDATE sessions SET title = 'Ship it' WHERE title = 'Fix docker deployment'")
        await _until(driver, "Ship it")


async def test_an_old_session_that_is_taken_up_again_moves_to_the_top(path: Path) -> None:
    async with opened(path) as driver:
        old = driver.main.sessions.order[-1]
        _write(
            path,
            "INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user',"
            f" 'back again', {NOW} FROM sessions WHERE rowid = {old}",
        )
        while driver.main.sessions.order[0] != old:
            await driver.pilot.pause(0.05)
        await driver.settle()
        assert driver.main.sessions.row(old) is not None


async def test_new_messages_of_the_session_being_read_are_added(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("enter", "G")
        key = driver.main.sessions.order[0]
        _write(
            path,
            "INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'assistant',"
            f" 'one more thing', {NOW} FROM sessions WHERE rowid = {key}",
        )
        await _until(driver, "one more thing")


async def test_only_what_changed_is_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(path) as driver:
        surveys: list[int] = []
        monkeypatch.setattr(HermesStore, "catalog", lambda *_: surveys.append(1))
        _write(path, *NEW_SESSION)
        await _until(driver, "Just in")
        await driver.settle()
        assert surveys == []


async def test_a_file_that_is_replaced_is_opened_anew(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with StateFile.create(other) as state:
        state.create_session("x", "cli", started_at=NOW - 50, title="From the backup")
        state.append_message("x", "user", "hi", timestamp=NOW - 50)
    async with opened(path) as driver:
        for name in ("-wal", "-shm"):
            Path(f"{path}{name}").unlink(missing_ok=True)
        os.replace(other, path)
        await _until(driver, "From the backup")
        await driver.settle()
        assert len(driver.main.sessions.order) == 1


async def test_a_file_that_vanishes_and_comes_back_recovers_by_itself(path: Path) -> None:
    async with opened(path) as driver:
        away = path.with_suffix(".away")
        path.rename(away)
        await _until(driver, "No such file")
        assert "Fix docker deployment" in driver.screen()
        away.rename(path)
        _write(path, *NEW_SESSION)
        await _until(driver, "Just in")
        await driver.settle()
        assert "No such file" not in driver.screen().splitlines()[0]


async def test_a_locked_file_keeps_the_last_view_and_says_so(path: Path) -> None:
    async with opened(path) as driver:
        _write(path, "PRAGMA journal_mode=DELETE", *NEW_SESSION)
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute("UPDATE sessions SET title = title")
        os.utime(path)
        await _until(driver, "The file is busy")
        assert "Fix docker deployment" in driver.screen()
        holder.execute("ROLLBACK")
        holder.close()
        os.utime(path)
        await _until(driver, "Just in")


@pytest.mark.parametrize("version", ["0.13.0", "0.17.0", "0.19.0"])
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_every_session_of_a_real_agent_appears_and_the_agent_never_fails(
    tmp_path: Path, version: str, journal: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        "PYTHONPATH": str(agent_path("hermes-agent", version)),
        "HERMES_HOME": str(home),
        "HOME": str(home),
        "PATH": os.environ["PATH"],
    }
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, journal],
        env=environment,
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert writer.stdin
    assert writer.stdout

    def write(number: int) -> None:
        assert writer.stdin
        assert writer.stdout
        writer.stdin.write(f"{number}\n")
        writer.stdin.flush()
        assert writer.stdout.readline().strip() == str(number), "the agent could not write"

    write(0)
    with Terminal(["--db", str(home)], size=(120, 45)) as terminal:
        terminal.until("breaking news 0")
        for number in range(1, 9):
            write(number)
            terminal.press(b"j")
            terminal.until(f"breaking news {number}")
        terminal.press(b"q")
        assert terminal.leave() == 0
    writer.stdin.close()
    assert writer.wait(20) == 0
    writer.stdout.close()

"""The privacy view in the app: no view shows a person, a chat or a phone number, nor copies it."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from explorer.render import veil
from explorer.stores.private.view import turn_off, turn_on
from tests.planted import PERSON, SCHEMAS, SESSION_ID, WORD, leaks, planted
from tests.terminal import Terminal
from tests.tui.driving import Driver, opened

MARK = r"(?:user|chat)_[0-9a-f]{12}"


@pytest.fixture(params=SCHEMAS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return planted(request.param, tmp_path / "home")


@pytest.fixture(autouse=True)
def _off_again() -> Iterator[None]:
    yield
    turn_off()


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    return tmp_path / "ours"


@asynccontextmanager
async def private(file: Path, ours: Path) -> AsyncIterator[Driver]:
    turn_on(ours)
    async with opened(file, notes=ours / "explorer.db", trash=ours / "trash.db") as driver:
        yield driver


def _is_private(driver: Driver) -> None:
    screen = driver.screen()
    assert leaks(screen) == [], screen
    assert leaks("\n".join(driver.told())) == []
    assert leaks(driver.app.clipboard) == []


async def _to_planted(driver: Driver) -> None:
    rows = [driver.main.sessions.row(row) for row in driver.main.sessions.order]
    ids = [row.id if row else "" for row in rows]
    await driver.press_on("g", *["j"] * ids.index(SESSION_ID))


VIEWS = {
    "transcript": ("enter", "G", "g", "o", "o", "T", "pagedown", "pagedown"),
    "block": ("enter", "G", "enter"),
    "details": ("i", "pagedown", "pagedown"),
    "lineage": ("L",),
    "delete": ("d",),
    "copied block": ("enter", "y", "Y"),
    "copied command": ("Y",),
    "resume": ("r",),
    "filter": ("f",),
    "sort": ("s",),
    "prune": ("p",),
    "help": ("question_mark",),
    "rename": ("t",),
    "archive": ("a",),
    "pin": ("m",),
    "full width": ("enter", "F"),
    "compact": ("v",),
}


@pytest.mark.parametrize("view", VIEWS)
async def test_no_view_shows_or_copies_what_is_hidden(file: Path, ours: Path, view: str) -> None:
    async with private(file, ours) as driver:
        _is_private(driver)
        await _to_planted(driver)
        _is_private(driver)
        assert re.search(MARK, driver.screen())
        for key in VIEWS[view]:
            await driver.press(key)
            _is_private(driver)


async def test_a_search_shows_and_completes_nothing(file: Path, ours: Path) -> None:
    async with private(file, ours) as driver:
        await driver.press("slash")
        await driver.type(WORD)
        assert driver.listed()
        _is_private(driver)
        await driver.press("enter", "n", "ctrl+f")
        await driver.type("Ring")
        _is_private(driver)
        await driver.press("escape", "escape", "escape", "escape", "slash", "up")
        _is_private(driver)


async def test_the_trash_shows_nothing_and_keeps_the_truth(file: Path, ours: Path) -> None:
    async with private(file, ours) as driver:
        await _to_planted(driver)
        await driver.press("d")
        _is_private(driver)
        await driver.press("y")
        assert not any(WORD in name and "Call" in name for name in driver.listed())
        _is_private(driver)
        await driver.main.run_action("trash")
        await driver.settle()
        _is_private(driver)
        await driver.press("down", "enter")
        _is_private(driver)
        await driver.press("escape", "escape", "u")
        _is_private(driver)
    turn_off()
    async with opened(file, notes=ours / "explorer.db", trash=ours / "trash.db") as driver:
        assert any(PERSON in name for name in driver.listed())


async def test_a_lost_session_is_found_without_its_people(
    file: Path, ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(file.parent))
    async with private(file, ours) as driver:
        await driver.press("slash")
        await driver.type(WORD)
        await driver.main.run_action("find_lost")
        await driver.settle()
        _is_private(driver)
        for _ in range(6):
            await driver.press("down")
            _is_private(driver)
        await driver.press("enter")
        _is_private(driver)


async def test_a_hidden_title_is_not_saved_as_it_is_shown(file: Path, ours: Path) -> None:
    async with private(file, ours) as driver:
        await _to_planted(driver)
        await driver.press("t", "enter")
        assert len(driver.app.screen_stack) == 1, "nothing to change"
        await driver.press("t", "end")
        await driver.type(" too")
        await driver.press("enter")
        assert "has a mark in place of a name" in driver.screen()
        await driver.press("escape")
    turn_off()
    async with opened(file) as driver:
        assert f"Call {PERSON} at +1 (555) 010-4477 {WORD}" in driver.listed()


async def test_the_palette_turns_it_on_and_off(file: Path, ours: Path) -> None:
    async with opened(file, notes=ours / "explorer.db", trash=ours / "trash.db") as driver:
        await _to_planted(driver)
        await driver.press("enter")
        assert PERSON in leaks(driver.screen())
        row = driver.main.sessions.current
        await driver.press("ctrl+p")
        await driver.type("privacy")
        await driver.press("enter")
        assert veil.drawn()
        assert "Names, ids and phone numbers are hidden." in driver.said()
        _is_private(driver)
        assert re.search(MARK, driver.screen())
        assert "private" in driver.screen().splitlines()[0]
        now = driver.main.sessions.current
        assert now is not None
        assert row is not None
        assert now.key == row.key, "the cursor stays"
        await driver.press("ctrl+p")
        await driver.type("privacy")
        await driver.press("enter")
        assert PERSON in leaks(driver.screen())
        assert not veil.drawn()


async def test_turning_it_on_clears_what_was_typed(ours: Path, tmp_path: Path) -> None:
    file = planted("hermes-v31", tmp_path / "home")
    async with opened(file, notes=ours / "explorer.db", trash=ours / "trash.db") as driver:
        await driver.press("slash")
        await driver.type("Lovelace")
        await driver.press("enter", "escape", "ctrl+p")
        await driver.type("privacy")
        await driver.press("enter")
        assert veil.drawn()
        _is_private(driver)
        await driver.press("slash", "up")
        _is_private(driver)


async def test_a_chat_leads_to_its_sessions(ours: Path, tmp_path: Path) -> None:
    file = planted("hermes-v31", tmp_path / "home")
    async with private(file, ours) as driver:
        await driver.press("C", "enter")
        _is_private(driver)
        assert driver.listed()
        assert "No matches" not in driver.screen()


async def test_no_command_with_a_mark_is_copied(ours: Path, tmp_path: Path) -> None:
    file = planted("hermes-v31", tmp_path / "home")
    async with private(file, ours) as driver:
        await _to_planted(driver)
        await driver.press("y")
        assert driver.app.clipboard == ""
        assert "Not copied." in "\n".join(driver.told())


@pytest.mark.parametrize("program", ["E", "P"])
def test_a_real_terminal_gets_nothing(tmp_path: Path, program: str) -> None:
    """Neither on its screen nor in its title, nor another program in its copy."""
    file = planted("hermes-v31", tmp_path / "home")
    seen = tmp_path / "seen"
    reader = tmp_path / "reader"
    reader.write_text(
        f'#!/bin/sh\nfor last; do :; done\necho "$last" > {seen}\ncat "$last" >> {seen}\n'
    )
    reader.chmod(0o700)
    home = {"HOME": str(tmp_path), "EDITOR": str(reader), "PAGER": str(reader), "VISUAL": ""}
    with Terminal(["--private", "--db", str(file)], environment=home) as terminal:
        terminal.until("private", "Sessions")
        terminal.press(b"/" + WORD.encode())
        terminal.until("Ring", "in 4 sessions")
        terminal.press(b"\r")
        # Until it is counted, the session before it may still be the one that is read.
        terminal.until("esc Back", " of 9 ·")
        again = terminal.drawn_anew()
        terminal.press(program.encode())
        terminal.until(again, lambda _: seen.exists() and WORD in seen.read_text())
        terminal.until("esc Back")
        terminal.press(b"\x11")
        terminal.leave()
        sent = terminal.raw.decode("utf-8", "replace")
    titles = "".join(re.findall("\x1b\\][012];[^\x07\x1b]*", sent))
    plain = re.sub("\x1b\\[[0-9;?<=>]*[A-Za-z]", "", sent)
    assert leaks(titles) == []
    assert leaks(plain) == []
    assert leaks(seen.read_text()) == []
    assert re.search(MARK, seen.read_text())

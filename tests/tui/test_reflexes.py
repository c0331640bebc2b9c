"""Keys that people press by habit: half pages, copying, help and find, wherever they are."""

from pathlib import Path

import pytest
from textual.widgets import OptionList

from explorer.cli import main
from explorer.keys.actions import ACTIONS
from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.app import ExplorerApp
from explorer.tui.list.filter_dialog import FilterList
from explorer.tui.reading.block_screen import BlockScreen
from explorer.tui.screens.help import HelpScreen, PageTabs
from tests.factories import talk
from tests.tui.driving import NOW, Driver, animals, opened


def _many(path: Path) -> Path:
    with StateFile.create(path) as state:
        for number in range(60):
            at = NOW - number * 60
            talk(state, f"s{number}", "hello " * 4000, "Hi.", at=at, title=f"s{number}", end="x")
    return path


async def test_control_d_and_u_move_half_a_page(tmp_path: Path) -> None:
    async with opened(_many(tmp_path / "state.db"), trash=tmp_path / "trash.db") as driver:
        sessions, transcript = driver.main.sessions, driver.main.transcript
        await driver.press("ctrl+d")
        half = sessions.cursor.place
        assert 5 < half < sessions.page
        await driver.press("ctrl+d", "ctrl+u")
        assert sessions.cursor.place == half
        await driver.press("ctrl+u", "enter", "ctrl+d")
        assert transcript.scroll_offset.y == transcript.size.height // 2
        await driver.press("ctrl+u")
        assert transcript.scroll_offset.y == 0
        await driver.press("escape", "slash")
        await driver.type("hello")
        await driver.press("ctrl+u")
        assert driver.main.search_bar.input.value == "", "while typing, it clears the field"
        await driver.press("escape", "i", "ctrl+d", "escape", "f")
        filters = driver.app.screen.query_one(FilterList)
        await driver.press("ctrl+d")
        assert filters._cursor > 3
        await driver.press("escape", "question_mark", "ctrl+d")
        assert driver.app.screen.focused is not None
        assert driver.app.screen.focused.scroll_offset.y > 0


async def test_g_moves_to_both_ends_of_every_list_of_choices(tmp_path: Path) -> None:
    async with opened(_many(tmp_path / "state.db"), trash=tmp_path / "trash.db") as driver:
        await driver.press("s")
        options = driver.app.screen.query_one(OptionList)
        await driver.press("G")
        assert options.highlighted == options.option_count - 1
        await driver.press("g")
        assert options.highlighted == 0


async def test_the_list_copies_and_finds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _many(tmp_path / "state.db")
    async with opened(path, size=(80, 24)) as driver:
        await driver.press("j", "Y")
        assert driver.app.clipboard == "s1"
        await driver.press("y")
        copied = driver.app.clipboard
        await driver.press("ctrl+f")
        await driver.type("hello")
        assert driver.focus() == "find-text"
        assert "1 of " in driver.screen()
        await driver.press("escape", "escape")
        assert driver.focus() == "list"
    capsys.readouterr()
    assert main(["resume", "s1", "--print", "--db", str(path)]) == 0
    assert copied == capsys.readouterr().out.strip()


def _first_page(driver: Driver) -> str:
    assert isinstance(driver.app.screen, HelpScreen)
    return driver.app.screen.query_one(PageTabs)._titles[0]


async def test_help_opens_everywhere_with_the_keys_of_the_place(tmp_path: Path) -> None:
    path = _many(tmp_path / "state.db")
    async with opened(path, trash=tmp_path / "trash.db") as driver:
        for way, title in {
            ("f",): "In the filters",
            ("i",): "In details",
            ("s",): "In a list of choices",
            ("U",): "In history and trash",
            ("d",): "In a question",
            ("p",): "Prune",
            ("t",): "While renaming",
        }.items():
            await driver.press(*way)
            await driver.press("f1" if way == ("t",) else "question_mark")
            assert _first_page(driver) == title
            await driver.press("escape", "escape")
            assert len(driver.app.screen_stack) == 1, title
        driver.app.push_screen(BlockScreen("text\n" * 100, "Block"))
        await driver.settle()
        await driver.press("question_mark")
        assert _first_page(driver) == "In a single block"


async def test_keys_that_do_nothing_change_the_words_of_one_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hint for each would hold up the app: each is drawn, and waited for."""
    monkeypatch.setattr(ExplorerApp, "NOTIFICATION_TIMEOUT", 600.0)
    async with opened(animals(tmp_path / "state.db")) as driver:
        bound = {key for action in ACTIONS for key in action.all_keys}
        dead = [key for key in "ABDHIMOQVWXZ" if key not in bound]
        assert len(dead) > 5
        hints = set()
        for key in dead:
            await driver.pilot.press(key)
            hints |= {note.identity for note in driver.app._notifications}
        await driver.settle()
        assert f"“{dead[-1]}” does nothing here" in driver.said()
        assert len(hints) == 1

"""Dialogs close themselves and nothing else, however fast keys come and whatever lies over them."""

from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.events import Key
from textual.widgets import Input

from explorer.errors import Refused
from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.ours.trash import TrashWriter
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.edits.edit_controller import Rename
from tests.editors import edits_on
from tests.factories import rows, talk
from tests.tui.driving import NOW, Driver, Held, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        for day, name in enumerate(("ant", "bee", "cat")):
            at = NOW - 9e6 - day * 86_400
            talk(state, name, f"I am {name}", at=at, title=name, end="cli_close")
    return file


def _burst(driver: Driver, *keys: str) -> None:
    """Keys that arrive together, as over a slow line: none waits for what the one before did."""
    assert driver.app._driver is not None
    for key in keys:
        driver.app._driver.send_message(Key(key, key if len(key) == 1 else None))


@pytest.mark.parametrize("opens", ["d", "t", "s", "L"])
async def test_what_lies_below_a_dialog_stays_in_sight(path: Path, trash: Path, opens: str) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press(opens)
        assert driver.app.screen is not driver.main
        assert "I am bee" in driver.screen()


@pytest.mark.parametrize("opens", ["d", "t", "f", "i", "s", "p", "L", "question_mark"])
async def test_a_burst_of_escapes_closes_no_more_than_there_is(
    path: Path, trash: Path, opens: str
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press(opens)
        assert driver.app.screen is not driver.main
        _burst(driver, *["escape"] * 5)
        await driver.settle()
        assert driver.app.screen is driver.main
        await driver.press("j")
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "bee"


async def test_two_yeses_delete_once(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        _burst(driver, "y", "y", "y")
        await driver.settle()
        assert driver.listed() == ["bee", "cat"]
        assert driver.app.screen is driver.main
        assert len(edits_on(path, trash, lambda: NOW).trash.receipts()) == 1


async def test_what_is_asked_of_the_trash_twice_is_asked_once(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        await driver.press("y")
        driver.main.action_trash()
        await driver.settle()
        _burst(driver, "x", "x")
        await driver.settle()
        assert "This cannot be undone." in driver.screen()
        await driver.press("escape")
        assert "History and trash" in driver.screen()
        await driver.press("escape")
        assert driver.focus() == "list"


async def test_an_edit_that_ends_below_the_palette_leaves_no_dialog_behind(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        step = Held(monkeypatch, TrashWriter, "set_entries")
        await driver.pilot.press("y")
        await driver.until_seen(lambda: isinstance(driver.app.screen, ProgressDialog))
        await driver.pilot.press("ctrl+p")
        await driver.until_seen(lambda: isinstance(driver.app.screen, CommandPalette))
        step.let_go()
        await driver.until_seen(lambda: driver.listed() == ["bee", "cat"])
        assert isinstance(driver.app.screen, CommandPalette), "what somebody opened stays"
        await driver.press("escape")
        await driver.until(lambda: driver.app.screen is driver.main)
    assert rows(path, "SELECT count(*) FROM sessions") == [(2,)]


async def test_a_title_that_is_refused_after_its_dialog_was_left_is_only_said(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Refused("It cannot be renamed", "The disk has gone.")

    async with opened(path, trash=trash) as driver:
        monkeypatch.setattr(Editor, "plan", refuse)
        _burst(driver, "t", "escape")
        await driver.settle()
        assert driver.app.screen is driver.main
        await driver.press("t")
        assert driver.app.screen is driver.main, "nothing to type into"
        assert "The disk has gone." in driver.said()


async def test_what_is_found_out_about_a_title_after_its_dialog_was_left_does_no_harm(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        answer = Held(monkeypatch, Editor, "plan")
        await driver.pilot.press("t")
        await answer.holds(driver)
        assert isinstance(driver.app.screen, Rename)
        driver.app.screen.query_one(Input).focus()
        await driver.pilot.press("escape")
        await driver.until_seen(lambda: driver.app.screen is driver.main)
        answer.let_go()
        await driver.settle()
        assert driver.listed() == ["ant", "bee", "cat"]

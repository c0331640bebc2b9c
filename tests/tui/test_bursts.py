"""Keys, clicks and signals that come while something is opening or closing."""

import threading
from pathlib import Path

import pytest
from rich.style import Style
from textual.events import Click, Key, MouseDown, Paste
from textual.widgets import OptionList, Static

from explorer.cancel import CancelToken
from explorer.stores.edits.plans import Progress
from explorer.tui.dialogs.palette import Palette
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.widgets.fields import LONGEST
from tests.tui.driving import Driver, animals, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return animals(tmp_path / "state.db")


def _burst(driver: Driver, *keys: str) -> None:
    """Keys that arrive together: none waits for what the one before did."""
    assert driver.app._driver is not None
    for key in keys:
        driver.app._driver.send_message(Key(key, key if len(key) == 1 else None))


@pytest.mark.parametrize("keys", [["enter"] * 5, ["escape"] * 5, ["enter", "escape", "enter"]])
async def test_the_palette_closes_once(path: Path, keys: list[str]) -> None:
    async with opened(path) as driver:
        for _ in range(3):
            await driver.press("ctrl+p")
            await driver.until(lambda: driver.app.screen.has_class("-ready"))
            _burst(driver, *keys)
            await driver.settle()
            await driver.press("escape", "escape", "escape")
            assert driver.app.screen is driver.main


async def test_the_palette_runs_what_was_chosen_once(path: Path) -> None:
    async with opened(path) as driver:
        dark = driver.app.theme
        await driver.press("ctrl+p")
        await driver.type("Switch theme")
        await driver.until(lambda: driver.app.screen.has_class("-ready"))
        _burst(driver, "enter", "enter")
        await driver.settle()
        assert driver.app.theme != dark, "an even number of times would change nothing"


async def test_a_palette_that_is_asked_for_twice_opens_once(path: Path) -> None:
    async with opened(path) as driver:
        _burst(driver, "ctrl+p", "ctrl+p", "escape")
        await driver.settle()
        assert driver.app.screen is driver.main


async def test_a_click_on_a_palette_that_has_closed_does_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("ctrl+p")
        palette = driver.app.screen
        assert isinstance(palette, Palette)
        click = Click(palette, 500, 500, 0, 0, 1, False, False, False, 500, 500)
        _burst(driver, "escape")
        for _ in range(3):
            palette.post_message(click)
        await driver.settle()
        assert driver.app.screen is driver.main


async def test_a_button_that_goes_down_on_a_message_that_leaves_does_no_harm(path: Path) -> None:
    async with opened(path) as driver:
        leaving = Static("Something was done.")
        await driver.main.mount(leaving, before=0)
        await driver.settle()
        parent, (x, y) = leaving._parent, leaving.region.offset
        leaving._parent = None
        driver.main._forward_event(MouseDown(None, x, y, 0, 0, 1, False, False, False, x, y))
        leaving._parent = parent
        await driver.settle()


async def test_progress_that_is_told_before_and_after_its_dialog_does_no_harm(path: Path) -> None:
    async with opened(path) as driver:
        dialog = ProgressDialog("Deleting", CancelToken())
        dialog.show(Progress(1, 2, 3, 4))
        dialog.action_stop()
        driver.app.push_screen(dialog)
        await driver.settle()
        assert "Stopping" in driver.screen()
        dialog.leave()
        await driver.settle()
        dialog.show(Progress(2, 2, 4, 4))
        dialog.action_stop()
        await driver.settle()


async def test_what_a_closed_screen_is_told_does_no_harm(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, held = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> None:
        held.set()
        go.wait(60)

    async with opened(path) as driver:
        monkeypatch.setattr("explorer.tui.list.filter_dialog.tally", slow)
        await driver.pilot.press("f")
        await driver.until_seen(held.is_set)
        _burst(driver, "escape")
        go.set()
        await driver.settle()
        assert driver.app.screen is driver.main


async def test_a_field_takes_what_it_has_room_for(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("slash", "b")
        field = driver.main.search_bar.input
        field.post_message(Paste("ee\x1b[31m\t" + "x" * 5_000 + "\nrest"))
        await driver.settle()
        assert field.value.startswith("bee [31m x")
        assert len(field.value) == LONGEST
        await driver.press("x", "backspace", "y")
        assert len(field.value) == LONGEST
        assert field.value.endswith("xy")


async def test_a_click_on_an_option_that_is_gone_does_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("s")
        options = driver.app.screen.query_one(OptionList)
        style = Style.from_meta({"option": 10_000})
        click = Click(options, 1, 1, 0, 0, 1, False, False, False, 1, 1, style)
        options.post_message(click)
        await driver.settle()
        assert driver.app.screen is not driver.main


async def test_a_page_of_options_before_they_are_laid_out_does_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("s")
        options = driver.app.screen.query_one(OptionList)
        options._clear_caches()
        options._index_to_line.clear()
        options._move_page(-1)
        await driver.settle()

"""The mouse: the footer, the borders and the divider can be clicked, and do what keys do."""

from pathlib import Path

from explorer.tui.dialogs.choices import Choice
from explorer.tui.edits.edit_controller import Rename
from explorer.tui.list.filter_dialog import FilterScreen
from tests.tui.driving import Driver, animals, opened


async def _click(driver: Driver, words: str, line: int | None = None) -> None:
    """Click on words on the screen, perhaps on a certain line."""
    lines = driver.screen().splitlines()
    y = next(y for y, text in enumerate(lines) if words in text) if line is None else line
    x = lines[y].index(words) + len(words) // 2
    await driver.pilot.click(offset=(x, y % len(lines)))
    await driver.settle()


async def test_the_keys_in_the_footer_can_be_clicked(tmp_path: Path, trash: Path) -> None:
    async with opened(animals(tmp_path / "state.db"), trash=trash) as driver:
        await _click(driver, "t Rename", -1)
        assert isinstance(driver.app.screen, Rename)
        await driver.press("escape")
        await _click(driver, "enter Read", -1)
        assert driver.focus() == "transcript"
        await _click(driver, "d Delete", -1)
        assert "Delete “ant”?" in driver.screen()
        await driver.press("escape")
        await _click(driver, "esc Back", -1)
        assert driver.focus() == "list"
        await _click(driver, "? Help", -1)
        assert "HelpScreen" in str(driver.app.screen)


async def test_the_borders_of_the_list_can_be_clicked(demo: Path) -> None:
    async with opened(demo) as driver:
        await _click(driver, "by last active")
        assert isinstance(driver.app.screen, Choice)
        await driver.press("escape")
        listed = len(driver.listed())
        await _click(driver, "hidden:")
        assert len(driver.main.sessions.order) > listed
        await driver.press("space")
        await _click(driver, "1 selected")
        assert not driver.main.sessions.selection


async def test_a_click_on_a_border_or_below_the_rows_moves_nothing(tmp_path: Path) -> None:
    async with opened(animals(tmp_path / "state.db")) as driver:
        await driver.press("j")
        region = driver.main.sessions.region
        for offset in (
            (region.x + 2, region.y),
            (region.x, region.y + 2),
            (region.x + 30, region.bottom - 1),
            (region.x + 5, region.bottom - 3),
        ):
            await driver.pilot.click(offset=offset)
            await driver.settle()
            assert driver.current() == "bee"
            assert len(driver.app.screen_stack) == 1


async def test_the_divider_can_be_dragged_and_a_double_click_resets_it(demo: Path) -> None:
    async with opened(demo) as driver:
        sessions = driver.main.sessions
        width = sessions.size.width
        edge = sessions.region.right - 1
        await driver.pilot.mouse_down(offset=(edge, 10))
        await driver.pilot.hover(offset=(edge + 12, 10))
        await driver.pilot.mouse_up(offset=(edge + 12, 10))
        await driver.settle()
        assert sessions.size.width == width + 12
        await driver.resize(90, 40)
        assert sessions.size.width > 80, "one pane has the whole width"
        await driver.resize(120, 40)
        assert sessions.size.width == width + 12, "remembered"
        edge = sessions.region.right - 1
        await driver.pilot.mouse_down(offset=(edge, 10))
        await driver.pilot.hover(offset=(2, 10))
        await driver.pilot.mouse_up(offset=(2, 10))
        await driver.settle()
        assert sessions.size.width >= 28, "not too narrow to read"
        await driver.pilot.click(offset=(sessions.region.right - 1, 10), times=2)
        await driver.settle()
        assert sessions.size.width == width


async def test_one_click_on_a_filter_acts(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("f")
        assert isinstance(driver.app.screen, FilterScreen)
        await _click(driver, "telegram")
        assert driver.main._lister.wish.filters.sources == {"telegram"}

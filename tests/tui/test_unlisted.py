"""What is about to be changed is what is seen: a selection that is not listed is asked about."""

from pathlib import Path

import pytest

from explorer.tui.dialogs.choices import Choice
from explorer.tui.dialogs.questions import Question
from tests.factories import rows
from tests.tui.driving import Driver, animals, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """ant, bee, cat and dog, the newest first."""
    return animals(tmp_path / "state.db")


async def _away(driver: Driver) -> None:
    """ant is selected and not in the list, and the cursor is on dog, which was searched for."""
    await driver.press("space")
    await driver.press("slash")
    await driver.type("title:dog")
    await driver.press("enter")
    await driver.press("escape")
    assert (driver.listed(), driver.focus()) == (["dog"], "list")


def _left(path: Path) -> set[object]:
    return {title for (title,) in rows(path, "SELECT title FROM sessions")}


async def test_the_dialog_says_which_are_not_listed_and_the_row_under_the_cursor_comes_first(
    path: Path, trash: Path
) -> None:
    async with opened(path, trash=trash) as driver:
        await _away(driver)
        await driver.press("d")
        assert isinstance(driver.app.screen, Choice)
        screen = driver.screen()
        assert "Delete: which sessions?" in screen
        assert "Only the session under the cursor: “dog”" in screen
        assert "1 selected session, including 1 not listed: “ant”" in screen
        await driver.press("enter")
        assert isinstance(driver.app.screen, Question)
        await driver.press("y")
    assert _left(path) == {"ant", "bee", "cat"}


async def test_all_that_is_selected_goes_where_that_is_said(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await _away(driver)
        await driver.press("d")
        await driver.press("end", "enter")
        assert isinstance(driver.app.screen, Question)
        await driver.press("y")
    assert _left(path) == {"bee", "cat", "dog"}


async def test_nothing_is_done_after_escape(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await _away(driver)
        await driver.press("d")
        await driver.press("escape")
        assert not isinstance(driver.app.screen, Choice | Question)
    assert len(_left(path)) == 4


async def test_a_selection_that_is_listed_is_not_asked_about(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("space", "space", "d")
        assert isinstance(driver.app.screen, Question)

"""Control+c, the same everywhere: it clears a field, cancels, goes back to the list, and quits."""

from pathlib import Path

import pytest
from textual.widgets import Input

from explorer.stores.ours.trash import TrashWriter
from explorer.tui.dialogs.progress import ProgressDialog
from tests.factories import rows
from tests.tui.driving import Driver, Held, animals, opened

INTERRUPTED = 130
OPENING = ["d", "t", "f", "i", "s", "p", "L", "question_mark", "ctrl+p"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return animals(tmp_path / "state.db")


async def _quits(driver: Driver) -> None:
    assert driver.app.return_code is None
    await driver.pilot.press("ctrl+c")
    assert driver.app.return_code == INTERRUPTED


def _told_to_stop(driver: Driver) -> bool:
    edits = driver.main.file.editing
    assert edits is not None
    return [stop.cancelled for stop in edits._stops] == [True]


@pytest.mark.parametrize("opens", OPENING)
async def test_it_clears_what_is_typed_then_cancels_a_dialog_then_quits(
    path: Path, trash: Path, opens: str
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press(opens)
        assert driver.app.screen is not driver.main
        field = driver.app.screen.focused
        if isinstance(field, Input):
            await driver.press("x")
            await driver.press("ctrl+c")
            assert field.value == ""
            assert driver.app.screen is not driver.main
        await driver.press("ctrl+c")
        assert driver.app.screen is driver.main
        await _quits(driver)
    assert rows(path, "SELECT count(*) FROM sessions") == [(4,)]


async def test_in_the_search_bar_it_clears_then_leaves_then_quits(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("slash", "b", "e", "e")
        await driver.press("ctrl+c")
        assert driver.main.search_bar.input.value == ""
        assert driver.focus() == "query"
        assert driver.main.search_bar.history == ["bee"], "it can be recalled"
        await driver.press("ctrl+c")
        assert driver.focus() == "list"
        await _quits(driver)


async def test_in_the_transcript_it_closes_the_find_then_goes_back_then_quits(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("enter", "ctrl+f", "a")
        for focus in ("find-text", "transcript", "list"):
            await driver.press("ctrl+c")
            assert driver.focus() == focus
        await _quits(driver)


async def test_it_stops_the_edit_that_is_under_way_and_does_not_quit(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("ctrl+a", "d")
        step = Held(monkeypatch, TrashWriter, "set_entries")
        await driver.pilot.press("y")
        await driver.until_seen(lambda: isinstance(driver.app.screen, ProgressDialog))
        await driver.pilot.press("ctrl+c")
        assert isinstance(driver.app.screen, ProgressDialog), "the work closes it"
        assert _told_to_stop(driver)
        step.let_go()
        await driver.until(lambda: driver.app.screen is driver.main)
        assert driver.app.return_code is None


async def test_before_its_dialog_is_open_an_edit_is_stopped_too(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch, no_progress: None
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("ctrl+a", "d")
        step = Held(monkeypatch, TrashWriter, "set_entries")
        await driver.pilot.press("y")
        await step.holds(driver)
        await driver.pilot.press("ctrl+c")
        assert driver.app.return_code is None
        assert _told_to_stop(driver)
        step.let_go()
        await driver.settle()
        await _quits(driver)

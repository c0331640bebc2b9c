"""A prune that is stopped half way: what it says, what is gone, and that all of it comes back."""

from functools import partial
from pathlib import Path

import pytest
from textual.widgets import OptionList

from explorer.stores.edits.batches import run_batches
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.ours.trash import TrashWriter
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.edits.trash import TrashScreen
from tests.edits.states import dump, faults
from tests.factories import rows, talk
from tests.tui.driving import NOW, Driver, Held, opened

DAY = 86_400.0
OLD = 250
FEW = 20
TO_OLD = ("p", "j", "j", "j", "enter")
_one_at_a_time = partial(run_batches, hold=-1.0, pause=0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "now", "hello", at=NOW - DAY, title="now", end="cli_close")
        for number in range(OLD):
            at = NOW - (100 * DAY + number)
            words = (f"first words {number}", f"second words {number}")
            talk(state, f"old{number}", *words, at=at, title=f"old {number}", end="done")
    return file


def _gone(path: Path) -> int:
    (left,) = rows(path, "SELECT count(*) FROM sessions")[0]
    return OLD + 1 - int(str(left))


async def _stopped(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prune, and stop it when a few are gone, one at a time."""
    await driver.press(*TO_OLD)
    assert f"Will be removed: {OLD} sessions" in driver.screen()
    await driver.press("d")
    assert f"Delete {OLD} sessions?" in driver.screen()
    with monkeypatch.context() as patched:
        patched.setattr("explorer.stores.edits.delete.run_batches", _one_at_a_time)
        last = Held(patched, TrashWriter, "set_entries", which=FEW)
        await driver.pilot.press("y")
        await last.holds(driver)
        await driver.until_seen(lambda: isinstance(driver.app.screen, ProgressDialog))
        await driver.pilot.press("escape")
        await driver.until_seen(lambda: "Stopping" in driver.screen())
        last.let_go()
        await driver.settle()


async def _open_trash(driver: Driver) -> None:
    """From the prune screen, by way of the list."""
    await driver.press("escape")
    driver.main.action_trash()
    await driver.settle()


async def test_what_was_and_was_not_done_is_said_and_true(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(path)
    async with opened(path, trash=trash) as driver:
        await _stopped(driver, monkeypatch)
        gone = _gone(path)
        assert gone == FEW
        told = f"Deleted {gone} of {OLD} sessions. Stopped. Nothing else was changed"
        assert told in driver.said()
        assert f"Will be removed: {OLD - gone} sessions" in driver.screen(), "the rules still stand"
        assert faults(path) == []
        await driver.press("escape")
        assert len(driver.main.sessions.order) == OLD - gone + 1
        await driver.press("u")
        assert f"Restore {gone} sessions?" in driver.screen()
        assert f"Restores {2 * gone} messages." in driver.screen()
        await driver.press("y")
    assert dump(path) == before


async def test_the_trash_gives_one_of_many_back_and_the_rest_with_it(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(path)
    async with opened(path, trash=trash) as driver:
        await _stopped(driver, monkeypatch)
        gone = _gone(path)
        await _open_trash(driver)
        assert isinstance(driver.app.screen, TrashScreen)
        assert f"Deleted {gone} of {OLD} sessions" in driver.screen()
        await driver.press("j")
        shown = driver.app.screen.query_one(OptionList)
        assert shown.highlighted == 1
        await driver.press("enter")
        assert f"first words {OLD - 1}" in driver.screen(), "the one that was quiet for longest"
        await driver.press("escape")
        await driver.press("r")
        await driver.press("y")
        assert rows(path, "SELECT id FROM sessions WHERE id = ?", (f"old{OLD - 1}",))
        assert _gone(path) == gone - 1
        await driver.press("escape")
        await driver.press("u")
        assert f"Restores {2 * gone - 2} messages." in driver.screen()
        await driver.press("y")
    assert dump(path) == before


async def test_a_trash_of_very_many_lists_the_first_of_them(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.tui.edits.trash.LISTED", 5)
    async with opened(path, trash=trash) as driver:
        await _stopped(driver, monkeypatch)
        gone = _gone(path)
        await _open_trash(driver)
        shown = driver.app.screen.query_one(OptionList)
        assert shown.option_count == 1 + 5 + 1
        assert f"and {gone - 5} more: session-explorer trash show 1" in driver.screen()


async def test_what_is_purged_cannot_come_back(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await _stopped(driver, monkeypatch)
        gone = _gone(path)
        size = trash.stat().st_size
        await driver.press("escape")
        driver.main.action_trash()
        await driver.settle()
        await driver.press("x")
        assert f"Permanently delete all {gone} sessions of this change?" in driver.screen()
        assert driver.focus() == "no"
        await driver.press("y")
        assert trash.stat().st_size < size, "the room is given back"
        await driver.press("escape")
        await driver.press("u")
        assert "Nothing to undo" in "".join(driver.told())
    assert _gone(path) == gone

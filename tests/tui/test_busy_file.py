"""A rename while another program uses the file: no text is lost, and what came of it is said."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.widgets import Input

from explorer.stores.edits import connection
from explorer.tui.edits.edit_controller import Rename
from tests.factories import altered, rows
from tests.locker import Locker
from tests.tui.driving import Driver, animals, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return animals(tmp_path / "state.db")


@pytest.fixture
async def driver(path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Driver]:
    """In the middle of a rename from bee to wasp."""
    monkeypatch.setattr(connection, "PATIENCE", 1.0)
    async with opened(path, trash=trash) as driver:
        driver.stop_watching()
        await driver.to("bee")
        await driver.press("t", "end", "ctrl+u")
        await driver.type("wasp")
        yield driver


def _title(path: Path) -> str:
    ((title,),) = rows(path, "SELECT title FROM sessions WHERE id = 'bee'")
    return str(title)


async def test_a_rename_waits_for_a_locked_file_and_keeps_its_text(
    path: Path, driver: Driver
) -> None:
    with Locker(path) as locker:
        await driver.pilot.press("enter")
        await driver.until_seen(lambda: "Waiting for the file" in driver.screen())
        said = "Still locked by another program", "Not saved; your text is kept."
        await driver.until_seen(lambda: all(words in driver.screen() for words in said))
        dialog = driver.app.screen
        assert isinstance(dialog, Rename)
        assert dialog.query_one(Input).value == "wasp"
        await driver.pilot.press("s")
        await driver.until_seen(lambda: "Waiting for the file" in driver.screen())
        locker.release()
    await driver.settle()
    await driver.press("enter")
    assert driver.focus() == "list"
    assert "Renamed “bee” to “wasps”" in driver.said()
    assert _title(path) == "wasps"


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_a_cancelled_rename_is_not_done_when_the_file_is_free(
    path: Path, driver: Driver, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr(connection, "PATIENCE", 60.0)
    with Locker(path) as locker:
        await driver.pilot.press("enter")
        await driver.until_seen(lambda: "Waiting for the file" in driver.screen())
        await driver.pilot.press(key)
        await driver.until_seen(lambda: driver.focus() == "list")
        locker.release()
    await driver.settle()
    assert "Stopped. Nothing was changed" in driver.said()
    assert _title(path) == "bee"


async def test_a_title_that_was_taken_in_between_can_be_typed_on(
    path: Path, driver: Driver
) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'wasp' WHERE id = 'ant'")
    await driver.press("enter")
    assert isinstance(driver.app.screen, Rename)
    assert "wasp" in driver.said()
    assert "Already the title of another session" in driver.screen()
    await driver.press("s", "enter")
    assert _title(path) == "wasps"

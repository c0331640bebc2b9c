"""What an agent writes while a session, or the file, is being opened."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from explorer.browse.first_read import Opening, Start
from explorer.stores.catalog import Mark
from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.app import ExplorerApp
from explorer.tui.reading import transcript_controller as reader
from tests.factories import altered, rows, say, talk
from tests.tui.driving import NOW, SIZE, Driver, Held, opened

HOUR = 3600.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        for number, name in enumerate(("ant", "bee"), 1):
            talk(state, name, f"I am {name}", at=NOW - number * HOUR, title=name, end="cli_close")
    return file


async def test_a_message_that_comes_while_its_session_is_being_opened_is_shown(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        text = Held(monkeypatch, reader, "lay_out")
        await driver.pilot.press("j")
        await text.holds(driver)
        with altered(path) as db:
            say(db, "bee", content="one more thing", timestamp=NOW - 60)
        ((newest,),) = rows(path, "SELECT max(id) FROM messages")

        def seen() -> bool:
            catalog = driver.main._lister.catalog
            mark = catalog.mark if catalog is not None else None
            return isinstance(mark, Mark) and mark.message == newest

        await driver.until_seen(seen)
        driver.stop_watching()
        text.let_go()
        await driver.settle()
        assert "one more thing" in driver.screen()


@asynccontextmanager
async def _started(opening: Opening) -> AsyncIterator[Driver]:
    """The app on a file that has been opened, whatever became of it since."""
    app = ExplorerApp(Start(opening, lambda: NOW))
    async with app.run_test(size=SIZE) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver


def _read(path: Path) -> Opening:
    opening = Opening(path, NOW)
    opening.wait()
    return opening


async def test_what_changes_after_the_first_page_is_shown(path: Path) -> None:
    opening = _read(path)
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'bumblebee' WHERE id = 'bee'")
    async with _started(opening) as driver:
        await driver.until(lambda: driver.listed() == ["ant", "bumblebee"])


async def test_a_file_that_is_replaced_after_the_first_page_is_shown(
    path: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    with StateFile.create(other) as state:
        talk(state, "cat", "hello", at=NOW - HOUR, title="cat", end="done")
    opening = _read(path)
    os.replace(other, path)
    async with _started(opening) as driver:
        await driver.until(lambda: driver.listed() == ["cat"])

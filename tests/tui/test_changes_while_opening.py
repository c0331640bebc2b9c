"""What an agent writes while a session, or the file, is being opened."""

from pathlib import Path

import pytest

from explorer.store.create import StateFile
from explorer.tui import reader
from tests.factories import altered, rows, say, talk
from tests.tui.driving import NOW, Held, opened

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
            return catalog is not None and catalog.mark.message == newest

        await driver.until_seen(seen)
        driver.main._watching.stop()
        text.let_go()
        await driver.settle()
        assert "one more thing" in driver.screen()

"""Keys while another session than that on the screen is about to be read, or has left the list."""

from pathlib import Path

import pytest

from explorer.tui.reading import transcript_controller as controller
from tests.factories import rows
from tests.tui.driving import Held, animals, opened

ARCHIVED = "SELECT title FROM sessions WHERE archived = 1"


async def test_keys_do_nothing_to_a_session_that_is_not_shown_yet(
    tmp_path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = animals(tmp_path / "state.db")
    async with opened(path, trash=trash, notes=tmp_path / "notes.db") as driver:
        await driver.press("slash")
        await driver.type("am")
        await driver.press("enter")
        assert "ant" in str(driver.main.transcript.border_title)
        held = Held(monkeypatch, controller, "beginning")
        await driver.pilot.press("n")
        await held.holds(driver)
        for key in ("a", "m", "d", "t", "Y", "i"):
            driver.app.clear_notifications()
            await driver.pilot.press(key)
            assert "ant" in str(driver.main.transcript.border_title)
            assert driver.said() == "Still reading this session. Try again in a moment.", key
        await driver.pilot.press("p")
        assert len(driver.app.screen_stack) == 2, "a prune is about no session"
        await driver.pilot.press("escape")
        held.let_go()
        await driver.settle()
        await driver.press("a")
    assert rows(path, ARCHIVED) == [("bee",)]


async def test_archive_twice_while_reading_is_about_one_session(
    tmp_path: Path, trash: Path
) -> None:
    path = animals(tmp_path / "state.db")
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("enter", "a")
        assert driver.listed() == ["ant", "cat", "dog"]
        assert "I am bee" in driver.screen(), "it is still being read"
        await driver.press("a")
        assert "Unarchived “bee”" in driver.said()
        assert driver.current() == "bee"
        await driver.press("a", "escape")
        assert driver.current() == "cat"
        assert "I am cat" in driver.screen()
    assert rows(path, ARCHIVED) == [("bee",)]

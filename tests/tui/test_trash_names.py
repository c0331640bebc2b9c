"""The screen of the trash names sessions as the list does, also those without a title."""

from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.edits.trash import TrashScreen
from tests.factories import T0, altered, talk
from tests.newer_files import newer_file
from tests.tui.driving import opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "20250101_s", "Mend\x1b[31m the [b]blue[/b] net", "Done.", end="cli_close")
        talk(
            *(state, "20250101_h", "Look for holes"),
            parent="20250101_s",
            config={"_delegate_from": "20250101_s"},
            source="subagent",
            end="done",
        )
        talk(state, "20250101_t", "hello", title="Trip", at=T0 - 999, end="cli_close")
    return path


async def test_the_trash_names_sessions_by_their_first_words(path: Path, tmp_path: Path) -> None:
    async with opened(path, trash=tmp_path / "trash.db") as driver:
        await driver.press("d", "y")
        driver.main.action_trash()
        await driver.settle()
        assert isinstance(driver.app.screen, TrashScreen)
        shown = driver.screen()
        assert "Mend the [b]blue[/b] net  2 messages" in shown
        assert "Look for holes  1 message" in shown
        assert "20250101" not in shown
        await driver.press("j", "enter")
        assert "In the trash · Look for holes" in driver.screen()


async def test_details_are_titled_as_the_row_is(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("i")
        assert "Details · Mend the [b]blue[/b] net" in driver.screen()


async def test_a_pin_is_told_by_the_name_of_the_row(tmp_path: Path) -> None:
    path = newer_file("hermes-v31", tmp_path)
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = NULL")
    async with opened(path, notes=tmp_path / "notes.db", trash=tmp_path / "trash.db") as driver:
        row = driver.main.sessions.current
        assert row is not None
        assert row.preview
        await driver.press("m")
        assert f"inned “{row.preview[:30]}" in driver.said()

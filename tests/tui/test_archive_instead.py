"""Who is about to delete is offered to archive."""

from pathlib import Path

from tests.factories import rows
from tests.tui.driving import animals, opened


async def test_archive_is_offered_beside_delete(tmp_path: Path, trash: Path) -> None:
    path = animals(tmp_path / "state.db")
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        assert "Archive instead" in driver.screen()
        await driver.press("right", "enter")
        await driver.until(lambda: "Archived “ant”" in driver.said())
        assert "ant" not in driver.listed()
    assert rows(path, "SELECT archived FROM sessions WHERE title = 'ant'") == [(1,)]

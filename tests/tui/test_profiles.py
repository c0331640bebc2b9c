"""Several profiles in one list: what is shown, and that everything acts in the file of its row."""

from pathlib import Path

import pytest

from tests.profiles import five_profiles
from tests.tui.driving import NOW, opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return five_profiles(tmp_path / "hermes", NOW)


async def test_all_profiles_are_one_list_by_last_activity(root: Path) -> None:
    async with opened(root) as driver:
        rows = [driver.main.sessions.row(row) for row in driver.main.sessions.order]
        found = [(row.title, row.place) for row in rows if row]
        print(driver.screen())
        assert found[:4] == [
            ("ant", "default"),
            ("ant", "coder"),
            ("bee", "default"),
            ("bee", "coder"),
        ]
        await driver.press("A")
        print(driver.screen())
        await driver.press("escape", "j", "i")
        print(driver.screen())
        await driver.press("escape", "f")
        print(driver.screen())

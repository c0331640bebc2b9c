"""`--pick` and `--print-id`: the screen says what enter does, also in the search bar."""

from pathlib import Path

import pytest

from explorer.browse.first_read import Intent, Opening, Start
from explorer.tui.app import ExplorerApp
from tests.tui.driving import NOW, Driver, animals


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(
    ("intent", "top", "label"),
    [
        (Intent.PICK, "enter resumes it", "Resume"),
        (Intent.PRINT, "enter prints its id", "Print id"),
    ],
)
async def test_a_picker_says_what_enter_does(
    intent: Intent, top: str, label: str, width: int, tmp_path: Path
) -> None:
    start = Start(Opening(animals(tmp_path / "state.db"), NOW), lambda: NOW, intent=intent)
    app = ExplorerApp(start)
    async with app.run_test(size=(width, 24)) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        lines = driver.screen().splitlines()
        assert top in lines[0]
        assert f"enter {label}" in lines[-1]
        assert "Read" not in lines[-1].replace("tab Read", "")
        assert lines[-1].count("Resume") <= 1
        await driver.press("slash")
        assert f"enter: {label.lower()}" in driver.screen()
        assert f"enter {label}" in driver.screen().splitlines()[-1]
        if intent is Intent.PRINT:
            await driver.type("bee")
            await driver.press("enter")
            assert app.return_value == "bee"

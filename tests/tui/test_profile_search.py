"""`profile:` in the search bar: offered, completed, corrected, and what it lists."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from explorer.browse.first_read import Opening, Start, look_of
from explorer.stores.discover import locate
from explorer.tui.app import ExplorerApp
from explorer.tui.widgets.bars import KeyBar
from tests.profile_homes import two_profiles
from tests.tui.driving import DEFAULTS, NOW, SIZE, Driver, opened


@asynccontextmanager
async def _both(folder: Path) -> AsyncIterator[Driver]:
    found = locate([str(two_profiles(folder))], [], {}, folder)
    look = look_of(DEFAULTS, None)
    opening = Opening(found[0].path, NOW, density=look.density, found=found)
    app = ExplorerApp(Start(opening, lambda: NOW, DEFAULTS, look=look))
    async with app.run_test(size=SIZE) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver


async def test_tab_completes_a_profile_and_lists_what_belongs_to_it(tmp_path: Path) -> None:
    async with _both(tmp_path / "hermes") as driver:
        await driver.press("slash")
        await driver.type("pro")
        keys, field = driver.main.query_one(KeyBar), driver.main.search_bar.input
        assert keys.offers[0] == "profile:"
        await driver.press("tab")
        assert (field.value, keys.offers[:2]) == ("profile:", ("default", "work"))
        await driver.type("w")
        await driver.press("tab")
        assert field.value == "profile:work"
        assert driver.listed() == ["Release", "Pipes", "book a train"]
        assert "profile is work" in driver.screen()


async def test_a_misspelt_profile_is_corrected(tmp_path: Path) -> None:
    async with _both(tmp_path / "hermes") as driver:
        await driver.press("slash")
        await driver.type("profile:wrok")
        assert "work" in driver.main.query_one(KeyBar).offers
        await driver.press("tab")
        assert driver.main.search_bar.input.value == "profile:work"


async def test_one_file_completes_the_profiles_that_its_sessions_belong_to(tmp_path: Path) -> None:
    path = two_profiles(tmp_path / "hermes") / "state.db"
    async with opened(path) as driver:
        await driver.press("slash")
        await driver.type("profile:w")
        await driver.settle()
        assert driver.main.query_one(KeyBar).offers == ("work",)
        await driver.press("tab")
        assert driver.listed() == ["book a train"]

"""Enter in the search bar is for what was searched for, also before that is listed."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from explorer.browse import live_search as searching
from explorer.browse.arrangement import Arranged
from explorer.browse.first_read import Intent, Opening, Start
from explorer.cancel import CancelToken
from explorer.search import engine
from explorer.search.engine import Gathered, SearchResult
from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.app import ExplorerApp
from tests.factories import talk
from tests.tui.driving import NOW, SIZE, Driver, Held

HOUR = 3600.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "ant", "a horse", at=NOW - HOUR, title="ant", end="cli_close")
        talk(state, "bee", "a zebra", at=NOW - 2 * HOUR, title="bee", end="cli_close")
        talk(state, "cat", "a donkey", at=NOW - 3 * HOUR, title="cat", end="cli_close")
    return file


def _told_at_the_end(
    gathered: Gathered,
    made: Callable[[SearchResult], Arranged],
    tell: Callable[[Arranged], None],
    token: CancelToken,
) -> SearchResult:
    return engine.search(gathered, made, lambda part: None, token)


@asynccontextmanager
async def _searching(
    path: Path, monkeypatch: pytest.MonkeyPatch, text: str = "zebra"
) -> AsyncIterator[tuple[Driver, Held]]:
    """The app that prints what is chosen, with a search of which nothing is listed yet."""
    app = ExplorerApp(Start(Opening(path, NOW), lambda: NOW, intent=Intent.PRINT))
    async with app.run_test(size=SIZE) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        monkeypatch.setattr(searching, "search", _told_at_the_end)
        search = Held(monkeypatch, searching, "search")
        await pilot.press("slash")
        driver.main.search_bar.input.value = text
        await search.holds(driver)
        yield driver, search
        search.let_go()


async def test_the_first_result_is_opened_when_it_is_listed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _searching(path, monkeypatch) as (driver, search):
        await driver.pilot.press("enter")
        assert driver.app.return_value is None
        search.let_go()
        await driver.until_seen(lambda: driver.app.return_value is not None)
        assert driver.app.return_value == "bee"


@pytest.mark.parametrize("keys", [["s"], ["s", "backspace"], ["down"], ["tab"], ["ctrl+p"]])
async def test_nothing_is_opened_for_somebody_who_has_gone_on(
    path: Path, monkeypatch: pytest.MonkeyPatch, keys: list[str]
) -> None:
    async with _searching(path, monkeypatch) as (driver, search):
        await driver.pilot.press("enter", *keys)
        search.let_go()
        await driver.settle()
        assert driver.app.return_value is None


async def test_where_nothing_is_found_the_list_is_gone_to(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _searching(path, monkeypatch, "unicorn") as (driver, search):
        await driver.pilot.press("enter")
        assert driver.focus() == "query"
        search.let_go()
        await driver.settle()
        assert driver.focus() == "list"
        assert driver.app.return_value is None

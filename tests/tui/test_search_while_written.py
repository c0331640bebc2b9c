"""A search that takes long, beside an agent that goes on writing."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from explorer.browse import live_search as searching
from explorer.browse.arrangement import Arranged
from explorer.cancel import CancelToken
from explorer.search import engine
from explorer.search.engine import Gathered, SearchResult
from explorer.stores.catalog import Mark
from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import altered, insert, say, talk
from tests.tui.driving import NOW, Driver, Held, opened

HOUR = 3600.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "ant", "a zebra", at=NOW - HOUR, title="ant", end="cli_close")
        talk(state, "bee", "no horse", at=NOW - 2 * HOUR, title="bee", end="cli_close")
    return file


@asynccontextmanager
async def _searching(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Driver, Held, CancelToken]]:
    """The app, with a search that has not ended yet, and what would stop it."""
    async with opened(path) as driver:
        search = Held(monkeypatch, searching, "search")
        await driver.pilot.press("slash")
        driver.main.search_bar.input.value = "zebra"
        await search.holds(driver)
        yield driver, search, driver.main._lanes._tokens["order"]
        search.let_go()


async def _written(driver: Driver, path: Path) -> None:
    """An agent begins another session, and that has been seen."""
    with altered(path) as db:
        insert(db, "sessions", id="cat", source="cli", started_at=NOW - 60, title="cat")
        newest = say(db, "cat", content="another zebra", timestamp=NOW - 50)

    def seen() -> bool:
        catalog = driver.main._lister.catalog
        mark = catalog.mark if catalog is not None else None
        return isinstance(mark, Mark) and mark.message == newest

    await driver.until_seen(seen)


async def test_it_comes_to_its_end_and_what_was_written_is_found_after_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _searching(path, monkeypatch) as (driver, search, token):
        await _written(driver, path)
        assert not token.cancelled
        search.let_go()
        await driver.settle()
        assert driver.listed() == ["cat", "ant"]


async def test_another_letter_does_not_wait_for_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _searching(path, monkeypatch) as (driver, _, token):
        await _written(driver, path)
        await driver.pilot.press("s")
        await driver.until_seen(lambda: token.cancelled)


async def test_another_wish_does_not_wait_for_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _searching(path, monkeypatch) as (driver, _, token):
        await _written(driver, path)
        driver.main._lister.toggle_hidden()
        assert token.cancelled


async def test_an_edit_of_ours_does_not_wait_for_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _searching(path, monkeypatch) as (driver, _, token):
        await _written(driver, path)
        driver.main.file.edited()
        await driver.until_seen(lambda: token.cancelled)


async def test_what_is_listed_stays_while_it_is_searched_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of the results would take the cursor and the transcript somewhere else."""
    whole = engine.search

    def in_part(
        gathered: Gathered,
        made: Callable[[SearchResult], Arranged],
        tell: Callable[[Arranged], None],
        token: CancelToken,
    ) -> SearchResult:
        result = whole(gathered, lambda part: None, lambda part: None, token)
        tell(made(result._replace(order=result.order[:1], complete=False, done=0.1)))
        return result

    with altered(path) as db:
        say(db, "bee", content="and a zebra", timestamp=NOW - 3 * HOUR)
    async with opened(path) as driver:
        await driver.press("slash")
        await driver.type("zebra")
        await driver.press("down", "enter")
        assert driver.listed() == ["ant", "bee"]
        monkeypatch.setattr(searching, "search", in_part)
        search = Held(monkeypatch, searching, "search")
        await _written(driver, path)
        await search.holds(driver)
        await driver.pilot.pause()
        assert driver.listed() == ["ant", "bee"]
        assert driver.main._reader.session is not None
        assert driver.main._reader.session.id == "bee"
        search.let_go()
        await driver.settle()
        assert driver.listed() == ["cat", "ant", "bee"]
        assert driver.main._reader.session.id == "bee"

"""Going to a date in the list."""

from pathlib import Path

import pytest

from explorer.browse.arrangement import Arranged, Wish
from explorer.browse.date_jump import row_of_day
from explorer.cancel import CancelToken
from explorer.search.language.vocabulary import Period
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from tests.factories import talk
from tests.tui.driving import NOW, Driver, opened

DAY = 86400
DAYS = (0, 1, 1.1, 3, 40, 400)
"""How long ago each session was active, by its title."""


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        for days in DAYS:
            talk(state, f"s{days}", "hello", at=NOW - days * DAY - 60, title=f"{days} ago")
    return file


async def _go(driver: Driver, date: str) -> str | None:
    """The session that a date leads to."""
    await driver.press("at")
    await driver.type(date)
    await driver.press("enter")
    return driver.current()


async def test_a_date_leads_to_its_first_session_or_the_nearest_older_one(diary: Path) -> None:
    async with opened(diary) as driver:
        assert await _go(driver, "yesterday") == "1 ago"
        assert driver.said() == ""
        assert await _go(driver, "2026-09-19") == "3 ago"
        assert "No session on 2026-09-19. This is the nearest older one." in driver.said()
        assert await _go(driver, "2d") == "3 ago"
        assert await _go(driver, "2026-08") == "40 ago"
        assert await _go(driver, "yesterday 23:00") == "1 ago"
        assert "No session at 2026-09-20 23:00:00. This is the nearest older one." in driver.said()
        assert await _go(driver, "13:00") == "1.1 ago", "on the day under the cursor"
        assert await _go(driver, "2020") == "400 ago"
        assert "This is the oldest one." in driver.said()
        await driver.press("at")
        await driver.type("soon")
        assert "A date (2026-03-01" in driver.screen()
        await driver.press("enter")
        assert len(driver.app.screen_stack) == 2, "the question stays"
        await driver.press("escape", "s", "enter")
        assert driver.main._lister.wish.reverse
        assert await _go(driver, "yesterday") == "1.1 ago", "the first in this order"
        assert await _go(driver, "2026-09-19") == "3 ago"


async def test_where_there_are_no_dates_the_key_says_what_to_do(diary: Path) -> None:
    async with opened(diary) as driver:
        await driver.press("s", "down", "enter", "m")
        assert await _go(driver, "2026-08") == "40 ago", "by start, below what is pinned"
        await driver.press("s", "down", "enter", "at")
        assert "Sort by last active or by start to go to a date." in driver.said()
        await driver.press("slash", *"hello")
        driver.main.set_focus(driver.main.sessions)
        await driver.press("at")
        assert "Clear the search to go to a date" in driver.said()
        await driver.press("slash", *"zzz")
        driver.main.set_focus(driver.main.sessions)
        await driver.press("at")
        assert "No sessions are listed." in driver.said()


def test_a_list_whose_sessions_are_gone_has_no_dates(tmp_path: Path) -> None:
    """An agent deleted them while the question was open."""
    with StateFile.create(tmp_path / "state.db"):
        pass
    store = open_store(tmp_path / "state.db")
    listed = Arranged([1, 2, 3], (), {}, 3)
    day = Period(NOW - DAY, NOW)
    assert row_of_day(store, store.catalog(), listed, Wish(), day, CancelToken()) is None

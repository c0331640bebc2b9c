"""A file of power-loop: no source, and no session ever ends, so nothing says or asks for either."""

from pathlib import Path

import pytest

from explorer.browse.choices import ChoiceRow
from explorer.tui.list.filter_dialog import FilterList
from tests.real_files import unpack
from tests.tui.driving import Driver, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return unpack("power-loop-8.0.0", tmp_path)


def _listed(driver: Driver) -> str:
    width = driver.main.sessions.outer_size.width
    return "\n".join(line[:width] for line in driver.screen().splitlines()[3:-1])


def _offered(rows: list[ChoiceRow]) -> str:
    return "\n".join(row.words for row in rows)


async def test_rows_name_the_model_and_have_no_mark_for_what_never_ends(path: Path) -> None:
    async with opened(path, size=(120, 40)) as driver:
        assert "power-l…" not in _listed(driver)
        assert "gpt-5.1" in _listed(driver)
        assert "○" not in _listed(driver)
        assert "✗" in _listed(driver), "what stopped midway is still marked"


async def test_filters_and_prune_offer_only_what_can_apply(path: Path) -> None:
    async with opened(path, size=(140, 60), trash=path.with_name("trash.db")) as driver:
        await driver.press("f")
        filters = _offered(list(driver.app.screen.query_one(FilterList)._rows))
        assert "Archived" in filters
        assert "Subagents" in filters
        for never in ("cron", "Tool sessions", "power-loop"):
            assert never not in filters
        await driver.press("escape", "p")
        screen = driver.screen()
        assert "Inactive for at least" in screen
        assert "Subagent sessions older than 30 days" in screen
        for never in ("never ended", "Cron sessions", "Source"):
            assert never not in screen
        assert "○" not in screen

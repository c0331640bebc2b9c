"""A file of power-loop: no source, and no session ever ends, so nothing says or asks for either."""

from pathlib import Path

import pytest

from explorer.browse.choices import ChoiceRow
from explorer.tui.list.filter_dialog import FilterList
from tests.factories import altered
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


@pytest.mark.parametrize("name", ["power-loop-0.2.0", "power-loop-8.0.0"])
async def test_a_summary_says_what_it_stands_for_above_it(tmp_path: Path, name: str) -> None:
    async with opened(unpack(name, tmp_path), size=(120, 60)) as driver:
        await driver.to("Compacted twice")
        await driver.press("enter", "g")
        shown = driver.screen()
        assert "10 messages summarised, 4,000 → 300 tokens" in shown
        assert "summary of earlier messages" in shown
        assert shown.index("4,000 → 300") < shown.index("Plan the release", shown.index("300 tok"))


async def test_an_interrupted_send_says_at_its_end_what_it_waits_for(path: Path) -> None:
    async with opened(path, size=(120, 40)) as driver:
        await driver.to("Interrupted")
        await driver.press("enter")
        assert "interrupted: waits for the result of bash" in driver.screen()
        assert "of 2" in driver.screen(), "our own words are no message"
        await driver.press("escape", "i")
        assert "the results of bash" in driver.screen()


async def test_a_call_leads_to_the_subagent_that_it_started(path: Path) -> None:
    with altered(path) as db:
        (caller,) = db.execute("SELECT session_id FROM pl_sessions WHERE rowid = 33").fetchone()
        db.execute(
            "UPDATE pl_messages SET tool_calls_json = replace(tool_calls_json, '\"bash\"',"
            " '\"spawn_agent\"') WHERE session_id = ?",
            (caller,),
        )
        db.execute(
            "UPDATE pl_sessions SET spawn_tool_call_id = (SELECT m.tool_call_id FROM pl_messages m"
            " WHERE m.session_id = ? AND m.role = 'tool' ORDER BY m.seq LIMIT 1) WHERE rowid = 37",
            (caller,),
        )
        db.execute(
            'UPDATE pl_sessions SET metadata_json = \'{"title": "Sent off"}\' WHERE rowid = 37'
        )
    async with opened(path, size=(140, 50)) as driver:
        driver.main._lister.reveal(33)
        await driver.settle()
        await driver.press("enter", "g")
        for _ in range(12):
            if "▌ ▸ spawn_agent" in driver.screen():
                break
            await driver.press("right_curly_bracket")
        await driver.press("enter")
        await driver.settle()
        assert "Sent off" in driver.screen()


async def test_r_shows_and_copies_the_call_that_resumes_a_session(path: Path) -> None:
    async with opened(path, size=(200, 40)) as driver:
        for title, call in (
            ("Loop 1", 'send("…", session_id='),
            ("Interrupted", "resume(session_"),
        ):
            await driver.to(title)
            await driver.press("r")
            await driver.settle()
            assert call in driver.app.clipboard
            assert repr(str(path)) in driver.app.clipboard
            assert "Copied the call that resumes it" in driver.said()

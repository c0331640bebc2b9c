"""A file of power-loop: no source, and no session ever ends, so nothing says or asks for either."""

import asyncio
from pathlib import Path

import pytest

from explorer.browse.choices import ChoiceRow
from explorer.stores.power_loop.store import PowerLoopStore
from explorer.tui.list.filter_dialog import FilterList
from tests.agents import run_agent
from tests.factories import altered, everybody
from tests.profile_homes import two_profiles
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


async def test_beside_a_profile_only_sessions_that_could_end_are_marked_as_open(
    tmp_path: Path,
) -> None:
    home, here = two_profiles(tmp_path / "hermes"), tmp_path / "bot"
    here.mkdir()
    unpack("power-loop-8.0.0", here).rename(here / "power_loop_sessions.db")
    async with opened(here, home=home, trash=tmp_path / "trash.db") as driver:
        assert "bot" in _listed(driver)
        assert "○" not in _listed(driver)
        await driver.press("f")
        await driver.type("work")
        await driver.press("space", "escape", "escape")
        assert "○" in _listed(driver)


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


SUBAGENTS = {"linked, depth 1", "linked, depth 2", "detached, depth 3", "ephemeral, depth 1"}


async def test_the_lineage_and_the_unfolded_list_say_what_becomes_of_subagents(path: Path) -> None:
    async with opened(path, size=(180, 60)) as driver:
        await driver.to("Spawn root")
        await driver.press("z")
        listed = _listed(driver)
        assert all(f"{words} · " in listed for words in SUBAGENTS)
        await driver.press("L")
        await driver.settle()
        assert all(f"subagent · {words}" in driver.screen() for words in SUBAGENTS)


WRITES = """
import asyncio, sys
from power_loop.runtime.store import open_store

async def main():
    store = await open_store(sys.argv[1])
    await store.append_message(sys.argv[2], role="user", content="breaking news")
    await store.close()

asyncio.run(main())
"""


async def test_a_message_of_the_real_package_appears_without_a_survey(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (loop,) = (one for one in everybody(path) if one.title == "Loop 1")
    async with opened(path, size=(160, 40)) as driver:
        await driver.to("Loop 1")
        await driver.press("enter", "G")
        surveys: list[int] = []
        monkeypatch.setattr(PowerLoopStore, "catalog", lambda *_: surveys.append(1))
        arguments = (WRITES, "power-loop", "8.0.0", tmp_path / "home", path, loop.id)
        await asyncio.to_thread(run_agent, *arguments)
        await driver.until(lambda: "breaking news" in driver.screen())
        await driver.until(lambda: driver.listed()[0] == "Loop 1")
        row = driver.main.sessions.row(driver.main.sessions.order[0])
        assert row is not None
        assert row.message_count == loop.message_count + 1
        assert surveys == []


async def test_a_title_that_the_file_cannot_keep_is_listed_searched_and_undone(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE pl_sessions SET metadata_json = '{}'")
    notes, trash = path.with_name("explorer.db"), path.with_name("trash.db")
    async with opened(path, size=(140, 40), notes=notes, trash=trash) as driver:
        await driver.press("t", *"Zebra")
        await driver.settle()
        assert "The program keeps no titles" in driver.screen()
        await driver.press("enter")
        await driver.settle()
        assert driver.current() == "Zebra"
        await driver.press("slash", *"zebra", "enter")
        await driver.settle()
        assert driver.listed() == ["Zebra"]
    async with opened(path, size=(140, 40), notes=notes, trash=trash) as driver:
        assert "Zebra" in driver.listed(), "it is there after a restart"
        await driver.to("Zebra")
        await driver.press("t", "ctrl+u", *"Yak", "enter")
        await driver.settle()
        assert driver.current() == "Yak"
        await driver.press("u")
        await driver.settle()
        assert driver.current() == "Zebra"

"""The family of a session, and going to its members."""

from pathlib import Path

import pytest

from explorer.browse.lineage import LARGEST
from explorer.model import Kind
from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import altered, talk
from tests.tui.driving import NOW, Driver, opened


async def _on(driver: Driver, title: str) -> int:
    """Put the cursor on a session."""
    store = driver.main.file.opened.store  # type: ignore[union-attr]
    key = store.find(title)[0].key
    driver.main._lister.reveal(key)
    await driver.settle()
    assert driver.main.sessions.cursor_row is not None
    return driver.main.sessions.cursor_row


async def test_the_tree_names_every_link_and_where_one_is(demo: Path) -> None:
    async with opened(demo) as driver:
        await _on(driver, "Review the retry queue")
        await driver.press("L")
        screen = driver.screen()
        assert "Lineage" in screen
        assert "◂ here" in screen
        assert screen.count("· subagent") == 2


async def test_the_parts_of_a_conversation_are_in_its_tree(demo: Path) -> None:
    async with opened(demo) as driver:
        await _on(driver, "Trip to Kyoto #3")
        await driver.press("L")
        assert driver.screen().count("· continued") == 2


async def test_a_hidden_member_is_listed_when_one_goes_to_it(demo: Path) -> None:
    async with opened(demo) as driver:
        before = list(driver.main.sessions.order)
        await _on(driver, "Review the retry queue")
        await driver.press("L", "j", "enter")
        key = driver.main.sessions.cursor_row
        assert key is not None
        assert key not in before
        row = driver.main.sessions.row(key)
        assert row is not None
        assert row.kind is Kind.SUBAGENT
        assert set(driver.main.sessions.order) == {*before, key}


async def test_enter_on_an_earlier_part_unfolds_the_conversation_and_goes_to_that_part(
    demo: Path,
) -> None:
    async with opened(demo) as driver:
        await _on(driver, "Trip to Kyoto #3")
        await driver.press("L", "k", "enter")
        row = driver.main.sessions.current
        assert row is not None
        assert row.title == "Trip to Kyoto #2"
        assert driver.main.sessions.on_a_part
        assert "└ Trip to Kyoto #2" in driver.screen()
        assert "Trip to Kyoto #2" in str(driver.main.transcript.border_title)


def _orchestrator(path: Path, helpers: int) -> None:
    """One session, and as many subagents without a title."""
    with StateFile.create(path) as state:
        talk(state, "boss", "do it all", at=NOW - 90_000, title="Boss")
        for number in range(helpers):
            at = NOW - 80_000 + number
            talk(
                state,
                f"task{number}",
                f"job {number}",
                at=at,
                parent="boss",
                source="subagent",
                config={"_delegate_from": "boss"},
            )


async def test_a_member_without_a_title_has_its_first_words_and_its_time(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    _orchestrator(path, 2)
    async with opened(path) as driver:
        await driver.press("L")
        screen = driver.screen()
        assert "Boss · yesterday ◂ here" in screen
        assert "├ job 0 · subagent · " in screen
        assert "└ job 1 · subagent · " in screen
        assert "enter: go to subagent" in screen


@pytest.mark.parametrize("width", [40, 60, 80])
async def test_in_a_narrow_window_the_name_yields_and_not_the_kind(demo: Path, width: int) -> None:
    async with opened(demo, size=(width, 24)) as driver:
        await _on(driver, "Review the retry queue")
        await driver.press("L")
        lines = [line for line in driver.screen().splitlines() if "├" in line or "└ " in line]
        assert len(lines) == 2
        assert all("… · subagent · 28m" in line for line in lines)


@pytest.mark.parametrize("number", [0, 300, 599])
async def test_of_a_large_family_what_is_around_is_shown_and_the_rest_is_counted(
    tmp_path: Path, number: int
) -> None:
    path = tmp_path / "state.db"
    _orchestrator(path, 600)
    async with opened(path) as driver:
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        driver.main._lister.reveal(store.find(f"task{number}")[0].key)
        await driver.settle()
        await driver.press("L")
        screen = driver.screen()
        assert f"{LARGEST} of 601, around this one" in screen
        assert f"job {number} · subagent" in screen
        assert "◂ here" in screen
        await driver.press("home", "enter")
        assert driver.main.sessions.current.title == "Boss", "the origin is there too"  # type: ignore[union-attr]


async def test_a_circle_of_parents_is_shown_once(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "one", "hello", at=NOW - 900, title="One", config={"_branched_from": "two"})
        talk(
            state,
            "two",
            "hello",
            at=NOW - 800,
            title="Two",
            parent="one",
            config={"_branched_from": "one"},
        )
    with altered(path) as db:
        db.execute("UPDATE sessions SET parent_session_id = 'two' WHERE id = 'one'")
    async with opened(path) as driver:
        await driver.press("L")
        assert driver.screen().count("◂ here") == 1

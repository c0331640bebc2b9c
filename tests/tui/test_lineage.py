"""The family of a session, and going to its members."""

from pathlib import Path

from explorer.model import Kind
from tests.tui.driving import Driver, opened


async def _on(driver: Driver, title: str) -> int:
    """Put the cursor on a session."""
    store = driver.main._opened.store  # type: ignore[union-attr]
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

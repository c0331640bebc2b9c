"""The chats of the gateway in the app: listed, filtered, followed, and from one to its sessions."""

from pathlib import Path

import pytest

from tests.gateway_homes import CHATS, NAMED, add_route, entry_of, gateway_home
from tests.hostile import ESC
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return gateway_home(tmp_path / "hermes")


def border(driver: Driver) -> str:
    return str(driver.app.screen.query_one("#chats").border_title)


async def test_all_chats_of_all_profiles_are_listed(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("C")
        assert border(driver) == "12 chats · by last update"
        screen = driver.screen()
        assert "DM with Ada  telegram · default" in screen
        assert "group: Ops, thread: Deploys" in screen
        assert "suspended" in screen
        assert "continues after a restart" in screen
        assert "is gone: deleted, or in another file" in screen
        assert ESC not in screen


async def test_enter_lists_the_sessions_of_a_chat_newest_first(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("C", "enter")
        ada = NAMED["ada"]
        rows = map(driver.main.sessions.row, driver.main.sessions.order)
        assert [row.id for row in rows if row] == [ada.session, *(id_ for id_, _ in ada.earlier)]
        assert driver.main.search_bar.input.value == 'chat:"DM with Ada"'
        assert driver.focus() == "list"
        await driver.press("enter")
        assert "ada asks, session 4" in driver.screen()


async def test_a_filter_and_the_next_order_are_said(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("C", "/")
        await driver.type("platform:slack")
        await driver.press("enter")
        assert border(driver) == "2 of 12 chats · matching “platform:slack” · by last update"
        await driver.press("s")
        assert border(driver).endswith("by name")
        await driver.press("escape")
        assert border(driver) == "12 chats · by name"
        await driver.press("escape")
        assert driver.app.screen is driver.main


async def test_nothing_that_matches_is_said(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("C", "/")
        await driver.type("zebra")
        await driver.press("enter")
        assert "No chat matches “zebra”. Escape shows all chats." in driver.screen()


async def test_a_route_that_changes_appears_by_itself(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("C")
        ada = NAMED["ada"]
        key = "agent:main:telegram:dm:9"
        entry = entry_of(ada) | {"origin": {**ada.origin, "user_name": "Zoe", "chat_id": "9"}}
        add_route(root / "state.db", key, entry | {"session_key": key}, NOW)
        await driver.until(lambda: f"{len(CHATS) + 1} chats" in border(driver))
        assert "DM with Zoe" in driver.screen()


async def test_a_chat_whose_session_is_gone_says_so(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("C", "/")
        await driver.type("hal")
        await driver.press("enter", "enter")
        assert driver.app.screen is not driver.main
        assert "is gone" in driver.screen()


async def test_rows_of_the_list_say_who_talked(root: Path) -> None:
    async with opened(root) as driver:
        assert "DM with Ada" in driver.screen()

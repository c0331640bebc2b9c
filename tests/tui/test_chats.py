"""The chats of the gateway in the app: listed, filtered, followed, and from one to its sessions."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.gateway_homes import (
    CHATS,
    NAMED,
    OTHER,
    add_chat,
    add_route,
    entry_of,
    gateway_home,
    origin,
)
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


def sessions_listed(driver: Driver) -> list[tuple[str, str]]:
    """(place, id) of the rows of the list."""
    rows = map(driver.main.sessions.row, driver.main.sessions.order)
    return [(row.place, row.id) for row in rows if row]


async def enter_chat(driver: Driver, typed: str, *, down: int = 0) -> None:
    await driver.press("C", "/")
    await driver.type(typed)
    await driver.press("enter", *["down"] * down, "enter")


async def test_two_people_of_one_name_are_two_chats(root: Path) -> None:
    other = replace(
        NAMED["ada"],
        name="other ada",
        key="agent:main:telegram:dm:7099",
        origin=origin("telegram", "7099", chat_name="Ada", user_id="7099", user_name="Ada"),
        session="20251022_100000_ada99",
        earlier=(),
        updated=NAMED["ada"].updated - 60,
    )
    add_chat(root, other)
    ada = NAMED["ada"]
    async with opened(root) as driver:
        await enter_chat(driver, "7099")
        assert sessions_listed(driver) == [("default", other.session)]
        assert driver.main.search_bar.input.value == 'chat:"DM with Ada · 7099"'
        await enter_chat(driver, "7001")
        both = [ada.session, *(id_ for id_, _ in ada.earlier)]
        assert sessions_listed(driver) == [("default", id_) for id_ in both]
        await driver.press("/", "end")
        await driver.type(" session 3")
        assert sessions_listed(driver) == [("default", ada.earlier[0][0])]


async def test_the_same_chat_in_two_profiles_is_two_chats(root: Path) -> None:
    ada = NAMED["ada"]
    there = replace(ada, gateway=OTHER, lies_in=OTHER, earlier=(), session="20251022_110000_ada77")
    add_chat(root, there)
    async with opened(root) as driver:
        await enter_chat(driver, f"7001 profile:{OTHER}")
        assert sessions_listed(driver) == [(OTHER, there.session)]
        assert driver.main.search_bar.input.value == f'chat:"DM with Ada" profile:{OTHER}'
        await enter_chat(driver, "7001 profile:default")
        assert len(sessions_listed(driver)) == 4
        assert {place for place, _ in sessions_listed(driver)} == {"default"}


async def test_a_name_that_nobody_could_type_lists_its_chat(root: Path) -> None:
    async with opened(root) as driver:
        await enter_chat(driver, "+15550101")
        assert sessions_listed(driver) == [("default", NAMED["evil"].session)]
        assert ESC not in driver.main.search_bar.input.value


async def test_a_new_session_of_the_chat_joins_its_timeline(root: Path) -> None:
    async with opened(root) as driver:
        await enter_chat(driver, "7001")
        before = sessions_listed(driver)
        add_chat(root, replace(NAMED["ada"], session="20251023_090000_ada5", updated=NOW - 60))
        await driver.until(lambda: len(sessions_listed(driver)) > len(before))
        assert sessions_listed(driver) == [("default", "20251023_090000_ada5"), *before]


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


async def test_the_hint_below_the_bar_takes_a_quoted_value_as_one(root: Path) -> None:
    async with opened(root) as driver:
        await enter_chat(driver, "deploys")
        assert sessions_listed(driver) == [("default", NAMED["topic"].session)]
        await driver.press("/")
        await driver.settle()
        assert "no session has chat" not in driver.screen()


async def test_routes_that_cannot_be_read_are_said_above_the_chats(root: Path) -> None:
    (root / "sessions" / "sessions.json").write_bytes(bytes(range(256)))
    async with opened(root) as driver:
        await driver.press("C")
        first = [line for line in driver.screen().splitlines() if "Cannot read" in line]
        assert "sessions.json" in first[0]
        assert driver.screen().index("Cannot read") < driver.screen().index("DM with Ada")
        await driver.press("enter")
        assert driver.main.search_bar.input.value == 'chat:"DM with Ada"'

"""Changes in the app to sessions on a server: what it asks and says, and what the server holds."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.widgets import Static

from explorer.stores.power_loop.server_edits import recovery
from explorer.stores.power_loop.server_edits.tables import LOCAL_TRASH
from explorer.tui.dialogs.questions import Question
from explorer.tui.edits.prune_screen import PruneScreen
from tests.conftest import Command
from tests.postgres.cutting import Cut, Proxy
from tests.postgres.driving import app_on
from tests.postgres.edit_ground import Ground
from tests.tui.driving import Driver

ALL = ["Plan of first", "Plan of second", "wait for me", "wait for me"]
FAMILY = {"first_root", "first_linked", "first_ephemeral"}


@asynccontextmanager
async def app(
    ground: Ground, user: str = "postgres", port: int = 0, now: float = 2e9
) -> AsyncIterator[Driver]:
    address = ground.server.address(ground.database, user)
    if port:
        address = address.replace(f":{ground.server.port}/", f":{port}/")
    async with app_on(address, ground.folder, now=now) as driver:
        yield driver


def _words(driver: Driver) -> str:
    """A question without its line breaks, and without what is behind it."""
    return " ".join(str(one.content) for one in driver.app.screen.query(Static))


async def test_rename_archive_and_delete_are_done_shown_and_undone(ground: Ground) -> None:
    before = ground.dump()
    async with app(ground) as driver:
        assert sorted(driver.listed()) == ALL
        await driver.to("Plan of first")
        await driver.press("t", "ctrl+u", *"Zebra", "enter")
        assert driver.current() == "Zebra"
        ((about,),) = ground.run(
            "SELECT metadata_json FROM pl_sessions WHERE session_id = 'first_root'"
        )
        assert about == '{"title":"Zebra"}'

        await driver.press("a")
        assert "Archived “Zebra”" in driver.said()
        assert "Zebra" not in driver.listed()
        await driver.press("u")
        await driver.press("y") if isinstance(driver.app.screen, Question) else None
        assert "Zebra" in driver.listed()

        await driver.to("Zebra")
        await driver.press("d")
        assert isinstance(driver.app.screen, Question)
        asked = _words(driver)
        assert "Delete “Zebra” and 2 subagent sessions?" in asked
        assert "21 messages" in asked
        assert LOCAL_TRASH in asked, "the plan says where the trash is"
        assert driver.focus() == "no"
        await driver.press("enter")
        assert ground.ids() >= FAMILY, "enter is no yes"
        await driver.press("d")
        await driver.press("y")
        assert "Deleted “Zebra” and 2 subagent sessions · u to undo" in driver.said()
        assert sorted(driver.listed()) == ALL[1:]
        assert not FAMILY & ground.ids()

        await driver.press("u")
        assert "Restore “Zebra” and 2 subagent sessions?" in _words(driver)
        await driver.press("y")
        assert driver.current() == "Zebra"
        await driver.press("u")
        await driver.press("y") if isinstance(driver.app.screen, Question) else None
        assert driver.current() == "Plan of first"
    assert ground.dump() == before


async def test_a_prune_is_counted_asked_and_undone_as_one(ground: Ground) -> None:
    before = ground.dump()
    async with app(ground) as driver:
        await driver.press("p")
        assert isinstance(driver.app.screen, PruneScreen)
        await driver.press("j", "j", "enter")
        shown = driver.screen()
        assert "Will be removed: 10 sessions" in shown
        assert "machine only." in shown
        assert "state file" not in shown
        await driver.press("d")
        question = driver.app.screen
        assert isinstance(question, Question)
        assert LOCAL_TRASH in str(question.query_one("#question-text", Static).content)
        await driver.press("y")
        assert "Deleted 8 sessions. Not deleted: 2 sessions were interrupted" in driver.said()
        kept = {"first_pending", "second_pending", "first_detached", "second_detached"}
        assert ground.ids() == kept, "those that wait for results, and archived ones"
        await driver.press("escape")
        await driver.press("u")
        await driver.press("y")
    assert ground.dump() == before


async def test_what_a_program_may_be_writing_is_refused_until_it_is_forced(
    ground: Ground, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.run(
        "UPDATE pl_session_leases SET session_id = 'second_root', expires_at = 9999999999999"
        " WHERE session_id = 'second_leased'"
    )
    ground.write_now("first_root")
    before = ground.dump()
    async with app(ground) as driver:
        await driver.to("wait for me")
        await driver.press("d")
        assert driver.told()[-1].startswith("Not deleted: “wait for me” was interrupted and waits")
        await driver.press("a")
        assert driver.told()[-1].startswith("Not archived: “wait for me” was interrupted and waits")
        await driver.to("Plan of second")
        await driver.press("d")
        assert "“Plan of second” is running" in driver.said()
        await driver.press("t", *"x")
        assert "Running (its agent may be writing it)" in driver.screen()
        await driver.press("escape")
    async with app(ground, now=time.time()) as driver:
        await driver.to("Plan of first")
        await driver.press("d")
        assert "“Plan of first” is running" in driver.said(), "written within two minutes"
        assert "Stop the agent first." in driver.said()
    assert ground.dump() == before
    monkeypatch.setenv("XDG_DATA_HOME", str(ground.folder))
    address = ground.server.address(ground.database)
    refused = command("delete", "second_root", "--db", address, "--yes")
    assert (refused.code, "--force" in refused.err) == (6, True)
    assert command("delete", "second_root", "--db", address, "--yes", "--force").code == 0
    assert "second_root" not in ground.ids()
    assert command("undo", "--db", address, "--yes").code == 0
    assert ground.dump() == before


async def test_a_role_that_may_only_read_is_told_why_by_every_key(ground: Ground) -> None:
    ground.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    before = ground.dump()
    async with app(ground, user="reader") as driver:
        await driver.to("Plan of first")
        for key, title in (("d", "Cannot delete"), ("a", "Cannot archive"), ("t", "Cannot rename")):
            await driver.press(key)
            last = driver.told()[-1]
            assert last.startswith(f"{title}: "), key
            assert "this user has no permission for" in last.lower(), key
        await driver.press("m")
        assert "Pinned" in driver.said(), "our notes are on this machine"
    assert ground.dump() == before


async def test_a_server_that_goes_away_between_the_plan_and_the_yes_loses_nothing(
    ground: Ground,
) -> None:
    before, proxy = ground.dump(), Proxy(ground.server.port, Cut.BEFORE, nth=0)
    try:
        async with app(ground, port=proxy.port) as driver:
            await driver.to("Plan of first")
            await driver.press("d")
            proxy.close()
            await driver.pilot.press("y")
            await driver.until_seen(lambda: "Nothing was changed" in driver.said())
            assert ground.dump() == before
            proxy.open()
            await driver.until(lambda: "Cannot reach" not in driver.screen())
            await driver.to("Plan of first")
            await driver.press("d")
            await driver.press("y")
            assert "Deleted “Plan of first”" in driver.said()
            await driver.press("u")
            await driver.press("y")
        assert ground.dump() == before
    finally:
        proxy.close()


@pytest.mark.parametrize("cut", Cut)
async def test_a_server_that_is_gone_when_it_should_save_is_asked_at_the_next_start(
    ground: Ground, cut: Cut, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "PATIENCE", 0.3)
    before, proxy = ground.dump(), Proxy(ground.server.port, cut, for_good=True)
    try:
        async with app(ground, port=proxy.port) as driver:
            await driver.to("Plan of first")
            await driver.press("d")
            await driver.pilot.press("y")
            await driver.until_seen(lambda: "went away while a change was" in driver.said())
            assert "finds out whether it was saved" in driver.said()
            assert "Nothing was changed" not in driver.said()
        gone = not FAMILY & ground.ids()
        assert gone == (cut is Cut.AFTER)
        proxy.open()
        async with app(ground, port=proxy.port) as driver:
            expected = "It can be undone." if gone else "Nothing was changed."
            await driver.until(lambda: "was interrupted" in driver.said())
            assert expected in driver.said()
            assert ("Plan of first" in driver.listed()) == (not gone)
            await driver.press("u")
            if gone:
                assert "Restore “Plan of first” and 2 subagent sessions?" in _words(driver)
                await driver.press("y")
                assert driver.current() == "Plan of first"
            else:
                assert "Nothing to undo" in "".join(driver.told())
        assert ground.dump() == before
    finally:
        proxy.close()

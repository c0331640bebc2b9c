"""The palette: the usual commands first, and only those that can act where the user is."""

from pathlib import Path

from textual.worker import WorkerState

from explorer.browse.first_read import Opening, Start
from explorer.keys.actions import BY_ID
from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.app import ExplorerApp
from explorer.tui.dialogs.palette import Palette
from explorer.tui.screens.obstacles import Situation, is_offered, why_not
from tests.tui.driving import NOW, SIZE, Driver, animals, opened


def _offered(driver: Driver) -> list[str]:
    return [action.id for action in driver.main.commands()]


async def test_the_usual_commands_come_first_and_movement_not_at_all(tmp_path: Path) -> None:
    async with opened(animals(tmp_path / "state.db"), trash=tmp_path / "trash.db") as driver:
        await driver.press("colon")
        assert isinstance(driver.app.screen, Palette)
        await driver.press("escape")
        found = _offered(driver)
        assert found[:6] == ["read", "resume", "search", "help", "rename", "delete"]
        assert {"copy-command", "copy-id", "find", "trash", "editor"} <= set(found)
        assert not [name for name in found if "-page" in name or "-down" in name or "half" in name]
        assert {"expand", "whole-or-part", "remove-filter", "keep-expiring"}.isdisjoint(found)
        assert "reopen" in found, "they have ended"
        assert "mark-ended" not in found
        await driver.press("enter")
        found = _offered(driver)
        assert found[:4] == ["back", "expand-block", "find", "help"]
        assert {"resume", "rename", "full-width", "go-to-date", "copy-command"} <= set(found)


async def test_a_palette_that_is_closed_while_it_looks_for_commands_does_no_harm(
    tmp_path: Path,
) -> None:
    async with opened(animals(tmp_path / "state.db")) as driver:
        await driver.press("colon")
        palette = driver.app.screen
        assert isinstance(palette, Palette)
        await palette.remove_children()
        search = palette._gather_commands("rename")
        await search.wait()
        assert search.state is WorkerState.SUCCESS


async def test_an_empty_list_offers_nothing_about_a_session(tmp_path: Path) -> None:
    StateFile.create(tmp_path / "state.db").__exit__(None, None, None)
    async with opened(tmp_path / "state.db", trash=tmp_path / "trash.db") as driver:
        found = set(_offered(driver))
        assert found.isdisjoint({"read", "resume", "rename", "delete", "copy", "select", "find"})
        assert {"search", "filter", "sort", "trash", "undo", "help", "quit"} <= found


async def test_the_demo_offers_no_resume(demo: Path) -> None:
    start = Start(Opening(demo, NOW, "made-up sessions"), lambda: NOW)
    app = ExplorerApp(start)
    async with app.run_test(size=SIZE) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        assert {"resume", "copy-command"}.isdisjoint(_offered(driver))
        await driver.press("y")
        assert "Demo sessions cannot be resumed" in driver.said()


def test_a_file_that_refuses_a_change_does_not_offer_it() -> None:
    now = Situation(surveyed=True, has_session=True, rows=1, refused={"archive": "has no column"})
    assert not is_offered(BY_ID["archive"], now)
    assert is_offered(BY_ID["rename"], now)
    assert not why_not(BY_ID["archive"], now), "the key gives the file's own reason"
    unread = Situation(surveyed=False, has_session=False)
    assert "Still reading" in why_not(BY_ID["rename"], unread)

"""Questions that come when the user has moved on."""

import threading
from pathlib import Path

import pytest
from textual.events import Key

from explorer.stores.edits.editor import Editor
from explorer.stores.ours.trash import TrashFile
from explorer.tui import agent_commands as resuming
from explorer.tui.dialogs import attention
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.dialogs.questions import Question
from explorer.tui.edits import confirm as edit_lane
from explorer.tui.edits.edit_controller import Rename
from explorer.tui.words import MOVED_ON, TOO_EARLY
from tests.factories import rows
from tests.tui.driving import NAMES, Driver, Held, animals, delete_in_planning, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return animals(tmp_path / "state.db")


def _ids(path: Path) -> list[object]:
    return [id_ for (id_,) in rows(path, "SELECT id FROM sessions ORDER BY id")]


def _typed(driver: Driver) -> str:
    return driver.main.search_bar.input.value


async def _asks(driver: Driver) -> None:
    await driver.until_seen(lambda: isinstance(driver.app.screen, Question))


async def test_a_letter_typed_into_the_search_bar_is_no_yes(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        plan = await delete_in_planning(driver, monkeypatch)
        await driver.pilot.press("slash", "d", "a")
        plan.let_go()
        await driver.settle()
        await driver.press("y")
        assert _typed(driver) == "day"
        assert MOVED_ON in driver.said()
        assert _ids(path) == [*NAMES]


async def test_a_letter_typed_into_a_new_title_is_no_yes(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        plan = await delete_in_planning(driver, monkeypatch)
        await driver.pilot.press("j", "t")
        await driver.until_seen(lambda: isinstance(driver.app.screen, Rename))
        plan.let_go()
        await driver.settle()
        assert isinstance(driver.app.screen, Rename)
        await driver.press("y")
        assert _ids(path) == [*NAMES]


async def test_a_letter_typed_into_the_search_bar_undoes_nothing(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        await driver.press("y")
        plan = Held(monkeypatch, Editor, "undo_plan")
        await driver.pilot.press("u")
        await plan.holds(driver)
        await driver.pilot.press("slash")
        plan.let_go()
        await driver.settle()
        await driver.press("y")
        assert _typed(driver) == "y"
        assert _ids(path) == ["bee", "cat", "dog"]


async def test_whoever_only_moves_in_the_list_is_asked(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LATE", 600.0)
    async with opened(path, trash=trash) as driver:
        plan = await delete_in_planning(driver, monkeypatch)
        await driver.pilot.press("j")
        plan.let_go()
        await driver.settle()
        assert "Delete “ant”?" in driver.screen()


async def test_whoever_moves_on_in_the_list_is_not_asked_late(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "LATE", 0.0)
    async with opened(path, trash=trash) as driver:
        plan = await delete_in_planning(driver, monkeypatch)
        await driver.pilot.press("j")
        plan.let_go()
        await driver.settle()
        assert not isinstance(driver.app.screen, Question)
        assert MOVED_ON in driver.said()
        await driver.press("d")
        assert "Delete “bee”?" in driver.screen(), "nobody has moved on since"


@pytest.mark.parametrize("key", ["y", "a", "escape", "v"])
async def test_a_key_that_acts_while_a_plan_is_made_cancels_it_and_says_so(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setattr(attention, "LATE", 600.0)
    async with opened(path, trash=trash) as driver:
        if key == "escape":
            await driver.press("j", "space", "k")
        plan = await delete_in_planning(driver, monkeypatch)
        await driver.pilot.press(key)
        plan.let_go()
        await driver.settle()
        assert not isinstance(driver.app.screen, Question)
        assert MOVED_ON in driver.said()
        await driver.press("y")
        assert _ids(path) == [*NAMES]


async def test_a_question_that_is_asked_for_again_is_asked(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        plan = await delete_in_planning(driver, monkeypatch)
        await driver.pilot.press("d")
        plan.let_go()
        await driver.settle()
        assert "Delete “ant”?" in driver.screen()
        assert MOVED_ON not in driver.said()


async def test_a_key_from_before_the_question_was_visible_is_no_yes(
    path: Path, trash: Path
) -> None:
    async with opened(path, trash=trash) as driver:
        early = Key("y", "y")
        await driver.press("d")
        assert isinstance(driver.app.screen, Question)
        assert driver.app._driver is not None
        driver.app._driver.send_message(early)
        await driver.settle()
        assert isinstance(driver.app.screen, Question)
        assert TOO_EARLY in driver.said()
        await driver.press("y")
        assert _ids(path) == ["bee", "cat", "dog"]


async def test_whoever_asks_while_an_edit_is_under_way_is_asked(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch, progress: threading.Event
) -> None:
    async with opened(path, trash=trash) as driver:
        edit = Held(monkeypatch, Editor, "apply")
        await driver.press("d")
        plan = Held(monkeypatch, Editor, "plan")
        await driver.pilot.press("y", "j", "d")
        await plan.holds(driver)
        progress.set()
        await driver.until_seen(lambda: isinstance(driver.app.screen, ProgressDialog))
        plan.let_go()
        await _asks(driver)
        edit.let_go()
        await driver.settle()
        assert isinstance(driver.app.screen, Question)


async def test_nothing_typed_into_the_search_bar_stops_an_edit(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch, progress: threading.Event
) -> None:
    async with opened(path, trash=trash) as driver:
        edit = Held(monkeypatch, Editor, "apply")
        await driver.press("d")
        await driver.pilot.press("y", "slash")
        progress.set()
        later: list[bool] = []
        driver.main.set_timer(2 * edit_lane.PATIENCE, lambda: later.append(True))
        await driver.until_seen(lambda: bool(later))
        await driver.pilot.press("s", "space", "s")
        assert _typed(driver) == "s s"
        await driver.pilot.press("escape", "escape")
        await driver.until_seen(lambda: isinstance(driver.app.screen, ProgressDialog))
        await driver.pilot.press("s", "enter", "space")
        edit.let_go()
        await driver.settle()
        assert "stopped" not in driver.said()
        assert _ids(path) == ["bee", "cat", "dog"]


async def test_the_trash_does_not_open_under_typing_fingers(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        await driver.press("y")
        held = Held(monkeypatch, TrashFile, "size")
        driver.main.action_trash()
        await held.holds(driver)
        await driver.pilot.press("slash")
        held.let_go()
        await driver.settle()
        await driver.type("xy")
        assert _typed(driver) == "xy"
        assert MOVED_ON in driver.said()


async def test_whoever_has_gone_on_is_not_handed_over(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        command = Held(monkeypatch, resuming, "command_for")
        await driver.pilot.press("r")
        await command.holds(driver)
        await driver.pilot.press("slash")
        command.let_go()
        await driver.settle()
        await driver.press("y")
        assert _typed(driver) == "y"
        assert MOVED_ON in driver.said()

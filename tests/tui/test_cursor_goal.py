"""The cursor and the selection stay as somebody left them while an edit was under way."""

from pathlib import Path

import pytest

from explorer.stores.edits import connection
from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.store import HermesStore
from explorer.tui.dialogs.questions import Question
from tests.factories import altered, say
from tests.locker import Locker
from tests.tui.driving import NAMES, NOW, Held, animals, delete_in_planning, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return animals(tmp_path / "state.db")


async def test_it_stays_where_one_went_after_a_delete(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        survey = Held(monkeypatch, HermesStore, "catalog")
        await driver.pilot.press("y")
        await survey.holds(driver)
        await driver.pilot.press("j", "j", "j")
        assert driver.current() == "dog"
        survey.let_go()
        await driver.settle()
        assert driver.listed() == ["bee", "cat", "dog"]
        assert driver.current() == "dog"


@pytest.mark.usefixtures("no_progress")
async def test_it_stays_where_one_went_before_the_delete_was_done(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        edit = Held(monkeypatch, Editor, "apply")
        await driver.pilot.press("y")
        await edit.holds(driver)
        await driver.pilot.press("G")
        edit.let_go()
        await driver.settle()
        assert driver.listed() == ["bee", "cat", "dog"]
        assert driver.current() == "dog"


@pytest.mark.usefixtures("no_progress")
@pytest.mark.parametrize(("owner", "name"), [(Editor, "undo"), (HermesStore, "catalog")])
async def test_it_stays_where_one_went_after_an_undo(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch, owner: type, name: str
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        await driver.press("y")
        await driver.press("u")
        held = Held(monkeypatch, owner, name)
        await driver.pilot.press("y")
        await held.holds(driver)
        await driver.pilot.press("G")
        held.let_go()
        await driver.settle()
        assert driver.listed() == [*NAMES]
        assert driver.current() == "dog"


async def test_what_is_selected_while_a_delete_is_planned_stays_selected(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        plan = await delete_in_planning(driver, monkeypatch)
        await driver.pilot.press("j", "space", "space")
        plan.let_go()
        await driver.until_seen(lambda: isinstance(driver.app.screen, Question))
        await driver.press("y")
        assert driver.listed() == ["bee", "cat", "dog"]
        assert driver.current() == "dog"
        assert set(driver.main.sessions.selection.keys) == set(driver.main.sessions.order[:2])


@pytest.mark.usefixtures("no_progress")
async def test_it_stays_on_what_could_not_be_deleted(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the next delete would be about another session."""
    monkeypatch.setattr(connection, "PATIENCE", 0.2)
    async with opened(path, trash=trash) as driver:
        driver.stop_watching()
        await driver.to("bee")
        await driver.press("d")
        with Locker(path) as locker:
            await driver.pilot.press("y")
            await driver.until_seen(lambda: "still locked by another program" in driver.said())
            locker.release()
        driver.main.file.edited()
        await driver.settle()
        assert driver.listed() == ["ant", "bee", "cat", "dog"]
        assert driver.current() == "bee"


async def test_what_could_not_be_deleted_stays_selected_under_the_cursor(
    path: Path, trash: Path
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("space", "space", "g", "d")
        with altered(path) as db:
            say(db, "ant", role="user", content="one more", timestamp=NOW)
        await driver.press("y")
        assert driver.listed() == ["ant", "cat", "dog"]
        assert driver.current() == "ant"
        assert "1 selected" in driver.screen()

"""Edits wait for one another: each has its own way to be stopped, and its own end."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import Done, EditPlan, Progress
from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.dialogs.questions import Question
from tests.factories import rows, talk
from tests.tui.driving import NOW, Driver, opened

HOUR = 3600.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        for number, name in enumerate(("ant", "bee", "cat"), 1):
            talk(state, name, "hi", at=NOW - number * HOUR, title=name, end="cli_close")
        talk(state, "void", at=NOW - 96 * HOUR, title="void", end="done")
    return file


class _Waiting:
    """Stands for `Editor.apply`: each edit waits until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        plain = Editor.apply
        self.stops: list[CancelToken] = []
        self.go = threading.Event()

        def apply(
            editor: Editor, plan: EditPlan, stop: CancelToken, tell: Callable[[Progress], None]
        ) -> Done:
            self.stops.append(stop)
            self.go.wait(60)
            return plain(editor, plan, stop, tell)

        monkeypatch.setattr(Editor, "apply", apply)


async def _asks(driver: Driver) -> None:
    await driver.until_seen(lambda: isinstance(driver.app.screen, Question))


@pytest.mark.usefixtures("no_progress")
async def test_leaving_stops_the_edit_under_way(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        edits = _Waiting(monkeypatch)
        await driver.press("d")
        await driver.pilot.press("y", "j", "d")
        await _asks(driver)
        await driver.pilot.press("y")
        await driver.until_seen(lambda: bool(edits.stops))
        editing = driver.main.file.editing
        assert editing is not None
        editing.stop()
        assert edits.stops[0].cancelled
        edits.go.set()
        await driver.settle()


@pytest.mark.usefixtures("no_progress")
async def test_a_prune_that_is_undone_while_it_runs_is_listed_again(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("p")
        assert "Will be removed: 1 session" in driver.screen()
        edits = _Waiting(monkeypatch)
        await driver.press("d")
        await driver.pilot.press("y")
        await driver.until_seen(lambda: bool(edits.stops))
        plan = Editor.undo_plan
        done = threading.Event()

        def undo_plan(editor: Editor, *arguments: object) -> object:
            done.wait(60)
            return plan(editor, *arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(Editor, "undo_plan", undo_plan)
        await driver.pilot.press("u")
        edits.go.set()
        await driver.until_seen(lambda: "Deleted" in driver.said())
        done.set()
        await _asks(driver)
        await driver.press("y")
        assert rows(path, "SELECT id FROM sessions WHERE id = 'void'")
        assert "Will be removed: 1 session" in driver.screen()


async def test_an_edit_that_breaks_is_told_and_the_next_one_is_done(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def broken(*_: object) -> None:
        go.wait(60)
        raise ZeroDivisionError("by nought")

    async with opened(path, trash=trash) as driver:
        await driver.press("d")
        with monkeypatch.context() as patched:
            patched.setattr(Editor, "apply", broken)
            await driver.pilot.press("y")
            await driver.until_seen(lambda: isinstance(driver.app.screen, ProgressDialog))
            go.set()
            await driver.settle()
        assert driver.app.screen is driver.main
        assert "Unexpected error: ZeroDivisionError: by nought" in driver.told()
        await driver.press("g", "d")
        await driver.press("y")
        assert driver.listed() == ["bee", "cat"]


async def test_a_bug_in_one_piece_of_work_keeps_no_other_waiting(path: Path) -> None:
    def break_off(token: CancelToken) -> None:
        raise ValueError("odd")

    done: list[str] = []
    async with opened(path) as driver:
        lanes = driver.main._lanes
        lanes.start("pins", break_off, lambda _: done.append("broken"), queued=True)
        lanes.start("pins", lambda token: "next", done.append, queued=True)
        await driver.until_seen(lambda: done == ["next"])
        assert "ValueError: odd" in driver.said()
        assert not lanes.busy("pins")

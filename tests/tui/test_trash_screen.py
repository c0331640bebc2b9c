"""The trash is a place: a key leads there, and what was deleted is read as a transcript."""

import tempfile
from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.edits.trash import DeletedScreen, TrashScreen
from tests.factories import altered, talk
from tests.real_files import POWER_LOOP_FILES, unpack
from tests.tui.driving import NOW, opened

LONG = "A title that goes on and on, " * 3

CALL = '[{"id": "1", "function": {"name": "terminal", "arguments": "{}"}}]'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "Mend the net", "Done.", at=NOW - 99, title=LONG, end="done")
        talk(state, "t", "hello", at=NOW - 999, title="Trip", end="done")
    with altered(path) as db:
        db.execute(
            "UPDATE messages SET reasoning = 'Which knot?', tool_calls = ?"
            " WHERE role = 'assistant' AND session_id = 's'",
            (CALL,),
        )
    return path


async def test_a_deleted_session_is_read_as_a_transcript(
    path: Path, trash: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))
    async with opened(path, trash=trash, size=(80, 24)) as driver:
        await driver.press("d", "y")
        await driver.press("U")
        assert "History and trash" in driver.screen()
        (line,) = (one for one in driver.screen().splitlines() if "2 messages" in one)
        assert "A title that goes on" in line, "a long title takes one line"
        await driver.press("enter")
        assert isinstance(driver.app.screen, DeletedScreen), "a change of one session means that"
        await driver.press("escape", "j", "enter")
        assert isinstance(driver.app.screen, DeletedScreen)
        screen = driver.screen()
        assert "In the trash · A title" in screen
        assert "── you" in screen
        assert "Mend the net" in screen
        assert "reasoning" in screen, "folded as in every transcript"
        assert "terminal" in screen
        assert driver.focus() == "transcript"
        await driver.press("escape")
        assert "History and trash" in driver.screen(), "back at its place"
        assert list(copies.iterdir()) == [], "the copy is gone"
        await driver.press("escape")
        assert driver.focus() == "list"


async def test_what_is_renewed_during_a_resize_is_shown(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d", "y")
        await driver.press("U")
        screen = driver.app.screen
        assert isinstance(screen, TrashScreen)
        screen.on_resize()
        # As a renewal that comes before the next refresh.
        screen._show(screen._contents._replace(held=[]))
        await driver.settle()
        assert "2 messages" not in driver.screen()


async def test_cleared_messages_can_be_read(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        driver.main.action_edit("clear")
        await driver.settle()
        await driver.press("y")
        await driver.press("U")
        await driver.press("j", "enter")
        assert "Mend the net" in driver.screen()


async def test_a_deleted_session_of_power_loop_is_read(tmp_path: Path, trash: Path) -> None:
    path = unpack(POWER_LOOP_FILES[-1], tmp_path)
    async with opened(path, trash=trash, now=NOW * 2) as driver:
        row = driver.main.sessions.current
        assert row is not None
        assert row.preview
        await driver.press("d", "y")
        await driver.press("U")
        await driver.press("j", "enter")
        assert isinstance(driver.app.screen, DeletedScreen)
        assert row.preview[:20] in driver.screen()


async def test_what_was_restored_is_not_deleted_with_its_copy(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("d", "y")
        await driver.press("U")
        await driver.press("r")
        await driver.press("y")
        await driver.press("x")
        assert "Remove this change from the history?" in driver.screen()
        await driver.press("y")
        assert driver.said().endswith("Removed from the history")


async def test_delete_on_a_session_of_a_change_means_that_session(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("space", "space", "d", "y")
        await driver.press("U")
        await driver.press("j", "j", "x")
        screen = driver.screen()
        assert "Permanently delete “Trip”?" in screen
        assert "This cannot be undone." in screen
        await driver.press("y")
        assert driver.said().endswith("Permanently deleted “Trip”")
        screen = driver.screen()
        assert "Deleted 1 session" in screen
        assert "Trip" not in screen
        await driver.press("escape")
        await driver.press("u", "y")
        assert [name[:7] for name in driver.listed()] == [LONG[:7]]


async def test_what_was_restored_is_not_counted_as_permanently_deleted(
    path: Path, trash: Path
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("space", "space", "d", "y")
        await driver.press("U")
        await driver.press("j", "j", "r", "y")
        await driver.press("x")
        assert "Remove the copy of “Trip”?" in driver.screen()
        await driver.press("escape")
        await driver.press("home", "x")
        screen = driver.screen()
        assert "Permanently delete 1 session?" in screen
        assert "1 session was restored, and stays." in screen
        await driver.press("y")
        assert driver.said().endswith("Permanently deleted 1 session")
        await driver.press("escape")
        assert driver.listed() == ["Trip"]

"""Edits are about the sessions that were shown, whatever has come to their place since."""

from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.dialogs.questions import Question
from tests.factories import altered, insert, rows, say, talk
from tests.tui.driving import NOW, animals, opened

HOUR = 3600.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return animals(tmp_path / "state.db")


@pytest.fixture
def quiet(tmp_path: Path) -> Path:
    """Two sessions without messages, quiet for days, and one of today."""
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "now", "hello", at=NOW - HOUR, title="now", end="cli_close")
        talk(state, "void", at=NOW - 97 * HOUR, title="void", end="done")
        talk(state, "void2", at=NOW - 96 * HOUR, title="void2", end="done")
    return file


def _ids(path: Path) -> list[str]:
    found = rows(path, "SELECT CAST(id AS TEXT) FROM sessions ORDER BY id")
    return [str(id_) for (id_,) in found]


def _replace(path: Path, old: str, new: str, at: float) -> None:
    """The agent deletes its newest session and begins another: it gets the same number."""
    with altered(path) as db:
        (row,) = db.execute("SELECT rowid FROM sessions WHERE id = ?", (old,)).fetchone()
        db.execute("DELETE FROM messages WHERE session_id = ?", (old,))
        db.execute("DELETE FROM sessions WHERE id = ?", (old,))
        cells = {"source": "cli", "started_at": at, "title": new, "ended_at": at + 9}
        assert insert(db, "sessions", id=new, **cells) == row


async def test_a_rename_is_of_the_session_that_was_shown(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        driver.stop_watching()
        await driver.to("dog")
        await driver.press("t", "end", "ctrl+u")
        _replace(path, "dog", "other", NOW - 5 * HOUR)
        await driver.type("hound")
        await driver.press("enter")
        assert "Another session has taken this place." in "".join(driver.told())
    assert rows(path, "SELECT title FROM sessions WHERE id = 'other'") == [("other",)]


@pytest.mark.parametrize("key", ["d", "a"])
async def test_an_edit_is_of_the_session_that_was_shown(path: Path, trash: Path, key: str) -> None:
    async with opened(path, trash=trash) as driver:
        driver.stop_watching()
        await driver.to("dog")
        _replace(path, "dog", "other", NOW - 5 * HOUR)
        await driver.press(key)
        assert not isinstance(driver.app.screen, Question)
        assert "Another session has taken this place." in "".join(driver.told())


async def test_a_pin_is_for_the_session_that_was_shown(
    path: Path, tmp_path: Path, trash: Path
) -> None:
    async with opened(path, notes=tmp_path / "notes.db", trash=trash) as driver:
        driver.stop_watching()
        await driver.to("dog")
        _replace(path, "dog", "other", NOW - 5 * HOUR)
        driver.main.action_pin()
        await driver.settle()
        assert driver.main._lister.wish.pins == frozenset()


async def test_a_delete_asks_again_when_a_message_has_come(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("dog")
        await driver.press("d")
        assert "2 messages" in driver.screen()
        with altered(path) as db:
            for _ in range(3):
                say(db, "dog", content="an hour of work", timestamp=NOW - 2 * HOUR)
        await driver.press("y")
        assert "dog" in _ids(path)
        assert "its agent has written to it" in "".join(driver.told())
        assert "Delete “dog”?" in driver.screen()
        assert "5 messages" in driver.screen()
        await driver.press("y")
    assert _ids(path) == ["ant", "bee", "cat"]


async def test_a_prune_leaves_what_has_changed_since_it_was_listed(
    quiet: Path, trash: Path
) -> None:
    async with opened(quiet, trash=trash) as driver:
        await driver.press("p")
        assert "Will be removed: 2 sessions" in driver.screen()
        with altered(quiet) as db:
            say(db, "void", content="precious", timestamp=NOW - 2 * HOUR)
        await driver.press("d")
        assert "changed since it was listed" in driver.screen()
        await driver.press("y")
    assert _ids(quiet) == ["now", "void"]


async def test_a_prune_takes_nothing_that_was_not_listed(quiet: Path, trash: Path) -> None:
    async with opened(quiet, trash=trash) as driver:
        await driver.press("p")
        _replace(quiet, "void2", "precious", NOW - 2 * HOUR)
        await driver.press("d")
        await driver.press("y")
    assert _ids(quiet) == ["now", "precious"]

"""Edits are about the sessions that were shown, whatever has come to their place since."""

from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.dialogs.questions import Question
from tests.factories import altered, insert, rows, say, talk
from tests.profile_homes import profile, profile_file
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
        say(db, new, content="precious", timestamp=at)


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


async def test_what_is_selected_stays_selected_and_not_what_takes_its_number(
    path: Path, trash: Path
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("dog")
        await driver.press("space", "g")
        _replace(path, "dog", "other", NOW - 60)
        await driver.until(lambda: "other" in driver.listed())
        assert "✓" not in driver.screen()
        assert "No longer selected: 1 session." in driver.said()
        await driver.press("a")
    assert rows(path, "SELECT id FROM sessions WHERE archived") == [("ant",)]


async def test_the_cursor_does_not_go_with_a_number(path: Path) -> None:
    async with opened(path) as driver:
        await driver.to("dog")
        _replace(path, "dog", "other", NOW - 60)
        await driver.until(lambda: "other" in driver.listed())
        assert driver.current() == "cat"


async def test_a_selection_follows_sessions_that_get_other_numbers(path: Path, trash: Path) -> None:
    """An agent packs its file, which counts its rows anew."""
    async with opened(path, trash=trash) as driver:
        await driver.to("cat")
        await driver.press("space", "space")
        assert driver.main.sessions.selection.ids.keys() == {3, 4}
        with altered(path) as db:
            db.execute("DELETE FROM messages WHERE session_id = 'bee'")
            db.execute("DELETE FROM sessions WHERE id = 'bee'")
            db.execute("UPDATE sessions SET rowid = rowid - 1 WHERE rowid > 2")
        driver.main.file.edited()
        await driver.until(lambda: driver.listed() == ["ant", "cat", "dog"])
        marked = [line for line in driver.screen().splitlines() if "✓" in line]
        assert ["cat" in marked[0], "dog" in marked[1]] == [True, True]
        assert driver.current() == "dog"
        assert "No longer selected" not in driver.said()


async def test_an_edit_of_a_selection_is_of_the_sessions_that_were_selected(
    tmp_path: Path, trash: Path
) -> None:
    """Also of those that were never in sight."""
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        for number in range(300):
            talk(state, f"s{number}", "hello", at=NOW - number * HOUR, end="cli_close")
    async with opened(file, trash=trash) as driver:
        await driver.press("ctrl+a")
        driver.stop_watching()
        _replace(file, "s299", "other", NOW - 60)
        await driver.press("d")
        assert not isinstance(driver.app.screen, Question)
        assert "Another session has taken this place." in "".join(driver.told())


async def test_a_file_that_replaces_another_has_nothing_selected(tmp_path: Path) -> None:
    root = tmp_path / "hermes"
    profile(root, "default", NOW)
    profile(root, "coder", NOW, after=1)
    with StateFile.create(tmp_path / "other.db") as state:
        for name in ("elk", "fly", "gnu", "hen"):
            talk(state, name, "hello", at=NOW - HOUR, title=name, end="cli_close")
    async with opened(root) as driver:
        await driver.press("ctrl+a")
        (tmp_path / "other.db").rename(profile_file(root, "coder"))
        await driver.until(lambda: "elk" in driver.listed())
        marked = [line for line in driver.screen().splitlines() if "✓" in line]
        assert len(marked) == 4
        assert all("default" in line for line in marked)
        assert "No longer selected: 4 sessions." in driver.said()


async def test_a_new_file_in_place_of_the_only_one_has_nothing_selected(
    path: Path, tmp_path: Path
) -> None:
    with StateFile.create(tmp_path / "other.db") as state:
        talk(state, "elk", "hello", at=NOW - HOUR, title="elk", end="cli_close")
    async with opened(path) as driver:
        await driver.press("ctrl+a")
        (tmp_path / "other.db").rename(path)
        await driver.until(lambda: driver.listed() == ["elk"])
        assert "✓" not in driver.screen()
        assert "No longer selected: 4 sessions." in driver.said()

"""A file that goes wrong while it is open: the last good view stays, the bar says what is wrong,
and it goes on by itself."""

import os
from functools import partial
from pathlib import Path

import pytest

from explorer.browse.first_read import Opening, Start
from explorer.demo import write_demo
from explorer.stores import open_found as opening
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.tui.app import ExplorerApp
from explorer.tui.screens.main import MainScreen
from tests.factories import altered, talk
from tests.locker import Locker
from tests.mutants.making import replace_index
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    write_demo(file, NOW)
    with altered(file) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    return file


def _another(path: Path, title: str) -> Path:
    """A good file that holds one session."""
    other = path.with_name(f"{title}.db")
    with StateFile.create(other) as state:
        talk(state, "x", "hello", at=NOW - 50, title=title)
    return other


def _bar(driver: Driver) -> str:
    return driver.screen().splitlines()[0]


def _no_dialog(driver: Driver) -> bool:
    return isinstance(driver.app.screen, MainScreen)


async def test_a_file_that_is_replaced_by_a_bad_one_keeps_the_view_until_a_good_one_comes(
    path: Path,
) -> None:
    async with opened(path) as driver:
        bad = path.with_name("bad.db")
        bad.write_bytes(b"no database, only words\n" * 400)
        os.replace(bad, path)
        await driver.until(lambda: "Not a database · last read" in _bar(driver))
        assert _no_dialog(driver)
        assert "Fix docker deployment" in driver.screen()
        os.replace(_another(path, "Restored"), path)
        await driver.until(lambda: "Restored" in driver.listed())
        await driver.until(lambda: "last read" not in _bar(driver))
        assert driver.listed() == ["Restored"]


async def test_an_inconsistent_file_is_listed_and_called_damaged(path: Path) -> None:
    with altered(path) as db:
        replace_index(db, "sqlite_autoindex_sessions_1", [1, 2])
    async with opened(path) as driver:
        await driver.until(lambda: "damaged: lists and counts may be wrong" in _bar(driver))
        assert "hermes sessions repair --check-only" in driver.said().replace("\n", " ")
        assert "Fix docker deployment" in driver.listed()


async def test_a_schema_that_is_not_text_is_reported_as_a_problem(path: Path) -> None:
    with altered(path) as db:
        db.execute("CREATE TABLE odd (id CHECK (id > 98765))")
    path.write_bytes(path.read_bytes().replace(b"id > 98765", b"id \xff 98765"))
    async with opened(path) as driver:
        await driver.until(lambda: "The file is damaged" in driver.screen())


async def test_another_file_in_the_place_of_one_that_vanished_ends_the_trouble(path: Path) -> None:
    async with opened(path) as driver:
        path.unlink()
        await driver.press("j")
        await driver.until(lambda: "No such file · last read" in _bar(driver))
        assert "updates when the file is back" in driver.said().replace("\n", " ")
        os.replace(_another(path, "New life"), path)
        await driver.until(lambda: "New life" in driver.listed())
        await driver.until(lambda: "No such file" not in _bar(driver))


async def test_a_failed_search_is_reported_and_done_when_the_file_is_back(
    path: Path,
) -> None:
    async with opened(path) as driver:
        await driver.press("slash")
        await driver.type("docker")
        away = path.rename(path.with_name("away.db"))
        await driver.press("ctrl+u")
        await driver.type("zzzznothing")
        await driver.until(lambda: "search failed · No such file" in driver.screen())
        await driver.until_seen(lambda: driver.main.sessions.stale)
        assert driver.listed(), "what was listed stays, dimmed"
        await driver.press("ctrl+u")
        assert "search failed" not in driver.screen(), "all sessions are known"
        assert not driver.main.sessions.stale
        await driver.type("zzzznothing")
        await driver.until(lambda: "search failed" in driver.screen())
        away.rename(path)
        await driver.until(lambda: "0 hits" in driver.screen())
        assert driver.listed() == []


async def test_a_file_that_is_damaged_keeps_the_view_and_recovers_when_it_is_mended(
    path: Path,
) -> None:
    async with opened(path) as driver:
        good = path.read_bytes()
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (len(good) - 4096))
        await driver.until(lambda: "The file is damaged · last read" in _bar(driver))
        assert _no_dialog(driver)
        assert "Fix docker deployment" in driver.screen()
        with path.open("r+b") as file:
            file.write(good)
        await driver.until(lambda: "The file is damaged" not in _bar(driver))
        await driver.press("j")
        assert "Review the retry queue" in str(driver.main.transcript.border_title)


async def test_a_file_under_migration_can_still_be_listed_and_read(path: Path) -> None:
    async with opened(path) as driver:
        with altered(path) as db:
            db.execute("ALTER TABLE sessions ADD COLUMN mood TEXT DEFAULT 'calm'")
            db.execute("ALTER TABLE messages RENAME TO old_messages")
            db.execute("CREATE TABLE messages AS SELECT * FROM old_messages")
            db.execute("DROP TABLE old_messages")
            db.execute("UPDATE sessions SET title = 'After' WHERE title = 'Fix docker deployment'")
        await driver.until(lambda: "After" in driver.listed())
        assert "last read" not in _bar(driver)
        await driver.press("j", "j")
        assert "Trip to Kyoto" in str(driver.main.transcript.border_title)
        assert driver.told() == []


async def test_a_lock_is_shown_while_it_lasts_and_the_request_is_answered_after_it(
    path: Path,
) -> None:
    async with opened(path) as driver:
        with Locker(path) as locker:
            await driver.pilot.press("j")
            await driver.until_seen(lambda: "busy: locked by another program" in _bar(driver))
            assert "Fix docker deployment" in driver.screen()
            await driver.until_seen(lambda: driver.main.transcript.has_class("-old"))
            locker.release()
            await driver.until(lambda: "busy" not in _bar(driver))
        await driver.until(
            lambda: "Review the retry queue" in str(driver.main.transcript.border_title)
        )
        assert not driver.main.transcript.has_class("-old"), "only the session before was dim"
        assert driver.told() == [], "a short lock is no trouble"


async def test_a_long_lock_is_trouble_that_ends_by_itself(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "open_store", partial(open_store, patience=0.1))
    async with opened(path) as driver:
        with Locker(path):
            await driver.press("j")
            await driver.until(lambda: "The file is busy · last read" in _bar(driver))
            assert "Fix docker deployment" in driver.screen()
        await driver.until(lambda: "last read" not in _bar(driver))
        await driver.until(
            lambda: "Review the retry queue" in str(driver.main.transcript.border_title)
        )


async def test_a_file_that_is_locked_for_long_opens_by_itself_when_it_is_free(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "open_store", partial(open_store, patience=0.1))
    with Locker(path) as locker:
        app = ExplorerApp(Start(Opening(path, NOW), lambda: NOW))
        async with app.run_test(size=(120, 40)) as pilot:
            driver = Driver(app, pilot)
            await driver.until_seen(lambda: "Trying again" in driver.screen())
            assert _no_dialog(driver)
            locker.release()
            await driver.until_seen(lambda: "Fix docker deployment" in driver.screen())
            await driver.settle()

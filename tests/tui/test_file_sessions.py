"""Sessions that exist only in files: counted behind the first frame, one key away, read, found, and
never changed."""

import os
from pathlib import Path

import pytest

from explorer.browse.first_read import Intent
from explorer.tui.list import list_controller
from tests.factories import T0
from tests.transcript_files.homes import home, log, said, snapshot
from tests.tui.driving import Driver, opened

LONE = "20240101_000000_beef02"
COPIED = "20240102_000000_beef03"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = home(tmp_path, "echo", "foxtrot", title="owls")
    os.utime(log(made, said("where is it", "in the zebra barn", at=T0), id_=LONE), (T0, T0))
    os.utime(snapshot(made, said("old zebra"), id_=COPIED), (T0 - 9, T0 - 9))
    return made


async def ready(driver: Driver) -> None:
    await driver.until(lambda: "file-only" in driver.counted())


async def test_they_are_hidden_counted_and_one_key_away(path: Path) -> None:
    async with opened(path) as driver:
        await ready(driver)
        assert driver.listed() == ["owls"]
        assert driver.counted() == "1 listed · hidden: 2 file-only (. shows)"
        await driver.press(".")
        assert driver.listed() == ["owls", "where is it", "old zebra"]
        await driver.to("where is it")
        await driver.press("enter")
        shown = driver.screen()
        assert f"Only in {LONE}.jsonl" in shown
        assert "2 messages from the gateway's log, none" in shown
        assert "in the zebra barn" in shown


async def test_the_filters_offer_their_class(path: Path) -> None:
    async with opened(path) as driver:
        await ready(driver)
        await driver.press("f")
        await driver.type("only")
        assert "Only in a file" in driver.screen()
        await driver.press("space", "escape", "escape")
        assert "+ file-only sessions" in driver.screen()
        assert len(driver.listed()) == 3


async def test_a_search_finds_their_text_and_opens_it_there(path: Path) -> None:
    log(path, said("alpha", "a zebra only the log has", "echo", "foxtrot"))
    async with opened(path) as driver:
        await ready(driver)
        await driver.press("/")
        await driver.type("zebra")
        assert driver.listed() == ["owls"]
        assert "2 more hits in file-only sessions" in driver.counted()
        assert "a zebra only the log has" in driver.screen()
        await driver.press("ctrl+o")
        assert driver.listed() == ["owls", "where is it", "old zebra"]
        await driver.press("down", "enter")
        assert "match 1 of 1" in driver.screen()


async def test_its_id_finds_it_whatever_hides_it(path: Path) -> None:
    async with opened(path) as driver:
        await ready(driver)
        await driver.press("/")
        await driver.type(LONE)
        assert driver.listed() == ["where is it"]


async def test_it_is_neither_changed_nor_resumed_and_why_is_said(path: Path) -> None:
    async with opened(path) as driver:
        await ready(driver)
        await driver.press(".")
        await driver.to("where is it")
        for key in ("r", "t", "d", "a", "m", "y"):
            driver.app.clear_notifications()
            await driver.press(key)
            assert "only in a file, not in the state file" in driver.said(), key
            assert driver.app.screen is driver.main
        await driver.press("i")
        assert "Only in files: it can be read and searched" in driver.screen()
        assert f"{LONE}.jsonl" in driver.screen()


async def test_of_several_only_those_in_the_state_file_are_changed(path: Path) -> None:
    ours = path.parent / "ours"
    async with opened(path, notes=ours / "notes.db", trash=ours / "trash.db") as driver:
        await ready(driver)
        await driver.press(".", "ctrl+a", "a")
        assert "2 sessions left out: only in files" in driver.said()
        assert "Archived" in driver.said()


async def test_picking_one_to_resume_says_why_not(path: Path) -> None:
    async with opened(path, intent=Intent.PICK) as driver:
        await ready(driver)
        await driver.press(".")
        await driver.to("where is it")
        await driver.press("enter")
        assert "only in a file" in driver.said()


async def test_those_of_all_profiles_are_listed_with_their_profile(path: Path) -> None:
    other = home(path.parent / "profiles" / "work", "hello", "hi", title="work talk")
    log(other, said("where is it", "in the work barn"), id_=LONE)
    async with opened(path.parent) as driver:
        await ready(driver)
        assert "3 file-only" in driver.counted()
        await driver.press("/")
        await driver.type("barn")
        await driver.press("ctrl+o")
        assert driver.listed() == ["where is it", "where is it"]
        await driver.until(lambda: "work barn" in driver.screen())
        assert "zebra barn" in driver.screen()


async def test_a_file_that_appears_or_gets_its_row_is_noticed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_controller, "FILES_EVERY", 0.0)
    async with opened(path) as driver:
        await ready(driver)
        log(path, said("new"), id_="20240103_000000_beef04")
        await driver.until(lambda: "3 file-only" in driver.counted())
        os.unlink(path.parent / "sessions" / f"session_{COPIED}.json")
        await driver.until(lambda: "2 file-only" in driver.counted())


async def test_nothing_is_listed_before_the_first_frame(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    plain = os.scandir

    async with opened(path) as driver:
        main = driver.main

        def scandir(place: Path) -> object:
            seen.append(main.file.info is not None)
            return plain(place)

        monkeypatch.setattr(os, "scandir", scandir)
        await ready(driver)
        assert all(seen)

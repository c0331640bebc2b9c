"""In the app, a search that finds nothing leads to where the session is."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from explorer.browse.first_read import Opening, Start, look_of
from explorer.model import Action
from explorer.settings import Config
from explorer.stores.discover import locate
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import OurFiles
from explorer.tui.app import ExplorerApp
from explorer.tui.edits.trash import TrashScreen
from explorer.tui.reading.block_screen import BlockScreen
from explorer.tui.reading.reading_pane import ReadScreen
from explorer.tui.screens.main import MainScreen
from explorer.tui.whereabouts.lost_screen import LostScreen
from tests.conftest import Command
from tests.factories import altered, keys
from tests.tui.driving import NOW, SIZE, Driver, opened
from tests.whereabouts.homes import lost_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return lost_home(tmp_path / ".hermes", NOW - 9000)


@pytest.fixture
def trash(tmp_path: Path) -> Path:
    return tmp_path / "data" / "session-explorer" / "trash.db"


@asynccontextmanager
async def _all_profiles(
    home: Path, trash: Path | None = None, size: tuple[int, int] = SIZE
) -> AsyncIterator[Driver]:
    """The app on every profile of a home."""
    found = locate([str(home)], [], {}, None)
    look = look_of(Config(), None)
    opening = Opening(found[0].path, NOW, trash=trash, found=found)
    app = ExplorerApp(Start(opening, lambda: NOW, Config(), look=look))
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver


def _on(driver: Driver, screen: type) -> bool:
    return isinstance(driver.app.screen, screen)


def _delete(path: Path, id_: str, trash: Path) -> None:
    """As another explorer would."""
    store = open_store(path)
    edits = store.edits(OurFiles(trash, lambda: NOW))
    edits.apply(edits.plan(Action.DELETE, [keys(store)[id_]]))


async def _search(driver: Driver, text: str) -> None:
    await driver.press("/")
    await driver.type(text)


async def test_an_empty_result_names_the_key_that_looks_further(home: Path) -> None:
    async with opened(home / "profiles" / "play" / "state.db") as driver:
        await _search(driver, "jackfruit")
        assert "Press ctrl+l to search other profiles" in driver.main.sessions.note
        await driver.press("ctrl+l")
        assert _on(driver, LostScreen)
        screen = driver.screen()
        assert "Profile work" in screen
        assert "dig for jackfruit" in screen
        assert "In another profile: work. Hidden: subagent session." in screen
        assert "Nothing in" in screen
        assert "  2 profiles: default, play" in screen or "  2 profiles: play, default" in screen
        assert "1 session in 6 places" in screen


async def test_a_chat_in_the_file_of_another_profile_is_said_to_be_of_both(home: Path) -> None:
    with altered(home / "state.db") as db:
        db.execute("UPDATE sessions SET session_key = 'agent:play:x:dm:7' WHERE id = 'plain_1'")
    async with opened(home / "profiles" / "play" / "state.db") as driver:
        await _search(driver, "apricot")
        await driver.press("ctrl+l")
        assert "  Fruit  play, in default  cli" in driver.screen()
        assert "Belongs to play, but is in the file of default." in driver.screen()


async def test_enter_reads_a_session_of_a_profile_that_is_not_listed(home: Path) -> None:
    async with opened(home / "profiles" / "play" / "state.db") as driver:
        await _search(driver, "jackfruit")
        await driver.press("ctrl+l")
        await driver.press("enter")
        assert _on(driver, ReadScreen)
        assert "dig for jackfruit" in driver.screen()
        await driver.press("escape")
        assert _on(driver, LostScreen)
        await driver.press("escape")
        assert driver.focus() == "query"


async def test_enter_reveals_a_hidden_session_in_the_list(home: Path) -> None:
    async with opened(home / "state.db") as driver:
        await _search(driver, "blueberry")
        assert not driver.main.sessions.order
        await driver.press("ctrl+l")
        await driver.press("enter")
        assert _on(driver, MainScreen)
        assert driver.focus() == "list"
        current = driver.main.sessions.current
        assert current is not None
        assert current.id == "cron_1"


async def test_an_earlier_part_is_revealed_inside_its_conversation(home: Path) -> None:
    async with opened(home / "state.db") as driver:
        await _search(driver, "elderberry")
        await driver.press("ctrl+l")
        await driver.press("enter")
        current = driver.main.sessions.current
        assert current is not None
        assert current.id == "part_1"


async def test_of_two_profiles_with_one_id_the_right_one_is_revealed(home: Path) -> None:
    async with _all_profiles(home) as driver:
        await driver.press("W")
        await driver.type("the same id fig")
        await driver.press("enter")
        assert "Listed." in driver.screen()
        await driver.press("enter")
        current = driver.main.sessions.current
        assert current is not None
        assert (current.id, current.place, current.title) == ("plain_1", "work", "Fig")


async def test_what_a_filter_hides_is_said_to_be_filtered(home: Path) -> None:
    async with opened(home / "state.db") as driver:
        await driver.press("o")
        await driver.press("enter")
        filters = driver.main._lister.wish.filters
        driver.main._lister.wish_for(
            driver.main._lister.wish._replace(
                filters=filters._replace(sources=frozenset({"telegram"}))
            )
        )
        await driver.settle()
        await _search(driver, "apricot")
        await driver.press("ctrl+l")
        assert "    Filtered out of the list." in driver.screen()
        await driver.press("enter")
        current = driver.main.sessions.current
        assert current is not None
        assert current.id == "plain_1"


@pytest.mark.parametrize("several", [False, True])
async def test_a_deleted_session_is_restored_from_here(
    home: Path, trash: Path, command: Command, several: bool
) -> None:
    path = home / "state.db"
    async with _all_profiles(home, trash) if several else opened(path, trash=trash) as driver:
        _delete(home / "profiles" / "play" / "state.db", "play_1", trash)
        await driver.press("W")
        await driver.type("kiwi")
        await driver.press("enter")
        assert "Deleted: in the trash until" in driver.screen()
        await driver.press("enter")
        assert _on(driver, TrashScreen)
        await driver.press("r")
        assert "Restore “Games”?" in driver.screen()
        await driver.press("y")
        assert "restored" in driver.screen()
        await driver.press("escape")
        assert _on(driver, LostScreen)
        assert "in the trash until" not in driver.screen()
        assert "Listed." in driver.screen() or "In another profile: play." in driver.screen()
        await driver.press("escape")
        assert _on(driver, MainScreen)
        if several:
            assert "Games" in driver.listed()
    assert "kiwi" in command("--profile", "play", "show", "play_1").out


async def test_cleared_messages_of_a_session_deleted_later_are_restored_after_it(
    home: Path, trash: Path, command: Command
) -> None:
    for change in ("clear", "delete"):
        assert command("--profile", "play", change, "--yes", "play_1").code == 0
    play = home / "profiles" / "play" / "state.db"
    async with opened(play, trash=trash) as driver:
        await driver.press("W")
        await driver.type("kiwi")
        await driver.press("enter")
        for _ in ("the session", "its messages"):
            await driver.press("enter", "r", "y", "escape")
            assert _on(driver, LostScreen)
        assert "Listed." in driver.screen()
    assert "kiwi" in command("--profile", "play", "show", "play_1").out


async def test_what_has_no_transcript_is_not_said_to_be_deleted_just_now(home: Path) -> None:
    origin = {"chat_type": "dm", "user_name": "Wilhelmina", "chat_id": "77"}
    entry = {"session_id": "nowhere_1", "platform": "telegram", "origin": origin}
    routes = {"agent:main:telegram:dm:77": entry}
    (home / "sessions" / "sessions.json").write_text(json.dumps(routes))
    with altered(home / "state.db") as db:
        db.execute("PRAGMA foreign_keys = OFF").fetchall()
        db.execute("DELETE FROM sessions WHERE id = 'plain_1'")
    for text, why in (("Wilhelmina", "A chat leads to it"), ("apricot", "the session itself is")):
        async with opened(home / "state.db") as driver:
            await driver.press("W")
            await driver.type(text)
            await driver.press("enter")
            assert "enter" not in driver.screen().splitlines()[-1]
            await driver.press("enter")
            assert _on(driver, LostScreen)
            assert "No transcript to open" in driver.told()[-1]
            assert why in driver.said()


async def test_the_trash_opens_at_the_session_that_was_found(
    home: Path, trash: Path, command: Command
) -> None:
    ids = ("plain_1", "arch_1", "undone_1")
    assert command("--profile", "default", "delete", "--yes", "--force", *ids).code == 0
    async with opened(home / "state.db", trash=trash) as driver:
        await driver.press("W")
        await driver.type("dragonfruit")
        await driver.press("enter")
        await driver.press("enter")
        await driver.press("r")
        assert "Restore “Put away”?" in driver.screen()


async def test_a_snapshot_and_a_file_are_read_as_text(home: Path) -> None:
    async with opened(home / "state.db") as driver:
        await _search(driver, "huckleberry")
        await driver.press("ctrl+l")
        await driver.press("enter")
        assert _on(driver, ReadScreen)
        assert "Snapshot of default" in driver.screen()
        assert "only a huckleberry" in driver.screen()
        await driver.press("escape", "escape", "escape", "escape")
        await driver.press("W")
        await driver.type("mango")
        await driver.press("enter")
        await driver.press("enter")
        assert _on(driver, BlockScreen)
        assert "keep this mango" in driver.screen()


async def test_the_file_of_a_session_is_read_as_its_transcript(home: Path) -> None:
    async with opened(home / "state.db") as driver:
        await driver.press("W")
        await driver.type("lemon")
        await driver.press("enter")
        await driver.press("enter")
        assert _on(driver, ReadScreen)
        assert "a lemon that the gateway wrote" in driver.screen()
        assert "Sour." in driver.screen()


async def test_the_command_of_a_hit_is_copied(home: Path) -> None:
    async with opened(home / "state.db") as driver:
        await _search(driver, "jackfruit")
        await driver.press("ctrl+l")
        await driver.press("y")
        assert driver.app.clipboard == "session-explorer show work/sub_1"


async def test_nothing_anywhere_is_said(home: Path) -> None:
    async with opened(home / "state.db", size=(80, 24)) as driver:
        await _search(driver, "zucchini")
        await driver.press("ctrl+l")
        assert "Not found anywhere." in driver.screen()
        await driver.press("enter", "y", "escape")
        assert driver.focus() == "query"


async def test_it_is_not_said_to_be_nowhere_while_something_was_not_searched(home: Path) -> None:
    (home / "profiles" / "play" / "state.db").write_bytes(b"x" * 5000)
    (home / "state.db.bak").write_bytes(b"zucchini")
    async with opened(home / "state.db", size=(120, 30)) as driver:
        await _search(driver, "zucchini")
        await driver.press("ctrl+l")
        assert "Not found anywhere" not in driver.screen()
        assert "Not found in what could be searched." in driver.screen()
        assert "0 sessions in 5 places, 2 not searched" in driver.screen()
        below = driver.screen().split("Not searched")[1]
        assert "  Profile play: " in below
        assert "state.db.bak: backup" in below


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (200, 50)])
async def test_what_was_not_searched_is_reached_with_the_keys_and_keeps_its_indent(
    home: Path, size: tuple[int, int]
) -> None:
    for name in ("one", "another", "third"):
        (home / f"{name}.bak").write_bytes(b"")
    async with opened(home / "state.db", size=size) as driver:
        await _search(driver, "zucchini")
        await driver.press("ctrl+l")
        await driver.press("end")
        screen = driver.screen()
        assert "third.bak" in screen
        await driver.press("enter")
        assert _on(driver, LostScreen)
        lines = [line.strip("│").rstrip() for line in screen.splitlines()[1:-1]]
        headings = ("Not found", "Nothing in", "Not searched")
        assert all(
            line.strip().startswith(headings) or line.startswith("   ") for line in lines if line
        )


async def test_fields_alone_are_refused_in_words(home: Path) -> None:
    async with opened(home / "state.db") as driver:
        await _search(driver, "source:nowhere")
        await driver.press("ctrl+l")
        assert "Type words of the session" in driver.said()
        assert _on(driver, MainScreen)


async def test_closing_stops_the_search(home: Path) -> None:
    async with opened(home / "state.db") as driver:
        await _search(driver, "berry")
        await driver.pilot.press("ctrl+l")
        await driver.pilot.press("escape")
        await driver.settle()
        assert _on(driver, MainScreen)

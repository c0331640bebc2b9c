"""Profiles that are made, or removed, while the app is open."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.model import Sort
from explorer.stores.discover import FoundStore, locate
from explorer.stores.library.keys import ROOM
from explorer.stores.newcomers import Newcomers
from explorer.stores.ours.notes import Notes
from explorer.stores.power_loop.create import LoopFile
from explorer.tui.list.profile_dialog import ProfileScreen
from tests.factories import rows
from tests.locker import Locker
from tests.profile_homes import profile, profile_file
from tests.terminal import Terminal
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    profile(tmp_path / "hermes", "default", NOW)
    profile(tmp_path / "hermes", "coder", NOW, after=1)
    return tmp_path / "hermes"


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    """A home without profiles."""
    profile(tmp_path / "hermes", "default", NOW)
    return tmp_path / "hermes"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder that the app is started in."""
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def places(driver: Driver) -> set[str]:
    every = map(driver.main.sessions.row, driver.main.sessions.order)
    return {row.place for row in every if row}


def current(driver: Driver) -> tuple[str, str]:
    row = driver.main.sessions.current
    assert row is not None
    return row.place, row.id


async def to_coder(driver: Driver) -> None:
    await driver.press("j")
    assert current(driver) == ("coder", "ant")


async def test_a_new_profile_is_listed_and_nothing_else_moves(root: Path) -> None:
    async with opened(root) as driver:
        await to_coder(driver)
        await driver.press("space")
        await driver.to("bee")
        was = current(driver)
        profile(root, "brand-new", NOW, ids=("fox",))
        await driver.until(lambda: "brand-new" in places(driver))
        assert "brand-new is now in the list." in driver.said()
        assert "3 profiles" in driver.screen()
        assert driver.counted() == "9 listed"
        assert current(driver) == was
        assert len(driver.main.sessions.selection) == 1


async def test_more_profiles_than_a_library_has_room_for_are_listed_too(root: Path) -> None:
    names = [f"new-{number}" for number in range(ROOM + 3)]
    async with opened(root) as driver:
        await to_coder(driver)
        for name in names:
            profile(root, name, NOW, ids=("fox",))
        await driver.until(lambda: places(driver) == {"default", "coder", *names})
        assert current(driver) == ("coder", "ant")


async def test_a_new_profile_without_a_file_is_a_line_and_gets_its_file_later(root: Path) -> None:
    async with opened(root) as driver:
        profile_file(root, "brand-new")
        await driver.until(lambda: "3 profiles" in driver.screen())
        await driver.press("A")
        assert "brand-new No sessions yet" in " ".join(driver.screen().split())
        await driver.press("escape")
        profile(root, "brand-new", NOW, ids=("fox",))
        await driver.until(lambda: "brand-new" in places(driver))


async def test_the_open_list_of_profiles_gains_a_new_one(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("A")
        profile(root, "brand-new", NOW, ids=("fox",))
        await driver.until(lambda: "brand-new 1 session" in " ".join(driver.screen().split()))
        await driver.press("home", "j", "enter")
        assert places(driver) == {"brand-new"}


async def test_edits_and_pins_reach_a_new_profile(root: Path, tmp_path: Path) -> None:
    notes, trash = tmp_path / "ours" / "notes.db", tmp_path / "ours" / "trash.db"
    async with opened(root, notes=notes, trash=trash) as driver:
        await driver.press("d", "y")  # the edits of the app are made before the profile is
        await driver.press("u", "y")
        file = profile(root, "brand-new", NOW, ids=("fox",))
        await driver.until(lambda: "brand-new" in places(driver))
        await driver.to("fox")
        await driver.press("m")
        assert Notes(notes, file).pins() == {"fox"}
        await driver.press("d", "y")
        assert rows(file, "SELECT count(*) FROM sessions") == [(0,)]
        await driver.press("u", "y")
        assert rows(file, "SELECT id FROM sessions") == [("fox",)]


async def test_a_profile_that_joins_a_single_file_is_listed_with_it(
    alone: Path, here: Path, tmp_path: Path
) -> None:
    notes, trash = tmp_path / "ours" / "notes.db", tmp_path / "ours" / "trash.db"
    async with opened(here, notes=notes, trash=trash, home=alone) as driver:
        assert "profiles" not in driver.screen()
        await driver.press("s", "j", "enter")
        await driver.to("cat")
        await driver.press("d", "y")
        await driver.press("u", "y")
        file = profile(alone, "coder", NOW, after=1)
        await driver.until(lambda: "coder" in places(driver))
        assert "2 profiles" in driver.screen()
        assert driver.counted() == "8 listed"
        assert current(driver) == ("default", "cat")
        assert driver.main._lister.wish.sort is Sort.STARTED
        await driver.press("j", "d")
        assert "in coder?" in driver.screen()
        await driver.press("y")
        assert rows(file, "SELECT count(*) FROM sessions") == [(3,)]
        await driver.press("u", "y")
        assert rows(file, "SELECT count(*) FROM sessions") == [(4,)]


async def test_a_single_file_is_not_opened_anew_while_the_user_is_at_something(
    alone: Path, here: Path
) -> None:
    async with opened(here, home=alone) as driver:
        await driver.press("/")
        profile(alone, "coder", NOW, after=1)
        look = driver.main.file.opening.look_for_more
        await driver.until(lambda: bool(look()))
        await driver.type("cat")
        assert driver.listed() == ["cat"]
        await driver.press("escape", "escape")
        await driver.until(lambda: "coder" in places(driver))


async def test_the_first_power_loop_file_of_the_folder_is_listed(alone: Path, here: Path) -> None:
    async with opened(here, home=alone) as driver:
        with LoopFile.create(here / "power_loop_sessions.db"):
            pass
        await driver.until(lambda: "2 profiles" in driver.screen())
        await driver.press("A")
        assert "here 0 sessions" in " ".join(driver.screen().split())


async def test_files_that_were_named_are_all_there_is(root: Path) -> None:
    file = profile_file(root, "default")
    for dbs, names in (([str(file)], ()), ([str(root)], ("default", "coder"))):
        found = locate(dbs, names, {}, None)
        newcomers = Newcomers.of(dbs, names, {}, None)
        profile_file(root, "brand-new")
        assert newcomers.look(found) == []


async def test_a_removed_profile_keeps_its_rows_and_says_why(root: Path) -> None:
    async with opened(root) as driver:
        shutil.rmtree(root / "profiles" / "coder")
        await driver.until(lambda: "2 profiles · 1 unreadable (A)" in driver.screen())
        assert places(driver) == {"default", "coder"}
        await driver.press("A")
        said = " ".join(driver.screen().split())
        assert "coder No such file · 4 sessions as last read" in said
        assert "The state file has disappeared." in said


async def test_a_removed_profile_that_had_no_file_says_so(root: Path) -> None:
    folder = profile_file(root, "fresh").parent
    async with opened(root) as driver:
        await driver.press("A")
        assert "No sessions yet" in driver.screen()
        folder.rmdir()
        await driver.until(lambda: "Profile removed" in driver.screen())


async def test_a_link_that_leads_to_a_listed_profile_by_now_lists_it_once(root: Path) -> None:
    link = root / "profiles" / "alias"
    link.symlink_to("nowhere")
    async with opened(root) as driver:
        assert driver.counted() == "8 listed"
        link.unlink()
        link.symlink_to("coder")
        await driver.press("A")
        await driver.until(lambda: "Listed as coder" in driver.screen())
        await driver.press("escape")
        assert driver.counted() == "8 listed"
        # The very file in another place is that place's.
        link.unlink()
        (root / "profiles" / "coder").rename(link)
        await driver.until(lambda: "alias" in places(driver))


async def test_a_new_profile_that_is_locked_is_asked_by_no_key_press(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: list[str] = []
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def noting(path: object, *rest: object, **named: object) -> sqlite3.Connection:
        files.append(str(path))
        return connect(path, *rest, **named)

    monkeypatch.setattr(sqlite3, "connect", noting)
    made = profile(root.parent, "aside", NOW, ids=("fox",))
    async with opened(root) as driver:
        with Locker(made):
            made.parent.rename(root / "profiles" / "brand-new")
            await driver.until(lambda: "3 profiles · 1 unreadable" in driver.screen())
            driver.stop_watching()
            await driver.settle()
            files.clear()
            await driver.press("j", "k", "i", "escape", "s", "escape", "/")
            await driver.type("coder")
            assert not [path for path in files if "brand-new" in path]
            assert [path for path in files if "hermes" in path]


def test_a_look_without_news_reads_one_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = locate([str(root)], [], {}, None)
    newcomers = Newcomers.of([str(root)], [], {}, None)
    twin = root / "profiles" / "twin"
    twin.symlink_to(root / "profiles" / "coder", target_is_directory=True)
    assert newcomers.look(found) == [], "another name of a known folder is nothing new"
    asked: list[bool] = []

    def find() -> list[FoundStore]:
        asked.append(True)
        return []

    monkeypatch.setattr(newcomers, "_find", find)
    assert newcomers.look(found) == []
    assert not asked
    twin.unlink()
    profile_file(root, "brand-new")
    assert newcomers.look(found) == []
    assert asked


def test_a_home_without_files_is_watched_for_the_first_one(tmp_path: Path, here: Path) -> None:
    home = tmp_path / "home" / ".hermes"
    with LoopFile.create(here / "power_loop_sessions.db"):
        pass
    variables = {"HOME": str(home.parent)}
    found = locate([], [], variables, here)
    newcomers = Newcomers.of([], [], variables, here)
    profile_file(home, "work")
    assert newcomers.look(found) == [], "empty profiles of an empty home are no line"
    profile(home, "work", NOW)
    assert [one.name for one in newcomers.look(found)] == ["default", "work"]


def test_in_a_terminal_a_new_profile_joins_the_list(alone: Path) -> None:
    with Terminal([], environment={"HERMES_HOME": str(alone)}) as terminal:
        terminal.until("4 listed", "message 1 of")
        profile(alone, "coder", NOW, after=1)
        terminal.until("8 listed", "2 profiles")
        terminal.press(b"q")
        terminal.leave()


def test_the_demo_says_when_there_is_a_state_file_after_all(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "HERMES_HOME": "", "SESSION_EXPLORER_DB": ""}
    with Terminal([], environment=home) as terminal:
        terminal.until("no ~/.hermes/state.db", "listed")
        profile(tmp_path / ".hermes", "default", NOW)
        terminal.until("~/.hermes/state.db was just made")
        terminal.press(b"q")
        terminal.leave()


def _profiles(driver: Driver) -> list[str]:
    """The names in the dialog of profiles, in order."""
    screen = driver.app.screen
    assert isinstance(screen, ProfileScreen)
    return [one.name for one in screen._states]


async def test_a_new_profile_has_its_place_by_name_and_a_removed_one_none(root: Path) -> None:
    async with opened(root) as driver:
        profile(root, "archivist", NOW, ids=())
        await driver.until(lambda: "3 profiles" in driver.screen())
        await driver.press("A")
        await driver.until(lambda: _profiles(driver) == ["default", "archivist", "coder"])
        await driver.press("escape")
        shutil.rmtree(profile_file(root, "archivist").parent)
        await driver.until(lambda: "2 profiles" in driver.screen().splitlines()[0])
        await driver.press("A")
        assert _profiles(driver) == ["default", "coder"]


async def test_the_cursor_stays_on_its_profile_when_a_new_one_comes_before_it(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("A", "j")
        profile(root, "archivist", NOW, ids=())
        await driver.until(lambda: _profiles(driver) == ["default", "archivist", "coder"])
        await driver.press("enter")
        assert places(driver) == {"coder"}


async def test_what_cannot_be_read_is_said_once_below_its_path(root: Path) -> None:
    file = profile_file(root, "coder")
    with file.open("r+b") as cut:
        cut.truncate(file.stat().st_size // 2 // 4096 * 4096)
    async with opened(root) as driver:
        await driver.press("A")
        said = " ".join(driver.screen().replace("│", " ").split())
        assert said.count("coder/state.db") == 1
        assert "Truncated (smaller than its header says)" in said
        assert "Nothing was changed" not in said

"""Changes from the app over two profiles that hold the same ids and titles."""

import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from explorer.browse.first_read import Opening, Start, look_of
from explorer.model import Action
from explorer.settings import Config
from explorer.stores.discover import locate
from explorer.stores.newcomers import Newcomers
from explorer.stores.ours.notes import Notes
from explorer.tui.app import ExplorerApp
from explorer.tui.dialogs.choices import Several
from explorer.tui.edits.prune_screen import PruneList
from explorer.tui.edits.trash import DeletedScreen
from explorer.tui.key_bindings import keymap_of
from tests.edits.crash import dying_in
from tests.factories import altered, rows
from tests.locker import Locker
from tests.profile_homes import TwinProfiles, key_of
from tests.tui.driving import NOW, SIZE, Driver


@pytest.fixture
def home(tmp_path: Path) -> TwinProfiles:
    return TwinProfiles(tmp_path, start=NOW - 86_400)


@asynccontextmanager
async def opened(home: TwinProfiles, size: tuple[int, int] = SIZE) -> AsyncIterator[Driver]:
    """The app on all profiles of a home."""
    found = locate([str(home.root)], [], {}, home.root)
    choices = Notes(home.notes)
    look = look_of(Config(), choices)
    opening = Opening(
        *(found[0].path, NOW),
        notes=home.notes,
        trash=home.trash,
        found=found,
        newcomers=Newcomers.of([str(home.root)], [], {}, home.root),
    )
    app = ExplorerApp(Start(opening, lambda: NOW, Config(), look=look, choices=choices))
    async with app.run_test(size=size) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver


async def _to(driver: Driver, home: TwinProfiles, *names: str) -> None:
    """Put the cursor on a session, given as `PROFILE/ID`; of several, select them all."""
    store = home.store()
    for name in names:
        order = list(driver.main.sessions.order)
        await driver.press_on("g", *["j"] * order.index(key_of(store, name)))
        if len(names) > 1:
            await driver.press("space")


def _has(home: TwinProfiles, name: str) -> bool:
    place, id_ = name.split("/")
    return (id_,) in rows(home.file(place), "SELECT id FROM sessions")


@pytest.mark.parametrize("place", ["default", "work"])
async def test_each_key_acts_in_the_profile_of_the_row(home: TwinProfiles, place: str) -> None:
    before = home.dumps()
    async with opened(home) as driver:
        for keys in (["d", "y"], ["a"]):
            await _to(driver, home, f"{place}/bee")
            await driver.press(*keys)
            assert home.changed(before) == {place}
            assert f" in {place}" in driver.said()
            await driver.press("u")
            if keys[0] == "d":
                assert f"Restore “The bee” in {place}?" in driver.screen()
                await driver.press("y")
            assert home.changed(before) == set()
            current = driver.main.sessions.current
            assert current is not None
            assert (current.id, current.place) == ("bee", place), "the cursor goes to what is back"


async def test_a_question_names_the_profile(home: TwinProfiles) -> None:
    async with opened(home) as driver:
        await _to(driver, home, "work/bee")
        await driver.press("d")
        assert "Delete “The bee” in work?" in driver.screen()


async def test_a_delete_in_two_profiles_is_one_question_and_one_undo(home: TwinProfiles) -> None:
    before = home.dumps()
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        await driver.press("d")
        screen = driver.screen()
        assert "Delete 2 sessions in default and work?" in screen
        assert "default: “The bee”" in screen
        assert "work: “The bee”" in screen
        await driver.press("y")
        assert home.changed(before) == {"default", "work"}
        assert driver.listed().count("The bee") == 0
        await driver.press("u", "y")
        assert home.changed(before) == set()
        assert driver.listed().count("The bee") == 2


async def test_a_rename_is_of_its_own_profile(home: TwinProfiles) -> None:
    with altered(home.file("default")) as db:
        db.execute("UPDATE sessions SET title = 'Taken' WHERE id = 'cat'")
    before = home.dumps()
    async with opened(home) as driver:
        await _to(driver, home, "work/bee")
        await driver.press("t")
        await driver.press("ctrl+u")
        await driver.type("Taken")
        await driver.press("enter")
        assert home.changed(before) == {"work"}
        sql = "SELECT title FROM sessions WHERE id = 'bee'"
        assert rows(home.file("work"), sql) == [("Taken",)]
        await driver.press("u")
        assert home.changed(before) == set()


async def test_a_pin_is_of_its_own_profile(home: TwinProfiles) -> None:
    async with opened(home) as driver:
        await _to(driver, home, "work/bee")
        await driver.press("m")
        assert Notes(home.notes, home.file("work")).pins() == {"bee"}
        assert Notes(home.notes, home.file("default")).pins() == frozenset()
        store = home.store()
        assert driver.main.sessions.order[0] == key_of(store, "work/bee")


async def test_a_deleted_session_is_read_and_restored_from_the_trash_of_its_profile(
    home: TwinProfiles,
) -> None:
    before = home.dumps()
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        await driver.press("d", "y")
        await driver.press("U")
        assert "Deleted 2 sessions in default and work" in driver.screen()
        await driver.press("j", "j", "enter")
        assert isinstance(driver.app.screen, DeletedScreen)
        assert "I am bee of work" in driver.screen()
        await driver.press("escape")
        await driver.press("r")
        assert "Restore “The bee” in work?" in driver.screen()
        await driver.press("y")
        assert home.changed(before) == {"default"}
        assert "1 of 2 restored" in driver.screen()


async def test_a_prune_lists_all_profiles_and_says_which_is_which(home: TwinProfiles) -> None:
    for path in home.files:
        with altered(path) as db:
            db.execute("DELETE FROM messages WHERE session_id LIKE 'only-%'")
            db.execute("UPDATE sessions SET message_count = 0, title = NULL WHERE id LIKE 'only-%'")
    before = home.dumps()
    async with opened(home) as driver:
        await driver.press("p")
        screen = driver.screen()
        assert "Will be removed: 2 sessions" in screen
        listed = [line for line in screen.splitlines() if "empty" in line and " cli" in line]
        assert {line.split()[-2] for line in listed} == {"default", "work"}, screen
        await driver.press("d")
        screen = driver.screen()
        assert "Delete 2 empty sessions in default and work?" in screen
        assert "default: " in screen
        assert "work: " in screen
        await driver.press("y")
        assert home.changed(before) == {"default", "work"}
        await driver.press("escape")
        await driver.press("u", "y")
        assert home.changed(before) == set()


async def test_what_is_kept_from_a_prune_is_kept_in_its_own_profile(home: TwinProfiles) -> None:
    for path in home.files:
        with altered(path) as db:
            db.execute("DELETE FROM messages WHERE session_id = 'bee'")
            db.execute("UPDATE sessions SET message_count = 0, title = NULL WHERE id = 'bee'")
    before = home.dumps()
    async with opened(home) as driver:
        await driver.press("p", "tab")
        screen = driver.app.screen
        kept = next(iter(screen.query_one(PruneList).order))
        place = home.store().place(kept)
        await driver.press("space", "d")
        await driver.press("y")
        (other,) = set(home.names) - {place}
        assert home.changed(before) == {other}


async def test_what_one_profile_refuses_is_said_and_the_other_is_changed(
    home: TwinProfiles,
) -> None:
    path = home.file("work")
    path.with_name("second-name.db").hardlink_to(path)
    before = home.dumps()
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        await driver.press("a")
        assert home.changed(before) == {"default"}
        assert "Not archived: “The bee” (work: " in driver.said()


async def test_a_change_that_was_cut_short_between_profiles_is_told_at_the_start(
    home: TwinProfiles,
) -> None:
    store = home.store()
    edits = home.edits(store, NOW)
    plan = edits.plan(Action.DELETE, [key_of(store, name) for name in ("default/bee", "work/bee")])
    with dying_in(home.file("work"), "apply"):
        edits.apply(plan)
    async with opened(home) as driver:
        assert "A change was interrupted in default: Deleted 1 of 2 sessions" in driver.said()


async def test_undo_names_a_newer_change_whose_profile_was_removed(home: TwinProfiles) -> None:
    before = home.dumps()
    async with opened(home) as driver:
        await _to(driver, home, "default/bee")
        await driver.press("d", "y")
        await _to(driver, home, "work/bee")
        await driver.press("d", "y")
    shutil.rmtree(home.file("work").parent)
    async with opened(home) as driver:
        await driver.press("u")
        said = " ".join(driver.screen().split())
        assert "Restore “The bee”?" in said
        assert "A newer change cannot be undone: Deleted “The bee”." in said
        await driver.press("y")
    home.names = ("default",)
    assert home.changed(before) == set()


async def test_the_trash_of_a_removed_profile_is_read_and_purged(home: TwinProfiles) -> None:
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        await driver.press("d", "y")
        await _to(driver, home, "work/ant")
        await driver.press("d", "y")
    shutil.rmtree(home.file("work").parent)
    async with opened(home) as driver:
        await driver.press("U")
        screen = driver.screen()
        assert "Deleted “The ant” in work  work: its state file is gone" in screen
        assert "Deleted 2 sessions in default and work  work: its state file is gone" in screen
        await driver.press("enter")
        assert "I am ant of work" in driver.screen()
        await driver.press("escape", "r")
        assert "Its state file is gone. Put it back to restore what was deleted." in driver.said()
        assert "`session-explorer trash restore 4 --db PATH`, with that as PATH." in driver.said()
        await driver.press("x", "y")
        assert "The ant" not in driver.screen()
        await driver.press("j", "j", "x", "y")
        assert "Deleted “The bee”" in driver.screen()
        assert "gone" not in driver.screen()
        await driver.press("r", "y")
        assert "Restored “The bee”" in driver.said()


async def test_what_is_left_of_a_change_is_restored_once_only_one_of_its_profiles_is_left(
    home: TwinProfiles,
) -> None:
    before = home.dumps()
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        await driver.press("d", "y")
    shutil.rmtree(home.file("work").parent)
    home.names = ("default",)
    async with opened(home) as driver:
        await driver.press("U")
        assert "Deleted 2 sessions in default and work" in driver.screen()
        await driver.press("r", "y")
        assert "Restored “The bee”" in driver.said()
    assert home.changed(before) == set()


async def test_undo_offers_the_change_before_one_in_an_unreadable_profile(
    home: TwinProfiles,
) -> None:
    before = home.dumps()
    async with opened(home) as driver:
        await _to(driver, home, "default/bee")
        await driver.press("d", "y")
        await _to(driver, home, "work/bee")
        await driver.press("d", "y")
        home.file("work").write_bytes(b"no database at all" * 100)
        await driver.until(lambda: "1 unreadable" in driver.screen())
        await driver.press("u")
        screen = driver.screen()
        assert "Cannot undo the last change" in screen
        assert "Deleted “The bee” in work" in screen
        assert "The change before it: Deleted “The bee” in default" in screen
        await driver.press("y", "y")
    home.names = ("default",)
    assert home.changed(before) == set()


async def test_a_prune_has_a_rule_for_profiles_and_begins_with_what_is_listed(
    home: TwinProfiles,
) -> None:
    for path in home.files:
        with altered(path) as db:
            db.execute("DELETE FROM messages WHERE session_id = 'bee'")
            db.execute("UPDATE sessions SET message_count = 0, title = NULL WHERE id = 'bee'")
    before = home.dumps()
    async with opened(home) as driver:
        await driver.press("p")
        assert re.search(r"Profile\s+all 2 profiles", driver.screen())
        assert "By profile" in driver.screen()
        await driver.press("tab")
        driver.app.push_screen(Several("Profile", "any profile", [("work", "work")], ()))
        await driver.settle()
        assert (
            keymap_of(driver.main.app).hint("several", {"option-take": "apply"}) in driver.screen()
        )
        await driver.press("escape", "tab")
        assert "Will be removed: 2 sessions" in driver.screen()
        await driver.press("escape")
        await driver.press("A", "down", "enter")
        await driver.press("p")
        assert re.search(r"Profile\s+work", driver.screen())
        assert "Will be removed: 1 session" in driver.screen()
        await driver.press("d")
        await driver.press("y")
        assert home.changed(before) == {"work"}


async def test_a_locked_profile_is_named_and_does_not_hold_up_the_question(
    home: TwinProfiles,
) -> None:
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        with Locker(home.file("work")):
            await driver.pilot.press("d")
            await driver.until_seen(lambda: "Waiting for work …" in driver.said())
            await driver.settle()
            screen = driver.screen()
            assert "Delete “The bee” in default?" in screen
            assert "1 session in work stays: the file is locked" in screen
            await driver.press("escape")
            await driver.pilot.press("a")
            await driver.until_seen(lambda: "Archived “The bee” in default" in driver.said())
            said = driver.said()
            assert said.count("1 session in work stays: the file is locked") == 1


async def test_what_is_refused_stays_selected(
    home: TwinProfiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 0.1)
    key = key_of(home.store(), "work/bee")
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        await driver.press("d")
        with Locker(home.file("work")):
            await driver.pilot.press("y")
            await driver.until_seen(lambda: "the file is locked" in driver.said())
        assert "Deleted 1 of 2 sessions. Not deleted: “The bee” (work: " in driver.said()
        assert set(driver.main.sessions.selection.keys) == {key}


async def test_a_delete_that_still_goes_on_is_not_taken_for_that_of_another_program(
    home: TwinProfiles,
) -> None:
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        await driver.press("d")
        with Locker(home.file("work")):
            await driver.pilot.press("y")
            await driver.until_seen(lambda: not _has(home, "default/bee"))
            driver.main.file.edited()
            await driver.until_seen(lambda: len(driver.main.sessions.selection) == 1)
            assert "No longer selected" not in driver.said()
        await driver.until(lambda: "Deleted 2 sessions in default and work" in driver.said())
        assert "No longer selected" not in driver.said()
        assert not driver.main.sessions.selection.keys


async def test_a_session_that_cannot_even_be_read_stays_selected(home: TwinProfiles) -> None:
    key = key_of(home.store(), "work/bee")
    async with opened(home) as driver:
        await _to(driver, home, "default/bee", "work/bee")
        with Locker(home.file("work")):
            await driver.pilot.press("a")
            await driver.until_seen(lambda: "Archived “The bee” in default" in driver.said())
        await driver.settle()
        assert set(driver.main.sessions.selection.keys) == {key}

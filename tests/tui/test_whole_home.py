"""Every view and every edit of the app over a home in which one profile is broken, one locked by
another process, one without a file, one of an old schema, and three have a session of the same
id."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edits.states import dump
from tests.locker import Locker
from tests.profile_homes import PROFILES, READABLE, SAME, key_of, profile_file, seven_profiles
from tests.tui.driving import Driver, opened

UNREADABLE = ("broken", "locked")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    root = seven_profiles(tmp_path / "hermes")
    with Locker(profile_file(root, "locked")):
        yield root


def state(root: Path) -> dict[str, object]:
    """Every cell of every profile that can be read, and every byte of the others."""
    readable = [one for one in READABLE if one not in UNREADABLE]
    cells: dict[str, object] = {one: dump(profile_file(root, one)) for one in readable}
    return cells | {one: profile_file(root, one).read_bytes() for one in UNREADABLE}


def changed(root: Path, before: dict[str, object]) -> set[str]:
    now = state(root)
    return {one for one in before if before[one] != now[one]}


async def to(driver: Driver, place: str, id_: str = SAME) -> None:
    """Put the cursor on a session of a profile."""
    sessions, file = driver.main.sessions, driver.main.file.opened
    assert file is not None
    at = list(sessions.order).index(key_of(file.store, f"{place}/{id_}"))
    await driver.press_on("g", *["j"] * at)
    current = sessions.current
    assert current is not None
    assert (current.place, current.id) == (place, id_)


VIEWS: dict[str, tuple[tuple[str, ...], str]] = {
    "profiles": (("A",), "7 profiles"),
    "filters": (("f",), "Profile"),
    "sort": (("s",), "By profile"),
    "only": (("o",), "Only profile"),
    "details": (("i",), "Profile"),
    "lineage": (("L",), ""),
    "date": (("at",), ""),
    "prune": (("p",), "Prune"),
    "trash": (("U",), ""),
    "help": (("question_mark",), ""),
    "palette": (("colon",), ""),
    "hidden": (("full_stop",), "listed"),
    "lost": (("W", *"water", "enter"), "Find lost session"),
    "find": (("tab", "ctrl+f", *"water", "enter"), "water"),
    "full width": (("F",), ""),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=["wide", "small"])
async def test_every_view_opens_and_changes_nothing(
    root: Path, tmp_path: Path, name: str, size: tuple[int, int]
) -> None:
    before = state(root)
    keys, wanted = VIEWS[name]
    ours = tmp_path / "ours"
    async with opened(root, size, notes=ours / "notes.db", trash=ours / "trash.db") as driver:
        await driver.press(*keys)
        assert wanted in driver.screen()
        await driver.press("j", "k", "escape", "escape", "escape")
        assert "7 profiles" in driver.screen() or size[0] < 100
    assert changed(root, before) == set()


async def test_every_order_and_every_profile_is_listed(root: Path) -> None:
    async with opened(root) as driver:
        listed = set(driver.main.sessions.order)
        for down in range(9):
            await driver.press("s", *["home", *["j"] * down], "enter")
            assert set(driver.main.sessions.order) == listed
        for name in PROFILES:
            await driver.press("slash")
            await driver.type(f"profile:{name}")
            rows = map(driver.main.sessions.row, driver.main.sessions.order)
            found = {row.place for row in rows if row}
            if name in ("empty", *UNREADABLE):
                assert not found, name
            else:
                assert name in found
            await driver.press("escape", "escape")


async def test_every_transcript_is_that_of_its_row(root: Path) -> None:
    said = {"default": "water the garden", "work": "water pipes burst", "play": "water polo"}
    async with opened(root) as driver:
        for place, words in said.items():
            await to(driver, place)
            assert words in driver.screen()
            assert f"{place} · " in driver.screen()


EDITS: dict[str, tuple[str, ...]] = {
    "delete": ("d", "y"),
    "archive": ("a",),
    "pin": ("m",),
    "rename": ("t", "ctrl+u", *"Other", "enter"),
}


@pytest.mark.parametrize("place", ["default", "play", "work"])
@pytest.mark.parametrize("name", EDITS)
async def test_every_edit_is_of_its_row_and_undone_to_the_last_cell(
    root: Path, tmp_path: Path, name: str, place: str
) -> None:
    before, ours = state(root), tmp_path / "ours"
    async with opened(root, notes=ours / "notes.db", trash=ours / "trash.db") as driver:
        await to(driver, place)
        await driver.press(*EDITS[name])
        assert changed(root, before) == {place} or name == "pin"
        if name == "pin":
            assert changed(root, before) <= {place}
            await driver.press("m")
        else:
            await driver.press("u", *(["y"] if name == "delete" else []))
        assert changed(root, before) == set()


async def test_an_old_profile_is_edited_as_far_as_it_goes(root: Path, tmp_path: Path) -> None:
    before, ours = state(root), tmp_path / "ours"
    async with opened(root, notes=ours / "notes.db", trash=ours / "trash.db") as driver:
        sessions = driver.main.sessions
        rows = [sessions.row(row) for row in sessions.order]
        key, old = next((row.key, row.id) for row in rows if row and row.place == "old")
        await to(driver, "old", old)
        await driver.press("a")
        assert key not in sessions.order
        assert changed(root, before) == set(), "it is in our notes: the schema has no column"
        await driver.press("u")
        await to(driver, "old", old)
        await driver.press("d", "y")
        assert changed(root, before) == {"old"}
        await driver.press("u", "y")
        assert changed(root, before) == set()


async def test_a_delete_over_three_profiles_is_one_change(root: Path, tmp_path: Path) -> None:
    before, ours = state(root), tmp_path / "ours"
    async with opened(root, notes=ours / "notes.db", trash=ours / "trash.db") as driver:
        for place in ("default", "play", "work"):
            await to(driver, place)
            await driver.press("space")
        await driver.press("d")
        asked = driver.screen()
        assert "Delete 3 sessions in 3 profiles?" in asked
        for named in ("default: “Garden”", "play: “Polo”", "work: “Pipes”"):
            assert named in asked
        await driver.press("y")
        assert changed(root, before) == {"default", "play", "work"}
        await driver.press("U")
        assert "Deleted 3 sessions in 3 profiles" in driver.screen()
        await driver.press("escape")
        await driver.press("u", "y")
        assert changed(root, before) == set()


async def test_a_delete_of_everything_leaves_what_cannot_be_read(
    root: Path, tmp_path: Path
) -> None:
    before, ours = state(root), tmp_path / "ours"
    async with opened(root, notes=ours / "notes.db", trash=ours / "trash.db") as driver:
        await driver.press("ctrl+a", "d")
        await driver.press("enter")  # all parts of each conversation
        await driver.press("y")
        assert not changed(root, before) & {*UNREADABLE, "empty"}
        assert {"default", "play", "work"} <= changed(root, before)
        await driver.press("u")
        await driver.press("y")
        assert changed(root, before) == set()

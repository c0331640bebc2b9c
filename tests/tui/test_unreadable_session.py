"""A session whose file cannot be read now: the pane says so and shows no other in its place."""

import shutil
from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import talk
from tests.locker import Locker
from tests.profile_homes import profile, profile_file
from tests.tui.driving import NOW, Driver, animals, opened


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two profiles with the same ids and titles, in turn."""
    profile(tmp_path / "hermes", "default", NOW)
    profile(tmp_path / "hermes", "coder", NOW, after=1)
    return tmp_path / "hermes"


def _pane(driver: Driver) -> str:
    """What is read, without breaks of lines."""
    pane = driver.main.transcript
    shown = [pane.render_line(y).text for y in range(pane.size.height)]
    return " ".join(" ".join([str(pane.border_title), *shown]).split())


async def _to_coder(driver: Driver) -> None:
    await driver.press("j")
    row = driver.main.sessions.current
    assert row is not None
    assert (row.id, row.place) == ("ant", "coder")


async def test_a_session_whose_file_is_gone_is_named_and_shows_no_other(
    two: Path, tmp_path: Path
) -> None:
    file = profile_file(two, "coder")
    async with opened(two) as driver:
        assert "Hi from default." in _pane(driver)
        shutil.move(file.parent, tmp_path / "away")
        await _to_coder(driver)
        await driver.until(lambda: "cannot be read now" in _pane(driver))
        assert "coder · ant" in _pane(driver)
        assert "has disappeared" in _pane(driver)
        assert "Hi from default." not in _pane(driver)
        assert not driver.main.transcript.has_class("-old")
        shutil.move(tmp_path / "away", file.parent)
        await driver.until(lambda: "Hi from coder." in _pane(driver))
        assert "cannot be read now" not in _pane(driver)


async def test_keys_say_why_a_session_cannot_be_read_and_copy_nothing(
    two: Path, tmp_path: Path, trash: Path
) -> None:
    async with opened(two, trash=trash) as driver:
        shutil.move(profile_file(two, "coder").parent, tmp_path / "away")
        await _to_coder(driver)
        await driver.until(lambda: "cannot be read now" in _pane(driver))
        await driver.press("enter", "y")
        assert driver.app.clipboard == ""
        for key in ("d", "a", "t", "r", "y", "Y"):
            driver.app.clear_notifications()
            await driver.press(key)
            assert "This session cannot be read now" in driver.said(), key
            assert "Still reading" not in driver.said(), key


async def test_nothing_of_another_session_is_copied_while_one_is_being_read(two: Path) -> None:
    async with opened(two) as driver:
        driver.main._reader.outlined = None
        await driver.press("enter", "y")
        assert driver.app.clipboard == ""
        assert "Still reading this session." in driver.said()


async def test_a_session_in_a_locked_file_is_read_when_the_lock_is_released(two: Path) -> None:
    async with opened(two) as driver:
        with Locker(profile_file(two, "coder")):
            await _to_coder(driver)
            await driver.until(lambda: "Locked by another program" in _pane(driver))
            assert "coder · ant" in _pane(driver)
        await driver.until(lambda: "Hi from coder." in _pane(driver))


async def test_a_file_that_is_alone_and_gone_is_said_in_the_pane_too(tmp_path: Path) -> None:
    path = animals(tmp_path / "state.db")
    async with opened(path) as driver:
        path.rename(tmp_path / "away.db")
        await driver.press("j")
        await driver.until(lambda: "cannot be read now" in _pane(driver))
        assert "I am ant" not in _pane(driver)
        (tmp_path / "away.db").rename(path)
        await driver.until(lambda: "I am bee" in _pane(driver))


async def test_a_session_that_was_never_in_sight_shows_no_other_in_its_place(
    two: Path, tmp_path: Path
) -> None:
    file = profile_file(two, "coder")
    file.unlink()
    with StateFile.create(file) as state:
        for number in range(200):
            talk(state, f"s{number}", f"Old {number}", at=NOW - number * 86400)
    async with opened(two) as driver:
        shutil.move(file.parent, tmp_path / "away")
        await driver.press("G")
        await driver.until(lambda: "cannot be read now" in _pane(driver))
        assert "Hi from default." not in _pane(driver)
        shutil.move(tmp_path / "away", file.parent)
        await driver.until(lambda: "Old 199" in _pane(driver))

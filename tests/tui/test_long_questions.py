"""Questions about more than the screen has room for: what is asked, the answers and how long the
trash keeps it are visible at every size, and the rest can be scrolled to."""

from pathlib import Path

import pytest
from textual.events import MouseScrollDown

from explorer.demo import write_demo
from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.dialogs.questions import Question, QuestionText
from explorer.tui.words import ALL_SHOWN
from tests.factories import talk
from tests.profile_homes import profile_file
from tests.tui.driving import NOW, Driver, opened

TITLES = {
    "plain": "A weekend in the mountains with the whole family",
    "chinese": "和全家人一起在山里度过的一个长长的周末以及之后的事情",
}
ANSWERS = ("Cancel n", "Archive instead", "Delete y")
KEPT = "Kept in the trash for 30 days"


def _home(folder: Path, profiles: int, title: str) -> Path:
    """Profiles with four sessions each."""
    for number in range(profiles):
        name = f"team-{number:02}" if number else "default"
        with StateFile.create(profile_file(folder, name)) as state:
            for at in range(4):
                said, when = f"{title} {number}-{at}", NOW - 3600 * (at + 5 * number + 1)
                talk(state, f"s{number}-{at}", "Hello", "Hi.", at=when, title=said, end="cli_close")
    return folder


async def _ask(driver: Driver) -> QuestionText:
    await driver.press("ctrl+a", "d")
    assert isinstance(driver.app.screen, Question)
    return driver.app.screen.query_one(QuestionText)


def _words(driver: Driver) -> str:
    return " ".join(driver.screen().replace("│", " ").split())


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize(
    ("profiles", "size"), [(5, (80, 24)), (9, (120, 40)), (4, (60, 20)), (30, (200, 50))]
)
async def test_the_answers_of_a_long_question_are_visible(
    tmp_path: Path, profiles: int, size: tuple[int, int], title: str
) -> None:
    home = _home(tmp_path / "hermes", profiles, TITLES[title])
    async with opened(home, size=size, trash=tmp_path / "trash.db") as driver:
        await _ask(driver)
        words = _words(driver)
        for said in (f"Delete {4 * profiles} sessions", KEPT, *ANSWERS):
            assert said in words


async def test_a_long_question_is_scrolled_to_its_end_by_keys(tmp_path: Path) -> None:
    home = _home(tmp_path / "hermes", 9, TITLES["plain"])
    async with opened(home, size=(80, 24), trash=tmp_path / "trash.db") as driver:
        await _ask(driver)
        words = driver.screen()
        assert "PgDn scroll" in words
        assert "team-08" not in words
        seen = set()
        for _ in range(9):
            seen |= {name for name in (f"team-{one:02}" for one in range(9)) if name in words}
            await driver.press("pagedown")
            words = driver.screen()
        assert {f"team-{one:02}" for one in range(1, 9)} <= seen | {"team-08"}
        assert "team-08" in words
        assert "does nothing here" not in driver.said()
        await driver.press("home")
        assert "default" in driver.screen()
        await driver.press("n")
        assert not isinstance(driver.app.screen, Question)


async def test_a_long_question_is_scrolled_by_the_wheel(tmp_path: Path) -> None:
    home = _home(tmp_path / "hermes", 9, TITLES["plain"])
    async with opened(home, size=(80, 24), trash=tmp_path / "trash.db") as driver:
        text = await _ask(driver)
        x, y = text.region.center
        for _ in range(3):
            wheel = MouseScrollDown(text, int(x), int(y), 0, 1, 0, False, False, False)
            driver.app.screen._forward_event(wheel)
            await driver.settle()
        assert text.scroll_offset.y > 0


async def test_a_short_question_does_not_offer_to_scroll(tmp_path: Path) -> None:
    home = _home(tmp_path / "hermes", 1, TITLES["plain"])
    async with opened(home, trash=tmp_path / "trash.db") as driver:
        text = await _ask(driver)
        assert not text.max_scroll_y
        assert "PgDn" not in driver.screen()
        assert driver.app.screen.query_one("#question").outer_size.height < 20
        await driver.press("pagedown")
        assert ALL_SHOWN in driver.said()


async def test_a_question_in_a_tiny_terminal_is_answered(tmp_path: Path) -> None:
    home = _home(tmp_path / "hermes", 4, TITLES["plain"])
    async with opened(home, size=(60, 20), trash=tmp_path / "trash.db") as driver:
        await _ask(driver)
        await driver.resize(20, 5)
        assert "Cancel" in driver.screen()
        await driver.press("pagedown")
        await driver.press("n")
        assert not isinstance(driver.app.screen, Question)


async def test_the_focus_of_a_long_question_moves_through_its_answers_alone(
    tmp_path: Path,
) -> None:
    home = _home(tmp_path / "hermes", 9, TITLES["plain"])
    async with opened(home, size=(80, 24), trash=tmp_path / "trash.db") as driver:
        await _ask(driver)
        focused = [driver.focus()]
        for _ in range(3):
            await driver.press("tab")
            focused.append(driver.focus())
        assert focused == ["no", "instead", "yes", "no"]


async def test_a_prune_of_many_conversations_is_answered(tmp_path: Path) -> None:
    """The demo has long titles, subagents and what was never ended."""
    write_demo(tmp_path / "state.db", NOW)
    async with opened(tmp_path / "state.db", size=(60, 20), trash=tmp_path / "trash.db") as driver:
        await driver.press("p", "j", "j", "j", "enter", "d")
        assert isinstance(driver.app.screen, Question)
        words = _words(driver)
        for said in (KEPT, "Cancel n", "Delete y"):
            assert said in words

"""Reading in full width, going to a date, and keys that have nothing to do here and say why."""

from datetime import datetime
from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import altered, talk
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def days(tmp_path: Path) -> Path:
    """A session of ten days, a question and an answer on each."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "other", "Something", "else.", at=NOW - 999_999, title="Other")
        state.create_session("s", "cli", started_at=NOW - 900_000, title="Days")
        for day in range(10):
            at = NOW - (10 - day) * 86_400
            state.append_message("s", "user", f"question of day {day}", timestamp=at)
            state.append_message("s", "assistant", "so it is. " * 60, timestamp=at + 60)
    return path


def _is_listed(driver: Driver) -> bool:
    return driver.main.sessions.display


async def test_F_reads_in_full_width_until_it_is_pressed_again(days: Path) -> None:
    async with opened(days) as driver:
        width = driver.main.transcript.size.width
        await driver.press("enter", "right_square_bracket", "right_square_bracket")
        await driver.press("F")
        assert not _is_listed(driver)
        assert driver.main.transcript.size.width > 110
        assert "question of day 2" in driver.screen(), "the text stays where it is"
        await driver.press("ctrl+f")
        await driver.type("day 7")
        assert "match 1 of 1" in driver.screen()
        await driver.press("escape", "escape")
        assert _is_listed(driver), "the list is back"
        assert driver.focus() == "list"
        await driver.press("enter")
        assert not _is_listed(driver), "it is remembered"
        await driver.press("F")
        assert driver.focus() == "transcript"
        assert driver.main.transcript.size.width == width
        await driver.press("escape", "F")
        assert driver.focus() == "transcript"
        assert not _is_listed(driver), "from the list too"
        await driver.resize(180, 40)
        assert "F Full width" in driver.screen()
        await driver.resize(80, 24)
        await driver.press("F")
        assert driver.said() == "The transcript already has the full width"


def _date(days_ago: float) -> str:
    return f"{datetime.fromtimestamp(NOW - days_ago * 86_400):%Y-%m-%d}"


async def test_a_date_leads_to_its_first_message(days: Path) -> None:
    async with opened(days) as driver:
        await driver.press("enter", "at")
        await driver.type("nonsense")
        assert "A date (2026-03-01, yesterday), a time" in driver.screen()
        await driver.press("enter")
        assert "Go to date" in driver.screen(), "it is not taken"
        await driver.press("ctrl+u")
        await driver.type(_date(4))
        await driver.press("enter")
        assert driver.said().startswith(f"Message 13 of 20, {_date(4)} ")
        top = (
            driver.main.transcript.render_line(0).text + driver.main.transcript.render_line(1).text
        )
        assert "── " in top
        assert "question of day 6" in driver.screen()
        assert "question of day 5" not in driver.screen()
        # A time alone is on the day that is being read.
        await driver.press("at", *"23:59", "enter")
        assert f"Message 15 of 20, {_date(3)} " in driver.said()
        await driver.press("at", *"1999", "enter")
        assert "All messages are after 1999-01-01 00:00:00: message 1 of 20" in driver.said()
        assert "question of day 0" in driver.screen()
        await driver.press("at", *"2099", "enter")
        assert "All messages are before 2099-01-01 00:00:00: the last one is of" in driver.said()
        assert "question of day 0" in driver.screen(), "there is nothing to go to"


async def test_without_times_there_are_no_dates(days: Path) -> None:
    with altered(days) as db:
        db.execute("UPDATE messages SET timestamp = ''")
    async with opened(days) as driver:
        await driver.to("Days")
        await driver.press("enter", "at")
        assert driver.said() == "The messages of this session have no times"


NOTHING = {
    ("G", "right_square_bracket"): "No later prompt of yours",
    ("g", "left_square_bracket"): "No earlier prompt of yours",
    ("G", "right_curly_bracket"): "This is the last block",
    ("g", "left_curly_bracket"): "This is the first block",
    ("exclamation_mark",): "No errors in this session",
    ("c",): "Not a continued conversation",
    ("R",): "No rewound, repeated or hidden messages in this session",
    ("backspace",): "Not opened from a subagent link",
    ("z",): "Nothing to expand: this block is shown in full",
    ("enter",): "Nothing to expand: this block is shown in full",
    ("n",): "Nothing to step through: / searches all sessions, ctrl+f finds in this one",
}


async def test_a_key_with_nothing_to_do_says_so(days: Path) -> None:
    async with opened(days) as driver:
        await driver.press("enter")
        for keys, words in NOTHING.items():
            driver.app.clear_notifications()
            await driver.press(*keys)
            assert driver.said() == words
        assert "rewound" not in str(driver.main.transcript.border_subtitle)

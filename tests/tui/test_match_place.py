"""Which match of a search the reader is at, what a search unfolds, and the line that stays."""

from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.reading.block_screen import LongText
from explorer.tui.words import MatchWords, match_place
from tests.factories import talk
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def found(tmp_path: Path) -> Path:
    """Two sessions with a word: in a text, in folded reasoning, in a text; and in a long one."""
    path = tmp_path / "state.db"
    long = "\n\n".join(f"line {n}{' wren' if n in (700, 900) else ''}" for n in range(999))
    with StateFile.create(path) as state:
        talk(state, "b", "tell me", long, at=NOW - 9000, title="Forest")
        state.create_session("a", "cli", started_at=NOW - 900, title="Garden")
        state.append_message("a", "user", "a wren sings", timestamp=NOW - 890)
        state.append_message(
            "a", "assistant", "Yes.", reasoning="the wren, and an owl", timestamp=NOW - 880
        )
        state.append_message("a", "user", "where is the wren?", timestamp=NOW - 870)
    return path


async def _search(driver: Driver, text: str) -> None:
    await driver.press("slash")
    driver.main.search_bar.input.value = text
    await driver.settle()
    await driver.press("enter")


def _border(driver: Driver) -> str:
    return str(driver.main.transcript.border_subtitle)


def _footer(driver: Driver) -> str:
    return driver.screen().split("\n")[-1]


async def test_the_transcript_of_a_result_says_which_match_this_is(found: Path) -> None:
    async with opened(found) as driver:
        await driver.press("enter")
        assert "Next match" not in _footer(driver)
        await _search(driver, "wren")
        assert _border(driver).startswith("match 3 of 3 · last, n: next result “Forest”")
        assert "n Next match" in _footer(driver)
        assert "N Previous match" in _footer(driver)
        await driver.press("N")
        assert _border(driver).startswith("match 2 of 3 · message")
        await driver.press("N")
        # The way back leads to no other session: this is the first one.
        assert _border(driver).startswith("match 1 of 3 · first of the search · message")
        await driver.press("N")
        assert driver.said() == "This is the first match of the search; n goes on"
        await driver.press("n", "n", "n")
        assert driver.current() == "Forest"
        assert _border(driver).startswith("match 1 of 2 · message")
        await driver.press("n")
        assert _border(driver).startswith("match 2 of 2 · last of the search · message")
        await driver.press("enter")
        alone = driver.app.screen.query_one(LongText)
        assert str(alone.border_subtitle).startswith("match 2 of 2 · ")
        await driver.press("escape", "escape", "escape")
        assert "match" not in _border(driver), "the search is cleared"
        await driver.press("enter")
        assert "Next match" not in _footer(driver)
        await driver.press("n")
        assert "Nothing to step through" in driver.said()


async def test_a_next_result_whose_row_is_not_read_yet_is_not_the_end(
    found: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(found) as driver:
        await _search(driver, "wren")
        await driver.press("N")
        with monkeypatch.context() as unread:
            unread.setattr(driver.main.sessions, "row", lambda row: None)
            await driver.press("n")
            assert _border(driver).startswith("match 3 of 3 · last, n: next result · message")


async def test_a_find_takes_the_place_of_a_search_until_it_is_closed(found: Path) -> None:
    async with opened(found) as driver:
        await _search(driver, "wren")
        await driver.press("ctrl+f")
        assert _border(driver).startswith("message")
        await driver.type("owl")
        assert "match 1 of 1" in driver.screen()
        await driver.press("enter")
        assert "n Next match" in _footer(driver)
        await driver.press("escape")
        assert _border(driver).startswith("match 3 of 3 · last, n: next result “Forest”")


def test_matches_that_are_still_counted_have_a_plus() -> None:
    assert match_place(3, 1200, more=True) == "match 3 of 1,200+"


def test_where_there_is_little_room_the_name_of_the_next_session_comes_first() -> None:
    words = MatchWords("match 2 of 2", "last, n: next result", "A very long name of a session")
    rest = "message 7 of 9"
    for room in range(42, 100):
        said = words.beside(rest, room)
        assert len(said) <= room
        assert said.startswith("match 2 of 2 · last, n: next result “A")
        assert said.endswith(rest) == (room >= 35 + 3 + 12 + 3 + len(rest))
    assert MatchWords().beside(rest, 10) == rest


async def test_what_a_search_or_a_find_unfolded_is_folded_again(found: Path) -> None:
    async with opened(found) as driver:
        await _search(driver, "owl")
        assert "the wren, and an owl" in driver.screen()
        await driver.press("escape", "escape")
        assert driver.main.search_bar.input.value == ""
        assert "▸ reasoning · 5 words" in driver.screen(), "the search is cleared"
        await _search(driver, "owl")
        assert "the wren, and an owl" in driver.screen()
        await _search(driver, "sings")
        assert "▸ reasoning · 5 words" in driver.screen(), "another one is made"
        await driver.press("escape", "escape", "enter", "ctrl+f")
        await driver.type("owl")
        assert "the wren, and an owl" in driver.screen()
        await driver.press("escape")
        assert "▸ reasoning · 5 words" in driver.screen(), "the find is closed"
        await driver.press("T")
        await _search(driver, "owl")
        await driver.press("escape", "escape")
        assert "▾ reasoning" in driver.screen(), "but not what the reader had unfolded"


async def test_what_a_search_unfolded_is_folded_when_one_comes_back(found: Path) -> None:
    async with opened(found) as driver:
        await _search(driver, "/an owl|line 700/")
        await driver.press("escape")
        assert driver.listed() == ["Garden", "Forest"]
        assert "the wren, and an owl" in driver.screen()
        await driver.press("j")
        await driver.press("escape", "g")
        assert driver.current() == "Garden"
        assert "▸ reasoning · 5 words" in driver.screen()


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A session in which every turn has reasoning, a call and its output."""
    path = tmp_path / "state.db"
    output = "\n".join(f"output {number}" for number in range(30))
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 90_000, title="Long")
        for turn in range(120):
            at = NOW - 80_000 + 100 * turn
            function = {"name": "terminal", "arguments": '{"command": "make"}'}
            call = {"id": f"c{turn}", "type": "function", "function": function}
            state.append_message("s", "user", f"question {turn}.", timestamp=at)
            state.append_message(
                "s",
                "assistant",
                f"answer {turn}.",
                reasoning="hm\n" * 12,
                tool_calls=[call],
                timestamp=at + 1,
            )
            state.append_message(
                "s", "tool", output, tool_call_id=f"c{turn}", tool_name="terminal", timestamp=at + 2
            )
    return path


def _under_cursor(driver: Driver) -> tuple[int, str]:
    """(row, text) of the line with the first bar of the cursor."""
    view = driver.main.transcript
    rows = ((y, view.render_line(y).text) for y in range(view.size.height))
    return next((y, text.strip(" ▌▸▾")) for y, text in rows if text.startswith("▌"))


@pytest.mark.parametrize("to", ["top", "middle", "end"])
async def test_the_line_being_read_keeps_its_place_when_folds_change(long: Path, to: str) -> None:
    async with opened(long) as driver:
        await driver.press("enter", "o", "o", "T")
        keys = {"top": ["g"], "middle": ["G", *["pageup"] * 30], "end": ["G"]}[to]
        await driver.press(*keys)
        if to != "top":
            # So far from the end that all lines below it fill the screen when they are folded.
            await driver.press(*["left_square_bracket"] * 5, *["up"] * 6)
        else:
            await driver.press("right_square_bracket", *["up"] * 3)
        before = _under_cursor(driver)
        assert before[1].startswith("question")
        for key in ("o", "o", "o", "T", "T", "o"):
            await driver.press(key)
            assert _under_cursor(driver) == before, key


async def test_a_line_that_is_folded_away_leaves_its_head_in_place(long: Path) -> None:
    async with opened(long) as driver:
        await driver.press("enter", "o", "o", *["pagedown"] * 20)
        view = driver.main.transcript
        top = view.render_line(0).text.strip(" ▌")
        assert top.startswith("output"), "the page begins in the middle of a result"
        await driver.press("o")
        assert view.render_line(0).text.strip(" ▌").startswith("▸ terminal  make")


async def test_the_cursor_is_on_the_match_also_near_the_end(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        turns = [f"turn {number}" for number in range(60)]
        talk(state, "s", *turns, "a wren", "last " * 40, at=NOW - 900, title="Long")
    async with opened(path, size=(80, 24)) as driver:
        await _search(driver, "wren")
        assert _under_cursor(driver)[1] == "a wren"

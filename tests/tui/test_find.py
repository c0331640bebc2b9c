"""Find in a transcript: every match of the whole conversation, from where one is."""

from pathlib import Path

import pytest

from explorer.store.create import StateFile
from explorer.store.hermes.store import HermesStore
from explorer.tui.screens.block import BlockScreen, LongText
from explorer.tui.widgets.find_bar import FindBar
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A long session: one word in the text, in folded thoughts, in a call and in its output."""
    path = tmp_path / "state.db"
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "terminal", "arguments": '{"command": "grep needle *"}'},
    }
    with StateFile.create(path) as state:
        state.create_session("s1", "cli", started_at=NOW - 9000, title="Hay")
        for turn in range(300):
            text = f"question {turn}" + (" with a Needle in it" if turn in (20, 280) else "")
            state.append_message("s1", "user", text, timestamp=NOW - 8000 + turn)
            state.append_message("s1", "assistant", f"answer {turn}", timestamp=NOW - 8000 + turn)
        state.append_message(
            "s1",
            "assistant",
            "",
            reasoning="the needle, think of the needle",
            tool_calls=[call],
            timestamp=NOW - 100,
        )
        output = "\n".join(f"line {n} {'needle' if n in (3, 650) else ''}" for n in range(700))
        state.append_message(
            "s1", "tool", output, tool_call_id="c1", tool_name="terminal", timestamp=NOW - 90
        )
    return path


async def _find(driver: Driver, text: str) -> None:
    await driver.press("enter", "ctrl+f")
    await driver.type(text)


def _said(driver: Driver) -> str:
    bar = driver.app.screen.query_one(FindBar)
    return str(bar.query_one("#find-words").render())


async def test_all_matches_are_counted_and_the_first_is_in_sight(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "needle")
        # Two questions, two in the reasoning, one in the call, two in its output.
        assert _said(driver) == "1 of 7"
        assert "question 20 with a Needle in it" in driver.screen()


async def test_what_is_in_sight_is_looked_through_without_being_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 9000, title="Hay")
        for turn in range(8):
            state.append_message("s", "user", f"question {turn}.", timestamp=NOW - 80 + turn)
    async with opened(path) as driver:
        monkeypatch.setattr(HermesStore, "messages", None)
        await _find(driver, "question")
        assert _said(driver) == "1 of 8"


async def test_what_is_said_of_it_is_never_cut(talk: Path) -> None:
    async with opened(talk) as driver:
        for text in ("needle", "nowhere", "e"):
            await _find(driver, text)
            assert f"  {_said(driver)}\n" in driver.screen()
            await driver.press("escape")


async def test_n_and_N_go_round_and_unfold_what_is_folded(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "needle")
        await driver.press("enter", "n")
        assert _said(driver) == "2 of 7"
        assert "question 280 with a Needle in it" in driver.screen()
        assert "think of the needle" not in driver.screen()
        await driver.press("n")
        assert _said(driver) == "3 of 7"
        assert "the needle, think of the needle" in driver.screen()
        await driver.press("n", "n")
        assert "grep needle" in driver.screen()
        await driver.press("n", "n", "n")
        assert _said(driver) == "1 of 7"
        await driver.press("N")
        assert _said(driver) == "7 of 7"


async def test_the_match_that_one_is_at_is_lit_more_than_the_others(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "needle")
        transcript = driver.main.transcript
        styles = {
            str(segment.style.bgcolor)
            for y in range(transcript.size.height)
            for segment in transcript.render_line(y)
            if segment.text == "Needle" and segment.style
        }
        await driver.press("escape")
        after = [
            segment
            for y in range(transcript.size.height)
            for segment in transcript.render_line(y)
            if segment.text == "Needle"
        ]
        assert len(styles) == 1
        assert after == []


async def test_a_capital_makes_capitals_matter(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "Needle")
        assert _said(driver) == "1 of 2"


async def test_an_expression_stands_between_slashes(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "/question 2[0-9]{2}$/")
        assert _said(driver) == "1 of 99"


@pytest.mark.parametrize("text", ["/(/", "/[/", "/*/", "/(?P<a/"])
async def test_what_is_no_expression_is_said_to_be_none(talk: Path, text: str) -> None:
    async with opened(talk) as driver:
        await _find(driver, text)
        assert "Not a regular expression" in _said(driver)


async def test_what_is_not_there_is_said_not_to_be(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "xyzzy")
        assert _said(driver) == "not in this session"


@pytest.mark.parametrize("text", ["[bold]", "$^", "a.b", "\\", "C++", "//", "/"])
async def test_odd_text_is_looked_for_as_it_is(talk: Path, text: str) -> None:
    async with opened(talk) as driver:
        await driver.press("enter", "ctrl+f")
        driver.main.query_one(FindBar).input.value = text
        await driver.settle()
        assert _said(driver) in ("not in this session", "1 of 1")


async def test_a_find_starts_where_the_reader_is(talk: Path) -> None:
    async with opened(talk) as driver:
        await driver.press("enter", "G")
        await driver.press("ctrl+f")
        await driver.type("question 1")
        number, of = _said(driver).split(" of ")
        assert of == "111"
        assert number == "1", "past the end the first one is next"
        await driver.press("escape")
        await driver.press("G", "pageup", "pageup", "ctrl+f")
        await driver.type("answer 29")
        assert "answer 29" in driver.screen()


async def test_escape_stops_finding_and_then_leaves(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "needle")
        await driver.press("enter", "escape")
        assert not driver.main.query(FindBar)
        assert driver.focus() == "transcript"
        await driver.press("escape")
        assert driver.focus() == "list"


async def test_a_long_block_alone_has_a_find_of_its_own(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "line 3")
        await driver.press("enter", "enter")
        screen = driver.app.screen
        assert isinstance(screen, BlockScreen)
        # What the transcript was searched for is looked for here too.
        assert _said(driver).endswith("of 111")
        await driver.press("ctrl+f")
        screen.query_one(FindBar).input.value = "line 650"
        await driver.settle()
        assert "line 650 needle" in driver.screen()
        assert _said(driver) == "1 of 1"
        await driver.press("enter", "escape")
        assert not screen.query_one(FindBar).display
        assert driver.app.screen is screen
        assert isinstance(screen.focused, LongText)
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1

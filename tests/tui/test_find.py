"""Find in a transcript: every match of the whole conversation, from where one is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.events import Key
from textual.widgets import Input

from explorer.model import Message
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.store import HermesStore
from explorer.transcript import find as finding
from explorer.tui.reading.block_screen import BlockScreen, LongText
from explorer.tui.reading.find_bar import FindBar
from explorer.tui.reading.reading_pane import ReadScreen
from tests.factories import altered, say
from tests.tui.driving import NOW, Driver, opened
from tests.tui.specimen import write_specimen


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


async def test_a_result_may_come_before_the_bar_is_drawn() -> None:
    class Page(App[None]):
        def on_mount(self) -> None:
            self.mount(bar := FindBar())
            bar.say("match 3 of 12")

    app = Page()
    async with app.run_test():
        assert str(app.query_one("#find-words").render()) == "match 3 of 12"


async def test_a_find_in_a_session_that_is_just_opening_does_no_harm(talk: Path) -> None:
    async with opened(talk) as driver:
        store, catalog = driver.main._lister.store, driver.main._lister.catalog
        session = driver.main.sessions.current
        assert store is not None
        assert catalog is not None
        assert session is not None
        screen = ReadScreen(store, catalog, session, lambda: NOW)
        driver.app.push_screen(screen)
        await screen.action_find()
        await driver.settle()
        await driver.press("ctrl+f")
        assert driver.app.screen.query(FindBar), "and a moment later it opens"


async def test_all_matches_are_counted_and_the_first_is_in_sight(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "needle")
        # Two questions, two in the reasoning, one in the call, two in its output.
        assert _said(driver) == "match 1 of 7"
        assert "question 20 with a Needle in it" in driver.screen()


async def test_visible_messages_are_searched_without_being_read_again(
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
        assert _said(driver) == "match 1 of 8"


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
        assert _said(driver) == "match 2 of 7"
        assert "question 280 with a Needle in it" in driver.screen()
        assert "think of the needle" not in driver.screen()
        await driver.press("n")
        assert _said(driver) == "match 3 of 7"
        assert "the needle, think of the needle" in driver.screen()
        await driver.press("n", "n")
        assert "grep needle" in driver.screen()
        await driver.press("n", "n", "n")
        assert _said(driver) == "match 1 of 7"
        await driver.press("N")
        assert _said(driver) == "match 7 of 7 · last, next is match 1"


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
        assert _said(driver) == "match 1 of 2"


async def test_an_expression_stands_between_slashes(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "/question 2[0-9]{2}$/")
        assert _said(driver) == "match 1 of 99"


@pytest.mark.parametrize("text", ["/(/", "/[/", "/*/", "/(?P<a/"])
async def test_an_invalid_expression_is_reported(talk: Path, text: str) -> None:
    async with opened(talk) as driver:
        await _find(driver, text)
        assert "Not a regular expression" in _said(driver)


async def test_a_find_without_matches_says_so(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "xyzzy")
        assert _said(driver) == "no matches"


@pytest.mark.parametrize("text", ["[bold]", "$^", "a.b", "\\", "C++", "//", "/"])
async def test_odd_text_is_looked_for_as_it_is(talk: Path, text: str) -> None:
    async with opened(talk) as driver:
        await driver.press("enter", "ctrl+f")
        driver.main.query_one(FindBar).input.value = text
        await driver.settle()
        assert _said(driver) in ("no matches", "match 1 of 1")


async def test_a_find_starts_where_the_reader_is(talk: Path) -> None:
    async with opened(talk) as driver:
        await driver.press("enter", "G")
        await driver.press("ctrl+f")
        await driver.type("question 1")
        number, of = _said(driver).removeprefix("match ").split(" of ")
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
        assert _said(driver) == "match 1 of 1"
        await driver.press("enter", "escape")
        assert not screen.query_one(FindBar).display
        assert driver.app.screen is screen
        assert isinstance(screen.focused, LongText)
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1


def _session(path: Path, *texts: str) -> Path:
    with StateFile.create(path) as state:
        state.create_session("s1", "cli", started_at=NOW - 9000, title="Hay")
        for turn, text in enumerate(texts):
            role = ("user", "assistant")[turn % 2]
            state.append_message("s1", role, text, timestamp=NOW - 8000 + turn)
    return path


def _lit(driver: Driver) -> list[str]:
    """All that is lit, line by line; what the reader was led to is in capitals."""
    transcript = driver.main.transcript
    here = transcript._style("match-here", False)
    both = (here, transcript._style("match", False))
    return [
        segment.text.upper() if segment.style == here else segment.text
        for y in range(transcript.size.height)
        for segment in transcript.render_line(y)
        if segment.style in both
    ]


async def test_words_are_found_and_lit_where_a_line_was_wrapped(tmp_path: Path) -> None:
    long = "word " * 10 + "the **base image** has no such variant at all, " + "word " * 30
    async with opened(_session(tmp_path / "state.db", "hello", long)) as driver:
        await _find(driver, "base image has no such variant")
        assert _said(driver) == "match 1 of 1"
        assert " ".join(_lit(driver)).split() == ["BASE", "IMAGE", "HAS", "NO", "SUCH", "VARIANT"]
        assert len(_lit(driver)) > 1


@pytest.mark.parametrize("typed", ["café", "cafe\u0301", "CAFÉ", "Cafe\u0301"])
async def test_letters_are_found_and_lit_however_they_are_composed(
    tmp_path: Path, typed: str
) -> None:
    text = "un café, deux cafe\u0301s, CAFÉ, Cafe\u0301, cafe"
    async with opened(_session(tmp_path / "state.db", "hello", text)) as driver:
        await driver.press("enter", "ctrl+f")
        # The driver has no key for an accent alone; terminals have.
        driver.app.screen.query_one(FindBar).query_one(Input).value = typed
        await driver.settle()
        lit = [word.casefold() for word in _lit(driver)]
        every = ["café", "cafe\u0301", "café", "cafe\u0301"]
        expected = {"CAFÉ": ["café"], "Cafe\u0301": ["cafe\u0301"]}.get(typed, every)
        assert lit == expected
        assert _said(driver) == f"match 1 of {len(expected)}"


async def test_the_match_one_is_at_survives_a_resize(tmp_path: Path) -> None:
    text = "one needle, " + "word " * 40 + "two needle, " + "word " * 40 + "three needle"
    async with opened(_session(tmp_path / "state.db", "hello", text)) as driver:
        await _find(driver, "needle")
        await driver.press("enter", "n")
        assert _lit(driver) == ["needle", "NEEDLE", "needle"]
        await driver.resize(100, 30)
        assert _lit(driver) == ["needle", "NEEDLE", "needle"]
        assert _said(driver) == "match 2 of 3"
        await driver.press("ctrl+t")
        assert _lit(driver) == ["needle", "NEEDLE", "needle"]


async def test_a_match_below_what_is_shown_leads_to_the_line_that_says_so(tmp_path: Path) -> None:
    lines = [f"line {n}{' needle' if n in (3, 4000, 4500) else ''}" for n in range(5000)]
    async with opened(_session(tmp_path / "state.db", "hello", "\n".join(lines))) as driver:
        await _find(driver, "needle")
        await driver.press("enter", "n", "n")
        assert _said(driver) == "match 3 of 3 · last, next is match 1"
        assert "more lines · enter: show all" in driver.screen()
        await driver.press("enter")
        assert "line 4500 needle" in driver.screen()
        assert _said(driver) == "match 3 of 3 · last, next is match 1"
        alone = driver.app.screen.query_one(LongText)
        assert alone.vertical_scrollbar.position == alone.scroll_y > 4000


async def test_the_border_says_which_message_a_match_is_in(talk: Path) -> None:
    async with opened(talk) as driver:
        await driver.press("enter", "G")
        await driver.press("ctrl+f")
        await driver.type("answer 299")
        await driver.press("enter")
        assert "message 600 of 602" in driver.screen()


async def test_a_block_alone_finds_what_was_wrapped(tmp_path: Path) -> None:
    text = "\n".join(f"line {n}" for n in range(300)) + "\n" + "word " * 60 + "last word of all"
    async with opened(_session(tmp_path / "state.db", "hello", text), size=(80, 24)) as driver:
        await _find(driver, "300")
        screen_text = "word word last word of all"
        await driver.press("escape")
        await driver.press("g", "right_curly_bracket", "enter")
        assert isinstance(driver.app.screen, BlockScreen)
        await driver.press("ctrl+f")
        await driver.type(screen_text)
        assert _said(driver) == "match 1 of 1"


async def test_a_block_alone_says_whose_it_is_keeps_its_place_and_is_copied(
    tmp_path: Path,
) -> None:
    text = "\n".join(f"line {n} of it" for n in range(900))
    async with opened(_session(tmp_path / "state.db", "hello", text)) as driver:
        await driver.press("enter", "right_curly_bracket", "enter")
        assert "assistant · " in driver.screen().splitlines()[0]
        await driver.press("pagedown", "pagedown")
        first = driver.screen().splitlines()[1].split()[1:3]
        await driver.resize(90, 30)
        assert driver.screen().splitlines()[1].split()[1:3] == first
        await driver.press("y")
        assert driver.app.clipboard == text
        assert "Copied block (" in driver.said()


async def test_a_block_unfolded_for_a_match_is_folded_at_the_next_match(talk: Path) -> None:
    async with opened(talk) as driver:
        await _find(driver, "needle, think")
        assert "▾ reasoning" in driver.screen()
        await driver.press("ctrl+f")
        await driver.press("ctrl+u")
        await driver.type("grep needle")
        assert "grep needle" in driver.screen()
        assert "▾ reasoning" not in driver.screen()
        assert "▸ reasoning" in driver.screen()


async def test_a_block_unfolded_by_the_reader_stays_unfolded_at_the_next_match(talk: Path) -> None:
    async with opened(talk) as driver:
        await driver.press("enter", "G", "left_curly_bracket", "z")
        assert "▾ reasoning" in driver.screen()
        await driver.press("ctrl+f")
        await driver.type("needle")
        await driver.press("enter", "n", "n")
        assert "▾ reasoning" in driver.screen()


async def test_a_find_goes_through_all_parts_of_a_conversation(tmp_path: Path) -> None:
    async with opened(write_specimen(tmp_path / "state.db")) as driver:
        await driver.press("j", "j", "enter", "G", "ctrl+f")
        await driver.type("booked")
        # Once in each part, but the second repeats the first: that is shown, and found, once.
        assert _said(driver) == "match 1 of 1"
        await driver.press("ctrl+u")
        await driver.type("mirrored the image")
        assert "▾ summary of earlier messages" in driver.screen()
        await driver.press("ctrl+u")
        await driver.type("van")
        assert _said(driver) == "match 1 of 1"
        assert "find a van" in driver.screen()
        await driver.press("escape", "c")
        await driver.press("ctrl+f")
        await driver.type("boxes")
        assert _said(driver) == "no matches"


def _at_once(driver: Driver, keys: str) -> None:
    """Control+f and letters, as a paste or a quick hand sends them: nothing is waited for."""
    driver.app.post_message(Key("ctrl+f", None))
    for letter in keys:
        driver.app.post_message(Key(letter, letter))


async def test_what_is_typed_right_behind_control_f_is_looked_for(talk: Path) -> None:
    async with opened(talk) as driver:
        await driver.press("enter")
        # Each of these letters would do something else in the text; the first would leave.
        _at_once(driver, "qTyco")
        await driver.settle()
        assert driver.main.query_one(FindBar).input.value == "qTyco"
        await driver.press("escape", "G", "z", "enter")
        assert isinstance(driver.app.screen, BlockScreen)
        _at_once(driver, "qyn")
        await driver.settle()
        assert driver.app.screen.query_one(FindBar).input.value == "qyn"


async def test_a_find_goes_on_where_it_is_while_the_session_becomes_longer(
    talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(talk) as driver:
        await _find(driver, "needle")
        await driver.press("enter", "n", "n", "n")
        assert _said(driver) == "match 4 of 7"
        looked_at: list[int] = []
        plain = finding.texts

        def counted(message: Message, *others: Any) -> Iterator[tuple[str, str]]:
            looked_at.append(message.id)
            return plain(message, *others)

        monkeypatch.setattr(finding, "texts", counted)
        with altered(talk) as db:
            say(db, "s1", role="user", content="one more needle", timestamp=NOW - 10)
        driver.main.file.changed()
        await driver.settle()
        assert _said(driver) == "match 4 of 8"
        # The last turn, which may have got a result, and what is new; not 600 messages again.
        assert len(set(looked_at)) == 3
        await driver.press("n", "n", "n", "n")
        assert _said(driver) == "match 8 of 8 · last, next is match 1"
        assert "one more needle" in driver.screen()

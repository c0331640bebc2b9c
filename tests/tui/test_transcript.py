"""The transcript pane: reading, folding, keeping one's place."""

import threading
from pathlib import Path
from typing import Any

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.store import HermesStore
from explorer.transcript.document import LaidMessage
from explorer.transcript.layout import lay_out
from explorer.tui.reading import document_view
from explorer.tui.reading import transcript_controller as reader
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """One session with everything that folds, and enough turns to scroll."""
    path = tmp_path / "state.db"
    call = {"id": "c1", "type": "function", "function": {"name": "terminal"}}
    call["function"]["arguments"] = '{"command": "make all"}'  # type: ignore[index]
    with StateFile.create(path) as state:
        state.create_session("s1", "cli", started_at=NOW - 900, title="Build", model="x/opus")
        state.append_message("s1", "user", "please build it", timestamp=NOW - 890)
        state.append_message(
            "s1",
            "assistant",
            "",
            reasoning="first think, then act",
            tool_calls=[call],
            timestamp=NOW - 880,
        )
        output = "\n".join(f"step {number}" for number in range(700))
        state.append_message(
            "s1", "tool", output, tool_call_id="c1", tool_name="terminal", timestamp=NOW - 870
        )
        for turn in range(60):
            state.append_message("s1", "user", f"question {turn}", timestamp=NOW - 800 + turn)
            answer = f"answer {turn}: " + "many words to wrap " * 20
            state.append_message("s1", "assistant", answer, timestamp=NOW - 799 + turn)
    return path


async def _reading(driver: Driver) -> None:
    await driver.press("enter")


async def test_messages_say_who_when_and_with_which_model(talk: Path) -> None:
    async with opened(talk) as driver:
        screen = driver.screen()
        assert "── you ·" in screen
        assert "please build it" in screen
        assert "── assistant · opus ·" in screen


async def test_reasoning_is_folded_and_says_how_long_it_is(talk: Path) -> None:
    async with opened(talk) as driver:
        assert "▸ reasoning · 4 words" in driver.screen()
        assert "first think, then act" not in driver.screen()
        await _reading(driver)
        await driver.press("T")
        assert "first think, then act" in driver.screen()
        await driver.press("T")
        assert "first think, then act" not in driver.screen()


async def test_a_call_and_its_result_are_one_folded_line(talk: Path) -> None:
    async with opened(talk) as driver:
        assert "▸ terminal  make all  ✓ 700 lines · 10.0 s" in driver.screen()
        assert "step 1" not in driver.screen()


async def test_enter_unfolds_the_block_under_the_cursor_and_folds_it_again(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        await driver.press("right_curly_bracket")
        await driver.press("enter")
        assert "first think, then act" in driver.screen()
        await driver.press("enter")
        assert "first think, then act" not in driver.screen()


async def test_a_block_that_is_too_long_says_so_and_opens_alone(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        await driver.press("right_curly_bracket", "right_curly_bracket", "enter")
        assert "step 10" in driver.screen()
        place = driver.main.transcript.cursor
        assert place is not None
        block = driver.main.transcript.document.block(place)
        assert block is not None
        assert block.more == 501
        await driver.press("enter")
        assert len(driver.app.screen_stack) == 2
        await driver.press("G")
        assert "step 699" in driver.screen()
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1


async def test_o_shows_calls_folded_brief_full_and_folded_again(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        assert "tools" not in _border(driver)
        await driver.press("o")
        assert "tools brief · message 1 of 123" in _border(driver)
        assert "… 692 more lines" in driver.screen()
        assert "step 699" in driver.screen()
        await driver.press("o")
        assert "tools full ·" in _border(driver)
        assert "step 10" in driver.screen()
        assert "more lines" not in driver.screen()
        await driver.press("o")
        assert "tools folded ·" in _border(driver)
        assert "step 1" not in driver.screen()


async def test_a_brief_call_unfolds_to_all_of_it_and_then_folds(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        await driver.press("o", "right_curly_bracket", "right_curly_bracket", "enter")
        assert "step 10" in driver.screen()
        await driver.press("z")
        assert "▸ terminal" in driver.screen()
        assert "step 1" not in driver.screen()
        await driver.press("o")
        assert "step 10" in driver.screen()


async def test_the_level_holds_for_the_next_session_too(demo: Path) -> None:
    async with opened(demo) as driver:
        await _reading(driver)
        await driver.press("o", "escape", "j")
        assert "tools brief ·" in _border(driver)
        await _reading(driver)
        await driver.press("o", "o", "escape", "j")
        assert "tools" not in _border(driver)


async def test_calls_made_at_once_have_each_its_result_but_no_duration(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    asked = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}
        for name in ("left", "right")
    ]
    with StateFile.create(path) as state:
        state.create_session("s1", "cli", started_at=NOW - 90, title="Both", model="x/opus")
        state.append_message("s1", "assistant", "", tool_calls=asked, timestamp=NOW - 80)
        for passed, name in enumerate(("left", "right"), 5):
            state.append_message(
                "s1", "tool", f"{name} is clear", tool_call_id=name, timestamp=NOW - 80 + passed
            )
    async with opened(path) as driver:
        await _reading(driver)
        await driver.press("o")
        document = driver.main.transcript.document
        lines = [document.line(number)[0] or () for number in range(document.height)]
        assert ["".join(text for text, _ in line) for line in lines[-4:]] == [
            "▾ left  ✓ 1 line",
            "  left is clear",
            "▾ right  ✓ 1 line",
            "  right is clear",
        ]


def _border(driver: Driver) -> str:
    return str(driver.main.transcript.border_subtitle)


async def test_a_block_that_is_too_wide_says_so_and_opens_full_screen(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s1", "cli", started_at=NOW - 900, title="Wide")
        line = "x = " + "1 + " * 60 + "the_end"
        state.append_message("s1", "user", f"look:\n```python\n{line}\n```", timestamp=NOW - 890)
    async with opened(path) as driver:
        assert "cut off at the right · enter: full width" in driver.screen()
        assert "the_end" not in driver.screen()
        await _reading(driver)
        await driver.press("enter")
        assert len(driver.app.screen_stack) == 2
        assert "the_end" in driver.screen()


async def test_text_is_drawn_as_markdown(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s1", "cli", started_at=NOW - 900, title="Plan")
        text = "## Plan\n- [x] *one*\n\n|a|b|\n|-|-|\n|1|2|"
        state.append_message("s1", "assistant", text, timestamp=NOW - 890)
    async with opened(path) as driver:
        for line in ("## Plan", "☑ one", "a │ b", "──┼──", "1 │ 2"):
            assert line in driver.screen()


async def test_the_end_and_the_beginning_are_one_key_away(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        await driver.press("G")
        assert "answer 59" in driver.screen()
        await driver.press("g")
        assert "please build it" in driver.screen()


async def test_a_jump_is_painted_with_its_text_unless_that_takes_long(
    talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = threading.Event()

    def slowly(*args: Any) -> dict[int, LaidMessage]:
        gate.wait(10)
        return lay_out(*args)

    async with opened(talk) as driver:
        await _reading(driver)
        monkeypatch.setattr(reader, "lay_out", slowly)
        monkeypatch.setattr(document_view, "PATIENCE", 1.0)
        await driver.pilot.press("G")
        assert driver.app._batch_count == 1
        await driver.pilot.pause(1.1)
        assert driver.app._batch_count == 0
        assert "│  …" in driver.screen()
        gate.set()
        await driver.settle()
        assert "answer 59" in driver.screen()
        assert driver.app._batch_count == 0


async def test_what_was_read_is_not_read_again_to_be_laid_out_anew(
    talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        monkeypatch.setattr(HermesStore, "messages", None)
        await driver.press("T")
        assert "first think, then act" in driver.screen()
        await driver.press("o")
        assert "step 699" in driver.screen()
        await driver.resize(150, 40)
        assert "first think, then act" in driver.screen()


async def test_the_border_says_which_message_is_at_the_top(talk: Path) -> None:
    async with opened(talk) as driver:
        assert "message 1 of 123" in driver.screen()
        await _reading(driver)
        await driver.press("pagedown", "pagedown")
        assert "message 1 of 123" not in driver.screen()
        assert "of 123" in driver.screen()


async def test_the_cursor_is_always_in_view(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        for key in ("pagedown", "pagedown", "j", "G", "pageup", "k", "g"):
            await driver.press(key)
            transcript = driver.main.transcript
            assert transcript.cursor is not None
            top = transcript.scroll_offset.y
            line = transcript.document.first_line(transcript.cursor)
            block = transcript.document.block(transcript.cursor)
            assert block is not None
            assert line < top + transcript.size.height, key
            assert line + len(block.lines) > top, key


async def test_unfolding_above_does_not_move_the_text_being_read(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        await driver.press("right_square_bracket", "right_square_bracket")
        transcript = driver.main.transcript
        before, _ = transcript.document.line(transcript.scroll_offset.y)
        await driver.press("T", "o")
        after, _ = transcript.document.line(transcript.scroll_offset.y)
        assert after == before


async def test_a_resize_keeps_the_message_at_the_top(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        await driver.press("pagedown", "pagedown", "pagedown")
        transcript = driver.main.transcript
        item = transcript.document.anchor(transcript.scroll_offset.y)[0]
        await driver.resize(160, 30)
        assert transcript.document.anchor(transcript.scroll_offset.y)[0] == item
        await driver.resize(110, 50)
        assert transcript.document.anchor(transcript.scroll_offset.y)[0] == item


async def test_ones_own_messages_are_stepped_through(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        await driver.press("right_square_bracket")
        place = driver.main.transcript.cursor
        assert place is not None
        assert driver.main.transcript.document.outlines[place.item].role == "user"
        assert "question 0" in driver.screen()


async def test_the_parts_of_a_conversation_are_read_as_one_with_a_seam(demo: Path) -> None:
    async with opened(demo, size=(120, 60)) as driver:
        keys = driver.main.sessions.order
        chain = next(
            key for key in keys if (row := driver.main.sessions.row(key)) and row.parts == 3
        )
        await driver.press(*["j"] * list(keys).index(chain))
        await _reading(driver)
        transcript = driver.main.transcript
        seams = [
            line
            for number in range(transcript.document.height)
            for line in [transcript.document.line(number)[0]]
            if line and "compressed here" in line[0][0]
        ]
        assert len(seams) == 2


async def test_a_message_deleted_while_reading_is_reported(talk: Path) -> None:
    import sqlite3

    async with opened(talk) as driver:
        await _reading(driver)
        # Before the next look at the file, which would take it out of the outline.
        driver.stop_watching()
        connection = sqlite3.connect(talk)
        connection.execute("DELETE FROM messages WHERE content LIKE 'answer 59%'")
        connection.commit()
        connection.close()
        await driver.press("G")
        assert "this message is no longer in the file" in driver.screen()


async def test_unfolding_thoughts_does_not_move_the_text_below_them(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 900)
        state.append_message("s", "user", "think", timestamp=NOW - 800)
        answer = "\n".join(f"answer {n}" for n in range(150))
        thoughts = "\n".join(f"thought {n}" for n in range(60))
        state.append_message("s", "assistant", answer, reasoning=thoughts, timestamp=NOW - 700)
    async with opened(path, size=(120, 24)) as driver:
        await _reading(driver)
        await driver.press("pagedown", "pagedown")
        first = driver.screen().splitlines()[4]
        assert "answer" in first
        await driver.press("T")
        assert driver.screen().splitlines()[4] == first
        await driver.press("T")
        assert driver.screen().splitlines()[4] == first


async def test_a_resize_and_another_theme_keep_the_cursor_on_its_block(talk: Path) -> None:
    async with opened(talk) as driver:
        await _reading(driver)
        await driver.press(*["right_curly_bracket"] * 4)
        place = driver.main.transcript.cursor
        assert place is not None
        assert place.item > 0
        await driver.resize(160, 50)
        assert driver.main.transcript.cursor == place
        await driver.press("ctrl+t")
        assert driver.main.transcript.cursor == place


async def test_a_bar_marks_the_cursor_after_every_key_and_every_resize(talk: Path) -> None:
    keys = (
        *("pagedown", "T", "o", "right_curly_bracket", "z", "o", "pagedown", "left_curly_bracket"),
        *("G", "T", "exclamation_mark", "z", "pageup", "right_square_bracket", "o", "T", "g"),
        *("left_square_bracket", "R", "j", "j", "j", "z"),
    )
    sizes = ((120, 40), (84, 20), (160, 50), (60, 12))
    async with opened(talk) as driver:
        await _reading(driver)
        for number, key in enumerate(keys):
            await driver.press(key)
            await driver.resize(*sizes[number % len(sizes)])
            transcript = driver.main.transcript
            lines = [transcript.render_line(y).text for y in range(transcript.size.height)]
            assert any(line.startswith("▌") for line in lines), (number, key)


async def test_reasoning_in_the_middle_of_a_text_is_a_block_there(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    said = "First part.\n<think>a secret doubt</think>\nSecond part, with `<think>` in code."
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 900, title="Doubt")
        state.append_message("s", "assistant", said, timestamp=NOW - 890)
    async with opened(path) as driver:
        drawn = [driver.main.transcript.render_line(y).text.strip(" ▌") for y in range(8)]
        at = drawn.index("First part.")
        assert drawn[at + 1 : at + 3] == [
            "▸ reasoning · 3 words",
            "Second part, with <think> in code.",
        ]
        await driver.press("enter", "right_curly_bracket", "enter")
        assert "a secret doubt" in driver.screen()
        await driver.press("y")
        assert driver.app.clipboard == "a secret doubt"
        await driver.press("enter", "right_curly_bracket", "y")
        assert driver.app.clipboard == "Second part, with `<think>` in code."
        await driver.press("ctrl+f")
        await driver.type("doubt")
        assert "a secret doubt" in driver.screen(), "a find unfolds it"
        await driver.press("escape", "slash")
        await driver.type("in:reasoning doubt")
        await driver.press("enter")
        assert "a secret doubt" in driver.screen(), "and so does a search"

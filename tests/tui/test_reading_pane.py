"""Around the text: parts, days, what was rewound, links, the clipboard, coming back."""

import base64
from pathlib import Path

import pytest

from explorer.keys.actions import ACTIONS
from explorer.render.passages import addresses, code_of
from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui.dialogs.choices import Choice
from explorer.tui.dialogs.questions import Question
from explorer.tui.reading.transcript_view import ReadingCommand
from explorer.tui.words import COPY_NOTE
from tests.factories import altered, one_session, say
from tests.tui.driving import NOW, Driver, opened

DAY = 86_400.0


async def _open(driver: Driver, title: str) -> None:
    """Put the cursor on a session, and read it."""
    sessions = driver.main.sessions
    for row in sessions.order:
        found = sessions.row(row)
        if found is not None and found.title == title:
            while sessions.cursor_row != row:
                await driver.press("j")
            await driver.press("enter")
            return
    raise AssertionError(title)


def _lines(driver: Driver) -> list[str]:
    """The whole transcript, as far as it is laid out."""
    document = driver.main.transcript.document
    lines = (document.line(number)[0] for number in range(document.height))
    return ["".join(text for text, _ in line) for line in lines if line is not None]


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """A conversation in two parts, over two days; the second repeats the end of the first."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session(
            "a", "cli", started_at=NOW - DAY - 600, title="Plan", system_prompt="Be kind."
        )
        for number in range(3):
            at = NOW - DAY - 500 + number
            state.append_message("a", "user", f"first part {number}", timestamp=at)
            state.append_message("a", "assistant", f"reply {number}", timestamp=at)
        state.end_session("a", NOW - DAY - 400, "compression")
        state.create_session(
            "b",
            "cli",
            started_at=NOW - 5000,
            title="Plan #2",
            parent="a",
            system_prompt="Be kind.",
        )
        note = "[CONTEXT COMPACTION — REFERENCE ONLY] what was said before"
        state.append_message("b", "user", note, timestamp=NOW - 5000)
        state.append_message("b", "user", "first part 2", timestamp=NOW - 4999)
        state.append_message("b", "assistant", "reply 2", timestamp=NOW - 4999)
        state.append_message("b", "user", "second part", timestamp=NOW - 4000)
        state.append_message("b", "assistant", "fine", timestamp=NOW - 3999)
        state.append_message("b", "user", "after a while", timestamp=NOW - 200)
    return path


async def test_days_and_long_pauses_are_said(chain: Path) -> None:
    async with opened(chain) as driver:
        lines = _lines(driver)
        days = [line for line in lines if "September 2026" in line]
        assert len(days) == 2
        assert any("1 h 3 m later" in line for line in lines)


async def test_a_seam_says_what_was_compressed_and_repeats_are_shown_once(chain: Path) -> None:
    async with opened(chain) as driver:
        lines = _lines(driver)
        assert any("part 2 of 2 · compressed here, 6 messages summarised" in line for line in lines)
        assert any("2 messages repeated from the previous part" in line for line in lines)
        assert lines.count("first part 2") == 1
        assert any("summary of earlier messages" in line for line in lines)


async def test_R_shows_what_a_seam_repeats(chain: Path) -> None:
    async with opened(chain) as driver:
        await driver.press("enter", "R")
        assert _lines(driver).count("first part 2") == 2
        await driver.press("R")
        assert _lines(driver).count("first part 2") == 1


async def test_the_system_prompt_is_one_folded_line_and_is_no_message(chain: Path) -> None:
    async with opened(chain) as driver:
        lines = _lines(driver)
        assert [line for line in lines if "system prompt" in line] == ["▸ system prompt · 2 words"]
        assert "message 1 of 10" in driver.screen()
        await driver.press("enter", "g", "z")
        assert "Be kind." in driver.screen()


async def test_c_reads_this_part_alone_and_the_whole_again(chain: Path) -> None:
    async with opened(chain, size=(120, 16)) as driver:
        await driver.press("enter", "G")
        assert "after a while" in driver.screen()
        await driver.press("c")
        assert "this part only · " in driver.screen()
        assert "first part 0" not in _lines(driver)
        assert "second part" in _lines(driver)
        await driver.press("c")
        assert "this part only" not in driver.screen()
        assert "second part" in _lines(driver)


async def test_c_says_when_there_is_only_one_part(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 100)
        state.append_message("s", "user", "hello", timestamp=NOW - 90)
    async with opened(path) as driver:
        await driver.press("enter", "c")
        assert "Not a continued conversation" in driver.said()


async def test_rewound_messages_are_shown_on_request_and_labelled(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 100)
        state.append_message("s", "user", "taken back", timestamp=NOW - 90)
        state.append_message("s", "user", "meant", timestamp=NOW - 80)
    with altered(path) as db:
        db.execute("UPDATE messages SET active = 0 WHERE content = 'taken back'")
    async with opened(path) as driver:
        assert "taken back" not in _lines(driver)
        await driver.press("enter", "R")
        assert "taken back" in _lines(driver)
        assert any("rewound" in line for line in _lines(driver))
        assert "+ rewound and repeated messages" in driver.screen()


async def test_coming_back_finds_the_place_and_the_folds(demo: Path) -> None:
    async with opened(demo, size=(120, 24)) as driver:
        await driver.press("enter", "T", "T", "right_curly_bracket", "right_curly_bracket", "z")
        await driver.press("pagedown")
        place, seen = driver.main.transcript.position(), driver.screen().splitlines()[3:-2]
        await driver.press("escape", "j", "j", "k", "k")
        assert driver.main.transcript.position() == place
        assert [line[55:] for line in driver.screen().splitlines()[3:-2]] == [
            line[55:] for line in seen
        ]


async def test_coming_back_from_a_short_session_finds_the_middle_of_a_long_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("long", "cli", started_at=NOW - 9000, title="Long")
        for number in range(500):
            state.append_message("long", "user", f"word {number}", timestamp=NOW - 8000 + number)
        state.create_session("short", "cli", started_at=NOW - 50, title="Short")
        state.append_message("short", "user", "hello", timestamp=NOW - 40)
    async with opened(path) as driver:
        await driver.press("j", "enter", "G", "pageup", "pageup")
        place = driver.main.transcript.position()
        assert place.message is not None
        assert place.message > 300
        await driver.press("escape", "k")
        await driver.press("j")
        assert driver.main.transcript.position() == place


async def test_a_call_to_a_subagent_leads_to_it_and_backspace_returns(demo: Path) -> None:
    async with opened(demo, size=(120, 60)) as driver:
        await _open(driver, "Review the retry queue")
        transcript = driver.main.transcript
        while "delegate" not in "".join(
            text for line in (transcript.here()[1] or [()])[1] for text, _ in line
        ):
            await driver.press("right_curly_bracket")
        assert any("delegate" in line and "↳" in line for line in _lines(driver))
        before = transcript.position()
        await driver.press("enter")
        if isinstance(driver.app.screen, Choice):
            await driver.press("enter")
        reading = driver.main.pane.reader.session
        assert reading is not None
        assert reading.kind == "subagent"
        assert "⌫ back · " in driver.screen()
        await driver.press("backspace")
        assert "Review the retry queue" in str(transcript.border_title)
        assert transcript.position() == before


async def test_exclamation_goes_to_the_next_error(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("enter", "exclamation_mark")
        laid, block = driver.main.transcript.here()
        assert block is not None
        assert any("✗" in text for line in block.lines for text, _ in line)
        assert laid is not None


def _copied(driver: Driver) -> str:
    return driver.app.clipboard


async def test_y_copies_the_true_text_of_a_block_made_safe(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    text = "run **this**:\n\n```sh\nls -l\n```\nnow \x1b]52;c;aGk=\x07 and \u202eevil"
    with StateFile.create(path) as state:
        state.create_session("20260921_1", "cli", started_at=NOW - 100)
        state.append_message("20260921_1", "assistant", text, timestamp=NOW - 90)
    async with opened(path) as driver:
        await driver.press("enter", "y")
        assert _copied(driver).startswith("run **this**:\n\n```sh\nls -l\n```\nnow ")
        assert "\x1b" not in _copied(driver)
        assert "\u202e" not in _copied(driver)
        assert "Copied block (" in driver.said()
        await driver.press("ctrl+y")
        assert _copied(driver) == "ls -l"
        assert "Copied code (5 characters)" in driver.said()
        assert driver.said().count(COPY_NOTE) == 1, "once a run"
        await driver.press("Y")
        assert _copied(driver) == "20260921_1"
        await driver.press("J")
        assert '"role": "assistant"' in _copied(driver)


async def test_text_too_long_for_a_clipboard_is_cut_and_the_toast_says_so(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 100)
        state.append_message("s", "user", "word " * 30_000, timestamp=NOW - 90)
    async with opened(path) as driver:
        await driver.press("enter", "y")
        assert len(_copied(driver)) == 100_000
        assert len(base64.b64encode(_copied(driver).encode())) < 200_000
        assert "Copied only the first 100,000 of 150,000 characters." in driver.said()


async def test_a_link_is_opened_only_after_its_target_was_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 100)
        text = "see [here](https://example.org/a?b=c) or javascript:alert(1) file:///etc/passwd"
        state.append_message("s", "assistant", text, timestamp=NOW - 90)
    async with opened(path) as driver:
        went: list[str] = []
        monkeypatch.setattr(driver.app, "open_url", lambda url, **_: went.append(url))
        await driver.press("enter", "enter")
        assert isinstance(driver.app.screen, Question)
        assert "https://example.org/a?b=c" in driver.screen()
        await driver.press("enter")
        assert went == []
        await driver.press("enter", "y")
        assert went == ["https://example.org/a?b=c"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://a.example/x.", ["https://a.example/x"]),
        ("(https://a.example/x_(y))", ["https://a.example/x_(y)"]),
        ("[t](https://a.example/x)", ["https://a.example/x"]),
        ("<https://a.example/x> https://a.example/x", ["https://a.example/x"]),
        ("HTTP://A.EXAMPLE javascript:alert(1) file:///x data:text/html,hi", []),
        ("https://a.example/\x1b]52;c;x\x07", ["https://a.example/"]),
        ("https://a.example/\u202etxt.exe", []),
    ],
)
def test_only_web_addresses_are_links(text: str, found: list[str]) -> None:
    assert addresses(text) == found


def test_code_is_the_text_between_fences() -> None:
    assert code_of("a\n```py\nx = 1\n```\nb\n~~~\ny\n~~~\n```\nopen") == "x = 1\ny\nopen"


async def test_new_messages_below_the_screen_are_announced_and_G_goes_there(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 5000, title="Long")
        for number in range(60):
            state.append_message("s", "user", f"word {number}", timestamp=NOW - 4000 + number)
    async with opened(path, size=(120, 24)) as driver:
        await driver.press("enter", "pagedown")
        with altered(path) as db:
            for number in range(4):
                say(db, "s", role="user", content=f"new {number}", timestamp=NOW - 10 + number)
        driver.main.file.changed()
        await driver.settle()
        assert "4 new messages below · G: go to the end" in driver.screen()
        await driver.press("G")
        assert "below · G" not in driver.screen()
        assert "new 3" in driver.screen()


async def test_a_result_that_arrives_joins_its_call(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    call = {"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 500, title="At work")
        state.append_message("s", "user", "go", timestamp=NOW - 400)
        state.append_message("s", "assistant", "", tool_calls=[call], timestamp=NOW - 300)
    async with opened(path) as driver:
        assert "no result yet" in driver.screen()
        with altered(path) as db:
            say(db, "s", role="tool", content="done", tool_call_id="c1", timestamp=NOW - 200)
        driver.main.file.changed()
        await driver.settle()
        assert driver.screen().count("▸ terminal") == 1
        assert "no result" not in driver.screen()


async def test_coming_back_finds_the_cursor_on_its_block(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("enter", "right_curly_bracket", "right_curly_bracket")
        lit = [line for line in driver.screen().splitlines() if "▌" in line[54:]]
        await driver.press("escape", "j", "k", "enter")
        assert [line for line in driver.screen().splitlines() if "▌" in line[54:]] == lit


async def _add(driver: Driver, path: Path, *texts: str) -> None:
    with altered(path) as db:
        for text in texts:
            say(db, "s", role="assistant", content=text, timestamp=NOW - 10)
    driver.main.file.changed()
    await driver.settle()


async def test_a_reader_at_the_end_follows_new_messages(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "hello", "Hi.")
    async with opened(path, size=(120, 24)) as driver:
        await driver.press("enter", "G")
        await _add(driver, path, "\n".join(f"line {n}" for n in range(40)))
        assert "line 39" in driver.screen()
        transcript = driver.main.transcript
        assert transcript.vertical_scrollbar.position == transcript.scroll_y > 0
        await _add(driver, path, "and one more thing")
        assert "▌ and one more thing" in driver.screen()
        assert "below · G" not in driver.screen()


async def test_a_block_that_was_chosen_stays_so_while_more_is_added(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "hello", "Hi.", "how are you", "Well.")
    async with opened(path) as driver:
        await driver.press("enter", "right_curly_bracket")
        assert "▌ Hi." in driver.screen()
        await _add(driver, path, "and one more thing")
        assert "and one more thing" in driver.screen()
        assert "▌ Hi." in driver.screen()


async def test_a_call_that_was_passed_over_has_no_result_any_more(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    call = {"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 500, title="At work")
        state.append_message("s", "user", "go", timestamp=NOW - 400)
        state.append_message("s", "assistant", "", tool_calls=[call], timestamp=NOW - 300)
    async with opened(path) as driver:
        assert "no result yet" in driver.screen()
        await _add(driver, path, "Never mind.")
        assert "no result yet" not in driver.screen()
        assert "no result" in driver.screen()


async def test_a_day_stands_apart_from_the_first_message_as_from_any_other(tmp_path: Path) -> None:
    async with opened(one_session(tmp_path / "state.db", "hello", "Hi.")) as driver:
        lines = _lines(driver)
        day = next(at for at, line in enumerate(lines) if "2025" in line)
        assert lines[day + 1] == ""
        assert "you" in lines[day + 2]


def test_keys_of_the_transcript_ask_for_commands_that_are_known() -> None:
    asked = {action.call for action in ACTIONS if action.call.startswith("ask(")}
    assert asked == {f"ask('{command}')" for command in ReadingCommand}

"""Things that went wrong once, each as a user met it."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from explorer.transcript import layout as reading
from tests.tui.driving import NOW, Driver, opened

Talk = Callable[[StateFile], None]


def _store(path: Path, write: Talk) -> Path:
    with StateFile.create(path) as state:
        write(state)
    return path


def _say(state: StateFile, id_: str, *texts: str, ago: float = 100.0) -> None:
    state.create_session(id_, "cli", started_at=NOW - ago, title=id_.title())
    for number, text in enumerate(texts):
        role = "assistant" if number % 2 else "user"
        state.append_message(id_, role, text, timestamp=NOW - ago + number / 1000)


async def test_a_late_read_of_one_session_never_lands_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(state: StateFile) -> None:
        _say(state, "first", *[f"secret {n}" for n in range(300)], ago=100)
        _say(state, "second", "hello", "world", ago=200)

    path = _store(tmp_path / "state.db", write)
    hold, held = threading.Event(), threading.Event()
    plain = reading.lay_out

    def slow(*arguments: Any) -> Any:
        made = plain(*arguments)
        if arguments[2].start > 100:
            held.set()
            hold.wait(20)
        return made

    async with opened(path) as driver:
        monkeypatch.setattr("explorer.tui.reading.transcript_controller.lay_out", slow)
        await driver.pilot.press("enter", "G")
        await driver.until_seen(held.is_set)
        await driver.pilot.press("escape")
        await driver.pilot.pause()
        await driver.pilot.press("j")
        await driver.pilot.pause()
        hold.set()
        await driver.settle()
        right = "\n".join(line[54:] for line in driver.screen().splitlines())
        assert "hello" in right
        assert "secret" not in right


async def test_a_session_without_messages_says_so(tmp_path: Path) -> None:
    def write(state: StateFile) -> None:
        _say(state, "talk", "something", ago=100)
        state.create_session("void", "cli", started_at=NOW - 50, title="Void")

    async with opened(_store(tmp_path / "state.db", write)) as driver:
        await driver.press("full_stop", "g")
        assert "Void" in str(driver.main.transcript.border_title)
        assert "This session has no messages." in driver.screen()


async def test_a_session_of_which_all_is_rewound_says_that_nothing_is_left(
    tmp_path: Path,
) -> None:
    def write(state: StateFile) -> None:
        state.create_session("gone", "cli", started_at=NOW - 50, title="Gone")
        first = state.append_message("gone", "user", "never mind", timestamp=NOW - 50)
        state.rewind("gone", first)

    async with opened(_store(tmp_path / "state.db", write)) as driver:
        assert "This session has no messages." in driver.screen()


async def test_keys_in_a_burst_do_not_lay_a_transcript_out_for_a_hidden_pane(
    tmp_path: Path,
) -> None:
    def write(state: StateFile) -> None:
        for number in range(3):
            _say(state, f"talk{number}", "Question nought: how do I restart it?", ago=100 + number)

    async with opened(_store(tmp_path / "state.db", write), size=(80, 24)) as driver:
        await driver.pilot.press("j", "k", "enter")
        await driver.settle()
        assert "Question nought: how do I restart it?" in driver.screen()


def _call(id_: str, command: str) -> dict[str, object]:
    return {"id": id_, "function": {"name": "terminal", "arguments": f'{{"command": "{command}"}}'}}


async def test_a_result_is_shown_with_the_call_before_it_also_if_ids_repeat(
    tmp_path: Path,
) -> None:
    def write(state: StateFile) -> None:
        state.create_session("s", "cli", started_at=NOW - 90, title="Repeats")
        for number in range(3):
            call = _call("call_0", f"echo {number}")
            state.append_message("s", "assistant", "", tool_calls=[call], timestamp=NOW - 80)
            state.append_message("s", "tool", "ok", tool_call_id="call_0", timestamp=NOW - 79)

    async with opened(_store(tmp_path / "state.db", write)) as driver:
        for number in range(3):
            assert f"terminal  echo {number}" in driver.screen()


async def test_long_arguments_are_capped_with_a_word_and_open_alone(tmp_path: Path) -> None:
    lines = "\\n".join(f"code line {number}" for number in range(300))

    def write(state: StateFile) -> None:
        state.create_session("s", "cli", started_at=NOW - 90, title="Writes")
        state.append_message(
            "s", "assistant", "", tool_calls=[_call("c", lines)], timestamp=NOW - 80
        )
        state.append_message("s", "tool", "written", tool_call_id="c", timestamp=NOW - 79)

    async with opened(_store(tmp_path / "state.db", write), size=(120, 80)) as driver:
        await driver.press("enter", "o", "o")
        assert "more lines · enter: show all" in driver.screen()
        await driver.press("enter", "G")
        screen = driver.screen()
        assert "code line 299" in screen
        assert "written" in screen


async def test_a_long_block_can_be_folded_again(tmp_path: Path) -> None:
    def write(state: StateFile) -> None:
        state.create_session("s", "cli", started_at=NOW - 90, title="Deep")
        thought = "\n".join(f"thought {number}" for number in range(400))
        state.append_message("s", "assistant", "done", reasoning=thought, timestamp=NOW - 80)

    async with opened(_store(tmp_path / "state.db", write)) as driver:
        await driver.press("enter", "enter")
        assert "thought 3" in driver.screen()
        await driver.press("g", "z")
        assert "thought 3" not in driver.screen()


async def test_messages_that_were_written_several_times_are_shown_once(tmp_path: Path) -> None:
    def write(state: StateFile) -> None:
        state.create_session("s", "telegram", started_at=NOW - 90, title="Echo")
        for _ in range(4):
            state.append_message("s", "user", "are you there?", timestamp=NOW - 80)
        state.append_message("s", "assistant", "yes", timestamp=NOW - 79)

    async with opened(_store(tmp_path / "state.db", write)) as driver:
        right = "\n".join(line[54:] for line in driver.screen().splitlines())
        assert right.count("are you there?") == 1
        assert "×4" in right


async def _rows_down(driver: Driver, number: int) -> int:
    await driver.press(*["j"] * number)
    key = driver.main.sessions.cursor_row
    assert key is not None
    return key


async def test_a_search_that_finds_nothing_gives_the_cursor_back(demo: Path) -> None:
    async with opened(demo) as driver:
        held = await _rows_down(driver, 20)
        await driver.press("slash")
        await driver.type("zzzzqq")
        assert "No matches for" in driver.screen()
        await driver.press("escape")
        assert driver.main.sessions.cursor_row == held


async def test_a_resize_keeps_the_chosen_density(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("v")
        await driver.resize(125, 42)
        assert driver.main.sessions.comfortable is False


async def test_a_resize_keeps_the_place_inside_a_long_message(tmp_path: Path) -> None:
    def write(state: StateFile) -> None:
        paragraphs = "\n\n".join(f"Paragraph {n}. " + "many words " * 30 for n in range(30))
        _say(state, "essay", "write", paragraphs)

    async with opened(_store(tmp_path / "state.db", write), size=(110, 30)) as driver:
        await driver.press("enter", *["pagedown"] * 4)
        before = driver.main.transcript.scroll_offset.y
        assert before > 50
        await driver.resize(150, 30)
        assert driver.main.transcript.scroll_offset.y > 20


@pytest.mark.parametrize("key", ["s", "f", "L", "ctrl+p"])
async def test_a_dialog_outlives_a_terminal_without_room(tmp_path: Path, key: str) -> None:
    """Its words were cut into pieces of no width, which ended the app."""
    path = _store(tmp_path / "state.db", lambda state: _say(state, "first", "hello"))
    async with opened(path) as driver:
        await driver.press(key)
        dialog = driver.app.screen
        assert dialog is not driver.main
        for columns in (*range(1, 14), 120):
            await driver.resize(columns, 30)
        assert driver.app.screen is dialog
        await driver.press("escape")
        assert driver.app.screen is driver.main

"""The app in a real terminal: what reaches it, and how it is left."""

import os
import re
import signal
from pathlib import Path

import pytest

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import one_session
from tests.hostile import HOSTILE
from tests.terminal import ALTERNATE_SCREEN, ITS_END, Terminal
from tests.tui.driving import NOW

pytestmark = pytest.mark.long

PARTS = 3
"""Of the hostile corpus, which are browsed side by side."""
ENOUGH = 6
"""Harmless sessions after which the app has sent every control that it knows."""


def _store(path: Path, texts: list[str]) -> Path:
    """A session for each text, with it in every place that is shown."""
    with StateFile.create(path) as state:
        for number, text in enumerate(texts):
            short = text[:80].encode("utf-8", "replace").decode()
            stored = text[:20_000].encode("utf-8", "replace").decode()
            id_ = f"s{number:03}"
            call = {"id": f"c{number}", "function": {"name": short, "arguments": short}}
            start = NOW - 1000 + number
            state.create_session(
                id_, short or "cli", started_at=start, title=f"{number:03} {short}", model=short
            )
            state.append_message(id_, "user", stored, timestamp=start)
            state.append_message(
                id_,
                "assistant",
                stored,
                reasoning=stored,
                tool_calls=[call],
                finish_reason=short,
                timestamp=start,
            )
            state.append_message(
                id_, "tool", stored, tool_call_id=f"c{number}", tool_name=short, timestamp=start
            )
            state.append_message(id_, short or "odd", stored, timestamp=start)
    return path


def _controls(raw: bytes) -> set[bytes]:
    """Every control that was sent, but for colours and cursor addresses."""
    text = re.sub(rb"\x1b\[[0-9;]*m|\x1b\[\d+;\d+H|[\r\n]", b"", raw)
    sequences = rb"\x1b\[[0-9;?<>=$ ]*[@-~]|\x1b[PX^_\]].*?(?:\x1b\\|\x07)|\x1b.|[\x00-\x1a\x7f]"
    found = set(re.findall(sequences, text, re.DOTALL))
    for char in re.sub(sequences, b"", text, flags=re.DOTALL).decode("utf-8", "replace"):
        if "\x80" <= char <= "\x9f" or char in "\u202e\u202d\u2066\u2067\u200b\u200f\ufeff":
            found.add(char.encode())
    return found


def _shows_details(text: str) -> bool:
    """One of these is in sight, whatever the letters beside them do to a line."""
    return any(title in text for title in ("y copy", "Tokens", "Lineage"))


def _browse(path: Path, sessions: int) -> bytes:
    """Look at every session in both panes, folded and unfolded, search, and leave."""
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until(lambda text: re.search(r"message \d of", text) is not None)
        terminal.press(b"\toT\t")
        for number in reversed(range(sessions)):
            terminal.until(f"─ {number:03} ")
            terminal.press(b"i")
            terminal.until(_shows_details)
            terminal.press(b"q")
            terminal.until(lambda text: not _shows_details(text))
            terminal.press(b"\t\x1b[6~\x1b[6~\tj")
        terminal.press(b"?")
        terminal.until("In the list")
        terminal.press(b"\x1b")
        terminal.until(lambda text: "In the list" not in text)
        terminal.press(b"/0")
        terminal.until("titles in")
        terminal.press(b"\x1b")
        terminal.until(lambda text: "titles in" not in text)
        terminal.press(b"\x11")
        assert terminal.leave() == 0
        return terminal.raw


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_stored_reaches_the_terminal_as_a_control(tmp_path: Path, part: int) -> None:
    texts = [text for _, text in HOSTILE][part::PARTS]
    hostile = _browse(_store(tmp_path / "hostile.db", texts), len(texts))
    harmless = _browse(_store(tmp_path / "harmless.db", ["plain"] * ENOUGH), ENOUGH)
    assert _controls(hostile) <= _controls(harmless)


def _read_alone(path: Path) -> bytes:
    """Open the one long block of a session alone, go through it, and find something in it."""
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"\r")
        terminal.until("esc Back")
        terminal.press(b"\r")
        terminal.until("y copy")
        for _ in range(40):
            terminal.press(b" ")
        terminal.press(b"G")
        terminal.until("the very end")
        terminal.press(b"\x06")
        terminal.until("/regex/")
        terminal.press(b"very end")
        terminal.until("1 of 1")
        terminal.press(b"\x1b")
        terminal.until(lambda text: "1 of 1" not in text)
        terminal.press(b"\x1b")
        terminal.until("esc Back")
        terminal.press(b"\x11")
        assert terminal.leave() == 0
        return terminal.raw


def test_nothing_stored_reaches_the_terminal_from_a_block_alone(tmp_path: Path) -> None:
    def stored(name: str, texts: list[str]) -> Path:
        text = "\n".join(text[:3_000] for text in texts) + "\n" * 300 + "the very end"
        return one_session(tmp_path / name, text.encode("utf-8", "replace").decode(), title="Odd")

    texts = [text for _, text in HOSTILE]
    hostile = _read_alone(stored("hostile.db", texts))
    harmless = _read_alone(stored("harmless.db", ["plain\n" * 10] * len(texts)))
    assert _controls(hostile) <= _controls(harmless)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        (b"q", 0),
        (b"\x11", 0),
        (b"\x03", 130),
        (signal.SIGTERM, 0),
        (signal.SIGHUP, 0),
        (signal.SIGINT, 130),
    ],
    ids=["q", "ctrl+q", "ctrl+c", "SIGTERM", "SIGHUP", "SIGINT"],
)
def test_leaving_restores_the_terminal(how: bytes | int, code: int) -> None:
    with Terminal(["demo"]) as terminal:
        terminal.until("message 1 of")
        if isinstance(how, bytes):
            terminal.press(how)
        else:
            terminal.signal(how)
        assert terminal.leave() == code
        assert terminal.raw.count(ALTERNATE_SCREEN) == 1
        assert terminal.raw.rindex(ITS_END) > terminal.raw.index(ALTERNATE_SCREEN)
        assert b"Traceback" not in terminal.raw


def test_a_closed_terminal_ends_the_app() -> None:
    with Terminal(["demo"]) as terminal:
        terminal.until("message 1 of")
        terminal.hang_up()
        assert terminal.leave() == 0


def test_without_a_state_file_the_demo_opens_and_says_so(tmp_path: Path) -> None:
    with Terminal([], environment={"HOME": str(tmp_path)}) as terminal:
        terminal.until("Fix docker deployment", "Demo data", "· open yours with --db PATH")
        told = (
            "Nothing here is real",
            "~/.hermes/state.db or power_loop_sessions.db in this folder",
        )
        terminal.until(*told, "session-explorer --db PATH", "enter read · / search · ? help")
        terminal.press(b"j\x1b")
        terminal.until(lambda text: "Nothing here is real" not in text and "Today" in text)
        terminal.press(b"q")
        assert terminal.leave() == 0


def test_the_demo_that_was_asked_for_needs_no_welcome() -> None:
    with Terminal(["demo"]) as terminal:
        terminal.until("made-up sessions", "message 1 of")
        assert "Nothing here is real" not in terminal.text
        terminal.press(b"q")
        terminal.leave()


def test_the_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    with Terminal(["demo"], environment={"TMPDIR": str(tmp_path)}) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"q")
        terminal.leave()
    assert list(tmp_path.iterdir()) == []


def test_a_state_file_that_was_asked_for_is_never_replaced_by_the_demo(tmp_path: Path) -> None:
    with Terminal([], environment={"HERMES_HOME": str(tmp_path)}) as terminal:
        assert terminal.leave() == 5
        assert "No state file here" in terminal.text
        assert "$HERMES_HOME is set to" in terminal.text


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_draw_is_refused_with_a_sentence(term: str) -> None:
    with Terminal(["demo"], environment={"TERM": term}) as terminal:
        assert terminal.leave() == 2
        assert "This terminal cannot draw" in terminal.text


def test_without_a_mouse_the_terminal_keeps_its_own_selection() -> None:
    with Terminal(["--no-mouse", "demo"]) as terminal:
        terminal.until("message 1 of")
        assert b"\x1b[?1000h" not in terminal.raw
        terminal.press(b"q")
        terminal.leave()


def test_a_thousand_resizes_are_survived() -> None:
    with Terminal(["demo"]) as terminal:
        terminal.until("message 1 of")
        for _ in range(1000):
            terminal.signal(signal.SIGWINCH)
        terminal.press(b"?")
        terminal.until("In the list")
        terminal.press(b"\x1b")
        terminal.until(lambda text: "In the list" not in text)
        terminal.press(b"q")
        assert terminal.leave() == 0


def test_while_reading_no_file_of_the_store_is_open_for_writing(tmp_path: Path) -> None:
    path = _store(tmp_path / "state.db", ["plain"] * 30)
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc")
    with Terminal(["--db", str(path)]) as terminal:
        terminal.until("message 1 of")
        for _ in range(40):
            terminal.press(b"j")
            for fd in os.listdir(f"/proc/{terminal.pid}/fd"):
                try:
                    target = os.readlink(f"/proc/{terminal.pid}/fd/{fd}")
                    flags = Path(f"/proc/{terminal.pid}/fdinfo/{fd}").read_text()
                except FileNotFoundError:
                    continue
                if target == str(path):
                    mode = int(re.findall(r"flags:\s+(\d+)", flags)[0], 8)
                    assert mode & os.O_ACCMODE == os.O_RDONLY
        terminal.press(b"q")
        assert terminal.leave() == 0

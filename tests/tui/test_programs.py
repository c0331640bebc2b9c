"""A transcript in the user's editor or pager, in a real terminal: what that program gets, and what
is left behind."""

import os
import signal
from pathlib import Path

import pytest

from explorer.export import MARKDOWN, session_lines
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.resolve import read_conversation
from tests.factories import altered, talk
from tests.standin import StandIn
from tests.terminal import ALTERNATE_SCREEN, ITS_END, Terminal
from tests.tui.driving import NOW, opened

PARTS = ("20260101_120000_aaaaaa", "20260102_120000_bbbbbb")


@pytest.fixture
def standin(tmp_path: Path) -> StandIn:
    folder = tmp_path / "program"
    folder.mkdir()
    return StandIn(folder, "reader")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """One conversation of two parts, with something in it that a terminal would obey."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, PARTS[0], "hello", "Hi.", at=NOW - 9000, title="Long", end="compression")
        talk(state, PARTS[1], "go \x1b[2J on", at=NOW - 8000, title="Long #2", parent=PARTS[0])
    return path


class Program:
    """The app in a terminal with the stand-in on its PATH, and a place for copies to watch."""

    def __init__(self, standin: StandIn, path: Path, **variables: str) -> None:
        self.copies = path.parent / "copies"
        self.copies.mkdir()
        environment = {
            **standin.environment,
            **{"VISUAL": "", "EDITOR": "", "PAGER": "", "TMPDIR": str(self.copies)},
            "PATH": f"{standin.bin}{os.pathsep}{os.environ['PATH']}",
        }
        self.terminal = Terminal(["--db", str(path)], environment=environment | variables)

    def left(self) -> list[Path]:
        """Copies that are still there; the app itself has an empty folder for its demo."""
        return [file for file in self.copies.rglob("*") if not file.is_dir()]


def _expected(path: Path) -> str:
    store = open_store(path)
    unit = store.catalog().folded(2)
    (session,) = store.sessions([unit], NOW)
    messages = read_conversation(store, unit.parts, everything=False)
    return "\n".join(session_lines(session, messages, MARKDOWN)) + "\n"


def test_the_editor_gets_the_whole_conversation_and_nothing_is_left(
    path: Path, standin: StandIn
) -> None:
    program = Program(standin, path, EDITOR="reader --wait 'a b'", STANDIN_CODE="3")
    with program.terminal as terminal:
        terminal.until("message 1 of")
        terminal.press(b"E")
        terminal.until("reader exited with code 3", "Long #2")
        assert program.left() == []
        terminal.press(b"q")
        assert terminal.leave() == 0
        assert terminal.raw.count(ALTERNATE_SCREEN) == terminal.raw.count(ITS_END) == 2
    (call,) = standin.calls()
    *options, file = call["arguments"]
    assert options == ["--wait", "a b"]
    assert Path(file).name == f"{PARTS[1]}.md"
    assert call["text"] == _expected(path)
    assert "hello" in call["text"]
    assert "go ␛[2J on" in call["text"]
    assert call["modes"] == ["0o600", "0o700"]
    assert call["canonical"] is True
    assert not Path(file).parent.exists()
    assert list(program.copies.iterdir()) == []


def test_the_pager_opens_from_the_transcript_and_keeps_control_c(
    path: Path, standin: StandIn
) -> None:
    program = Program(standin, path, PAGER="reader -R", STANDIN_WAIT="yes")
    with program.terminal as terminal:
        terminal.until("message 1 of")
        terminal.press(b"\r")
        terminal.until("Back")
        terminal.press(b"P")
        terminal.until("WAITING FOR CONTROL+C")
        assert len(program.left()) == 2
        terminal.press(b"\x03")
        terminal.until(lambda text: "WAITING" not in text and "message 1 of" in text)
        assert program.left() == []
        terminal.press(b"q")
        assert terminal.leave() == 0
    (call,) = standin.calls()
    assert call["arguments"][0] == "-R"


def test_a_signal_to_leave_is_obeyed_when_the_program_has_ended(
    path: Path, standin: StandIn
) -> None:
    program = Program(standin, path, PAGER="reader", STANDIN_WAIT="yes")
    with program.terminal as terminal:
        terminal.until("message 1 of")
        terminal.press(b"P")
        terminal.until("WAITING FOR CONTROL+C")
        terminal.signal(15)
        terminal.press(b"\x03")
        assert terminal.leave() == 0
    assert len(standin.calls()) == 1
    assert list(program.copies.iterdir()) == []


def test_closing_the_terminal_during_a_program_ends_the_app(path: Path, standin: StandIn) -> None:
    program = Program(standin, path, PAGER="reader", STANDIN_WAIT="yes")
    with program.terminal as terminal:
        terminal.until("message 1 of")
        terminal.press(b"P")
        terminal.until("WAITING FOR CONTROL+C")
        children = Path(f"/proc/{terminal.pid}/task/{terminal.pid}/children").read_text()
        terminal.hang_up()
        # As a pager does that cannot read its keys any more.
        os.kill(int(children.split()[0]), signal.SIGINT)
        assert terminal.leave() == 0
    assert list(program.copies.iterdir()) == []


def test_an_odd_id_is_not_the_name_of_the_file(path: Path, standin: StandIn) -> None:
    with altered(path) as db:
        db.execute("UPDATE messages SET session_id = '../;x' WHERE session_id = ?", (PARTS[1],))
        db.execute("UPDATE sessions SET id = '../;x' WHERE id = ?", (PARTS[1],))
    program = Program(standin, path, VISUAL="reader", EDITOR="nothing")
    with program.terminal as terminal:
        terminal.until("message 1 of")
        terminal.press(b"E")
        terminal.until(lambda _: bool(standin.calls()))
        terminal.press(b"q")
        assert terminal.leave() == 0
    (call,) = standin.calls()
    assert Path(call["arguments"][0]).name == "session.md"


@pytest.mark.parametrize(
    ("variables", "key", "words"),
    [
        ({}, "E", "Set $VISUAL or $EDITOR"),
        ({"EDITOR": "no-such-editor -x"}, "E", "$EDITOR is no-such-editor, which is not on the"),
        ({"PAGER": "x 'y"}, "P", "No closing quotation"),
        # A test has no terminal that could be given away.
        ({"PAGER": "true"}, "P", "cannot be handed to another program"),
    ],
)
async def test_what_is_wrong_is_said(
    demo: Path, variables: dict[str, str], key: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR", "PAGER"):
        monkeypatch.setenv(name, variables.get(name, ""))
    async with opened(demo) as driver:
        await driver.press(key)
        assert words in driver.said()
        await driver.press("enter", key)
        assert driver.said().count(words) == 2


def test_a_program_that_cannot_be_started_gives_the_terminal_back(
    path: Path, standin: StandIn
) -> None:
    (standin.bin / "broken").write_bytes(b"\x00")
    (standin.bin / "broken").chmod(0o755)
    program = Program(standin, path, PAGER="broken")
    with program.terminal as terminal:
        terminal.until("message 1 of")
        terminal.press(b"P")
        terminal.until("Exec format error")
        terminal.press(b"j?")
        terminal.until("In the list")
        terminal.press(b"\x11")
        assert terminal.leave() == 0
    assert list(program.copies.iterdir()) == []

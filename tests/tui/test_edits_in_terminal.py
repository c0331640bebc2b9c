"""Edits in a real terminal, beside a real agent: what a person sees, and what is left behind."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from explorer.stores.hermes.create.state_file import StateFile
from tests.edits.states import faults
from tests.factories import T0, altered, insert, rows, say, talk
from tests.hostile import HOSTILE
from tests.stores.test_live_writer import writing
from tests.terminal import Terminal
from tests.tui.test_terminal import _controls

pytestmark = pytest.mark.long

ESCAPE = b"\x1b"


def _terminal(path: Path, tmp_path: Path) -> Terminal:
    ours = {"XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    return Terminal(["--db", str(path)], environment=ours)


def _without(words: str) -> Callable[[str], bool]:
    return lambda text: words not in text


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_delete_and_undo_beside_a_writing_agent(mode: str, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with writing("0.19.0", path, mode) as writer:
        writer.outcome()
        with altered(path) as db:
            named = {"source": "cli", "started_at": T0, "ended_at": T0 + 9, "title": "My session"}
            insert(db, "sessions", id="mine", message_count=1, end_reason="cli_close", **named)
            say(db, "mine", content="words of mine")
        before = _of_mine(path)
        with _terminal(path, tmp_path) as terminal:
            terminal.until("My session")
            terminal.press(b"G")
            terminal.until("─ My session")
            writer.write()
            terminal.press(b"d")
            terminal.until("Delete “My session”?")
            terminal.press(b"y")
            terminal.until("u to undo")
            terminal.until(_without("─ My session"))
            assert rows(path, "SELECT count(*) FROM sessions WHERE id = 'mine'") == [(0,)]
            writer.write()
            terminal.press(b"u")
            terminal.until("Restore “")
            terminal.press(b"y")
            terminal.until("Restored “")
            terminal.press(b"q")
            assert terminal.leave() == 0
        ids, errors = writer.outcome()
    assert errors == []
    assert _of_mine(path) == before
    live = "SELECT id FROM messages WHERE session_id = 'live' ORDER BY id"
    assert [id_ for (id_,) in rows(path, live)] == ids
    assert faults(path) == []


PASTE, ITS_END = b"\x1b[200~", b"\x1b[201~"


def _straight(text: str) -> bool:
    """Whether every line that ends with a border ends at the same column."""
    ends = {cell_len(line) for line in text.splitlines() if line.endswith(("│", "╮", "╯"))}
    return len(ends) == 1


def test_a_title_of_wide_letters_is_typed_pasted_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello", "Hi.", title="Trip", end="cli_close")
    with _terminal(path, tmp_path) as terminal:
        terminal.until("message 1 of")
        terminal.press(b"t")
        terminal.until("─ Rename ─")
        terminal.press(b"\x15")
        terminal.until("Enter removes the title")
        # An input method sends many letters at once, and the terminal may cut them anywhere.
        typed = "京都の旅".encode()
        terminal.press(typed[:4])
        terminal.press(typed[4:])
        terminal.until("4 of 100 characters", _straight)
        terminal.press(PASTE + "，第二天，去伏见稻荷大社🦊".encode() + ITS_END)
        terminal.until("17 of 100 characters", "京都の旅，第二天，去伏见稻荷大社🦊", _straight)
        terminal.press(b"\r")
        terminal.until("u to undo", _straight)
        terminal.until("─ 京都の旅，第二天，去伏见稻荷大社🦊 ─")
        terminal.press(b"q")
        assert terminal.leave() == 0
    assert rows(path, "SELECT title FROM sessions") == [("京都の旅，第二天，去伏见稻荷大社🦊",)]


def _of_mine(path: Path) -> list[tuple[object, ...]]:
    said = rows(path, "SELECT * FROM messages WHERE session_id = 'mine'")
    return [*rows(path, "SELECT rowid, * FROM sessions WHERE id = 'mine'"), *said]


def _edit_all(path: Path, tmp_path: Path, names: int) -> bytes:
    """Open every dialog of an edit on every session, and do nothing."""
    with _terminal(path, tmp_path) as terminal:
        terminal.until("message 1 of")
        for number in reversed(range(names)):
            terminal.until(f"─ {number:03} ")
            terminal.press(b"d")
            terminal.until("Delete “")
            terminal.press(ESCAPE)
            terminal.until(_without("Delete “"))
            terminal.press(b"t")
            terminal.until("─ Rename ─")
            terminal.press(ESCAPE)
            terminal.until(_without("─ Rename ─"))
            terminal.press(b"j")
        terminal.press(b"p")
        terminal.until("Start from")
        terminal.press(b"jjj\r")
        terminal.until(f"Will be removed: {names} sessions")
        terminal.press(b"d")
        terminal.until(f"Delete {names} sessions?")
        terminal.press(b"y")
        terminal.until("u to undo")
        terminal.press(ESCAPE)
        terminal.until("search all sessions")
        terminal.press(b"\x10")
        terminal.until("Search commands")
        terminal.press(b"History and trash")
        terminal.until("History and trash …")
        terminal.press(b"\r")
        terminal.until("kept for 30 days")
        terminal.press(ESCAPE)
        terminal.until(_without("kept for 30 days"))
        terminal.press(b"\x11")
        assert terminal.leave() == 0
        return terminal.raw


def _titled(path: Path, texts: list[str]) -> Path:
    with StateFile.create(path) as state:
        for number, text in enumerate(texts):
            title = f"{number:03} {text[:90]}"
            at = T0 + number * 60
            talk(
                state, f"s{number}", "hello", source=text[:40] or "cli", at=at, title=title, end="x"
            )
    return path


def test_no_dialog_sends_anything_stored_to_the_terminal(tmp_path: Path) -> None:
    # Half a surrogate cannot be stored by an agent.
    texts = [text.encode("utf-8", "replace").decode() for _, text in HOSTILE[:30:3]]
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    hostile = _edit_all(_titled(folders[0] / "state.db", texts), folders[0], len(texts))
    plain = ["plain"] * len(texts)
    harmless = _edit_all(_titled(folders[1] / "state.db", plain), folders[1], len(texts))
    assert _controls(hostile) <= _controls(harmless)

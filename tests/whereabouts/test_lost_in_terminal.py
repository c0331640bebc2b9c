"""A deleted session of another profile, found and restored by a person at a terminal."""

from pathlib import Path

from explorer.model import Action
from explorer.stores.kinds import open_store
from tests.editors import edits_on
from tests.factories import altered, keys, rows
from tests.hostile import HOSTILE
from tests.terminal import Terminal
from tests.whereabouts.homes import lost_home


def test_a_deleted_session_of_another_profile_comes_back(tmp_path: Path) -> None:
    home = lost_home(tmp_path / ".hermes")
    play = home / "profiles" / "play" / "state.db"
    with altered(play) as db:
        db.execute("UPDATE sessions SET title = ?", (f"Games {HOSTILE[0][1]}",))
    edits = edits_on(play, tmp_path / "data" / "session-explorer" / "trash.db")
    edits.apply(edits.plan(Action.DELETE, [keys(open_store(play))["play_1"]]))
    ours = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }
    with Terminal(["--profile", "work"], environment=ours) as terminal:
        terminal.until("Fig")
        terminal.press(b"/")
        terminal.until("esc Clear")
        terminal.press(b"kiwi")
        terminal.until("No matches for")
        terminal.press(b"\x0c")
        terminal.until("Trash of play", "Deleted: in the trash until")
        terminal.press(b"\r")
        terminal.until("History and trash")
        terminal.press(b"r")
        terminal.until("Restore “Games")
        terminal.press(b"y")
        terminal.until("restored")
    assert rows(play, "SELECT id FROM sessions") == [("play_1",)]

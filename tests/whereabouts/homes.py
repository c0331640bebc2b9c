"""A Hermes home in which sessions are lost in every way: hidden, archived, in another profile,
deleted, only in a snapshot, only in a file."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import T0, altered, go_on, talk


def lost_home(root: Path, at: float = T0) -> Path:
    """The root, with the profiles default, work and play. Every session of interest has a word of
    its own."""
    for home in (root, root / "profiles" / "work", root / "profiles" / "play"):
        home.mkdir(parents=True)
    with StateFile.create(root / "state.db") as state:
        talk(state, "plain_1", "where is apricot", "Here.", at=at, title="Fruit", end="done")
        talk(state, "cron_1", "report blueberry", source="cron", at=at + 10, end="done")
        talk(state, "tool_1", "fetch cranberry", source="tool", at=at + 20, end="done")
        talk(state, "arch_1", "old dragonfruit", "Yes.", at=at + 30, title="Put away", end="done")
        talk(state, "part_1", "the first elderberry", "Ok.", at=at + 40, title="Long talk")
        talk(state, "undone_1", "take this grape back", "Ok.", "keep", at=at + 90, end="done")
        talk(state, "gone_1", "only a huckleberry", "Ok.", at=at + 110, title="Gone", end="done")
    with altered(root / "state.db") as db:
        db.execute("UPDATE sessions SET archived = 1 WHERE id = 'arch_1'")
        db.execute("UPDATE messages SET active = 0 WHERE content LIKE '%grape%'")
        go_on(db, "part_1", "part_2", at + 60, "and on")
    with StateFile.create(root / "profiles" / "work" / "state.db") as state:
        talk(state, "plain_1", "the same id, a fig", "Hi.", at=at + 5, title="Fig", end="done")
        talk(state, "sub_1", "dig for jackfruit", source="subagent", at=at + 50, end="done")
    with StateFile.create(root / "profiles" / "play" / "state.db") as state:
        talk(state, "play_1", "a game of kiwi", "Ha.", at=at + 70, title="Games", end="done")
    snapshot(root, "before_update")
    with altered(root / "state.db") as db:
        db.execute("DELETE FROM messages WHERE session_id = 'gone_1'")
        db.execute("DELETE FROM sessions WHERE id = 'gone_1'")
    transcripts(root / "sessions")
    return root


def snapshot(home: Path, name: str) -> Path:
    """What Hermes keeps before an update: a copy of its state file."""
    folder = home / "state-snapshots" / name
    folder.mkdir(parents=True)
    with (
        closing(sqlite3.connect(home / "state.db")) as source,
        closing(sqlite3.connect(folder / "state.db")) as copy,
    ):
        source.backup(copy)
    for ending in ("-wal", "-shm"):
        Path(f"{folder / 'state.db'}{ending}").unlink(missing_ok=True)
    (folder / "manifest.json").write_text("{}")
    return folder / "state.db"


def transcripts(folder: Path) -> None:
    """A session that only a file has, and copies of one that the state file has."""
    (folder / "saved").mkdir(parents=True)
    lines = [
        {"role": "user", "content": "a lemon that the gateway wrote"},
        {"role": "assistant", "content": [{"type": "text", "text": "Sour."}]},
    ]
    (folder / "filed_1.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    copy = {"session_id": "plain_1", "messages": [{"role": "user", "content": "an apricot"}]}
    (folder / "session_plain_1.json").write_text(json.dumps(copy))
    saved = {"messages": [{"role": "user", "content": "keep this mango"}]}
    (folder / "saved" / "hermes_conversation_1.json").write_text(json.dumps(saved))
    (folder / "sessions.json").write_text('{"agent:main": {"session_id": "rambutan_9"}}')

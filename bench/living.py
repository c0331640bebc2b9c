"""A copy of a history that grows: messages arrive and sessions begin, as an agent writes them."""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bench.sizes import History

# Sessions by themselves from the middle of the list: a new message takes them to its top.
QUIET = """
SELECT id FROM sessions WHERE parent_session_id IS NULL AND end_reason = 'cli_close'
AND NOT archived AND message_count ORDER BY started_at LIMIT 1000 OFFSET ?
"""
BEGIN = "INSERT INTO sessions (id, source, started_at, message_count) VALUES (?, 'cli', ?, 0)"
SAY = """
INSERT INTO messages (session_id, role, content, timestamp, finish_reason)
VALUES (?, 'assistant', ?, ?, 'stop')
"""
COUNT = "UPDATE sessions SET message_count = message_count + 1 WHERE id = ?"


class Living:
    """The copy, and who writes to it."""

    def __init__(self, path: Path, db: sqlite3.Connection, sessions: int) -> None:
        self.path = path
        self.sessions = sessions
        self._db = db
        # far enough from the newest for a history of 100
        quiet = db.execute(QUIET, (sessions // 10,))
        self._quiet = [row[0] for row in quiet]
        self._said = 0

    def speak(self) -> str:
        """Add a message to a long inactive session, a different one each time; its text."""
        return self._say(self._quiet.pop())

    def begin(self) -> str:
        """Add a session with one message; its text."""
        self.sessions += 1
        id_ = f"begun-{self.sessions}"
        with self._db:
            self._db.execute(BEGIN, (id_, time.time()))
        return self._say(id_)

    def _say(self, session: str) -> str:
        self._said += 1
        text = f"said as {self._said}"
        with self._db:
            self._db.execute(SAY, (session, text, time.time()))
            self._db.execute(COUNT, (session,))
        return text


@contextmanager
def living(history: History, mode: str) -> Iterator[Living]:
    """The copy of a history in a journal mode, for as long as it is needed."""
    # beside the original, where there was room for that
    home = history.path.parents[1]
    with tempfile.TemporaryDirectory(prefix="living-", dir=home) as folder:
        path = Path(folder) / "state.db"
        shutil.copyfile(history.path, path)
        with closing(sqlite3.connect(path)) as db:
            # how long the disk takes to write is not what is measured
            db.execute("PRAGMA synchronous = OFF")
            db.execute(f"PRAGMA journal_mode = {mode}").fetchall()
            yield Living(path, db, history.recipe.sessions)

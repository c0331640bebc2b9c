"""State files in a few lines, and the raw SQL that spoils them.

`StateFile` writes what Hermes 0.19 would; whatever an honest agent would not write goes in
through `altered`, which checks nothing.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from explorer.model import Message, Session
from explorer.stores.base import Store
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.resolve import read_session

T0 = 1_760_000_000.0
NOW = T0 + 30 * 86_400
"""Long after everything in these files: nothing counts as running."""


def talk(
    state: StateFile,
    session_id: str,
    *texts: str,
    source: str = "cli",
    at: float = T0,
    parent: str | None = None,
    config: Mapping[str, object] | None = None,
    title: str | None = None,
    end: str | None = None,
) -> list[int]:
    """A session in which user and agent take turns, one second each; the ids of its messages."""
    state.create_session(
        session_id, source, started_at=at, parent=parent, model_config=config, title=title
    )
    ids = [
        state.append_message(
            session_id, ("user", "assistant")[turn % 2], text, timestamp=at + 1 + turn
        )
        for turn, text in enumerate(texts)
    ]
    if end:
        state.end_session(session_id, at + 1 + len(texts), end)
    return ids


def one_session(path: Path, *texts: str, title: str | None = None) -> Path:
    """A file with one session, `s`."""
    with StateFile.create(path) as state:
        talk(state, "s", *(texts or ("hello", "Hi.")), title=title)
    return path


@contextmanager
def altered(path: Path) -> Iterator[sqlite3.Connection]:
    """A writable connection without checks; each statement is committed at once."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        yield db


def insert(db: sqlite3.Connection, table: str, **cells: object) -> int:
    """A row of exactly these cells; its rowid."""
    sql = f"INSERT INTO {table} ({', '.join(cells)}) VALUES ({', '.join('?' * len(cells))})"
    return db.execute(sql, tuple(cells.values())).lastrowid or 0


def say(db: sqlite3.Connection, session_id: object, **cells: object) -> int:
    """A message of any shape; the defaults are those of a plain user message."""
    plain: dict[str, object] = {"role": "user", "content": "hello", "timestamp": T0}
    return insert(db, "messages", session_id=session_id, **(plain | cells))


def go_on(db: sqlite3.Connection, session_id: str, other: str, at: float, text: str = "on") -> int:
    """What the agent does to compress a session: end it and continue in another one."""
    ended = "UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = ?"
    db.execute(ended, (at, session_id))
    (source,) = db.execute("SELECT source FROM sessions WHERE id = ?", (session_id,)).fetchone()
    key = insert(
        db, "sessions", id=other, source=source, started_at=at, parent_session_id=session_id
    )
    say(db, other, content=text, timestamp=at)
    return key


def rows(path: Path, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
    """The result of plain SQL, with text as stored."""
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = bytes
        return [tuple(map(_plain, row)) for row in db.execute(sql, tuple(values)).fetchall()]


def pairs(path: Path, sql: str) -> dict[object, object]:
    """The same for two columns: the second by the first."""
    return {first: second for first, second in rows(path, sql)}


def _plain(cell: object) -> object:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell


def keys(store: Store) -> dict[str, int]:
    """The key of every session by id; the last one where several show the same."""
    catalog = store.catalog()
    found = store.sessions([catalog.single(key) for key in catalog.keys], NOW)
    return {session.id: session.key for session in found}


def everybody(path: Path) -> list[Session]:
    """Every session by itself, in the order of the catalog."""
    store = open_store(path)
    catalog = store.catalog()
    return store.sessions([catalog.single(key) for key in catalog.keys], NOW)


def told(path: Path, session_id: str = "s", everything: bool = True) -> list[Message]:
    """The messages of one session."""
    store = open_store(path)
    return list(read_session(store, keys(store)[session_id], everything))

"""Our own notes about the sessions of an agent: pins, titles and what is archived where the state
file has no place for that, how a list was last arranged, and the looks that were chosen for all
files.

They never go into the state file. A note is kept by the resolved path of the store and the id of
the session, so that it outlives the file's being rewritten. The file is made with the first note;
until then there is nothing, and nothing is read.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.stores.ours.own_file import OwnFile

PATIENCE = 2.0
"""Seconds to wait for another explorer that is writing its notes."""

_TABLES = """
CREATE TABLE IF NOT EXISTS pins (
    store BLOB NOT NULL, session BLOB NOT NULL, PRIMARY KEY (store, session)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS archived (
    store BLOB NOT NULL, session BLOB NOT NULL, PRIMARY KEY (store, session)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS titles (
    store BLOB NOT NULL, session BLOB NOT NULL, title BLOB NOT NULL, PRIMARY KEY (store, session)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS choices (
    store BLOB NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (store, name)
) WITHOUT ROWID;
"""
_OF = ("pins", "archived", "titles", "choices")
"""Tables of notes about a store."""


class Notes:
    """The notes about one store; without a store, those that hold for all."""

    def __init__(self, path: Path, store: Path | None = None) -> None:
        self._file = OwnFile(path, "Pins and settings unavailable", PATIENCE)
        self._store = os.fsencode(os.path.realpath(store)) if store is not None else b""

    def about(self, store: Path) -> "Notes":
        """The same about another store."""
        return Notes(self._file.path, store)

    @property
    def made(self) -> bool:
        return self._file.made

    def pins(self) -> frozenset[str]:
        """The ids of the sessions that are pinned."""
        return self._ids("pins")

    def pin(self, ids: Sequence[str], on: bool) -> None:
        """Pin sessions, or unpin them."""
        self._note("pins", ids, on)

    def archived(self) -> frozenset[str]:
        """The ids of the sessions that are archived here, since their file cannot say so."""
        return self._ids("archived")

    def archive(self, ids: Sequence[str], on: bool) -> None:
        self._note("archived", ids, on)

    def titles(self) -> dict[str, str]:
        """The titles that were given here to sessions whose file has no place for one, by id."""
        found = self._rows("SELECT session, title FROM titles WHERE store = ?")
        return {_text(id_): _text(title) for id_, title in found}

    def entitle(self, id_: str, title: str | None) -> None:
        """Give a session a title, or none."""
        session = _coded(id_)
        with self._file.writing(_TABLES) as connection:
            if title is None:
                connection.execute(
                    "DELETE FROM titles WHERE store = ? AND session = ?", (self._store, session)
                ).close()
                return
            connection.execute(
                "INSERT OR REPLACE INTO titles (store, session, title) VALUES (?, ?, ?)",
                (self._store, session, _coded(title)),
            ).close()

    def take_over(self, before: Path) -> None:
        """Have the notes about this store from when it had another name; where there are both, the
        newer name's."""
        old = Notes(self._file.path, before)
        if not any(old._rows(f"SELECT 1 FROM {table} WHERE store = ? LIMIT 1") for table in _OF):
            return
        with self._file.writing(_TABLES) as connection:
            for table in _OF:
                sql = f"UPDATE OR IGNORE {table} SET store = ? WHERE store = ?"
                connection.execute(sql, (self._store, old._store)).close()
                connection.execute(f"DELETE FROM {table} WHERE store = ?", (old._store,)).close()

    def _ids(self, table: str) -> frozenset[str]:
        found = self._rows(f"SELECT session FROM {table} WHERE store = ?")
        return frozenset(_text(id_) for (id_,) in found)

    def _note(self, table: str, ids: Sequence[str], on: bool) -> None:
        sql = (
            f"INSERT OR IGNORE INTO {table} (store, session) VALUES (?, ?)"
            if on
            else f"DELETE FROM {table} WHERE store = ? AND session = ?"
        )
        coded = [(self._store, _coded(id_)) for id_ in ids]
        with self._file.writing(_TABLES) as connection:
            connection.executemany(sql, coded).close()

    def choice(self, name: str) -> str | None:
        """What was last chosen, if anything ever was."""
        found = self._rows("SELECT value FROM choices WHERE store = ? AND name = ?", name)
        return _text(found[0][0]) if found else None

    def choose(self, name: str, value: str) -> None:
        with self._file.writing(_TABLES) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO choices (store, name, value) VALUES (?, ?, ?)",
                (self._store, name, value),
            ).close()

    def _rows(self, sql: str, *values: str) -> list[tuple[object, ...]]:
        return self._file.rows(sql, (self._store, *values), "ro", bytes)


class OurFiles(NamedTuple):
    """Our own files, which an edit keeps what it needs in."""

    trash: Path
    clock: Callable[[], float]
    notes: Notes | None = None


def _coded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(cell: object) -> str:
    if not isinstance(cell, bytes):
        return str(cell)
    try:
        return cell.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return cell.decode("utf-8", "replace")

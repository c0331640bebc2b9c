"""Our own notes about the sessions of an agent: pins, what is archived where the state file has no
place for that, how a list was last arranged, and the looks that were chosen for all files.

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
CREATE TABLE IF NOT EXISTS choices (
    store BLOB NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (store, name)
) WITHOUT ROWID;
"""


class Notes:
    """The notes about one store; without a store, those that hold for all."""

    def __init__(self, path: Path, store: Path | None = None) -> None:
        self._file = OwnFile(path, "Pins and settings unavailable", PATIENCE)
        self._store = os.fsencode(os.path.realpath(store)) if store is not None else b""

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

    def _ids(self, table: str) -> frozenset[str]:
        found = self._rows(f"SELECT session FROM {table} WHERE store = ?")
        return frozenset(_text(id_) for (id_,) in found)

    def _note(self, table: str, ids: Sequence[str], on: bool) -> None:
        sql = (
            f"INSERT OR IGNORE INTO {table} (store, session) VALUES (?, ?)"
            if on
            else f"DELETE FROM {table} WHERE store = ? AND session = ?"
        )
        coded = [(self._store, id_.encode("utf-8", "surrogatepass")) for id_ in ids]
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


def _text(cell: object) -> str:
    if not isinstance(cell, bytes):
        return str(cell)
    try:
        return cell.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return cell.decode("utf-8", "replace")

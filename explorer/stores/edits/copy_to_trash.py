"""Copies sessions into the trash, complete, before anything of them is touched; and their files.

The files are plain files of the agent's, not the database: they may be opened.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.errors import Refused
from explorer.stores.edits.connection import Changed, WriteConnection
from explorer.stores.edits.dialect import TableColumns, TableShape, listing, row_number
from explorer.stores.edits.plans import Planned, PlannedOutcome
from explorer.stores.edits.refusal_words import (
    CANNOT_CHANGE,
    FILE_CHANGED,
    NO_LONGER_THERE,
    SESSION_CHANGED,
    WRITTEN_TO,
)
from explorer.stores.ours.trash import TrashWriter
from explorer.stores.ours.trash_records import CellChange, KeptFile
from explorer.stores.sqlite.images import ABOUT, Cell, Image, bound, named, portions, shown, weight
from explorer.stores.sqlite.schema import batches, placeholders, quoted

AT_ONCE = 100
"""Rows that are read in one go: without a log, a reader keeps the agent from writing."""


class Copied(NamedTuple):
    """A session that is in the trash and still in its file."""

    entry: int
    planned: Planned
    row: int
    image: Image
    """Its own row."""


class Copier(NamedTuple):
    """Copies one session of a file after the other."""

    file: WriteConnection
    shape: TableShape
    columns: TableColumns
    folder: Path
    """What the agent keeps about sessions beside the file."""
    trash: TrashWriter
    receipt: int

    def copy(self, planned: Planned, exact: bool) -> Copied:
        """Write a session to the trash; raises `Changed` where it is gone by now, or if it is to be
        `exact` has other messages than the user agreed to."""
        shape, trash = self.shape, self.trash
        own = self._rows(shape.sessions, shape.id, planned.id)
        if len(own) != 1:
            raise Changed(FILE_CHANGED, NO_LONGER_THERE)
        whole = planned.outcome is PlannedOutcome.DELETE
        entry = trash.keep(
            self.receipt,
            shape.sessions,
            "session" if whole else "messages",
            session=planned.id,
            title=planned.title,
            source=planned.source,
            active=planned.last_active,
        )
        size, count = self._pack(entry, shape.sessions, own), 0
        for rows in portions(self._messages(planned.id), weight, ABOUT):
            size += self._pack(entry, shape.messages, rows)
            count += len(rows)
        if exact and count != planned.messages:
            trash.drop_entries([entry])
            raise Changed(SESSION_CHANGED, WRITTEN_TO)
        if whole and self._dangles(own[0]):
            trash.drop_entries([entry])
            raise Changed(
                "It could not be restored", "It refers to something that is no longer in the file."
            )
        if whole:
            size += self._belongings(entry, planned, own[0])
        elif shape.counters:
            # How many messages it says it has.
            self._change(entry, shape.sessions, shape.id, own[0], shape.counters, 0)
        trash.measure(entry, count, size)
        return Copied(entry, planned, row_number(own[0][0]), own[0])

    def _dangles(self, own: Image) -> bool:
        """Whether a session names a row of another table that is gone, such as its prompt: where
        the file has a foreign key for that, SQLite would not take it back."""
        table = self.shape.sessions
        cell = named(self.columns[table], own)
        for _, _, other, column, key, *_ in self.file.ask(
            f"PRAGMA foreign_key_list({quoted(table)})"
        ):
            value = cell.get(shown(column))
            # A parent that is gone is known: the link is set last, and left out then.
            if value is None or key is None or shown(column) == self.shape.parent:
                continue
            place, bound_value = bound(value)
            there = f"SELECT 1 FROM {quoted(shown(other))} WHERE {quoted(shown(key))} = {place}"
            if not self.file.ask(there, (bound_value,)):
                return True
        return False

    def _belongings(self, entry: int, planned: Planned, own: Image) -> int:
        """What depends on the session besides its messages, links and files included."""
        shape, size = self.shape, 0
        for table, column, detached in shape.belongings:
            rows = self._rows(table, column, planned.id)
            if not detached:
                size += self._pack(entry, table, rows)
                continue
            for row in rows:
                self._change(entry, table, "rowid", row, (column,), None)
        if shape.shared is not None:
            table, key, columns = shape.shared
            cell = named(self.columns[shape.sessions], own)
            for name in dict.fromkeys(cell[column] for column in columns):
                if name is not None:
                    size += self._pack(entry, table, self._rows(table, key, shown(name)))
        for row in self._rows(shape.sessions, shape.parent, planned.id):
            self._change(entry, shape.sessions, shape.id, row, (shape.parent,), None)
        for file in planned.files:
            kept = read_file(self.folder, file)
            if kept is not None:
                self.trash.add_file(entry, kept)
                size += len(kept.content)
        return size

    def _messages(self, id_: str) -> Iterator[Image]:
        """All messages of a session by their numbers."""
        table, owner = self.shape.messages, quoted(self.shape.owner)
        found = self.file.ask(f"SELECT m.rowid FROM {quoted(table)} m WHERE m.{owner} = ?", (id_,))
        for few in batches(sorted(row_number(number) for (number,) in found), AT_ONCE):
            rows = self.file.ask(*numbered(table, self.columns[table], few))
            if len(rows) != len(few):
                raise Changed(FILE_CHANGED, "Some of its messages were deleted.")
            yield from rows

    def _rows(self, table: str, column: str, value: object) -> list[Image]:
        return self.file.ask(
            f"SELECT rowid, {listing(self.columns[table])} FROM {quoted(table)}"
            f" WHERE {quoted(column)} = ? ORDER BY rowid",
            (value,),
        )

    def _pack(self, entry: int, table: str, rows: list[Image]) -> int:
        """Keep rows; how many bytes they have."""
        if rows:
            self.trash.add_rows(entry, table, self.columns[table], rows)
        return sum(map(weight, rows))

    def _change(
        self, entry: int, table: str, id_: str, row: Image, columns: tuple[str, ...], new: Cell
    ) -> None:
        """Keep cells of a row that stays, before the edit gives them another value."""
        cell = named(self.columns[table], row)
        old = tuple(cell[column] for column in columns)
        change = CellChange(table, id_, cell[id_], columns, old, (new,) * len(columns), entry)
        self.trash.add_change(self.receipt, change)


def numbered(
    table: str, columns: Iterable[str], numbers: Sequence[object]
) -> tuple[str, Sequence[object]]:
    """The question for rows by their numbers, with which each of them begins."""
    return (
        f"SELECT rowid, {listing(columns)} FROM {quoted(table)}"
        f" WHERE rowid IN ({placeholders(numbers)}) ORDER BY rowid",
        numbers,
    )


def check_rowids(file: WriteConnection, shape: TableShape) -> None:
    """Rows are known by their numbers; a table without them is none of the agents'."""
    for table in (shape.sessions, shape.messages, *(one.table for one in shape.belongings)):
        try:
            file.ask(f"SELECT rowid FROM {quoted(table)} LIMIT 1")
        except Refused:
            raise Refused(CANNOT_CHANGE, f"The table {table} has no row numbers.") from None


SAFE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}"


def read_file(folder: Path, name: str) -> KeptFile | None:
    """A file as it is now; None when it is gone, or is no plain file."""
    place = folder / name
    try:
        # Without waiting: a pipe is no plain file either.
        how = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        handle = os.open(place, how)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return None
        return KeptFile(name, found.st_mode & 0o777, found.st_mtime, file.read())


def remove_file(folder: Path, kept: KeptFile) -> bool:
    """Remove a file if it still is what was kept; whether it is gone."""
    now = read_file(folder, kept.name)
    if now is None:
        return True
    if now.content != kept.content:
        return False
    try:
        os.unlink(folder / kept.name)
    except OSError:
        return False
    return True


def put_back(folder: Path, kept: KeptFile) -> bool:
    """Write a file again, unless there is another one by now."""
    place = folder / kept.name
    if not re.fullmatch(SAFE_NAME, kept.name):
        return False
    try:
        os.makedirs(place.parent, exist_ok=True)
        handle = os.open(
            place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, kept.mode
        )
    except FileExistsError:
        now = read_file(folder, kept.name)
        return now is not None and now.content == kept.content
    except OSError:
        return False
    with os.fdopen(handle, "wb") as file:
        file.write(kept.content)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(place, kept.mode)
    os.utime(place, (kept.time, kept.time))
    return True

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
from explorer.stores.edits.dialect import TableColumns, TableShape, listing
from explorer.stores.edits.plans import Planned, PlannedOutcome
from explorer.stores.ours.trash import TrashWriter
from explorer.stores.ours.trash_records import CellChange, Entry, EntryState, KeptFile
from explorer.stores.sqlite.images import ABOUT, Image, bound, named, raw, shown, weight
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


class Copier:
    """Copies one session of a file after the other."""

    def __init__(
        self, file: WriteConnection, shape: TableShape, columns: TableColumns, folder: Path
    ) -> None:
        """`folder` has what the agent keeps about sessions beside the file."""
        self._file = file
        self._shape = shape
        self._columns = columns
        self._folder = folder

    def copy(self, trash: TrashWriter, receipt: int, planned: Planned, exact: bool) -> Copied:
        """Write a session to the trash; raises `Changed` where it is gone by now, or if it is to be
        `exact` has other messages than somebody agreed to."""
        shape = self._shape
        own = self._rows(shape.sessions, shape.id, planned.id)
        if len(own) != 1:
            raise Changed("The file has changed", "It is no longer in the file.")
        whole = planned.outcome is PlannedOutcome.DELETE
        entry = trash.keep(
            Entry(
                number=0,
                receipt=receipt,
                shape=shape.sessions,
                session=planned.id,
                title=planned.title,
                source=planned.source,
                kind="session" if whole else "messages",
                messages=0,
                bytes=0,
                active=planned.last_active,
                state=EntryState.COPIED,
            )
        )
        self._pack(trash, entry, shape.sessions, own)
        size, count = weight(own[0]), 0
        for rows in self._messages(planned.id):
            self._pack(trash, entry, shape.messages, rows)
            count += len(rows)
            size += sum(map(weight, rows))
        if exact and count != planned.messages:
            trash.drop_entries([entry])
            raise Changed("It has changed", "Its agent has written it meanwhile.")
        if whole and self._dangles(own[0]):
            trash.drop_entries([entry])
            raise Changed("It would not come back", "It names what is no longer in the file.")
        if whole:
            size += self._belongings(trash, receipt, entry, planned, own[0])
        elif shape.counters:
            trash.add_change(receipt, self._counters(planned.id, own[0], entry))
        trash.measure(entry, count, size)
        number = own[0][0]
        assert isinstance(number, int)
        return Copied(entry, planned, number, own[0])

    def _dangles(self, own: Image) -> bool:
        """Whether a session names a row of another table that is gone, such as its prompt: where
        the file has a foreign key for that, SQLite would not take it back."""
        table = self._shape.sessions
        cell = named(self._columns(table), own)
        for _, _, other, column, key, *_ in self._file.ask(
            f"PRAGMA foreign_key_list({quoted(table)})"
        ):
            value = cell.get(shown(column))
            # A parent that is gone is known: the link is set last, and left out then.
            if value is None or key is None or shown(column) == self._shape.parent:
                continue
            place, bound_value = bound(value)
            there = f"SELECT 1 FROM {quoted(shown(other))} WHERE {quoted(shown(key))} = {place}"
            if not self._file.ask(there, (bound_value,)):
                return True
        return False

    def _shared(self, own: Image) -> Iterator[tuple[str, list[Image]]]:
        """(table, rows) of what a session shares with others."""
        shared = self._shape.shared
        if shared is not None:
            cell = named(self._columns(self._shape.sessions), own)
            for name in dict.fromkeys(cell[column] for column in shared.columns):
                if name is not None:
                    yield shared.table, self._rows(shared.table, shared.key, shown(name))

    def _belongings(
        self, trash: TrashWriter, receipt: int, entry: int, planned: Planned, own: Image
    ) -> int:
        """What hangs on the session besides its messages, links of others and files included."""
        shape, size = self._shape, 0
        for table, column, detached in shape.belongings:
            rows = self._rows(table, column, planned.id)
            if rows and not detached:
                self._pack(trash, entry, table, rows)
                size += sum(map(weight, rows))
            elif rows:
                at = 1 + self._columns(table).index(column)
                for row in rows:
                    change = CellChange(
                        table, "rowid", row[0], (column,), (row[at],), (None,), entry
                    )
                    trash.add_change(receipt, change)
        for table, rows in self._shared(own):
            if rows:
                self._pack(trash, entry, table, rows)
                size += sum(map(weight, rows))
        linked = self._columns(shape.sessions)
        at, id_at = 1 + linked.index(shape.parent), 1 + linked.index(shape.id)
        for row in self._rows(shape.sessions, shape.parent, planned.id):
            change = CellChange(
                shape.sessions, shape.id, row[id_at], (shape.parent,), (row[at],), (None,), entry
            )
            trash.add_change(receipt, change)
        for name in planned.files:
            kept = read_file(self._folder, name)
            if kept is not None:
                trash.add_file(entry, kept)
                size += len(kept.content)
        return size

    def _counters(self, id_: str, image: Image, entry: int) -> CellChange:
        """How many messages a session says it has, before it is cleared."""
        table = self._shape.sessions
        cell = named(self._columns(table), image)
        names = self._shape.counters
        old = tuple(cell[name] for name in names)
        return CellChange(table, self._shape.id, raw(id_), names, old, (0,) * len(names), entry)

    def _messages(self, id_: str) -> Iterator[list[Image]]:
        """All messages of a session by their numbers, in lists of about a pack."""
        table = self._shape.messages
        numbers = [
            row[0]
            for row in self._file.ask(
                f"SELECT m.rowid FROM {quoted(table)} m WHERE m.{quoted(self._shape.owner)} = ?",
                (id_,),
            )
        ]
        numbers.sort()
        gathered: list[Image] = []
        size = 0
        for few in batches(numbers, AT_ONCE):
            rows = self._file.ask(*numbered(table, self._columns(table), few))
            if len(rows) != len(few):
                raise Changed("The file has changed", "Messages were deleted meanwhile.")
            for row in rows:
                gathered.append(row)
                size += weight(row)
                if size > ABOUT:
                    yield gathered
                    gathered, size = [], 0
        if gathered:
            yield gathered

    def _rows(self, table: str, column: str, value: object) -> list[Image]:
        columns = listing(self._columns(table))
        return self._file.ask(
            f"SELECT rowid, {columns} FROM {quoted(table)} WHERE {quoted(column)} = ?"
            " ORDER BY rowid",
            (value,),
        )

    def _pack(self, trash: TrashWriter, entry: int, table: str, rows: list[Image]) -> None:
        trash.add_rows(entry, table, self._columns(table), rows)


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
            raise Refused(
                "This file cannot be edited", f"The rows of the table {table} have no numbers."
            ) from None


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
    """Take a file away if it still is what was kept; whether it is gone."""
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

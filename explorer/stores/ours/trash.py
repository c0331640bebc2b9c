"""Our trash: all that an edit deletes from a state file, complete, so that it can be restored.

A file of our own, private, durable before anything leaves the state file. It is also our journal:
an edit that was begun and not finished is found here at the next start.

A change that one confirmation made in several state files has a receipt of its own, which names no
file, and one for its part in each of them: each part is right by itself, whatever becomes of the
others.
"""

import os
import sqlite3
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from explorer.errors import ExplorerError, Problem, StoreError
from explorer.model import Action
from explorer.render.figures import exact
from explorer.stores.content import content_text, tool_calls
from explorer.stores.ours.own_file import OwnFile
from explorer.stores.ours.trash_records import (
    OURS,
    CellChange,
    Entry,
    EntryState,
    KeptFile,
    Pack,
    Receipt,
    ReceiptState,
)
from explorer.stores.server_path import on_server
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Image, named, pack, unpack, unpack_beginning
from explorer.stores.sqlite.schema import placeholders

PATIENCE = 5.0
RETENTION_DAYS = 30
"""For which what was deleted is kept."""
RETENTION = RETENTION_DAYS * 86_400.0

VERSION = 1
"""Of the tables: 1 has `parts`."""
_SEVERAL = b""
"""In the place of the state file in a receipt about several."""
_PRAGMAS = "synchronous=EXTRA", "secure_delete=ON"
"""Durable means that also a power cut right after leaves it there."""
_TABLES = """
CREATE TABLE IF NOT EXISTS receipts (
    number INTEGER PRIMARY KEY AUTOINCREMENT, store BLOB NOT NULL, action TEXT NOT NULL,
    made REAL NOT NULL, state TEXT NOT NULL, words TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, receipt INTEGER NOT NULL, shape TEXT NOT NULL,
    session BLOB NOT NULL, title BLOB, source BLOB, kind TEXT NOT NULL, messages INTEGER NOT NULL,
    bytes INTEGER NOT NULL, active REAL, state TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_of_receipt ON entries (receipt);
CREATE TABLE IF NOT EXISTS packs (
    number INTEGER PRIMARY KEY, entry INTEGER NOT NULL, name TEXT NOT NULL,
    columns TEXT NOT NULL, content BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS packs_of_entry ON packs (entry);
CREATE TABLE IF NOT EXISTS changes (
    number INTEGER PRIMARY KEY, receipt INTEGER NOT NULL, entry INTEGER NOT NULL,
    name TEXT NOT NULL, id TEXT NOT NULL, cells TEXT NOT NULL, content BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS changes_of_receipt ON changes (receipt);
CREATE TABLE IF NOT EXISTS files (
    number INTEGER PRIMARY KEY, entry INTEGER NOT NULL, name TEXT NOT NULL,
    mode INTEGER NOT NULL, time REAL NOT NULL, content BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS files_of_entry ON files (entry);
CREATE TABLE IF NOT EXISTS parts (receipt INTEGER PRIMARY KEY, whole INTEGER NOT NULL);
"""
_NOTED = ("archived", "pinned", "title")
_VALUES = (
    ("receipts", "state", tuple(one for one in ReceiptState if one != ReceiptState.UNKNOWN)),
    ("receipts", "action", tuple(Action)),
    ("entries", "state", tuple(one for one in EntryState if one != EntryState.UNKNOWN)),
    ("entries", "kind", ("session", "messages")),
    ("changes", f"CASE name WHEN '{OURS}' THEN cells ELSE 'pinned' END", _NOTED),
)
"""What this version writes into columns that it acts upon; anything else is of a newer one."""
_SIZE = """
WITH mine (number) AS (SELECT number FROM receipts WHERE store = ?)
SELECT total(bytes) FROM (
    SELECT length(p.content) AS bytes FROM mine JOIN entries e ON e.receipt = mine.number
        JOIN packs p ON p.entry = e.number
    UNION ALL SELECT length(f.content) FROM mine JOIN entries e ON e.receipt = mine.number
        JOIN files f ON f.entry = e.number
    UNION ALL SELECT length(c.content) FROM mine JOIN changes c ON c.receipt = mine.number
)
"""
"""Lengths alone: none of what is kept is read for it."""
_FIRST_MESSAGES = """
SELECT number, name, columns FROM packs
WHERE entry = ? AND name LIKE '%messages' AND typeof(content) = 'blob' ORDER BY number LIMIT 1
"""
BEGINNING = 1 << 18
"""Bytes of an entry's messages that are unpacked for its first words."""


class TrashWriter:
    """Writes to the trash; all of it is durable when the context ends."""

    def __init__(self, connection: sqlite3.Connection, store: bytes, whole: int) -> None:
        self._connection = connection
        self._store = store
        self._whole = whole

    def _run(self, sql: str, values: Sequence[object]) -> int:
        cursor = self._connection.execute(sql, values)
        number = cursor.lastrowid or 0
        cursor.close()
        return number

    def begin(self, action: str, words: str, now: float) -> int:
        """Write down what is intended; the number of the receipt."""
        number = self._begin(self._store, action, words, now)
        if self._whole:
            self._run("INSERT INTO parts (receipt, whole) VALUES (?, ?)", (number, self._whole))
        return number

    def begin_whole(self, action: str, words: str, now: float) -> int:
        """The same of a change in several state files, whose parts follow."""
        return self._begin(_SEVERAL, action, words, now)

    def _begin(self, store: bytes, action: str, words: str, now: float) -> int:
        return self._run(
            "INSERT INTO receipts (store, action, made, state, words) VALUES (?, ?, ?, ?, ?)",
            (store, action, now, ReceiptState.BEGUN, words),
        )

    def keep(
        self,
        receipt: int,
        shape: str,
        kind: str,
        session: str,
        title: str | None,
        source: str,
        active: float | None,
    ) -> int:
        """A session, of which the rows follow; the number of the entry."""
        texts = (text if text is None else _bytes(text) for text in (session, title, source))
        return self._run(
            "INSERT INTO entries (receipt, shape, kind, session, title, source, active, state,"
            " messages, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0)",
            (receipt, shape, kind, *texts, active, EntryState.COPIED),
        )

    def measure(self, entry: int, messages: int, size: int) -> None:
        self._run(
            "UPDATE entries SET messages = ?, bytes = ? WHERE number = ?", (messages, size, entry)
        )

    def add_rows(self, entry: int, table: str, columns: Sequence[str], rows: list[Image]) -> None:
        self._run(
            "INSERT INTO packs (entry, name, columns, content) VALUES (?, ?, ?, ?)",
            (entry, table, "\n".join(columns), pack(rows)),
        )

    def add_change(self, receipt: int, change: CellChange) -> None:
        self._run(
            "INSERT INTO changes (receipt, entry, name, id, cells, content)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                *(receipt, change.entry, change.table, change.id_column),
                "\n".join(change.columns),
                pack([(change.id,), change.old, change.new]),
            ),
        )

    def add_file(self, entry: int, file: KeptFile) -> None:
        self._run(
            "INSERT INTO files (entry, name, mode, time, content) VALUES (?, ?, ?, ?, ?)",
            (entry, file.name, file.mode, file.time, pack([(file.content,)])),
        )

    def take_over(self, store: bytes) -> None:
        """Have the changes of a store that had another name."""
        self._run("UPDATE receipts SET store = ? WHERE store = ?", (self._store, store))

    def set_receipt(self, receipt: int, state: ReceiptState) -> None:
        self._run("UPDATE receipts SET state = ? WHERE number = ?", (state, receipt))

    def set_words(self, receipt: int, words: str) -> None:
        self._run("UPDATE receipts SET words = ? WHERE number = ?", (words, receipt))

    def set_entries(self, entries: Iterable[int], state: EntryState) -> None:
        for entry in entries:
            self._run("UPDATE entries SET state = ? WHERE number = ?", (state, entry))

    def drop_entries(self, entries: Iterable[int]) -> None:
        """Forget these permanently."""
        for entry in entries:
            for table in ("packs", "files", "changes"):
                self._run(f"DELETE FROM {table} WHERE entry = ?", (entry,))
            self._run("DELETE FROM entries WHERE number = ?", (entry,))

    def drop_receipt(self, receipt: int) -> None:
        """Forget an edit permanently, with all that it kept."""
        rows = self._connection.execute(
            "SELECT number FROM entries WHERE receipt = ?", (receipt,)
        ).fetchall()
        self.drop_entries(number for (number,) in rows)
        self._run("DELETE FROM changes WHERE receipt = ?", (receipt,))
        self._run("DELETE FROM receipts WHERE number = ?", (receipt,))
        self._run("DELETE FROM parts WHERE receipt = ?", (receipt,))
        # Of a change whose last part is gone nothing is left; one in progress may get more.
        self._run(
            "DELETE FROM receipts WHERE store = ? AND state IN (?, ?)"
            " AND number NOT IN (SELECT whole FROM parts)",
            (_SEVERAL, ReceiptState.DONE, ReceiptState.UNDONE),
        )


class TrashFile:
    """The trash as far as it concerns one state file."""

    def __init__(self, path: Path, store: Path) -> None:
        self.path = path
        self._file = OwnFile(path, "Trash unavailable", PATIENCE)
        self.about = store
        self._store = os.fsencode(os.path.realpath(store))
        self.held = False
        """The caller is alone already, for an edit of several state files."""
        self._whole = 0

    @property
    def by_place(self) -> "Mapping[str, TrashFile]":
        """What it holds of each state file, by name: one that is alone needs none."""
        return {"": self}

    @property
    def gone(self) -> bool:
        """The state file is gone: what was deleted from it is only here."""
        return not (on_server(self.about) or os.path.lexists(self._store))

    @contextmanager
    def writing(self) -> Iterator[TrashWriter]:
        with self._file.writing(_TABLES, _PRAGMAS, VERSION) as connection:
            yield TrashWriter(connection, self._store, self._whole)

    def take_over(self, before: Path) -> None:
        """Have the changes of this store from when it had another name; not while a change is in
        progress."""
        if TrashFile(self.path, before).receipts():
            with self.alone(), self.writing() as trash:
                trash.take_over(os.fsencode(os.path.realpath(before)))

    @contextmanager
    def part_of(self, whole: int) -> Iterator[None]:
        """What is begun in here is part of a change in several state files."""
        self._whole = whole
        try:
            yield
        finally:
            self._whole = 0

    def parts(self) -> dict[int, int]:
        """The changes in several state files that receipts are parts of, by number."""
        return dict(self._file.rows("SELECT receipt, whole FROM parts ORDER BY receipt", ()))

    def wholes(self) -> list[Receipt]:
        """The receipts of changes in several state files, without their parts."""
        return self._receipts(_SEVERAL)

    def receipts(self) -> list[Receipt]:
        """All edits of this store that are kept, the newest first."""
        return self._receipts(self._store)

    def _receipts(self, store: bytes) -> list[Receipt]:
        rows = self._file.rows(
            "SELECT r.number, r.action, r.made, r.state, r.words, count(e.number),"
            " total(e.messages), total(e.bytes), total(e.state = ?), (SELECT count(*)"
            " FROM changes c WHERE c.receipt = r.number AND c.entry = 0) FROM receipts r"
            " LEFT JOIN entries e ON e.receipt = r.number WHERE r.store = ? GROUP BY r.number"
            " ORDER BY r.number DESC",
            (EntryState.BACK, store),
        )
        wholes = self.parts() if rows else {}
        gone = bool(rows) and store == self._store and self.gone
        return [
            Receipt(
                number,
                cells.words(action),
                cells.number(made) or 0.0,
                ReceiptState(state),
                cells.words(words),
                int(sessions),
                int(messages),
                int(size),
                int(back),
                changed=changed,
                whole=wholes.get(number, 0),
                gone=gone,
            )
            for number, action, made, state, words, sessions, messages, size, back, changed in rows
        ]

    def check(self) -> None:
        """Refuse to work with a trash that a newer version has written: what it holds could be
        lost."""
        if not self._file.made:
            return
        with self._file.connected("read") as connection:
            self._file.check_version(connection, VERSION)
            self._file.check_known(connection, _TABLES, others=False)
            for table, column, known in _VALUES:
                places = placeholders(known)
                odd = f"SELECT 1 FROM {table} WHERE {column} NOT IN ({places}) LIMIT 1"
                try:
                    found = connection.execute(odd, known).fetchall()
                except sqlite3.OperationalError as error:
                    if "no such table" not in str(error):
                        raise
                    continue
                if found:
                    raise self._file.newer()

    def receipt(self, number: int) -> Receipt | None:
        """A change by its own number, or by that of the whole change that it is a part of."""
        every = self.receipts()
        own = (one for one in every if one.number == number)
        return next(own, None) or next((one for one in every if one.shown == number), None)

    def entries(self, receipt: int) -> list[Entry]:
        rows = self._file.rows(
            "SELECT e.number, e.receipt, e.shape, e.session, e.title, e.source, e.kind,"
            " e.messages, e.bytes, e.active, e.state FROM entries e JOIN receipts r"
            " ON r.number = e.receipt WHERE r.store = ? AND e.receipt = ? ORDER BY e.number",
            (self._store, receipt),
        )
        return [
            Entry(
                *(number, of, cells.words(shape), _text(session)),
                *(None if title is None else _text(title), _text(source), cells.words(kind)),
                *(cells.amount(messages), cells.amount(size), cells.number(active)),
                EntryState(state),
            )
            for number, of, shape, session, title, source, kind, messages, size, active, state in (
                rows
            )
        ]

    def close(self, receipt: int) -> bool:
        """End an edit of which nothing is half way any more; False where nothing came of it, and so
        nothing is kept."""
        left = self.entries(receipt)
        with self.writing() as trash:
            if not left:
                trash.drop_receipt(receipt)
            elif all(entry.state is not EntryState.COPIED for entry in left):
                trash.set_receipt(receipt, ReceiptState.DONE)
        return bool(left)

    def packs(self, entry: int, ranks: Mapping[str, int] | None = None) -> Iterator[Pack]:
        """The rows of an entry in the order in which they were kept; with `ranks` those of tables
        with a lower one first."""
        rows = self._file.rows(
            "SELECT number, name FROM packs WHERE entry = ? ORDER BY number", (entry,)
        )
        bytes_ = self._bytes(entry)
        for number, _ in sorted(rows, key=lambda row: (ranks or {}).get(row[1], 0)):
            found = self._file.rows(
                "SELECT name, columns, content FROM packs WHERE number = ?", (number,)
            )
            # Purged since by another explorer.
            for table, columns, content in found:
                names = tuple(cells.words(columns).split("\n"))
                kept = unpack(content, bytes_)
                if any(len(row) != len(names) + 1 for row in kept):
                    raise _damaged("A row has the wrong number of cells.")
                yield Pack(cells.words(table), names, kept)

    def beginnings(self, entries: Iterable[int]) -> Iterator[tuple[int, Pack]]:
        """The first messages of each of these entries that has any: no more of it is read or
        unpacked than the first words need, so that thousands can be named."""
        if not self._file.made:
            return
        with self._file.connected("read") as connection:
            try:
                for entry in entries:
                    found = _first_messages(connection, entry)
                    if found is not None:
                        yield entry, found
            except sqlite3.OperationalError as error:
                # A newer version may keep them in another way.
                if "no such" not in str(error):
                    raise

    def _bytes(self, entry: int) -> int:
        """How many bytes the cells of an entry have, by what was noted when it was kept."""
        rows = self._file.rows("SELECT bytes FROM entries WHERE number = ?", (entry,))
        return cells.amount(rows[0][0]) if rows else 0

    def changes(self, receipt: int) -> list[CellChange]:
        rows = self._file.rows(
            "SELECT entry, name, id, cells, content FROM changes WHERE receipt = ? ORDER BY number",
            (receipt,),
        )
        found = []
        for entry, table, id_column, columns, content in rows:
            names = tuple(cells.words(columns).split("\n"))
            kept = unpack(content)
            if [len(row) for row in kept] != [1, len(names), len(names)]:
                raise _damaged("A change has the wrong number of cells.")
            ((id_,), old, new) = kept
            where = cells.words(table), cells.words(id_column)
            found.append(CellChange(*where, id_, names, old, new, cells.amount(entry)))
        return found

    def file_counts(self, receipt: int) -> dict[int, int]:
        """How many files it keeps of each session of an edit that has any; none is read for it."""
        rows = self._file.rows(
            "SELECT f.entry, count(*) FROM files f JOIN entries e ON e.number = f.entry"
            " WHERE e.receipt = ? GROUP BY f.entry",
            (receipt,),
        )
        return dict(rows)

    def files(self, entry: int) -> list[KeptFile]:
        rows = self._file.rows(
            "SELECT name, mode, time, content FROM files WHERE entry = ? ORDER BY number", (entry,)
        )
        found = []
        bytes_ = self._bytes(entry) if rows else 0
        for name, mode, time, content in rows:
            kept = unpack(content, bytes_)
            if [len(row) for row in kept] != [1] or not isinstance(kept[0][0], bytes):
                raise _damaged("A file has no content.")
            found.append(
                KeptFile(
                    *(cells.words(name), cells.amount(mode) & 0o777, cells.number(time) or 0.0),
                    kept[0][0],
                )
            )
        return found

    def told(self, entry: Entry) -> Iterator[str]:
        """What an entry says, as plain text: enough to know whether it is the right one. The caller
        cleans it."""
        for table, columns, rows in self.packs(entry.number):
            if not table.endswith("messages") or "role" not in columns:
                continue
            for row in rows:
                cell = named(columns, row)
                time = cell.get("timestamp", cell.get("created_at"))
                yield f"── {cells.words(cell['role'])} · {exact(cells.seconds(time))}"
                text = content_text(cell.get("content"), bare_json="active" not in cell)
                calls = tool_calls(cell.get("tool_calls", cell.get("tool_calls_json")))
                names = ", ".join(call.name for call in calls)
                yield from filter(None, (text, f"[tool calls: {names}]" if names else ""))
                yield ""

    def size(self) -> int:
        """Bytes that it takes to keep what is from this store; the file itself has that of all."""
        rows = self._file.rows(_SIZE, (self._store,))
        return int(rows[0][0]) if rows else 0

    def purge(self, receipts: Iterable[int]) -> None:
        """Delete permanently, and free the space: this file is ours."""
        with self.writing() as trash:
            for receipt in receipts:
                trash.drop_receipt(receipt)
        self._free_space()

    def purge_entries(self, receipt: Receipt, entries: Collection[int], words: str) -> None:
        """The same of some of its sessions; `words` say what it did to those that are left."""
        left = [one for one in self.entries(receipt.number) if one.number not in entries]
        with self.writing() as trash:
            trash.drop_entries(entries)
            trash.set_words(receipt.number, words)
            if all(one.state is EntryState.BACK for one in left):
                trash.set_receipt(receipt.number, ReceiptState.UNDONE)
        self._free_space()

    def _free_space(self) -> None:
        with self._file.connected("written") as connection:
            connection.execute("VACUUM").close()

    def expired(self, now: float) -> list[Receipt]:
        """The finished edits that are too old to be undone."""
        settled = (ReceiptState.DONE, ReceiptState.UNDONE)
        return [
            one
            for one in self.receipts()
            if one.state in settled and now - one.made > RETENTION and one.made <= now
        ]

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One edit at a time, over all explorers: only the holder of this edits."""
        if self.held:
            yield
            return
        with self._file.telling("written"):
            self._file.make_folder()
            lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            try:
                _lock(lock)
            except OSError:
                raise StoreError(
                    Problem.BUSY,
                    "Another change is in progress",
                    "Another Session Explorer is making a change. Try again when it is done."
                    " Nothing was changed.",
                ) from None
            self.check()
            yield
        finally:
            os.close(lock)


def state_files_in(trash: Path) -> list[Path]:
    """The state files of which the trash keeps something, also where they are gone."""
    rows = OwnFile(trash, "Trash unavailable", PATIENCE).rows(
        "SELECT DISTINCT store FROM receipts ORDER BY 1", ()
    )
    return [Path(os.fsdecode(store)) for (store,) in rows if isinstance(store, bytes) and store]


def gone_in(trash: Path) -> list[TrashFile]:
    """What the trash keeps of each state file that is gone."""
    kept = (TrashFile(trash, path) for path in state_files_in(trash))
    return [one for one in kept if one.gone]


def _first_messages(connection: sqlite3.Connection, entry: int) -> Pack | None:
    # As one read: another explorer may purge it in between.
    connection.execute("BEGIN").close()
    try:
        rows = connection.execute(_FIRST_MESSAGES, (entry,)).fetchall()
        for number, table, columns in rows:
            with connection.blobopen("packs", "content", number, readonly=True) as content:
                packed = content.read(BEGINNING)
            names = tuple(cells.words(columns).split("\n"))
            width = len(names) + 1
            # What is cut off is NULL.
            kept = [(*row, *(None,) * width)[:width] for row in unpack_beginning(packed, BEGINNING)]
            return Pack(cells.words(table), names, kept)
        return None
    finally:
        connection.execute("ROLLBACK").close()


def _lock(file: int) -> None:
    """Lock an open file; an error where another process has. The lock ends with the process,
    however that ends: a mere file would lock all others out after a crash."""
    # Late: a system has the one or the other.
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _damaged(why: str) -> ExplorerError:
    return ExplorerError("The trash is damaged", f"{why} Nothing was changed.")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(cell: object) -> str:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)

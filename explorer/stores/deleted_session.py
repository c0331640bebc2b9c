"""A deleted session as a store of its own, so that it is read as any other session is.

The trash keeps rows as they were stored. They are put into a temporary file with the tables of the
state file, without its indices, triggers and search tables: what reads the state file then reads
this one. The file is private, and gone when it is closed.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Message, Session
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.content import loose_message
from explorer.stores.kinds import open_store
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import Entry, Pack
from explorer.stores.sqlite.failures import short_path
from explorer.stores.sqlite.images import Cell, bound, named, raw
from explorer.stores.sqlite.read_only import ReadOnlyFile
from explorer.stores.sqlite.schema import quoted

Tables = dict[str, tuple[str, ...]]
"""Columns by table."""
CANNOT_READ = "Cannot read it"
_IDS = ("id", "session_id")
"""What agents call the id of a session in its own row."""
_MESSAGES = (
    *("id", "seq", "session_id", "role", "content", "timestamp", "created_at"),
    *("tool_calls", "tool_calls_json", "tool_call_id", "state", "meta_json"),
)
"""The columns of messages without which no agent's sessions can be read."""


class DeletedSession(NamedTuple):
    """A session in the trash, open to be read."""

    folder: "TemporaryDirectory[str]"
    store: Store
    catalog: Catalog
    session: Session

    def close(self) -> None:
        self.folder.cleanup()


def open_deleted(
    live: Path, trash: TrashFile, entry: Entry, now: float, token: CancelToken
) -> DeletedSession:
    """Open an entry of the trash of the state file `live`, whose tables tell how it is read. Where
    the file is gone, those of the entry itself must do."""
    known: Mapping[str, frozenset[str]] = {}
    if not trash.gone:
        known = ReadOnlyFile(live).read(lambda reader: reader.schema, token).tables
    with _telling():
        folder = TemporaryDirectory(prefix="session-explorer-", ignore_cleanup_errors=True)
    try:
        path = Path(folder.name) / "deleted.db"
        with _telling():
            path.touch(mode=0o600)
            _copy(path, known, trash, entry, token)
        store = open_store(path, token)
        catalog = store.catalog(token)
        key = store.keys_of([entry.session], token).get(entry.session)
        found = store.sessions([catalog.single(key)], now, token) if key is not None else []
        if not found:
            raise ExplorerError(CANNOT_READ, "The trash does not hold enough of this session.")
    except BaseException:
        folder.cleanup()
        raise
    return DeletedSession(folder, store, catalog, found[0])


def deleted_messages(trash: TrashFile, entry: Entry) -> Iterator[Message]:
    """The messages of an entry, for finding words in them: much cheaper than opening it, which
    thousands of entries need. Never more than one pack of them is in memory."""
    for table, columns, rows in trash.packs(entry.number):
        if table.endswith("messages"):
            for row in rows:
                yield loose_message(named(columns, row), entry.session)


def deleted_row(trash: TrashFile, entry: Entry) -> Mapping[str, Cell]:
    """The row of the session itself; empty where only its messages were deleted."""
    for table, columns, rows in trash.packs(entry.number, {entry.shape: -1}):
        return named(columns, rows[0]) if table == entry.shape and rows else {}
    return {}


@contextmanager
def _telling() -> Iterator[None]:
    """A temporary file that cannot be made is no trouble of the trash, nor of the state file."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        where = short_path(Path(gettempdir()))
        raise ExplorerError(
            CANNOT_READ,
            f"The temporary folder {where} is full, or cannot be written ({error}). Make room"
            " there, or set TMPDIR to another folder. The session is still in the trash.",
        ) from error


def _copy(
    path: Path,
    known: Mapping[str, frozenset[str]],
    trash: TrashFile,
    entry: Entry,
    token: CancelToken,
) -> None:
    tables: Tables = {
        name: tuple(sorted(columns))
        for name, columns in known.items()
        if columns and not name.startswith("sqlite_")
    }
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA synchronous=OFF").close()
        for name, columns in tables.items():
            _create(db, name, columns)
        for pack in trash.packs(entry.number):
            token.check()
            _add(db, tables, pack)
        messages = f"{entry.shape.removesuffix('sessions')}messages"
        if messages not in tables:
            # The session has none, and the file is gone: without the table there is no store.
            _create(db, messages, _MESSAGES)
        _add_session(db, tables, entry)


def _create(db: sqlite3.Connection, name: str, columns: tuple[str, ...]) -> None:
    db.execute(f"CREATE TABLE {quoted(name)} ({', '.join(map(quoted, columns))})").close()


def _add(db: sqlite3.Connection, tables: Tables, pack: Pack) -> None:
    """Rows as they were kept; a column that the state file has lost since is added."""
    if pack.table not in tables:
        tables[pack.table] = pack.columns
        _create(db, pack.table, pack.columns)
    for column in set(pack.columns).difference(tables[pack.table]):
        db.execute(f"ALTER TABLE {quoted(pack.table)} ADD COLUMN {quoted(column)}").close()
        tables[pack.table] = (*tables[pack.table], column)
    for row in pack.rows:
        _insert(db, pack.table, dict(zip(("rowid", *pack.columns), row, strict=True)))


def _add_session(db: sqlite3.Connection, tables: Tables, entry: Entry) -> None:
    """The row of a session of which only the messages were deleted."""
    columns = tables.get(entry.shape, ())
    id_ = next((name for name in _IDS if name in columns), None)
    if entry.kind != "messages" or id_ is None:
        return
    title = None if entry.title is None else raw(entry.title)
    said: dict[str, Cell] = {id_: raw(entry.session), "title": title, "source": raw(entry.source)}
    said |= dict.fromkeys(("started_at", "created_at"), entry.active)
    _insert(db, entry.shape, {name: cell for name, cell in said.items() if name in columns})


def _insert(db: sqlite3.Connection, table: str, cells: Mapping[str, Cell]) -> None:
    terms, values = zip(*map(bound, cells.values()), strict=True)
    db.execute(
        f"INSERT OR IGNORE INTO {quoted(table)} ({', '.join(map(quoted, cells))})"
        f" VALUES ({', '.join(terms)})",
        values,
    ).close()

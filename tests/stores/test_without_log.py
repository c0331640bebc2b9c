"""A file without a write-ahead log: whoever reads it lets its agent commit in between."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from explorer.model import Sort
from explorer.search.filters import FILTERED
from explorer.stores.base import Candidate, Needles, Store
from explorer.stores.columns import (
    BYTES,
    COST,
    ENDED,
    ID,
    LEASE,
    MESSAGES,
    READ_AT,
    TITLE,
    TOKENS,
    WORKSPACE,
)
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.sort_order import values_of
from explorer.stores.sqlite import slices
from explorer.stores.sqlite.read_only import Reader, ReadOnlyFile
from tests.factories import T0, altered, insert, talk
from tests.newer_files import NEWER_FILES, newer_file
from tests.real_files import HERMES_FILES, unpack

Read = Callable[[Store], object]

READS: dict[str, Read] = {
    "catalog": lambda store: _catalog(store),
    "facts": lambda store: store.columns(FILTERED).known,
    "traits": lambda store: (
        store.columns({ID, TITLE, WORKSPACE, COST, TOKENS, ENDED, LEASE, READ_AT}).known
    ),
    "weights": lambda store: store.columns({BYTES})[BYTES],
    "orphans": lambda store: store.info().orphans,
    "started": lambda store: values_of(store, Sort.STARTED),
    "cost": lambda store: values_of(store, Sort.COST),
    "title": lambda store: values_of(store, Sort.TITLE),
    "search": lambda store: _searched(store),
}


def _catalog(store: Store) -> object:
    catalog = store.catalog()
    return {
        key: (
            catalog.last_active(key),
            catalog.source(key),
            catalog.hidden_as(key),
            catalog.kind(key),
            catalog.chain(key),
        )
        for key in catalog.keys
    }


def _searched(store: Store) -> object:
    found: list[Candidate] = []
    below: object = None
    while True:
        stretch = store.scanned(Needles((("e",),)), below)
        found += stretch.found
        below = stretch.below
        if below is None:
            return found


@pytest.fixture
def breathless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slices of a few rows, and a breath after every query."""
    monkeypatch.setattr(slices, "FIRST", 3)
    monkeypatch.setattr(slices, "LEAST", 2)
    monkeypatch.setattr(slices, "MOST", 5)
    monkeypatch.setattr("explorer.stores.sqlite.read_only.BREATH", 0.0)


@pytest.mark.usefixtures("breathless")
@pytest.mark.parametrize("name", [*HERMES_FILES, *NEWER_FILES])
def test_slices_say_what_one_statement_says(name: str, tmp_path: Path) -> None:
    path = unpack(name, tmp_path) if name in HERMES_FILES else newer_file(name, tmp_path)
    said = {}
    for mode in ("wal", "delete"):
        with altered(path) as db:
            db.execute(f"PRAGMA journal_mode = {mode}").fetchall()
        store = open_store(path)
        said[mode] = {what: read(store) for what, read in READS.items()}
    assert said["delete"] == said["wal"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file without a log, with odd numbers of rows and ids, and equal times."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(40):
            talk(state, f"s{number}", "hello", "Hi.", at=T0, title=f"t{number}")
    with altered(path) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("PRAGMA journal_mode = DELETE").fetchall()
        insert(db, "sessions", rowid=(1 << 63) - 1, id="last", source="cli", started_at=T0)
        insert(db, "sessions", rowid=-(1 << 63), id="first", source="cli", started_at=T0)
        insert(db, "sessions", id=b"\xff\x00", source="cli", started_at="never")
        insert(db, "sessions", id=None, source="cli", started_at=T0)
        insert(db, "sessions", id=None, source="cli", started_at=T0 + 1)
        insert(db, "sessions", id="", source="cli", started_at=T0)
        insert(db, "messages", session_id="gone", role="user", content="x", timestamp=T0)
    return path


@pytest.mark.usefixtures("breathless")
def test_odd_numbers_ids_and_times_are_all_met(path: Path) -> None:
    store = open_store(path)
    ((count,),) = closing_rows(path, "SELECT count(*) FROM sessions")
    assert len(store.catalog()) == count
    assert len(store.columns({MESSAGES})[MESSAGES]) == count
    assert len(values_of(store, Sort.STARTED)) == count
    assert store.info().orphans == 1


def closing_rows(path: Path, sql: str) -> list[tuple[int]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


@pytest.fixture
def writer(path: Path) -> Iterator[sqlite3.Connection]:
    """An agent that gives up at once where it cannot commit."""
    with closing(
        sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    ) as db:
        yield db


@pytest.mark.usefixtures("breathless")
@pytest.mark.parametrize("what", READS)
def test_an_agent_can_commit_between_two_queries(
    what: str, path: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does, after every single one of them, in the thread that reads; and what is read holds
    although sessions come and go meanwhile."""
    commits = 0
    plain = Reader.rows

    def rows(self: Reader, sql: str, values: object = ()) -> list[object]:
        nonlocal commits
        found = plain(self, sql, values)  # type: ignore[arg-type]
        commits += 1
        parent = f"new{commits - 1}" if commits > 1 else "s1"
        writer.execute(
            "INSERT INTO sessions (id, source, started_at, parent_session_id, end_reason)"
            " VALUES (?, 'cli', ?, ?, 'compression')",
            (f"new{commits}", T0 + commits, parent),
        )
        writer.execute("DELETE FROM sessions WHERE id = ?", (f"s{39 - commits}",))
        return found

    store = open_store(path)
    monkeypatch.setattr(Reader, "rows", rows)
    READS[what](store)
    assert commits > 3


def test_beside_a_log_one_read_sees_one_state(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "hello")
    with altered(path) as db:
        db.execute("PRAGMA journal_mode = WAL").fetchall()
        seen = []

        def look(reader: Reader) -> None:
            count = "SELECT count(*) FROM sessions"
            seen.append(reader.value(count))
            thread = threading.Thread(target=lambda: _add(path))
            thread.start()
            thread.join()
            seen.append(reader.value(count))

        ReadOnlyFile(path).read(look)
    assert seen == [1, 1]


def _add(path: Path) -> None:
    with altered(path) as db:
        insert(db, "sessions", id="more", source="cli", started_at=T0)

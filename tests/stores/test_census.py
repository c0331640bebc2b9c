"""A census comes to the same as a whole catalog, whatever was written to the file before."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from explorer.stores.base import Store
from explorer.stores.catalog import NOISE
from explorer.stores.census import Census, CountedRows
from explorer.stores.kinds import open_store
from tests.conftest import Command
from tests.newer_files import newer_file
from tests.real_files import unpack

NOW = 1_790_000_000.0
"""Later than everything in the files."""
OLD = ("hermes-v2", "hermes-v6", "hermes-v11", "hermes-v16", "hermes-v22")
NEW = ("hermes-v26", "hermes-v31", "hermes-v11-to-v31")
SOURCES = ("cli", "telegram", "cron", "subagent", "")
ODD_TIMES = (0, -5.0, "2026-01-01", "soon", b"\xff", NOW * 1000, 9e300)
FIRST = 4


class Writer:
    """Does to a state file what agents and people do, at random."""

    def __init__(self, path: Path, seed: int) -> None:
        self.random = Random(seed)
        self.time = NOW
        self.db = sqlite3.connect(path, isolation_level=None)
        self.columns = {row[1] for row in self.db.execute("PRAGMA table_info(sessions)")}
        self.required = _required(self.db)

    def step(self) -> None:
        self.time += 1
        often = self.message, self.message, self.session, self.child, self.child, self.flag
        also = self.end, self.delete, self.forget, self.circle, self.source, self.note, self.odd
        self.random.choice((*often, *also, self.again, self.vacuum))()

    def some(self) -> str:
        ids = [row[0] for row in self.db.execute("SELECT id FROM sessions ORDER BY rowid")]
        return str(self.random.choice(ids[-12:] if self.random.random() < 0.7 else ids))

    def message(self, at: object = None, of: str | None = None) -> None:
        time = self.time if at is None else at
        self.db.execute(
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', ?, ?)",
            (of or self.some(), "words", time),
        )

    def session(self, **cells: object) -> str:
        id_ = f"made_{self.time:.0f}"
        source = self.random.choice(SOURCES)
        row = {"id": id_, "source": source, "started_at": self.time, **cells}
        row = {**dict.fromkeys(self.required, 0), **row}
        names = ", ".join(f'"{name}"' for name in row)
        places = ", ".join("?" * len(row))
        self.db.execute(f"INSERT INTO sessions ({names}) VALUES ({places})", tuple(row.values()))
        if self.random.random() < 0.7:
            self.message(of=id_)
        return id_

    def child(self) -> None:
        parent = self.some()
        ended = self.random.choice(("compression", "branched", "session_reset", None))
        self.set(parent, "end_reason", ended)
        self.set(parent, "ended_at", self.random.choice((self.time - 1, None)))
        named = self.random.choice((parent, "another", "__orphaned__", 7))
        mark = self.random.choice(("_delegate_from", "_branched_from", "_reset_from", "depth"))
        plain = json.dumps({mark: named})
        config = self.random.choice((plain, plain, None, "{_delegate_from", "[1]", *_odd(parent)))
        lost = self.random.random() < 0.15
        self.session(parent_session_id="gone" if lost else parent, model_config=config)

    def flag(self) -> None:
        for name in {"archived", "pinned", "hidden"} & self.columns:
            if self.random.random() < 0.6:
                self.set(self.some(), name, self.random.choice((1, 0, "1", None)))

    def end(self) -> None:
        self.set(self.some(), "end_reason", self.random.choice(("compression", "cli_close", None)))

    def delete(self) -> None:
        id_ = self.some()
        self.db.execute("DELETE FROM messages WHERE session_id = ?", (id_,))
        self.db.execute("DELETE FROM sessions WHERE id = ?", (id_,))

    def forget(self) -> None:
        self.db.execute("DELETE FROM messages WHERE session_id = ?", (self.some(),))

    def circle(self) -> None:
        one, other = self.some(), self.some()
        for id_, parent in ((one, other), (other, one)):
            self.set(id_, "parent_session_id", parent)
            self.set(id_, "end_reason", "compression")

    def source(self) -> None:
        self.set(self.some(), "source", self.random.choice((*SOURCES, "new")))

    def note(self) -> None:
        if "last_activity_at" in self.columns:
            times = (self.time, 5.0, NOW - 9e8, "text", 9e12, None)
            self.set(self.some(), "last_activity_at", self.random.choice(times))

    def odd(self) -> None:
        self.message(at=self.random.choice(ODD_TIMES))

    def again(self) -> None:
        """The number of a deleted session is given to the next one."""
        (id_,) = self.db.execute("SELECT id FROM sessions ORDER BY rowid DESC").fetchone()
        self.db.execute("DELETE FROM sessions WHERE id = ?", (id_,))
        self.session()

    def vacuum(self) -> None:
        self.db.execute("VACUUM")

    def set(self, id_: str, column: str, value: object) -> None:
        self.db.execute(f'UPDATE OR IGNORE sessions SET "{column}" = ? WHERE id = ?', (value, id_))


def _odd(parent: str) -> tuple[str, ...]:
    """Configurations that name a parent, and may mean it or not."""
    mark = json.dumps({"_delegate_from": parent})
    return (
        json.dumps({"_branched_from": parent, "_delegate_from": parent}),
        json.dumps({"_delegate_from": parent, "note": f"of {parent}", parent: 1.5}),
        f'{mark[:-1]}, "_delegate_from": "SAMPLE"}}',
        f'{{"task": {mark}}}',
        f"{mark} and more",
        mark.replace(parent, f"\\{parent}"),
        mark.replace(parent, f"\\u00{parent}"),
        mark.replace("_delegate", "\\u005fdelegate"),
    )


def _required(db: sqlite3.Connection) -> list[str]:
    rows = db.execute("PRAGMA table_info(sessions)").fetchall()
    return [row[1] for row in rows if row[3] and row[4] is None]


def _copy(name: str, folder: Path) -> Path:
    return unpack(name, folder) if name in OLD else newer_file(name, folder)


def _selected(census: Census, sources: frozenset[str]) -> CountedRows:
    if not sources:
        return census.select()
    shown = {NOISE[source] for source in sources if source in NOISE}
    known = census.known
    return census.select(shown, lambda key: known.source(key) in sources, sources.__contains__)


def _told(store: Store, sources: frozenset[str]) -> bool:
    """Compare both; whether the census alone could tell the list."""
    census, whole = store.census(FIRST, sources), Census(store.catalog())
    rows, every = _selected(census, sources), _selected(whole, sources)
    assert census.total == whole.total
    assert (rows.matching, rows.hidden) == (every.matching, every.hidden)
    assert set(census.source_names) == set(whole.source_names)
    if census.since == float("-inf") or not census.tells_first(rows, FIRST):
        return False
    first = census.known.by_last_active(rows.keys)[:FIRST]
    assert first == whole.known.by_last_active(every.keys)[:FIRST]
    for key in first:
        assert census.known.folded(key) == whole.known.folded(key)
        assert census.known.last_active(key) == whole.known.last_active(key)
    assert census.known.pinned == whole.known.pinned
    return True


@pytest.mark.parametrize("name", [*OLD[2:], *NEW])
@pytest.mark.parametrize("seed", range(3))
def test_whatever_was_written_both_count_the_same(name: str, seed: int, tmp_path: Path) -> None:
    path = _copy(name, tmp_path)
    store = open_store(path)
    writer = Writer(path, seed)
    alone = 0
    with closing(writer.db):
        for _ in range(40):
            writer.step()
            asked = writer.random.choice((frozenset(), frozenset({"cli"}), frozenset({"cron"})))
            alone += _told(store, asked)
    # Files from before there was an archive are counted with our notes, of the whole catalog.
    assert alone > 10 or store.noted


OPTIONS = (
    *((), ("--source", "cli"), ("--source", "cron", "--source", "new"), ("--archived",)),
    *(("--sort", "started"), ("--all",), ("--limit", "0"), ("--limit", "1")),
)


@pytest.mark.parametrize("name", ["hermes-v11", "hermes-v22", "hermes-v31"])
def test_list_says_the_same_of_a_file_of_any_size(
    name: str, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _copy(name, tmp_path)
    writer = Writer(path, 11)
    with closing(writer.db):
        for options in OPTIONS:
            for _ in range(5):
                writer.step()
            said = ("list", "--json", "--limit", "6", *options, "--db", path)
            small = command(*said).json
            monkeypatch.setattr("explorer.commands.stores.BIG", 0)
            assert command(*said).json == small
            monkeypatch.undo()


def test_a_file_that_replaced_another_is_counted_anew(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.commands.stores.BIG", 0)
    monkeypatch.setattr("explorer.stores.kept_census.WORTH", 0.0)
    monkeypatch.setattr("explorer.stores.kept_census.SETTLED", -1.0)
    path = _copy("hermes-v22", tmp_path)
    said = ("list", "--json", "--limit", "3", "--db", path)
    total = command(*said).json["total"]
    other = tmp_path / "other"
    other.mkdir()
    made = _copy("hermes-v22", other)
    with closing(sqlite3.connect(made, isolation_level=None)) as db:
        db.execute("DELETE FROM sessions WHERE rowid = 1")
        db.execute("PRAGMA journal_mode = DELETE")
    made.replace(path)
    assert command(*said).json["total"] == total - 1


def test_without_a_log_all_is_surveyed_in_slices(tmp_path: Path) -> None:
    path = newer_file("hermes-v31", tmp_path, "delete")
    store = open_store(path)
    census = store.census(FIRST)
    assert (census.others, census.total) == ({}, len(store.catalog()))


def test_the_newest_of_a_source_may_be_without_a_message(tmp_path: Path) -> None:
    path = _copy("hermes-v22", tmp_path)
    store, writer = open_store(path), Writer(path, 0)
    with closing(writer.db):
        for _ in range(2 * FIRST):
            writer.time += 1
            writer.message(of=writer.session(source="cron"))
        writer.db.execute("DELETE FROM messages WHERE timestamp = ?", (writer.time,))
        assert _told(store, frozenset({"cron"}))

"""State files that chance has damaged: the same number always gives the same file.

Bytes are flipped, pages zeroed, swapped or cut off, the text of the schema is altered, cells get
values that no agent writes, and odd files lie beside the state file.
"""

import os
import random
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import T0, go_on, say, talk
from tests.newer_files import empty_file
from tests.real_files import unpack

PAGE = 4096
CELLS = (
    *("NULL", "''", "'x'", "x''", "x'ff00fe'", "CAST(x'68e928ff' AS TEXT)", "char(0) || 'a'"),
    *("0", "-1", "9223372036854775807", "-9223372036854775808", "1e308", "9e999", "-9e999", "0.5"),
    *("'[' || hex(zeroblob(400))", "'{\"a\":'", "CAST(zeroblob(100000) AS TEXT)", "char(55296)"),
    "(SELECT group_concat(type) FROM sqlite_master)",
)
"""Values that may be in any cell."""


class Mutant(NamedTuple):
    """A damaged file, and what was done to it."""

    path: Path
    what: str


def mutant(number: int, folder: Path) -> Mutant:
    """The damaged file of this number, made in an empty folder."""
    rng = random.Random(number)
    base = rng.choice(BASES)
    path = folder / ("state.db" if base.startswith("hermes") else "power_loop_sessions.db")
    path.write_bytes(_built(base, rng.choice(("wal", "delete"))))
    names = [rng.choice(tuple(MUTATIONS)) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    # Last, since SQLite itself would wait for a pipe.
    for name in sorted(names, key=lambda name: name == "odd files beside"):
        MUTATIONS[name](rng, path)
    return Mutant(path, f"{number}: {base}, {' and '.join(names)}")


BASES = ("hermes small", "hermes v31", "hermes v2", "power-loop")


@cache
def _built(base: str, mode: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        if base == "hermes small":
            _small(path)
        elif base == "hermes v31":
            empty_file("hermes-v31", path)
            _fill(path)
        else:
            name = "hermes-v2" if base == "hermes v2" else "power-loop-8.0.0"
            _few_sessions(unpack(name, Path(folder)).rename(path))
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            db.execute(f"PRAGMA journal_mode = {mode}").fetchall()
        return path.read_bytes()


def _few_sessions(path: Path) -> None:
    """Most of the sessions of a real file would only take time."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        ours = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'sessions'").fetchall()
        prefix, id_ = ("", "id") if ours else ("pl_", "session_id")
        kept = f"SELECT {id_} FROM {prefix}sessions ORDER BY rowid LIMIT 9"
        db.execute(f"DELETE FROM {prefix}messages WHERE session_id NOT IN ({kept})")
        db.execute(f"DELETE FROM {prefix}sessions WHERE {id_} NOT IN ({kept})")
        db.execute("VACUUM")


def _small(path: Path) -> None:
    with StateFile.create(path) as state:
        for number in range(8):
            texts = [f"hello docker {number} {turn} " * (turn + 1) for turn in range(6)]
            talk(state, f"s{number}", *texts, title=f"Trip {number}", end="cli_close")
        talk(state, "helper", "look", "Yes.", parent="s1", config={"_delegate_from": "s1"})
    with closing(sqlite3.connect(path)) as db:
        go_on(db, "s2", "s2-on", T0 + 900)
        db.commit()


def _fill(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        for number in range(8):
            db.execute(
                "INSERT INTO sessions (id, source, started_at, ended_at, end_reason, title)"
                " VALUES (?, 'cli', ?, ?, 'cli_close', ?)",
                (f"s{number}", T0 + number, T0 + 60, f"Trip {number}"),
            )
            for turn in range(6):
                say(db, f"s{number}", content=f"hello docker {turn} " * 9, timestamp=T0 + turn)
        db.commit()


def _flip_bytes(rng: random.Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    # Every page has its header and cell pointers at its beginning: that is where it hurts.
    for _ in range(rng.randrange(1, 40)):
        page = rng.randrange(max(len(content) // PAGE, 1)) * PAGE
        content[min(page + rng.randrange(rng.choice((16, 200, PAGE))), len(content) - 1)] = (
            rng.randrange(256)
        )
    path.write_bytes(content)


def _flip_header(rng: random.Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[rng.randrange(16, 108)] = rng.randrange(256)
    path.write_bytes(content)


def _cut(rng: random.Random, path: Path) -> None:
    size = path.stat().st_size
    os.truncate(path, rng.choice((rng.randrange(size), size - PAGE, size - 1, size - 1000)))


def _zero_pages(rng: random.Random, path: Path) -> None:
    _on_pages(rng, path, lambda page, other: (bytes(PAGE), other))


def _swap_pages(rng: random.Random, path: Path) -> None:
    _on_pages(rng, path, lambda page, other: (other, page))


def _double_pages(rng: random.Random, path: Path) -> None:
    _on_pages(rng, path, lambda page, other: (other, other))


def _on_pages(
    rng: random.Random, path: Path, change: Callable[[bytes, bytes], tuple[bytes, bytes]]
) -> None:
    content = path.read_bytes()
    pages = [content[at : at + PAGE] for at in range(0, len(content), PAGE)]
    if len(pages) < 4:
        return
    for _ in range(rng.randrange(1, 4)):
        one, other = rng.sample(range(1, len(pages)), 2)
        pages[one], pages[other] = change(pages[one], pages[other])
    path.write_bytes(b"".join(pages))


def _spoil_schema(rng: random.Random, path: Path) -> None:
    """A byte of a name or a statement in the schema; SQLite checks little of it."""
    content = bytearray(path.read_bytes())
    places = [
        at for at in range(100, min(len(content), 12 * PAGE)) if content[at : at + 2] == b"s_"
    ]
    for _ in range(rng.randrange(1, 4)):
        if places:
            content[rng.choice(places) + rng.randrange(-6, 6)] = rng.choice((0xFF, 0xC3, 0, 0x22))
    path.write_bytes(content)


def _alter_schema(rng: random.Random, path: Path) -> None:
    column = rng.choice(("sql", "name", "tbl_name", "type", "rootpage"))
    value = rng.choice(("CAST(x'73fffe' AS TEXT)", "NULL", "x'ff'", "sql || 'x'", "name", "7"))
    with _open(path) as db:
        db.execute("PRAGMA writable_schema = ON")
        names = [row[0] for row in db.execute("SELECT rowid FROM sqlite_master").fetchall()]
        db.execute(
            f"UPDATE sqlite_master SET {column} = {value} WHERE rowid = ?", (rng.choice(names),)
        )


def _odd_objects(rng: random.Random, path: Path) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    with _open(path) as db:
        tables = [
            row[0]
            for row in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%fts%'"
                " AND name NOT LIKE 'sqlite%'"
            ).fetchall()
        ]
        table = rng.choice(tables)
        match rng.randrange(6):
            case 0:
                db.execute(f'DROP TABLE "{table}"')
            case 1:
                db.execute(f'ALTER TABLE "{table}" RENAME TO was')
                db.execute(f'CREATE VIEW "{table}" AS SELECT * FROM was')
            case 2:
                db.execute("CREATE TABLE odd (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID")
                db.execute(f'CREATE VIEW "odd{table}" AS {endless}')
            case 3:
                db.execute(f'CREATE TRIGGER odd AFTER UPDATE ON "{table}" BEGIN SELECT 1; END')
            case 4:
                db.execute(f'ALTER TABLE "{table}" ADD COLUMN "odd ""column" DEFAULT 5')
            case _:
                db.execute(f'CREATE VIEW odd AS SELECT * FROM "{table}" JOIN nowhere')


def _odd_cells(rng: random.Random, path: Path) -> None:
    with _open(path) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        tables = [
            row[0]
            for row in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
                " AND (name LIKE '%sessions' OR name LIKE '%messages' OR name LIKE '%prompts')"
            ).fetchall()
        ]
        for _ in range(rng.randrange(1, 12)):
            table = rng.choice(tables)
            columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")').fetchall()]
            some = rng.choice(("", " WHERE rowid % 3 = 0", " WHERE rowid % 7 = 1"))
            with suppress(sqlite3.Error):
                db.execute(
                    f'UPDATE "{table}" SET "{rng.choice(columns)}" = {rng.choice(CELLS)}{some}'
                )


def _split_trees(rng: random.Random, path: Path) -> None:
    """An index that lacks some of the rows of its table, or has each of them twice."""
    with _open(path) as db:
        indices = db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND name NOT LIKE '%fts%'"
        ).fetchall()
        replace_index(db, rng.choice(indices)[0], rng.choice(([1, 2], [1], [])))


def replace_index(db: sqlite3.Connection, index: str, copies: Sequence[int]) -> None:
    """Put another tree in the place of an index: with a number of copies of all its rows, of the
    first copy only every other where there is but one."""
    ((table,),) = db.execute("SELECT tbl_name FROM sqlite_master WHERE name = ?", (index,))
    columns = [row[2] for row in db.execute(f'PRAGMA index_info("{index}")').fetchall()]
    cells = [f"c{number}" for number in range(len(columns))]
    names = ", ".join((*cells, "copy", "number"))
    db.execute(f"CREATE TABLE twin ({names}, PRIMARY KEY ({names})) WITHOUT ROWID")
    stored = ", ".join(f"coalesce(t.\"{column}\", '')" for column in columns)
    some = " WHERE t.rowid % 2" if len(copies) == 1 else ""
    for copy in copies:
        rows = f'SELECT {stored}, {copy}, t.rowid FROM "{table}" t NOT INDEXED{some}'
        db.execute(f"INSERT INTO twin {rows}")
    ((root,),) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'twin'")
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_master SET rootpage = ? WHERE name = ?", (root, index))
    db.execute("DELETE FROM sqlite_master WHERE name = 'twin'")


def _odd_files(rng: random.Random, path: Path) -> None:
    beside = Path(f"{path}{rng.choice(('-wal', '-shm', '-journal'))}")
    if os.path.lexists(beside) and not beside.is_file():
        # An earlier blow has put something else there.
        return
    match rng.randrange(5):
        case 0:
            beside.write_bytes(rng.randbytes(rng.choice((1, 31, 32, 512, 40_000))))
        case 1:
            beside.write_bytes(bytes(32 * 1024))
        case 2:
            beside.unlink(missing_ok=True)
            os.mkfifo(beside)
        case 3:
            beside.unlink(missing_ok=True)
            beside.mkdir()
        case _:
            beside.write_bytes(_foreign_log())


@cache
def _foreign_log() -> bytes:
    """A log of another file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        with StateFile.create(path):
            pass
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = wal").fetchall()
            for number in range(40):
                db.execute(
                    "INSERT INTO sessions (id, source, started_at) VALUES (?, 'other', 1)",
                    (f"other {number}",),
                )
            return Path(f"{path}-wal").read_bytes()


@contextmanager
def _open(path: Path) -> Iterator[sqlite3.Connection]:
    """A writable connection on a file that may be damaged by now: what fails is left out."""
    with (
        closing(sqlite3.connect(path, isolation_level=None, timeout=0.1)) as db,
        suppress(sqlite3.Error, UnicodeError, IndexError),
    ):
        yield db


MUTATIONS: dict[str, Callable[[random.Random, Path], None]] = {
    "bytes flipped": _flip_bytes,
    "header flipped": _flip_header,
    "cut": _cut,
    "pages zeroed": _zero_pages,
    "pages swapped": _swap_pages,
    "pages doubled": _double_pages,
    "schema spoilt": _spoil_schema,
    "schema altered": _alter_schema,
    "odd objects": _odd_objects,
    "odd cells": _odd_cells,
    "more odd cells": _odd_cells,
    "trees that disagree": _split_trees,
    "odd files beside": _odd_files,
}

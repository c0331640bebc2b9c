"""What a state file holds, cell by cell, and whether it is sound: for before and after an edit."""

import sqlite3
from contextlib import closing
from pathlib import Path

from explorer.stores.sqlite.images import RawText
from tests.factories import altered

SHADOWS = ("_data", "_idx", "_docsize", "_config", "_content")


def dump(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every cell of every table with its storage class; of the search tables what they hold."""
    with closing(sqlite3.connect(path)) as db:
        names = [
            row[0]
            for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not row[0].endswith(SHADOWS[:4]) or "_fts" not in row[0]
        ]
        virtual = {
            row[0]
            for row in db.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'")
        }
        db.text_factory = RawText
        found: dict[str, list[tuple[object, ...]]] = {}
        for name in sorted(set(names) - virtual):
            rows = db.execute(f'SELECT rowid, * FROM "{name}" ORDER BY rowid').fetchall()
            found[name] = [tuple((type(cell).__name__, cell) for cell in row) for row in rows]
        return found


def faults(path: Path) -> list[str]:
    """What is wrong with a file: its pages, its links, its search tables against their text."""
    found: list[str] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        found += [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
        found += [f"link {row}" for row in db.execute("PRAGMA foreign_key_check")]
        tables = db.execute(
            "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
        ).fetchall()
        for (name,) in tables:
            try:
                db.execute(f"INSERT INTO {name}({name}, rank) VALUES ('integrity-check', 1)")
            except sqlite3.DatabaseError as error:
                found.append(f"{name}: {error}")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return found


def need_tokenizer(path: Path) -> None:
    """A search table that needs what only the agent loads."""
    with altered(path) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute(
            "UPDATE sqlite_master SET sql = replace(sql, 'USING fts5(',"
            " 'USING fts5(tokenize=''cjk_words'', ') WHERE name = 'messages_fts'"
        )

"""State files of the Hermes releases that never came to PyPI: schemas 23 to 31.

v26 was written by the real 0.20.5; v30 and v31 are stand-ins, written by that code with the
tables, indices and triggers of the later schemas. The others are made here: v23 and v25 by taking
out of v26 what came later, upgraded files by giving an older file what an upgrade adds, which
leaves it its own search tables.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.real_files import unpack

BORN = ("hermes-v23", "hermes-v25", "hermes-v26", "hermes-v30", "hermes-v31")
"""Made by a release of their schema."""
UPGRADED = (
    *("hermes-v11-to-v31", "hermes-v16-to-v26", "hermes-v22-to-v25", "hermes-v22-to-v31"),
    "hermes-v26-to-v31",
)
"""Made by an older release and opened by a newer one."""
NEWER_FILES = (*BORN, *UPGRADED)
MODES = ("wal", "delete")

_SINCE_25 = (
    *("system_prompt_hash", "last_activity_at", "last_activity_description"),
    *("last_activity_provenance", "title_source", "last_read_at"),
)
_SINCE_26 = ("git_metadata_generation", "hidden")
_TABLES_SINCE_26 = ("gateway_hygiene_state", "session_turn_leases")
_NEW_INDICES = ("idx_messages_session_id", "idx_messages_assistant_calls_by_session")
_INLINE = (
    "COALESCE({0}.content, '') || ' ' || COALESCE({0}.tool_name, '') || ' ' ||"
    " COALESCE({0}.tool_calls, '')"
)


def newer_file(name: str, folder: Path, mode: str = "wal") -> Path:
    """A fresh copy of one of these files, with or without a write-ahead log."""
    path = folder / f"{name}.db"
    path.write_bytes(_built(name, mode))
    return path


def empty_file(name: str, path: Path) -> None:
    """A file with the tables, indices and triggers of one of these, and nothing in it."""
    with TemporaryDirectory() as folder:
        model = newer_file(name, Path(folder), "delete")
        with closing(sqlite3.connect(model)) as full, closing(sqlite3.connect(path)) as db:
            for (sql,) in full.execute(
                "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name != 'sqlite_sequence'"
                " AND (name NOT LIKE 'messages\\_fts%\\_%' ESCAPE '\\' OR type != 'table'"
                " OR name = 'messages_fts_trigram')"
                " ORDER BY type = 'trigger', type = 'index', type = 'view'"
            ).fetchall():
                db.execute(sql)
            (version,) = full.execute("SELECT version FROM schema_version").fetchone()
            db.execute("INSERT INTO schema_version VALUES (?)", (version,))
            db.commit()


@cache
def _built(name: str, mode: str) -> bytes:
    with TemporaryDirectory() as folder:
        return _build(name, Path(folder), mode).read_bytes()


def _build(name: str, folder: Path, mode: str) -> Path:
    path = folder / f"{name}.db"
    if "-to-v" in name:
        upgrade(unpack(name.split("-to-")[0], folder).rename(path), name.rsplit("v", 1)[1])
    elif name == "hermes-v23":
        _reduced(folder, path, 23, (*_SINCE_25, *_SINCE_26), ("system_prompts", *_TABLES_SINCE_26))
    elif name == "hermes-v25":
        _reduced(folder, path, 25, _SINCE_26, _TABLES_SINCE_26)
    else:
        unpack(name, folder)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"PRAGMA journal_mode = {mode}").fetchall()
    return path


def _reduced(
    folder: Path, path: Path, version: int, columns: Iterable[str], tables: Iterable[str]
) -> None:
    """The real v26 without what came after a schema: made anew, since a column with a foreign key
    cannot be dropped."""
    source = unpack("hermes-v26", folder)
    gone, lost = set(columns), set(tables)
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(path)) as new:
        objects = old.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"
            " AND name NOT LIKE 'messages\\_fts%\\_%' ESCAPE '\\' AND name != 'sqlite_sequence'"
            " AND type != 'trigger' AND name NOT LIKE 'messages_fts%' ORDER BY type = 'index'"
        ).fetchall()
        for kind, name, sql in objects:
            if name in lost or (version < 25 and name in _NEW_INDICES):
                continue
            if kind == "index" and any(word in sql for word in (*gone, *lost)):
                continue
            new.execute(_without(sql, gone, lost) if kind == "table" else sql)
            if kind == "table":
                _carry(old, new, name)
        if "system_prompt_hash" in gone:
            prompts = dict(old.execute("SELECT hash, prompt FROM system_prompts").fetchall())
            for id_, hash_ in old.execute("SELECT id, system_prompt_hash FROM sessions"):
                new.execute(
                    "UPDATE sessions SET system_prompt = ? WHERE id = ?", (prompts.get(hash_), id_)
                )
        for kind, name, sql in old.execute(
            "SELECT type, name, sql FROM sqlite_master WHERE name LIKE 'messages_fts%' AND sql"
            " IS NOT NULL AND NOT (type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%')"
            " ORDER BY type = 'trigger', type = 'table'"
        ).fetchall():
            if version < 25 and kind == "trigger" and name.endswith("_update"):
                sql = re.sub(r"AFTER UPDATE OF [\w, ]+ ON", "AFTER UPDATE ON", sql)
            new.execute(sql)
        for table in ("messages_fts", "messages_fts_trigram"):
            new.execute(f"INSERT INTO {table}({table}) VALUES ('rebuild')")
        new.execute("UPDATE schema_version SET version = ?", (version,))
        new.execute(
            "UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM messages)"
            " WHERE name = 'messages'"
        )
        new.commit()
    source.unlink()


def _without(sql: str, columns: set[str], tables: set[str]) -> str:
    """The statement that makes a table, without some of its columns."""
    kept = [
        line
        for line in sql.splitlines()
        if line.split()[:1] not in [[column] for column in columns]
        and not any(f"REFERENCES {table}(" in line for table in tables)
    ]
    made = "\n".join(kept)
    return re.sub(r",(\s*\))$", r"\1", made)


def _carry(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> None:
    columns = [row[1] for row in new.execute(f"PRAGMA table_info({table})")]
    names = ", ".join(("rowid", *columns))
    places = ", ".join("?" * (len(columns) + 1))
    rows = old.execute(f"SELECT {names} FROM {table} ORDER BY rowid").fetchall()
    new.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", rows)


def upgrade(path: Path, version: str) -> None:
    """What an upgrade does to a file: columns and tables are added, prompts move to their table
    without a foreign key, the search tables stay as they were born."""
    model = unpack("hermes-v26" if version == "25" else f"hermes-v{version}", path.parent)
    with closing(sqlite3.connect(model)) as newer, closing(sqlite3.connect(path)) as db:
        born = db.execute("SELECT version FROM schema_version").fetchone()[0]
        skipped = _SINCE_26 if version == "25" else ()
        lost = _TABLES_SINCE_26 if version == "25" else ()
        for table in _tables(newer):
            sql = newer.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
            if table in _tables(db):
                _add_columns(newer, db, table, skipped)
            elif table not in lost:
                db.execute(sql[0])
        _share_prompts(db)
        for (sql,) in newer.execute(
            "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        ).fetchall():
            if not any(column in sql for column in (*skipped, *lost)):
                db.execute(re.sub(r"INDEX (?=idx)", "INDEX IF NOT EXISTS ", sql))
        if version in ("30", "31"):
            _renew_search(newer, db, born)
            for (sql,) in newer.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name NOT LIKE '%fts%'"
            ).fetchall():
                db.execute(sql)
        if born < 23:
            db.execute("INSERT INTO state_meta VALUES ('fts_optimize_available', '1')")
        db.execute("UPDATE schema_version SET version = ?", (int(version),))
        db.commit()
    model.unlink()


def _tables(db: sqlite3.Connection) -> list[str]:
    return [
        name
        for (name,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
            " AND name NOT LIKE 'messages_fts%'"
        ).fetchall()
    ]


def _add_columns(
    newer: sqlite3.Connection, db: sqlite3.Connection, table: str, skipped: Iterable[str]
) -> None:
    known = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
    for _, name, kind, not_null, default, _ in newer.execute(f"PRAGMA table_info({table})"):
        if name not in known and name not in skipped:
            rule = f" NOT NULL DEFAULT {default}" if not_null and default is not None else ""
            rule = rule or (f" DEFAULT {default}" if default is not None else "")
            db.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}{rule}")


def _share_prompts(db: sqlite3.Connection) -> None:
    rows = db.execute("SELECT id, system_prompt FROM sessions").fetchall()
    for id_, prompt in rows:
        if isinstance(prompt, str) and prompt:
            hash_ = hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()
            db.execute("INSERT OR IGNORE INTO system_prompts VALUES (?, ?)", (hash_, prompt))
            db.execute(
                "UPDATE sessions SET system_prompt = NULL, system_prompt_hash = ? WHERE id = ?",
                (hash_, id_),
            )


def _renew_search(newer: sqlite3.Connection, db: sqlite3.Connection, born: int) -> None:
    """What 30 and later do to search tables that are older: those of 23 to 26 are made anew over
    another view; inline ones stay, and only what updates them is exchanged."""
    if born >= 23:
        db.execute("DROP TABLE messages_fts")
        for (name,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            " AND name IN ('messages_fts_insert', 'messages_fts_delete', 'messages_fts_update')"
        ).fetchall():
            db.execute(f"DROP TRIGGER {name}")
        for (sql,) in newer.execute(
            "SELECT sql FROM sqlite_master WHERE name IN ('messages_fts_src', 'messages_fts',"
            " 'messages_fts_insert', 'messages_fts_delete', 'messages_fts_update')"
            " ORDER BY type = 'trigger', type = 'table'"
        ).fetchall():
            db.execute(sql)
        db.execute("INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')")
        db.execute("INSERT INTO state_meta VALUES ('fts_storage_version', '3')")
        return
    cut = (
        "CASE WHEN new.role = 'tool' THEN substr(COALESCE(new.content, ''), 1, 8192)"
        " ELSE COALESCE(new.content, '') END"
    )
    text = _INLINE.format("new").replace("COALESCE(new.content, '')", cut, 1)
    for table in ("messages_fts", "messages_fts_trigram"):
        db.execute(f"DROP TRIGGER {table}_update")
        db.execute(
            f"CREATE TRIGGER {table}_update"
            " AFTER UPDATE OF content, tool_name, tool_calls, role ON messages"
            f" BEGIN DELETE FROM {table} WHERE rowid = old.id;"
            f" INSERT INTO {table}(rowid, content) VALUES (new.id, {text}); END"
        )

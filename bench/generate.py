"""Builds big state files of Hermes' schema 22 from a seed, and keeps them for the next run.

A recipe always gives the same rows. They go in before any index or trigger exists, and each search
table is filled by one statement: two million messages take about a minute, without trigrams.
Run it as a module to build one file: `python -m bench.generate 1000 50000`.
"""

import argparse
import re
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from bench.plan import NOW, part_of, plan
from bench.rows import MESSAGE_COLUMNS, SESSION_COLUMNS, Writer
from bench.words import phrases
from explorer.stores.hermes.create.state_file import SCHEMA, VERSION

__all__ = ["FILES", "NOW", "Recipe", "build", "insert", "kept"]

FILES = Path(__file__).parent / "files"
EDITION = 1
"""Part of each file's name: raise it when the same recipe would give other rows."""

# The expression of Hermes' triggers: integrity checks of the search tables compare with it.
FILL = """
INSERT INTO {table}(rowid, content)
SELECT id,
    COALESCE(content, '') || ' ' || COALESCE(tool_name, '') || ' ' || COALESCE(tool_calls, '')
FROM messages ORDER BY id
"""
MERGES = 3
"""Of each search table. Appends reach the level of the second one within some ten thousands."""
USAGE = """
INSERT INTO session_model_usage (
    session_id, model, billing_provider, billing_base_url, billing_mode, api_call_count,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
    estimated_cost_usd, actual_cost_usd, cost_status, cost_source, first_seen, last_seen)
SELECT id, model, billing_provider, billing_base_url, billing_mode, api_call_count,
    input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
    estimated_cost_usd, COALESCE(actual_cost_usd, 0), cost_status, cost_source, started_at,
    COALESCE(ended_at, started_at)
FROM sessions WHERE api_call_count > 0
"""


@dataclass(frozen=True)
class Recipe:
    """What a history holds. Counts are exact; the rest is drawn from the seed."""

    sessions: int
    messages: int
    noise: float = 0.0
    """Share of the newest sessions that scheduled jobs made (source cron)."""
    trigram: bool = True
    """Whether there is a trigram index; it takes most of the time and of the space."""
    seed: int = 1
    prompt_bytes: int = 400
    merged: bool = False
    """Whether its search tables are as the agent's own merges leave them. A big file needs that
    where an agent is to append to it; it takes half as long again to build."""
    part: int = 0
    parts: int = 1
    """Which part of the history it is, of how many: whole families of sessions, taken in turn."""

    @property
    def name(self) -> str:
        index = ("trigram" if self.trigram else "words") + ("-merged" if self.merged else "")
        part = f"-part{self.part}of{self.parts}" if self.parts > 1 else ""
        return (
            f"{self.sessions}-{self.messages}-noise{self.noise:g}-{index}"
            f"-seed{self.seed}-prompt{self.prompt_bytes}{part}-e{EDITION}"
        )


def build(recipe: Recipe, folder: Path = FILES) -> Path:
    """The path of the file for a recipe, which is built unless it is there already."""
    return kept(recipe.name, folder, partial(_load, recipe=recipe), recipe.trigram, recipe.merged)


def kept(
    name: str,
    folder: Path,
    load: Callable[[sqlite3.Connection], None],
    trigram: bool = False,
    merged: bool = False,
) -> Path:
    """The path of a file by its name; if it is not there yet, `load` puts in its rows."""
    home = folder / name
    path = home / "state.db"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=folder))
    try:
        _write(unfinished / "state.db", load, trigram, merged)
        unfinished.rename(home)
    except OSError:
        # another process has built the same file; it has the same rows
        if not path.exists():
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return path


def _write(
    path: Path, load: Callable[[sqlite3.Connection], None], trigram: bool, merged: bool
) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for pragma in (
            "journal_mode = OFF",
            "synchronous = OFF",
            "locking_mode = EXCLUSIVE",
            "cache_size = -1000000",
            "temp_store = MEMORY",
            "threads = 2",
        ):
            db.execute(f"PRAGMA {pragma}")
        schema = list(_schema(trigram))
        db.execute("BEGIN")
        _create(db, schema, "table")
        db.execute("INSERT INTO schema_version (version) VALUES (?)", (VERSION,))
        load(db)
        db.execute(USAGE)
        _create(db, schema, "index")
        for table in _create(db, schema, "search"):
            _fill(db, table)
            if merged:
                _merge(db, table)
        _create(db, schema, "trigger")
        db.execute("COMMIT")
    # Opened again, since an exclusive connection would not let the log be made as Hermes makes it.
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")


def _schema(trigram: bool) -> Iterator[tuple[str, str, str]]:
    """Kind, name and SQL of each thing to create; search tables are a kind of their own.

    SQLite itself takes the script apart: it keeps one statement for each thing it creates.
    """
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        found = db.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        for kind, name, sql in found.fetchall():
            search = sql.startswith("CREATE VIRTUAL TABLE")
            # FTS5 makes its shadow tables itself, and AUTOINCREMENT makes sqlite_sequence
            made = kind == "table" and re.match(r"messages_fts_|sqlite_", name) and not search
            if not made and (trigram or not name.startswith("messages_fts_trigram")):
                yield ("search" if search else kind), name, sql


def _create(db: sqlite3.Connection, schema: list[tuple[str, str, str]], wanted: str) -> list[str]:
    names = []
    for kind, name, sql in schema:
        if kind == wanted:
            db.execute(sql)
            names.append(name)
    return names


def _load(db: sqlite3.Connection, recipe: Recipe) -> None:
    drafts = plan(Random(recipe.seed), recipe.sessions, recipe.messages, recipe.noise)
    writer = Writer(Random(f"rows {recipe.seed}"), phrases(recipe.seed), recipe.prompt_bytes)
    session_sql = insert("sessions", SESSION_COLUMNS)
    message_sql = insert("messages", MESSAGE_COLUMNS)
    for sessions, messages in writer.windows(part_of(drafts, recipe.part, recipe.parts)):
        db.executemany(session_sql, sessions)
        db.executemany(message_sql, messages)


def insert(table: str, columns: str) -> str:
    marks = ", ".join("?" * len(columns.split(",")))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})"


def _fill(db: sqlite3.Connection, table: str) -> None:
    # Fewer, larger segments to merge than by default: a quarter off the time of a trigram index.
    db.execute(f"INSERT INTO {table}({table}, rank) VALUES ('hashsize', 256000000)")
    db.execute(FILL.format(table=table))
    db.execute(f"DELETE FROM {table}_config WHERE k = 'hashsize'")


def _merge(db: sqlite3.Connection, table: str) -> None:
    """As Hermes does after every thousand writes: each merge leaves one segment, on a higher level
    than the last. Filled by one statement, everything is on the lowest level, where SQLite merges
    it again for some append within the next hundreds: at a million messages that one append takes
    17 seconds."""
    for _ in range(MERGES):
        # Something must have been written since: a single segment is left where it is.
        db.execute(f"UPDATE {table} SET content = content WHERE rowid = 1")
        db.execute(f"INSERT INTO {table}({table}) VALUES ('optimize')")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.generate", description=__doc__)
    parser.add_argument("sessions", type=int)
    parser.add_argument("messages", type=int)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--no-trigram", dest="trigram", action="store_false")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--prompt-bytes", type=int, default=400)
    parser.add_argument("--merged", action="store_true")
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=FILES)
    chosen = vars(parser.parse_args())
    folder: Path = chosen.pop("folder")
    begun = time.perf_counter()
    path = build(Recipe(**chosen), folder)
    print(f"{path} ({path.stat().st_size / 1e6:.0f} MB, {time.perf_counter() - begun:.1f} s)")


if __name__ == "__main__":
    main()

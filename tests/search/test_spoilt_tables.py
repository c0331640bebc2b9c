"""Search tables that are missing, stale, broken or of another make: all is found all the same, and
where none could help it is said why."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.search.hits import CompleteSearch
from explorer.stores.kinds import open_store
from tests.factories import altered, rows
from tests.newer_files import NEWER_FILES, newer_file
from tests.real_files import HERMES_FILES, unpack
from tests.search.noted import searched
from tests.search.plain_scan import scan
from tests.search.planted import DAY, PLANTED_AT, plant

NOW = PLANTED_AT + DAY
TYPED = ("wombat", "kea", "lyrebird", "bowerbird", "8192", "大别", "think", "docker", "ea")
META = "CREATE TABLE IF NOT EXISTS state_meta (key TEXT PRIMARY KEY, value TEXT)"

Spoil = Callable[[sqlite3.Connection], None]


def search_tables(db: sqlite3.Connection) -> list[str]:
    made = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
    return [row[0] for row in db.execute(made)]


def drop_triggers(db: sqlite3.Connection) -> None:
    made = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'messages_fts%'"
    for (name,) in db.execute(made).fetchall():
        db.execute(f"DROP TRIGGER {name}")


def drop_tables(db: sqlite3.Connection) -> None:
    drop_triggers(db)
    for name in search_tables(db):
        db.execute(f"DROP TABLE {name}")


def lose_blocks(db: sqlite3.Connection) -> None:
    for name in search_tables(db):
        db.execute(f"DELETE FROM {name}_data WHERE id > 10")


def scramble_blocks(db: sqlite3.Connection) -> None:
    for name in search_tables(db):
        db.execute(f"UPDATE {name}_data SET block = zeroblob(length(block)) WHERE id > 10")


def half_rebuilt(db: sqlite3.Connection) -> None:
    db.execute(META)
    (highest,) = db.execute("SELECT max(id) FROM messages").fetchone()
    notes = ("fts_rebuild_high_water", str(highest)), ("fts_rebuild_progress", "10")
    db.executemany("INSERT OR REPLACE INTO state_meta VALUES (?, ?)", notes)


def given_up(db: sqlite3.Connection) -> None:
    db.execute(META)
    db.execute("INSERT OR REPLACE INTO state_meta VALUES ('fts_stale', '1')")


def another_tokenizer(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA writable_schema = ON")
    for name in search_tables(db):
        made = f"CREATE VIRTUAL TABLE {name} USING fts5(content, tokenize='cjk_unicode61')"
        db.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", (made, name))


# Of scrambled blocks nobody can tell: some words are in others, and some just seem to be nowhere.
SPOILT: dict[str, tuple[Spoil, str]] = {
    "dropped": (drop_tables, "this file has no search table"),
    "not fed": (drop_triggers, "the search table is not kept up to date"),
    "blocks lost": (lose_blocks, "the search table is broken"),
    "blocks scrambled": (scramble_blocks, ""),
    "half rebuilt": (half_rebuilt, "the search table is being rebuilt"),
    "given up": (given_up, "the search table is out of date"),
    "another tokenizer": (another_tokenizer, "the search table is broken"),
}


NEWER = ("hermes-v26", "hermes-v31", "hermes-v22-to-v31")


@pytest.mark.parametrize("how", SPOILT)
@pytest.mark.parametrize("name", [*HERMES_FILES, *NEWER])
def test_all_is_found_without_a_table_and_it_is_said_why(
    tmp_path: Path, name: str, how: str
) -> None:
    path = newer_file(name, tmp_path) if name in NEWER else unpack(name, tmp_path)
    spoil, why = SPOILT[how]
    before = how != "not fed"
    if before:
        plant(path)
    with altered(path) as db:
        spoil(db)
    if not before:
        plant(path)
    store = open_store(path)
    catalog, scanned = store.catalog(), scan(store)
    for text in TYPED:
        result, found = searched(store, catalog, text, now=NOW)
        assert found == scanned.holding([text]), text
        if why:
            assert not result.table
            assert result.trouble == why


@pytest.mark.parametrize("name", [*HERMES_FILES, *NEWER_FILES])
def test_a_whole_table_is_no_trouble(tmp_path: Path, name: str) -> None:
    path = newer_file(name, tmp_path) if name in NEWER_FILES else unpack(name, tmp_path)
    store = open_store(path)
    for text in ("docker", "://", "e", "大", "/x+/"):
        assert not searched(store, store.catalog(), text)[0].trouble


def shape_of_nobody(db: sqlite3.Connection) -> None:
    """As no agent has made them yet: other views, which cut and leave out in ways of their own."""
    drop_tables(db)
    db.execute(META)
    cut = "CASE WHEN role = 'tool' THEN substr(content, 1, 8192) ELSE content END"
    db.executescript(f"""
        CREATE VIEW fts_words AS SELECT id, {cut} AS content, tool_name, tool_calls FROM messages;
        CREATE VIEW fts_trigrams AS SELECT m.id, m.content, m.tool_name FROM messages m
            JOIN sessions s ON s.id = m.session_id
            WHERE m.role != 'tool' AND s.source NOT IN ('cron', 'subagent') AND m.id % 2;
        CREATE VIRTUAL TABLE messages_fts USING fts5(
            content, tool_name, tool_calls, content='fts_words', content_rowid='id');
        CREATE VIRTUAL TABLE messages_fts_trigram USING fts5(
            content, tool_name, content='fts_trigrams', content_rowid='id', tokenize='trigram');
        INSERT INTO messages_fts(messages_fts) VALUES ('rebuild');
        INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES ('rebuild');
        CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
            INSERT INTO messages_fts(rowid, content, tool_name, tool_calls)
                SELECT id, content, tool_name, tool_calls FROM fts_words WHERE id = new.id;
        END;
        CREATE TRIGGER messages_fts_trigram_insert AFTER INSERT ON messages BEGIN
            INSERT INTO messages_fts_trigram(rowid, content, tool_name)
                SELECT id, content, tool_name FROM fts_trigrams WHERE id = new.id;
        END;
    """)


@pytest.mark.parametrize("name", ["hermes-v11", "hermes-v22", "hermes-v31"])
def test_what_unknown_tables_leave_out_is_found_by_the_scan(tmp_path: Path, name: str) -> None:
    path = newer_file(name, tmp_path) if name in NEWER else unpack(name, tmp_path)
    with altered(path) as db:
        shape_of_nobody(db)
    names = plant(path)
    store = open_store(path)
    catalog, scanned = store.catalog(), scan(store)
    for text in TYPED:
        result, found = searched(store, catalog, text, now=NOW)
        assert found == scanned.holding([text]), text
        assert result.table or len(text) < 3
        assert not result.trouble
    _, found = searched(store, catalog, "8192", now=NOW)
    assert "cut" in {names.get(id_) for _, id_ in found}


@pytest.mark.parametrize("how", ["dropped", "blocks scrambled", "half rebuilt"])
def test_a_script_gets_everything_too(tmp_path: Path, how: str) -> None:
    path = unpack("hermes-v22", tmp_path)
    with altered(path) as db:
        SPOILT[how][0](db)
    store = open_store(path)
    whole = CompleteSearch(store, store.catalog(), "docker", NOW, everything=True)
    stored = rows(path, "SELECT count(*) FROM messages WHERE content LIKE '%docker%'")
    found = [hit for hit in whole.hits() if hit.field == "content"]
    assert whole.complete
    assert [(len(found),)] == stored

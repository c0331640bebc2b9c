"""The invented histories that speed is measured on: exact, repeatable, and sound as state files."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.generate import NOW, Recipe, build
from bench.measure import PlainText
from explorer.stores.hermes.create.state_file import SCHEMA

TINY = Recipe(sessions=60, messages=600)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(TINY, tmp_path_factory.mktemp("bench"))


@pytest.fixture
def db(path: Path, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    copy = tmp_path / "state.db"
    copy.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        yield connection


def number(db: sqlite3.Connection, sql: str) -> int:
    return int(db.execute(sql).fetchone()[0])


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


def schema(db: sqlite3.Connection) -> set[tuple[str, str, str]]:
    return set(db.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def test_sums_are_exact(db: sqlite3.Connection) -> None:
    assert number(db, "SELECT count(*) FROM sessions") == 60
    assert number(db, "SELECT count(*) FROM messages") == 600
    assert number(db, "SELECT max(message_count) FROM sessions") == 120


def test_counters_are_those_of_the_rows(db: sqlite3.Connection) -> None:
    wrong = """
        SELECT count(*) FROM sessions s WHERE (message_count, tool_call_count) != (
            SELECT count(*), coalesce(sum(json_array_length(coalesce(tool_calls, '[]'))), 0)
            FROM messages m WHERE m.session_id = s.id)
    """
    assert number(db, wrong) == 0


def test_message_ids_follow_time(db: sqlite3.Connection) -> None:
    stamps = [row[0] for row in db.execute("SELECT timestamp FROM messages ORDER BY id")]
    assert stamps == sorted(stamps)
    assert stamps[-1] < NOW


def test_same_recipe_gives_the_same_rows(path: Path, tmp_path: Path) -> None:
    assert dump(path) == dump(build(TINY, tmp_path))
    assert dump(path) != dump(build(Recipe(60, 600, seed=2), tmp_path))


def test_second_build_takes_the_file_that_is_there(path: Path) -> None:
    before = path.stat()
    assert build(TINY, path.parent.parent) == path
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_finished_file_stands_alone_in_wal_mode(tmp_path: Path) -> None:
    path = build(Recipe(20, 100), tmp_path)
    assert [each.name for each in path.parent.iterdir()] == ["state.db"]
    assert path.read_bytes()[18:20] == b"\x02\x02"


@pytest.mark.parametrize("table", ["messages_fts", "messages_fts_trigram"])
def test_search_table_holds_every_message(db: sqlite3.Connection, table: str) -> None:
    db.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
    text = (
        "coalesce(content, '') || ' ' || coalesce(tool_name, '') || ' ' || coalesce(tool_calls, '')"
    )
    kept = db.execute(f"SELECT rowid, content FROM {table} ORDER BY rowid").fetchall()
    assert kept == db.execute(f"SELECT id, {text} FROM messages ORDER BY id").fetchall()


@pytest.mark.parametrize("table", ["messages_fts", "messages_fts_trigram"])
def test_merged_search_table_has_one_segment_on_a_high_level(table: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(build(Recipe(20, 100, merged=True), tmp_path))) as db:
        db.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
        (structure,) = db.execute(f"SELECT block FROM {table}_data WHERE id = 10").fetchone()
    # after four bytes of a cookie
    levels, segments = structure[4:6]
    assert (levels, segments) == (6, 1)


def test_schema_is_the_one_of_new_files(db: sqlite3.Connection, tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as new:
        new.executescript(SCHEMA)
        assert schema(db) == schema(new)
        with closing(sqlite3.connect(build(Recipe(20, 100, trigram=False), tmp_path))) as small:
            assert schema(small) == {row for row in schema(new) if "trigram" not in row[1]}


def test_links_are_whole_and_every_class_is_there(db: sqlite3.Connection) -> None:
    assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    child = "SELECT count(*) FROM sessions c JOIN sessions p ON p.id = c.parent_session_id WHERE "
    delegate = "json_extract(c.model_config, '$._delegate_from')"
    branched = "json_extract(c.model_config, '$._branched_from')"
    assert number(db, child + f"{delegate} = p.id") == 2
    assert number(db, child + f"{branched} = p.id AND p.end_reason = 'branched'") == 1
    continued = f"p.end_reason = 'compression' AND {delegate} IS NULL AND {branched} IS NULL"
    assert number(db, child + f"{continued} AND c.started_at >= p.ended_at") == 1
    assert number(db, "SELECT count(*) FROM sessions WHERE parent_session_id IS NOT NULL") == 4
    assert number(db, "SELECT count(*) FROM sessions WHERE archived = 1") == 1
    assert number(db, "SELECT count(*) FROM sessions WHERE message_count = 0") == 1
    assert 20 < number(db, "SELECT count(title) FROM sessions") < 40


def test_noise_is_all_of_the_newest_sessions(tmp_path: Path) -> None:
    with closing(sqlite3.connect(build(Recipe(60, 600, noise=0.5), tmp_path))) as db:
        sources = [row[0] for row in db.execute("SELECT source FROM sessions ORDER BY started_at")]
    assert set(sources[30:]) == {"cron"}
    assert sources[:30].count("cron") < 10


def test_escape_sequences_are_taken_out_wherever_the_output_is_cut() -> None:
    output = (
        b"\x1b[?2026h\x1b]0;READY\x1b\\\x1bP+q\x1b\\\x1b(B\x1b=RE\x1b[1;38;2;1;2;3mAD\x1b[0mY\x1b7"
    )
    for cut in range(len(output)):
        plain = PlainText()
        assert plain.feed(output[:cut]) + plain.feed(output[cut:]) == b"READY"

"""The invented year: the same rows for the same time, and one of everything a file can hold."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.demo import BOT, WORK, write_demo, write_demo_home
from explorer.model import RUNNING_WITHIN
from explorer.stores.discover import locate
from explorer.stores.kinds import open_store
from explorer.stores.open_found import open_found
from tests.agents import HERMES, run_agent
from tests.real_files import unpack

NOW = 1_763_307_000.0
"""Half past three in the afternoon, UTC."""


SOURCES = (
    *("cli", "tui", "cron", "subagent", "tool"),
    *("telegram", "slack", "discord", "email", "whatsapp", "api_server"),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "state.db"
    write_demo(path, NOW)
    return path


@pytest.fixture(scope="module")
def db(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path)
    yield connection
    connection.close()


def _column(db: sqlite3.Connection, sql: str) -> list[object]:
    return [row[0] for row in db.execute(sql)]


def _count(db: sqlite3.Connection, table: str, where: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table} WHERE {where}").fetchone()[0])


def test_the_same_time_gives_the_same_rows(path: Path, tmp_path: Path) -> None:
    write_demo(tmp_path / "again.db", NOW)
    dumps = []
    for file in (path, tmp_path / "again.db"):
        connection = sqlite3.connect(file)
        dumps.append(list(connection.iterdump()))
        connection.close()
    assert dumps[0] == dumps[1]


def test_another_time_only_moves_the_times(path: Path, tmp_path: Path) -> None:
    write_demo(tmp_path / "later.db", NOW + 1000)
    connection = sqlite3.connect(tmp_path / "later.db")
    later = connection.execute("SELECT content, timestamp FROM messages ORDER BY id").fetchall()
    connection.close()
    connection = sqlite3.connect(path)
    first = connection.execute("SELECT content, timestamp FROM messages ORDER BY id").fetchall()
    connection.close()
    assert [text for text, _ in later] == [text for text, _ in first]
    moved = {round(after - before) for (_, after), (_, before) in zip(later, first, strict=True)}
    assert moved == {1000}


def test_it_holds_about_eighty_sessions_over_a_year(db: sqlite3.Connection) -> None:
    assert 75 <= _count(db, "sessions", "1") <= 95
    assert 700 <= _count(db, "messages", "1") <= 1200
    assert _count(db, "sessions", f"started_at < {NOW - 350 * 86400}") >= 1
    assert _count(db, "sessions", f"started_at > {NOW}") == 0
    assert _count(db, "messages", f"timestamp > {NOW}") == 0


def test_today_and_yesterday_are_busy(db: sqlite3.Connection) -> None:
    midnight = NOW // 86400 * 86400
    last = (
        "SELECT max(timestamp) FROM messages JOIN sessions s ON s.id = session_id"
        " WHERE source NOT IN ('cron', 'tool', 'subagent') GROUP BY s.id"
    )
    active = [float(str(value)) for value in _column(db, last)]
    assert sum(value >= midnight for value in active) >= 5
    assert sum(midnight - 86400 <= value < midnight for value in active) >= 4


def test_one_session_is_running(db: sqlite3.Connection) -> None:
    running = db.execute(
        "SELECT title FROM sessions s WHERE ended_at IS NULL AND"
        " (SELECT max(timestamp) FROM messages WHERE session_id = s.id) > ?",
        (NOW - RUNNING_WITHIN,),
    ).fetchall()
    assert running == [("Fix docker deployment",)]


def test_message_ids_grow_with_time(db: sqlite3.Connection) -> None:
    times = [
        float(str(value)) for value in _column(db, "SELECT timestamp FROM messages ORDER BY id")
    ]
    assert times == sorted(times)


def test_titles_are_unique_short_and_of_many_scripts(db: sqlite3.Connection) -> None:
    titles = [str(title) for title in _column(db, "SELECT title FROM sessions WHERE title NOTNULL")]
    assert len(titles) == len(set(titles)) > 40
    assert max(map(len, titles)) <= 100
    assert any("日本語" in title for title in titles)
    assert any("زفاف" in title for title in titles)
    assert _count(db, "sessions", "title IS NULL AND source = 'cli' AND message_count > 0") >= 3


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_is_there(db: sqlite3.Connection, source: str) -> None:
    assert _count(db, "sessions", f"source = '{source}'") >= (15 if source == "cron" else 1)


def test_ids_are_shaped_as_hermes_shapes_them(db: sqlite3.Connection) -> None:
    for session, source, parent in db.execute("SELECT id, source, parent_session_id FROM sessions"):
        if source == "cron":
            start, job, _, _ = session.split("_")
            assert (start, len(job)) == ("cron", 12)
            continue
        day, clock, suffix = session.split("_")
        gateway = source not in ("cli", "tui", "subagent", "tool") and parent is None
        assert (len(day), len(clock), len(suffix)) == (8, 6, 8 if gateway else 6)


def test_conversations_go_on_in_new_sessions(db: sqlite3.Connection) -> None:
    links = db.execute(
        "SELECT parent.title, child.title, first.content FROM sessions child"
        " JOIN sessions parent ON parent.id = child.parent_session_id"
        " JOIN messages first ON first.id ="
        "  (SELECT min(id) FROM messages WHERE session_id = child.id)"
        " WHERE parent.end_reason = 'compression' AND child.started_at >= parent.ended_at"
        "  AND child.model_config NOT LIKE '%\\_from%' ESCAPE '\\'"
    ).fetchall()
    assert len(links) == 7
    roots = Counter(child.rsplit(" #", 1)[0] for _, child, _ in links)
    assert sorted(roots.values()) == [1, 1, 2, 3]
    assert all(first.startswith("[CONTEXT COMPACTION") for _, _, first in links)


@pytest.mark.parametrize(
    ("where", "least"),
    [
        ("json_extract(model_config, '$._branched_from') = parent_session_id", 2),
        ("json_extract(model_config, '$._delegate_from') = parent_session_id", 4),
        ("json_extract(model_config, '$._delegate_from') = '__orphaned__'", 1),
        ("message_count = 0", 3),
        ("archived AND parent_session_id IS NOT NULL", 1),
        ("archived AND parent_session_id IS NULL", 3),
        ("rewind_count > 0", 1),
        ("cost_status = 'estimated' AND estimated_cost_usd > 0", 10),
        ("cost_status = 'actual' AND actual_cost_usd > 0", 5),
        ("cost_status = 'included' AND estimated_cost_usd = 0.0", 5),
        ("cost_status = 'unknown' AND estimated_cost_usd = 0.0", 3),
        ("cwd LIKE '/home/ada/%' AND git_branch NOTNULL", 10),
        ("profile_name = 'default'", 75),
        ("message_count > 350", 1),
    ],
)
def test_every_kind_of_session_is_there(db: sqlite3.Connection, where: str, least: int) -> None:
    assert _count(db, "sessions", where) >= least


@pytest.mark.parametrize(
    "where",
    [
        "active = 0 AND compacted = 0",
        "active = 0 AND compacted = 1",
        "reasoning NOTNULL",
        "reasoning_content NOTNULL",
        "reasoning_details NOTNULL",
        "codex_reasoning_items LIKE '%encrypted_content%summary_text%'",
        "content LIKE '<think>%'",
        "instr(CAST(content AS BLOB), x'00') = 1 AND length(CAST(content AS BLOB)) < 5000",
        "instr(CAST(content AS BLOB), x'00') = 1 AND length(CAST(content AS BLOB)) > 200000",
        "role = 'tool' AND content LIKE '%exit_code\": 1%'",
        "json_array_length(tool_calls) >= 3",
        "role = 'tool' AND length(content) > 20000",
        "role = 'tool' AND length(content) - length(replace(content, '\\n', '_')) > 400",
        "content LIKE '%| --- |%' OR content LIKE '%|---|%'",
        "content LIKE '%\u200d%'",
        "content LIKE '%ألف مبروك%'",
        "content LIKE '%שלום%'",
        "content LIKE '%猫を%'",
    ]
    + [f"content LIKE '%```{language}%'" for language in ("go", "rust", "sql", "js", "hcl", "ini")],
)
def test_every_kind_of_message_is_there(db: sqlite3.Connection, where: str) -> None:
    assert _count(db, "messages", where) >= 1


def test_every_call_but_the_interrupted_one_has_its_result(db: sqlite3.Connection) -> None:
    called = Counter(
        str(call["id"])
        for text in _column(db, "SELECT tool_calls FROM messages WHERE tool_calls NOTNULL")
        for call in json.loads(str(text))
    )
    answered = Counter(map(str, _column(db, "SELECT tool_call_id FROM messages WHERE role='tool'")))
    open_calls = called - answered
    assert len(open_calls) == 1
    assert not answered - called
    last = "SELECT tool_calls FROM messages WHERE session_id = ? ORDER BY id DESC LIMIT 1"
    lasts = [
        db.execute(last, (session,)).fetchone()
        for session in _column(db, "SELECT id FROM sessions")
    ]
    assert any(row and row[0] and next(iter(open_calls)) in row[0] for row in lasts)


def test_the_search_tables_are_sound(path: Path) -> None:
    connection = sqlite3.connect(path)
    for table in ("messages_fts", "messages_fts_trigram"):
        connection.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
    connection.close()


def test_hermes_lists_and_searches_it(tmp_path: Path) -> None:
    write_demo(tmp_path / "state.db", NOW)
    code = """
import json, sys
from pathlib import Path
from hermes_state import SessionDB
db = SessionDB(Path(sys.argv[1]))
rows = db.list_sessions_rich(limit=999)
every = db.list_sessions_rich(limit=999, include_children=True, include_archived=True,
                              project_compression_tips=False)
print(json.dumps({
    "listed": [row["title"] for row in rows],
    "every": len(every),
    "titles": all(SessionDB.sanitize_title(row["title"]) == row["title"] for row in every),
    "found": len(db.search_messages("arm64")),
    "cjk": len(db.search_messages("自己紹介")),
    "loaded": len(db.get_messages_as_conversation(every[0]["id"])),
}))
db.close()
"""
    said = json.loads(run_agent(code, *HERMES, tmp_path / "home", tmp_path / "state.db"))
    assert {"Fix docker deployment", "Trip to Kyoto #3"} <= set(said["listed"])
    assert not {"Trip to Kyoto", "Tax return #2"} & set(said["listed"])
    assert 75 <= said["every"] <= 95
    assert said["titles"] is True
    assert said["found"] >= 3
    assert said["cjk"] >= 1
    assert said["loaded"] >= 1


def _tables(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every table of a file, with its columns."""
    connection = sqlite3.connect(path)
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    found = {name: connection.execute(f"PRAGMA table_info({name})").fetchall() for (name,) in names}
    connection.close()
    return found


def test_the_demo_has_two_profiles_and_a_program_in_one_list(tmp_path: Path) -> None:
    home = write_demo_home(tmp_path, NOW)
    store = open_found(home.found)
    assert store.places == ("default", WORK, BOT)
    assert not store.troubles
    page = store.first_page(8, NOW)
    assert {row.place for row in page} == {"default", WORK, BOT}
    assert page[0].title == "Fix docker deployment"
    assert all(row.owner in ("", row.place) for row in page if row.place != BOT)


def test_all_of_the_history_is_in_one_of_the_two_profiles(path: Path, tmp_path: Path) -> None:
    home = write_demo_home(tmp_path, NOW)
    both = open_found(home.found[:2])
    assert both.info().messages == open_found(locate([str(path)], [], {}, None)).info().messages


def test_the_program_of_the_demo_has_a_subagent(tmp_path: Path) -> None:
    home = write_demo_home(tmp_path, NOW)
    bot = open_found(home.found[2:])
    catalog = bot.catalog(CancelToken())
    listed = [catalog.folded(key) for key in catalog.by_last_active(catalog.select()[0])]
    assert len(listed) == 5
    assert [unit.subagents for unit in listed] == [1, 0, 0, 0, 0]


def test_the_file_of_the_program_has_the_tables_of_power_loop(tmp_path: Path) -> None:
    real = unpack("power-loop-8.0.0", tmp_path)
    assert _tables(write_demo_home(tmp_path / "home", NOW).bot) == _tables(real)


def test_the_program_of_the_demo_has_a_summary_and_an_interrupted_send(tmp_path: Path) -> None:
    bot = open_store(write_demo_home(tmp_path, NOW).bot)
    outlines = [one for key in bot.catalog().keys for one in bot.outlines(key)]
    assert [one.folded.messages for one in outlines if one.folded] == [4]
    assert [one.awaits for one in outlines if one.awaits] == [("change_address",)]

"""New state files: compared with those of the real Hermes."""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import ExitCode, ExplorerError
from explorer.stores.hermes.create.state_file import StateFile
from tests.agents import HERMES, run_agent

T0 = 1_760_000_000.0

CALLS = [
    {"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{}"}},
    {"id": "c2", "type": "function", "function": {"name": "read_file", "arguments": "{}"}},
]
PICTURE = [
    {"type": "text", "text": "what is this flower?"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
]

COMPARED = """
SELECT id, message_count, tool_call_count, rewind_count, archived, title, end_reason,
  input_tokens, output_tokens, estimated_cost_usd, actual_cost_usd, cost_status, api_call_count
FROM sessions ORDER BY id
"""
COMPARED_MESSAGES = """
SELECT session_id, role, hex(content), tool_calls, tool_call_id, tool_name, timestamp,
  finish_reason, reasoning, reasoning_content, reasoning_details, codex_reasoning_items, observed,
  active, compacted
FROM messages ORDER BY id
"""

THEIRS = """
import json, sys
from pathlib import Path
from hermes_state import SessionDB
calls, picture = json.loads(sys.argv[2])
t0 = 1_760_000_000.0
db = SessionDB(Path(sys.argv[1]))
for name in "abcd":
    db.create_session(name, "cli", parent_session_id="c" if name == "d" else None)
db.append_message("a", "user", picture, timestamp=t0)
db.append_message("a", "assistant", None, tool_calls=calls, finish_reason="tool_calls",
                  reasoning="hm \\ud83d", timestamp=t0 + 1)
db.append_message("a", "tool", "ok", tool_call_id="c1", tool_name="terminal", timestamp=t0 + 2)
db.append_message("a", "assistant", "Done", tool_calls=[], reasoning_content="",
                  reasoning_details=[{"type": "reasoning.text", "text": "x"}],
                  codex_reasoning_items=[{"encrypted_content": "AA"}], timestamp=t0 + 3)
undone = db.append_message("a", "user", "wrong", observed=True, timestamp=t0 + 4)
db.append_message("a", "assistant", "", tool_calls=calls[:1], timestamp=t0 + 5)
db.rewind_to_message("a", undone)
db.append_message("b", "user", "long ago", timestamp=t0)
db.append_message("b", "assistant", "", tool_calls=calls, timestamp=t0 + 1)
db.archive_and_compact("b", [
    {"role": "user", "content": "what was said", "timestamp": t0 + 2},
    {"role": "assistant", "content": "on it", "tool_calls": calls[:1], "timestamp": t0 + 3}])
db.append_message("b", "user", "go on", timestamp=t0 + 4)
db.end_session("c", "compression")
db.end_session("c", "cli_close")
db.set_session_title("d", "Kept")
db.set_session_archived("d", True)
db.update_token_counts("b", 1200, 340, estimated_cost_usd=None, cost_status="unknown",
                       api_call_count=2, absolute=True)
db.update_token_counts("d", 10, 20, estimated_cost_usd=0.5, actual_cost_usd=0.25,
                       cost_status="actual", absolute=True)
db.close()
"""


def _ours(path: Path) -> None:
    with StateFile.create(path) as state:
        for name in "abcd":
            parent = "c" if name == "d" else None
            state.create_session(name, "cli", started_at=T0, parent=parent)
        state.append_message("a", "user", PICTURE, timestamp=T0)
        state.append_message(
            "a",
            "assistant",
            tool_calls=CALLS,
            finish_reason="tool_calls",
            reasoning="hm \ud83d",
            timestamp=T0 + 1,
        )
        state.append_message(
            "a", "tool", "ok", tool_call_id="c1", tool_name="terminal", timestamp=T0 + 2
        )
        state.append_message(
            "a",
            "assistant",
            "Done",
            tool_calls=[],
            reasoning_content="",
            reasoning_details=[{"type": "reasoning.text", "text": "x"}],
            codex_reasoning_items=[{"encrypted_content": "AA"}],
            timestamp=T0 + 3,
        )
        undone = state.append_message("a", "user", "wrong", observed=True, timestamp=T0 + 4)
        state.append_message("a", "assistant", "", tool_calls=CALLS[:1], timestamp=T0 + 5)
        state.rewind("a", undone)
        old = [
            state.append_message("b", "user", "long ago", timestamp=T0),
            state.append_message("b", "assistant", "", tool_calls=CALLS, timestamp=T0 + 1),
        ]
        state.compact("b", old)
        state.append_message("b", "user", "what was said", timestamp=T0 + 2)
        state.append_message("b", "assistant", "on it", tool_calls=CALLS[:1], timestamp=T0 + 3)
        state.append_message("b", "user", "go on", timestamp=T0 + 4)
        state.end_session("c", T0 + 9, "compression")
        state.end_session("c", T0 + 10, "cli_close")
        state.set_title("d", "Kept")
        state.set_archived("d", True)
        state.set_usage("b", 1200, 340, None, "unknown", api_calls=2)
        state.set_usage("d", 10, 20, 0.5, "actual", actual_cost=0.25)


def _rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def _schema(path: Path) -> dict[str, str]:
    """Every object by name, without the spaces that SQL does not care about."""
    rows = _rows(path, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {str(name): re.sub(r"\s+", "", str(sql)).lower() for name, sql in rows}


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    path = tmp_path / "ours.db"
    _ours(path)
    return path


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    path = tmp_path / "theirs.db"
    run_agent(THEIRS, *HERMES, tmp_path / "home", path, json.dumps([CALLS, PICTURE]))
    return path


def test_the_tables_indices_and_triggers_are_those_of_hermes(ours: Path, theirs: Path) -> None:
    assert _schema(ours) == _schema(theirs)
    assert _rows(ours, "SELECT version FROM schema_version") == [(22,)]
    assert _rows(ours, "PRAGMA journal_mode") == [("wal",)]


def test_the_same_calls_leave_the_same_counters(ours: Path, theirs: Path) -> None:
    known = "message_count, tool_call_count, rewind_count, archived"
    assert _rows(ours, f"SELECT {known} FROM sessions ORDER BY id") == [
        (6, 3, 1, 0),
        (3, 1, 0, 0),
        (0, 0, 0, 1),
        (0, 0, 0, 1),
    ]
    assert _rows(ours, COMPARED) == _rows(theirs, COMPARED)


def test_the_same_calls_leave_the_same_messages(ours: Path, theirs: Path) -> None:
    assert _rows(ours, COMPARED_MESSAGES) == _rows(theirs, COMPARED_MESSAGES)


def test_hermes_lists_searches_and_loads_a_file_of_ours(ours: Path, tmp_path: Path) -> None:
    code = """
import json, sys
from pathlib import Path
from hermes_state import SessionDB
db = SessionDB(Path(sys.argv[1]))
listed = db.list_sessions_rich(limit=99, include_archived=True)
print(json.dumps({
    "listed": sorted(row["id"] for row in listed),
    "found": [hit["session_id"] for hit in db.search_messages("flower")],
    "inside": [hit["session_id"] for hit in db.search_messages("said")],
    "rewound": [hit["session_id"] for hit in db.search_messages("wrong")],
    "loaded": db.get_messages_as_conversation("a"),
}))
db.close()
"""
    before = _schema(ours)
    said = json.loads(run_agent(code, *HERMES, tmp_path / "home", ours))
    assert said["listed"] == ["a", "b", "d"]
    assert said["found"] == ["a"]
    assert said["inside"] == ["b"]
    assert said["rewound"] == []
    assert said["loaded"][0]["content"] == PICTURE
    assert said["loaded"][1]["tool_calls"] == CALLS
    assert _schema(ours) == before


@pytest.mark.parametrize("table", ["messages_fts", "messages_fts_trigram"])
def test_the_search_tables_are_sound(ours: Path, table: str) -> None:
    _rows(ours, f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)")
    found = _rows(ours, f"SELECT count(*) FROM {table} WHERE {table} MATCH 'wrong'")
    assert found == [(1,)]


@pytest.mark.parametrize("companion", ["", "-wal", "-shm", "-journal"])
def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path, companion: str) -> None:
    (tmp_path / f"state.db{companion}").write_text("precious")
    with pytest.raises(ExplorerError, match="already exists") as refused:
        StateFile.create(tmp_path / "state.db")
    assert refused.value.exit_code is ExitCode.REFUSED
    assert [path.read_text() for path in tmp_path.iterdir()] == ["precious"]


def test_a_missing_folder_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(ExplorerError, match="No such file or directory"):
        StateFile.create(tmp_path / "none" / "state.db")


def test_a_failure_on_the_way_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ExplorerError), StateFile.create(tmp_path / "state.db") as state:
        state.create_session("a", "cli", started_at=T0, title="x" * 101)
    assert list(tmp_path.iterdir()) == []


def test_closing_leaves_one_private_file(ours: Path) -> None:
    assert [path.name for path in ours.parent.iterdir()] == ["ours.db"]
    assert ours.stat().st_mode & 0o777 == 0o600


def _too_long(state: StateFile) -> None:
    state.set_title("b", "x" * 101)


def _taken(state: StateFile) -> None:
    state.create_session("c", "cli", started_at=T0, title="Taken")


@pytest.mark.parametrize("retitle", [_too_long, _taken])
def test_a_title_hermes_would_refuse_is_refused(
    tmp_path: Path, retitle: Callable[[StateFile], None]
) -> None:
    with StateFile.create(tmp_path / "state.db") as state:
        state.create_session("a", "cli", started_at=T0, title="Taken")
        state.create_session("b", "cli", started_at=T0, title="x" * 100)
        with pytest.raises(ExplorerError, match="Title"):
            retitle(state)


def test_only_a_message_of_the_user_can_be_rewound_to(tmp_path: Path) -> None:
    with StateFile.create(tmp_path / "state.db") as state:
        state.create_session("a", "cli", started_at=T0)
        reply = state.append_message("a", "assistant", "Hello", timestamp=T0)
        with pytest.raises(ValueError, match="is not the user's"):
            state.rewind("a", reply)

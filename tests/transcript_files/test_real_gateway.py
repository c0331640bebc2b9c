"""Transcripts that the real gateway wrote, read back, and compared with what it would load."""

import json
from pathlib import Path

from tests.agents import run_agent
from tests.transcript_files.homes import read

AGENT = ("hermes-agent", "0.13.0")
ID = "20260101_120000_aa11bb"

WRITE = """
import json, sys
from pathlib import Path
from gateway.config import GatewayConfig
from gateway.session import SessionStore
from hermes_state import SessionDB

id_, plan = sys.argv[1], json.loads(sys.argv[2])
home = Path.cwd()
db = SessionDB(db_path=home / "state.db")
db.create_session(id_, source="telegram")
store = SessionStore(home / "sessions", GatewayConfig())
store._db = db
(home / "sessions").mkdir(exist_ok=True)
for only_file, message in plan:
    store.append_to_transcript(id_, message, skip_db=only_file)
print(json.dumps([m.get("content") for m in store.load_transcript(id_)]))
"""


def _written(home: Path, *plan: tuple[bool, dict[str, object]]) -> list[str]:
    """What the gateway itself loads of the transcript that it wrote."""
    loaded = json.loads(run_agent(WRITE, *AGENT, home, ID, json.dumps(plan)))
    assert isinstance(loaded, list)
    return loaded


def _turn(number: int) -> list[dict[str, object]]:
    call = {"id": f"c{number}", "type": "function"}
    call["function"] = {"name": "terminal", "arguments": '{"command": "ls"}'}  # type: ignore[assignment]
    return [
        {"role": "user", "content": f"question {number} ümlaut"},
        {"role": "assistant", "content": "", "tool_calls": [call], "reasoning": "hm"},
        {"role": "tool", "content": f"result {number}", "tool_call_id": f"c{number}"},
        {"role": "assistant", "content": f"answer {number}"},
    ]


def test_a_session_from_before_the_database_is_read_whole(tmp_path: Path) -> None:
    old = [(True, one) for turn in range(3) for one in _turn(turn)]
    new = [(False, one) for one in _turn(3)]
    loaded = _written(tmp_path, *old, *new)
    found = read(tmp_path / "state.db", ID)
    assert [one.text for one in found] == [text or "" for text in loaded]
    assert [bool(one.file) for one in found] == [True] * 12 + [False] * 4
    assert [call.name for one in found for call in one.tool_calls] == ["terminal"] * 4


def test_what_both_hold_is_shown_once(tmp_path: Path) -> None:
    meta: tuple[bool, dict[str, object]] = (True, {"role": "session_meta", "tools": []})
    _written(tmp_path, meta, *((False, one) for turn in range(3) for one in _turn(turn)))
    found = read(tmp_path / "state.db", ID, everything=True)
    assert len(found) == 12
    assert not any(one.file for one in found)


def test_a_log_that_misses_what_the_database_has_hides_nothing(tmp_path: Path) -> None:
    _written(tmp_path, *((False, one) for turn in range(2) for one in _turn(turn)))
    file = tmp_path / "sessions" / f"{ID}.jsonl"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:3]))
    assert len(read(tmp_path / "state.db", ID)) == 8

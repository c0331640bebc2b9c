"""The agents' own code beside our edits, and after them: no error, no append lost, all of it read.

Each version makes the file itself, appends as fast as it can while we edit, and then opens, lists,
searches and loads what we left.
"""

import json
import time
from pathlib import Path

import pytest

from explorer.model import Action
from tests.agents import run_agent
from tests.edits.appender import Appender, acknowledged, appender
from tests.edits.states import faults
from tests.edits.victim import editor_on, numbers, small
from tests.edits.whereabouts import sessions, stored
from tests.factories import rows
from tests.terminal import PATIENCE

pytestmark = pytest.mark.long

VERSIONS = ("0.13.0", "0.17.0", "0.19.0")
MESSAGES = 300
BESIDE = 20
"""Appends of the agent that must lie between the beginning and the end of our edits."""

LOOK = """
import json, sys
from pathlib import Path
from hermes_state import SessionDB
db = SessionDB(Path(sys.argv[1]))
told = [
    sorted(one["id"] for one in db.list_sessions_rich(limit=100)),
    len(db.search_messages("lantern", limit=50)),
    {name: len(db.get_messages(name)) for name in sys.argv[2:]},
    {name: len(db.get_messages_as_conversation(name)) for name in sys.argv[2:]},
]
db.close()
print(json.dumps(told))
"""


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("version", VERSIONS)
def test_an_agent_appends_undisturbed_while_a_long_session_goes_and_comes_back(
    version: str, mode: str, tmp_path: Path
) -> None:
    path, log = tmp_path / "state.db", tmp_path / "log"
    with appender(version, tmp_path / "home") as agent:
        agent.make(path, MESSAGES)
        before = sessions(path)
        # Looked up now: SQLite itself, unlike an edit, gives up on a file that is never at rest.
        big = numbers(path, "big")
        with agent.appending(path, mode, log):
            editor = editor_on(path)
            began = len(acknowledged(log))
            while len(acknowledged(log)) < began + BESIDE:
                done = editor.apply(editor.plan(Action.DELETE, big))
                assert (done.ids, done.skipped) == (("big",), {})
                editor.undo(editor.undo_plan())
        assert agent.errors == []
    told = [number for number, _, _ in acknowledged(log)]
    assert stored(path) == set(told)
    assert sessions(path) == before
    assert faults(path) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_every_agent_reads_what_every_edit_leaves(version: str, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with appender(version, tmp_path / "home") as agent:
        agent.make(path, 30)
    editor = editor_on(path)

    def look(*ids: str) -> tuple[list[str], int, dict[str, int]]:
        said = run_agent(LOOK, "hermes-agent", version, tmp_path / "home", path, *ids)
        listed, hits, loaded, conversed = json.loads(said)
        assert loaded == conversed
        assert faults(path) == []
        return listed, hits, loaded

    everybody, hits, loaded = look("big", "small-3")
    assert (hits, loaded) == (50, {"big": 30, "small-3": 4})
    editor.apply(editor.plan(Action.DELETE, numbers(path, "big", "root")))
    listed, _, loaded = look("big", "branch")
    assert "big" not in listed
    assert loaded == {"big": 0, "branch": 3}
    editor.undo(editor.undo_plan())
    assert look("big", "root") == (everybody, 50, {"big": 30, "root": 4})
    editor.apply(editor.plan(Action.CLEAR, numbers(path, "big")))
    assert look("big")[2] == {"big": 0}
    editor.undo(editor.undo_plan())
    plan = editor.plan(Action.RENAME, [numbers(path, "big")[0]], title="Another title")
    editor.apply(plan)
    assert look("big")[2] == {"big": 30}
    assert rows(path, "SELECT title FROM sessions WHERE id = 'big'") == [("Another title",)]
    editor.apply(editor.plan(Action.REOPEN, numbers(path, "big")))
    assert look("big") == (everybody, 50, {"big": 30})
    editor.apply(editor.plan(Action.END, numbers(path, "big")))
    assert look("big") == (everybody, 50, {"big": 30})
    if version != "0.13.0":
        editor.apply(editor.plan(Action.ARCHIVE, numbers(path, *small())))
        assert set(look()[0]).isdisjoint(small())
        editor.undo(editor.undo_plan())
        assert look()[0] == everybody


def test_an_agent_that_lost_its_locks_keeps_what_it_appended(tmp_path: Path) -> None:
    """Its own handle on the file dropped them: to us nobody seems to be there, and a
    writer that closes last would take the log away."""
    path, log = tmp_path / "state.db", tmp_path / "log"
    with appender("0.19.0", tmp_path / "home") as agent:
        agent.make(path, 10)
        # Looked up now: what looks with plain SQLite is such a writer itself.
        small = numbers(path, "small-1")
        for _ in range(5):
            _edit_beside_the_lockless(agent, path, log, small)
    assert {number for number, _, _ in acknowledged(log)} <= stored(path)
    assert faults(path) == []


def _edit_beside_the_lockless(agent: Appender, path: Path, log: Path, small: list[int]) -> None:
    # It appends only when asked: what counts is what comes after our last connection is closed.
    with agent.appending(path, "WAL", log, rest=0.05, lockless=True):
        editor = editor_on(path)
        editor.apply(editor.plan(Action.DELETE, small))
        editor.undo(editor.undo_plan())
        assert Path(f"{path}-wal").exists()
        before = len(acknowledged(log))
        deadline = time.monotonic() + PATIENCE
        while len(acknowledged(log)) < before + 3:
            assert time.monotonic() < deadline, "the agent appends no more"
            time.sleep(0.01)
    assert agent.errors == []

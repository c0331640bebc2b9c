"""Who is being written right now: a lease on the first part holds all parts, a dead one nothing."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from explorer.model import Action, State
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.sqlite.leases import sees_all, surely_dead
from tests.conftest import Command
from tests.editors import edits_on
from tests.factories import NOW, T0, altered, insert, keys, talk

DEAD = "pid=4194305:turn=1"
"""A number that no process can have."""
MINE = "pid=1:turn=1"
"""Of a process that is there."""
needs_all = pytest.mark.skipif(not sees_all(), reason="not all processes can be seen from here")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A conversation of three parts, a branch of its first one, and another session; all ended but
    the newest part, and long ago."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "root", "one", end="compression")
        talk(state, "middle", "two", parent="root", at=T0 + 100, end="compression")
        talk(state, "tip", "three", parent="middle", at=T0 + 200)
        branched = {"_branched_from": "root"}
        talk(state, "branch", "else", parent="root", config=branched, end="cli_close")
        talk(state, "other", "hello", end="cli_close")
    with altered(path) as db:
        db.execute(
            "CREATE TABLE session_turn_leases (conversation_id TEXT PRIMARY KEY,"
            " holder TEXT NOT NULL, acquired_at REAL NOT NULL, expires_at REAL NOT NULL)"
        )
    return path


def _lease(path: Path, holder: str, until: float = NOW + 100, of: str = "root") -> None:
    with altered(path) as db:
        insert(
            db,
            "session_turn_leases",
            conversation_id=of,
            holder=holder,
            acquired_at=NOW - 10,
            expires_at=until,
        )


def _running(path: Path) -> set[str]:
    store = open_store(path)
    catalog = store.catalog()
    found = store.sessions([catalog.single(key) for key in catalog.keys], NOW)
    return {one.id for one in found if one.state is State.RUNNING}


def test_a_turn_is_noted_under_the_first_part_and_holds_all_of_them(chat: Path) -> None:
    _lease(chat, MINE)
    assert _running(chat) == {"root", "middle", "tip"}


def test_a_held_conversation_is_not_deleted(chat: Path, tmp_path: Path) -> None:
    _lease(chat, MINE)
    editor = edits_on(chat, tmp_path / "trash.db", lambda: NOW)
    plan = editor.plan(Action.DELETE, list(keys(open_store(chat)).values()))
    assert {one.id for one in plan.doomed} == {"branch", "other"}


def test_a_turn_that_begins_after_the_plan_keeps_the_session(chat: Path, tmp_path: Path) -> None:
    editor = edits_on(chat, tmp_path / "trash.db", lambda: NOW)
    plan = editor.plan(Action.DELETE, [keys(open_store(chat))["tip"]])
    _lease(chat, MINE)
    assert editor.apply(plan).ids == ()


@pytest.mark.parametrize(
    ("holder", "until"),
    [pytest.param(DEAD, NOW + 100, marks=needs_all), (MINE, NOW - 1), ("", NOW - 1)],
)
def test_a_lease_that_is_over_or_whose_process_is_dead_holds_nothing(
    chat: Path, holder: str, until: float
) -> None:
    _lease(chat, holder, until)
    assert _running(chat) == set()


@pytest.mark.parametrize("holder", ["", "serve-1", "pid=", "pid=x", "pid=0", "rapid=4194305", "🌊"])
def test_a_holder_that_names_no_process_is_believed_until_its_time(chat: Path, holder: str) -> None:
    _lease(chat, holder)
    assert "tip" in _running(chat)


def test_hostile_leases_are_read_past(chat: Path) -> None:
    with altered(chat) as db:
        odd = [(b"\xff", "soon"), (7, b"x"), ("pid=9" * 99, 1e300)]
        for number, (holder, until) in enumerate(odd):
            insert(
                db,
                "session_turn_leases",
                conversation_id=f"x{number}",
                holder=holder,
                acquired_at=0,
                expires_at=until,
            )
    assert _running(chat) == set()


def test_work_between_two_messages_counts_as_running(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "build it all")
    with altered(path) as db:
        db.execute("ALTER TABLE sessions ADD COLUMN last_activity_at REAL")
        db.execute("UPDATE sessions SET last_activity_at = ?", (NOW - 60,))
    editor = edits_on(path, tmp_path / "trash.db", lambda: NOW)
    assert editor.plan(Action.DELETE, [1]).doomed == ()


@needs_all
def test_a_process_is_dead_only_when_it_is_gone() -> None:
    with closing_process() as process:
        assert surely_dead([f"pid={process.pid}"]) == set()
    gone = f"pid={process.pid}:birth=1"
    assert surely_dead([gone, MINE, ""]) == {gone}


@needs_all
def test_a_process_in_a_container_is_known_by_the_number_it_has_there() -> None:
    inside = ["unshare", "--pid", "--fork", sys.executable, "-c", _INSIDE]
    with subprocess.Popen(inside, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as held:
        assert held.stdout is not None
        number = held.stdout.readline().strip()
        assert number, "a namespace of its own could not be made"
        assert surely_dead([f"pid={number}", DEAD]) == {DEAD}
        held.communicate("end")


_INSIDE = """
import os, sys
# Numbers in here begin at one: go on to one that is free outside.
while True:
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        if status == 0:
            break
        continue
    taken = os.path.exists(f"/proc/{os.getpid()}")
    if taken:
        os._exit(1)
    print(os.getpid(), flush=True)
    sys.stdin.readline()
    os._exit(0)
"""


@contextmanager
def closing_process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        yield process
        process.communicate(b"\n")


def test_the_commands_say_running(chat: Path, command: Command) -> None:
    _lease(chat, MINE, until=4e9)
    found = command("list", "--all", "--json", "--db", chat).json["sessions"]
    assert {one["id"] for one in found if one["state"] == "running"} == {"root", "middle", "tip"}
    refused = command("delete", "tip", "--yes", "--db", chat)
    assert (refused.code, "running" in refused.err) == (6, True)

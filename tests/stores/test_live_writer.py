"""A real agent writes while we read: neither disturbs the other, and nothing it wrote is missed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.agents import agent_path
from tests.conftest import Command
from tests.factories import rows

pytestmark = pytest.mark.long

ROUNDS = 30

# For every line that comes in, some messages; for the last one, what became of all of them.
WRITER = """
import json, sys
from pathlib import Path
from hermes_state import SessionDB
db = SessionDB(Path(sys.argv[1]))
db._conn.execute(f"PRAGMA journal_mode = {sys.argv[2]}")
db.create_session("live", "cli")
ids, errors = [], []
print("ready", flush=True)
for line in sys.stdin:
    if line == "tell\\n":
        print(json.dumps([ids, errors]), flush=True)
        continue
    for _ in range(10):
        try:
            text = f"zebra number {len(ids)} grazing"
            ids.append(db.append_message("live", ("user", "assistant")[len(ids) % 2], text))
        except Exception as error:
            errors.append(repr(error))
db.close()
"""


class Writer:
    """The agent in its own process."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        assert self._line() == "ready"

    def write(self) -> None:
        """Have it write some messages, without waiting for them."""
        self._say("write")

    def outcome(self) -> tuple[list[int], list[str]]:
        """Wait for the last message; (ids of all, errors)."""
        self._say("tell")
        ids, errors = json.loads(self._line())
        return ids, errors

    def _say(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def writing(version: str, path: Path, mode: str) -> Iterator[Writer]:
    home = path.parent / "home"
    home.mkdir()
    modules = str(agent_path("hermes-agent", version))
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), mode],
        env={**os.environ, "PYTHONPATH": modules, "HERMES_HOME": str(home), "HOME": str(home)},
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Writer(process)
    finally:
        process.communicate(timeout=60)


def _companions(path: Path) -> dict[str, int]:
    """The log and its index, by what file they are."""
    beside = (Path(f"{path}{end}") for end in ("-wal", "-shm"))
    return {each.name: each.stat().st_ino for each in beside if each.exists()}


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("version", ["0.13.0", "0.17.0", "0.19.0"])
def test_agent_and_reader_do_not_disturb_each_other(
    version: str, mode: str, tmp_path: Path, command: Command
) -> None:
    path = tmp_path / "state.db"
    with writing(version, path, mode) as writer:
        before = _companions(path)
        seen: list[int] = []
        for _ in range(ROUNDS):
            writer.write()
            listed = command("list", "--all", "--json", "--db", path).json
            assert [session["id"] for session in listed["sessions"]] == ["live"]
            shown = command("show", "--all", "--json", "--db", path, "live").json
            seen.append(len(shown["messages"]))
            found = command("search", "zebra", "--limit", "3", "--json", "--db", path).json
            assert found["total"] >= seen[-1]
        ids, errors = writer.outcome()
        assert errors == []
        assert _companions(path) == before
        assert bool(before) is (mode == "WAL")
        told = command("show", "--all", "--json", "--db", path, "live").json["messages"]
        found = command("search", "zebra", "--limit", "0", "--json", "--db", path).json
    assert seen == sorted(seen)
    assert seen[-1] > 0
    assert len(ids) == 10 * ROUNDS
    assert [message["id"] for message in told] == ids
    assert sorted(hit["message_id"] for hit in found["hits"]) == ids
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]

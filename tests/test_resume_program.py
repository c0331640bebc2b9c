"""Which program resumes a session: never one inside the session's own workspace."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.resume import Command, installed, program_of, run
from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import altered, talk
from tests.standin import StandIn

NAME = "hermes"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a program of the agent's name, which records that it was run."""
    folder = tmp_path / "workspace"
    (folder / "sub").mkdir(parents=True)
    for place in (folder, folder / "sub"):
        (place / NAME).write_text(f"#!/bin/sh\ntouch '{tmp_path}/EVIL'\n")
        (place / NAME).chmod(0o755)
    return folder


@pytest.fixture
def standin(tmp_path: Path) -> StandIn:
    folder = tmp_path / "agent"
    folder.mkdir()
    return StandIn(folder)


def _command(name: str, folder: Path | None) -> Command:
    return Command((name, "--resume=x"), {}, str(folder) if folder else None)


@pytest.mark.parametrize("path", [".", "", ".:{bin}", "sub:{bin}", "{bin}:."])
def test_relative_folders_of_the_path_are_not_searched(
    path: str, workspace: Path, standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path.format(bin=standin.bin))
    monkeypatch.chdir(workspace)
    found = program_of(_command(NAME, workspace))
    assert found == (str(standin.bin / NAME) if "{bin}" in path else None)


def test_a_path_is_taken_from_here_and_not_from_the_workspace(
    workspace: Path, standin: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(standin.bin)
    for name, value in standin.environment.items():
        monkeypatch.setenv(name, value)
    assert run(_command(f"./{NAME}", workspace)) == 0
    assert [call["folder"] for call in standin.calls()] == [str(workspace)]
    monkeypatch.chdir(workspace)
    assert not installed(_command(f"./{NAME}", workspace))
    assert not installed(_command(f"sub/../{NAME}", workspace))
    assert not (tmp_path / "EVIL").exists()


def test_the_command_line_runs_none_of_the_workspace(
    workspace: Path, standin: StandIn, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with StateFile.create(home / "state.db") as state:
        talk(state, "s", "hello", end="cli_close")
    with altered(home / "state.db") as db:
        db.execute("UPDATE sessions SET cwd = ?", (str(workspace),))
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "resume", "s", "--db", str(home)],
        env={
            **os.environ,
            **standin.environment,
            "PATH": f".:{standin.bin}:{os.environ['PATH']}",
            "PYTHONPATH": str(Path(__file__).parents[1]),
        },
        cwd=workspace,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "AGENT SPEAKING" in done.stdout, done.stderr
    assert not (tmp_path / "EVIL").exists()

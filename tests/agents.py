"""Runs the real agents in a child process, to compare our rules with theirs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

AGENTS = Path(__file__).resolve().parents[1] / ".venv" / "agents"

HERMES = ("hermes-agent", "0.19.0")
"""The newest release whose files we write."""


def agent_path(name: str, version: str) -> Path:
    """The folder with the agent's modules; skips the test if it was not downloaded."""
    path = AGENTS / f"{name}-{version}"
    if not path.is_dir():
        pytest.skip(f"{name} {version} is not unpacked under {AGENTS.name}/ of the virtualenv")
    return path


def run_agent(code: str, name: str, version: str, home: Path, *args: str | Path) -> str:
    """The output of `code`, which can import the agent and has `home` as its folder."""
    home.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        env={
            **os.environ,
            "PYTHONPATH": str(agent_path(name, version)),
            "HERMES_HOME": str(home),
            "HOME": str(home),
        },
        cwd=home,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout

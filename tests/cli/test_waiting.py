"""A file that another program keeps locked is waited for: one of several for a moment only, any
other with a word to somebody at a terminal."""

import time
from functools import partial
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.kinds import open_store
from explorer.stores.sqlite.read_only import PATIENCE
from tests.conftest import Command
from tests.locker import Locker
from tests.profile_homes import profile_file, seven_profiles
from tests.terminal import Terminal

WAITS = "/profiles/locked/state.db is locked by another program; waiting …"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = seven_profiles(tmp_path / "hermes")
    monkeypatch.setenv("HERMES_HOME", str(root))
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.chdir(tmp_path)
    return root


@pytest.mark.parametrize(
    "arguments",
    [
        ("--profile", "locked", "list", "--no-pager"),
        ("--profile", "locked", "search", "water"),
        ("--profile", "locked", "show", "held", "--no-pager"),
        ("--profile", "locked", "delete", "--dry-run", "held"),
        ("--profile", "locked", "--profile", "work", "where", "Level"),
    ],
)
def test_a_terminal_is_told_what_a_command_waits_for(
    home: Path, arguments: tuple[str, ...]
) -> None:
    with (
        Locker(profile_file(home, "locked")) as locker,
        Terminal(arguments, size=(200, 40)) as terminal,
    ):
        terminal.until(WAITS)
        locker.release()
        assert terminal.leave() == ExitCode.DONE
        assert "Level" in terminal.text
        assert terminal.text.count("waiting") == 1


def test_only_a_terminal_is_told(
    home: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = partial(open_store, patience=1.0)
    monkeypatch.setattr("explorer.stores.open_found.open_store", short)
    with Locker(profile_file(home, "locked")):
        said = command("--profile", "locked", "list")
    assert (said.code, said.out) == (ExitCode.BUSY, "")
    assert said.err.startswith("session-explorer: The file is busy.")


def test_a_locked_file_of_several_does_not_keep_where_waiting(home: Path, command: Command) -> None:
    with Locker(profile_file(home, "locked")):
        begun = time.monotonic()
        said = command("where", "polo")
        assert time.monotonic() - begun < PATIENCE
    assert said.code == ExitCode.DONE
    after = said.err.split("Not searched:\n")[1]
    assert "  Profile locked: The file is busy. " in after
    assert "is still locked by another program. Try again in a moment." in after

"""The commands name a session without a title by its first words, cleaned and cut."""

import os
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import talk

HOSTILE = "Read\x1b[31m this\u202e " + "and more " * 30


@pytest.fixture(autouse=True)
def _our_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "home" / "state.db"
    path.parent.mkdir()
    with StateFile.create(path) as state:
        talk(state, "one", "Mend the blue net", end="cli_close")
        talk(state, "odd", HOSTILE, end="cli_close")
        talk(state, "none", end="cli_close")
        talk(state, "titled", "hello", title="Trip", end="cli_close")
        for number in range(25):
            talk(state, f"many{number}", f"Job {number}", source="cron", end="done")
    return path


def test_the_trash_is_listed_by_first_words(path: Path, command: Command) -> None:
    command("delete", "one", "odd", "none", "titled", "--yes", "--db", path)
    lines = command("trash", "show", "1", "--db", path).out.splitlines()[1:]
    shown = {line.split()[0]: line.split(maxsplit=2)[2] for line in lines}
    assert shown["one"] == "Mend the blue net"
    assert shown["none"] == "(empty)"
    assert shown["titled"] == "Trip"
    assert shown["odd"].startswith("Read this")
    assert len(shown["odd"]) == 60
    assert not any(char in shown["odd"] for char in "\x1b\u202e")
    told = command("trash", "show", "1", "--json", "--db", path).json["sessions"]
    kept = {one["id"]: (one["title"], one["name"]) for one in told}
    assert kept["one"] == (None, "Mend the blue net")
    assert kept["none"] == (None, "none")
    assert kept["titled"] == ("Trip", "Trip")
    plan = command("undo", "--dry-run", "--json", "--db", path).json
    assert {one["id"]: one["name"] for one in plan["sessions"]} == {
        id_: name for id_, (_, name) in kept.items()
    }


def test_a_prune_names_every_session_of_its_plan(path: Path, command: Command) -> None:
    told = command("prune", "--class", "cron", "--older-than", "1d", "--dry-run", "--db", path).out
    lines = [line.split(maxsplit=2) for line in told.splitlines() if line.startswith("  many")]
    assert len(lines) == 25
    assert all(name == f"Job {id_.removeprefix('many')}" for id_, _, name in lines)


def test_a_pin_beside_a_file_that_may_not_be_written_is_named(path: Path, command: Command) -> None:
    os.link(path, path.with_name("other name"))
    done = command("pin", "one", "--yes", "--db", path)
    assert done.code == ExitCode.DONE
    assert "Pinned “Mend the blue net”" in done.err

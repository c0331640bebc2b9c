"""Ids that a shell or a command may take for something else: what is printed for them works."""

import shlex
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import T0, altered, one_session, rows, talk
from tests.hostile import HOSTILE

ODD = ("sp ace id", "-dash1", "--help", "work/plans", "it's $(odd)", "*")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    home = tmp_path / ".hermes"
    home.mkdir()
    with StateFile.create(home / "state.db") as state:
        for number, id_ in enumerate((*ODD, "plain_1")):
            talk(state, id_, f"the {number}. walnut", at=T0 + number, title=f"T{number}")
    return home


def _several(home: Path) -> None:
    work = home / "profiles" / "work"
    work.mkdir(parents=True)
    one_session(work / "state.db", "other words")


def _printed(command: Command, *words: str) -> str:
    (found,) = command("where", "--json", *words).json["sightings"]
    line = found["command"]
    assert isinstance(line, str)
    return line


def _typed(command: Command, line: str) -> str:
    _, *arguments = shlex.split(line)
    done = command(*arguments)
    assert done.code == ExitCode.DONE, (line, done.err)
    return done.out


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("id_", ODD)
def test_a_session_with_an_odd_id_is_read_with_what_is_printed(
    home: Path, command: Command, id_: str, several: bool
) -> None:
    if several:
        _several(home)
    said = f"the {ODD.index(id_)}. walnut"
    assert said in _typed(command, _printed(command, said))
    assert said in _typed(command, _printed(command, "--", id_))


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("id_", ODD)
def test_only_the_session_with_the_odd_id_is_restored(
    home: Path, command: Command, id_: str, several: bool
) -> None:
    if several:
        _several(home)
    with_profile = [f"default/{one}" if several else one for one in ODD]
    assert command("delete", "--yes", "--", *with_profile).code == ExitCode.DONE
    line = _printed(command, f"the {ODD.index(id_)}. walnut")
    _typed(command, line.replace(" restore ", " restore --yes "))
    assert {one for (one,) in rows(home / "state.db", "SELECT id FROM sessions")} == {
        id_,
        "plain_1",
    }


def test_an_id_that_cannot_be_typed_leads_to_no_command_that_restores_others_unsaid(
    home: Path, command: Command
) -> None:
    hostile = HOSTILE[0][1]
    with altered(home / "state.db") as db:
        for table, column in (("sessions", "id"), ("messages", "session_id")):
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = '*'", (hostile,))
    number = ODD.index("*")
    line = _printed(command, f"the {number}. walnut")
    assert f"the {number}. walnut" in _typed(command, line)
    everything = [one for (one,) in rows(home / "state.db", "SELECT id FROM sessions")]
    assert command("delete", "--yes", "--", *map(str, everything)).code == ExitCode.DONE
    assert _printed(command, f"the {number}. walnut") == ""
    said = command("where", f"the {number}. walnut").out
    assert "`session-explorer trash restore 1` restores every session of that change." in said


def test_a_file_whose_name_cannot_be_typed_is_named_all_the_same(
    home: Path, command: Command
) -> None:
    (home / "sessions").mkdir()
    named = home / "sessions" / "old\x1b[31mred.jsonl"
    named.write_text('{"role": "user", "content": "a medlar"}\n')
    said = command("where", "medlar").out
    assert f"Its name cannot be typed: {home}/sessions/oldred.jsonl" in said
    assert "\x1b" not in said

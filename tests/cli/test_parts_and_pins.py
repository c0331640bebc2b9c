"""What a command says about the session it is about: which part, which is the last, what is
pinned, and that a dry run changed nothing."""

from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.settings import notes_path
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import T0, talk

DRY = "Dry run: nothing was changed.\n"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "one", "first", title="Trip", end="compression")
        talk(state, "two", "second", title="Trip #2", parent="one", at=T0 + 100, end="compression")
        talk(state, "three", "third", title="Trip #3", parent="two", at=T0 + 200, end="cli_close")
        talk(state, "alone", "hello", title="Alone", at=T0 + 300, end="cli_close")
        talk(state, "job", "tick", source="cron", at=T0 + 400, end="done")
    return path


def test_a_part_says_which_part_it_is(path: Path, command: Command) -> None:
    for id_, at in (("one", 1), ("two", 2), ("Trip", 3)):
        said = command("show", id_, "--db", path)
        words = f"Part {at} of 3 of this conversation. --conversation prints all of them.\n"
        assert said.err == words
    assert command("show", "--conversation", "one", "--db", path).err == ""
    assert command("show", "alone", "--db", path).err == ""


def test_the_last_session_is_the_newest_of_the_list(path: Path, command: Command) -> None:
    said = command("resume", "--last", "--print", "--db", path)
    assert said.code == ExitCode.DONE
    assert said.out.rstrip().endswith("alone")
    assert said.err.startswith("Last active session: “Alone” (cli, ")


def test_without_any_listed_session_there_is_no_last_one(tmp_path: Path, command: Command) -> None:
    with StateFile.create(tmp_path / "state.db") as state:
        talk(state, "job", "tick", source="cron", end="done")
    said = command("resume", "--last", "--print", "--db", tmp_path)
    assert said.code == ExitCode.NO_SUCH_SESSION
    assert "No session to resume" in said.err


@pytest.mark.parametrize("noted", [True, False])
def test_a_search_knows_the_pins(
    noted: bool, path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of our notes, for files without a place for them, as well."""
    if noted:
        (path.parent / "other name").hardlink_to(path)
    assert command("search", "is:pinned", "--json", "--db", path).json["hits"] == []
    assert command("pin", "alone", "--yes", "--db", path).code == ExitCode.DONE
    found = command("search", "is:pinned", "--json", "--db", path).json
    assert [hit["session_id"] for hit in found["hits"]] == ["alone"]


def test_unreadable_notes_do_not_stop_a_search(path: Path, command: Command) -> None:
    notes = notes_path()
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_bytes(b"not a notes file " * 100)
    said = command("search", "hello", "--db", path)
    assert (said.code, "alone" in said.out) == (ExitCode.DONE, True)
    assert "unavailable" not in said.err
    said = command("search", "hello -is:pinned", "--db", path)
    assert (said.code, "alone" in said.out) == (ExitCode.DONE, True)
    assert "Pins and settings unavailable" in said.err
    said = command("list", "--json", "--db", path)
    assert (said.code, "Pins and settings unavailable" in said.err) == (ExitCode.DONE, True)
    assert said.json["shown"] == 2


def test_a_dry_run_says_that_nothing_was_changed(path: Path, command: Command) -> None:
    assert command("delete", "--yes", "alone", "--db", path).code == ExitCode.DONE
    assert command("trash", "--db", path).out == command("trash", "list", "--db", path).out != ""
    for line in (["undo"], ["trash", "restore", "1"], ["trash", "purge", "1"]):
        said = command(*line, "--dry-run", "--db", path)
        assert (said.code, said.err) == (ExitCode.DONE, DRY), line
        assert "alone" not in command("list", "--json", "--db", path).out
    assert command("undo", "--dry-run", "--json", "--db", path).err == ""

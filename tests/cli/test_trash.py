"""The trash from the command line: which session of a change is meant, and what is left of it."""

from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import T0, rows, talk
from tests.profile_homes import TwinProfiles

JOBS = ("job_1", "job_10", "job_11")


@pytest.fixture(autouse=True)
def _our_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number, id_ in enumerate(JOBS):
            at = T0 + 100 * number
            talk(state, id_, f"do {id_}", "Done.", at=at, title=f"Title of {id_}", end="cli_close")
    monkeypatch.setenv("SESSION_EXPLORER_DB", str(path))
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TwinProfiles:
    home = TwinProfiles(tmp_path)
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    return home


def _ids(path: Path) -> set[str]:
    return {str(id_) for (id_,) in rows(path, "SELECT id FROM sessions")}


def _delete(command: Command, *ids: str) -> str:
    """Delete these; the number of the change."""
    return str(command("delete", *ids, "--yes", "--json").json["receipt"])


def _left(command: Command, number: str) -> set[str]:
    return {one["id"] for one in command("trash", "show", number, "--json").json["sessions"]}


def test_a_purge_deletes_only_the_named_session(path: Path, command: Command) -> None:
    number = _delete(command, *JOBS)
    shown = command("trash", "purge", number, "job_10", "--dry-run")
    assert "Permanently delete “Title of job_10”?" in shown.out
    done = command("trash", "purge", number, "job_10", "--yes")
    assert "Permanently deleted: “Title of job_10”. The trash of this file now has" in done.err
    assert _left(command, number) == {"job_1", "job_11"}
    assert "Deleted 2 sessions" in command("trash", "list").out
    back = command("undo", "--yes")
    assert "Restored 2 sessions." in back.err
    assert _ids(path) == {"job_1", "job_11"}


def test_a_change_is_gone_with_the_last_of_its_sessions(path: Path, command: Command) -> None:
    number = _delete(command, "job_1", "job_10")
    done = command("trash", "purge", number, "job_10", "job_1", "--yes", "--json").json
    assert done["done"] == ["job_1", "job_10"]
    assert done["purged"] == [int(number)]
    assert command("trash", "list", "--json").json["receipts"] == []


def test_a_change_of_which_only_restored_sessions_are_left_is_undone(
    path: Path, command: Command
) -> None:
    command("archive", "job_11", "--yes")
    number = _delete(command, "job_1", "job_10")
    assert command("trash", "restore", number, "job_1", "--yes").code == 0
    assert command("trash", "purge", number, "job_10", "--yes").code == 0
    assert "(undone)" in command("trash", "list").out
    assert "Undone: archived “Title of job_11”" in command("undo", "--yes").err
    copy = command("trash", "purge", number, "job_1", "--yes")
    assert "Permanently deleted: the copy of 1 restored session." in copy.err
    assert "job_1" in _ids(path)


@pytest.mark.parametrize("arguments", [["nope"], ["job_1", "nope"], [""]])
def test_a_purge_of_an_unknown_session_deletes_nothing(
    path: Path, command: Command, arguments: list[str]
) -> None:
    number = _delete(command, *JOBS)
    done = command("trash", "purge", number, *arguments, "--yes")
    assert done.code == ExitCode.NO_SUCH_SESSION
    assert f"is not a session of change {number}." in done.err
    assert _left(command, number) == set(JOBS)


@pytest.mark.parametrize(
    "arguments",
    [
        ["purge", "1", "--all"],
        ["purge", "1", "job_1", "--all"],
        ["show", "1", "job_1"],
        ["list", "1"],
        ["restore", "1", "--all"],
    ],
)
def test_arguments_that_contradict_or_mean_nothing_are_refused(
    path: Path, command: Command, arguments: list[str]
) -> None:
    number = _delete(command, *JOBS)
    assert number == "1"
    done = command("trash", *arguments, "--yes")
    assert done.code == ExitCode.USAGE, done.err
    assert "`trash " in done.err
    assert _left(command, number) == set(JOBS)
    assert _ids(path) == set()


@pytest.mark.parametrize("what", ["restore", "purge"])
def test_a_whole_id_wins_over_the_beginning_of_others(
    path: Path, command: Command, what: str
) -> None:
    number = _delete(command, *JOBS)
    assert command("trash", what, number, "job_1", "--yes").code == 0
    assert _ids(path) == ({"job_1"} if what == "restore" else set())
    several = command("trash", what, number, "job", "--yes")
    assert several.code == ExitCode.NO_SUCH_SESSION
    assert "Use one of: job_" in several.err
    assert command("trash", what, number, "Title of job_11", "--yes").code == 0


def test_a_purge_takes_the_session_of_the_named_profile(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    number = _delete(command, "work/bee", "default/bee", "default/ant")
    unclear = command("trash", "purge", number, "bee", "--yes")
    assert unclear.code == ExitCode.NO_SUCH_SESSION
    assert "Use one of: default/bee, work/bee." in unclear.err
    assert command("trash", "purge", number, "work/bee", "--yes").code == 0
    shown = command("trash", "show", number)
    assert "Deleted 2 sessions in default" in shown.out
    assert "work/bee" not in shown.out
    assert command("undo", "--yes").code == 0
    assert home.changed(before) == {"work"}


def test_a_purge_of_the_only_session_of_a_part_leaves_the_other_part(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    number = _delete(command, "work/bee", "default/bee")
    assert command("trash", "purge", number, "default/bee", "--yes").code == 0
    assert command("trash", "restore", number, "work/be", "--yes").code == 0
    assert home.changed(before) == {"default"}

"""The trash from the command line: which session of a change is meant, and what is left of it."""

import json
import os
import pty
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.settings import notes_path, trash_path
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import ReceiptState
from tests.conftest import Command
from tests.edits.states import dump
from tests.factories import T0, altered, go_on, rows, talk
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


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Makes standard input a terminal, at which somebody types this."""
    leader, follower = pty.openpty()
    with open(follower) as terminal:

        def type_(line: str) -> None:
            monkeypatch.setattr(sys, "stdin", terminal)
            os.write(leader, f"{line}\n".encode())

        yield type_
    os.close(leader)


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


TOTALS = {"sessions", "messages", "bytes", "files"}


def test_a_purge_is_shown_as_one_json_document(path: Path, command: Command) -> None:
    number = _delete(command, *JOBS)
    assert command("trash", "restore", number, "job_11", "--yes").code == 0
    plan = command("trash", "purge", number, "--dry-run", "--json").json
    assert plan["action"] == "purge"
    assert plan["receipts"] == [int(number)]
    assert [(one["id"], one["state"]) for one in plan["sessions"]] == [
        ("job_1", "gone"),
        ("job_10", "gone"),
        ("job_11", "back"),
    ]
    assert plan["totals"].keys() == TOTALS
    assert (plan["totals"]["sessions"], plan["totals"]["messages"]) == (2, 4)
    one = command("trash", "purge", number, "job_10", "--dry-run", "--json").json
    assert [session["id"] for session in one["sessions"]] == ["job_10"]
    assert command("trash", "purge", "--all", "--dry-run", "--json").json["notes"]


def test_the_plan_of_an_undo_says_what_would_change(home: TwinProfiles, command: Command) -> None:
    files = {name: str(home.file(name)) for name in home.names}
    command("rename", "work/bee", "A wasp", "--yes")
    plan = command("undo", "--all-profiles", "--dry-run", "--json").json
    (one,) = plan["sessions"]
    assert (one["id"], one["title"], one["outcome"]) == ("bee", "A wasp", "change")
    assert one["changes"] == {"title": {"from": "A wasp", "to": "The bee"}}
    assert (one["store"], one["profile"]) == (files["work"], "work")
    assert plan["totals"] == {"sessions": 1, "messages": 0, "bytes": 0, "files": 0}
    command("archive", "work/ant", "default/ant", "--yes")
    plan = command("undo", "--dry-run", "--json").json
    assert [(one["store"], one["title"]) for one in plan["sessions"]] == [
        (path, "The ant") for path in files.values()
    ]
    assert [one["changes"]["archived"] for one in plan["sessions"]] == [{"from": 1, "to": 0}] * 2
    number = _delete(command, "work/cat", "default/cat")
    plan = command("trash", "restore", number, "--dry-run", "--json").json
    assert {one["store"] for one in plan["sessions"]} == set(files.values())
    assert {one["outcome"] for one in plan["sessions"]} == {"restore"}
    assert plan["totals"].keys() == TOTALS
    assert plan["totals"]["bytes"] > 0
    shown = command("trash", "show", number, "--json").json["sessions"]
    assert [one["store"] for one in shown] == list(files.values())


def test_a_plan_counts_the_files_that_come_back(path: Path, command: Command) -> None:
    folder = path.parent / "sessions"
    folder.mkdir()
    (folder / "job_1.jsonl").write_text("{}\n")
    number = _delete(command, "job_1", "job_10")
    for what in (["restore", number], ["purge", number]):
        plan = command("trash", *what, "--dry-run", "--json").json
        assert plan["totals"]["files"] == 1, what


def test_a_plan_has_the_kinds_of_a_list(path: Path, command: Command) -> None:
    with altered(path) as db:
        go_on(db, "job_1", "part", T0 + 900)
        go_on(db, "part", "tip", T0 + 990)
        parent = "UPDATE sessions SET parent_session_id = ? WHERE id = ?"
        db.execute(parent, ("tip", "job_10"))
        db.execute(parent, ("tip", "job_11"))
        marks = json.dumps({"_branched_from": "tip"})
        db.execute("UPDATE sessions SET model_config = ? WHERE id = 'job_11'", (marks,))
    listed = command("list", "--all", "--json").json["sessions"]
    plan = command("delete", "part", "tip", "--force", "--dry-run", "--json").json["sessions"]
    kinds = {one["id"]: one["kind"] for one in listed}
    assert {one["id"]: one["kind"] for one in plan} == {
        id_: kinds[id_] for id_ in ("part", "tip", "job_10", "job_11")
    }
    assert set(kinds.values()) == {"root", "branch", "subagent", "continuation"}
    said = {one["id"]: one["reason"] for one in plan if one["outcome"] == "detach"}
    assert set(said) == {"job_10", "job_11"}
    assert set(said.values()) == {"kept, no longer linked to the deleted session"}


@pytest.mark.parametrize(
    "arguments",
    [["undo", "99"], ["trash", "show", "99"], ["trash", "restore", "99", "x"]],
)
def test_a_change_that_does_not_exist_is_no_such_change(
    home: TwinProfiles, command: Command, arguments: list[str]
) -> None:
    _delete(command, "work/bee", "default/bee")
    for where in ([], ["--profile", "work"]):
        done = command(*arguments, *where)
        assert done.code == ExitCode.NO_SUCH_SESSION
        assert "There is no change 99 here." in done.err


@pytest.fixture
def removed(home: TwinProfiles, command: Command) -> TwinProfiles:
    """One change in two profiles and two more in one of them, which was removed."""
    assert command("delete", "default/ant", "work/ant", "--yes").code == 0
    assert command("delete", "work/bee", "work/cat", "--yes").code == 0
    assert command("rename", "work/only-work", "Alone", "--yes").code == 0
    shutil.rmtree(home.file("work").parent)
    return home


def test_the_changes_of_a_removed_profile_are_listed_and_purged(
    removed: TwinProfiles, command: Command
) -> None:
    listed = command("trash", "list").out.splitlines()
    gone = "  (work: its state file is gone)"
    assert [line.partition("now")[2].strip() for line in listed[-3:]] == [
        f"Renamed an untitled session to “Alone” in work{gone}",
        f"Deleted 2 sessions in work{gone}",
        f"Deleted 2 sessions in default and work{gone}",
    ]
    receipts = command("trash", "list", "--json").json["receipts"]
    assert [one["gone"] for one in receipts] == [["work"], ["work"], ["work"]]
    some = str(receipts[1]["receipt"])
    assert "work/bee" in command("trash", "show", some).out
    done = command("trash", "purge", some, "work/bee", "--yes")
    assert "Permanently deleted: “The bee” in work." in done.err
    assert _left(command, some) == {"cat"}
    assert command("trash", "purge", some, "--yes").code == 0
    assert [one["words"] for one in command("trash", "list", "--json").json["receipts"]] == [
        "Renamed an untitled session to “Alone”",
        "Deleted 2 sessions",
    ]


def test_purging_all_profiles_leaves_no_copy_of_a_removed_one(
    removed: TwinProfiles, command: Command
) -> None:
    only = command("trash", "purge", "--all", "--profile", "default", "--yes")
    assert "Permanently deleted: 1 session." in only.err
    assert command("where", "I am bee of work").code == ExitCode.DONE
    done = command("trash", "purge", "--all", "--all-profiles", "--yes")
    assert "Permanently deleted: 3 sessions and the undo of 1 other change in work." in done.err
    assert command("trash", "list", "--json").json == {"bytes": 0, "receipts": []}
    assert command("where", "I am bee of work").code == ExitCode.NO_SUCH_SESSION


def test_the_trash_of_a_file_that_is_gone_can_be_named(
    removed: TwinProfiles, command: Command
) -> None:
    work = ("--db", str(removed.root / "profiles" / "work" / "state.db"))
    assert "Deleted 2 sessions in work  (work: its state file is gone)" in (
        command("trash", "list", *work).out
    )
    number = str(command("trash", "list", *work, "--json").json["receipts"][1]["receipt"])
    assert "work/bee" in command("trash", "show", number, *work).out
    refused = command("trash", "restore", number, *work, "--yes")
    assert refused.code == ExitCode.REFUSED
    assert "work/state.db is gone. Put it back to undo the change." in refused.err
    assert command("trash", "purge", "--all", *work, "--yes").code == 0
    assert "Deleted “The ant”\n" in command("trash", "list").out
    assert command("trash", "list", *work).code == ExitCode.CANNOT_OPEN, "it has nothing any more"


def _lose(file: Path) -> None:
    """Remove a state file, and leave a transcript of its agent behind."""
    file.unlink()
    (file.parent / "sessions").mkdir()
    (file.parent / "sessions" / "abc.jsonl").write_text('{"role": "user", "content": "hi"}\n')


def test_the_trash_of_a_lost_file_can_be_named(home: TwinProfiles, command: Command) -> None:
    number = _delete(command, "work/bee")
    work = home.file("work")
    _lose(work)
    for named in (["--profile", "work"], ["--db", str(work)]):
        listed = command("trash", "list", *named).out
        assert "Deleted “The bee” in work  (work: its state file is gone)" in listed
        refused = command("trash", "restore", number, *named, "--yes")
        assert "work/state.db is gone. Put it back to undo the change." in refused.err
    assert command("trash", "purge", "--all", "--profile", "work", "--yes").code == 0
    assert command("trash", "list", "--json").json["receipts"] == []


@pytest.mark.parametrize("left", ["a transcript", "nothing"])
def test_the_trash_of_the_only_file_is_emptied_once_that_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command, left: str
) -> None:
    home = TwinProfiles(tmp_path, ("default",))
    monkeypatch.setenv("HOME", str(tmp_path))
    home.root.rename(tmp_path / ".hermes")
    file = tmp_path / ".hermes" / "state.db"
    _delete(command, "ant")
    _lose(file)
    if left == "nothing":
        shutil.rmtree(file.parent / "sessions")
    assert "Deleted “The ant” in default" in command("trash", "list").out
    done = command("trash", "purge", "--all", "--yes")
    assert "Permanently deleted: 1 session in default." in done.err
    assert command("trash", "list").code == ExitCode.CANNOT_OPEN, "it has nothing any more"


def test_emptying_the_trash_of_several_files_that_are_gone_is_a_wish(
    removed: TwinProfiles, command: Command
) -> None:
    shutil.rmtree(removed.root)
    refused = command("trash", "purge", "--all", "--yes")
    assert refused.code == ExitCode.USAGE
    assert " are gone. Add --all-profiles to empty the trash of all of them." in refused.err
    assert len(command("trash", "list", "--json").json["receipts"]) == 3


def test_what_is_restored_of_a_removed_profile_is_refused_with_the_reason(
    removed: TwinProfiles, command: Command
) -> None:
    both, some = (
        one["receipt"] for one in command("trash", "list", "--json").json["receipts"][:0:-1]
    )
    for asked in (
        ["undo", some],
        ["trash", "restore", some],
        ["trash", "restore", both, "work/ant"],
    ):
        refused = command(*map(str, asked), "--yes")
        assert refused.code == ExitCode.REFUSED
        assert "work/state.db is gone. Put it back to undo the change." in refused.err
    done = command("trash", "restore", str(both), "--yes")
    assert "Restored “The ant”." in done.err
    assert "Not restored: 1 session" in done.err


@pytest.mark.parametrize("left", ["both profiles", "one profile"])
def test_a_change_that_was_interrupted_before_it_began_is_not_in_the_way(
    home: TwinProfiles, command: Command, left: str
) -> None:
    _delete(command, "work/ant")
    with TrashFile(trash_path(), home.file("work")).writing() as trash:
        number = str(trash.begin_whole("delete", "Deleted 2 sessions", T0))
    if left == "one profile":
        shutil.rmtree(home.file("work").parent)
    for asked in (["trash", "restore", number], ["undo", number]):
        refused = command(*asked, "--yes")
        assert refused.code == ExitCode.NO_SUCH_SESSION
        assert f"There is no change {number} here." in refused.err
    done = command("trash", "purge", "--all", "--all-profiles", "--yes")
    assert "Permanently deleted: 1 session in work." in done.err
    assert command("trash", "list", "--json").json["receipts"] == []


def test_a_part_on_a_server_that_is_not_open_is_not_gone(
    home: TwinProfiles, command: Command
) -> None:
    number = _delete(command, "work/ant", "default/ant")
    server = TrashFile(trash_path(), Path("/postgresql:/host/db/public"))
    with server.part_of(int(number)), server.writing() as trash:
        trash.set_receipt(trash.begin("delete", "Deleted 1 session", T0), ReceiptState.DONE)
    done = command("undo", number, "--yes")
    assert "Restored 2 sessions in default and work." in done.err
    assert "is gone" not in done.err
    assert "This change was also made in postgresql://host/db, and is not undone" in done.err
    assert f"`session-explorer undo {number} --db postgresql://host/db` undoes it." in done.err


def test_other_homes_are_none_of_its_concern(
    removed: TwinProfiles, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = TwinProfiles(tmp_path / "other")
    monkeypatch.setenv("HERMES_HOME", str(other.root))
    assert command("trash", "list", "--json").json["receipts"] == []
    command("trash", "purge", "--all", "--all-profiles", "--yes")
    monkeypatch.setenv("HERMES_HOME", str(removed.root))
    assert len(command("trash", "list", "--json").json["receipts"]) == 3


def test_all_profiles_may_be_gone(removed: TwinProfiles, command: Command) -> None:
    shutil.rmtree(removed.root)
    assert len(command("trash", "list", "--json").json["receipts"]) == 3
    assert command("trash", "purge", "--all", "--all-profiles", "--yes").code == 0
    assert command("where", "I am bee of work").code != ExitCode.DONE


def test_what_a_renamed_profile_deleted_is_restored_into_its_file(
    home: TwinProfiles, command: Command, types: Callable[[str], None]
) -> None:
    before = home.dumps()["work"]
    assert command("delete", "default/ant", "work/ant", "--yes").code == 0
    number = _delete(command, "work/bee")
    Notes(notes_path(), home.file("work")).pin(["cat"], True)
    work, renamed = home.file("work"), home.root / "profiles" / "renamed" / "state.db"
    work.parent.rename(renamed.parent)
    refused = command("undo", number, "--yes")
    assert f"`session-explorer trash restore {number} --db PATH`" in refused.err
    named = ("trash", "restore", number, "--db", str(renamed))
    shown = command(*named, "--dry-run")
    assert f"{work} is gone. To restore into {renamed} as the same file" in shown.err
    assert "run this without --dry-run; it asks first." in shown.err
    assert shown.code == ExitCode.REFUSED
    types("n")
    assert command(*named).code == ExitCode.REFUSED, "somebody said no"
    assert "work: its state file is gone" in command("trash").out
    types("y")
    done = command(*named, "--yes")
    assert f"{work} is gone. Is {renamed} the same file under a new name?" in done.err
    moved = f"the history, trash, pins and titles of {work}"
    assert f"If it is, {moved} move to {renamed}. This cannot be undone." in done.err
    assert f"Moved to {renamed}: {moved}." in done.err
    assert "Restored “The bee”." in done.err
    assert "gone" not in command("trash").out
    assert Notes(notes_path(), renamed).pins() == {"cat"}
    assert command("undo", "--all-profiles", "--yes").code == 0
    assert dump(renamed) == before


@pytest.mark.parametrize("asked", [["undo"], ["trash", "restore"]])
def test_yes_does_not_say_which_file_is_the_same(
    home: TwinProfiles, command: Command, asked: list[str]
) -> None:
    number = _delete(command, "work/bee")
    work = home.file("work")
    shutil.rmtree(work.parent)
    before = home.file("default").read_bytes()
    refused = command(*asked, number, "--profile", "default", "--yes")
    assert refused.code == ExitCode.REFUSED
    default = home.file("default")
    assert f"{work} is gone. Is {default} the same file under a new name?" in refused.err
    assert "Run this in a terminal to answer: --yes does not." in refused.err
    assert "work: its state file is gone" in command("trash").out
    assert default.read_bytes() == before


def test_a_file_that_one_change_was_made_in_too_is_another_one(
    home: TwinProfiles, command: Command, types: Callable[[str], None]
) -> None:
    number = _delete(command, "work/bee")
    _delete(command, "work/ant", "default/ant")
    work, default = home.file("work"), home.file("default")
    shutil.rmtree(work.parent)
    types("y")
    refused = command("trash", "restore", number, "--profile", "default", "--yes")
    assert refused.code == ExitCode.REFUSED
    assert f"{work} is gone, and {default} is another file" in refused.err
    assert "Is " not in refused.err
    assert "work: its state file is gone" in command("trash").out


def test_a_file_is_not_taken_for_another_that_is_still_there(
    home: TwinProfiles, command: Command
) -> None:
    number = _delete(command, "work/bee")
    before = home.dumps()
    refused = command("trash", "restore", number, "--profile", "default", "--yes")
    assert refused.code == ExitCode.NO_SUCH_SESSION
    assert home.changed(before) == set()


def test_of_several_files_that_are_gone_it_is_asked_which_one_is_meant(
    home: TwinProfiles, command: Command, types: Callable[[str], None]
) -> None:
    number = _delete(command, "default/bee", "work/bee")
    renamed = home.root / "profiles" / "renamed" / "state.db"
    home.file("work").parent.rename(renamed.parent)
    home.file("default").unlink()
    named = ("--db", str(renamed), "--yes")
    refused = command("trash", "restore", number, *named)
    assert f"Change {number} was made in several files that are gone." in refused.err
    part = refused.err.partition(f" for {home.root}/profiles/work/state.db")[0].split()[-1]
    types("y")
    assert command("trash", "restore", part, *named).code == 0
    assert "bee" in _ids(renamed)

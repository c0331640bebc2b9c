"""Changes from the command line where several profiles hold the same ids and titles."""

import json
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from explorer.completion.candidates import completions
from explorer.errors import ExitCode
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import Done, EditPlan
from explorer.stores.library.edits import LibraryEdits
from tests.conftest import Command
from tests.factories import T0, altered, insert, rows
from tests.locker import Locker
from tests.profile_homes import TwinProfiles


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TwinProfiles:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = TwinProfiles(tmp_path)
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    return home


CHANGES: dict[str, list[str]] = {
    "rename": ["work/bee", "Another title"],
    "archive": ["work/bee"],
    "pin": ["work/bee"],
    "reopen": ["work/bee"],
    "clear": ["work/bee"],
    "delete": ["work/bee"],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_made_in_the_named_profile_and_undone_as_the_hint_says(
    home: TwinProfiles, command: Command, name: str
) -> None:
    before = home.dumps()
    done = command(name, *CHANGES[name], "--yes")
    assert done.code == 0, done.err
    assert home.changed(before) <= {"work"}
    assert " in work" in done.err
    hint = done.err.split("To undo: session-explorer ")[1].split()
    assert command(*hint, "--yes").code == 0
    assert home.changed(before) == set()


def test_an_id_that_several_profiles_have_is_ambiguous(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    for text in ("bee", "The bee"):
        done = command("delete", text, "--yes")
        assert done.code == ExitCode.NO_SUCH_SESSION
        assert "default/bee" in done.err
        assert "work/bee" in done.err
    assert command("resume", "bee", "--print").code == ExitCode.NO_SUCH_SESSION
    assert home.changed(before) == set()


def test_an_id_is_not_taken_for_that_of_another_profile_while_one_is_locked(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    with Locker(home.file("work")):
        for words in (
            ["delete", "bee", "--yes"],
            ["archive", "The bee", "--yes"],
            ["rename", "be", "Another title", "--yes"],
            ["resume", "bee", "--print"],
        ):
            done = command(*words)
            assert done.code == ExitCode.BUSY, words
            assert "may also be in work, which cannot be read now. Nothing was done." in done.err
            assert "Use default/bee, or try again." in done.err
        assert "-p default --resume=bee" in command("resume", "default/bee", "--print").out
        assert command("show", "bee").code == 0
    assert home.changed(before) == set()
    with Locker(home.file("work")):
        assert command("delete", "default/bee", "--yes").code == 0
    assert home.changed(before) == {"default"}


def test_the_name_of_a_profile_is_known_where_it_alone_is_open(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    alone = ("--profile", "work")
    assert command("show", "work/bee", *alone).code == 0
    assert "-p work --resume=bee" in command("resume", "work/The bee", "--print", *alone).out
    assert command("archive", "work/be", "--yes", *alone).code == 0
    assert command("pin", "work/The bee", "--yes", *alone).code == 0
    assert home.changed(before) == {"work"}
    assert "Closest: bee" in command("show", "work/beee", *alone).err
    assert command("delete", "default/bee", "--yes", *alone).code == ExitCode.NO_SUCH_SESSION


def test_each_session_that_may_be_meant_is_named_once(home: TwinProfiles, command: Command) -> None:
    for name in ("default", "work"):
        with altered(home.file(name)) as db:
            db.execute("UPDATE sessions SET title = 'bee' WHERE id = 'bee'")
    done = command("delete", "bee", "--dry-run")
    assert (done.err.count("default/bee"), done.err.count("work/bee")) == (1, 1)


def test_an_id_of_one_profile_needs_no_name(home: TwinProfiles, command: Command) -> None:
    before = home.dumps()
    assert command("delete", "only-work", "--yes").code == 0
    assert home.changed(before) == {"work"}
    assert command("archive", "work/The bee", "--yes").code == 0


def test_a_whole_title_beats_the_name_of_a_profile(home: TwinProfiles, command: Command) -> None:
    with altered(home.file("default")) as db:
        db.execute("UPDATE sessions SET title = 'work/bee' WHERE id = 'cat'")
    before = home.dumps()
    assert command("archive", "work/bee", "--yes").code == 0
    assert home.changed(before) == {"default"}


def test_a_purge_takes_only_a_number_that_is_listed(home: TwinProfiles, command: Command) -> None:
    """The parts of a change have numbers of their own, which no list shows."""
    assert command("delete", "work/bee", "default/bee", "--yes").code == 0
    (one,) = command("trash", "list", "--json").json["receipts"]
    for other in (one["receipt"] + 1, one["receipt"] + 2):
        assert command("trash", "purge", str(other), "--yes").code == ExitCode.NO_SUCH_SESSION
    assert command("undo", "--yes").code == 0


def test_one_delete_in_two_profiles_is_one_change(home: TwinProfiles, command: Command) -> None:
    before = home.dumps()
    plan = command("delete", "work/bee", "default/bee", "--dry-run", "--json").json
    assert [(one["id"], one["store"], one["profile"]) for one in plan["sessions"]] == [
        ("bee", str(home.file("default")), "default"),
        ("bee", str(home.file("work")), "work"),
    ]
    shown = command("delete", "work/bee", "default/bee", "--dry-run").out
    assert shown.startswith("Delete 2 sessions in default and work?")
    done = command("delete", "work/bee", "default/bee", "--yes", "--json").json
    assert done["done_in"] == [
        {"store": str(home.file("default")), "id": "bee"},
        {"store": str(home.file("work")), "id": "bee"},
    ]
    assert home.changed(before) == {"default", "work"}
    listed = command("trash", "list").out
    assert "Deleted 2 sessions in default and work" in listed
    (one,) = command("trash", "list", "--json").json["receipts"]
    assert (one["sessions"], one["profiles"]) == (2, ["default", "work"])
    undone = command("undo", "--yes")
    assert undone.code == 0
    assert "Restored 2 sessions in default and work." in undone.err
    assert home.changed(before) == set()


def test_the_plan_of_one_file_says_which_file_too(home: TwinProfiles, command: Command) -> None:
    path = home.file("work")
    plan = command("delete", "bee", "--dry-run", "--json", "--profile", "work").json
    assert [(one["store"], one["profile"]) for one in plan["sessions"]] == [(str(path), "work")]
    done = command("archive", "bee", "--yes", "--json", "--profile", "work").json
    assert done["done_in"] == [{"store": str(path), "id": "bee"}]


ONLY_DEFAULT = "Only the profile default. For others, add --profile NAME or --all-profiles."


def test_a_prune_stays_in_the_profile_that_hermes_uses(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    done = command("prune", "--older-than", "1d", "--yes")
    assert done.code == 0, done.err
    assert ONLY_DEFAULT in done.err
    assert home.changed(before) == {"default"}
    assert command("undo", "--yes").code == 0
    assert home.changed(before) == set()
    (home.root / "active_profile").write_text("work")
    assert "Only the profile work." in command("prune", "--older-than", "1d", "--yes").err
    assert home.changed(before) == {"work"}


def test_a_prune_reaches_further_when_it_is_told_to(home: TwinProfiles, command: Command) -> None:
    before = home.dumps()
    dry = command("prune", "--older-than", "1d", "--all-profiles", "--dry-run")
    assert "Only the profile" not in dry.err
    assert "Delete 8 sessions in default and work?" in dry.out
    assert "  default/bee " in dry.out
    assert "  work/bee " in dry.out
    named = command("prune", "--older-than", "1d", "--profile", "work", "--dry-run", "--json")
    assert {one["profile"] for one in named.json["sessions"]} == {"work"}
    assert command("prune", "--older-than", "1d", "--all-profiles", "--yes").code == 0
    assert home.changed(before) == {"default", "work"}
    assert command("undo", "--all-profiles", "--yes").code == 0
    assert home.changed(before) == set()


def test_a_folder_that_is_named_is_no_wish_for_all_its_profiles(
    home: TwinProfiles, command: Command
) -> None:
    """A scheduled prune of `--db FOLDER` was once about a single file."""
    command("archive", "default/ant", "--yes")
    before = home.dumps()
    for far in (("prune", "--older-than", "1d"), ("trash", "purge", "--all"), ("undo",)):
        assert ONLY_DEFAULT in command("--db", home.root, *far, "--dry-run").err
    done = command("--db", home.root, "prune", "--older-than", "1d", "--yes")
    assert ONLY_DEFAULT in done.err
    assert home.changed(before) == {"default"}
    assert command("undo", "--yes").code == 0
    wide = command("--db", home.root, "prune", "--older-than", "1d", "--all-profiles", "--dry-run")
    assert "sessions in default and work?" in wide.out
    files = [home.root / "state.db", home.root / "profiles" / "work" / "state.db"]
    both = command("--db", files[0], "--db", files[1], "prune", "--older-than", "1d", "--dry-run")
    assert "sessions in hermes and work?" in both.out
    assert ONLY_DEFAULT not in both.err


def test_one_profile_and_all_of_them_is_no_choice(home: TwinProfiles, command: Command) -> None:
    before = home.dumps()
    for far in (("prune", "--older-than", "1d"), ("trash", "purge", "--all"), ("undo",)):
        done = command(*far, "--profile", "work", "--all-profiles", "--yes")
        assert done.code == ExitCode.USAGE
        assert "Use either --profile or --all-profiles." in done.err
    assert home.changed(before) == set()


def test_a_prune_stays_in_one_profile_beside_a_link_to_it(
    home: TwinProfiles, command: Command
) -> None:
    (home.root / "profiles" / "aaa").symlink_to("work")
    (home.root / "active_profile").write_text("work")
    before = home.dumps()
    done = command("prune", "--older-than", "1d", "--yes")
    assert "Only the profile work." in done.err
    assert home.changed(before) == {"work"}


def test_a_pin_keeps_only_its_own_profile_from_a_prune(
    home: TwinProfiles, command: Command
) -> None:
    command("pin", "work/bee", "--yes")
    plan = command("prune", "--older-than", "1d", "--all-profiles", "--dry-run", "--json").json
    bees = [one["profile"] for one in plan["sessions"] if one["id"] == "bee"]
    assert bees == ["default"]


def test_undo_without_a_number_is_about_the_profile_that_hermes_uses(
    home: TwinProfiles, command: Command
) -> None:
    command("archive", "default/ant", "--yes")
    command("archive", "work/ant", "--yes")
    before = home.dumps()
    done = command("undo", "--yes")
    assert ONLY_DEFAULT in done.err
    assert home.changed(before) == {"default"}
    nothing = command("undo", "--yes")
    assert nothing.code == ExitCode.REFUSED
    assert "undo 2` undoes the newest change in work: Archived “The ant”." in nothing.err
    assert command("undo", "--all-profiles", "--yes").code == 0
    assert home.changed(before) == {"default", "work"}


def test_undo_of_a_change_in_two_profiles_does_not_claim_one(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    assert command("delete", "default/ant", "work/ant", "--yes").code == 0
    done = command("undo", "--yes")
    assert ONLY_DEFAULT not in done.err
    assert home.changed(before) == set()


def test_the_trash_is_listed_shown_and_restored_over_all_profiles(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    number = command("delete", "work/bee", "default/bee", "--yes", "--json").json["receipt"]
    shown = command("trash", "show", str(number)).out
    assert "  default/bee " in shown
    assert "  work/bee " in shown
    unclear = command("trash", "restore", str(number), "bee", "--yes")
    assert unclear.code == ExitCode.NO_SUCH_SESSION
    assert "default/bee, work/bee" in unclear.err
    assert command("trash", "restore", str(number), "work/bee", "--yes").code == 0
    assert home.changed(before) == {"default"}
    assert "1 of 2 restored" in command("trash", "list").out


def test_emptying_the_trash_stays_in_the_profile_that_hermes_uses(
    home: TwinProfiles, command: Command
) -> None:
    command("delete", "default/ant", "--yes")
    command("delete", "work/ant", "--yes")
    done = command("trash", "purge", "--all", "--yes")
    assert ONLY_DEFAULT in done.err
    (left,) = command("trash", "list", "--json").json["receipts"]
    assert left["profiles"] == ["work"]
    assert command("trash", "purge", "--all", "--all-profiles", "--yes").code == 0
    assert command("trash", "list", "--json").json["receipts"] == []


def test_resume_uses_the_home_of_the_session(home: TwinProfiles, command: Command) -> None:
    printed = command("resume", "work/bee", "--print").out
    assert f"HERMES_HOME={home.root}" in printed
    assert "-p work" in printed
    assert printed.rstrip().endswith("bee")
    with altered(home.file("work")) as db:
        insert(db, "messages", session_id="ant", role="user", content="x", timestamp=T0 + 99_999)
    last = command("resume", "--last", "--print")
    assert "-p work" in last.out
    assert "ant" in last.out


@pytest.fixture
def refusing(home: TwinProfiles) -> TwinProfiles:
    """The profile `work` lets nobody write: its file has two names."""
    path = home.file("work")
    path.with_name("second-name.db").hardlink_to(path)
    return home


@pytest.mark.parametrize("name", ["archive", "delete"])
def test_what_one_profile_refuses_is_said_with_its_name(
    refusing: TwinProfiles, command: Command, name: str
) -> None:
    home, before = refusing, refusing.dumps()
    shown = command(name, "work/ant", "default/ant", "--dry-run").out
    past = f"{name}d"
    assert f"work: Not {past}: 1 session" in shown
    done = command(name, "work/bee", "default/bee", "--yes")
    assert done.code == ExitCode.FAILED
    assert f"{past.capitalize()} “The bee” in default. Not {past}: “The bee” (work: " in done.err
    assert home.changed(before) == {"default"}
    refused = command(name, "work/bee", "--yes")
    assert refused.code == ExitCode.REFUSED
    assert home.changed(before) == {"default"}
    assert command("undo", "--yes").code == 0
    assert home.changed(before) == set()


def test_a_refusing_profile_is_named_in_json(refusing: TwinProfiles, command: Command) -> None:
    done = command("delete", "work/bee", "default/bee", "--yes", "--json")
    assert done.code == ExitCode.FAILED
    said = json.loads(done.out)
    assert said["refused"] == ["work"]
    assert said["done_in"] == [{"store": str(refusing.file("default")), "id": "bee"}]
    assert list(said["skipped"].values()) == [1]


def test_a_prune_that_one_profile_refuses_fails_in_part(
    refusing: TwinProfiles, command: Command
) -> None:
    before = refusing.dumps()
    done = command("prune", "--older-than", "1d", "--all-profiles", "--yes")
    assert done.code == ExitCode.FAILED
    assert "Deleted 4 sessions in default. Not deleted: 4 sessions (work: " in done.err
    assert refusing.changed(before) == {"default"}
    none = command("prune", "--older-than", "1d", "--profile", "work", "--yes")
    assert none.code == ExitCode.REFUSED


def test_a_prune_that_all_profiles_refuse_is_refused(
    refusing: TwinProfiles, command: Command
) -> None:
    path = refusing.file("default")
    path.with_name("second-name.db").hardlink_to(path)
    before = refusing.dumps()
    done = command("prune", "--older-than", "1d", "--all-profiles", "--yes")
    assert done.code == ExitCode.REFUSED
    assert "default: " in done.err
    assert "work: " in done.err
    assert refusing.changed(before) == set()


def test_of_several_in_one_file_some_are_refused(home: TwinProfiles, command: Command) -> None:
    with altered(home.file("work")) as db:
        db.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = 'cat'")
        insert(
            db, "messages", session_id="cat", role="user", content="now", timestamp=time.time() - 1
        )
    before = home.dumps()
    named = command("delete", "bee", "cat", "--yes", "--profile", "work")
    assert named.code == ExitCode.FAILED
    assert "Deleted “The bee”. Not deleted: 1 session is running." in named.err
    assert home.changed(before) == {"work"}
    alone = command("delete", "cat", "--yes", "--profile", "work")
    assert alone.code == ExitCode.REFUSED


def test_what_needs_no_change_is_no_failure(home: TwinProfiles, command: Command) -> None:
    assert command("archive", "work/bee", "--yes").code == 0
    assert command("archive", "work/bee", "default/bee", "--yes").code == 0
    assert command("archive", "work/bee", "default/bee", "--yes").code == 0


def test_undo_names_a_newer_change_whose_profile_was_removed(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = TwinProfiles(tmp_path, names=("default", "play", "work"))
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    assert command("archive", "default/ant", "--yes").code == 0
    assert command("delete", "work/bee", "--yes").code == 0
    shutil.rmtree(home.file("work").parent)
    newer = "A newer change cannot be undone: Deleted “The bee”. Its file "
    for arguments in (["--all-profiles"], [], ["--profile", "default"]):
        dry = command("undo", "--dry-run", *arguments)
        assert (dry.out + dry.err).count(newer) == 1, arguments
    done = command("undo", "--all-profiles", "--yes")
    assert done.code == 0
    assert f"{newer}{home.root}/profiles/work/state.db is gone." in done.err
    assert "Undone: archived “The ant” in default." in done.err
    for arguments in (["--all-profiles"], [], ["--profile", "default"]):
        nothing = command("undo", "--yes", *arguments)
        assert nothing.code == ExitCode.REFUSED
        assert newer in nothing.err, arguments


def test_undo_says_what_to_do_about_the_broken_file_itself(
    home: TwinProfiles, command: Command
) -> None:
    assert command("delete", "default/ant", "work/ant", "--yes").code == 0
    assert command("delete", "work/bee", "--yes").code == 0
    home.file("work").write_bytes(b"rubbish " * 33)
    broken = f"{home.root}/profiles/work/state.db is not a SQLite file (bad header)."
    remedy = f"{broken} Restore it from a backup, or move it away"
    undone = command("undo", "--yes")
    assert f"Not restored: 1 session in work ({remedy})" in undone.err
    assert remedy in command("undo", "--all-profiles", "--yes").err
    assert remedy in command("undo", "--profile", "work", "--yes").err


def test_undo_names_a_removed_profile_once(home: TwinProfiles, command: Command) -> None:
    assert command("archive", "default/ant", "--yes").code == 0
    for id_ in ("ant", "bee", "cat"):
        assert command("delete", f"work/{id_}", "--yes").code == 0
    shutil.rmtree(home.file("work").parent)
    done = command("undo", "--all-profiles", "--yes")
    newer = "3 newer changes cannot be undone, the last of them: Deleted “The cat”."
    assert f"{newer} Their file {home.root}/profiles/work/state.db is gone.\n" in done.err
    assert done.err.count("gone") == 1


def test_undo_names_the_last_change_where_its_file_cannot_be_read(
    home: TwinProfiles, command: Command
) -> None:
    command("archive", "default/ant", "--yes")
    command("delete", "work/bee", "--yes")
    kept = home.file("work").read_bytes()
    home.file("work").write_bytes(b"no database at all" * 100)
    before = home.file("default").read_bytes()
    done = command("undo", "--all-profiles", "--yes")
    assert done.code == ExitCode.REFUSED
    assert "The last change is: Deleted “The bee” in work." in done.err
    assert "undo 1` undoes the change before it: Archived “The ant”." in done.err
    assert home.file("default").read_bytes() == before
    named = command("undo", "2", "--yes")
    assert named.code == ExitCode.CANNOT_OPEN
    assert "Deleted “The bee”" in named.err
    assert command("undo", "1", "--yes").code == 0
    home.file("work").write_bytes(kept)
    assert command("undo", "--all-profiles", "--yes").code == 0
    assert rows(home.file("work"), "SELECT count(*) FROM sessions WHERE id = 'bee'") == [(1,)]


def test_a_locked_profile_does_not_stop_a_change_in_another(
    home: TwinProfiles, command: Command
) -> None:
    with Locker(home.file("work")):
        done = command("delete", "default/ant", "work/bee", "--yes")
        assert done.code == ExitCode.FAILED
        assert "Deleted “The ant”" in done.err
        assert "Not deleted: work: " in done.err
        assert rows(home.file("default"), "SELECT count(*) FROM sessions WHERE id='ant'") == [(0,)]
        told = command("archive", "default/bee", "work/bee", "--yes", "--json")
        assert (told.code, json.loads(told.out)["refused"]) == (ExitCode.FAILED, ["work"])
        none = command("delete", "work/bee", "--yes")
        assert none.code == ExitCode.BUSY
        assert "Nothing was changed." in none.err
    assert rows(home.file("work"), "SELECT count(*) FROM sessions WHERE id = 'bee'") == [(1,)]


def test_a_wrong_id_among_others_changes_nothing(home: TwinProfiles, command: Command) -> None:
    before = home.dumps()
    done = command("delete", "default/ant", "work/nothing", "--yes")
    assert done.code == ExitCode.NO_SUCH_SESSION
    assert "Nothing was changed.\n" in done.err
    assert home.changed(before) == set()


def test_undo_names_the_newer_change_that_it_passes_over(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = TwinProfiles(tmp_path, names=("default", "play", "work"))
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    assert command("pin", "default/bee", "work/bee", "--yes").code == 0
    archived = command("archive", "play/ant", "--yes", "--json").json["receipt"]
    done = command("undo", "--yes")
    assert "Undone: pinned 2 sessions in default and work." in done.err
    assert "Not undone: the newer change in play: Archived “The ant”." in done.err
    assert f"`session-explorer undo {archived}` undoes it." in done.err
    assert command("undo", str(archived), "--yes").code == 0


def test_undo_in_one_profile_names_the_other_half_of_the_change(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    whole = command("delete", "default/bee", "work/bee", "--yes", "--json").json["receipt"]
    done = command("undo", "--profile", "work", "--yes")
    assert home.changed(before) == {"default"}
    assert "This change was also made in default, and is not undone there." in done.err
    assert f"`session-explorer undo {whole}` undoes it." in done.err
    rest = command("undo", str(whole), "--yes")
    assert (rest.code, home.changed(before)) == (0, set())
    assert "also made in" not in rest.err


def test_profiles_are_asked_side_by_side(
    home: TwinProfiles, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, plan = threading.Barrier(2, timeout=30), Editor.plan

    def planned(*arguments: Any, **named: Any) -> EditPlan:
        both.wait()
        return plan(*arguments, **named)

    monkeypatch.setattr(Editor, "plan", planned)
    shown = command("delete", "default/ant", "work/ant", "--dry-run")
    assert "Delete 2 sessions in default and work?" in shown.out


def test_one_change_has_one_number_wherever_it_is_looked_at(
    home: TwinProfiles, command: Command
) -> None:
    before = home.dumps()
    number = command("delete", "default/bee", "work/bee", "--yes", "--json").json["receipt"]
    assert [one.value for one in completions(["undo"], "", time.time()).found] == [str(number)]
    restored = completions(["trash", "restore", str(number)], "", time.time()).found
    assert [one.value for one in restored] == ["default/bee", "work/bee"]
    (one,) = command("trash", "--json", "--profile", "work").json["receipts"]
    assert (one["receipt"], one["profiles"], one["words"]) == (
        number,
        ["work"],
        "Deleted “The bee”",
    )
    (one,) = command("trash", "show", str(number), "--json", "--profile", "work").json["sessions"]
    assert one["profile"] == "work"
    named = completions(["undo", "--profile", "work"], "", time.time()).found
    assert [one.value for one in named] == [str(number)]
    done = command("undo", str(number), "--profile", "work", "--yes")
    assert (done.code, home.changed(before)) == (0, {"default"})
    again = command("undo", str(number), "--profile", "work", "--yes")
    assert f"Change {number} was undone before." in again.err
    assert command("undo", str(number), "--yes").code == 0
    assert home.changed(before) == set()


@pytest.mark.parametrize("name", ["delete", "archive"])
def test_a_change_is_counted_without_the_profiles_that_are_gone(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = TwinProfiles(tmp_path, names=("default", "play", "work"))
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    ids = [f"{profile}/{id_}" for profile in home.names for id_ in ("ant", "bee")]
    assert command(name, *ids, "--yes").code == 0
    past = f"{name.capitalize()}d"
    assert f"{past} 6 sessions in 3 profiles" in command("trash").out
    assert command("trash", "purge", "--all", "--profile", "play", "--yes").code == 0
    assert f"{past} 4 sessions in default and work" in command("trash").out
    shutil.rmtree(home.file("work").parent)
    assert f"{past} 2 sessions\n" in command("trash", "--profile", "default").out
    left = f"{past} 4 sessions in default and work  (work: its state file is gone)"
    assert left in command("trash").out


def test_undo_over_several_profiles_names_them_before_and_after(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = TwinProfiles(tmp_path, names=("default", "play", "work"))
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    before = home.dumps()
    number = command("delete", "default/ant", "play/ant", "work/ant", "--yes", "--json").json
    dry = command("undo", "--dry-run")
    assert "Restore 3 sessions in default, play and work?" in dry.out
    assert (
        "One change in 3 profiles; it will be undone in all of them: default, play, work."
        in dry.err
    )
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 0.2)
    with Locker(home.file("play")):
        done = command("undo", "--yes")
    assert done.code == ExitCode.FAILED
    assert "Restored 2 of 3 sessions in default and work.\n" in done.err
    assert "Not restored: 1 session in play (the file is locked)\n" in done.err
    assert "Only the profile default" not in command("undo", "--dry-run").err
    kept = home.file("play").parent.rename(tmp_path / "away")
    gone = command("undo", str(number["receipt"]), "--yes")
    assert gone.code == ExitCode.REFUSED
    kept.rename(home.root / "profiles" / "play")
    assert command("undo", str(number["receipt"]), "--yes").code == 0
    assert home.changed(before) == set()


def test_undo_does_not_suggest_itself_for_a_profile_that_is_gone(
    home: TwinProfiles, command: Command
) -> None:
    assert command("delete", "default/bee", "work/bee", "--yes").code == 0
    shutil.rmtree(home.file("work").parent)
    done = command("undo", "--yes")
    lost = f"Not restored: 1 session ({home.root}/profiles/work/state.db is gone)"
    assert done.err.count(lost) == 1
    assert done.err.count("gone") == 1
    assert "`session-explorer undo" not in done.err


def test_what_is_skipped_at_the_last_moment_is_named_with_its_profile(
    home: TwinProfiles, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply = LibraryEdits.apply

    def beside_an_agent(edits: LibraryEdits, plan: EditPlan, *more: Any) -> Done:
        with altered(home.file("work")) as db:
            insert(db, "messages", session_id="bee", role="user", content="x", timestamp=T0)
        return apply(edits, plan, *more)

    monkeypatch.setattr(LibraryEdits, "apply", beside_an_agent)
    done = command("delete", "default/bee", "work/bee", "work/ant", "--yes")
    assert "Not deleted: “The bee” in work (its agent has written to it)." in done.err
    assert done.code == ExitCode.FAILED


def test_a_prune_speaks_alike_before_and_after(home: TwinProfiles, command: Command) -> None:
    with altered(home.file("default")) as db:
        db.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL WHERE id = 'bee'")
    rules = ("prune", "--older-than", "1d", "--profile", "default")
    assert "Kept: 1 conversation (never ended)." in command(*rules, "--dry-run").out
    done = command(*rules, "--yes").err
    assert "Kept: 1 conversation (never ended)." in done
    assert "Not deleted" not in done


def test_the_advice_about_the_space_names_the_profile(home: TwinProfiles, command: Command) -> None:
    shown = command("delete", "default/ant", "work/ant", "--dry-run").out
    assert "work: Hermes reuses the space; `hermes -p work sessions optimize` frees it." in shown
    assert "default: Hermes reuses the space; `hermes sessions optimize` frees it." in shown
    alone = command("delete", "ant", "--profile", "work", "--dry-run").out
    assert "`hermes -p work sessions optimize`" in alone


def test_a_purge_names_the_profiles(home: TwinProfiles, command: Command) -> None:
    change = command("delete", "default/ant", "work/ant", "work/bee", "--yes", "--json").json
    number = str(change["receipt"])
    asked = command("trash", "purge", number, "--dry-run").out
    assert "Permanently delete 3 sessions in default and work?" in asked
    assert "Permanently delete “The bee” in work?" in (
        command("trash", "purge", number, "work/bee", "--dry-run").out
    )
    done = command("trash", "purge", number, "--yes")
    told = "Permanently deleted: 3 sessions in default and work. The trash of these profiles now"
    assert told in done.err
    empty = command("trash", "purge", "--all", "--all-profiles", "--yes")
    assert "Permanently deleted: nothing. The trash of all profiles now has 0 B." in empty.err


def test_a_branch_that_is_kept_is_called_one(home: TwinProfiles, command: Command) -> None:
    with altered(home.file("work")) as db:
        db.execute("UPDATE sessions SET parent_session_id = 'ant' WHERE id = 'bee'")
    shown = command("delete", "work/ant", "--dry-run").out
    assert "Kept: session “The bee”, no longer linked to this session" in shown
    with altered(home.file("work")) as db:
        marks = json.dumps({"_branched_from": "ant"})
        db.execute("UPDATE sessions SET model_config = ? WHERE id = 'bee'", (marks,))
    shown = command("delete", "work/ant", "--dry-run").out
    assert "Kept: branch “The bee”, no longer linked to this session" in shown
    with altered(home.file("work")) as db:
        db.execute("UPDATE sessions SET model_config = NULL WHERE id = 'bee'")
        db.execute("UPDATE sessions SET end_reason = 'compression' WHERE id = 'ant'")
    assert "Kept: the next part “The bee”" in command("delete", "work/ant", "--dry-run").out


def test_long_names_of_profiles_keep_the_columns_of_a_list_in_line(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = TwinProfiles(tmp_path, names=("default", "the-profile-for-experiments"))
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    lines = command("list").out.splitlines()
    assert len({line.index(" The ") for line in lines if " The " in line}) == 1


def test_undo_of_what_is_left_names_only_those_profiles(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = TwinProfiles(tmp_path, names=("default", "play", "work"))
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    assert command("delete", "default/ant", "play/ant", "work/ant", "--yes").code == 0
    assert command("undo", "--profile", "play", "--yes").code == 0
    said = "One change in 2 profiles; it will be undone in all of them: default, work."
    assert said in command("undo", "--dry-run").err
    assert command("undo", "--profile", "work", "--yes").code == 0
    assert ONLY_DEFAULT in command("undo", "--yes").err


@pytest.mark.parametrize("older", ["1d", "9000d"])
def test_a_prune_fails_where_a_profile_is_locked_so_that_it_cannot_be_read(
    home: TwinProfiles, command: Command, older: str
) -> None:
    with Locker(home.file("work")):
        rules = ("prune", "--older-than", older, "--all-profiles", "--yes")
        done = command(*rules, "--json")
        again = command(*rules)
    assert done.code == again.code == ExitCode.FAILED
    assert json.loads(done.out)["refused"] == ["work"]
    assert again.err.count("work: ") == 1
    assert "bee" in {id_ for (id_,) in rows(home.file("work"), "SELECT id FROM sessions")}


def test_undo_names_only_the_profiles_in_which_a_change_is_left(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = TwinProfiles(tmp_path, names=("default", "play", "work"))
    monkeypatch.setenv("HERMES_HOME", str(home.root))
    command("delete", "default/ant", "play/ant", "work/ant", "--yes")
    command("undo", "--profile", "default", "--yes")
    nothing = command("undo", "--yes")
    assert nothing.code == ExitCode.REFUSED
    assert "undoes the newest change in play and work: " in nothing.err


def test_a_refusal_of_several_ids_ends_in_whole_sentences(
    home: TwinProfiles, command: Command
) -> None:
    unknown = command("delete", "work/cat", "only-wrk", "--yes")
    assert "Closest: only-work. Nothing was changed.\n" in unknown.err
    several = command("delete", "work/cat", "bee", "--yes")
    assert several.err.endswith("  work/bee  The bee\nNothing was changed.\n")


def test_an_undo_on_a_terminal_counts_no_messages_that_do_not_move(
    home: TwinProfiles, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    command("archive", "work/ant", "--yes")
    assert "messages" not in command("undo", "--all-profiles", "--yes").err

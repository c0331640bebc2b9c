"""The commands that change something: a contract of plans, answers, exit codes and JSON."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import ExitCode, Refused
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import Done, EditPlan, Progress
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.edits.states import dump, need_tokenizer
from tests.factories import T0, altered, go_on, one_session, rows, talk
from tests.real_files import unpack


@pytest.fixture(autouse=True)
def _our_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "first", "owls at night", "Owls hunt.", title="Owls", end="cli_close")
        talk(state, "second", "more owls", at=T0 + 100, title="Owls #2", end="cli_close")
        talk(state, "third", "cats", at=T0 + 200, end="cli_close")
        talk(state, "open", "left open", at=T0 + 300)
        talk(state, "job", "tick", source="cron", at=T0 + 400, end="cron_complete")
    return path


def _ids(path: Path) -> set[str]:
    return {str(id_) for (id_,) in rows(path, "SELECT id FROM sessions")}


def test_a_dry_run_shows_the_plan_and_changes_nothing(path: Path, command: Command) -> None:
    before = dump(path)
    done = command("delete", "first", "--dry-run", "--db", path)
    assert done.code == 0
    assert "Delete “Owls”?" in done.out
    assert "2 messages" in done.out
    plan = command("delete", "first", "--dry-run", "--json", "--db", path).json
    assert plan["action"] == "delete"
    assert plan["totals"]["sessions"] == 1
    assert plan["totals"]["messages"] == 2
    assert {"id", "title", "messages", "kind", "outcome", "reason"} <= set(plan["sessions"][0])
    assert plan["skipped"] == {}
    renamed = command("rename", "first", "Kites", "--dry-run", "--json", "--db", path).json
    assert renamed["totals"]["messages"] == 2
    assert dump(path) == before


def test_without_a_terminal_and_without_yes_it_refuses(path: Path, command: Command) -> None:
    before = dump(path)
    for arguments in (
        ["delete", "first"],
        ["rename", "first", "x"],
        ["prune", "--older-than", "1d"],
    ):
        done = command(*arguments, "--db", path)
        assert done.code == ExitCode.REFUSED
        assert "--yes" in done.err
    assert dump(path) == before


def test_delete_and_undo(path: Path, command: Command) -> None:
    before = dump(path)
    done = command("delete", "first", "third", "--yes", "--json", "--db", path).json
    assert sorted(done["done"]) == ["first", "third"]
    assert _ids(path) == {"second", "open", "job"}
    listed = command("trash", "list", "--json", "--db", path).json
    assert [one["receipt"] for one in listed["receipts"]] == [done["receipt"]]
    undone = command("undo", "--yes", "--json", "--db", path).json
    assert sorted(undone["done"]) == ["first", "third"]
    assert dump(path) == before
    again = command("undo", "--yes", "--db", path)
    assert again.code == ExitCode.REFUSED


def test_delete_takes_a_part_and_with_conversation_the_chain(path: Path, command: Command) -> None:
    with altered(path) as db:
        go_on(db, "third", "third two", T0 + 900)
        db.execute("UPDATE sessions SET ended_at = 1 WHERE id = 'third two'")
    command("delete", "third two", "--yes", "--db", path)
    assert "third" in _ids(path)
    command("undo", "--yes", "--db", path)
    command("delete", "third two", "--conversation", "--yes", "--db", path)
    assert _ids(path) == {"first", "second", "open", "job"}


def test_a_title_means_a_session_only_if_no_other_has_it(path: Path, command: Command) -> None:
    assert (
        command("delete", "Owls", "--dry-run", "--json", "--db", path).json["sessions"][0]["id"]
        == "first"
    ), "not the newest of the lineage, as for reading"
    with altered(path) as db:
        db.execute("DROP INDEX idx_sessions_title_unique")
        db.execute("UPDATE sessions SET title = 'Owls' WHERE id = 'third'")
    done = command("delete", "Owls", "--yes", "--db", path)
    assert done.code == ExitCode.NO_SUCH_SESSION
    assert "first" in done.err
    assert "third" in done.err
    assert command("delete", "nobody", "--yes", "--db", path).code == ExitCode.NO_SUCH_SESSION


def test_rename_and_its_conflict(path: Path, command: Command) -> None:
    done = command("rename", "third", "Owls", "--yes", "--db", path)
    assert done.code == ExitCode.REFUSED
    assert "Not renamed. “Owls” is already the title of another session: cli, last" in done.err
    assert "Free: “Owls #3”." in done.err
    assert command("rename", "third", " A  title ", "--yes", "--db", path).code == 0
    assert rows(path, "SELECT title FROM sessions WHERE id = 'third'") == [("A title",)]
    command("rename", "third", "", "--yes", "--db", path)
    assert rows(path, "SELECT title FROM sessions WHERE id = 'third'") == [(None,)]


def test_rename_says_that_a_title_is_kept_outside_the_file(
    tmp_path: Path, command: Command
) -> None:
    loop = unpack("power-loop-0.2.0", tmp_path)
    with altered(loop) as db:
        db.execute("UPDATE sessions SET metadata_json = '{}'")
    first = command("list", "--json", "--db", loop).json["sessions"][0]["id"]
    done = command("rename", first, "Parcels", "--yes", "--db", loop)
    assert "only Session Explorer on this machine shows this one" in done.err
    told = command("rename", first, "Letters", "--yes", "--json", "--db", loop).json
    assert "only Session Explorer" in " ".join(told["notes"])


def test_archive_end_reopen_and_clear(path: Path, command: Command) -> None:
    before = dump(path)
    steps = (
        ("archive", "first", "SELECT archived FROM sessions WHERE id = 'first'", 1),
        ("end", "open", "SELECT end_reason FROM sessions WHERE id = 'open'", "explorer_close"),
        ("reopen", "third", "SELECT ended_at FROM sessions WHERE id = 'third'", None),
        ("clear", "first", "SELECT message_count FROM sessions WHERE id = 'first'", 0),
    )
    for name, id_, sql, value in steps:
        assert command(name, id_, "--yes", "--db", path).code == 0
        assert rows(path, sql) == [(value,)]
    assert command("archive", "first", "--yes", "--db", path).code == 0, "nothing to do is no fault"
    assert command("unarchive", "first", "--yes", "--db", path).code == 0
    for _ in range(5):
        assert command("undo", "--yes", "--db", path).code == 0
    assert dump(path) == before


def test_a_running_session_is_refused_unless_forced(
    path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: T0 + 310.0)
    done = command("delete", "open", "--yes", "--db", path)
    assert done.code == ExitCode.REFUSED
    assert "is running. Stop the agent, or use `delete --force`." in done.err
    assert command("delete", "open", "--yes", "--force", "--db", path).code == 0
    assert "open" not in _ids(path)


def test_the_trash_is_shown_restored_in_part_and_purged(path: Path, command: Command) -> None:
    receipt = command("delete", "first", "third", "--yes", "--json", "--db", path).json["receipt"]
    shown = command("trash", "show", str(receipt), "--json", "--db", path).json
    assert {one["id"] for one in shown["sessions"]} == {"first", "third"}
    restored = command("trash", "restore", str(receipt), "first", "--yes", "--db", path)
    assert "Restored “Owls”." in restored.err
    assert "(1 of 2 restored)" in command("trash", "list", "--db", path).out
    assert "first" in _ids(path)
    assert "third" not in _ids(path)
    assert command("trash", "purge", "--all", "--db", path).code == ExitCode.REFUSED
    assert command("trash", "purge", "--all", "--yes", "--db", path).code == 0
    assert command("trash", "list", "--json", "--db", path).json["receipts"] == []
    assert command("undo", "--yes", "--db", path).code == ExitCode.REFUSED
    assert command("trash", "show", "99", "--db", path).code == ExitCode.NO_SUCH_SESSION
    assert "No change given. Add its number" in command("trash", "show", "--db", path).err


def test_emptying_the_trash_says_what_can_no_longer_be_undone(path: Path, command: Command) -> None:
    empty = command("trash", "purge", "--all", "--yes", "--db", path)
    assert "Permanently deleted: nothing." in empty.err
    assert command("delete", "third", "--yes", "--db", path).code == 0
    assert command("rename", "first", "Mice", "--yes", "--db", path).code == 0
    what = "1 session and the undo of 1 other change"
    shown = command("trash", "purge", "--all", "--dry-run", "--db", path)
    assert f"Permanently delete {what}?" in shown.out
    assert "Can no longer be undone: Renamed “Owls” to “Mice”." in shown.out
    done = command("trash", "purge", "--all", "--yes", "--db", path)
    assert f"Permanently deleted: {what}. The trash of this file now has 0 B." in done.err


def test_nothing_to_do_is_said_in_a_sentence(path: Path, command: Command) -> None:
    done = command("rename", "first", "Owls", "--yes", "--db", path)
    assert (done.code, done.err) == (0, "Nothing to do: “Owls” already has this title.\n")


def test_prune_says_what_goes_and_what_stays(path: Path, command: Command) -> None:
    plan = command("prune", "--older-than", "1d", "--dry-run", "--json", "--db", path).json
    assert {one["id"] for one in plan["sessions"]} == {"first", "second", "third", "job"}
    assert plan["skipped"] == {"open, never ended": 1}
    done = command("prune", "--source", "cron", "--yes", "--json", "--db", path).json
    assert done["done"] == ["job"]
    assert command("prune", "--empty", "--yes", "--db", path).code == 0
    none = command("prune", "--empty", "--yes", "--json", "--db", path).json
    assert none["done"] == []
    assert command("prune", "--yes", "--db", path).code == ExitCode.USAGE
    assert command("prune", "--older-than", "soon", "--yes", "--db", path).code == ExitCode.USAGE
    assert command("prune", "--older-than", "1d", "--archive", "--yes", "--db", path).code == 0
    assert rows(path, "SELECT count(*) FROM sessions WHERE archived") == [(3,)]


def test_an_edit_is_taken_back_in_the_file_it_was_made_in(
    path: Path, tmp_path: Path, command: Command
) -> None:
    other = tmp_path / "other.db"
    with StateFile.create(other) as state:
        talk(state, "first", "hello", end="cli_close")
    command("delete", "first", "--yes", "--db", path)
    assert command("undo", "--yes", "--db", other).code == ExitCode.REFUSED
    assert command("undo", "--yes", "--db", path).code == 0


def test_info_says_what_can_be_edited(path: Path, command: Command) -> None:
    edits = command("info", "--json", "--db", path).json["edits"]
    assert set(edits.values()) == {None}
    path.chmod(0o444)
    with altered(path) as db:
        db.execute("CREATE TRIGGER odd AFTER UPDATE ON sessions BEGIN SELECT 1; END")
    edits = command("info", "--json", "--db", path).json["edits"]
    assert None not in edits.values()


def test_a_delete_that_only_the_agent_can_do_names_its_command(
    path: Path, command: Command, tmp_path: Path
) -> None:
    home = tmp_path / "a home"
    home.mkdir()
    moved = path.rename(home / "state.db")
    need_tokenizer(moved)
    before = dump(moved)
    done = command("delete", "first", "third", "--yes", "--db", moved)
    assert done.code == ExitCode.REFUSED
    for id_ in ("first", "third"):
        assert f"HERMES_HOME='{home}' hermes -p default sessions delete {id_} --yes" in done.err
    assert dump(moved) == before


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (None, "Deleted “Owls”."),
        (Refused("Not now", "Later."), "session-explorer: Not now. Later."),
        (KeyboardInterrupt(), ""),
    ],
)
def test_the_line_of_progress_ends_before_anything_else_is_said(
    path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException | None,
    told: str,
) -> None:
    plain = Editor.apply

    def apply(
        self: Editor,
        plan: EditPlan,
        token: CancelToken,
        progress: Callable[[Progress], None],
        force: bool,
    ) -> Done:
        done = plain(self, plan, token, force=force)
        progress(Progress(0, 10, 0, 2_000))
        progress(Progress(0, 10, 7, 9))
        if error is not None:
            raise error
        return done

    monkeypatch.setattr(Editor, "apply", apply)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    line, after = command("delete", "first", "--yes", "--db", path).err.split("\n", 1)
    assert line == "\r0 of 2,000 messages\r7 of 9 messages    "
    assert after.startswith(told)


def test_an_undo_that_cannot_be_is_refused_before_anybody_is_asked(
    path: Path, command: Command
) -> None:
    command("rename", "first", "Kites", "--yes", "--db", path)
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'Owls' WHERE id = 'third'")
    for how in (["--dry-run"], ["--dry-run", "--json"], [], ["--yes"]):
        done = command("undo", *how, "--db", path)
        assert (done.code, done.out) == (ExitCode.REFUSED, "")
        assert "“Kites” keeps its title: “Owls” is now the title of another session (" in done.err


def test_an_undo_that_cannot_be_names_the_edit_before_it(path: Path, command: Command) -> None:
    command("archive", "third", "--yes", "--db", path)
    command("rename", "first", "Birds", "--yes", "--db", path)
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = 'Owls' WHERE id = 'open'")
    refused = command("undo", "--yes", "--db", path)
    assert refused.code == ExitCode.REFUSED
    assert "`session-explorer undo 1` undoes the change before it: Archived" in refused.err
    assert command("undo", "1", "--yes", "--db", path).code == ExitCode.DONE
    assert rows(path, "SELECT archived FROM sessions WHERE id = 'third'") == [(0,)]


def test_the_way_back_names_the_file(tmp_path: Path, command: Command) -> None:
    path = one_session(tmp_path / "a b.db", title="Trip")
    said = command("archive", "Trip", "--yes", "--force", "--db", path)
    assert f"To undo: session-explorer undo 1 --db '{path}'" in said.err

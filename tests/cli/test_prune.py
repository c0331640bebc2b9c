"""`prune` for scripts: the rules, the words, the JSON and the exit codes of the contract."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.search.prune_rules import DAY, ELSEWHERE, OPEN
from explorer.stores.edits import batches
from explorer.stores.edits.plans import Progress
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.edits.states import dump
from tests.factories import altered, rows, talk
from tests.real_files import unpack


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    now = time.time()
    old = now - 30 * DAY
    with StateFile.create(file) as state:
        for name in ("cron", "tool", "telegram"):
            talk(state, name, "hello", source=name, at=old, end="done")
        talk(state, "void", at=old, end="done")
        talk(state, "open", "hello", at=old)
        talk(state, "fresh", "hello", at=now - DAY, end="done")
    return file


def _left(path: Path) -> set[str]:
    return {str(id_) for (id_,) in rows(path, "SELECT id FROM sessions")}


def test_several_classes_and_sources(path: Path, command: Command) -> None:
    sources = ("--source", "telegram", "--source", "cron")
    plan = command("prune", *sources, "--dry-run", "--json", "--db", path).json
    assert {one["id"] for one in plan["sessions"]} == {"telegram", "cron"}
    done = command(
        *("prune", "--class", "cron", "--class", "tool", "--class", "empty"),
        *("--yes", "--json", "--db", path),
    ).json
    assert set(done["done"]) == {"cron", "tool", "void"}
    assert _left(path) == {"telegram", "open", "fresh"}
    assert command("prune", "--class", "nonsense", "--db", path).code == ExitCode.USAGE


def test_a_dry_run_changes_nothing_and_says_why_something_stays(
    path: Path, command: Command
) -> None:
    before = dump(path)
    found = command("prune", "--older-than", "7d", "--dry-run", "--json", "--db", path)
    assert found.code == 0
    assert found.json["action"] == "prune"
    assert found.json["totals"]["sessions"] == 4
    assert found.json["skipped"] == {OPEN: 1}
    words = command("prune", "--older-than", "7d", "--dry-run", "--db", path)
    assert "Delete 4 sessions?" in words.out
    assert "Kept: 1 conversation (never ended)." in words.out
    assert "Add --include-open to include sessions that never ended." in words.out
    assert dump(path) == before


def test_nothing_to_prune_is_said_and_is_no_failure(path: Path, command: Command) -> None:
    found = command("prune", "--older-than", "1y", "--yes", "--db", path)
    assert found.code == 0
    assert "Nothing to prune" in found.err
    shape = command("prune", "--older-than", "1y", "--yes", "--json", "--db", path).json
    assert shape["receipt"] is None
    assert shape["done"] == []


def test_archiving_instead_and_back(path: Path, command: Command) -> None:
    before = dump(path)
    arguments = ("prune", "--older-than", "7d", "--archive", "--yes", "--json", "--db", path)
    done = command(*arguments).json
    assert done["action"] == "archive"
    assert len(done["done"]) == 4
    assert rows(path, "SELECT count(*) FROM sessions WHERE archived") == [(4,)]
    assert command(*arguments).json["done"] == [], "what is archived stays"
    assert command("undo", "--yes", "--db", path).code == 0
    assert dump(path) == before


def test_without_a_yes_nothing_happens(path: Path, command: Command) -> None:
    assert command("prune", "--older-than", "7d", "--db", path).code == ExitCode.REFUSED
    assert len(_left(path)) == 6


def test_one_set_of_tables_after_the_other(tmp_path: Path, command: Command) -> None:
    path = unpack("power-loop-8.0.0", tmp_path)
    with altered(path) as db:
        for table in ("sessions", "messages"):
            db.execute(f"CREATE TABLE old_{table} AS SELECT * FROM pl_{table}")
        db.execute("DELETE FROM old_sessions WHERE rowid > 5")
    arguments = ("prune", "--older-than", "1d", "--dry-run", "--json", "--db", path)
    plan = command(*arguments).json
    assert plan["totals"]["sessions"] + plan["skipped"][ELSEWHERE] > 30
    assert plan["skipped"][ELSEWHERE] > 0


def _at_two(
    monkeypatch: pytest.MonkeyPatch, then: Callable[[], None]
) -> contextlib.AbstractContextManager[None]:
    """Have something happen to a prune when two sessions are gone."""

    def tell(progress: Progress) -> None:
        if progress.sessions == 2:
            then()

    @contextlib.contextmanager
    def patched() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(batches.run_batches, "__defaults__", (-1.0, 0.0))
            shown = contextlib.nullcontext(tell)
            patch.setattr("explorer.commands.editing.shown_progress", lambda: shown)
            yield

    return patched()


def test_control_c_stops_it_and_says_how_far_it_got(
    path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(path)
    with _at_two(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT)):
        done = command("prune", "--older-than", "7d", "--yes", "--db", path)
    assert done.code == ExitCode.INTERRUPTED
    assert "Deleted 2 of 4 sessions. Stopped. Nothing else was changed." in done.err
    assert len(_left(path)) == 4
    assert command("undo", "--yes", "--db", path).code == ExitCode.DONE
    assert dump(path) == before


def test_what_a_kill_cut_short_is_told_and_undone_without_its_number(
    path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """Nothing of the prune's own runs after it."""

    def die() -> None:
        raise Killed

    before = dump(path)
    with _at_two(monkeypatch, die), pytest.raises(Killed):
        command("prune", "--older-than", "7d", "--yes", "--db", path)
    undone = command("undo", "--yes", "--db", path)
    assert undone.code == ExitCode.DONE
    assert "A change was interrupted: Deleted 2 of 4 sessions. It can be undone." in undone.err
    assert dump(path) == before


def test_what_was_not_understood_of_the_query_is_said(path: Path, command: Command) -> None:
    note = "“is:bogus” is unknown (use archived, open, running, empty"
    found = command("prune", "is:bogus", "--yes", "--db", path)
    assert note in found.err
    assert "Nothing to prune: no session matches." in found.err
    (noted,) = command("prune", "is:bogus", "--yes", "--json", "--db", path).json["notes"]
    assert noted.startswith(note)
    joined = ("prune", "hello OR source:tool", "--db", path)
    note = "OR only joins words, or values of one field: read as AND"
    assert note in command(*joined, "--dry-run").err
    assert note in command(*joined, "--dry-run", "--json").json["notes"]
    assert note in command(*joined).err, "before it is asked"
    done = command(*joined, "--yes", "--json").json
    assert note in done["notes"]
    assert done["done"] == ["tool"]


def test_a_query_that_would_be_cut_is_refused(path: Path, command: Command) -> None:
    found = command("prune", f"source:tool NOT {'x' * 200}", "--yes", "--db", path)
    assert found.code == ExitCode.USAGE
    assert "200 characters" in found.err
    assert len(_left(path)) == 6


def test_a_field_that_was_to_keep_something_and_is_misspelt_is_refused(
    path: Path, command: Command
) -> None:
    before = dump(path)
    refused = command("prune", "NOT is:pined", "--yes", "--db", path)
    assert refused.code == ExitCode.USAGE
    assert "Not understood: NOT is:pined" in refused.err
    assert "Nothing was changed." in refused.err
    assert dump(path) == before
    quoted = command("prune", 'NOT "is:pined" source:tool', "--yes", "--json", "--db", path)
    assert quoted.json["done"] == ["tool"]

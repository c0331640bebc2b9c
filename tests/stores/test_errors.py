"""Every way in which a file cannot be read, made for real: said in words, with what to do."""

import functools
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import ExitCode, Problem, StoreError
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.postgres import failures as server_failures
from explorer.stores.sqlite import failures
from tests.conftest import Command
from tests.factories import altered, one_session, say
from tests.locker import Locker
from tests.real_files import unpack
from tests.unprivileged import open_folder, run_as_nobody

SHORT = 0.05


def _missing(folder: Path) -> Path:
    return folder / "none.db"


def _below_a_file(folder: Path) -> Path:
    (folder / "file").write_text("x")
    return folder / "file" / "state.db"


def _directory(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.db")
    return folder / "pipe.db"


def _text(folder: Path) -> Path:
    path = folder / "notes.txt"
    path.write_text("Dear diary,\n" * 7)
    return path


def _short(folder: Path) -> Path:
    path = folder / "short.db"
    path.write_bytes(b"SQLite format 3\0")
    return path


def _empty(folder: Path) -> Path:
    path = folder / "state.db"
    path.touch()
    return path


def _encrypted(folder: Path) -> Path:
    path = folder / "state.db"
    path.write_bytes(random.Random(1).randbytes(4096 * 20))
    return path


def _cut_in_half(folder: Path) -> Path:
    path = unpack("hermes-v22", folder)
    os.truncate(path, path.stat().st_size // 2)
    return path


def _zeroed(folder: Path) -> Path:
    path = unpack("hermes-v22", folder)
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = bytes(len(content) - 4096 * 2)
    path.write_bytes(content)
    return path


def _no_tables(folder: Path) -> Path:
    path = folder / "bookmarks.db"
    with altered(path) as db:
        db.execute("CREATE TABLE bookmarks (url)")
        db.execute("CREATE TABLE sessions (whatever)")
    return path


def _half_written(folder: Path) -> Path:
    """The copy of a file and its journal, taken in the middle of a transaction."""
    busy = one_session(folder / "busy.db")
    path = folder / "state.db"
    with altered(busy) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA cache_size = 5")
        db.execute("BEGIN")
        for _ in range(50):
            say(db, "s", content="x" * 5000)
        for end in ("", "-journal"):
            shutil.copy(f"{busy}{end}", f"{path}{end}")
        db.execute("ROLLBACK")
    assert Path(f"{path}-journal").stat().st_size > 0
    return path


def _link_to_itself(folder: Path) -> Path:
    path = folder / "loop.db"
    path.symlink_to(path)
    return path


def _link_to_nothing(folder: Path) -> Path:
    path = folder / "link.db"
    path.symlink_to(folder / "gone" / "state.db")
    return path


CASES: dict[Callable[[Path], Path], Problem] = {
    _missing: Problem.MISSING,
    _below_a_file: Problem.MISSING,
    _directory: Problem.NO_STATE_FILE,
    _pipe: Problem.NOT_A_FILE,
    _text: Problem.NOT_A_DATABASE,
    _short: Problem.NOT_A_DATABASE,
    _empty: Problem.EMPTY,
    _encrypted: Problem.ENCRYPTED,
    _cut_in_half: Problem.TRUNCATED,
    _zeroed: Problem.CORRUPT,
    _no_tables: Problem.NOT_A_STORE,
    _half_written: Problem.UNRECOVERED,
    _link_to_itself: Problem.UNREADABLE,
    _link_to_nothing: Problem.BROKEN_LINK,
}
BY_RIGHTS = {Problem.NO_PERMISSION, Problem.READ_ONLY_FOLDER, Problem.BUSY}
"""Made below, by users without rights and by a second process."""


def _open_and_list(path: Path) -> None:
    open_store(path, patience=SHORT).catalog()


def test_every_problem_is_made_here() -> None:
    assert set(CASES.values()) | BY_RIGHTS | {Problem.LOST} == set(failures.ADVICE)
    assert {*failures.ADVICE, *server_failures.ADVICE, Problem.NO_DRIVER} == set(Problem)


@pytest.fixture(params=CASES, ids=lambda make: make.__name__.strip("_"))
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Problem]:
    return request.param(tmp_path), CASES[request.param]


def test_the_problem_is_named_and_explained(broken: tuple[Path, Problem]) -> None:
    path, problem = broken
    with pytest.raises(StoreError) as raised:
        _open_and_list(path)
    error = raised.value
    assert error.problem is problem
    assert error.exit_code is ExitCode.CANNOT_OPEN
    assert str(path) in error.message
    assert 0 < len(error.title) < 40
    assert error.message.endswith(".")


def test_the_command_says_it_beside_an_empty_output(
    broken: tuple[Path, Problem], command: Command
) -> None:
    path, _ = broken
    for arguments in (["list"], ["show", "x"], ["search", "x"], ["info"]):
        said = command(*arguments, "--json", "--db", path)
        assert (said.code, said.out) == (ExitCode.CANNOT_OPEN, "")
        assert str(path) in said.err


def test_nothing_is_made_beside_a_file_that_cannot_be_read(broken: tuple[Path, Problem]) -> None:
    path, _ = broken
    before = {each.name for each in path.parent.iterdir()} if path.parent.is_dir() else set()
    with pytest.raises(StoreError):
        _open_and_list(path)
    if path.parent.is_dir():
        after = {each.name for each in path.parent.iterdir()}
        assert after - before <= {f"{path.name}-wal", f"{path.name}-shm"}


def test_every_problem_has_a_title_and_advice() -> None:
    for problem in failures.ADVICE:
        error = failures.store_error(problem, Path("/some/where"), "detail")
        assert error.title
        assert "/some/where" in error.message
        assert "{" not in error.message


def test_where_a_link_leads_is_told_in_one_clean_line(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.symlink_to("/gone\n\x1b[31mred\udcff")
    with pytest.raises(StoreError) as raised:
        _open_and_list(path)
    assert " leads to /gone red\ufffd, which is not there." in raised.value.message


def test_braces_in_a_path_are_only_braces(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"\{x\}"):
        _open_and_list(tmp_path / "{x}.db")


def test_the_home_is_written_as_people_write_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(StoreError, match=r" ~/none\.db"):
        _open_and_list(tmp_path / "none.db")
    assert failures.short_path(Path(f"{tmp_path}-not")) == f"{tmp_path}-not"


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_file_that_stays_locked_is_busy(
    tmp_path: Path, mode: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = one_session(tmp_path / "state.db")
    with altered(path) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")
    monkeypatch.setattr(
        "explorer.stores.open_found.open_store", functools.partial(open_store, patience=SHORT)
    )
    with Locker(path):
        with pytest.raises(StoreError) as raised:
            open_store(path, patience=SHORT)
        said = command("list", "--json", "--db", path)
    assert raised.value.problem is Problem.BUSY
    assert raised.value.exit_code is ExitCode.BUSY
    assert (said.code, said.out) == (ExitCode.BUSY, "")
    assert str(path) in said.err


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as made:
        yield made


def test_a_file_of_another_user_is_not_permitted(folder: Path) -> None:
    one_session(folder / "state.db").chmod(0)
    said = run_as_nobody("list", "--json", "--db", folder / "state.db")
    assert (said.returncode, said.stdout) == (ExitCode.CANNOT_OPEN, "")
    assert "Permission denied" in said.stderr
    assert str(folder / "state.db") in said.stderr


@pytest.mark.parametrize("asked", ["closed", "closed/state.db"])
def test_a_folder_of_another_user_is_not_permitted(folder: Path, asked: str) -> None:
    closed = folder / "closed"
    closed.mkdir()
    one_session(closed / "state.db")
    closed.chmod(0)
    said = run_as_nobody("list", "--json", "--db", folder / asked)
    assert (said.returncode, said.stdout) == (ExitCode.CANNOT_OPEN, "")
    assert "Permission denied" in said.stderr


def _idle(folder: Path) -> Path:
    path = one_session(folder / "state.db")
    path.chmod(0o644)
    folder.chmod(0o555)
    return path


def test_an_idle_file_in_a_read_only_folder_is_read(folder: Path) -> None:
    said = run_as_nobody("list", "--json", "--db", _idle(folder))
    assert (said.returncode, said.stderr) == (0, "")
    assert '"id": "s"' in said.stdout
    assert [each.name for each in folder.iterdir()] == ["state.db"]


def test_a_log_in_a_read_only_folder_is_never_ignored(folder: Path) -> None:
    path = folder / "state.db"
    with closing(StateFile.create(folder / "made.db")):
        pass
    with altered(folder / "made.db") as db:
        db.execute("PRAGMA wal_autocheckpoint = 0")
        db.execute("INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1)")
        for end in ("", "-wal"):
            shutil.copy(folder / f"made.db{end}", f"{path}{end}")
            os.chmod(f"{path}{end}", 0o644)
    folder.chmod(0o555)
    said = run_as_nobody("list", "--json", "--db", path)
    assert (said.returncode, said.stdout) == (ExitCode.CANNOT_OPEN, "")
    assert "Cannot read the newest messages" in said.stderr
    assert "Copy both files" in said.stderr


def test_a_half_written_file_in_a_read_only_folder_is_never_read(folder: Path) -> None:
    path = _half_written(folder)
    path.chmod(0o644)
    Path(f"{path}-journal").chmod(0)
    folder.chmod(0o555)
    said = run_as_nobody("list", "--json", "--db", path)
    assert (said.returncode, said.stdout) == (ExitCode.CANNOT_OPEN, "")


def test_an_unknown_error_keeps_its_own_words(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db")
    error = failures.explain(sqlite3.OperationalError("the disk hums"), path)
    assert error.problem is Problem.UNREADABLE
    assert "the disk hums" in error.message

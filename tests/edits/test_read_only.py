"""Files that this user may read and not write, for a user who is not root: nothing is tried."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.errors import ExitCode, Refused
from explorer.model import Action
from explorer.settings import trash_path
from explorer.stores.hermes.create.state_file import StateFile
from tests.editors import edits_on
from tests.edits.states import dump
from tests.edits.victim import numbers
from tests.factories import NOW, talk
from tests.unprivileged import open_folder, run_as_nobody

EDITS = (
    ["delete", "s"],
    ["clear", "s"],
    ["rename", "s", "Journey"],
    ["archive", "s"],
    ["reopen", "s"],
    ["prune", "--older-than", "1d"],
)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with open_folder() as made:
        monkeypatch.setenv("XDG_DATA_HOME", str(made / "ours"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(made / "config"))
        yield made


@pytest.fixture
def path(folder: Path) -> Path:
    path = folder / "home" / "state.db"
    path.parent.mkdir()
    with StateFile.create(path) as state:
        talk(state, "s", "hello", "Hi.", title="Trip", end="cli_close")
    return path


def _of_others(path: Path, folder: int, file: int) -> None:
    """Give everybody the trash, and of the state file what is said."""
    path.parent.chmod(folder)
    path.chmod(file)
    ours = trash_path()
    ours.parent.mkdir(parents=True, exist_ok=True)
    for place in (ours.parent, *ours.parent.iterdir()):
        place.chmod(0o777)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit[0])
@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "reason"),
    [
        (0o777, 0o444, "No permission to write the file."),
        (0o555, 0o666, "No permission to write its folder."),
        (0o555, 0o444, "No permission to write the file and its folder."),
    ],
)
def test_what_may_not_be_written_is_not_edited(
    path: Path, folder_mode: int, file_mode: int, reason: str, edit: list[str]
) -> None:
    before = dump(path)
    _of_others(path, folder_mode, file_mode)
    said = run_as_nobody(*edit, "--yes", "--db", path)
    assert (said.returncode, reason in said.stderr) == (ExitCode.REFUSED, True), said.stderr
    assert dump(path) == before
    assert not trash_path().exists()


@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "reason"),
    [
        (0o777, 0o444, "none: no permission to write the file"),
        (0o555, 0o666, "none: no permission to write its folder"),
        (0o555, 0o444, "none: no permission to write the file and its folder"),
    ],
)
def test_info_says_the_same(path: Path, folder_mode: int, file_mode: int, reason: str) -> None:
    _of_others(path, folder_mode, file_mode)
    assert reason in run_as_nobody("info", "--db", path).stdout


def test_a_disk_that_is_read_only_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = os.statvfs(path.parent)
    shut = os.statvfs_result((*found[:8], found.f_flag | os.ST_RDONLY, found.f_namemax))
    monkeypatch.setattr("os.statvfs", lambda folder: shut)
    with pytest.raises(Refused, match="Its disk is mounted read-only"):
        edits_on(path, trash_path(), lambda: NOW).plan(Action.DELETE, numbers(path, "s"))


@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o777, 0o444), (0o555, 0o666)])
def test_nor_is_an_edit_of_it_undone(path: Path, folder_mode: int, file_mode: int) -> None:
    editor = edits_on(path, trash_path(), lambda: NOW)
    editor.apply(editor.plan(Action.DELETE, numbers(path, "s")))
    before, receipts = dump(path), editor.trash.receipts()
    _of_others(path, folder_mode, file_mode)
    said = run_as_nobody("undo", "--yes", "--db", path)
    assert (said.returncode, "Cannot undo" in said.stderr) == (6, True), said.stderr
    assert "No permission to write " in said.stderr
    assert dump(path) == before
    assert editor.trash.receipts() == receipts

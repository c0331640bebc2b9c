"""The temporary copy from which a deleted session is read: private, and clear about its trouble."""

import resource
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Action
from explorer.stores.deleted_session import DeletedSession, open_deleted
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.power_loop.create import LoopFile
from tests.editors import edits_on
from tests.factories import NOW, talk


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "copies"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def _open(tmp_path: Path, limit: int | None = None) -> DeletedSession:
    """Delete a session and read it; `limit` is how many bytes a file may have by then."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "Mend the net " * 10_000, at=NOW - 99, title="Net", end="done")
    edits = edits_on(path, tmp_path / "trash.db")
    done = edits.apply(edits.plan(Action.DELETE, [1]))
    assert done.receipt is not None
    (entry,) = edits.trash.entries(done.receipt)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        return open_deleted(path, edits.trash, entry, NOW, CancelToken())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_only_its_user_may_read_it(tmp_path: Path, copies: Path) -> None:
    deleted = _open(tmp_path)
    (folder,) = copies.iterdir()
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (folder, folder / "deleted.db")]
    assert modes == [0o700, 0o600]
    deleted.close()
    assert list(copies.iterdir()) == []


def _hermes(path: Path) -> None:
    with StateFile.create(path) as state:
        state.create_session("s", "cli", started_at=NOW - 99)
        state.end_session("s", NOW - 90, "done")


def _power_loop(path: Path) -> None:
    with LoopFile.create(path) as loop:
        loop.add_session("s", NOW - 9_999, NOW - 9_999, "model")


@pytest.mark.parametrize("make", [_hermes, _power_loop])
def test_a_session_without_messages_is_read_once_its_file_is_gone(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "state.db"
    make(path)
    edits = edits_on(path, tmp_path / "trash.db")
    done = edits.apply(edits.plan(Action.DELETE, [1]))
    assert done.receipt is not None
    (entry,) = edits.trash.entries(done.receipt)
    path.unlink()
    deleted = open_deleted(path, edits.trash, entry, NOW, CancelToken())
    store, session = deleted.store, deleted.session
    assert (session.id, session.message_count) == ("s", 0)
    assert list(store.outlines(session.key)) == []
    assert store.details(deleted.catalog.single(session.key)).sections
    deleted.close()


def test_a_full_disk_is_told_in_plain_words(tmp_path: Path, copies: Path) -> None:
    with pytest.raises(ExplorerError, match=f"The temporary folder {copies} is full") as told:
        _open(tmp_path, limit=65_536)
    assert "still in the trash" in told.value.message
    assert list(copies.iterdir()) == []


def test_a_folder_that_is_missing_is_told_in_plain_words(tmp_path: Path, copies: Path) -> None:
    copies.rmdir()
    with pytest.raises(ExplorerError, match="set TMPDIR to another folder"):
        _open(tmp_path)

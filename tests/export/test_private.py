"""A private copy: nobody else can read it, it grows as it is read, and it goes away."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import Cancelled
from explorer.export import CannotWrite, PrivateCopy


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies lie."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_only_the_owner_can_read_it(folder: Path) -> None:
    copy = PrivateCopy("20260101_120000_abcdef")
    copy.write(["one", "two\nthree"], CancelToken())
    assert copy.path.name == "20260101_120000_abcdef.md"
    assert copy.path.read_text() == "one\ntwo\nthree\n"
    assert stat.S_IMODE(copy.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.path.parent.stat().st_mode) == 0o700
    assert copy.path.parent.parent == folder
    (copy.path.parent / "left behind").touch()
    copy.remove()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("id_", ["../x", "", "-rf", "a/b", "a\nb", ".hidden", "x" * 129, "ü"])
def test_an_odd_id_is_no_file_name(id_: str) -> None:
    copy = PrivateCopy(id_)
    assert copy.path.name == "session.md"
    copy.remove()


def test_it_is_written_while_it_is_read() -> None:
    copy = PrivateCopy("s")
    sizes = []

    def pieces() -> Iterator[str]:
        for _ in range(100):
            sizes.append(copy.path.stat().st_size)
            yield "x" * 10_000

    copy.write(pieces(), CancelToken())
    assert sizes[0] == 0
    assert sizes[50] > 400_000
    copy.remove()


def test_a_cancelled_copy_leaves_nothing(folder: Path) -> None:
    token = CancelToken()

    def pieces() -> Iterator[str]:
        yield "one"
        token.cancel()
        yield "two"

    with pytest.raises(Cancelled):
        PrivateCopy("s").write(pieces(), token)
    assert list(folder.iterdir()) == []


def test_a_copy_that_cannot_be_written_is_reported_and_leaves_nothing(folder: Path) -> None:
    copy = PrivateCopy("s")
    copy.path.mkdir()
    with pytest.raises(CannotWrite, match="File exists"):
        copy.write(["one"], CancelToken())
    assert list(folder.iterdir()) == []

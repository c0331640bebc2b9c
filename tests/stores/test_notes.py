"""Our own notes: kept apart for each store, private, and never in anybody's way."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import ExplorerError
from explorer.stores.ours import notes as side
from explorer.stores.ours.notes import Notes
from tests.locker import Locker
from tests.unprivileged import NOBODY, open_folder

ODD_IDS = (
    *("", " ", "a\0b", "\ud800", "x\udcff", "\u202eevil\u202c", "\ufffd", "it's", "%"),
    *("\U0001f469\u200d\U0001f4bb", "e\u0301", "\u00e9", "\ufeff", "x" * 10_000),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ours" / "explorer.db"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "state.db"


@pytest.fixture
def notes(path: Path, store: Path) -> Notes:
    return Notes(path, store)


def test_pins_are_there_again_until_they_are_taken_out(
    notes: Notes, path: Path, store: Path
) -> None:
    notes.pin(["one", "two", "three"], on=True)
    notes.pin(["two"], on=False)
    notes.pin(["one"], on=True)
    again = Notes(path, store)
    assert again.pins() == {"one", "three"}
    again.pin(["one", "three", "nobody"], on=False)
    assert notes.pins() == frozenset()


def test_the_last_choice_counts(notes: Notes, path: Path, store: Path) -> None:
    assert notes.choice("sort") is None
    notes.choose("sort", "cost")
    notes.choose("sort", "title reversed")
    notes.choose("other", "x")
    again = Notes(path, store)
    assert again.choice("sort") == "title reversed"
    assert again.choice("other") == "x"
    assert again.choice("third") is None


def test_two_stores_do_not_share(path: Path, tmp_path: Path) -> None:
    one, two = (Notes(path, tmp_path / name / "state.db") for name in ("one", "two"))
    one.pin(["same"], on=True)
    one.choose("sort", "cost")
    assert two.pins() == frozenset()
    assert two.choice("sort") is None
    two.pin(["same"], on=False)
    two.choose("sort", "title")
    assert one.pins() == {"same"}
    assert one.choice("sort") == "cost"


def test_a_store_is_the_same_by_any_path_to_it(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "state.db").touch()
    (tmp_path / "folder").symlink_to(real)
    (tmp_path / "file.db").symlink_to(real / "state.db")
    Notes(path, tmp_path / "folder" / "state.db").pin(["s"], on=True)
    monkeypatch.chdir(real)
    for way in (
        real / "state.db",
        tmp_path / "file.db",
        Path("state.db"),
        tmp_path / "folder" / ".." / "real" / "state.db",
    ):
        assert Notes(path, way).pins() == {"s"}, way


def test_a_store_whose_name_is_no_text_has_its_own_notes(path: Path, tmp_path: Path) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.db"))
    Notes(path, odd).pin(["s"], on=True)
    assert Notes(path, odd).pins() == {"s"}
    assert Notes(path, tmp_path / "\ufffd\ufffd.db").pins() == frozenset()


def test_odd_ids_are_kept_as_they_are_and_apart(notes: Notes) -> None:
    for id_ in ODD_IDS:
        notes.pin([id_], on=True)
    assert notes.pins() == set(ODD_IDS)
    for number, id_ in enumerate(ODD_IDS):
        notes.pin([id_], on=False)
        assert notes.pins() == set(ODD_IDS[number + 1 :])


def test_reading_creates_nothing(notes: Notes, path: Path) -> None:
    assert notes.pins() == frozenset()
    assert notes.choice("sort") is None
    assert not path.parent.exists()


def test_reading_changes_nothing(notes: Notes, path: Path) -> None:
    notes.pin(["s"], on=True)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    notes.pins()
    notes.choice("sort")
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_no_other_user_can_read_it(notes: Notes, path: Path) -> None:
    before = os.umask(0)
    try:
        notes.pin(["s"], on=True)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def _told(error: pytest.ExceptionInfo[ExplorerError], path: Path) -> None:
    """It is said what is wrong with which file."""
    assert error.value.title == "Pins and settings unavailable"
    assert str(path) in error.value.message


@pytest.mark.parametrize("content", [b"just some text, no database\n", bytes(range(256)) * 40])
def test_a_corrupt_file_is_an_error_in_words_and_is_left_as_it_is(
    notes: Notes, path: Path, content: bytes
) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    for ask in (
        notes.pins,
        lambda: notes.choice("sort"),
        lambda: notes.pin(["s"], on=True),
        lambda: notes.choose("sort", "cost"),
    ):
        with pytest.raises(ExplorerError) as error:
            ask()
        _told(error, path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("spoil", ["a folder for the file", "a file for the folder"])
def test_anything_else_at_its_path_is_an_error_in_words(
    notes: Notes, path: Path, spoil: str
) -> None:
    if spoil == "a folder for the file":
        path.mkdir(parents=True)
    else:
        path.parent.touch()
    with pytest.raises(ExplorerError) as error:
        notes.pin(["s"], on=True)
    _told(error, path)


_AS_NOBODY = """
import os, sys
from pathlib import Path
from explorer.errors import ExplorerError
from explorer.stores.ours.notes import Notes
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
notes = Notes(Path(sys.argv[1]) / "explorer.db", Path("/state.db"))
print(sorted(notes.pins()))
try:
    notes.pin(["two"], on=True)
except ExplorerError as error:
    print(error.title)
print(sorted(notes.pins()))
"""


def test_a_read_only_folder_can_be_read_and_says_that_nothing_is_kept() -> None:
    with open_folder() as folder:
        path = folder / "explorer.db"
        Notes(path, Path("/state.db")).pin(["one"], on=True)
        path.chmod(0o444)
        folder.chmod(0o555)
        said = _run(_AS_NOBODY, folder, NOBODY)
    assert said == ["['one']", "Pins and settings unavailable", "['one']"]


def _run(code: str, *arguments: object) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_file_that_another_process_holds_is_an_error_in_words_and_free_again_later(
    notes: Notes, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes.pin(["s"], on=True)
    monkeypatch.setattr(side, "PATIENCE", 0.01)
    with Locker(path) as holder:
        for ask in (notes.pins, lambda: notes.pin(["t"], on=True)):
            with pytest.raises(ExplorerError) as error:
                ask()
            _told(error, path)
            assert "locked" in error.value.message
        holder.release()
        notes.pin(["t"], on=True)
    assert notes.pins() == {"s", "t"}


def _execute(path: Path, *statements: str) -> None:
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def test_a_file_without_tables_holds_nothing_and_takes_everything(notes: Notes, path: Path) -> None:
    """So another process leaves it between making it and writing to it."""
    path.parent.mkdir()
    path.touch()
    assert notes.pins() == frozenset()
    assert notes.choice("sort") is None
    notes.pin(["s"], on=True)
    assert notes.pins() == {"s"}


@pytest.mark.parametrize("missing", ["pins", "choices"])
def test_a_file_that_misses_a_table_holds_the_rest(notes: Notes, path: Path, missing: str) -> None:
    notes.pin(["s"], on=True)
    notes.choose("sort", "cost")
    _execute(path, f"DROP TABLE {missing}", "CREATE TABLE something_newer (x)")
    assert notes.pins() == (set() if missing == "pins" else {"s"})
    assert notes.choice("sort") == (None if missing == "choices" else "cost")
    notes.pin(["t"], on=True)
    notes.choose("sort", "title")
    assert "t" in notes.pins()
    assert notes.choice("sort") == "title"


def test_tables_of_another_make_are_an_error_in_words(notes: Notes, path: Path) -> None:
    _execute(path, "CREATE TABLE pins (everything_is_new)", "CREATE TABLE choices (here_too)")
    for ask in (notes.pins, lambda: notes.choice("sort"), lambda: notes.pin(["s"], on=True)):
        with pytest.raises(ExplorerError) as error:
            ask()
        _told(error, path)


@pytest.mark.parametrize("cell", ["x'ff80'", "17", "'plain text'", "CAST(x'ff' AS TEXT)"])
def test_a_note_of_any_shape_does_no_harm_to_the_others(
    notes: Notes, path: Path, cell: str
) -> None:
    notes.pin(["s"], on=True)
    _execute(path, f"INSERT INTO pins SELECT store, {cell} FROM pins")
    assert "s" in notes.pins()


_PINNING = """
import sys
from pathlib import Path
from explorer.stores.ours import notes as side
side.PATIENCE = 60.0
notes = side.Notes(Path(sys.argv[1]), Path("/state.db"))
print("ready", flush=True)
sys.stdin.readline()
for number in range(25):
    notes.pin([f"{sys.argv[2]} {number}"], on=True)
"""


def test_two_processes_that_pin_at_once_lose_nothing(path: Path) -> None:
    command = [sys.executable, "-c", _PINNING, str(path)]
    writers = [
        subprocess.Popen(
            [*command, name],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0
    pins = Notes(path, Path("/state.db")).pins()
    assert pins == {f"{name} {number}" for name in ("one", "two") for number in range(25)}

"""A search for a lost session survives whatever lies in the folders, and says what it left out."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExitCode
from explorer.stores.discover import FoundStore
from explorer.whereabouts import transcript_files
from explorer.whereabouts.lost_session import LostSession, OwnFiles
from explorer.whereabouts.sightings import Begun, Ended, Sighting, Told, Unseen
from explorer.whereabouts.wanted import Wanted
from tests.conftest import Command
from tests.factories import NOW, altered, one_session
from tests.unprivileged import open_folder, run_as_nobody
from tests.whereabouts.homes import snapshot

HOSTILE = "bad\x1b]0;owned\x07\u202etitle"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "sessions").mkdir(parents=True)
    one_session(home / "state.db", "plain words", title="Plain")
    return home


Look = Callable[[str], list[Told]]


@pytest.fixture
def look(home: Path, tmp_path: Path) -> Look:
    """Everything that a search tells."""

    def run(text: str) -> list[Told]:
        ours = OwnFiles(tmp_path / "explorer.db", tmp_path / "trash.db")
        listed = [FoundStore(home / "state.db", asked=True, name="home")]
        search = LostSession(Wanted.of(text, NOW), listed, ours, {"HOME": "/none"}, home, NOW)
        return list(search.look(CancelToken()))

    return run


def _ids(told: list[Told]) -> list[str]:
    return [one.id for one in told if isinstance(one, Sighting)]


def _left_out(told: list[Told]) -> set[str]:
    return {f"{one.what}: {one.why}" for one in told if isinstance(one, Unseen)}


def test_a_pipe_a_folder_and_a_link_are_never_opened(home: Path, look: Look) -> None:
    os.mkfifo(home / "sessions" / "pipe.jsonl")
    (home / "sessions" / "folder.json").mkdir()
    outside = home.parent / "secret.jsonl"
    outside.write_text('{"role": "user", "content": "walnut"}\n')
    (home / "sessions" / "link.jsonl").symlink_to(outside)
    told = look("walnut")
    assert _ids(told) == []
    assert _left_out(told) == {"1 file: links to other places", "1 file: not regular files"}


def test_a_state_file_under_another_name_is_never_opened_as_text(home: Path, look: Look) -> None:
    os.link(home / "state.db", home / "sessions" / "linked.jsonl")
    told = look("plain")
    assert _ids(told) == ["s"]
    assert _left_out(told) == {"1 file: databases"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.json", b'{"messages": [{"role": "user", "content": "walnut'),
        ("cut.jsonl", b'{"role": "user", "content": "first"}\n{"content": "walnut'),
        ("deep.json", b'{"x":' * 3000 + b'"walnut"'),
        ("odd.jsonl", b'42\nnull\n["walnut"]\n{"messages": "none"}\n'),
        ("bytes.jsonl", b'{"role": "user", "content": "walnut \xff\xfe"}\n'),
        ("note.md", b"# A walnut\n"),
    ],
)
def test_broken_files_are_searched_as_text(
    home: Path, look: Look, name: str, content: bytes
) -> None:
    (home / "sessions" / name).write_bytes(content)
    assert _ids(look("walnut")) == [name.partition(".")[0]]


def test_binary_files_are_left_out(home: Path, look: Look) -> None:
    (home / "sessions" / "a.json").write_bytes(b"\x00\x01walnut")
    (home / "sessions" / "b.jsonl").write_bytes(b"\x00\x01walnut")
    told = look("walnut")
    assert _ids(told) == []
    assert _left_out(told) == {"2 files: not text"}


def test_a_huge_file_is_read_in_part(
    home: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_files, "MOST_BYTES", 2000)
    line = json.dumps({"role": "user", "content": "x" * 400}) + "\n"
    last = json.dumps({"role": "user", "content": "walnut"})
    (home / "sessions" / "long.jsonl").write_text(line * 20 + last)
    (home / "sessions" / "long.md").write_text("x" * 4000 + "walnut")
    told = look("walnut")
    assert _ids(told) == []
    assert _left_out(told) == {"2 files: read in part: longer than 32 MB"}


def test_of_very_many_files_the_newest_are_read(
    home: Path, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_files, "MOST_FILES", 3)
    for number in range(9):
        path = home / "sessions" / f"n_{number}.jsonl"
        path.write_text('{"role": "user", "content": "walnut"}')
        os.utime(path, (number, number))
    told = look("walnut")
    assert _ids(told) == ["n_8", "n_7", "n_6"]
    assert _left_out(told) == {"6 files: only the newest 3 are read"}


def test_an_export_of_many_sessions_names_the_right_one(home: Path, look: Look) -> None:
    (home / "session-exports").mkdir()
    sessions = [
        {"id": f"e_{n}", "title": f"T{n}", "messages": [{"role": "user", "content": f"nut{n}"}]}
        for n in range(4)
    ]
    text = "".join(f"{json.dumps(one)}\n" for one in sessions)
    (home / "session-exports" / "all.jsonl").write_text(text)
    (found,) = (one for one in look("nut2") if isinstance(one, Sighting))
    assert (found.id, found.title, found.words) == ("e_2", "T2", "nut2")


@pytest.mark.parametrize("spoil", ["noise", "pipe", "link", "empty"])
def test_a_spoilt_snapshot_is_named_and_the_rest_is_searched(
    home: Path, look: Look, spoil: str
) -> None:
    path = snapshot(home, "good").parent.parent / "bad" / "state.db"
    path.parent.mkdir()
    match spoil:
        case "noise":
            path.write_bytes(os.urandom(8192))
        case "pipe":
            os.mkfifo(path)
        case "link":
            path.symlink_to(home / "state.db")
        case _:
            path.touch()
    with altered(home / "state.db") as db:
        db.execute("DELETE FROM messages")
        db.execute("DELETE FROM sessions")
    told = look("plain")
    assert _ids(told) == ["s"]
    failed = [one for one in told if isinstance(one, Ended) and one.error]
    assert failed or "snapshot: its state.db is not a regular file" in _left_out(told)


def test_a_snapshot_gets_no_file_beside_it(home: Path, look: Look) -> None:
    path = snapshot(home, "copy")
    with altered(path) as db:
        db.execute("PRAGMA journal_mode=WAL").fetchall()
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    before = sorted(path.parent.iterdir()), path.read_bytes()
    look("plain")
    assert (sorted(path.parent.iterdir()), path.read_bytes()) == before


def _broken_snapshot(home: Path, how: str) -> Path:
    """In WAL mode, as Hermes makes them."""
    path = snapshot(home, "copy")
    with altered(path) as db:
        db.execute("PRAGMA journal_mode=WAL").fetchall()
    for ending in ("-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)
    whole = path.read_bytes()
    match how:
        case "truncated":
            path.write_bytes(whole[: len(whole) // 2])
        case "malformed":
            path.write_bytes(whole[:200] + b"\xff" * (len(whole) - 200))
        case _:
            path.write_bytes(b"")
    return path


@pytest.mark.parametrize("how", ["truncated", "malformed", "empty"])
def test_a_broken_snapshot_gets_no_file_beside_it(home: Path, look: Look, how: str) -> None:
    path = _broken_snapshot(home, how)
    before = sorted(path.parent.iterdir()), path.read_bytes()
    (failed,) = [one for one in look("plain") if isinstance(one, Ended) and one.error]
    assert how in failed.error
    assert (sorted(path.parent.iterdir()), path.read_bytes()) == before


@pytest.mark.parametrize("how", ["truncated", "malformed", "empty"])
def test_advice_about_a_broken_snapshot_is_not_that_for_a_live_file(
    home: Path, look: Look, how: str
) -> None:
    path = _broken_snapshot(home, how)
    (failed,) = [one for one in look("plain") if isinstance(one, Ended) and one.error]
    assert failed.error.endswith("Use another snapshot, or a backup.")
    assert "agent" not in failed.error
    assert "hermes" not in failed.error.replace(str(path), "")


def test_a_trash_that_cannot_be_read_does_not_stop_the_search(
    home: Path, look: Look, tmp_path: Path
) -> None:
    (tmp_path / "trash.db").write_bytes(b"x" * 5000)
    told = look("plain")
    assert _ids(told) == ["s"]
    assert any(isinstance(one, Ended) and "Trash unavailable" in one.error for one in told)


def test_stored_control_characters_never_reach_the_terminal(home: Path, command: Command) -> None:
    with altered(home / "state.db") as db:
        db.execute("UPDATE sessions SET title = ?, id = ?", (HOSTILE + " walnut", HOSTILE))
        db.execute("UPDATE messages SET session_id = ?", (HOSTILE,))
    named = home / "sessions" / f"{HOSTILE.replace('/', '')}.jsonl"
    named.write_text(json.dumps({"role": "user", "content": f"walnut {HOSTILE}"}))
    done = command("--db", home, "where", "walnut")
    assert done.code == ExitCode.DONE
    for said in (done.out, done.err):
        assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert "title walnut" in done.out


def test_files_of_another_user_are_counted() -> None:
    with open_folder() as folder:
        (folder / "sessions").mkdir()
        one_session(folder / "state.db", "plain words").chmod(0o644)
        (folder / "sessions" / "a.jsonl").write_text('{"role": "user", "content": "walnut"}')
        (folder / "sessions" / "a.jsonl").chmod(0)
        done = run_as_nobody("--db", folder, "where", "walnut", environment={"HOME": "/none"})
    assert done.returncode == ExitCode.NO_SUCH_SESSION
    assert "1 file, permission denied" in done.stderr


def test_places_are_told_one_by_one_and_a_search_stops_at_once(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "sessions" / "a.jsonl").write_text('{"role": "user", "content": "plain"}')
    listed = [FoundStore(home / "state.db", asked=True, name="home")]
    search = LostSession(Wanted.of("plain", NOW), listed, OwnFiles(), {"HOME": "/none"}, home, NOW)
    token = CancelToken()
    looking: Iterator[Told] = search.look(token)
    assert isinstance(next(looking), Begun)
    assert isinstance(next(looking), Sighting), "before the next place is looked into"
    token.cancel()
    with pytest.raises(Cancelled):
        list(looking)


def test_a_search_ends_while_files_come_and_go(home: Path, look: Look) -> None:
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            for number in range(20):
                (home / "sessions" / f"c_{number}.jsonl").write_text('{"content": "x"}')
            for number in range(20):
                (home / "sessions" / f"c_{number}.jsonl").unlink()

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        for _ in range(5):
            assert _ids(look("plain")) == ["s"]
    finally:
        stop.set()
        thread.join()

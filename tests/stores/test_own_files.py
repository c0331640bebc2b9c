"""Our own files as a newer version, damage or somebody's mischief left them: read as far as they
are understood, never waited for, and never written where they are not understood."""

import os
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from explorer.errors import ExitCode, ExplorerError, Refused
from explorer.settings import config_path, notes_path, trash_path
from explorer.stores.ours.notes import Notes
from explorer.stores.sqlite.images import pack, unpack
from tests.conftest import Command
from tests.factories import altered, one_session, rows

NEWER: dict[str, str] = {
    "a state of an edit": "UPDATE receipts SET state = 'queued'",
    "an action": "UPDATE receipts SET action = 'merge'",
    "a state of a session": "UPDATE entries SET state = 'shared'",
    "a kind of session": "UPDATE entries SET kind = 'folder'",
    "a column": "ALTER TABLE entries ADD COLUMN owner TEXT",
    "a table": "CREATE TABLE folders (name TEXT)",
    "a kind of note": "INSERT INTO changes (receipt, entry, name, id, cells, content)"
    " VALUES (1, 0, 'our own notes', 'id', 'folder', x'')",
}
ENDLESS = """
CREATE VIEW packs AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
SELECT x AS number, 1 AS entry, 'sessions' AS name, 'id' AS columns, x'' AS content FROM n
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Path:
    """A file of which one session is in the trash, with our own files in a place of their own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "ours"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    path = one_session(tmp_path / "state.db", title="Trip to Kyoto")
    with altered(path) as db:
        db.execute("INSERT INTO sessions (id, source, started_at) VALUES ('t', 'cli', 1)")
    assert command("delete", "--yes", "--force", "s", "--db", path).code == 0
    return path


@pytest.mark.parametrize("newer", NEWER)
def test_a_trash_of_a_newer_version_is_shown_and_never_written(
    newer: str, path: Path, command: Command
) -> None:
    with altered(trash_path()) as db:
        db.execute(NEWER[newer])
    before, state = trash_path().read_bytes(), rows(path, "SELECT * FROM sessions")
    listed = command("trash", "list", "--db", path)
    assert listed.code == 0
    assert "Trip to Kyoto" in listed.out
    assert command("trash", "list", "--json", "--db", path).json["receipts"][0]["sessions"] == 1
    assert command("trash", "show", "1", "--db", path).code == 0
    for arguments in (
        ["undo", "--yes"],
        ["undo", "--dry-run"],
        ["trash", "restore", "1", "--yes"],
        ["trash", "purge", "1", "--yes"],
        ["delete", "--yes", "--force", "t"],
        ["rename", "--yes", "t", "Other"],
    ):
        said = command(*arguments, "--db", path)
        assert said.code == ExitCode.REFUSED, arguments
        assert "newer version of Session Explorer" in said.err
    assert command("list", "--db", path).code == 0
    assert trash_path().read_bytes() == before
    assert rows(path, "SELECT * FROM sessions") == state


def test_an_edit_that_a_newer_version_left_half_done_is_left_to_it(
    path: Path, command: Command
) -> None:
    with altered(trash_path()) as db:
        db.execute("UPDATE receipts SET state = 'begun'")
        db.execute("ALTER TABLE receipts ADD COLUMN owner TEXT")
    before = trash_path().read_bytes()
    assert command("trash", "list", "--db", path).code == 0
    assert trash_path().read_bytes() == before


def test_notes_of_a_newer_version_are_read_and_never_written(path: Path, command: Command) -> None:
    notes = Notes(notes_path(), path)
    notes.pin(["t"], on=True)
    with altered(notes_path()) as db:
        db.execute("ALTER TABLE pins ADD COLUMN colour TEXT")
    before = notes_path().read_bytes()
    assert notes.pins() == {"t"}
    with pytest.raises(Refused, match="newer version"):
        notes.pin(["s"], on=True)
    with pytest.raises(Refused, match="newer version"):
        notes.choose("sort", "cost")
    assert notes_path().read_bytes() == before


DAMAGED: dict[str, str] = {
    "cells of a kind that is not known": "UPDATE packs SET content = :odd",
    "no cells": "UPDATE packs SET content = NULL",
    "fewer cells": "UPDATE packs SET content = :few",
    "columns that are no text": "UPDATE packs SET columns = x'ff'",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_trash_that_cannot_be_unpacked_is_an_error_in_words(
    damage: str, path: Path, command: Command
) -> None:
    with closing(sqlite3.connect(trash_path(), isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, 'BLOB NOT NULL', 'BLOB')")
    odd = zlib.compress(b"\1\0\0\0z")
    with altered(trash_path()) as db:
        db.execute(DAMAGED[damage], {"odd": odd, "few": pack([(1, 2)])})
    said = command("undo", "--yes", "--db", path)
    assert said.code == ExitCode.FAILED
    assert "The trash is damaged" in said.err
    assert rows(path, "SELECT id FROM sessions") == [("t",)]


def test_far_more_than_was_kept_is_not_unpacked(path: Path, command: Command) -> None:
    packing = zlib.compressobj(9)
    # One blob of 200 MB that takes 200 kB.
    head = b"\1\0\0\0b" + (12 << 24).to_bytes(8, "little")
    zeros = bytes(1 << 24)
    bomb = packing.compress(head) + b"".join(packing.compress(zeros) for _ in range(12))
    bomb += packing.flush()
    with pytest.raises(ExplorerError, match="far larger than recorded"):
        unpack(bomb)
    with altered(trash_path()) as db:
        db.execute("UPDATE packs SET content = ?", (bomb,))
    assert command("undo", "--yes", "--db", path).code == ExitCode.FAILED


def test_what_is_packed_may_be_as_long_as_it_was(path: Path) -> None:
    row = (1, bytes(100_000_000))
    assert unpack(pack([row]), 100_000_008) == [row]


def test_a_view_without_end_in_place_of_a_table_of_ours_is_not_read(
    path: Path, command: Command
) -> None:
    with altered(trash_path()) as db:
        db.execute("DROP TABLE packs")
        db.execute(ENDLESS)
    for arguments in (["trash", "list"], ["trash", "restore", "1", "--yes"], ["undo", "--yes"]):
        told = command(*arguments, "--db", path)
        assert told.code == ExitCode.FAILED
        assert "was not written by Session Explorer" in told.err


def _as_pipe(place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    os.mkfifo(place)


@pytest.mark.parametrize("make", [_as_pipe])
@pytest.mark.parametrize("ending", ["", "-journal"])
def test_own_files_that_are_pipes_are_not_waited_for(
    make: Callable[[Path], None], ending: str, path: Path, command: Command
) -> None:
    make(Path(f"{trash_path()}{ending}"))
    make(Path(f"{notes_path()}{ending}"))
    for arguments in (["trash", "list"], ["undo", "--yes"], ["delete", "--yes", "--force", "t"]):
        said = command(*arguments, "--db", path)
        assert said.code == ExitCode.FAILED
        assert "a folder, a device or a pipe" in said.err
    assert command("list", "--db", path).code == 0
    if not ending:
        with pytest.raises(ExplorerError, match="pipe"):
            Notes(notes_path(), path).pins()


def test_settings_in_a_pipe_are_not_waited_for(path: Path, command: Command) -> None:
    _as_pipe(config_path())
    said = command("resume", "--print", "t", "--db", path)
    assert said.code == ExitCode.USAGE
    assert "not a regular file" in said.err


def test_a_profile_in_a_pipe_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    home = tmp_path / "hermes"
    home.mkdir()
    one_session(home / "state.db")
    os.mkfifo(home / "active_profile")
    monkeypatch.setenv("HERMES_HOME", str(home))
    assert command("list").code == 0


def test_a_pipe_among_the_files_of_a_session_is_not_waited_for(
    path: Path, command: Command
) -> None:
    beside = path.parent / "sessions"
    beside.mkdir()
    os.mkfifo(beside / "session_t.json")
    os.mkfifo(beside / "sessions.json")
    assert command("delete", "--yes", "--force", "t", "--db", path).code == 0

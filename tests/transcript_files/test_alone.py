"""Sessions that exist only as a file: listed with all others, read, and never changed."""

import os
from pathlib import Path

from explorer.errors import ExitCode
from explorer.stores.hermes.transcript_files.beside import snapshot_name
from tests.conftest import Command
from tests.factories import T0, altered, say
from tests.transcript_files.homes import ID, home, log, said, snapshot

LONE = "20240101_000000_beef02"


def test_it_is_listed_with_all_others_and_counted_apart(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "a", "b")
    log(path, said("a", "b"))
    log(path, said("where are the owls", "There.", at=T0), id_=LONE)
    snapshot(path, said("where are the owls", "There."), id_=LONE)
    snapshot(path, said("old times"), id_="../weird", name=snapshot_name("../weird"))
    found = command("list", "--all", "--json", "--db", path).json
    assert (found["total"], found["shown"], found["files"]) == (1, 1, 2)
    assert found["sessions"][0]["id"] == ID
    assert {one["preview"] for one in found["sessions"]} > {"old times"}
    lone = next(one for one in found["sessions"] if one["id"] == LONE)
    assert (lone["source"], lone["message_count"]) == ("file", 2)
    assert (lone["preview"], lone["last_reply"]) == ("where are the owls", "There.")
    text = command("list", "--all", "--db", path)
    assert "where are the owls" in text.out
    assert "2 sessions only in files, listed last" in text.err


def test_only_a_list_of_all_looks_for_files(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "a", "b")
    log(path, said("c"), id_=LONE)
    found = command("list", "--json", "--db", path).json
    assert found["files"] is None
    assert [one["id"] for one in found["sessions"]] == [ID]


def test_it_is_shown_and_said_to_be_only_a_file(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "a", "b")
    log(path, said("where are the owls", "There."), id_=LONE, more="{broken\n")
    done = command("show", LONE, "--db", path)
    assert "There." in done.out
    assert f"This session is only in {LONE}.jsonl" in done.err
    found = command("show", LONE, "--json", "--db", path).json
    assert found["from"]["kind"] == "file"
    assert (found["from"]["messages"], found["from"]["bad_lines"]) == (2, 1)
    assert found["session"]["id"] == LONE


def test_messages_without_a_session_in_the_database_are_not_lost(
    tmp_path: Path, command: Command
) -> None:
    path = home(tmp_path, "a", "b")
    log(path, said("one", "two", "three"), id_=LONE)
    with altered(path) as db:
        db.execute("PRAGMA foreign_keys = OFF").close()
        say(db, LONE, role="user", content="three")
        say(db, LONE, role="assistant", content="four")
    found = command("show", LONE, "--json", "--db", path).json
    assert [one["text"] for one in found["messages"]] == ["one", "two", "three", "four"]
    assert found["from"]["kind"] == "both"
    assert (found["from"]["messages"], found["from"]["database_messages"]) == (2, 2)


def test_it_cannot_be_changed_and_the_reason_is_said(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "a", "b")
    file = log(path, said("c"), id_=LONE)
    done = command("delete", LONE, "--yes", "--db", path)
    assert done.code == ExitCode.REFUSED
    assert "It cannot be changed" in done.err
    assert file.exists()


def test_pipes_and_links_are_no_sessions(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "a", "b")
    folder = tmp_path / "sessions"
    os.mkfifo(folder / "pipe.jsonl")
    os.symlink(path, folder / "link.jsonl")
    os.link(path, folder / "session_state.json")
    (folder / "sessions.json").write_text("{}")
    (folder / "request_dump_x_1.json").write_text("{}")
    (folder / "\x1b[31mred.jsonl").write_text("not json\n")
    found = command("list", "--all", "--json", "--db", path).json
    assert [one["id"] for one in found["sessions"]] == [ID]


def test_files_that_hold_no_session_are_counted_apart(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "a", "b")
    log(path, said("where are the owls", "There.", at=T0), id_=LONE)
    folder = path.parent / "sessions"
    (folder / "20240102_000000_empty1.jsonl").touch()
    (folder / "20240102_000000_binary.jsonl").write_bytes(bytes(range(256)) * 9)
    (folder / f"session_{ID}.json").touch()
    found = command("list", "--all", "--json", "--db", path).json
    assert (found["files"], found["files_without_session"]) == (1, 2)
    said_below = command("list", "--all", "--db", path).err
    assert "1 session only in files, listed last" in said_below
    assert "2 transcript files empty or unreadable, not listed" in said_below
    short = command("list", "--all", "--limit", "1", "--db", path).err
    assert "only in files, none of them listed (--limit 0 lists all)" in short

"""`show` of sessions with a transcript beside the state file."""

from pathlib import Path

from tests.conftest import Command
from tests.factories import one_session
from tests.transcript_files.homes import ID, home, log, said, snapshot


def test_the_head_says_where_the_messages_come_from(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "e", "f")
    log(path, said("a", "b", "c", "d", "e", "f"), more="{broken\n")
    done = command("show", ID, "--db", path)
    head = done.out.splitlines()[:3]
    assert (
        "4 messages from the gateway's log, 2 from the database"
        f" · 1 unreadable line in {ID}.jsonl" in head
    )
    assert done.out.count("from the gateway's log") == 5
    said_ = command("show", ID, "--json", "--db", path).json
    assert said_["from"] == {
        "kind": "both",
        "file": f"{ID}.jsonl",
        "files": [f"{ID}.jsonl"],
        "messages": 4,
        "database_messages": 2,
        "bad_lines": 1,
        "redacted": False,
        "cut": False,
    }
    assert [one["text"] for one in said_["messages"]] == ["a", "b", "c", "d", "e", "f"]
    assert [one["file"] for one in said_["messages"]] == [f"{ID}.jsonl"] * 4 + [None] * 2


def test_a_copy_without_secrets_is_called_one(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "e", "f")
    snapshot(path, said("c", "d", "e", "f"))
    done = command("show", ID, "--db", path)
    assert "2 messages from a redacted copy, 2 from the database" in done.out


def test_a_session_without_messages_in_the_database_is_read_from_its_file(
    tmp_path: Path, command: Command
) -> None:
    path = home(tmp_path)
    log(path, said("c", "d"))
    found = command("show", ID, "--json", "--db", path).json
    assert (found["from"]["kind"], len(found["messages"])) == ("file", 2)


def test_without_a_file_all_is_from_the_database(tmp_path: Path, command: Command) -> None:
    path = one_session(tmp_path / "state.db")
    found = command("show", "s", "--json", "--db", path).json["from"]
    assert (found["kind"], found["file"], found["messages"]) == ("database", None, 0)
    assert found["database_messages"] == 2
    assert "database" not in command("show", "s", "--db", path).out


def test_escapes_in_a_transcript_reach_no_terminal(tmp_path: Path, command: Command) -> None:
    path = home(tmp_path, "e")
    log(path, said("\x1b]0;owned\x07 \x1b[2Jhello"))
    done = command("show", ID, "--db", path)
    assert "hello" in done.out
    assert "\x1b" not in done.out
    assert "\x07" not in done.out

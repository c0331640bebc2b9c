"""The command line as a contract: shapes, exit codes, and what goes where."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import T0, one_session, talk

SESSION = {
    *("id", "title", "source", "model", "started_at", "last_active", "ended_at", "end_reason"),
    *("message_count", "tool_call_count", "preview", "kind", "state", "parent_id", "root_id"),
    *("tip_id", "parts", "archived", "profile", "workspace", "git_branch", "input_tokens"),
    *("output_tokens", "cost_usd", "cost_status", "hidden", "pinned", "unread", "title_source"),
    *("store", "owner"),
}
MESSAGE = {
    *("id", "session_id", "role", "timestamp", "text", "reasoning", "tool_calls"),
    *("tool_call_id", "tool_name", "finish_reason", "state"),
}
HIT = {
    *("session_id", "message_id", "title", "source", "role", "timestamp", "field", "state"),
    *("snippet", "marks", "context", "store", "profile", "owner"),
}
INFO = {
    *("path", "kind", "schema_version", "journal_mode", "sessions", "messages", "bytes"),
    *("wal_bytes", "search", "edits", "stores"),
}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z")
EDITS = {"rename", "archive", "pin", "delete", "clear", "end", "reopen", "prune"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    call = {"id": "c1", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}
    with StateFile.create(path) as state:
        talk(state, "first", "owls at night", "Owls hunt.", title="Owls", end="cli_close")
        talk(state, "second", "more owls", at=T0 + 100.25)
        state.append_message("second", "assistant", "", tool_calls=[call], timestamp=T0 + 102)
        talk(state, "job", "owl tick", source="cron", at=T0 + 200)
        talk(state, "void", at=T0 + 300)
    return path


def _times(document: Any) -> list[str]:
    """Every value of a key that names a moment."""
    if isinstance(document, list):
        return [time for item in document for time in _times(item)]
    if not isinstance(document, dict):
        return []
    found = [time for item in document.values() for time in _times(item)]
    moments = ("timestamp", "started_at", "last_active", "ended_at")
    return found + [document[key] for key in moments if document.get(key) is not None]


def test_list_has_the_agreed_shape(path: Path, command: Command) -> None:
    said = command("list", "--json", "--db", path).json
    assert set(said) >= {"total", "matching", "shown", "hidden", "sessions"}
    assert said["total"] == 4
    assert said["hidden"] == {"cron": 1, "empty": 1}
    assert [session["id"] for session in said["sessions"]] == ["second", "first"]
    assert all(set(session) >= SESSION for session in said["sessions"])
    assert said["sessions"][1]["state"] == "ended"
    assert said["sessions"][0]["state"] == "open"
    assert {session["kind"] for session in said["sessions"]} == {"root"}


def test_show_has_the_agreed_shape(path: Path, command: Command) -> None:
    said = command("show", "--json", "--db", path, "second").json
    assert set(said) >= {"session", "messages"}
    assert set(said["session"]) >= SESSION
    assert all(set(message) >= MESSAGE for message in said["messages"])
    assert said["messages"][1]["tool_calls"] == [
        {"id": "c1", "name": "terminal", "arguments": {"command": "ls"}}
    ]
    assert {message["state"] for message in said["messages"]} == {"live"}


def test_search_has_the_agreed_shape(path: Path, command: Command) -> None:
    said = command("search", "--json", "--db", path, "owls").json
    assert set(said) >= {"query", "mode", "complete", "total", "hidden", "hits"}
    assert (said["query"], said["complete"], said["total"]) == ("owls", True, 4)
    assert all(set(hit) >= HIT for hit in said["hits"])
    hit = said["hits"][-1]
    assert (hit["message_id"], hit["field"], hit["snippet"]) == (1, "content", "owls at night")
    assert hit["marks"] == [[0, 4]]
    assert hit["context"] == [{"role": "assistant", "text": "Owls hunt."}]


def test_info_has_the_agreed_shape(path: Path, command: Command) -> None:
    said = command("info", "--json", "--db", path).json
    assert set(said) >= INFO
    assert set(said["search"]) >= {"fts", "trigram", "cjk", "covers", "trigram_covers"}
    assert set(said["search"]) >= {"leaves_out", "trouble", "notes"}
    assert set(said["edits"]) == EDITS
    assert all(reason is None or reason for reason in said["edits"].values())
    assert said["path"] == str(path)


@pytest.mark.parametrize(
    "arguments", [["list", "--all"], ["show", "second"], ["search", "owls"], ["info"]]
)
def test_output_is_one_json_document_in_ascii_with_times_in_utc(
    path: Path, command: Command, arguments: list[str]
) -> None:
    said = command(*arguments, "--json", "--db", path)
    assert said.out.isascii()
    assert said.out.endswith("}\n")
    assert all(TIME.fullmatch(time) for time in _times(said.json))
    assert said.err == ""


def test_times_keep_their_milliseconds(path: Path, command: Command) -> None:
    said = command("show", "--json", "--db", path, "second").json
    assert said["session"]["started_at"] == "2025-10-09T08:55:00.250Z"


def test_json_lines_are_a_document_each(path: Path, command: Command) -> None:
    said = command("search", "--json-lines", "--db", path, "owls")
    hits = [json.loads(line) for line in said.out.splitlines()]
    assert len(hits) == 4
    assert all(set(hit) >= HIT for hit in hits)


def test_limits_cut_what_is_shown_and_nothing_else(path: Path, command: Command) -> None:
    one = command("list", "--limit", "1", "--json", "--db", path).json
    assert (one["shown"], one["matching"], len(one["sessions"])) == (1, 2, 1)
    every = command("list", "--limit", "0", "--json", "--db", path).json
    assert every["shown"] == 2
    found = command("search", "--limit", "1", "--json", "--db", path, "owls").json
    assert (found["total"], len(found["hits"])) == (4, 1)
    assert len(command("search", "--limit", "0", "--json", "--db", path, "owls").json["hits"]) == 4


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("active", ["void", "job", "second", "first"]),
        ("started", ["void", "job", "second", "first"]),
        ("messages", ["second", "first", "job", "void"]),
        ("title", ["first", "void", "job", "second"]),
        ("cost", ["void", "job", "second", "first"]),
    ],
)
def test_list_sorts_by_every_order(
    path: Path, command: Command, sort: str, order: list[str]
) -> None:
    said = command("list", "--all", "--sort", sort, "--json", "--db", path).json
    assert [session["id"] for session in said["sessions"]] == order


def test_a_source_that_is_named_is_listed(path: Path, command: Command) -> None:
    said = command("list", "--source", "cron", "--json", "--db", path).json
    assert [session["id"] for session in said["sessions"]] == ["job"]
    assert said["hidden"] == {"filtered": 3}
    both = command("list", "--source", "cron", "--source", "cli", "--json", "--db", path).json
    assert both["matching"] == 3


def test_the_database_may_be_named_before_or_after_the_command(
    path: Path, command: Command
) -> None:
    before = command("--db", path, "list", "--json")
    assert before.json["total"] == 4
    assert before == command("list", "--json", "--db", path)
    both = command("--db", "elsewhere", "list", "--db", path)
    assert (both.code, "There is no file at elsewhere" in both.err) == (ExitCode.CANNOT_OPEN, True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "--nonsense"],
        ["list", "--limit", "-1"],
        ["list", "--limit", "many"],
        ["list", "--sort", "luck"],
        ["list", "--lim", "3"],
        ["show"],
        ["search"],
        ["dance"],
        ["info", "--db"],
        ["list", "--db", ""],
        ["list", "--profile", "../x"],
    ],
)
def test_wrong_usage_has_its_own_exit_code(command: Command, arguments: list[str]) -> None:
    said = command(*arguments)
    assert (said.code, said.out) == (ExitCode.USAGE, "")
    assert said.err
    assert "_count" not in said.err


def test_an_unknown_or_ambiguous_session_has_its_own_code(path: Path, command: Command) -> None:
    missing = command("show", "--json", "--db", path, "nobody")
    assert (missing.code, missing.out) == (ExitCode.NO_SUCH_SESSION, "")
    assert "nobody" in missing.err
    with StateFile.create(path.with_name("other.db")) as state:
        talk(state, "twin1", "x")
        talk(state, "twin2", "x")
    several = command("show", "--json", "--db", path.with_name("other.db"), "twin")
    assert (several.code, several.out) == (ExitCode.NO_SUCH_SESSION, "")
    assert "twin1" in several.err
    assert "twin2" in several.err


def test_text_that_starts_with_a_dash_comes_after_two_dashes(
    tmp_path: Path, command: Command
) -> None:
    path = one_session(tmp_path / "state.db", "use --force")
    assert command("search", "--json", "--db", path, "--", "--force").json["total"] == 1


def test_several_words_are_one_query(path: Path, command: Command) -> None:
    assert command("search", "--json", "--db", path, "night", "owls").json["query"] == "night owls"


@pytest.mark.parametrize("name", ["", "list", "show", "search", "info", "demo"])
def test_help_comes_with_examples(command: Command, name: str) -> None:
    said = command(*filter(None, [name]), "--help")
    assert said.code == 0
    assert "examples:\n  session-explorer" in said.out


def test_the_version_is_printed(command: Command) -> None:
    assert re.fullmatch(r"session-explorer \d+\.\S+\n", command("--version").out)

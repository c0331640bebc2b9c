"""`--private`: no command prints a person, a chat or a phone number that the file knows."""

import json
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.settings import notes_path
from tests.conftest import Command, Output
from tests.planted import (
    CHAT_ID,
    DISCORD_NAME,
    OFFSETS,
    PERSON,
    SCHEMAS,
    SESSION_ID,
    WORD,
    add_offsets,
    leaks,
    planted,
)

MARK = r"(?:user|chat)_[0-9a-f]{12}"


@pytest.fixture(params=SCHEMAS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return planted(request.param, tmp_path / "home")


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))


READING = (
    ("list",),
    ("list", "--json"),
    ("list", "--all", "--json", "--limit", "0"),
    ("show", SESSION_ID),
    ("show", SESSION_ID, "--all"),
    ("show", SESSION_ID, "--format", "markdown"),
    ("show", SESSION_ID, "--json"),
    ("show", "planted_one", "--json"),
    ("search", WORD),
    ("search", WORD, "--json"),
    ("search", WORD, "--json-lines"),
    ("where", WORD),
    ("where", WORD, "--json"),
    ("info",),
    ("info", "--json"),
    ("delete", SESSION_ID, "planted_one", "--dry-run"),
    ("delete", SESSION_ID, "--dry-run", "--json"),
    ("rename", SESSION_ID, "Other", "--dry-run"),
    ("archive", SESSION_ID, "--dry-run", "--json"),
    ("prune", WORD, "--dry-run", "--include-open"),
    ("prune", WORD, "--dry-run", "--include-open", "--json"),
    ("show", "2026"),
    ("show", PERSON),
    ("delete", "planted", "--dry-run"),
)


@pytest.mark.parametrize("words", READING, ids=" ".join)
def test_no_command_prints_what_is_hidden(file: Path, command: Command, words: list[str]) -> None:
    plain = command(*words, "--db", file)
    said = command(*words, "--db", file, "--private")
    assert said.code == plain.code
    assert leaks(said.out + said.err) == []
    assert said.out or said.err


@pytest.mark.parametrize("end", [80, 300])
def test_no_cut_leaves_a_piece_of_a_name(tmp_path: Path, command: Command, end: int) -> None:
    file = planted("hermes-v31", tmp_path / "home")
    add_offsets(file, end)
    commands: tuple[tuple[str, ...], ...] = (
        ("list", "--all", "--json", "--limit", "0"),
        ("where", OFFSETS, "--json"),
        ("search", OFFSETS, "--json", "--limit", "0"),
        ("delete", "offset_4", "offset_6", "offset_8", "offset_10", "--yes", "--json"),
        ("where", OFFSETS, "--json"),
        ("where", OFFSETS),
        ("trash", "list", "--json"),
        ("trash", "show", "1"),
    )
    for words in commands:
        said = command(*words, "--db", file, "--private")
        assert said.code == 0
        assert said.out
        assert leaks(said.out + said.err) == [], words


def test_what_is_hidden_is_there_without_it(file: Path, command: Command) -> None:
    said = command("show", SESSION_ID, "--db", file).out
    assert {PERSON, CHAT_ID, "Quagmire"} <= set(leaks(said))
    said = command("--private", "show", SESSION_ID, "--db", file).out
    assert len(re.findall(MARK, said)) > 20


def test_marks_are_the_same_in_every_run_and_file(tmp_path: Path, command: Command) -> None:
    marks = []
    for schema in SCHEMAS:
        path = planted(schema, tmp_path / schema)
        for _ in range(2):
            shown = command("show", SESSION_ID, "--private", "--json", "--db", path).json
            marks.append(re.findall(MARK, shown["session"]["title"]))
    assert marks[0]
    assert all(one == marks[0] for one in marks)


def test_the_key_is_made_once_and_is_ours_alone(file: Path, command: Command) -> None:
    key = notes_path().with_name("privacy.key")
    command("list", "--db", file)
    assert not key.exists()
    command("list", "--private", "--db", file)
    made = key.read_bytes()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert list(key.parent.glob("privacy.key.*")) == []
    command("list", "--private", "--db", file)
    assert key.read_bytes() == made
    key.write_bytes(b"short")
    said = command("list", "--private", "--db", file)
    assert said.code == 1
    assert "is not a key" in said.err


def _hits(said: Output) -> list[str]:
    return [hit["session_id"] for hit in said.json["hits"]]


def test_a_search_decides_on_the_text_that_is_shown(file: Path, command: Command) -> None:
    def search(*words: str) -> Output:
        return command("search", *words, "--all", "--json", "--limit", "0", "--db", file)

    assert _hits(search(f'"{PERSON}"'))
    assert _hits(search(f'"{PERSON}"', "--private")) == []
    title = command("show", SESSION_ID, "--private", "--json", "--db", file).json
    mark = re.findall(MARK, title["session"]["title"])[0]
    found = _hits(search(mark, "--private"))
    assert len(found) == len(_hits(search("Ring", "--private"))) + 1, "and in the title"
    assert _hits(search(mark[5:11], "--private")), "a part of a mark"
    assert _hits(search(mark)) == []


def test_what_is_shown_can_be_typed_again(file: Path, command: Command) -> None:
    listed = command("list", "--private", "--json", "--db", file).json["sessions"]
    (row,) = (one for one in listed if WORD in (one["title"] or ""))
    assert re.search(MARK, row["id"])
    for name in (row["id"], row["title"]):
        shown = command("show", name, "--private", "--json", "--db", file).json
        assert shown["session"]["title"] == row["title"]
        plan = command("delete", name, "--dry-run", "--private", "--json", "--db", file).json
        assert len(plan["sessions"]) == 1
    resumed = command("resume", row["id"], "--print", "--force", "--private", "--db", file)
    assert resumed.code == 6
    assert resumed.out == ""
    assert "get it without --private" in resumed.err
    assert leaks(resumed.err) == []
    beginning = row["id"][: row["id"].index("user_") + 9]
    shown = command("show", beginning, "--private", "--json", "--db", file).json
    assert shown["session"]["title"] == row["title"]


@pytest.mark.parametrize("words", [("show", SESSION_ID, SESSION_ID), ("--Lovelace",), (PERSON,)])
def test_a_mistake_is_told_without_what_was_typed(command: Command, words: list[str]) -> None:
    said = command("--private", *words)
    assert said.code == 2
    assert said.err
    assert leaks(said.err) == []


def test_the_sessions_of_a_chat_are_found_by_its_mark(file: Path, command: Command) -> None:
    listed = command("list", "--all", "--json", "--limit", "0", "--db", file, "--private").json
    origins = {one["origin"] for one in listed["sessions"] if one["origin"]}
    marks = {found for one in origins for found in re.findall(MARK, str(one))}
    assert marks
    for mark in marks:
        assert _hits(command("search", f"chat:{mark}", "--json", "--db", file, "--private")), mark


def test_an_edit_writes_no_mark(file: Path, command: Command) -> None:
    before = command("show", SESSION_ID, "--json", "--db", file).json["session"]
    shown = command("show", SESSION_ID, "--private", "--json", "--db", file).json["session"]
    same = command("rename", SESSION_ID, shown["title"], "--yes", "--private", "--db", file)
    assert same.code == 0
    assert leaks(same.out + same.err) == []
    other = f"{re.findall(MARK, shown['title'])[0]} again"
    refused = command("rename", SESSION_ID, other, "--yes", "--private", "--db", file)
    assert refused.code == 6
    assert "has a mark in place of a name" in refused.err
    assert command("show", SESSION_ID, "--json", "--db", file).json["session"] == before
    for words in (("delete", SESSION_ID, "--yes"), ("trash", "list"), ("trash", "list", "--json")):
        assert leaks("".join(command(*words, "--private", "--db", file)[1:])) == []
    for more in ((), ("--json",)):
        kept = command("trash", "show", "1", *more, "--private", "--db", file)
        assert leaks(kept.out + kept.err) == []
    assert PERSON in command("trash", "show", "1", "--db", file).out, "the trash keeps the truth"
    assert PERSON in command("trash", "list", "--db", file).out
    assert leaks("".join(command("where", WORD, "--private", "--db", file)[1:])) == []
    undone = command("undo", "--yes", "--private", "--db", file)
    assert undone.code == 0
    assert leaks(undone.out + undone.err) == []
    after = command("show", SESSION_ID, "--json", "--db", file).json["session"]
    assert after == before


@pytest.mark.parametrize("words", [("show", ""), ("delete", "2026"), ("trash", "show", "")])
def test_completion_offers_no_name(file: Path, words: tuple[str, ...]) -> None:
    line = ("zsh", "session-explorer", "--private", "--db", str(file), *words)
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "complete", *line], capture_output=True, check=True
    )
    offered = done.stdout.decode()
    assert words[0] == "trash" or re.search(MARK, offered)
    assert leaks(offered) == []


def test_ids_that_mentions_need_stay_and_names_do_not(file: Path, command: Command) -> None:
    said = json.dumps(command("show", "planted_three", "--private", "--json", "--db", file).json)
    assert DISCORD_NAME not in said
    listed = command("show", "planted_three", "--private", "--db", file).out
    assert leaks(listed) == []


def test_it_costs_nothing_where_it_is_off(file: Path) -> None:
    code = (
        "import sys; from explorer.cli import main; main(sys.argv[1:]);"
        "print([one for one in sys.modules if '.private' in one], file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "list", "--db", file], capture_output=True, check=True
    )
    assert ran.stderr.decode().endswith("[]\n")

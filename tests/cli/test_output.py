"""What reaches a terminal or a pipe: clean text, colour only where it is wanted, no noise."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.render.clean import clean
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import T0, one_session, talk
from tests.hostile import HOSTILE

FORBIDDEN = re.compile(
    "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""Control characters except the newline, bidi controls and other invisible characters."""


def _run(*arguments: str | Path, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "explorer", *map(str, arguments)],
        env={**os.environ, **environment},
        capture_output=True,
        timeout=60,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return one_session(tmp_path / "state.db", "hello there", "General.", title="Greeting")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every hostile string as a title, a message, a name of a tool and an argument."""
    path = tmp_path_factory.mktemp("hostile") / "state.db"
    with StateFile.create(path) as state:
        for number, (_, text) in enumerate(HOSTILE):
            raw = text[:3000]
            # Only JSON, being ASCII, brings half a surrogate into a file.
            short = raw.encode("utf-8", "replace").decode("utf-8")
            name = f"s{number:03}"
            call = {"id": raw[:9], "function": {"name": raw[:99], "arguments": {"a": raw}}}
            talk(state, name, short, f"needle {short}", source=short[:30] or "cli")
            state.set_title(name, f"{number}{short[:90]}")
            state.append_message(
                name,
                "assistant",
                "",
                tool_calls=[call],
                reasoning=short,
                tool_name=short[:99],
                timestamp=T0 + 9,
            )
    return path


@pytest.mark.parametrize("arguments", [["list", "--all", "--limit", "0"], ["search", "needle"]])
def test_no_stored_text_reaches_the_terminal_as_a_control(
    hostile: Path, command: Command, arguments: list[str]
) -> None:
    said = command(*arguments, "--db", hostile)
    assert said.code == 0
    assert len(said.out.splitlines()) >= len(HOSTILE)
    assert FORBIDDEN.findall(said.out + said.err) == []


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_no_shown_message_reaches_the_terminal_as_a_control(
    hostile: Path, command: Command, form: str
) -> None:
    for number in range(len(HOSTILE)):
        said = command("show", "--format", form, "--db", hostile, f"s{number:03}")
        assert said.code == 0
        assert FORBIDDEN.findall(said.out + said.err) == []
        assert clean(said.out) == said.out


def test_a_hostile_id_is_cleaned_in_errors_too(tmp_path: Path, command: Command) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for end in "ab":
            talk(state, f"x\x1b[2J\u202e{end}", "hi")
    for typed in ("x", "\x1b]0;PWNED\x07"):
        said = command("show", "--db", path, "--", typed)
        assert said.code == 3
        assert FORBIDDEN.findall(said.err) == []


def _on_a_terminal(*arguments: str | Path, **environment: str) -> bytes:
    """What a command writes when its output is a terminal."""
    leader, follower = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "explorer", *map(str, arguments)],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=subprocess.PIPE,
            timeout=60,
        )
        assert done.returncode == 0
        return os.read(leader, 100_000)
    finally:
        os.close(leader)
        os.close(follower)


def test_list_and_search_show_words_without_markdown_and_reasoning(
    tmp_path: Path, command: Command
) -> None:
    answer = (
        "<think>a secret plan</think>\n## Result\nThe **arm64** image of [base](http://x) is gone."
    )
    path = one_session(tmp_path / "state.db", "**Why** does `docker` fail?", answer)
    listed = command("list", "--db", path).out
    assert "Why does docker fail?" in listed
    found = command("search", "--db", path, "image").out
    assert "Result The arm64 image of base is gone." in found
    assert "secret" not in listed + found
    assert "**arm64**" in command("search", "--db", path, "**").out, "what was searched for stays"


def test_colour_is_only_for_terminals(path: Path) -> None:
    assert b"\x1b[" in _on_a_terminal("show", "--db", path, "s")
    assert b"\x1b[" not in _run("show", "--db", path, "s").stdout


def test_no_color_turns_colour_off(path: Path) -> None:
    assert b"\x1b[" not in _on_a_terminal("show", "--db", path, "s", NO_COLOR="1")
    assert b"\x1b[" in _on_a_terminal("show", "--db", path, "s", NO_COLOR="")


def test_json_has_no_colour_even_on_a_terminal(path: Path) -> None:
    assert b"\x1b" not in _on_a_terminal("list", "--json", "--db", path)


@pytest.mark.parametrize("count", [1, 3000])
def test_a_reader_that_closes_its_pipe_is_not_an_error(tmp_path: Path, count: int) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(count):
            talk(state, f"s{number}", "hello " * 20)
    for arguments in (["list", "--limit", "0"], ["list", "--limit", "0", "--json"]):
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-m", "explorer", *arguments, "--db", str(path)],
            stdout=writer,
            stderr=subprocess.PIPE,
        )
        os.close(writer)
        os.close(reader)
        _, noise = process.communicate(timeout=60)
        assert process.returncode == 0
        assert b"Error" not in noise
        assert b"Traceback" not in noise


def test_the_first_line_is_enough_for_head(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(2000):
            talk(state, f"s{number}", "hello " * 20)
    listing = [sys.executable, "-m", "explorer", "list", "--limit", "0", "--db", str(path)]
    with subprocess.Popen(listing, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        head = subprocess.run(["head", "-1"], stdin=process.stdout, capture_output=True)
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        noise = process.stderr.read()
    assert head.stdout.startswith(b"s")
    assert process.returncode == 0
    assert b"Traceback" not in noise


def test_a_terminal_that_only_knows_ascii_is_supported(tmp_path: Path) -> None:
    path = one_session(tmp_path / "state.db", "naïve 字", title="Füße 🎉")
    for arguments in (["list"], ["show", "s"], ["search", "na"]):
        done = _run(*arguments, "--db", path, PYTHONIOENCODING="ascii", LC_ALL="C")
        assert done.returncode == 0
        assert done.stdout.isascii()


def test_messages_beside_the_result_go_to_standard_error(path: Path) -> None:
    done = _run("list", "--db", path, "--source", "slack")
    assert done.stdout == b""
    assert done.stderr.decode().splitlines() == [
        "No session matches · 1 filtered out",
        "No source 'slack' in this file. Sources: cli.",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["nowhere"],
            "No matches for “nowhere”\nTo search other profiles, the trash and snapshots too:"
            " session-explorer where --db {path} nowhere\n",
        ),
        (["needle"], "40 hits\n"),
        (["needle", "--limit", "3"], "3 of 40 hits (--limit 0 lists all)\n"),
    ],
)
def test_a_search_says_how_much_it_found(tmp_path: Path, arguments: list[str], words: str) -> None:
    path = one_session(tmp_path / "state.db", *["a needle"] * 40)
    said = _run("search", "--db", path, *arguments).stderr.decode()
    assert said == words.format(path=path)


def test_an_argument_that_is_not_text_finds_nothing_and_breaks_nothing(path: Path) -> None:
    strange = os.fsdecode(b"\xff\xfe")
    assert _run("show", "--db", path, strange).returncode == 3
    assert _run("search", "--db", path, strange).returncode == 0
    missing = _run("list", "--db", path.parent / strange)
    assert missing.returncode == 5
    assert b"Traceback" not in missing.stderr


def test_a_document_is_written_in_few_pieces(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a buffer, each piece is a system call."""
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        for number in range(100):
            talk(state, f"s{number}", "hello", at=T0 + number)
    pieces: list[str] = []
    written = sys.stdout.write

    def noted(text: str) -> int:
        pieces.append(text)
        return written(text)

    monkeypatch.setattr(sys.stdout, "write", noted)
    command("list", "--json", "--limit", "0", "--db", path)
    assert len("".join(pieces)) > 50_000
    assert len(pieces) < 10

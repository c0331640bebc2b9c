"""Every example of every command's --help works as it is printed."""

import os
import pty
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.arguments.commands import COMMANDS, command_parser, parse, parser
from explorer.arguments.examples import HELP, OVERVIEW
from explorer.demo import write_demo
from explorer.errors import ExitCode
from explorer.search.language.reference import WORDS
from explorer.search.language.vocabulary import FIELDS
from tests.conftest import Command

NOW = 1793715060.0
"""So that the demo has the id of the examples: 3 November 2026, 14:11 UTC."""
BEFORE = {
    "unpin": "pin --yes 'Trip to Kyoto'",
    "undo": "delete --yes 'Trip to Kyoto'",
    "trash": "delete --yes 'Trip to Kyoto'",
    "clear": "clear --yes 'Window functions, once and for all'",
    "delete": "delete --yes 'Weekly report'",
    "config": "config path",
    "pin": "pin --yes 'Weekly report'",
}
"""What must have happened before the examples of a command make sense."""
EXAMPLES = [
    (name, example.line)
    for name, about in (*HELP.items(), ("", None))
    for example in (OVERVIEW if about is None else about.examples)
]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "state.db"
    write_demo(path, NOW)
    return path


@pytest.fixture
def _ready(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A file of our own, an agent that can be resumed, and a terminal that answers yes."""
    (tmp_path / "backup").mkdir()
    for folder in (tmp_path, tmp_path / "backup"):
        (folder / "state.db").write_bytes(demo.read_bytes())
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hermes").write_text("#!/bin/sh\necho resumed\n")
    (tmp_path / "bin" / "hermes").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SESSION_EXPLORER_DB", str(tmp_path / "state.db"))
    monkeypatch.setattr("time.time", lambda: NOW)
    monkeypatch.chdir(tmp_path)
    leader, follower = pty.openpty()
    os.write(leader, b"y\n")
    with open(follower) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        yield
    os.close(leader)


@pytest.mark.usefixtures("_ready")
@pytest.mark.parametrize(("name", "line"), EXAMPLES, ids=[line for _, line in EXAMPLES])
def test_an_example_works(name: str, line: str, command: Command) -> None:
    ours = line.removeprefix("source <(").removesuffix(")").partition(" | ")[0].partition(" > ")[0]
    program, *words = shlex.split(ours)
    assert program == "session-explorer"
    if "--db" in words:
        words = [os.path.expanduser(word) for word in words]
    options = parse(words)
    if options.command is None or (options.command == "demo" and not options.write):
        # The app: other tests open it.
        return
    if options.command == "resume" and not options.print:
        # In a process of its own, which becomes the agent.
        done = subprocess.run(
            [sys.executable, "-m", "explorer", *words, "--force"], capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (ExitCode.DONE, "resumed\n"), done.stderr
        return
    if name in BEFORE or options.command == "undo":
        before = BEFORE.get(name, BEFORE["undo"])
        assert command(*shlex.split(before)).code == ExitCode.DONE
    if options.command == "config" and options.what == "validate":
        assert command("config", "init").code == ExitCode.DONE
    said = command(*words)
    assert said.code == ExitCode.DONE, said.err
    assert "Nothing to do" not in said.err
    assert "No matches" not in said.err
    if options.command in ("list", "show", "search", "info", "trash", "config", "completion"):
        assert said.out or options.what in ("restore", "purge")


def test_every_command_has_two_or_more_examples_of_its_own() -> None:
    assert set(HELP) == set(COMMANDS)
    for name, about in HELP.items():
        mine = [one for one in about.examples if f"session-explorer {name}" in one.line]
        assert len(about.examples) >= 2, name
        assert mine, name


def test_the_help_of_search_has_the_search_language() -> None:
    words = " ".join(command_parser("search").format_help().split())
    for name, kind in FIELDS.items():
        assert f" {name}: {kind.words}" in words
        assert f"Example: {kind.example}" in words
        if kind.takes == "choice":
            assert ", ".join(kind.offers) in words
    for typed, does in WORDS:
        assert f"{typed} {does}" in words


def test_help_fits_a_terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for text in (parser().format_help(), *(command_parser(one).format_help() for one in COMMANDS)):
        assert "examples:\n  s" in text
        assert [line for line in text.splitlines() if len(line) >= 80] == []

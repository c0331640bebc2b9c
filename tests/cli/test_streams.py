"""Streams that are closed or full, folders that are gone, programs that cannot be run: a sentence
and the right exit code."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from tests.conftest import Command
from tests.factories import one_session

READS = ("list", "list --json", "info", "show s", "search hello", "search --json-lines hello")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "ours"))
    return one_session(tmp_path / "state.db", title="Trip")


def _shell(line: str, path: Path) -> tuple[int, str]:
    """(exit code, standard error) of a shell command."""
    done = subprocess.run(
        ["sh", "-c", line.replace("EXPLORER", f"{sys.executable} -m explorer")],
        env={**os.environ, "SESSION_EXPLORER_DB": str(path)},
        cwd=Path(__file__).parents[2],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("output", [">&-", "> /dev/full"])
@pytest.mark.parametrize("command", READS)
def test_a_result_that_cannot_be_written_is_reported(command: str, output: str, path: Path) -> None:
    code, said = _shell(f"EXPLORER {command} {output}", path)
    assert "Cannot write to standard output" in said
    assert "Traceback" not in said
    assert code == ExitCode.FAILED


def test_help_that_cannot_be_written_is_a_failure(path: Path) -> None:
    code, said = _shell("EXPLORER --help > /dev/full", path)
    assert (code, "Traceback" in said, "Exception" in said) == (ExitCode.FAILED, False, False)


@pytest.mark.parametrize("output", ["2>&-", "2> /dev/full"])
def test_a_closed_standard_error_does_not_stop_the_command(output: str, path: Path) -> None:
    assert _shell(f"EXPLORER rename --yes --force s Kyoto {output}", path)[0] == ExitCode.DONE
    assert _shell(f"EXPLORER show nobody {output}", path)[0] == ExitCode.NO_SUCH_SESSION


@pytest.mark.parametrize("command", ["delete s", "undo", "resume s", "", "trash purge --all"])
def test_without_an_input_nothing_is_asked(command: str, path: Path) -> None:
    code, said = _shell(f"EXPLORER {command} <&-", path)
    assert code in (ExitCode.REFUSED, ExitCode.USAGE, ExitCode.FAILED)
    assert said.startswith("session-explorer: ")
    assert "Traceback" not in said


def test_with_all_streams_closed_the_file_is_left_alone(path: Path) -> None:
    before = path.read_bytes()
    assert _shell("EXPLORER list <&- >&- 2>&-", path)[0] == ExitCode.FAILED
    assert path.read_bytes() == before


def test_a_current_folder_that_was_deleted(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for arguments in (["list"], ["show", "s"], ["delete", "--yes", "--force", "s"], ["undo", "-y"]):
        assert command(*arguments, "--db", path).code == 0, arguments
    said = command("list", "--db", "state.db")
    assert said.code == ExitCode.USAGE
    assert "current folder was deleted" in said.err
    assert command("list").code == ExitCode.CANNOT_OPEN


@pytest.mark.parametrize("content", ["#!/no/such/interpreter\n", "\x00\x01 no program"])
def test_an_agent_that_cannot_be_run_is_reported(
    content: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "hermes").write_text(content)
    (programs / "hermes").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    said = command("resume", "--force", "s", "--db", path)
    assert said.code == ExitCode.FAILED
    assert "Cannot start the agent" in said.err


TOO_LARGE = "9" * 20


@pytest.mark.parametrize(
    "arguments",
    [
        ["trash", "restore", TOO_LARGE],
        ["trash", "restore", TOO_LARGE, "s"],
        ["trash", "show", TOO_LARGE],
        ["trash", "purge", TOO_LARGE],
        ["undo", TOO_LARGE],
        ["search", "--json-lines", "--limit", TOO_LARGE, "hello"],
    ],
)
def test_a_number_that_no_file_can_hold_is_refused(
    arguments: list[str], path: Path, command: Command
) -> None:
    assert command("delete", "--yes", "--force", "s", "--db", path).code == 0
    said = command(*arguments, "--db", path)
    assert said.code == ExitCode.USAGE
    assert "is too large" in said.err


def test_a_second_control_c_is_handled_like_the_first() -> None:
    """It may come while the first one is being handled, outside every handler."""
    twice = (
        "import explorer.cli\n"
        "def main(arguments):\n"
        "    raise KeyboardInterrupt\n"
        "explorer.cli.main = main\n"
        "explorer.cli.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", twice], capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (ExitCode.INTERRUPTED, b"")

"""What a person reads on a terminal has a heading, and a pager if it is long. Scripts get the same
bytes as ever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import T0, altered, talk
from tests.terminal import Terminal

SESSIONS = 60


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pager") / "state.db"
    with StateFile.create(path) as state:
        for number in range(SESSIONS):
            title = None if number == 7 else f"Title {number}"
            talk(state, f"id{number:02}", f"say needle {number}", title=title, at=T0 - number * 60)
    return path


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    """Where the pager of these tests keeps what it was given."""
    program = tmp_path / "pager"
    program.write_text(f"#!/bin/sh\ncat > {tmp_path}/seen\necho shown by the pager\n")
    program.chmod(0o755)
    return tmp_path / "seen"


def _on_terminal(*words: str | Path, **environment: str) -> tuple[int, str]:
    """(exit code, everything that was written) on a terminal of 24 lines."""
    with Terminal([*map(str, words)], (80, 24), environment) as terminal:
        code = terminal.leave()
        return code, terminal.raw.decode()


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("list --limit 0", "Id    Active      Source  Messages  Title"),
        ("list --limit 0 --sort cost", "Id    Active      Cost  Source  Messages  Title"),
        ("search --limit 0 needle", "Title  id · source · where · when"),
    ],
)
def test_long_output_is_shown_in_the_pager_under_a_heading(
    line: str, heading: str, path: Path, seen: Path
) -> None:
    environment = {"PAGER": str(seen.with_name("pager")), "NO_COLOR": "1"}
    code, shown = _on_terminal(*line.split(), "--db", path, **environment)
    assert code == 0
    lines = seen.read_text().splitlines()
    assert lines[0] == heading
    assert len(lines) > SESSIONS
    # What is said beside the result comes when the pager has ended.
    assert shown.startswith("shown by the pager\r\n60 ")
    assert "\x1b" not in seen.read_text()


@pytest.mark.parametrize(
    "words", [["--limit", "5"], ["--limit", "0", "--no-pager"], ["--limit", "0", "--json"]]
)
def test_what_is_short_or_not_for_a_pager_is_printed(
    words: list[str], path: Path, seen: Path
) -> None:
    pager = str(seen.with_name("pager"))
    code, shown = _on_terminal("list", *words, "--db", path, PAGER=pager)
    assert code == 0
    assert not seen.exists()
    assert "id04" in shown
    assert shown.lstrip("\x1b[2m").startswith("{" if "--json" in words else "Id    Active")


def test_a_terminal_that_cannot_draw_gets_no_pager(path: Path, seen: Path) -> None:
    pager = str(seen.with_name("pager"))
    code, _ = _on_terminal("list", "--limit", "0", "--db", path, PAGER=pager, TERM="dumb")
    assert (code, seen.exists()) == (0, False)


@pytest.mark.parametrize(
    ("pager", "said"),
    [
        ("", ""),
        ("no-such-pager", "Cannot find no-such-pager"),
        ("less 'unclosed", "Invalid command"),
        ("/", "Cannot find /"),
        ("FOLDER/broken", "Cannot start"),
        ("cat", ""),
        ("env cat", ""),
    ],
)
def test_without_a_pager_that_runs_all_is_printed(
    pager: str, said: str, path: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken").write_text("#!/no/such/interpreter\n")
    (tmp_path / "broken").chmod(0o755)
    pager = pager.replace("FOLDER", str(tmp_path))
    code, shown = _on_terminal("list", "--limit", "0", "--db", path, PAGER=pager)
    assert code == 0
    assert f"Title {SESSIONS - 1}\x1b" in shown
    assert said in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    ("pager", "said"), [("head -1", ""), ("true", ""), ("false", "exited with code 1")]
)
def test_a_pager_that_ends_early_is_not_an_error(pager: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "long", *["word " * 2000] * 200)
    code, shown = _on_terminal("show", "long", "--db", path, PAGER=pager)
    assert code == 0
    assert said in shown
    assert "Traceback" not in shown
    assert "Error" not in shown


def test_the_usual_pager_is_quit_with_q(path: Path) -> None:
    with Terminal(
        ["list", "--limit", "0", "--db", str(path)], (80, 24), {"PAGER": "less", "LESS": "FRX"}
    ) as terminal:
        terminal.until("Active", "Title 3", ":")
        terminal.press(b"q")
        assert terminal.leave() == 0
        assert "60 sessions" in terminal.text
        assert "Traceback" not in terminal.text


def test_control_c_is_for_the_pager(path: Path, tmp_path: Path) -> None:
    program = tmp_path / "pager.py"
    program.write_text(
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, lambda *_: print('interrupted', flush=True))\n"
        "sys.stdin.read()\n"
        "print('ready', flush=True)\n"
        "open('/dev/tty').readline()\n"
    )
    pager = f"{sys.executable} {program}"
    words = ["list", "--limit", "0", "--db", str(path)]
    with Terminal(words, (80, 24), {"PAGER": pager}) as terminal:
        terminal.until("ready")
        terminal.press(b"\x03")
        terminal.until("interrupted")
        terminal.press(b"\n")
        assert terminal.leave() == 0
        assert "60 sessions" in terminal.text


def test_a_script_gets_the_same_bytes_as_ever(path: Path) -> None:
    """Also with a pager set, and on a terminal that is only the input."""
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "list", "--limit", "0", "--db", str(path)],
        env={**os.environ, "PAGER": "false", "TERM": "xterm"},
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == SESSIONS
    assert lines[3] == "id03                        2025-10-09  cli               1  Title 3"
    assert done.stderr == "60 sessions\n"


def test_a_hit_without_a_title_is_named_by_its_first_words(path: Path, command: Command) -> None:
    said = command("search", '"say needle 7"', "--db", path)
    assert said.out.splitlines()[0].startswith("say needle 7  id07 · cli · user content")
    found = command("search", '"say needle 7"', "--json", "--db", path).json["hits"]
    assert found[0]["title"] is None


def test_no_hit_has_no_heading(path: Path) -> None:
    code, shown = _on_terminal("search", "nosuchword", "--db", path)
    assert code == 0
    assert "Title  id" not in shown
    assert "nosuchword" in shown


def test_wide_characters_are_counted_by_their_cells(tmp_path: Path, seen: Path) -> None:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "wide", "\n".join(["漢" * 70] * 14))
    code, _ = _on_terminal("show", "wide", "--db", file, PAGER=str(seen.with_name("pager")))
    assert code == 0
    assert "漢" in seen.read_text(encoding="utf-8")


def test_wrong_settings_are_reported_when_the_pager_is_quit(tmp_path: Path) -> None:
    folder = tmp_path / "session-explorer"
    folder.mkdir()
    # More than a pipe holds, so that the pager ends before all is written.
    wrong = "".join(f'no-such-{number} = "{"x" * 400}"\n' for number in range(300))
    (folder / "config.toml").write_text(f"[keys]\n{wrong}")
    environment = {"PAGER": "true", "XDG_CONFIG_HOME": str(tmp_path)}
    code, shown = _on_terminal("config", "show", **environment)
    assert code == ExitCode.USAGE
    assert "no-such-7" in shown


def test_a_list_sorted_by_a_figure_shows_what_is_known_of_it(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "one", "hello", title="Half known")
    with altered(file) as db:
        db.execute(
            "UPDATE sessions SET input_tokens = NULL, output_tokens = 1200, actual_cost_usd = 1.5"
        )
    assert " 1,200  " in _on_terminal("list", "--sort", "tokens", "--db", file)[1]
    assert " $1.50  " in _on_terminal("list", "--sort", "cost", "--db", file)[1]

"""The tab key in real shells: nothing that is stored is ever run, and what was chosen arrives as
one argument that means that session."""

import ast
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.completion.scripts import SCRIPTS
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.kinds import open_store
from explorer.stores.resolve import resolve
from tests.factories import talk
from tests.terminal import Terminal

TITLES = {
    "aa": "aa $(touch pwned)",
    "bb": "bb `touch pwned`",
    "cc": "cc 'single' \"double\"",
    "dd": "dd; touch pwned",
    "ee": "ee *?[a]{b,c} ~ # ! ^",
    "ff": "ff | cat > pwned & \\ <in",
    "gg": "gg Füße 字 🎉",
    "hh": "hh: 10@home = ${HOME}",
    "jj": "jj\nsecond line",
    "kk": "kk \x1b[31mred\x07 \u202eback",
    "ll": "ll %s \\n $'x'",
    "-n": "-n --yes",
}
"""By what is typed before the tab key."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A state file, and a program that only notes its arguments, except when it completes."""
    with StateFile.create(tmp_path / "state.db") as state:
        for number, title in enumerate(TITLES.values()):
            source = "telegram" if number else "cli"
            talk(state, f"20261103_{number:02}", "hello", source=source, end="cli_close")
            state.set_title(f"20261103_{number:02}", title)
    for shell, script in SCRIPTS.items():
        (tmp_path / f"completion.{shell}").write_text(script)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "session-explorer"
    program.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "if sys.argv[1] == 'complete':\n"
        f"    os.execv(sys.executable, [sys.executable, '-m', 'explorer', *sys.argv[1:]])\n"
        f"open({str(tmp_path / 'arguments')!r}, 'a').write(ascii(sys.argv[1:]) + '\\n')\n"
    )
    program.chmod(0o755)
    return tmp_path


@pytest.fixture
def shell(request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[str, Terminal]]:
    name: str = request.param
    if name != "bash" and shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    starts = {
        "bash": ["--norc", "--noprofile", "-i"],
        "zsh": ["-f", "-i"],
        "fish": ["--no-config", "-i"],
    }
    ready = {
        "bash": "PS1='ready> '; source completion.bash",
        "zsh": "autoload -U compinit; compinit -u -D; PS1='ready> '; source completion.zsh",
        "fish": "function fish_prompt; echo -n 'ready> '; end; source completion.fish",
    }
    environment = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "SESSION_EXPLORER_DB": str(folder / "state.db"),
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "LC_ALL": "C.UTF-8",
        "HISTFILE": "",
    }
    before = Path.cwd()
    os.chdir(folder)
    try:
        with Terminal(starts[name], (100, 30), environment, program=name) as terminal:
            terminal.press(f"{ready[name]}\r".encode())
            terminal.until("\nready>")
            yield name, terminal
    finally:
        os.chdir(before)


def _chosen(folder: Path, terminal: Terminal, line: str) -> list[str]:
    """The arguments that arrive when this is typed, then the tab key, then enter."""
    noted = folder / "arguments"
    noted.unlink(missing_ok=True)
    terminal.press(f"session-explorer {line}\t\r".encode())
    terminal.until(lambda text: noted.exists() and noted.read_text().endswith("\n"))
    found: list[str] = ast.literal_eval(noted.read_text())
    return found


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"], indirect=True)
def test_a_title_is_completed_as_one_argument(shell: tuple[str, Terminal], folder: Path) -> None:
    _, terminal = shell
    store = open_store(folder / "state.db")
    for number, (typed, title) in enumerate(TITLES.items()):
        line = f"show -- {typed}" if typed.startswith("-") else f"show {typed}"
        chosen = _chosen(folder, terminal, line)
        assert chosen[-1] == title
        assert chosen[:-1] == line.split()[:-1]
        assert resolve(store, chosen[-1]).id == f"20261103_{number:02}"
    assert not (folder / "pwned").exists()
    assert "command not found" not in terminal.text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"], indirect=True)
def test_commands_options_and_their_values_are_completed(
    shell: tuple[str, Terminal], folder: Path
) -> None:
    (folder / "profiles" / "work").mkdir(parents=True)
    _, terminal = shell
    for line, arguments in (
        ("li", ["list"]),
        ("list --sou", ["list", "--source"]),
        ("list --sort me", ["list", "--sort", "messages"]),
        ("list --sort=me", ["list", "--sort=messages"]),
        ("list --source tele", ["list", "--source", "telegram"]),
        ("show 20261103_03", ["show", "20261103_03"]),
        ("--db . list --profile wo", ["--db", ".", "list", "--profile", "work"]),
        ("--db sta", ["--db", "state.db"]),
        ("trash li", ["trash", "list"]),
        ("completion f", ["completion", "fish"]),
    ):
        assert _chosen(folder, terminal, line) == arguments


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"], indirect=True)
def test_a_title_is_completed_within_quotes(shell: tuple[str, Terminal], folder: Path) -> None:
    _, terminal = shell
    for line in ("show 'aa", 'show "aa', "show 'aa $(t", r"show aa\ "):
        assert _chosen(folder, terminal, line) == ["show", TITLES["aa"]]
    for line in (r"show hh:\ 10@h", "show 'hh: 10@h", 'show "hh: 1'):
        assert _chosen(folder, terminal, line) == ["show", TITLES["hh"]]
    assert not (folder / "pwned").exists()

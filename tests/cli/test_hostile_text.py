"""No command prints stored control characters: every command, for every text in a file."""

import shutil
import subprocess
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.hermes.create.state_file import StateFile
from tests.cli.test_output import FORBIDDEN
from tests.conftest import Command
from tests.factories import T0, altered, talk
from tests.hostile import BEL, ESC

ODD = f"x{ESC}]0;PWNED{BEL}{ESC}[2J\x9b2J\r\u202e'\\y"
"""Sets a title, clears the screen, overprints, reverses the direction, ends a quote."""
KEPT = ("id", "parent_session_id", "session_id", "role", "title", "cwd")
"""Columns by which a session is found; they are made odd one by one."""

COMMANDS = {
    "list": ["list", "--all", "--archived"],
    "show": ["show", "s"],
    "show everything": ["show", "s", "--all", "--conversation"],
    "show as Markdown": ["show", "s", "--format", "markdown"],
    "search": ["search", "needle"],
    "search, nothing found": ["search", f"=nothing{ESC}[2J"],
    "info": ["info"],
    "resume": ["resume", "s", "--print"],
    "resume what has an odd id": ["resume", "--print", f"t{ODD}"],
    "rename": ["rename", "s", f"new{ODD}", "--dry-run"],
    "rename to what is taken": ["rename", "s", "taken", "--dry-run"],
    "archive": ["archive", "s", "--dry-run"],
    "pin": ["pin", "s", "--dry-run"],
    "end": ["end", "s", "--dry-run", "--force"],
    "reopen": ["reopen", "s", "--dry-run"],
    "clear": ["clear", "s", "--dry-run"],
    "delete": ["delete", "s", "--dry-run"],
    "delete what has an odd id": ["delete", f"t{ODD}", "--dry-run"],
    "prune": ["prune", "--older-than", "1d", "--include-open", "--dry-run"],
    "an id that is none": ["show", f"{ODD}"],
    "a source that is none": ["list", "--source", ODD],
    "delete it": ["delete", "s", "--yes"],
    "the trash": ["trash", "list"],
    "what is in it": ["trash", "show", "1"],
    "undo": ["undo", "--dry-run"],
    "undo it": ["undo", "--yes"],
    "prune all": ["prune", "--older-than", "1d", "--include-open", "--yes"],
    "restore a part": ["trash", "restore", "2", "s", "--yes"],
    "purge": ["trash", "purge", "--all", "--yes"],
}
"""Those that change something come last, in this order."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session of which every text is odd, beside one with an odd id and one with a wanted title,
    in a home and with a workspace whose names are odd."""
    home = tmp_path / f"home{ESC}[2J{BEL}"
    workspace = home / f"work{ESC}]0;PWNED{BEL}'\\ space"
    workspace.mkdir(parents=True)
    path = home / "state.db"
    with StateFile.create(path) as state:
        talk(state, "s", "needle", "An answer.", "needle", title="plain", end="cli_close")
        talk(state, f"t{ODD}", "needle", title=f"odd {ODD}")
        talk(state, "u", "needle", parent="s", config={"_delegate_from": "s"}, title="taken")
        call = {"id": ODD, "function": {"name": ODD, "arguments": {ODD: ODD}}}
        state.append_message("s", "assistant", ODD, tool_calls=[call], reasoning=ODD, timestamp=T0)
    with altered(path) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        for table in ("sessions", "messages"):
            for _, name, kind, *_ in db.execute(f"PRAGMA table_info({table})").fetchall():
                if kind == "TEXT" and name not in KEPT:
                    text = "content || ' ' || ?" if name == "content" else "?"
                    db.execute(f'UPDATE {table} SET "{name}" = {text}', (ODD,))
        db.execute("UPDATE sessions SET title = ?, cwd = ? WHERE id = 's'", (ODD, str(workspace)))
    return path


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_no_command_prints_stored_control_characters(
    path: Path, command: Command, as_json: bool
) -> None:
    for what, arguments in COMMANDS.items():
        if as_json and arguments[0] == "resume":
            continue
        end = ["--json"] if as_json else []
        first, *rest = arguments
        said = command(first, *end, "--db", path, *rest)
        assert said.code in (0, 3, 6), (what, said)
        assert FORBIDDEN.findall(said.out + said.err) == [], what
        assert "Traceback" not in said.err, what


OF_GONE = (
    ["trash", "list"],
    ["trash", "show", "1"],
    ["trash", "restore", "1"],
    ["trash", "purge", "1", "s", "--dry-run"],
    ["trash", "purge", "--all", "--dry-run"],
    ["trash", "purge", "--all", "--yes"],
)


@pytest.mark.parametrize("as_json", [False, True], ids=["text", "json"])
def test_no_command_prints_those_in_the_path_of_a_file_that_is_gone(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: Command,
    as_json: bool,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert command("delete", "s", "--yes", "--db", path).code == ExitCode.DONE
    shutil.rmtree(path.parent)
    end = ["--json"] if as_json else []
    for arguments in OF_GONE:
        said = command(*arguments, *end, "--db", path)
        done = ExitCode.REFUSED if "restore" in arguments else ExitCode.DONE
        assert said.code == done, (arguments, said)
        assert FORBIDDEN.findall(said.out + said.err) == [], arguments


def test_a_shell_reads_a_printed_command_correctly(path: Path, command: Command) -> None:
    line = command("resume", "s", "--print", "--db", path).out.strip()
    folder = line.partition(" && ")[0]
    done = subprocess.run(["bash", "-c", f"{folder} && pwd"], capture_output=True, check=True)
    assert done.stdout.decode().strip() == str(next(path.parent.glob("work*")))

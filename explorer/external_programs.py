"""The user's own programs to read a text with: an editor or a pager, as variables name them.

A command is a list of arguments, split as a shell would but never given to one.
"""

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from explorer.errors import ExplorerError


class Program(StrEnum):
    """What to open a text in."""

    EDITOR = "editor"
    PAGER = "pager"


VARIABLES = {Program.EDITOR: ("VISUAL", "EDITOR"), Program.PAGER: ("PAGER",)}
DEFAULTS = {Program.PAGER: "less"}


def command_of(program: Program, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The command to which the name of a file is added; an error that says what to set."""
    names = VARIABLES[program]
    named = " or ".join(f"${name}" for name in names)
    for name in names:
        line = environment.get(name, "").strip()
        if line:
            return _found(line, f"${name}", environment)
    if program not in DEFAULTS:
        raise ExplorerError(f"No {program} is set", f"Set {named} to your {program}.")
    return _found(DEFAULTS[program], f"{named} is not set; the default", environment)


def run(command: Sequence[str], path: Path) -> int:
    """Run it in this terminal until it ends."""
    try:
        return subprocess.run([*command, str(path)], check=False).returncode
    except OSError as error:
        raise ExplorerError(f"Cannot start {command[0]}", f"{error.strerror}.") from error


def _found(line: str, origin: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    try:
        command = tuple(shlex.split(line))
    except ValueError as error:
        raise ExplorerError("Invalid command", f"{origin} is {line!r}: {error}.") from error
    if shutil.which(command[0], path=environment.get("PATH")) is None:
        raise ExplorerError(
            f"Cannot find {command[0]}", f"{origin} is {command[0]}, which is not on the PATH."
        )
    return command

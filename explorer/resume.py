"""Handing a session back to its agent: which program, with which arguments, where; and the agent's
own commands for what only it can do to its file.

A command is a list of arguments, never a line for a shell. Only ids that are plain names go into
it, because an id may hold anything.
"""

import errno
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.errors import ExplorerError, Refused
from explorer.model import SAFE_ID, Session
from explorer.render.figures import ago, count, plural
from explorer.settings import Config
from explorer.stores.base import Handover, Store, TooLong
from explorer.stores.sqlite.failures import short_path

ANSWER_WITHIN = 5.0
"""Seconds for the agent to say what it can do."""


class Command(NamedTuple):
    """A program to give way to."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    """What is set for it, beyond our own environment."""
    folder: str | None
    """Where it starts, if the session's workspace still exists."""

    def line(self) -> str:
        """The same for a person to copy into a shell."""
        words = [f"{name}={_quoted(value)}" for name, value in self.environment.items()]
        words += map(_quoted, self.arguments)
        start = f"cd {_quoted(self.folder)} && " if self.folder else ""
        return start + " ".join(words)


def _quoted(word: str) -> str:
    """A word for a shell. The name of a folder may hold anything: what a terminal would act upon is
    spelt out, in the form that bash, zsh and ksh read."""
    if word.isprintable():
        return shlex.quote(word)
    spelt = (
        char
        if char.isprintable() and char not in "\\'"
        else "".join(f"\\x{byte:02x}" for byte in os.fsencode(char))
        for char in word
    )
    return f"$'{''.join(spelt)}'"


def command_for(store: Store, session: Session, config: Config) -> Command:
    """How to resume a session: always at the tip of its conversation."""
    if not re.fullmatch(SAFE_ID, session.tip_id):
        raise Refused(
            "An id that is no plain name",
            "This session's id holds characters that could mean something else in a command, so"
            " it is not handed to one.",
        )
    handover = store.handover()
    if isinstance(handover, str) and not config.resume_command:
        raise Refused("Cannot be resumed from here", handover)
    known = handover if isinstance(handover, Handover) else Handover("", (), {}, "")
    place = session.workspace or ""
    folder = place if os.path.isabs(place) and "\0" not in place and os.path.isdir(place) else None
    values = {
        "{id}": session.tip_id,
        "{profile}": known.profile,
        "{home}": known.environment.get("HERMES_HOME", ""),
        "{workspace}": folder or "",
    }
    template = config.resume_command or (known.program, *known.arguments)
    arguments = tuple(_filled(part, values) for part in template)
    return Command(arguments, known.environment, folder)


def why_running(session: Session, now: float) -> str:
    """Why a session counts as running, and what a second client would do."""
    used = ago(session.last_active, now)
    when = "just now" if used == "now" else f"{used} ago"
    return (
        f"It has not ended and was written to {when}, or a process holds it. A second client"
        " on it could fork the conversation."
    )


def why_too_long(found: TooLong) -> str:
    """Why the agent does not take a conversation, and the way around."""
    refuses = "refuses" if found.certain else "may refuse"
    where = short_path(Path(found.path))
    return (
        f"Hermes {refuses} to resume more than {plural(found.limit, 'message')}, and this"
        f" conversation has {count(found.messages)}. To lift the limit, set {found.setting}: 0 in"
        f" {where}."
    )


def installed(command: Command) -> bool:
    """Whether the program can be found."""
    return program_of(command) is not None


def program_of(command: Command) -> str | None:
    """Where the program is, looked up before anybody goes to the session's workspace: there may be
    another one of the same name. So no folder of the PATH counts that is told from the current one,
    and a path that is told so is taken from here, unless it leads into the workspace."""
    name = command.arguments[0]
    if os.path.isabs(name):
        return shutil.which(name)
    if os.path.dirname(name):
        found = os.path.realpath(name)
        home = os.path.realpath(command.folder) if command.folder else None
        inside = home is not None and os.path.commonpath([home, found]) == home
        return None if inside else shutil.which(found)
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return shutil.which(name, path=os.pathsep.join(filter(os.path.isabs, folders)))


def fitted(command: Command, handover: Handover | str, config: Config) -> Command:
    """The command without what the installed agent does not know: early ones have no profiles."""
    if isinstance(handover, str) or config.resume_command or handover.has_profiles:
        return command
    if "-p" not in command.arguments or _knows_profiles(command):
        return command
    at = command.arguments.index("-p")
    return command._replace(arguments=command.arguments[:at] + command.arguments[at + 2 :])


def give_way(command: Command) -> None:
    """Become the agent; comes back only if that fails."""
    try:
        program = _found(command)
        if command.folder:
            os.chdir(command.folder)
        os.execve(program, list(command.arguments), {**os.environ, **command.environment})
    except OSError as error:
        # Found on the PATH, but its interpreter is gone, or it is no program at all.
        raise _not_started(command, error) from error


def run(command: Command) -> int:
    """Run the agent in this terminal until it ends."""
    try:
        return subprocess.run(
            command.arguments,
            executable=_found(command),
            env={**os.environ, **command.environment},
            cwd=command.folder,
            check=False,
        ).returncode
    except OSError as error:
        raise _not_started(command, error) from error


def _found(command: Command) -> str:
    program = program_of(command)
    if program is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command.arguments[0])
    return program


def _not_started(command: Command, error: OSError) -> ExplorerError:
    why = f"{error.filename or command.arguments[0]}: {error.strerror}."
    return ExplorerError("Cannot be started", f"{why} Check how it is installed.")


def _knows_profiles(command: Command) -> bool:
    """Whether the agent's help speaks of profiles; what gives no help is taken to know them."""
    try:
        answer = subprocess.run(
            [command.arguments[0], "--help"],
            executable=_found(command),
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            env={**os.environ, **command.environment},
            timeout=ANSWER_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return True
    said = answer.stdout.lower()
    return "resume" not in said or "profile" in said


def _filled(part: str, values: Mapping[str, str]) -> str:
    """A part of the template; each placeholder once, so that a value cannot hold another."""
    return re.sub("|".join(map(re.escape, values)), lambda found: values[found[0]], part)


OPTIMIZE = ("sessions", "optimize")


def own_command(store: Store, *words: str) -> Command | None:
    """A command of the agent's about this very file, as far as it can be told to open it."""
    handover = store.handover()
    if isinstance(handover, str):
        return None
    arguments = (handover.program, "-p", handover.profile, *words)
    return fitted(Command(arguments, handover.environment, None), handover, Config())


def delete_commands(store: Store, ids: Sequence[str], sure: bool) -> list[Command]:
    """The agent's own delete, which takes one session at a time; it asks itself unless `sure`."""
    if not all(re.fullmatch(SAFE_ID, id_) for id_ in ids):
        raise Refused(
            "An id that is no plain name",
            "A session's id holds characters that could mean something else in a command, so it"
            " is not handed to one.",
        )
    one = own_command(store, "sessions", "delete")
    if one is None:
        return []
    end = ("--yes",) if sure else ()
    return [one._replace(arguments=(*one.arguments, id_, *end)) for id_ in ids]

"""Handing a session back to its agent: which program, with which arguments, where; and the agent's
own commands for what only it can do to its file.

A command is a list of arguments, never a line for a shell. Only safe ids go into it, because an id
may hold anything.
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
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural, when
from explorer.settings import Config
from explorer.stores.base import Handover, Store, TooLong
from explorer.stores.sqlite.failures import short_path

ANSWER_WITHIN = 5.0
"""Seconds for the agent to print its help."""


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
    """A word for a shell. The name of a folder may hold anything: what a terminal would act on is
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
    _check_ids("Cannot resume", session.tip_id)
    handover = store.handover()
    if isinstance(handover, str) and not config.resume_command:
        raise Refused("Cannot resume", handover)
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


def call_for(store: Store, session: Session, config: Config) -> str:
    """The call that resumes a session in a program of the user's, where neither the agent nor the
    settings have a command for it; empty where one of them has."""
    if config.resume_command or isinstance(store.handover(), Handover):
        return ""
    return store.resume_call(session)


def _check_ids(title: str, *ids: str) -> None:
    """Refuse ids that could mean something else on a command line."""
    for id_ in ids:
        if not re.fullmatch(SAFE_ID, id_):
            message = f"The id “{clean_line(id_, 100)}” is not safe on a command line."
            raise Refused(title, message)


def why_running(session: Session, now: float) -> str:
    """Why a session counts as running, and what a second client would do."""
    used = when(session.last_active, now)
    return (
        f"Another process seems to be using it (last active {used}). Resuming here could split the"
        " conversation."
    )


def why_too_long(found: TooLong) -> str:
    """Why the agent does not resume a conversation, and what to do."""
    refuses = "refuses" if found.certain else "may refuse"
    where = short_path(Path(found.path))
    return (
        f"Hermes {refuses} to resume more than {plural(found.limit, 'message')}. This conversation"
        f" has {count(found.messages)}. To lift the limit, set {found.setting}: 0 in {where}."
    )


def installed(command: Command) -> bool:
    """Whether the program can be found."""
    return program_of(command) is not None


def program_of(command: Command) -> str | None:
    """Where the program is, looked up before changing to the session's workspace, which may have
    another program of the same name. So relative folders of the PATH do not count, and a relative
    path starts from here, unless it leads into the workspace."""
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
    """The command without options that the installed agent lacks: early ones have no profiles."""
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
    return ExplorerError("Cannot start the agent", f"{why} Check its installation.")


def _knows_profiles(command: Command) -> bool:
    """Whether the agent's help mentions profiles; without help it counts as knowing them."""
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
    """A command of the agent for this file; None where the agent cannot be told to open it."""
    handover = store.handover()
    if isinstance(handover, str):
        return None
    arguments = (handover.program, "-p", handover.profile, *words)
    return fitted(Command(arguments, handover.environment, None), handover, Config())


def delete_commands(store: Store, ids: Sequence[str], sure: bool) -> list[Command]:
    """The agent's own delete, which takes one session at a time; it asks itself unless `sure`."""
    _check_ids("Not deleted", *ids)
    one = own_command(store, "sessions", "delete")
    if one is None:
        return []
    end = ("--yes",) if sure else ()
    return [one._replace(arguments=(*one.arguments, id_, *end)) for id_ in ids]

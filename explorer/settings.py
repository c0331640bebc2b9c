"""The user's settings, and where our own files are: in the folders that the platform has for it.

All of them are optional. A file that cannot be understood is an error that names the setting: a
setting silently ignored would be worse, since one of them is a command to run.
"""

import os
import stat
from pathlib import Path
from typing import NamedTuple

from explorer.errors import UsageError

MOST = 1_000_000
"""Bytes of settings; a pipe, or a device without end, would be read for ever."""
PLACEHOLDERS = ("{id}", "{profile}", "{home}", "{workspace}")


class Config(NamedTuple):
    """What can be set."""

    resume: str = "exec"
    """`exec` gives way to the agent, `return` comes back when it ends."""
    resume_command: tuple[str, ...] = ()
    """The command that resumes a session, instead of the agent's own."""


def config_path() -> Path:
    return _folder("XDG_CONFIG_HOME", ".config", "user_config_path") / "config.toml"


def notes_path() -> Path:
    """Where our own notes are: pins, and how each list was last arranged."""
    return _folder("XDG_DATA_HOME", ".local/share", "user_data_path") / "explorer.db"


def trash_path() -> Path:
    """Where what was deleted is kept."""
    return notes_path().with_name("trash.db")


def crash_folder() -> Path:
    """Where a crash leaves its report."""
    return notes_path().with_name("crashes")


def _folder(variable: str, usual: str, elsewhere: str) -> Path:
    if os.name == "posix" and os.uname().sysname == "Linux":
        # As platformdirs has it, whose import would take 6 ms from the first frame.
        base = os.environ.get(variable, "").strip()
        if not os.path.isabs(base):
            # Without a home it stays as it is, and is no place for anything: see `OwnFile`.
            base = os.path.expanduser(f"~/{usual}")
        return Path(base) / "session-explorer"
    import platformdirs

    found: Path = getattr(platformdirs, elsewhere)("session-explorer", appauthor=False)
    return found


def load_config(path: Path) -> Config:
    """The settings in a file; the defaults where there is none. One of them is a command to run, so
    nothing is read below the current folder, where a path leads that has no home to begin with."""
    if not path.is_absolute():
        return Config()
    try:
        file = path.stat()
        if not stat.S_ISREG(file.st_mode) or file.st_size > MOST:
            raise _unreadable(path, "it is not a file of settings")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, str(error)) from None
    # Late: most people have no settings, and it takes 5 ms.
    import tomllib

    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, str(error)) from None
    unknown = sorted(set(found) - set(Config._fields))
    if unknown:
        known = ", ".join(Config._fields)
        raise _unreadable(path, f"there is no setting {unknown[0]!r}; there are {known}")
    resume = found.get("resume", Config().resume)
    if resume not in ("exec", "return"):
        raise _unreadable(path, f'resume must be "exec" or "return", not {resume!r}')
    return Config(resume, _command(path, found.get("resume_command", [])))


def _command(path: Path, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise _unreadable(path, "resume_command must be a list of strings")
    if value and not any("{id}" in part for part in value):
        raise _unreadable(path, "resume_command must hold {id} somewhere")
    if value and ("{" in value[0] or not value[0].strip()):
        raise _unreadable(path, "resume_command must begin with the name of a program")
    for part in value:
        rest = part
        for name in PLACEHOLDERS:
            rest = rest.replace(name, "")
        if "{" in rest or "}" in rest or "\0" in rest:
            allowed = " ".join(PLACEHOLDERS)
            raise _unreadable(path, f"resume_command may hold {allowed}; {part!r} is unclear")
    return tuple(value)


def _unreadable(path: Path, why: str) -> UsageError:
    # Late: only an error needs it.
    from explorer.stores.sqlite.failures import short_path

    return UsageError("The settings are not clear", f"{short_path(path)}: {why}.")

"""Where state files are.

First `--db` and `$SESSION_EXPLORER_DB`, then `$HERMES_HOME`, then Hermes' own folder; there the
profile that `hermes` itself would use. If the file that was asked for is missing, that is an error,
never a reason to look elsewhere.
"""

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from explorer.errors import Problem, StoreError, UsageError, closest
from explorer.render.clean import clean_line
from explorer.stores.hermes.store import PROFILE_NAME
from explorer.stores.sqlite.failures import store_error

FILE_NAMES = ("state.db", "power_loop_sessions.db")
DEFAULT_PROFILE = "default"


class FoundStore(NamedTuple):
    """A state file, and whether the user asked for this one."""

    path: Path
    asked: bool
    because: str = ""
    """Why it is this one, for an error: the option or the variable that names it."""


def locate(
    db: str | None, profile: str | None, environment: Mapping[str, str], here: Path | None
) -> FoundStore | None:
    """The state file to open; None when nothing was asked for and nothing is there. `here` is the
    current folder, if there is one."""
    if profile is not None and not profile.strip():
        raise UsageError("No such profile", "--profile needs the name of a profile.")
    if db is not None and not db.strip():
        raise UsageError("No path", "--db needs the path of a state file or of its folder.")
    asked = db or environment.get("SESSION_EXPLORER_DB")
    if asked:
        because = "Check the path after --db." if db else _set_to("SESSION_EXPLORER_DB", asked)
        path = _found_from(here, _expanded(asked))
        if profile and os.path.isfile(path):
            message = f"{path} is a file. Omit --profile, or give the folder with the profiles."
            raise UsageError("No such profile", message)
        folder = _profile_folder(path, profile) if profile else path
        return _asked_for(folder, because)
    home = environment.get("HERMES_HOME", "").strip()
    root = _found_from(here, _expanded(home) if home else default_home(environment))
    if home or profile:
        because = _set_to("HERMES_HOME", home) if home else ""
        return _asked_for(_profile_folder(root, profile), because)
    for candidate in usual_places(environment, here):
        if os.path.exists(candidate):
            return FoundStore(candidate, asked=False)
    return None


def usual_places(environment: Mapping[str, str], here: Path | None) -> list[Path]:
    """Where a state file is looked for when nothing says where it is."""
    folder = _profile_folder(default_home(environment), None)
    return [folder / FILE_NAMES[0], *([here / FILE_NAMES[1]] if here else [])]


def _asked_for(path: Path, because: str) -> FoundStore:
    try:
        return FoundStore(state_file(path), asked=True, because=because)
    except StoreError as error:
        raise error.also(because) if because else error from None


def _set_to(variable: str, value: str) -> str:
    return f"${variable} is set to {clean_line(value, 200)}: correct it, or unset it."


def _found_from(here: Path | None, path: Path) -> Path:
    """The path, unless it is relative and the current folder is gone."""
    if here is None and not path.is_absolute():
        message = f"Cannot resolve {path}. Change to an existing folder, or give an absolute path."
        raise UsageError("The current folder was deleted", message)
    return path


def current_folder() -> Path | None:
    """The current folder; None where it was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


def state_file(path: Path) -> Path:
    """The state file at a path: the path itself, or the one in that folder."""
    if not os.path.isdir(path):
        return path
    for name in FILE_NAMES:
        if os.path.exists(path / name):
            return path / name
    closed = not os.access(path, os.X_OK)
    raise store_error(Problem.NO_PERMISSION if closed else Problem.NO_STATE_FILE, path)


def default_home(environment: Mapping[str, str]) -> Path:
    """Where Hermes keeps its files when nothing says otherwise."""
    if sys.platform == "win32":
        local = environment.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
        return Path(local) / "hermes"
    return Path(environment.get("HOME") or os.path.expanduser("~")) / ".hermes"


def _expanded(path: str) -> Path:
    # Not Path.expanduser(), which raises for an unknown ~user.
    return Path(os.path.expanduser(path))


def _profile_folder(root: Path, profile: str | None) -> Path:
    """The folder of a profile: the one asked for, else the one Hermes is set to use."""
    if root.parent.name == "profiles":
        root, profile = (root.parent.parent, profile) if profile else (root, DEFAULT_PROFILE)
    name = profile or _sticky_profile(root)
    if name == DEFAULT_PROFILE:
        return root
    folder = root / "profiles" / name
    # A name of another form could lead out of the folder.
    if profile and not (re.fullmatch(PROFILE_NAME, profile) and os.path.isdir(folder)):
        raise UsageError("No such profile", _unknown_profile(name, root))
    return folder if os.path.isdir(folder) else root


def _unknown_profile(name: str, root: Path) -> str:
    close = closest(name.lower(), profiles(root), least=0.0)
    return f"There is no profile {name!r} in {root}. Closest: {', '.join(close)}."


def profile_root(db: str | None, environment: Mapping[str, str], here: Path | None) -> Path:
    """The folder whose profiles can be chosen from."""
    asked = (
        db or environment.get("SESSION_EXPLORER_DB") or environment.get("HERMES_HOME", "").strip()
    )
    root = _found_from(here, _expanded(asked) if asked else default_home(environment))
    return root.parent.parent if root.parent.name == "profiles" else root


def profiles(root: Path) -> list[str]:
    """The profiles in Hermes' folder."""
    known = (path.name for path in (root / "profiles").glob("*") if os.path.isdir(path))
    return [DEFAULT_PROFILE, *sorted(name for name in known if re.fullmatch(PROFILE_NAME, name))]


def _sticky_profile(root: Path) -> str:
    try:
        if not os.path.isfile(root / "active_profile"):
            # Reading a pipe would block.
            return DEFAULT_PROFILE
        name = (root / "active_profile").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return DEFAULT_PROFILE
    return name if re.fullmatch(PROFILE_NAME, name) else DEFAULT_PROFILE

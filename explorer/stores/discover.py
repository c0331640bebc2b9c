"""Where state files are, and which kind of store each one is.

First `--db` and `$SESSION_EXPLORER_DB`, then `$HERMES_HOME`, then Hermes' own folder; there the
profile that `hermes` itself would use. If the file that was asked for is missing, that is an error,
never a reason to look elsewhere. `KINDS` is the one table of kinds: a kind is recognised by the
tables of a file, never by its name or a version number.
"""

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import Problem, StoreError, UsageError
from explorer.stores.base import Store
from explorer.stores.hermes.store import PROFILE_NAME, HermesStore, NotedStore, is_hermes
from explorer.stores.ours.notes import Notes
from explorer.stores.power_loop.tables import sets_of_tables
from explorer.stores.sqlite.failures import store_error
from explorer.stores.sqlite.read_only import PATIENCE, ReadOnlyFile
from explorer.stores.sqlite.schema import Schema

FILE_NAMES = ("state.db", "power_loop_sessions.db")
DEFAULT_PROFILE = "default"


class FoundStore(NamedTuple):
    """A state file, and whether the user asked for this one."""

    path: Path
    asked: bool


def locate(
    db: str | None, profile: str | None, environment: Mapping[str, str], here: Path | None
) -> FoundStore | None:
    """The state file to open; None when nothing was asked for and nothing is there. `here` is the
    current folder, if there is one."""
    if profile is not None and not re.fullmatch(PROFILE_NAME, profile):
        message = f"{profile!r} is not a profile name. Use lower-case letters, digits, - and _."
        raise UsageError("No such profile", message)
    if db is not None and not db.strip():
        raise UsageError("No path", "--db needs the path of a state file or of its folder.")
    asked = db or environment.get("SESSION_EXPLORER_DB")
    if asked:
        path = _found_from(here, _expanded(asked))
        if profile and os.path.isfile(path):
            message = f"{path} is a file. Omit --profile, or give the folder with the profiles."
            raise UsageError("No such profile", message)
        folder = _profile_folder(path, profile) if profile else path
        return FoundStore(state_file(folder), asked=True)
    home = environment.get("HERMES_HOME", "").strip()
    root = _found_from(here, _expanded(home) if home else default_home(environment))
    folder = _profile_folder(root, profile)
    if home or profile:
        return FoundStore(state_file(folder), asked=True)
    places = [folder / FILE_NAMES[0], *([here / FILE_NAMES[1]] if here else [])]
    for candidate in places:
        if os.path.exists(candidate):
            return FoundStore(candidate, asked=False)
    return None


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
    if profile and not os.path.isdir(folder):
        raise UsageError("No such profile", _unknown_profile(name, root))
    return folder if os.path.isdir(folder) else root


def _unknown_profile(name: str, root: Path) -> str:
    from difflib import get_close_matches  # late: only a wrong name needs it

    known = [path.name for path in (root / "profiles").glob("*") if os.path.isdir(path)]
    close = get_close_matches(name, [DEFAULT_PROFILE, *sorted(known)], 3, 0.0)
    return f"There is no profile {name!r} in {root}. Closest: {', '.join(close)}"


def _sticky_profile(root: Path) -> str:
    try:
        if not os.path.isfile(root / "active_profile"):
            # Reading a pipe would block.
            return DEFAULT_PROFILE
        name = (root / "active_profile").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return DEFAULT_PROFILE
    return name if re.fullmatch(PROFILE_NAME, name) else DEFAULT_PROFILE


class StoreKind(NamedTuple):
    """One kind of store."""

    recognised: Callable[[Schema], bool]
    """Whether a file has its tables."""
    opened: Callable[[ReadOnlyFile, Schema, Notes | None], Store]
    """The store in such a file; our notes keep what the file has no column for."""


def _hermes(file: ReadOnlyFile, schema: Schema, notes: Notes | None) -> Store:
    if notes is not None and not schema.has("sessions", "archived"):
        return NotedStore(file, notes)
    return HermesStore(file, keeps_pins=schema.has("sessions", "pinned"))


def _power_loop(file: ReadOnlyFile, schema: Schema, notes: Notes | None) -> Store:
    # Late, because it saves every Hermes user 7 ms.
    from explorer.stores.power_loop.store import PowerLoopStore

    return PowerLoopStore(file, sets_of_tables(schema))


KINDS = (
    StoreKind(is_hermes, _hermes),
    StoreKind(lambda schema: bool(sets_of_tables(schema)), _power_loop),
)


def open_store(
    path: Path,
    token: CancelToken | None = None,
    patience: float = PATIENCE,
    waiting: Callable[[], None] | None = None,
    notes: Notes | None = None,
    trash: Path | None = None,
    kinds: Sequence[StoreKind] = KINDS,
) -> Store:
    """The store at `path`; a `StoreError` that says what to do where there is none.

    `waiting` is called from the reading thread each time a busy file is tried again; `notes` are
    our own about this file; with `trash`, a change of ours that was interrupted in the middle of a
    write is rolled back."""
    file = ReadOnlyFile(path, patience, waiting)
    try:
        schema = file.read(lambda reader: reader.schema, token)
    except StoreError as error:
        if error.problem is not Problem.UNRECOVERED or trash is None:
            raise
        # Late: without a crash the code for changes is not needed: 60 ms on a busy machine.
        from explorer.stores.edits.recovery import taken_back

        if not taken_back(path, trash):
            raise
        schema = file.read(lambda reader: reader.schema, token)
    for kind in kinds:
        if kind.recognised(schema):
            return kind.opened(file, schema, notes)
    raise store_error(Problem.NOT_A_STORE, path)

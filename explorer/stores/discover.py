"""Where state files are, and which kind of store each one is.

Asked for (`--db`, `SESSION_EXPLORER_DB`), then `$HERMES_HOME`, then Hermes' own folder; there the
profile that `hermes` itself would use. If what was asked for is missing, that is an error, never a
reason to look elsewhere. `KINDS` is the one table of kinds: a kind is told by the tables of a file,
never by its name or by a version number.
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
    """A state file, and whether somebody asked for this very one."""

    path: Path
    asked: bool


def locate(
    db: str | None, profile: str | None, environment: Mapping[str, str], here: Path | None
) -> FoundStore | None:
    """The state file to open; None when nothing was asked for and nothing is there. `here` is the
    current folder, if there is one."""
    if profile is not None and not re.fullmatch(PROFILE_NAME, profile):
        raise UsageError("No such profile", f"{profile!r} is not a name a profile can have.")
    if db is not None and not db.strip():
        raise UsageError("No path", "--db needs the path of a state file, or of its folder.")
    asked = db or environment.get("SESSION_EXPLORER_DB")
    if asked:
        path = _found_from(here, _expanded(asked))
        if profile and os.path.isfile(path):
            message = f"{path} is a file; --profile needs the folder that holds the profiles."
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
    """A path that means something: a relative one does not where the current folder is gone."""
    if here is None and not path.is_absolute():
        message = f"{path} is looked for there. Change to a folder that exists, or say where it is."
        raise UsageError("The current folder was deleted", message)
    return path


def current_folder() -> Path | None:
    """Where we are; None where that was deleted."""
    try:
        return Path.cwd()
    except OSError:
        return None


def state_file(path: Path) -> Path:
    """The state file that a path means: itself, or the one in that folder."""
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
    # Not Path.expanduser(), which raises where ~name is nobody.
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
        raise UsageError("No such profile", f"There is no profile named {name} in {root}.")
    return folder if os.path.isdir(folder) else root


def _sticky_profile(root: Path) -> str:
    try:
        if not os.path.isfile(root / "active_profile"):
            # A pipe would be waited for.
            return DEFAULT_PROFILE
        name = (root / "active_profile").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return DEFAULT_PROFILE
    return name if re.fullmatch(PROFILE_NAME, name) else DEFAULT_PROFILE


class StoreKind(NamedTuple):
    """One kind of store."""

    recognised: Callable[[Schema], bool]
    """Whether these tables are its own."""
    opened: Callable[[ReadOnlyFile, Schema, Notes | None], Store]
    """The store in such a file; it may use our notes for what the file has no place for."""


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
    """The store at `path`; a `StoreError` that says what to do when there is none.

    `waiting` is called from the reading thread each time the file is busy and tried again;
    `notes` are our own about this file, and `trash` tells of our own edits: one that was cut short
    in the middle of a write is taken back."""
    file = ReadOnlyFile(path, patience, waiting)
    try:
        schema = file.read(lambda reader: reader.schema, token)
    except StoreError as error:
        if error.problem is not Problem.UNRECOVERED or trash is None:
            raise
        # Late: who starts after no crash need not load what edits: 60 ms on a busy machine.
        from explorer.stores.edits.recovery import taken_back

        if not taken_back(path, trash):
            raise
        schema = file.read(lambda reader: reader.schema, token)
    for kind in kinds:
        if kind.recognised(schema):
            return kind.opened(file, schema, notes)
    raise store_error(Problem.NOT_A_STORE, path)

"""Where to look: every state file that can be found, listed now or not, and what lies beside them.

Only names are read here. Copies that agents and people make of a state file (snapshots, backups)
are found for the first time here: nothing else of this program ever looks at them.
"""

import os
import shlex
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.errors import ExplorerError
from explorer.render.figures import plural
from explorer.stores.discover import FoundStore, default_home, locate, root_of
from explorer.stores.hermes.store import STATE_FILE
from explorer.stores.server_path import ServerPath, on_server
from explorer.stores.sqlite.failures import short_path, size_of
from explorer.whereabouts.databases import set_options
from explorer.whereabouts.sightings import Unseen

PROGRAM = "session-explorer"
SNAPSHOTS = "state-snapshots"
BACKUPS = "backups"
MOST_SNAPSHOTS = 30
"""Snapshots of a home that are looked into, the newest first; Hermes keeps 20."""
_OWN = ("", "-wal", "-shm", "-journal")
"""What SQLite itself has beside a file, and the file."""


class SearchedFile(NamedTuple):
    """One state file to look into."""

    path: Path
    name: str
    listed: bool
    """Whether its sessions are among those that the user was looking at."""
    usual: bool
    """Whether commands find it without an option."""
    several: bool
    """Whether commands then have several state files, so that a session is named with its own."""
    profile: bool
    """Whether `--profile` names it."""

    @property
    def home(self) -> Path:
        return self.path.resolve().parent

    def command(self, *words: str, id_: str = "") -> str:
        """What to type for a session in it, or for a change of it."""
        options: tuple[str, ...] = ()
        own = str(self.path)
        if isinstance(self.path, ServerPath):
            options = set_options(self.path)
        elif not self.usual:
            options = ("--db", own)
        elif self.several and not id_:
            options = ("--profile", self.name) if self.profile else ("--db", own)
        named = f"{self.name}/{id_}" if id_ and self.usual and self.several else id_
        return shlex.join((PROGRAM, *options, *words, *filter(None, [named])))


def state_files(
    listed: Sequence[FoundStore],
    environment: Mapping[str, str],
    here: Path | None,
    others: Sequence[FoundStore] = (),
) -> list[SearchedFile]:
    """Those that are listed, then `others` of the same databases, then those in the usual place,
    then every profile beside them."""
    # What a database has is listed, or among the others.
    usual = [one for one in _found((), environment, here) if not on_server(one.path)]
    roots = [root_of(one.path.absolute().parent, environment) for one in listed if _is_hermes(one)]
    roots.append(default_home(environment))
    beside = [one for root in dict.fromkeys(roots) for one in _found((str(root),), {}, here)]
    own = {os.path.realpath(one.path) for one in listed}
    plain = {os.path.realpath(one.path) for one in usual}
    by_profile = not environment.get("SESSION_EXPLORER_DB")
    every = (*listed, *others, *usual, *beside)
    names = {os.path.realpath(one.path): one.name for one in (*beside, *others, *listed, *usual)}
    found: dict[str, SearchedFile] = {}
    taken: set[str] = set()
    for one in every:
        real = os.path.realpath(one.path)
        there = on_server(one.path) or os.path.lexists(one.path)
        if real in found or not there:
            continue
        name = names[real] or one.path.stem
        name = short_path(one.path) if name in taken else name
        taken.add(name)
        found[real] = SearchedFile(
            one.path.absolute(),
            name,
            listed=real in own,
            usual=real in plain,
            several=len(usual) > 1,
            profile=by_profile and _is_hermes(one),
        )
    return list(found.values())


def _found(
    dbs: Sequence[str], environment: Mapping[str, str], here: Path | None
) -> list[FoundStore]:
    try:
        return locate(dbs, (), environment, here)
    except ExplorerError:
        # A wrong variable, or a folder without a state file: nothing is there.
        return []


def _is_hermes(one: FoundStore) -> bool:
    return one.path.name == STATE_FILE


class Snapshot(NamedTuple):
    """A copy of a state file that Hermes made."""

    made: float
    path: Path


def snapshots(home: Path) -> tuple[list[Snapshot], list[Unseen]]:
    """(the snapshots that can be read, the newest first; those that are not looked into)."""
    found: list[Snapshot] = []
    unseen: list[Unseen] = []
    folder = home / SNAPSHOTS
    for name in _names(folder, unseen):
        path = folder / name / STATE_FILE
        why = _why_not(folder / name, path)
        if why is None:
            found.append(Snapshot(os.lstat(path).st_mtime, path))
        elif why:
            unseen.append(Unseen(folder / name, "snapshot", why))
    found.sort(reverse=True)
    if len(found) > MOST_SNAPSHOTS:
        older = plural(len(found) - MOST_SNAPSHOTS, "older snapshot")
        unseen.append(Unseen(folder, older, f"only the newest {MOST_SNAPSHOTS} are searched"))
    return found[:MOST_SNAPSHOTS], unseen


def _why_not(folder: Path, path: Path) -> str | None:
    """Why a snapshot is not looked into; empty where it is none, None where it can be."""
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return "" if not os.path.islink(folder) else "is a link to another place"
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return "its state.db is not a regular file"
    except FileNotFoundError:
        return ""
    except OSError as error:
        return (error.strerror or str(error)).lower()
    if any(size_of(f"{path}{ending}") for ending in ("-wal", "-journal")):
        return (
            "another file holds part of its messages; copy the folder and open the copy with --db"
        )
    return None


def backups(home: Path) -> Iterator[Unseen]:
    """Copies that are only named."""
    zipped = [name for name in _names(home / BACKUPS, []) if name.endswith(".zip")]
    if zipped:
        advice = "unpack one, then open its state.db with --db"
        yield Unseen(home / BACKUPS, plural(len(zipped), "zip backup"), advice)
    for name in _names(home, []):
        own = name in [f"{STATE_FILE}{ending}" for ending in _OWN]
        if not own and (name.startswith(STATE_FILE) or name.endswith(".bak")):
            yield Unseen(home / name, "backup", "open it with --db")


def _names(folder: Path, unseen: list[Unseen]) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        unseen.append(Unseen(folder, "folder", (error.strerror or str(error)).lower()))
        return []

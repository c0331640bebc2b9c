"""Snapshots: copies of a state file that Hermes makes before an update, each in a folder of its
own. Only the folders and their manifests are read here.

When one was made is what Hermes wrote down: a copied home has the times of the copy on its files.
"""

import os
import re
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from explorer.stores.hermes.store import STATE_FILE
from explorer.stores.hermes.transcript_files.hostile_files import decoded, opened
from explorer.stores.sqlite.failures import size_of

SNAPSHOTS = "state-snapshots"
MANIFEST = "manifest.json"
MOST_MANIFEST = 1 << 20
"""Bytes of a manifest that are read."""
_TIME = re.compile(r"(\d{8})(?:[-T_](\d{6}))?(?!\d)")
"""How an id begins, and a manifest says it: the day and the time in UTC."""


class Snapshot(NamedTuple):
    """A copy of a state file that Hermes made."""

    made: float
    path: Path

    @property
    def id(self) -> str:
        return self.path.parent.name


class Unusable(NamedTuple):
    """A snapshot, or their folder, that cannot be read, and why."""

    path: Path
    what: str
    why: str


def snapshots_of(home: Path) -> tuple[list[Snapshot], list[Unusable]]:
    """(the snapshots of a home that can be read, the newest first; those that cannot be)."""
    found: list[Snapshot] = []
    unusable: list[Unusable] = []
    folder = home / SNAPSHOTS
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        names = []
    except OSError as error:
        names = []
        unusable.append(Unusable(folder, "folder", _words(error)))
    for name in names:
        path = folder / name / STATE_FILE
        why = _why_not(folder / name, path)
        if why is None:
            found.append(Snapshot(_made(path), path))
        elif why:
            unusable.append(Unusable(folder / name, "snapshot", why))
    found.sort(reverse=True)
    return found, unusable


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
        return _words(error)
    if any(size_of(f"{path}{ending}") for ending in ("-wal", "-journal")):
        return (
            "another file holds part of its messages; copy the folder and open the copy with --db"
        )
    return None


def _made(path: Path) -> float:
    """When a snapshot was made: by its id, its manifest, or else the time of its file."""
    at = _moment(path.parent.name)
    if at is None:
        at = _moment(_noted(path.parent))
    if at is None:
        try:
            at = os.lstat(path).st_mtime
        except OSError:
            # Pruned since.
            at = 0.0
    return at


def _noted(folder: Path) -> str:
    """The time in a manifest; empty where it has none."""
    try:
        with opened(folder / MANIFEST) as stream:
            value = decoded(stream.read(MOST_MANIFEST))
    except OSError:
        return ""
    at = value.get("timestamp") if isinstance(value, dict) else None
    return at if isinstance(at, str) else ""


def _moment(text: str) -> float | None:
    """The time that an id or a manifest begins with."""
    found = _TIME.match(text)
    if found is None:
        return None
    try:
        day = datetime.strptime(f"{found[1]}{found[2] or '000000'}", "%Y%m%d%H%M%S")
        return day.replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()

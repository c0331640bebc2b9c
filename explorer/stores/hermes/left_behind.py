"""What a home of Hermes still has of its sessions where the state file is missing or broken:
snapshots, transcripts in files, and backups.

A home without a state file is usually a new profile. With any of these it is one that lost its
file, and everybody who looks for its sessions has to be told.
"""

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from explorer.errors import Problem, StoreError
from explorer.render.clean import clean_line
from explorer.render.figures import count, listed, plural, short_day
from explorer.stores.hermes.routes_file import FOLDER
from explorer.stores.hermes.store import STATE_FILE
from explorer.stores.sqlite.failures import short_path, size_of, store_error

if TYPE_CHECKING:
    from explorer.stores.hermes.snapshots import Snapshot

BACKUPS = "backups"
MOST_TRANSCRIPTS = 1000
"""Files that are counted: a folder may have 100,000."""
_RESTORABLE = (
    *(Problem.NOT_A_DATABASE, Problem.NOT_A_STORE, Problem.ENCRYPTED),
    *(Problem.TRUNCATED, Problem.CORRUPT),
)
"""What a snapshot can replace."""


class LeftBehind(NamedTuple):
    """What there is in a home besides the state file."""

    snapshots: "tuple[Snapshot, ...]" = ()
    """The newest first."""
    transcripts: int = 0
    backups: int = 0

    @classmethod
    def of_all(cls, homes: "Iterable[LeftBehind]") -> "LeftBehind":
        """What several homes have."""
        snapshots: list[Snapshot] = []
        transcripts = backups = 0
        for one in homes:
            snapshots += one.snapshots
            transcripts += one.transcripts
            backups += one.backups
        return cls(tuple(sorted(snapshots, reverse=True)), transcripts, backups)

    def __bool__(self) -> bool:
        return bool(self.snapshots or self.transcripts or self.backups)

    @property
    def words(self) -> str:
        """As in: 2 snapshots (the newest from 9 Nov 2026) and 1 transcript."""
        return listed(self._parts(dated=True))

    @property
    def counts(self) -> str:
        """As in: 2 snapshots and 1 transcript."""
        return listed(self._parts(dated=False))

    @property
    def first(self) -> str:
        """The best of it, as in: 2 snapshots."""
        return listed(self._parts(dated=False)[:1])

    def _parts(self, dated: bool) -> list[str]:
        parts = []
        if self.snapshots:
            number = plural(len(self.snapshots), "snapshot")
            parts.append(_snapshots(self.snapshots) if dated else number)
        if self.transcripts > MOST_TRANSCRIPTS:
            parts.append(f"more than {count(MOST_TRANSCRIPTS)} transcripts")
        elif self.transcripts:
            parts.append(plural(self.transcripts, "transcript"))
        if self.backups:
            parts.append(plural(self.backups, "backup"))
        return parts


def left_behind(home: Path) -> LeftBehind:
    """What a home has; only folders are listed."""
    # Late, as below: homes that have their state file do without it.
    from explorer.stores.hermes.snapshots import snapshots_of

    transcripts = islice(filter(_is_transcript, _names(home / FOLDER)), MOST_TRANSCRIPTS + 1)
    zipped, copies = backups_of(home)
    # An empty one would be copied over what may still be saved.
    snapshots = tuple(one for one in snapshots_of(home)[0] if size_of(str(one.path)))
    return LeftBehind(snapshots, sum(1 for _ in transcripts), zipped + len(copies))


def backups_of(home: Path) -> tuple[int, list[str]]:
    """(how many zipped backups, the names of copies beside the state file)."""
    zipped = [name for name in _names(home / BACKUPS) if name.endswith(".zip")]
    copies = (name for name in _names(home) if name.startswith(STATE_FILE) or name.endswith(".bak"))
    # SQLite puts the others beside a copy that is opened.
    own = (name for name in copies if not name.endswith(("-wal", "-shm", "-journal")))
    return len(zipped), sorted(name for name in own if name != STATE_FILE)


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _is_transcript(name: str) -> bool:
    return name.endswith(".jsonl") or (name.startswith("session_") and name.endswith(".json"))


def _snapshots(found: "tuple[Snapshot, ...]") -> str:
    newest = short_day(found[0].made)
    if len(found) == 1:
        return f"1 snapshot from {newest}"
    return f"{plural(len(found), 'snapshot')} (the newest from {newest})"


def file_lost(path: Path, searched: bool = False) -> StoreError | None:
    """Why a state file that is missing was lost; None where nothing is left, as in a profile that
    never had one. `searched` where what is left is being searched."""
    left = left_behind(path.parent) if path.name == STATE_FILE else None
    if not left:
        return None
    search = _searched(left) if searched else _where(left)
    return store_error(Problem.LOST, path, f"{left.words}. {search}{_remedy(left, path)}")


def _where(left: LeftBehind) -> str:
    does = "searches" if left.snapshots or left.transcripts else "names"
    return f"`session-explorer where` {does} them. "


def _searched(left: LeftBehind) -> str:
    kinds = {"snapshots": left.snapshots, "transcripts": left.transcripts}
    read = listed([kind for kind, there in kinds.items() if there])
    return f"Searched instead: its {read}. " if read else ""


def _remedy(left: LeftBehind, path: Path) -> str:
    if not left.snapshots and not left.transcripts:
        return "Stop the agent, then restore one."
    if not left.snapshots:
        return "To have the other sessions again, restore the file from a backup."
    newest = clean_line(str(left.snapshots[0].path.relative_to(path.parent)), 200)
    steps = ["stop the agent", f"copy {newest} into that folder"]
    if os.path.lexists(f"{path}-wal"):
        # It would be taken for the log of the copy.
        steps.insert(1, "move the -wal and -shm files away")
    return f"To go back to the newest: {', then '.join(steps)}."


def with_snapshots(error: StoreError, path: Path) -> StoreError:
    """The error of a state file that is there and broken, with what can replace it. Once: what
    cannot be read is opened again and again."""
    if path.name != STATE_FILE or error.problem not in _RESTORABLE:
        return error
    from explorer.stores.hermes.snapshots import snapshots_of

    found, _ = snapshots_of(path.parent)
    if not found:
        return error
    where = short_path(found[0].path.parent.parent)
    sentence = f"{where} has {_snapshots(tuple(found))}."
    return error if sentence in error.message else error.also(sentence)

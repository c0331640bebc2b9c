"""Where to look: every state file that can be found, listed now or not, and what lies beside them.

Only names are read here. Copies that agents and people make of a state file (snapshots, backups)
are found for the first time here: nothing else of this program ever looks at them.
"""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.errors import ExplorerError
from explorer.render.figures import plural
from explorer.stores.discover import FoundStore, default_home, locate, named, root_of
from explorer.stores.hermes.left_behind import BACKUPS, backups_of, left_behind
from explorer.stores.hermes.snapshots import SNAPSHOTS, Snapshot, snapshots_of
from explorer.stores.hermes.store import STATE_FILE
from explorer.stores.server_path import ServerPath, on_server
from explorer.stores.sqlite.failures import broken_link
from explorer.whereabouts.databases import set_options
from explorer.whereabouts.sightings import Unseen

PROGRAM = "session-explorer"
MOST_SNAPSHOTS = 30
"""Snapshots of a home that are looked into, the newest first; Hermes keeps 20."""


class SearchedFile(NamedTuple):
    """One state file to look into."""

    path: Path
    name: str
    """What it is called here, among all that are looked into."""
    listed: bool = False
    """Whether its sessions are among those that the user was looking at."""
    typed: str | None = None
    """What commands without an option call it; None where they do not find it."""
    several: bool = False
    """Whether commands then have several state files, so that a session is named with its own."""
    profile: bool = False
    """Whether `--profile` names it."""

    @property
    def home(self) -> Path:
        if os.path.exists(self.path):
            return self.path.resolve().parent
        # A link to a disk that is gone: what is beside the link is still there.
        return self.path.parent.resolve()

    def command(self, *words: str, id_: str = "") -> str:
        """What to type for a session in it, or for a change of it."""
        options: tuple[str, ...] = ()
        named = id_
        if isinstance(self.path, ServerPath):
            options = set_options(self.path)
        elif self.typed is None:
            options = ("--db", str(self.path))
        elif self.several and id_:
            named = f"{self.typed}/{id_}"
        elif self.several:
            options = ("--profile", self.typed) if self.profile else ("--db", str(self.path))
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
    typed = {os.path.realpath(one.path): one.name for one in usual}
    by_profile = not environment.get("SESSION_EXPLORER_DB")
    # Profiles of two homes may have the same names: what is typed is one thing, what is shown
    # another.
    profiles = {os.path.realpath(one.path): one.name for one in (*beside, *usual)}
    every = [
        one._replace(name=profiles.get(os.path.realpath(one.path), one.name))
        for one in (*listed, *others, *usual, *beside)
        if _is_there(one.path)
    ]
    found = []
    for one in named(every):
        real = os.path.realpath(one.path)
        found.append(
            SearchedFile(
                one.path.absolute(),
                one.name,
                listed=real in own,
                typed=typed.get(real),
                several=len(usual) > 1,
                profile=by_profile and _is_hermes(one),
            )
        )
    return found


def _found(
    dbs: Sequence[str], environment: Mapping[str, str], here: Path | None
) -> list[FoundStore]:
    try:
        return locate(dbs, (), environment, here)
    except ExplorerError:
        # A wrong variable, or a folder without a state file: nothing is there.
        return []


def _is_there(path: Path) -> bool:
    """Whether there is a state file, or was one: a profile may never have had any."""
    return (
        on_server(path)
        or os.path.lexists(path)
        or broken_link(path) is not None
        or bool(left_behind(path.parent))
    )


def _is_hermes(one: FoundStore) -> bool:
    return one.path.name == STATE_FILE


def snapshots(home: Path) -> tuple[list[Snapshot], list[Unseen]]:
    """(the snapshots that can be read, the newest first; those that are not looked into)."""
    found, unusable = snapshots_of(home)
    unseen = [Unseen(*one) for one in unusable]
    if len(found) > MOST_SNAPSHOTS:
        older = plural(len(found) - MOST_SNAPSHOTS, "older snapshot")
        why = f"only the newest {MOST_SNAPSHOTS} are searched"
        unseen.append(Unseen(home / SNAPSHOTS, older, why))
    return found[:MOST_SNAPSHOTS], unseen


def backups(home: Path) -> Iterator[Unseen]:
    """Copies that are only named."""
    zipped, copies = backups_of(home)
    if zipped:
        advice = "unpack one, then open its state.db with --db"
        yield Unseen(home / BACKUPS, plural(zipped, "zip backup"), advice)
    for name in copies:
        yield Unseen(home / name, "backup", "open it with --db")

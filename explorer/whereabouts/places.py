"""Where to look: every state file that can be found, listed now or not, and what lies beside them.

Only names are read here. Copies that agents and people make of a state file (snapshots, backups)
are found for the first time here: nothing else of this program ever looks at them.
"""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.errors import ExplorerError, Problem, StoreError, UsageError
from explorer.render.figures import plural
from explorer.stores.discover import FoundStore, default_home, locate, named, root_of
from explorer.stores.hermes.left_behind import BACKUPS, backups_of, left_behind
from explorer.stores.hermes.snapshots import SNAPSHOTS, Snapshot, snapshots_of
from explorer.stores.hermes.store import STATE_FILE
from explorer.stores.server_path import ServerPath, on_server
from explorer.stores.sqlite.failures import broken_link, store_error
from explorer.whereabouts.databases import set_options
from explorer.whereabouts.sightings import Unseen

PROGRAM = "session-explorer"
VARIABLES = ("SESSION_EXPLORER_DB", "HERMES_HOME")
"""Where a list looks if no option says so, the first that is set."""
MOST_SNAPSHOTS = 30
"""Snapshots of a home that are looked into, the newest first; Hermes keeps 20."""


class Unfound(NamedTuple):
    """A place that the user named, with an option or a variable, and that has no state file."""

    name: str
    path: Path
    error: StoreError


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
    asked: bool = False
    """Whether the user named it."""

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
        return shlex.join((PROGRAM, *options, *words, *as_text(named)))


def as_text(id_: str) -> tuple[str, ...]:
    """An id as a command takes it: one that starts with a dash is an option otherwise."""
    return ("--", id_) if id_.startswith("-") else (id_,) if id_ else ()


def located(
    dbs: Sequence[str],
    profiles: Sequence[str],
    environment: Mapping[str, str],
    here: Path | None,
) -> tuple[list[FoundStore], list[Unfound]]:
    """(what a list would show; what was named and is wrong, which keeps none of the others from
    being searched)."""
    found: list[FoundStore] = []
    unfound: list[Unfound] = []
    each: list[tuple[str, ...]] = [(db,) for db in dbs]
    for asked in each or [()]:
        try:
            found += locate(asked, profiles, environment, here)
        except StoreError as error:
            variables = (environment.get(name, "") for name in VARIABLES)
            text = next(filter(None, (*asked, *variables)), str(default_home(environment)))
            path = Path(_shown(os.path.abspath(os.path.expanduser(text.strip()))))
            unfound.append(Unfound(path.name, path, error))
    return named(found), unfound


def state_files(
    listed: Sequence[FoundStore],
    environment: Mapping[str, str],
    here: Path | None,
    others: Sequence[FoundStore] = (),
) -> tuple[list[SearchedFile], list[Unfound]]:
    """(those that are listed, then `others` of the same databases, then those in the usual places,
    then every profile beside them; places that were named and have none)."""
    chosen, unfound = _by_variables(environment, here)
    # What a database has is listed, or among the others.
    usual = [one for one in chosen if not on_server(one.path)]
    # The first variable keeps a list from using the second, and not a session from being there.
    second = {name: environment[name] for name in environment if name != VARIABLES[0]}
    at_home, missed = _by_variables(second, here)
    roots = [root_of(one.path.absolute().parent, environment) for one in listed if _is_hermes(one)]
    roots.append(default_home(environment))
    beside = [one for root in dict.fromkeys(roots) for one in _profiles_of(root, here)]
    own = {os.path.realpath(one.path) for one in listed}
    typed = {os.path.realpath(one.path): one.name for one in usual}
    by_profile = not environment.get(VARIABLES[0])
    # Profiles of two homes may have the same names: what is typed is one thing, what is shown
    # another.
    profiles = {os.path.realpath(one.path): one.name for one in (*beside, *at_home, *usual)}
    every = [
        one._replace(name=profiles.get(os.path.realpath(one.path), one.name))
        for one in (*listed, *others, *usual, *at_home, *beside)
    ]
    found = []
    for one in named([one for one in every if _is_there(one.path)]):
        real = os.path.realpath(one.path)
        found.append(
            SearchedFile(
                one.path.absolute(),
                one.name,
                listed=real in own,
                typed=typed.get(real),
                several=len(usual) > 1,
                profile=by_profile and _is_hermes(one),
                asked=one.asked,
            )
        )
    missing = [_missing(one) for one in every if one.asked and not _is_there(one.path)]
    # Of one place the last is told.
    return found, [*missing, *unfound, *missed]


def _by_variables(
    environment: Mapping[str, str], here: Path | None
) -> tuple[list[FoundStore], list[Unfound]]:
    try:
        return located((), (), environment, here)
    except UsageError:
        # It keeps a list from being shown too, unless an option is used instead.
        return [], []


def _profiles_of(root: Path, here: Path | None) -> list[FoundStore]:
    """Those of a root that was not named: it need not be there."""
    try:
        return [one._replace(asked=False) for one in locate((str(root),), (), {}, here)]
    except ExplorerError:
        return []


def _missing(one: FoundStore) -> Unfound:
    path = Path(_shown(str(one.path)))
    error = store_error(Problem.MISSING, path)
    return Unfound(path.name, path, error.also(_shown(one.because)) if one.because else error)


def _shown(text: str) -> str:
    """What was given and leads nowhere, without a password: it may be an address in a form that is
    none here."""
    # Late: 3 ms that only a wrong path costs.
    from explorer.stores.postgres.given import shown

    return shown(text)


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

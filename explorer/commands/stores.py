"""The store that a command works on: never the demo, and an error if there is none."""

import argparse
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from explorer.commands.output import note
from explorer.commands.waiting import waiting_for_one
from explorer.commands.words import (
    kept_elsewhere,
    only_profile,
    unknown_source,
    unreadable_profile,
    which_profile,
)
from explorer.errors import ExplorerError, NoFileYet, Problem, StoreError, UsageError
from explorer.model import Session
from explorer.settings import cache_folder, notes_path, trash_path
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.census import Census
from explorer.stores.columns import OWNER
from explorer.stores.discover import FoundStore, current_folder, default_home, locate
from explorer.stores.hermes.store import profile_of, root_above
from explorer.stores.open_found import every_set, open_found
from explorer.stores.resolve import pinned_rows
from explorer.stores.server_path import on_server
from explorer.stores.sqlite.failures import short_path, size_of


def noted_pins(store: Store, catalog: Catalog) -> frozenset[int]:
    """The rows that are pinned, also by our notes; if those are unreadable, it says so and goes
    on: the sessions are not."""
    noted: frozenset[str] = frozenset()
    try:
        noted = store.own_notes(notes_path()).pins()
    except ExplorerError as error:
        note(f"{error.title}. {error.message}")
    return pinned_rows(store, catalog, noted)


def with_noted_pins(store: Store, catalog: Catalog, sessions: Sequence[Session]) -> list[Session]:
    """The same sessions, pinned also where our notes say so."""
    pinned = noted_pins(store, catalog)
    return [
        one._replace(pinned=True) if catalog.tip(one.key) in pinned else one for one in sessions
    ]


def warn_unknown(sources: Iterable[str], known: Sequence[str]) -> None:
    """Name the closest ones of each source that no session of the file has."""
    for source in sources:
        if known and source not in known:
            note(unknown_source(source, known))


BIG = 20_000_000
"""Bytes of a file whose sessions take long enough to be counted to keep the result."""


def known_catalog(store: Store) -> Catalog:
    """The catalog of a store; of each big file that has not changed, what was counted before."""

    def read(store: Store) -> Census:
        folder = _folder_for(store)
        if folder is None:
            return Census(store.catalog())
        # Late: 3 ms that a small file need not pay. So below.
        from explorer.stores.kept_census import census_of

        return census_of(store.path, folder, "all", lambda: Census(store.catalog()))

    return store.catalog_by(lambda one: read(one).known)


def known_census(
    store: Store, first: int, sources: Collection[str], tells: Callable[[Census], bool]
) -> Census:
    """A census that is likely to tell the first rows of a list, kept in the same way. Of a small
    file, all of it is as quickly read."""
    asked = " ".join((str(first), *sorted(sources)))

    def read(store: Store) -> Census:
        folder = _folder_for(store)
        if folder is None:
            small = size_of(str(store.path)) < BIG
            return Census(store.catalog()) if small else store.census(first, sources)
        from explorer.stores.kept_census import census_of

        return census_of(
            store.path, folder, "newest", lambda: store.census(first, sources), tells, asked
        )

    return store.census_by(read)


def _folder_for(store: Store) -> Path | None:
    """Where what was counted of a store is kept; None where that is not worth it."""
    folder = cache_folder()
    kept = folder.is_absolute() and not store.noted and size_of(str(store.path)) >= BIG
    return folder if kept else None


def chosen_store(options: argparse.Namespace) -> Store:
    """The store of all files that a command is about. It is said which cannot be read; one that was
    named makes the command fail in the end, and keeps nothing of the others from being shown."""
    return _opened(_found(options), options)


def usual_store(options: argparse.Namespace) -> Store:
    """The store of a command that could reach far: of several profiles in a folder only the one
    that Hermes itself would use, unless the user names others or all of them. A database has no
    such one."""
    found = _found(options)
    names = usual_profiles(found, options)
    if names:
        note(only_profile(*names))
    found = [one for one in found if not names or one.name in names]
    found = every_set(found, waiting=waiting_for_one(found))
    if not options.all_profiles and (unnamed := [one.name for one in found if _of_several(one)]):
        raise UsageError("Several profiles", which_profile(unnamed))
    return _opened(found, options)


def _of_several(one: FoundStore) -> bool:
    """Whether it is one of several sets of tables in a database, and was not named."""
    return on_server(one.path) and not one.usual


def usual_profile(options: argparse.Namespace) -> str | None:
    """The name of that one profile, where there are others."""
    names = usual_profiles(_found(options), options)
    return names[0] if len(names) == 1 else None


def usual_profiles(found: Sequence[FoundStore], options: argparse.Namespace) -> list[str]:
    """The names of such profiles, one of each folder; none where that is not what counts. A folder
    that is named by `--db` is no wish for all that is in it: it once meant a single file."""
    if options.profile and options.all_profiles:
        raise UsageError("Which profiles?", "Use either --profile or --all-profiles.")
    usual = [one.name for one in found if one.usual]
    wide = options.profile or options.all_profiles or len(usual) == len(found)
    return [] if wide else usual


def _opened(found: Sequence[FoundStore], options: argparse.Namespace) -> Store:
    found = every_set(found, waiting=waiting_for_one(found))
    try:
        store = open_found(found, None, waiting_for_one(found), notes_path(), trash_path())
    except StoreError as error:
        if len(found) > 1:
            raise
        raise _with_kept_elsewhere(error, found[0].path, options) from None
    options.asked = {one.path for one in found if one.asked}
    options.warned = set()
    options.missed = None
    warn_unreadable(store, options)
    return store


def warn_unreadable(store: Store, options: argparse.Namespace) -> None:
    """Name each file that cannot be read, once; also those where that shows only after a while. A
    profile without a file yet has nothing to be read."""
    for name, path, error, _ in store.troubles:
        if not isinstance(error, NoFileYet):
            warn_of(name, path, error, options)


def warn_of(name: str, path: Path, error: StoreError, options: argparse.Namespace) -> None:
    """Say once why a file cannot be read; `options.missed` is the exit code of the first that was
    named."""
    if path in options.asked and options.missed is None:
        options.missed = error.exit_code
    if path not in options.warned:
        options.warned.add(path)
        note(unreadable_profile(name, _with_kept_elsewhere(error, path, options)))


def _with_kept_elsewhere(error: StoreError, path: Path, options: argparse.Namespace) -> StoreError:
    """What is wrong with a profile that was named; of one without a file also where its sessions
    are, since a gateway may keep them in the file of another."""
    profile = profile_of(path)
    if profile is None or profile not in options.profile or error.problem is not Problem.MISSING:
        return error
    root = root_above(path.parent)
    try:
        beside = open_found(locate([str(root)], [], {}, None))
        owners = beside.columns({OWNER})[OWNER]
    except ExplorerError:
        return error
    places = dict.fromkeys(beside.place(key) for key, owner in owners.items() if owner == profile)
    if not places:
        return error
    # Late: what quotes for a shell, which no list needs.
    from explorer.commands.next_commands import in_shell

    named = options.db or os.environ.get("SESSION_EXPLORER_DB")
    where = ("--db", str(root)) if named else ()
    command = in_shell(*where, "search", f"profile:{profile}")
    return error.also(kept_elsewhere(profile, list(places), command))


def _found(options: argparse.Namespace) -> list[FoundStore]:
    found = locate(options.db, options.profile, os.environ, current_folder())
    if not found:
        home = short_path(default_home(os.environ))
        raise StoreError(
            Problem.MISSING,
            "No state file found",
            f"There is none in {home}. Use --db PATH, or try `session-explorer demo`.",
        )
    return found

"""The profiles that are listed together: how many sessions each has, in its own state file and in
those of others, how that file is, and why one cannot be read. Read in a thread: of 100,000 sessions
it takes a moment to count them."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.browse.words import (
    NONE_OF_ITS_OWN,
    file_only,
    profile_remedy,
    profile_words,
    unreadable,
)
from explorer.cancel import CancelToken
from explorer.errors import Problem, StoreError
from explorer.render.clean import cell_width, clean_line, fit_middle, pad
from explorer.render.figures import count, plural, size, when
from explorer.render.lines import Line, wrapped
from explorer.search.filters import Filters
from explorer.search.language.query import Query
from explorer.stores.base import Store, UnreadableStore
from explorer.stores.catalog import Catalog
from explorer.stores.columns import OWNER
from explorer.stores.discover import FoundStore
from explorer.stores.hermes.store import PROFILES
from explorer.stores.server_path import on_server
from explorer.stores.sqlite.failures import disagrees, short_path
from explorer.stores.sqlite.read_only import stamp

LEAST_NAME, MOST_NAME = 8, 24
"""Cells of the column of names."""


class ProfileState(NamedTuple):
    """One of several profiles, as it is now."""

    name: str
    path: str
    sessions: int
    """Those that its state file holds; of an unreadable one, those that were read last."""
    bytes: int
    written: float | None
    """None where there is no file."""
    server: bool = False
    """It is on a server, which is not asked for its size."""
    active: float | None = None
    """Of a server: when the newest of its sessions was last active."""
    error: StoreError | None = None
    damage: str = ""
    """Why what is listed of it may be wrong, if so."""
    files: int = 0
    """Sessions that exist only in text files beside the state file."""
    elsewhere: tuple[tuple[str, int], ...] = ()
    """(profile, how many sessions that belong to this one are in its state file)."""


class Owners(NamedTuple):
    """Which profiles sessions say that they belong to: that does not change, and is read once."""

    of: Mapping[int, str] = {}
    catalog: Catalog | None = None
    """The sessions that were asked."""
    missing: frozenset[str] = frozenset()
    """The profiles that could not be."""

    def renewed(self, store: Store, catalog: Catalog, token: CancelToken) -> "Owners":
        """With those of the sessions of `catalog` that were not asked yet."""
        before, missing = self.catalog, frozenset(one.name for one in store.troubles)
        if before is catalog and missing == self.missing:
            return self
        known = before if missing == self.missing else None
        new = [key for key in catalog.keys if not known.has(key)] if known else None
        try:
            found = store.columns((OWNER,), new, token)[OWNER]
        except StoreError:
            # None of them can be read now.
            return self
        return Owners({**self.of, **found} if known else found, catalog, missing)


NOT_READ = Owners()


def profile_states(
    store: Store,
    catalog: Catalog,
    found: Sequence[FoundStore],
    shown: Collection[str] = (),
    owners: Owners = NOT_READ,
) -> list[ProfileState]:
    """All of them, in their order; those that are `shown` stay when they are removed, and say
    so."""
    files = Counter(map(store.place, catalog.files))
    numbers = Counter(map(store.place, catalog.keys)) - files
    elsewhere = _elsewhere(store, catalog, owners.of)
    errors = {trouble.name: trouble.error for trouble in store.troubles}
    damaged = {one.name: one.store for one in store.stores() if not one.sound}
    servers = {one.name for one in found if on_server(one.path)}
    active = _newest(store, catalog, servers) if servers else {}
    states = []
    for one in present(store, found, shown):
        seen = stamp(one.path)
        states.append(
            ProfileState(
                one.name,
                short_path(one.path),
                numbers[one.name],
                seen.size + seen.log_size if seen else 0,
                seen.written if seen else None,
                one.name in servers,
                active.get(one.name),
                errors.get(one.name),
                _damage(damaged[one.name]) if one.name in damaged else "",
                files[one.name],
                tuple(sorted(elsewhere.get(one.name, {}).items())),
            )
        )
    return states


def _elsewhere(
    store: Store, catalog: Catalog, owners: Mapping[int, str]
) -> dict[str, Counter[str]]:
    """How many sessions of each profile are in the files of others. A conversation belongs to the
    profile of its newest part, as where a list is narrowed to one."""
    found: dict[str, Counter[str]] = {}
    for key, owner in owners.items():
        if not catalog.has(key) or catalog.tip(key) != key or key in catalog.files:
            continue
        if store.profiles_at(key, owner) != store.profiles_at(key):
            # It is not that of the file.
            found.setdefault(owner, Counter())[store.place(key)] += len(catalog.chain(key))
    return found


def present(
    store: Store, found: Sequence[FoundStore], shown: Collection[str] = ()
) -> list[FoundStore]:
    """Those of these that are still there, that are `shown` or of which sessions are listed, in the
    order of a new start: what was made since is found last."""
    removed = {
        one.name
        for one in store.troubles
        if one.error.problem is Problem.MISSING and not os.path.isdir(one.path.parent)
    }
    if removed:
        removed -= {*shown, *(one.name for one in store.stores() if one.sessions)}
    roots = list(dict.fromkeys(_root(one) for one in found))
    there = [one for one in found if one.name not in removed]
    return sorted(there, key=lambda one: (roots.index(_root(one)), _own_folder(one)))


def _root(one: FoundStore) -> Path:
    """The folder that the profiles belong to, the default one among them."""
    return one.path.parent.parent.parent if _own_folder(one) else one.path.parent


def _own_folder(one: FoundStore) -> str:
    """The name of a profile's folder; empty for what is not in one."""
    folder = one.path.parent
    return folder.name if folder.parent.name == PROFILES else ""


def _newest(store: Store, catalog: Catalog, servers: set[str]) -> dict[str, float]:
    """When the newest session of each of these was last active."""
    found: dict[str, float] = {}
    keys = catalog.keys
    for key, active in zip(keys, catalog.all_last_active(keys), strict=True):
        if (name := store.place(key)) in servers and active > found.get(name, 0.0):
            found[name] = active
    return found


def _damage(store: Store | None) -> str:
    return disagrees(store.profile if store is not None else None)


def state_lines(
    states: Sequence[ProfileState], used: frozenset[str], width: int, now: float
) -> list[list[Line]]:
    """The lines of each profile: how it is, where its file is, and what to do about one that cannot
    be read. `used` are those that the list is narrowed to."""
    longest = max((cell_width(profile_words(one.name)) for one in states), default=0)
    names = min(max(longest, LEAST_NAME), MOST_NAME)
    return [_lines(one, one.name in used, names, width, now) for one in states]


def _lines(one: ProfileState, used: bool, names: int, width: int, now: float) -> list[Line]:
    name = (pad(fit_middle(profile_words(one.name), names), names), "strong")
    known, more = plural(one.sessions, "session"), _beside(one)
    only: Line = (("  ✓ only this is listed", "ok"),) if used else ()
    if one.error is None:
        about = "  " + " · ".join((known, *more, *_facts(one, now)))
        damaged: Line = ((" · damaged", "error"),) if one.damage else ()
        lines: list[Line] = [
            (name, (about, "text"), *damaged, *only),
            ((f"  {clean_line(one.path)}", "dim"),),
        ]
        return lines + _wrapped(one.damage, width)
    bad = unreadable(one.error)
    title = NONE_OF_ITS_OWN if one.elsewhere and not bad else clean_line(one.error.title, 100)
    last_read = [f"{known} as last read"] if one.sessions else []
    kept = "".join(f" · {said}" for said in (*last_read, *more))
    style = "error" if bad else "dim"
    lines = [
        (name, (f"  {title}", style), (kept, "text"), *only),
        ((f"  {clean_line(one.path)}", "dim"),),
    ]
    return lines + _wrapped(_remedy(one.error, one.path), width)


def _beside(one: ProfileState) -> list[str]:
    """The sessions that it has beside those in its state file."""
    more = "more " if one.sessions else ""
    said = [f"{count(number)} {more}in {profile_words(name)}" for name, number in one.elsewhere]
    return [*said, *file_only(one.files)]


def _remedy(error: StoreError, path: str) -> str:
    """Why it cannot be read, below its path; that nothing was changed goes without saying there."""
    words = profile_remedy(error).replace(" Nothing was changed.", "")
    about = words.removeprefix(f"{clean_line(path)} is ")
    return words if about == words else about[0].upper() + about[1:]


def _facts(one: ProfileState, now: float) -> list[str]:
    """How large it is and when it was written, as far as that is known."""
    if one.server:
        return [] if one.active is None else [f"last active {when(one.active, now)}"]
    return [size(one.bytes), *([f"written {when(one.written, now)}"] if one.written else [])]


def _wrapped(words: str, width: int) -> list[Line]:
    return [((f"  {line}", "text"),) for line in wrapped(words, max(width - 2, 10)) if words]


def missing_of(store: Store, filters: Filters, query: Query | None) -> list[UnreadableStore]:
    """Those that cannot be read now, of the ones that filters and a query ask for."""
    return [
        one
        for one in store.troubles
        if (not filters.profiles or not filters.profiles.isdisjoint(one.names))
        and (query is None or query.asks_for_profile(one.names))
    ]

"""The profiles that are listed together: how many sessions each has, how its state file is, and why
one cannot be read. Read in a thread: of 100,000 sessions it takes a moment to count them."""

import os
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.browse.words import profile_remedy, profile_words, unreadable
from explorer.errors import Problem, StoreError
from explorer.render.clean import cell_width, clean_line, fit_middle, pad
from explorer.render.figures import plural, size, when
from explorer.render.lines import Line, wrapped
from explorer.search.filters import Filters
from explorer.search.language.query import Query
from explorer.stores.base import Store, UnreadableStore
from explorer.stores.catalog import Catalog
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
    """Those that are listed or hidden; of an unreadable one, those that were read last."""
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


def profile_states(
    store: Store, catalog: Catalog, found: Sequence[FoundStore], shown: Collection[str] = ()
) -> list[ProfileState]:
    """All of them, in their order; those that are `shown` stay when they are removed, and say
    so."""
    numbers = Counter(map(store.place, catalog.keys))
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
            )
        )
    return states


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
    known = plural(one.sessions, "session")
    only: Line = (("  ✓ only this is listed", "ok"),) if used else ()
    if one.error is None:
        about = "  " + " · ".join((known, *_facts(one, now)))
        damaged: Line = ((" · damaged", "error"),) if one.damage else ()
        lines: list[Line] = [
            (name, (about, "text"), *damaged, *only),
            ((f"  {clean_line(one.path)}", "dim"),),
        ]
        return lines + _wrapped(one.damage, width)
    title = clean_line(one.error.title, 100)
    kept = f" · {known} as last read" if one.sessions else ""
    style = "error" if unreadable(one.error) else "dim"
    lines = [
        (name, (f"  {title}", style), (kept, "text"), *only),
        ((f"  {clean_line(one.path)}", "dim"),),
    ]
    return lines + _wrapped(_remedy(one.error, one.path), width)


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

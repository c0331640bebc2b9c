"""`list`: sessions, newest first, with a count of the hidden ones."""

import argparse
from typing import NamedTuple

from explorer.commands.output import note, write, write_json
from explorer.commands.pager import paged
from explorer.commands.session_table import session_lines
from explorer.commands.shapes import fate_shape, listed_shapes, session_shape
from explorer.commands.stores import (
    chosen_store,
    known_catalog,
    known_census,
    warn_unknown,
    warn_unreadable,
    with_noted_pins,
)
from explorer.commands.words import damaged_profile, files_summary, list_summary
from explorer.errors import ExitCode
from explorer.model import Hidden, Session, Sort
from explorer.stores.base import Store
from explorer.stores.catalog import named_by
from explorer.stores.census import Census, CountedRows
from explorer.stores.sort_order import expiry, ordered, values_of
from explorer.stores.sqlite.failures import disagrees


def list_sessions(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    folded = not options.all
    sort = Sort(options.sort)
    census = _counted(store, options)
    catalog, rows = census.known, _select(census, options)
    values = values_of(store, sort)
    if sort is Sort.EXPIRING:
        values = expiry(catalog, rows.keys, store.fates(catalog), now, folded)
    order = ordered(catalog, rows.keys, sort, values, folded)
    page = order[: options.limit or None]
    units = [catalog.folded(key) if folded else catalog.single(key) for key in page]
    sessions = store.sessions(units, now)
    files = _in_files(store, options, len(sessions)) if _with_files(options) else None
    alone = files.sessions if files else []
    warn_unreadable(store, options)
    if options.json:
        warn_unknown(options.source, census.source_names)
        sessions = with_noted_pins(store, catalog, sessions)
        fates = store.fates(catalog, page)
        parts = {unit.key: unit.parts for unit in units}
        write_json(
            {
                "total": census.total,
                "matching": rows.matching,
                "shown": len(sessions),
                "files": None if files is None else files.number,
                "files_without_session": None if files is None else files.unreadable,
                "hidden": {name.value: number for name, number in rows.hidden.items()},
                "sound": catalog.sound,
                "stores": listed_shapes(store, census),
                "sessions": [
                    session_shape(session, store, fate_shape(fates, parts[session.key], now))
                    for session in sessions
                ]
                + [session_shape(session, store, None) for session in alone],
            }
        )
        return ExitCode.DONE
    with paged(not options.no_pager):
        for line in session_lines([*sessions, *alone], sort, now):
            write(line)
    read = sum(one.error is None for one in store.stores()) if store.places else 0
    note(list_summary(len(sessions), rows.matching, rows.hidden, read))
    if files is not None and (files.number or files.unreadable):
        note(files_summary(len(alone), files.number, files.unreadable))
    warn_unknown(options.source, census.source_names)
    if not catalog.sound:
        _warn_damaged(store)
    return ExitCode.DONE


def _warn_damaged(store: Store) -> None:
    """That lists may be wrong; of several files, for which one."""
    if not store.places:
        note(f"The file is damaged. {disagrees(store.profile)}")
    for one in store.stores():
        if not one.sound:
            note(damaged_profile(one))


def _with_files(options: argparse.Namespace) -> bool:
    """Sessions that exist only as files are of no source and in no archive, and to look for them
    takes a while: they are listed where all are asked for."""
    return bool(options.all) and not options.source and not options.archived


class _FileRows(NamedTuple):
    """Sessions that exist only as files."""

    sessions: list[Session]
    """Those that are listed."""
    number: int
    """All of them, as far as their files were opened or may hold one."""
    unreadable: int
    """Files that are empty, or hold no message that can be read."""


def _in_files(store: Store, options: argparse.Namespace, listed: int) -> _FileRows:
    """As many of them as there is room for after the others."""
    ids, unreadable = store.file_sessions()
    rows: list[Session] = []
    broken = 0
    for id_ in ids:
        if options.limit and listed + len(rows) >= options.limit:
            break
        found = store.file_session(id_)
        if found is None:
            broken += 1
        else:
            rows.append(found.session)
    return _FileRows(rows, len(ids) - broken, unreadable + broken)


MOST_FIRST = 500
"""Rows of a list that are few enough to be told without a look at each session."""


def _counted(store: Store, options: argparse.Namespace) -> Census:
    """A census that tells the list; of a whole catalog, unless it is the newest few that are asked
    for."""
    limit = options.limit
    plain = options.sort == Sort.ACTIVE and not options.all and not options.archived
    if plain and 0 < limit <= MOST_FIRST:

        def tells(census: Census) -> bool:
            return census.tells_first(_select(census, options), limit)

        census = known_census(store, limit, options.source, tells)
        if tells(census):
            return census
    return Census(known_catalog(store))


def _select(census: Census, options: argparse.Namespace) -> CountedRows:
    catalog = census.known
    sources = frozenset(options.source)
    # A source that is named is listed, and so are archived sessions with --archived.
    shown = set(named_by(sources))
    if options.archived:
        shown.add(Hidden.ARCHIVED)
    if options.all:
        shown.update(Hidden)

    def wanted(key: int) -> bool:
        if options.archived and key not in catalog.archived:
            return False
        return not sources or catalog.source(key) in sources

    if not sources and not options.archived:
        return census.select(shown - {Hidden.FILTERED})
    # What is only counted is not archived.
    asked = frozenset() if options.archived else sources
    return census.select(shown - {Hidden.FILTERED}, wanted, asked.__contains__)

"""`list`: sessions, newest first, with a count of the hidden ones."""

import argparse

from explorer.commands.output import note, write, write_json
from explorer.commands.pager import paged
from explorer.commands.session_table import session_lines
from explorer.commands.shapes import fate_shape, session_shape, store_shape
from explorer.commands.stores import (
    chosen_store,
    known_catalog,
    warn_unknown,
    warn_unreadable,
    with_noted_pins,
)
from explorer.commands.words import list_summary
from explorer.errors import ExitCode
from explorer.model import Hidden, Sort
from explorer.stores.catalog import NOISE, Catalog
from explorer.stores.sort_order import expiry, ordered, values_of
from explorer.stores.sqlite.failures import DISAGREES


def list_sessions(options: argparse.Namespace, now: float) -> int:
    store = chosen_store(options)
    catalog = known_catalog(store)
    listed, hidden = _select(catalog, options)
    folded = not options.all
    sort = Sort(options.sort)
    values = values_of(store, sort)
    if sort is Sort.EXPIRING:
        values = expiry(catalog, listed, store.fates(catalog), now, folded)
    order = ordered(catalog, listed, sort, values, folded)
    page = order[: options.limit or None]
    units = [catalog.folded(key) if folded else catalog.single(key) for key in page]
    sessions = store.sessions(units, now)
    warn_unreadable(store, options)
    if options.json:
        warn_unknown(options.source, catalog)
        sessions = with_noted_pins(store, catalog, sessions)
        fates = store.fates(catalog, page)
        parts = {unit.key: unit.parts for unit in units}
        write_json(
            {
                "total": len(catalog),
                "matching": len(order),
                "shown": len(sessions),
                "hidden": {name.value: number for name, number in hidden.items()},
                "sound": catalog.sound,
                "stores": [
                    store_shape(one, one.sessions if store.places else len(catalog))
                    for one in store.stores()
                ],
                "sessions": [
                    session_shape(session, store, fate_shape(fates, parts[session.key], now))
                    for session in sessions
                ],
            }
        )
        return ExitCode.DONE
    with paged(not options.no_pager):
        for line in session_lines(sessions, sort, now):
            write(line)
    read = sum(one.error is None for one in store.stores()) if store.places else 0
    note(list_summary(len(sessions), len(order), hidden, read))
    warn_unknown(options.source, catalog)
    if not catalog.sound:
        note(f"The file is damaged. {DISAGREES}")
    return ExitCode.DONE


def _select(catalog: Catalog, options: argparse.Namespace) -> tuple[list[int], dict[Hidden, int]]:
    sources = frozenset(options.source)
    # A source that is named is listed, and so are archived sessions with --archived.
    shown = {NOISE[source] for source in sources if source in NOISE}
    if options.archived:
        shown.add(Hidden.ARCHIVED)
    if options.all:
        shown.update(Hidden)

    def wanted(key: int) -> bool:
        if options.archived and key not in catalog.archived:
            return False
        return not sources or catalog.source(key) in sources

    filtering = bool(sources) or options.archived
    return catalog.select(shown - {Hidden.FILTERED}, wanted if filtering else None)

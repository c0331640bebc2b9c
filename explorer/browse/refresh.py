"""Reading a file again after a change: what is new, and the visible rows; or all of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.browse import arrangement as arranging
from explorer.browse.arrangement import Arranged, Basis, Inside, inside_row, session_of
from explorer.cancel import CancelToken
from explorer.model import Session
from explorer.search.filters import filtered_by
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import Columns


class Renewed(NamedTuple):
    """The file as it is after a change."""

    catalog: Catalog
    touched: frozenset[int] | None
    """Sessions with something new; None when everything was read."""
    rows: dict[int, Session]
    """The visible ones, as they are now."""
    arranged: Arranged | None
    """The list with the changes worked in, where that could be done."""
    facts: Columns | None


def read_again(
    store: Store,
    catalog: Catalog,
    basis: Basis | None,
    facts: Columns | None,
    in_sight: Sequence[int],
    inside: Mapping[int, Inside],
    now: float,
    whole: bool,
    token: CancelToken,
) -> Renewed:
    """What is new since `catalog`, where that can be told; else everything, and so with `whole`,
    for what leaves no trace. The others are what else was known of the file."""
    changes = None if whole else store.changes(catalog.mark, token)
    if changes is None:
        made = store.catalog(token).with_files(catalog.file_rows)
        rows = read_rows(store, made, in_sight, inside, now, token)
        return Renewed(made, None, rows, None, None)
    made = catalog.renewed(changes.family, changes.mark) if changes.family else catalog
    places = changes.places
    seen = [row for row in in_sight if places is None or store.place(session_of(row)) in places]
    rows = read_rows(store, made, {*seen, *changes.keys}, inside, now, token)
    arranged, newer = None, facts
    family = changes.family.keys if changes.family else ()
    if basis is not None and basis.catalog is catalog:
        arranged = arranging.brought_up_to_date(store, basis, made, family, now, token)
    if facts is not None and family:
        newer = facts.renewed(store.columns(filtered_by(store.places), family, token), family)
    return Renewed(made, changes.keys, rows, arranged, newer)


def read_rows(
    store: Store,
    catalog: Catalog,
    rows: Iterable[int],
    inside: Mapping[int, Inside],
    now: float,
    token: CancelToken,
) -> dict[int, Session]:
    """Rows of the list, by their numbers: whole conversations, and what is inside them."""
    wanted = list(rows)
    whole = [catalog.folded(row) for row in wanted if row not in inside and catalog.has(row)]
    within = [inside[row].unit for row in wanted if row in inside]
    found = {session.key: session for session in store.sessions(whole, now, token)}
    if within:
        read = store.sessions(within, now, token)
        found |= {inside_row(session.key): session for session in read}
    return found

"""Reading a file again after a change: what is new, and the visible rows; or all of it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from typing import NamedTuple

from explorer.browse import arrangement as arranging
from explorer.browse.arrangement import (
    Arranged,
    Basis,
    Inside,
    inside_row,
    is_inside,
    session_of,
)
from explorer.browse.row_set import MANY, RowSet
from explorer.cancel import CancelToken
from explorer.errors import StoreError
from explorer.model import Session
from explorer.search.filters import filtered_by
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID, Columns


class Renewed(NamedTuple):
    """The file as it is after a change."""

    catalog: Catalog
    touched: frozenset[int] | None
    """Sessions with something new; None when everything was read."""
    places: frozenset[str] | None
    """Of several stores, those that were read: the others have not changed."""
    rows: dict[int, Session]
    """The visible ones, as they are now."""
    arranged: Arranged | None
    """The list with the changes worked in, where that could be done."""
    facts: Columns | None

    def may_touch(self, parts: Collection[int], place: str) -> bool:
        """Whether something may be new in a conversation, which is in this place."""
        if self.places is not None and place not in self.places:
            return False
        return self.touched is None or not self.touched.isdisjoint(parts)


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
        places = store.read_since(catalog.mark, made.mark)
        rows = read_rows(store, made, _of(store, in_sight, places), inside, now, token)
        return Renewed(made, None, places, rows, None, None)
    made = catalog.renewed(changes.family, changes.mark) if changes.family else catalog
    seen = _of(store, in_sight, changes.places)
    rows = read_rows(store, made, {*seen, *changes.keys}, inside, now, token)
    arranged, newer = None, facts
    family = changes.family.keys if changes.family else ()
    if basis is not None and basis.catalog is catalog:
        arranged = arranging.brought_up_to_date(store, basis, made, family, now, token)
    if facts is not None and family:
        newer = facts.renewed(store.columns(filtered_by(store.places), family, token), family)
    return Renewed(made, changes.keys, changes.places, rows, arranged, newer)


def _of(store: Store, rows: Sequence[int], places: Collection[str] | None) -> Sequence[int]:
    """Those of these rows that are in one of several stores; all where there is one."""
    if places is None:
        return rows
    return [row for row in rows if store.place(session_of(row)) in places]


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


class Moved(NamedTuple):
    """Rows whose number means no session any more, or another one than before."""

    gone: Sequence[int] = ()
    to: Mapping[int, int] = {}
    """Of those that mean another one: where the session itself is now, if it still exists."""


def ids_of(
    store: Store, rows: RowSet, known: Mapping[int, str], token: CancelToken
) -> Mapping[int, str]:
    """The ids of those rows that are not known, by key. Of a great many only those with the highest
    numbers are: an agent gives a new session the number after them."""
    keys = nlargest(MANY, map(session_of, rows))
    return store.columns((ID,), [key for key in keys if key not in known], token)[ID]


def moved(
    store: Store, renewed: Renewed, rows: RowSet, ids: Mapping[int, str], token: CancelToken
) -> Moved:
    """What became of rows in a file that has changed: an agent gives the number of a deleted
    session to the next one, and other numbers to all when it packs the file. `ids` are those that
    the sessions had, by key."""
    touched, catalog = renewed.touched, renewed.catalog
    asked = [key for key in ids if renewed.may_touch((key,), store.place(key))]
    gone = [] if touched is not None else [row for row in rows if not catalog.has(session_of(row))]
    if not asked:
        return Moved(gone)
    try:
        now = store.columns((ID,), asked, token)[ID]
        other = {key: store.noted_id(key, ids[key]) for key in asked if now.get(key) != ids[key]}
        found = store.keys_of(list(other.values()), token) if other else {}
    except StoreError:
        # All of them are in profiles that cannot be read now.
        return Moved(gone)
    known = {key: found.get(id_) for key, id_ in other.items() if key in now or id_ in found}
    if known and len(rows) > MANY:
        # Not all of them are known: which others mean another session cannot be told.
        return Moved(list(rows))
    lost = [row for row in rows if session_of(row) in known]
    to = {key: at for key, at in known.items() if at is not None and catalog.has(at)}
    return Moved(
        list(dict.fromkeys((*gone, *lost))),
        {row: _as_row(row, to[session_of(row)]) for row in lost if session_of(row) in to},
    )


def _as_row(row: int, key: int) -> int:
    """The row of a session that is listed as another one was."""
    return inside_row(key) if is_inside(row) else key

"""The orders of a list, over whole conversations: a chain counts with all its parts."""

from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from functools import partial

from explorer.cancel import CancelToken
from explorer.model import Sort
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import COST, ID, MESSAGES, STARTED, TITLE, TOKENS, Column
from explorer.stores.fates import Fates

Values = Mapping[int, object]
"""What sessions are sorted by, by their keys."""
_COLUMNS: Mapping[Sort, Column[object]] = {
    Sort.STARTED: STARTED,
    Sort.MESSAGES: MESSAGES,
    Sort.COST: COST,
    Sort.TITLE: TITLE,
    Sort.TOKENS: TOKENS,
}
"""The catalog and `expiry` tell the others."""


def values_of(store: Store, sort: Sort, token: CancelToken | None = None) -> Values:
    """What this order needs to know of every session beyond the catalog and `expiry`: a walk
    through all of them, so it is done once for a list."""
    if sort is Sort.PROFILE:
        ids = store.columns({ID}, token=token)[ID] if store.places else ()
        return {key: store.place(key) for key in ids}
    column = _COLUMNS.get(sort)
    return {} if column is None else store.columns({column}, token=token)[column]


def expiry(
    catalog: Catalog, keys: Iterable[int], fates: Fates, now: float, folded: bool = True
) -> Values:
    """When conversations disappear from the list, by their tips: deleted or archived."""
    if fates.tell_nothing:
        return {}
    found = ((key, fates.of(catalog.chain(key) if folded else (key,), now)) for key in keys)
    return {key: fate.at for key, fate in found if fate is not None and not fate.harmless}


def ordered(
    catalog: Catalog, keys: Sequence[int], sort: Sort, values: Values, folded: bool = True
) -> MutableSequence[int]:
    """`keys` in this order, what is unknown last, of equal ones the newer first. A conversation
    counts with all its parts where they are `folded`."""
    newest = catalog.by_last_active(keys)
    if sort is Sort.ACTIVE:
        return newest
    return _by(sort, catalog, newest, values, folded)


def _by(
    sort: Sort, catalog: Catalog, newest: MutableSequence[int], values: Values, folded: bool
) -> MutableSequence[int]:
    """The keys, the newest first, in another order. Nothing is kept for each of them beside what
    it is sorted by: there may be a million."""
    if sort is Sort.SOURCE:
        return catalog.in_order(newest, catalog.source)
    if sort is Sort.PROFILE:
        return catalog.in_order(newest, lambda key: str(values.get(key, "")).casefold())
    if sort is Sort.EXPIRING:
        return catalog.in_order(newest, lambda key: (key not in values, _number(values.get(key))))

    def parts(key: int) -> tuple[int, ...]:
        return catalog.chain(key) if folded else (key,)

    if sort is Sort.TITLE:

        def title(key: int) -> str:
            return str(values.get(key) or values.get(parts(key)[0]) or "").casefold()

        found, others = _parted(catalog, newest, title)
        order = catalog.in_order(found, title)
        order.extend(others)
        return order
    if sort is Sort.STARTED:
        by_start = partial(start_of, catalog, values=values, folded=folded)
        return catalog.in_order(newest, by_start, reverse=True)

    def total(key: int) -> float:
        return sum(_number(values.get(part)) for part in parts(key))

    def is_known(key: int) -> bool:
        return any(part in values for part in parts(key))

    found, others = _parted(catalog, newest, is_known)
    order = catalog.in_order(found, total, reverse=True)
    order.extend(others)
    return order


def _parted(
    catalog: Catalog, keys: Iterable[int], test: Callable[[int], object]
) -> tuple[MutableSequence[int], MutableSequence[int]]:
    """(the keys of which it is true, the others)."""
    found = catalog.listing(()), catalog.listing(())
    for key in keys:
        found[not test(key)].append(key)
    return found


def start_of(catalog: Catalog, key: int, values: Values, folded: bool = True) -> float:
    """When a conversation began, with its first part; zero where that is not known."""
    return _number(values.get(catalog.chain(key)[0] if folded else key))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0

"""The orders of a list, over whole conversations: a chain counts with all its parts."""

from collections.abc import Iterable, Mapping, Sequence

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
) -> list[int]:
    """`keys` in this order, what is unknown last, of equal ones the newer first. A conversation
    counts with all its parts where they are `folded`."""
    newest = catalog.by_last_active(keys)
    if sort is Sort.ACTIVE:
        return newest
    if sort is Sort.SOURCE:
        return sorted(newest, key=catalog.source)
    if sort is Sort.PROFILE:
        return sorted(newest, key=lambda key: str(values.get(key, "")).casefold())
    if sort is Sort.EXPIRING:
        return sorted(newest, key=lambda key: (key not in values, _number(values.get(key))))

    def parts(key: int) -> tuple[int, ...]:
        return catalog.chain(key) if folded else (key,)

    if sort is Sort.TITLE:
        titles = {key: str(values.get(key) or values.get(parts(key)[0]) or "") for key in newest}
        return sorted(newest, key=lambda key: (not titles[key], titles[key].casefold()))
    if sort is Sort.STARTED:
        starts = {key: start_of(catalog, key, values, folded) for key in newest}
        return sorted(newest, key=starts.__getitem__, reverse=True)
    sums = {key: sum(_number(values.get(part)) for part in parts(key)) for key in newest}
    known = {key for key in newest if any(part in values for part in parts(key))}
    return sorted(newest, key=lambda key: (key in known, sums[key]), reverse=True)


def start_of(catalog: Catalog, key: int, values: Values, folded: bool = True) -> float:
    """When a conversation began, with its first part; zero where that is not known."""
    return _number(values.get(catalog.chain(key)[0] if folded else key))


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0

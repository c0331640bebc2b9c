"""The orders of a list, over whole conversations: a chain counts with all its parts."""

from collections.abc import Sequence

from explorer.model import Sort
from explorer.store.base import Store
from explorer.store.catalog import Catalog
from explorer.store.read_only import CancelToken


def ordered(
    store: Store,
    catalog: Catalog,
    keys: Sequence[int],
    sort: Sort,
    folded: bool,
    token: CancelToken | None = None,
) -> list[int]:
    """`keys` in this order, what is unknown last, of equal ones the newer first."""
    newest = catalog.by_last_active(keys)
    if sort is Sort.ACTIVE:
        return newest
    if sort is Sort.SOURCE:
        return sorted(newest, key=catalog.source)
    values = store.sort_values(sort, token)

    def parts(key: int) -> tuple[int, ...]:
        return catalog.chain(key) if folded else (key,)

    if sort is Sort.TITLE:
        titles = {key: str(values.get(key) or values.get(parts(key)[0]) or "") for key in newest}
        return sorted(newest, key=lambda key: (not titles[key], titles[key].casefold()))
    if sort is Sort.STARTED:
        starts = {key: _number(values.get(parts(key)[0])) for key in newest}
        return sorted(newest, key=starts.__getitem__, reverse=True)
    sums = {key: sum(_number(values.get(part)) for part in parts(key)) for key in newest}
    known = {key for key in newest if any(part in values for part in parts(key))}
    return sorted(newest, key=lambda key: (key in known, sums[key]), reverse=True)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0

"""Where a date is in the list: the first session of that day, or the nearest older one."""

from typing import NamedTuple

from explorer.browse.arrangement import Arranged, Wish, is_inside
from explorer.browse.words import NO_DATE_ORDER, NO_DATE_SEARCH, NOTHING_LISTED
from explorer.cancel import CancelToken
from explorer.model import Sort
from explorer.search.language.vocabulary import Period
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.sort_order import start_of, values_of

BY_TIME = (Sort.ACTIVE, Sort.STARTED)


class DayRow(NamedTuple):
    """The row that a date leads to."""

    row: int
    exact: bool
    """It is of that day."""
    older: bool
    """It is older than that day; else all sessions are newer."""


def no_dates(arranged: Arranged, wish: Wish) -> str:
    """Why this list has no dates to go to; empty where it has."""
    if not arranged.order:
        return NOTHING_LISTED
    if arranged.found:
        return NO_DATE_SEARCH
    return "" if wish.sort in BY_TIME else NO_DATE_ORDER


def row_of_day(
    store: Store,
    catalog: Catalog,
    arranged: Arranged,
    wish: Wish,
    day: Period,
    token: CancelToken,
) -> DayRow | None:
    """The row of a day in a list that is sorted by time; pinned rows stand above that order. None
    where all that is listed is gone by now."""
    starts = values_of(store, wish.sort, token)

    def time(row: int) -> float:
        by_start = wish.sort is Sort.STARTED
        return start_of(catalog, row, starts) if by_start else catalog.last_active(row)

    rows = [row for row in arranged.order if not is_inside(row) and catalog.has(row)]
    rows = [row for row in rows if row not in arranged.pinned] or rows
    if not rows:
        return None
    older = [row for row in rows if time(row) < day.end]
    if not older:
        return DayRow(rows[0] if wish.reverse else rows[-1], exact=False, older=False)
    within = [row for row in older if time(row) >= day.start]
    nearest = older[-1] if wish.reverse else older[0]
    return DayRow((within or [nearest])[0], bool(within), older=True)

"""The headings of a list: days where it goes back in time, sources where it is in their order."""

from collections.abc import Callable, Sequence

from explorer.browse.row_index import Group
from explorer.model import Session, Sort
from explorer.render.clean import clean_line
from explorer.render.figures import day_heading
from explorer.stores.catalog import Catalog
from explorer.stores.fates import SOON
from explorer.stores.sort_order import Values, start_of

PINNED = "Pinned"


def headings(
    catalog: Catalog, order: Sequence[int], sort: Sort, values: Values, now: float
) -> tuple[Group, ...]:
    """The groups of rows in this order, which was made of `values`; none where it has none."""
    if sort is Sort.ACTIVE:
        return by_day(len(order), lambda row: catalog.last_active(order[row]), now)
    if sort is Sort.STARTED:
        return by_day(len(order), lambda row: start_of(catalog, order[row], values), now)
    if sort is Sort.SOURCE:
        changes = [
            row
            for row, key in enumerate(order)
            if not row or catalog.source(key) != catalog.source(order[row - 1])
        ]
        names = {row: clean_line(catalog.source(order[row]), 60) for row in changes}
        return tuple(Group(row, name or "No source") for row, name in names.items())
    if sort is Sort.EXPIRING:
        titles = [_expiry(values.get(key), now) for key in order]
        firsts = [at for at, title in enumerate(titles) if not at or title != titles[at - 1]]
        return tuple(Group(at, titles[at]) for at in firsts) if values else ()
    return ()


def _expiry(time: object, now: float) -> str:
    if not isinstance(time, float):
        return "Kept"
    if time <= now:
        return "At the next start of Hermes"
    return "Within 7 days" if time <= now + SOON else "Later"


def below_pins(groups: Sequence[Group], pinned: int, others: int, name: str) -> tuple[Group, ...]:
    """The groups of a list that begins with its pinned rows."""
    if not pinned:
        return tuple(groups)
    below = tuple(Group(group.first + pinned, group.title) for group in groups)
    if others and not below:
        below = (Group(pinned, name),)
    return (Group(0, PINNED), *below)


def first_headings(
    rows: Sequence[Session], pinned: int, sort: Sort, now: float
) -> tuple[Group, ...]:
    """The headings of a first page, by last active or by start, of which the first rows are
    pinned."""
    rest = rows[pinned:]
    times = [row.started_at if sort is Sort.STARTED else row.last_active for row in rest]
    days = by_day(len(rest), lambda row: times[row] or 0.0, now)
    return below_pins(days, pinned, len(rest), "")


def by_day(rows: int, time_of: Callable[[int], float], now: float) -> tuple[Group, ...]:
    """Headings for rows that go back in time: a leap from day to day, not a look at each."""
    groups: list[Group] = []
    row = 0
    while row < rows:
        title = _day(time_of(row), now)
        groups.append(Group(row, title))
        low, high = row + 1, rows
        while low < high:
            middle = (low + high) // 2
            if _day(time_of(middle), now) == title:
                low = middle + 1
            else:
                high = middle
        row = low
    return tuple(groups)


def _day(time: float, now: float) -> str:
    return day_heading(time, now) if time > 0 else "Time unknown"

"""The headings of a list, days where it goes back in time, sources or profiles where it is in
their order;
and which row, or which heading, is on which line.

Rows all have one height and headings one line, so every answer is arithmetic and a search among the
few headings: 100,000 rows cost the same as 100.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

from explorer.model import Session, Sort
from explorer.render.clean import clean_line
from explorer.render.figures import day_heading
from explorer.stores.catalog import Catalog
from explorer.stores.fates import SOON
from explorer.stores.sort_order import Values, start_of


class Group(NamedTuple):
    """A heading and the row it stands above."""

    first: int
    title: str


class RowIndex:
    """Lines of a list of `rows` rows, each `height` lines tall, in groups."""

    def __init__(self, rows: int, height: int, groups: Sequence[Group] = ()) -> None:
        self.rows = rows
        self.height = height
        self.groups = tuple(groups)
        self._firsts = [group.first for group in self.groups]
        self._heads = [group.first * height + at for at, group in enumerate(self.groups)]

    @property
    def total(self) -> int:
        return self.rows * self.height + len(self.groups)

    def top(self, row: int) -> int:
        """The first line of a row."""
        return row * self.height + bisect_right(self._firsts, row)

    def group_of(self, row: int) -> int | None:
        """The group that a row is in."""
        at = bisect_right(self._firsts, row) - 1
        return at if at >= 0 else None

    def heading_at(self, line: int) -> int | None:
        """The group whose heading is on this line."""
        at = bisect_right(self._heads, line) - 1
        return at if at >= 0 and self._heads[at] == line else None

    def row_at(self, line: int) -> tuple[int, int] | None:
        """(row, line within it), or None on a heading and beyond the end."""
        if not 0 <= line < self.total or self.heading_at(line) is not None:
            return None
        return divmod(line - bisect_right(self._heads, line), self.height)

    def nearest_row(self, line: int) -> int:
        """The row on this line, below this heading, or at this end of the list."""
        line = max(0, min(line, self.total - 1))
        found = self.row_at(line) or self.row_at(line + 1) or (0, 0)
        return found[0]

    def rows_of(self, group: int) -> range:
        """The rows under a heading."""
        after = group + 1
        end = self._firsts[after] if after < len(self._firsts) else self.rows
        return range(self._firsts[group], end)

    def beside(self, row: int, step: int) -> int:
        """The first row under the next heading; backwards under this one, then the one before."""
        if not self.groups:
            return self.rows - 1 if step > 0 else 0
        if step > 0:
            after = bisect_right(self._firsts, row)
            return self._firsts[after] if after < len(self._firsts) else self.rows - 1
        return self._firsts[max(bisect_left(self._firsts, row) - 1, 0)]


PINNED = "Pinned"


def headings(
    catalog: Catalog, order: Sequence[int], sort: Sort, values: Values, now: float
) -> tuple[Group, ...]:
    """The groups of rows in this order, which was made of `values`; none where it has none."""
    if sort is Sort.ACTIVE:
        return by_day(len(order), lambda row: catalog.last_active(order[row]), now)
    if sort is Sort.STARTED:
        return by_day(len(order), lambda row: start_of(catalog, order[row], values), now)
    titles: list[str] = []
    if sort is Sort.SOURCE:
        titles = [catalog.source(key) for key in order]
    elif sort is Sort.PROFILE and values:
        titles = [str(values.get(key, "")) for key in order]
    elif sort is Sort.EXPIRING and values:
        titles = [_expiry(values.get(key), now) for key in order]
    firsts = [at for at, title in enumerate(titles) if not at or title != titles[at - 1]]
    return tuple(Group(at, clean_line(titles[at], 60) or "No source") for at in firsts)


def _expiry(time: object, now: float) -> str:
    if not isinstance(time, float):
        return "Kept"
    if time <= now:
        return "When Hermes next starts"
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

        def is_another(at: int, title: str = title) -> bool:
            return _day(time_of(at), now) != title

        row = bisect_left(range(rows), True, row + 1, key=is_another)
    return tuple(groups)


def _day(time: float, now: float) -> str:
    return day_heading(time, now) if time > 0 else "Unknown date"

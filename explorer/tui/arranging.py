"""Which sessions are listed, in which order, under which headings. Runs in a worker thread."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from explorer.model import Hidden, Session, Sort
from explorer.render.amounts import count, plural
from explorer.render.clean import clean_line
from explorer.render.when import day_heading
from explorer.search.query import parse
from explorer.search.run import Found, run
from explorer.store.base import Store
from explorer.store.catalog import Catalog
from explorer.store.ordering import ordered
from explorer.store.read_only import CancelToken
from explorer.tui.row_index import Group

FOLDED = frozenset(Hidden) - {Hidden.CONTINUATION, Hidden.FILTERED}
"""What one key shows and hides again; parts of a conversation stay folded into it."""
MOST_HITS = 5000
"""Matches looked at while somebody types."""


SORTS = {
    Sort.ACTIVE: "by last active",
    Sort.STARTED: "by start",
    Sort.MESSAGES: "by number of messages",
    Sort.TOKENS: "by tokens",
    Sort.COST: "by cost",
    Sort.TITLE: "by title",
    Sort.SOURCE: "by source",
}
"""The orders of the list, in words."""


class Arranged(NamedTuple):
    """A list as it is to be shown."""

    order: Sequence[int]
    groups: tuple[Group, ...]
    hidden: Mapping[Hidden, int]
    found: Found | None = None


class Wish(NamedTuple):
    """How the list is to be."""

    sort: Sort = Sort.ACTIVE
    reverse: bool = False
    show_hidden: bool = False
    revealed: frozenset[int] = frozenset()
    """Sessions that were asked for by name: listed whatever their class."""

    def words(self) -> str:
        return f"{SORTS[self.sort]}{', the other way round' if self.reverse else ''}"


def arrange(store: Store, catalog: Catalog, wish: Wish, now: float, token: CancelToken) -> Arranged:
    """All sessions in the wished order, under headings where it has some."""
    listed, hidden = catalog.select(FOLDED if wish.show_hidden else ())
    for key in wish.revealed.difference(listed):
        reason = catalog.hidden_as(key) if catalog.has(key) else None
        if reason is not None:
            listed.append(key)
            hidden[reason] -= 1
    hidden = {reason: number for reason, number in hidden.items() if number}
    order = ordered(store, catalog, listed, wish.sort, True, token)
    if wish.reverse:
        order.reverse()
    return Arranged(order, _groups(store, catalog, order, wish, now, token), hidden)


def _groups(
    store: Store,
    catalog: Catalog,
    order: Sequence[int],
    wish: Wish,
    now: float,
    token: CancelToken,
) -> tuple[Group, ...]:
    if wish.sort is Sort.ACTIVE:
        return by_day(len(order), lambda row: catalog.last_active(order[row]), now)
    if wish.sort is Sort.STARTED:
        starts = store.sort_values(Sort.STARTED, token)
        times = [cast(float, starts.get(catalog.chain(key)[0], 0.0)) for key in order]
        return by_day(len(order), times.__getitem__, now)
    if wish.sort is Sort.SOURCE:
        changes = [
            row
            for row, key in enumerate(order)
            if not row or catalog.source(key) != catalog.source(order[row - 1])
        ]
        return tuple(Group(row, clean_line(catalog.source(order[row]), 60)) for row in changes)
    return ()


def search(
    store: Store, catalog: Catalog, text: str, show_hidden: bool, token: CancelToken
) -> Arranged:
    """The conversations in which something is found: by title, then by their newest hit."""
    found = run(
        store,
        catalog,
        parse(text),
        everything=show_hidden,
        growing=True,
        limit=MOST_HITS,
        token=token,
    )
    titled = _conversations(catalog, found.titles)
    keys = (match.session_key for match in found.matches if match.session_key is not None)
    said = [key for key in _conversations(catalog, keys) if key not in set(titled)]
    groups = [Group(0, "In the title")] if titled else []
    if said:
        groups.append(Group(len(titled), "In the text, newest first"))
    return Arranged([*titled, *said], tuple(groups), found.hidden, found)


def first_groups(rows: Sequence[Session], now: float) -> tuple[Group, ...]:
    """The headings of a first page."""
    return by_day(len(rows), lambda row: rows[row].last_active or 0.0, now)


def by_day(rows: int, time_of: Callable[[int], float], now: float) -> tuple[Group, ...]:
    """Headings for rows that go back in time: a leap from day to day, not a look at each."""
    groups: list[Group] = []
    row = 0
    while row < rows:
        title = _heading(time_of(row), now)
        groups.append(Group(row, title))
        low, high = row + 1, rows
        while low < high:
            middle = (low + high) // 2
            if _heading(time_of(middle), now) == title:
                low = middle + 1
            else:
                high = middle
        row = low
    return tuple(groups)


def _heading(time: float, now: float) -> str:
    return day_heading(time, now) if time > 0 else "Time unknown"


def in_words(arranged: Arranged, total: int, room: int) -> str:
    """What the border of the list says: nothing is hidden silently, also where there is little
    room."""
    said = f"{count(len(arranged.order))} of {count(total)}"
    if not arranged.hidden:
        return said
    most = sorted(arranged.hidden.items(), key=lambda item: -item[1])
    number = sum(arranged.hidden.values())
    if arranged.found is not None:
        where = ", ".join(_NAMES[name] for name, _ in most)
        return f"{said} · {plural(number, 'more hit')} in {where}: . shows"
    # Parts that are folded into their conversation are in sight, so they are the first to yield.
    for left_out in (None, Hidden.CONTINUATION):
        named = [f"{count(n)} {_NAMES[name]}" for name, n in most if name is not left_out]
        whole = f"{said} · hidden: {', '.join(named)}"
        if named and len(whole) <= room:
            return whole
    return f"{said} · {count(number)} hidden: . shows"


_NAMES = {name: name.value for name in Hidden} | {Hidden.CONTINUATION: "folded"}


def _conversations(catalog: Catalog, keys: Iterable[int]) -> list[int]:
    """Each conversation once, by its tip, in the order of first mention."""
    known = (catalog.chain(key)[-1] for key in keys if catalog.has(key))
    return list(dict.fromkeys(known))

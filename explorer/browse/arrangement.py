"""Which sessions are listed, in which order, under which headings, and what is inside an unfolded
row: the parts of a conversation, and what its subagents left. Runs in a worker thread.
"""

from bisect import bisect_left
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableSequence,
    Sequence,
)
from typing import NamedTuple

from explorer.browse.headings import Group, below_pins, headings
from explorer.cancel import CancelToken
from explorer.model import OWN_CLASSES, Hidden, Kind, Session, Sort
from explorer.render.lines import Line
from explorer.search.engine import SearchResult
from explorer.search.filters import Filters, wanted
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog, Unit
from explorer.stores.columns import Columns
from explorer.stores.fates import SOON, Fates, expiring
from explorer.stores.resolve import pinned_rows
from explorer.stores.sort_order import Values, expiry, ordered, values_of

CLASSES = (Hidden.ARCHIVED, *OWN_CLASSES, Hidden.FILE)
"""What is hidden by default; parts of a conversation stay folded into it."""
_BY_SOURCE = (
    *(Hidden.CRON, Hidden.TOOL, Hidden.KANBAN, Hidden.ONESHOT, Hidden.HIDDEN),
    Hidden.FILE,
)
SORTS = {
    Sort.ACTIVE: "by last active",
    Sort.STARTED: "by start time",
    Sort.MESSAGES: "by number of messages",
    Sort.TOKENS: "by tokens",
    Sort.COST: "by cost",
    Sort.TITLE: "by title",
    Sort.SOURCE: "by source",
    Sort.EXPIRING: "by expiry",
    Sort.PROFILE: "by profile",
}
"""The orders of the list, in words."""
DEEPEST = 8
"""Subagents of subagents: further down they stand side by side."""


class Inside(NamedTuple):
    """A row that is shown because the one above it is unfolded."""

    unit: Unit
    depth: int


def classes_of(store: Store | None) -> tuple[Hidden, ...]:
    """The classes that the sessions of a store can belong to."""
    every = store is None or store.keeps_sources
    return tuple(name for name in CLASSES if every or name not in _BY_SOURCE)


def sorts_of(store: Store | None) -> dict[Sort, str]:
    """The orders that a list of a store can have, in words."""
    several = store is not None and bool(store.places)
    return {sort: words for sort, words in SORTS.items() if several or sort is not Sort.PROFILE}


def inside_row(key: int) -> int:
    """The number of a row inside another: a session may be listed by itself as well, and the tip
    of a conversation has the key of the whole."""
    return ~key


def is_inside(row: int) -> bool:
    """Whether a row is one inside another."""
    return row < 0


def session_of(row: int) -> int:
    """The session of a row, whether it is inside another one or not."""
    return ~row if is_inside(row) else row


def unfolded(catalog: Catalog, tips: Iterable[int]) -> dict[int, dict[int, Inside]]:
    """The rows inside each of these, by their number, in the order they are listed."""
    helpers = catalog.children(Kind.SUBAGENT)
    return {tip: dict(_rows(catalog, tip, helpers)) for tip in tips if catalog.has(tip)}


def _rows(
    catalog: Catalog, tip: int, helpers: Mapping[int, list[int]]
) -> Iterator[tuple[int, Inside]]:
    chain = catalog.chain(tip)
    seen = {tip}
    for part in chain:
        if len(chain) > 1:
            yield inside_row(part), Inside(catalog.single(part), 1)
        yield from _below(catalog, part, helpers, 1 + (len(chain) > 1), seen)


def _below(
    catalog: Catalog, key: int, helpers: Mapping[int, list[int]], depth: int, seen: set[int]
) -> Iterator[tuple[int, Inside]]:
    """The subagents of a session and theirs; a stack, since they may lie any depth."""
    waiting = [(child, depth) for child in reversed(helpers.get(key, ()))]
    while waiting:
        child, deep = waiting.pop()
        unit = catalog.folded(child)
        if unit.key in seen:
            continue
        seen.add(unit.key)
        yield inside_row(unit.key), Inside(unit, min(deep, DEEPEST))
        below = [other for part in unit.parts for other in helpers.get(part, ())]
        waiting += [(other, deep + 1) for other in reversed(below)]


class Wish(NamedTuple):
    """How the list is to be."""

    sort: Sort = Sort.ACTIVE
    reverse: bool = False
    shown: frozenset[Hidden] = frozenset()
    """Classes that are listed too."""
    filters: Filters = Filters()
    pins: frozenset[str] = frozenset()
    """Ids of the sessions that come first."""
    revealed: frozenset[int] = frozenset()
    """Sessions that were asked for by name: listed whatever their class."""
    unfolded: frozenset[int] = frozenset()
    """Rows of which the inside is listed too."""
    best: bool = False
    """What a search finds comes best first, not newest first."""

    def hides(self, catalog: Catalog, key: int) -> Hidden | None:
        """The class for which this list leaves a row out, if any: asking for the source of a
        hidden class lists it."""
        reason = catalog.hidden_as(key)
        asked = catalog.noise_of(key, self.filters.sources, reason)
        return None if reason in self.shown or asked else reason

    def followed(self, catalog: Catalog) -> "Wish":
        """The same wish where conversations have been continued: their tip is another session."""
        return self._replace(
            revealed=catalog.tips(self.revealed), unfolded=catalog.tips(self.unfolded)
        )

    @property
    def needs_fates(self) -> bool:
        """Whether it must be known what the agent is going to do."""
        return self.sort is Sort.EXPIRING or self.filters.expiring


class Excerpt(NamedTuple):
    """The words around a hit."""

    message_id: int
    field: str
    """Where in the message it is."""
    line: Line


class Found(NamedTuple):
    """What a search came to, so far."""

    result: SearchResult
    titles: int
    """Conversations whose title holds it."""
    seconds: float
    ids: int = 0
    """Conversations that have it as their id."""
    alike: int = 0
    """Conversations that are listed only because their title is like it."""
    sessions: bool = False
    """Sessions were asked for, not words."""
    trouble: str = ""
    """What was not understood, or took too long."""
    rows: Mapping[int, Session] = {}
    """The first of them, read along: they are painted with the list, not after it."""
    excerpts: Mapping[int, Excerpt] = {}
    """What was found in these."""


class Asked(NamedTuple):
    """What to search, in what, listed how."""

    store: Store
    catalog: Catalog
    facts: Columns | None
    text: str
    wish: Wish
    now: float
    page: int = 24
    """Rows that come with the first results: as many as the list shows."""
    known: frozenset[int] = frozenset()
    """Rows that were read already."""
    fates: Fates | None = None
    chats: Callable[[CancelToken], Mapping[str, frozenset[int]]] | None = None
    """The sessions of chats that were chosen, by the value of `chat:` that means each."""


class Basis(NamedTuple):
    """The rows in order, before pins and what is unfolded: what a change is worked into."""

    catalog: Catalog
    wish: Wish
    order: MutableSequence[int]
    hidden: Mapping[Hidden, int]
    passes: Callable[[int], bool] | None = None
    """Says of a row whether the filters let it through; None when there are none."""


class Arranged(NamedTuple):
    """A list as it is to be shown."""

    order: Sequence[int]
    groups: tuple[Group, ...]
    hidden: Mapping[Hidden, int]
    listed: int
    """Rows, not counting those inside others."""
    found: Found | None = None
    inside: Mapping[int, Inside] = {}
    pinned: frozenset[int] = frozenset()
    excepted: frozenset[int] = frozenset()
    """Listed although they are hidden: pinned, or asked for."""
    basis: Basis | None = None


def arrange(
    store: Store,
    catalog: Catalog,
    facts: Columns | None,
    wish: Wish,
    now: float,
    token: CancelToken,
    fates: Fates | None = None,
) -> Arranged:
    """All sessions in the wished order, under headings where it has some. The `fates` are those
    of the next days, where they are known."""
    about: Collection[int] = ()
    if wish.filters.expiring:
        known = fates or store.fates(catalog, before=now + SOON, token=token)
        about = expiring(known, catalog.chain, now)
    passes = wanted(catalog, facts or Columns(), wish.filters, about, store.profiles_at)
    listed, hidden = catalog.select(wish.shown, passes, wish.filters.sources)
    values = values_of(store, wish.sort, token)
    if wish.sort is Sort.EXPIRING:
        # Of all rows: pinned ones, and those asked for by name, may be of a hidden class.
        every = store.fates(catalog, token=token)
        values = expiry(catalog, (tip for tip, _ in catalog.rows()), every, now)
    order = ordered(catalog, listed, wish.sort, values)
    if wish.reverse:
        order.reverse()
    return _finished(store, Basis(catalog, wish, order, hidden, passes), values, now, token)


def counted(
    store: Store,
    catalog: Catalog,
    facts: Columns,
    wish: Wish,
    token: CancelToken,
    expiring: Collection[int] = (),
) -> Arranged:
    """How many sessions a wish lists and why others are not, as `arrange` counts them, without
    the list itself."""
    passes = wanted(catalog, facts, wish.filters, expiring, store.profiles_at)
    listed, hidden = catalog.select(wish.shown, passes, wish.filters.sources)
    pinned = pinned_rows(store, catalog, wish.pins, token)
    left, excepted = _exceptions(Basis(catalog, wish, listed, hidden, passes), pinned)
    return Arranged((), (), left, len(listed) + len(excepted))


def brought_up_to_date(
    store: Store,
    basis: Basis,
    catalog: Catalog,
    changed: Iterable[int],
    now: float,
    token: CancelToken,
) -> Arranged | None:
    """The same list with some sessions in other places: a new message moves one row, and costs
    no look at the others. None where more than that must be done."""
    wish = basis.wish.followed(catalog)
    if wish.sort is not Sort.ACTIVE or wish.reverse or basis.passes:
        return None
    order, hidden = basis.order[:], dict(basis.hidden)
    for known, step in ((basis.catalog, -1), (catalog, 1)):
        place = _newest_first(known)
        for key in changed:
            if not known.has(key):
                continue
            reason = wish.hides(known, key)
            if reason is not None:
                hidden[reason] = hidden.get(reason, 0) + step
            else:
                at = bisect_left(order, place(key), key=place)
                if step > 0:
                    order.insert(at, key)
                elif order[at : at + 1]:
                    del order[at]
    return _finished(store, Basis(catalog, wish, order, hidden), {}, now, token)


def _newest_first(catalog: Catalog) -> Callable[[int], tuple[float, int]]:
    return lambda key: (-catalog.last_active(key), -key)


def _finished(
    store: Store, basis: Basis, values: Values, now: float, token: CancelToken
) -> Arranged:
    """Exceptions let in, pins first, what is unfolded opened; `values` are what it is sorted by."""
    catalog, wish = basis.catalog, basis.wish
    pinned = pinned_rows(store, catalog, wish.pins, token)
    hidden, excepted = _exceptions(basis, pinned)
    order: Sequence[int] = basis.order
    if excepted:
        order = ordered(catalog, [*order, *excepted], wish.sort, values)
        order = order[::-1] if wish.reverse else order
    first = [key for key in order if key in pinned] if pinned else []
    rest = catalog.listing(key for key in order if key not in pinned) if first else order
    days = headings(catalog, rest, wish.sort, values, now)
    groups = below_pins(days, len(first), len(rest), SORTS[wish.sort].capitalize())
    together = catalog.listing(key for keys in (first, rest) for key in keys) if first else rest
    opened = unfolded(catalog, wish.unfolded) if wish.unfolded else {}
    shown, groups = _opened(together, groups, opened)
    return Arranged(
        order=shown,
        groups=groups,
        hidden=hidden,
        listed=len(together),
        inside={row: found for rows in opened.values() for row, found in rows.items()},
        pinned=pinned,
        excepted=excepted,
        basis=basis,
    )


def _exceptions(basis: Basis, pinned: frozenset[int]) -> tuple[dict[Hidden, int], frozenset[int]]:
    """(what remains hidden, which rows are listed anyway): those asked for by name whatever hides
    them, pinned ones unless a filter does."""
    catalog, wish = basis.catalog, basis.wish
    hidden = dict(basis.hidden)
    excepted = set()
    for key in wish.revealed | pinned:
        if not catalog.has(key):
            continue
        reason = wish.hides(catalog, key)
        if basis.passes and not basis.passes(key):
            if key not in wish.revealed:
                continue
            reason = Hidden.FILTERED
        if reason is not None:
            excepted.add(key)
            hidden[reason] = hidden.get(reason, 0) - 1
    return {reason: number for reason, number in hidden.items() if number}, frozenset(excepted)


def _opened(
    order: Sequence[int], groups: tuple[Group, ...], opened: Mapping[int, Mapping[int, Inside]]
) -> tuple[Sequence[int], tuple[Group, ...]]:
    """The rows with those inside them, and the headings moved down accordingly."""
    places = sorted((order.index(tip), tip) for tip in opened if tip in order)
    if not places:
        return order, groups
    shown: list[int] = []
    done = 0
    for at, tip in places:
        shown += order[done : at + 1]
        shown += opened[tip]
        done = at + 1
    shown += order[done:]
    moved = [
        Group(first + sum(len(opened[tip]) for at, tip in places if at < first), title)
        for first, title in groups
    ]
    return shown, tuple(moved)

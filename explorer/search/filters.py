"""Which sessions are wanted: by source, model, workspace, profile, time, size, use of tools and
what is unread.

A filter is about a whole conversation: its last activity, the messages of all its parts, the
models, workspaces and tools of any of them. What a choice would list is counted for every choice
at once, as if the other filters stayed as they are.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.model import Hidden
from explorer.stores.catalog import NOISE, Catalog
from explorer.stores.columns import (
    MESSAGES,
    MODEL,
    OWNER,
    READ_AT,
    TOOLS,
    WORKSPACE,
    Column,
    Columns,
)

NO_MODEL = NO_WORKSPACE = ""
"""Stands for sessions of which the agent did not note it."""
FILTERED: frozenset[Column[object]] = frozenset((MODEL, WORKSPACE, MESSAGES, TOOLS, READ_AT))
"""What the catalog cannot tell, read together: one costs as much as all."""
Profiles = Callable[[int, str | None], tuple[str, ...]]
"""The names of the profile whose file a session is in, that of lists first, and of its owner."""


def filtered_by(places: Collection[str]) -> frozenset[Column[object]]:
    """What filters must know of sessions that are in files of these names."""
    return FILTERED | {OWNER} if places else FILTERED


def no_profile(key: int, owner: str | None) -> tuple[str, ...]:
    return (owner,) if owner else ()


class Moment(NamedTuple):
    """A point in time, and how it was typed."""

    words: str
    time: float


class Filters(NamedTuple):
    """What must be so; what is not set leaves everything in."""

    sources: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    since: Moment | None = None
    before: Moment | None = None
    least: int = 0
    """Messages at least."""
    tools: bool = False
    unread: bool = False
    expiring: bool = False
    """The agent is about to delete or archive it."""
    workspaces: frozenset[str] = frozenset()
    profiles: frozenset[str] = frozenset()
    """Of its file, or of its own words."""

    @property
    def needs_facts(self) -> bool:
        """Whether the catalog alone cannot tell."""
        named = self.models or self.workspaces or self.profiles
        return bool(named or self.least or self.tools or self.unread)


NO_FILTERS = Filters()


class Tally(NamedTuple):
    """How many rows each choice would list."""

    listed: int
    sources: Mapping[str, int]
    models: Mapping[str, int]
    times: Callable[[Moment | None, Moment | None], int]
    sizes: Callable[[int], int]
    tools: int
    unread: int | None
    """None where the agent keeps no track of what was read."""
    classes: Mapping[Hidden, int]
    expiring: int = 0
    workspaces: Mapping[str, int] = {}
    profiles: Mapping[str, int] = {}


def wanted(
    catalog: Catalog,
    facts: Columns,
    filters: Filters,
    expiring: Collection[int] = (),
    profiles: Profiles = no_profile,
) -> Callable[[int], bool] | None:
    """Says of a row whether it passes; None when all do. `expiring` are the rows that their agent
    is about to delete or archive."""
    return all_of(_Looks(catalog, facts, filters, expiring, profiles).checks.values())


def all_of(tests: Iterable[Callable[[int], bool] | None]) -> Callable[[int], bool] | None:
    """Says whether something passes every test that is set; None when none is."""
    checks = [test for test in tests if test is not None]
    if len(checks) < 2:
        return checks[0] if checks else None
    return lambda key: all(passes(key) for passes in checks)


def tally(
    catalog: Catalog,
    facts: Columns,
    filters: Filters,
    shown: frozenset[Hidden],
    pinned: Collection[int] = (),
    expiring: Collection[int] = (),
    profiles: Profiles = no_profile,
) -> Tally:
    """What every choice would list, the other filters staying as they are. Rows that are `pinned`
    are listed whatever their class."""
    looks = _Looks(catalog, facts, filters, expiring, profiles)
    rows = _sorted_out(catalog, looks, filters, shown, pinned)
    times = array("d", sorted(catalog.all_last_active(rows.but_for("time"))))
    sizes = looks.sizes(rows.but_for("size"))
    # Here, in a thread: what is asked of them while painting must not depend on how many there are.
    sizes.sort()
    return Tally(
        listed=len(rows.listed),
        sources=rows.sources,
        models=looks.counted_models(rows.but_for("model")),
        times=lambda since, before: _number_within(times, since, before),
        sizes=lambda least: len(sizes) - bisect_left(sizes, least),
        tools=looks.counted_tools(rows.but_for("tools")),
        unread=sum(map(looks.is_unread, rows.but_for("unread"))) if facts[READ_AT] else None,
        classes=rows.classes,
        expiring=sum(key in expiring for key in rows.but_for("expiring")) if expiring else 0,
        workspaces=looks.counted_workspaces(rows.but_for("workspace")),
        profiles=looks.counted_profiles(rows.but_for("profile")),
    )


class _Rows(NamedTuple):
    """The rows of a catalog, by what keeps them out of the list."""

    listed: "array[int]"
    failing: "dict[str, array[int]]"
    """Those that a single filter keeps out, by its name."""
    sources: Counter[str]
    """What each source would list, if it was chosen as well."""
    classes: Counter[Hidden]
    """How many that pass the filters are of each class that can be hidden."""

    def but_for(self, name: str) -> Sequence[int]:
        """What would be listed without a filter."""
        return self.listed + self.failing[name] if name in self.failing else self.listed


def _sorted_out(
    catalog: Catalog,
    looks: "_Looks",
    filters: Filters,
    shown: frozenset[Hidden],
    pinned: Collection[int],
) -> _Rows:
    # Of the million sessions of a server, numbers in a list would take 40 bytes each.
    found = _Rows(array("q"), {}, Counter(), Counter())
    sourced = array("q")
    for key, reason in catalog.rows():
        failing = looks.failing(key) if looks.checks else ()
        if len(failing) > 1:
            continue
        if reason is None:
            hidden = False
        else:
            found.classes[reason] += not failing
            hidden = reason not in shown and key not in pinned
            if hidden and reason not in (NOISE.get(catalog.source(key)), Hidden.FILE):
                continue
        if not failing or failing[0] == "source":
            sourced.append(key)
        if hidden and catalog.source(key) not in filters.sources:
            continue
        if failing:
            found.failing.setdefault(failing[0], array("q")).append(key)
        else:
            found.listed.append(key)
    return found._replace(sources=catalog.counted_sources(sourced), classes=+found.classes)


class _Looks:
    """What is known of a conversation: nearly always of its only part."""

    def __init__(
        self,
        catalog: Catalog,
        facts: Columns,
        filters: Filters,
        expiring: Collection[int],
        profiles: Profiles,
    ) -> None:
        self._catalog = catalog
        self._chain = catalog.chain
        self._models, self._messages = facts[MODEL], facts[MESSAGES]
        self._workspaces = facts[WORKSPACE]
        self._tools, self._read_at = facts[TOOLS], facts[READ_AT]
        self._owners, self._names = facts[OWNER], profiles
        self._expiring = expiring
        self.checks = self._checks(catalog, filters)
        """Of the filters that are set, whether a row passes."""

    def models(self, key: int) -> Collection[str]:
        return self._named(self._models, key)

    def workspaces(self, key: int) -> Collection[str]:
        return self._named(self._workspaces, key)

    def profiles(self, key: int) -> Collection[str]:
        """The names of that of its file, and that which it belongs to."""
        return self._names(key, self._owners.get(key))

    def counted_models(self, keys: Sequence[int]) -> Counter[str]:
        return self._counted(self._models, keys)

    def counted_workspaces(self, keys: Sequence[int]) -> Counter[str]:
        return self._counted(self._workspaces, keys)

    def _counted(self, known: Mapping[int, str], keys: Sequence[int]) -> Counter[str]:
        """How many of these rows have each name: as if `_named` were asked for each, but
        without a call for each."""
        parts = self._catalog.continued(keys)
        found: Counter[str] = Counter()
        for name, number in Counter(map(known.get, keys)).items():
            found[name or ""] += number
        # So far by their tips alone.
        found.subtract(known.get(key, "") for key in parts)
        for key in parts:
            found.update(self._named(known, key))
        return +found

    def counted_tools(self, keys: Sequence[int]) -> int:
        """How many of these rows have tool calls."""
        parts = self._catalog.continued(keys)
        alone = sum(map(self._tools.__contains__, keys))
        return alone + sum(self.has_tools(key) - (key in self._tools) for key in parts)

    def sizes(self, keys: Sequence[int]) -> list[int]:
        """The messages of each of these rows, in any order."""
        parts = frozenset(self._catalog.continued(keys))
        known = self._messages
        return [
            *(known.get(key, 0) for key in keys if key not in parts),
            *map(self.messages, parts),
        ]

    def counted_profiles(self, keys: Sequence[int]) -> Counter[str]:
        """How many of these rows each profile has, by the names that lists use: as if `profiles`
        were asked for each, which would take three times as long."""
        owners = list(map(self._owners.get, keys))
        both = Counter(zip(map(self._names, keys, owners), owners, strict=True))
        shown = {name for names, owner in both for name in (*names[:1], owner) if name in names}
        found: Counter[str] = Counter()
        for (names, _), number in both.items():
            for name in shown.intersection(names):
                found[name] += number
        return found

    def _named(self, known: Mapping[int, str], key: int) -> Collection[str]:
        """The names of all parts, empty where there is none."""
        chain = self._chain(key)
        if len(chain) == 1:
            return (known.get(key, ""),)
        return {known.get(part, "") for part in chain}

    def messages(self, key: int) -> int:
        known, chain = self._messages, self._chain(key)
        if len(chain) == 1:
            return known.get(key, 0)
        return sum(known.get(part, 0) for part in chain)

    def has_tools(self, key: int) -> bool:
        return any(part in self._tools for part in self._chain(key))

    def is_unread(self, key: int) -> bool:
        return is_unread(self._catalog, self._chain(key)[-1], self._read_at)

    def failing(self, key: int) -> list[str]:
        """The filters that this row does not pass."""
        return [name for name, passes in self.checks.items() if not passes(key)]

    def _checks(self, catalog: Catalog, filters: Filters) -> dict[str, Callable[[int], bool]]:
        found: dict[str, Callable[[int], bool]] = {}
        sources, models, since, before, least, tools, unread, about, workspaces, *_ = filters
        if sources:
            found["source"] = lambda key: catalog.source(key) in sources
        if models:
            found["model"] = lambda key: not models.isdisjoint(self.models(key))
        if workspaces:
            found["workspace"] = lambda key: not workspaces.isdisjoint(self.workspaces(key))
        if profiles := filters.profiles:
            found["profile"] = lambda key: not profiles.isdisjoint(self.profiles(key))
        if since or before:
            found["time"] = lambda key: _within(catalog.last_active(key), since, before)
        if least:
            found["size"] = lambda key: self.messages(key) >= least
        if tools:
            found["tools"] = self.has_tools
        if unread:
            found["unread"] = self.is_unread
        if about:
            found["expiring"] = self._expiring.__contains__
        return found


def is_unread(catalog: Catalog, tip: int, read_at: Mapping[int, float]) -> bool:
    """Whether something came to a conversation after it was read last."""
    time = read_at.get(tip)
    return time is not None and catalog.last_active(tip) > time


def _within(time: float, since: Moment | None, before: Moment | None) -> bool:
    return (since is None or time >= since.time) and (before is None or time < before.time)


def _number_within(times: Sequence[float], since: Moment | None, before: Moment | None) -> int:
    """How many of some times, oldest first, lie within."""
    first = bisect_left(times, since.time) if since else 0
    last = bisect_left(times, before.time) if before else len(times)
    return max(last - first, 0)

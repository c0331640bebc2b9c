"""Which sessions are wanted: by source, model, time, size and use of tools.

A filter is about a whole conversation: its last activity, the messages of all its parts, the
models and tools of any of them. What a choice would list is counted for every choice at once, as
if the other filters stayed as they are.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from explorer.model import Hidden
from explorer.store.base import Facts
from explorer.store.catalog import NOISE, Catalog

NO_MODEL = ""
"""Stands for sessions of which the agent did not note the model."""
NO_FACTS = Facts({}, {}, frozenset())


class Moment(NamedTuple):
    """A point in time, and the words somebody gave for it."""

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

    @property
    def needs_facts(self) -> bool:
        """Whether the catalog alone cannot tell."""
        return bool(self.models or self.least or self.tools)


class Tally(NamedTuple):
    """How many rows each choice would list."""

    listed: int
    sources: Mapping[str, int]
    models: Mapping[str, int]
    times: Callable[[Moment | None, Moment | None], int]
    sizes: Callable[[int], int]
    tools: int
    classes: Mapping[Hidden, int]


def wanted(catalog: Catalog, facts: Facts, filters: Filters) -> Callable[[int], bool] | None:
    """Says of a row whether it passes; None when all do."""
    if filters == Filters():
        return None
    looks = _Looks(catalog, facts)
    return lambda key: not looks.failing(key, filters)


def tally(catalog: Catalog, facts: Facts, filters: Filters, shown: frozenset[Hidden]) -> Tally:
    """What every choice would list, the other filters staying as they are."""
    looks = _Looks(catalog, facts)
    sources: Counter[str] = Counter()
    models: Counter[str] = Counter()
    classes: Counter[Hidden] = Counter()
    times: list[float] = []
    sizes: list[int] = []
    listed = tools = 0
    for key, reason in catalog.rows():
        failing = looks.failing(key, filters)
        if len(failing) > 1:
            continue
        only = failing[0] if failing else ""
        source = catalog.source(key)
        if reason is not None and not only:
            classes[reason] += 1
        hidden = reason is not None and reason not in shown
        if hidden and reason is not NOISE.get(source):
            continue
        if only in ("", "source"):
            sources[source] += 1
        if hidden and source not in filters.sources:
            continue
        listed += not only
        if only in ("", "model"):
            models.update(looks.models(key))
        if only in ("", "time"):
            times.append(catalog.last_active(key))
        if only in ("", "size"):
            sizes.append(looks.messages(key))
        if only in ("", "tools"):
            tools += looks.has_tools(key)
    return Tally(
        listed=listed,
        sources=sources,
        models=models,
        times=lambda since, before: sum(_within(time, since, before) for time in times),
        sizes=lambda least: sum(size >= least for size in sizes),
        tools=tools,
        classes=classes,
    )


class _Looks:
    """What is known of a conversation, part by part."""

    def __init__(self, catalog: Catalog, facts: Facts) -> None:
        self._catalog = catalog
        self._facts = facts

    def models(self, key: int) -> set[str]:
        known = self._facts.models
        return {known.get(part, NO_MODEL) for part in self._catalog.chain(key)}

    def messages(self, key: int) -> int:
        return sum(self._facts.messages.get(part, 0) for part in self._catalog.chain(key))

    def has_tools(self, key: int) -> bool:
        return not self._facts.tools.isdisjoint(self._catalog.chain(key))

    def failing(self, key: int, filters: Filters) -> list[str]:
        """The filters that this row does not pass."""
        found = []
        if filters.sources and self._catalog.source(key) not in filters.sources:
            found.append("source")
        if filters.models and filters.models.isdisjoint(self.models(key)):
            found.append("model")
        if (filters.since or filters.before) and not _within(
            self._catalog.last_active(key), filters.since, filters.before
        ):
            found.append("time")
        if filters.least and self.messages(key) < filters.least:
            found.append("size")
        if filters.tools and not self.has_tools(key):
            found.append("tools")
        return found


def _within(time: float, since: Moment | None, before: Moment | None) -> bool:
    return (since is None or time >= since.time) and (before is None or time < before.time)

"""What is inside a row of the list: the parts of a conversation, and what its subagents left."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from explorer.model import Kind
from explorer.stores.catalog import Catalog, Unit

DEEPEST = 8
"""Subagents of subagents: further down they stand side by side."""


class Inside(NamedTuple):
    """A row that is shown because the one above it is unfolded."""

    unit: Unit
    depth: int


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

"""A catalog of a store that numbers its sessions itself, and may have a million of them.

To find a session by its key, a dict takes a hundred bytes for each. Where keys have almost no gaps,
an array takes a tenth of that, and somewhat more time. The same goes for links, and for lists of
keys: as objects they would take 40 bytes each.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence, Sequence
from itertools import compress
from typing import Any

from explorer.model import Kind
from explorer.stores.catalog import FEW, Catalog, Link, Positions


class NumberedPositions:
    """The positions of keys that are numbers from 1 on, with few gaps."""

    def __init__(self, keys: "array[int]") -> None:
        """`keys` are in the order of their positions, and not changed by others."""
        self._keys = keys
        self._at = array("i", [-1]) * (max(keys, default=0) + 1)
        for at, key in enumerate(keys):
            self._at[key] = at

    def __getitem__(self, key: int, /) -> int:
        at = self._at[key] if 0 < key < len(self._at) else -1
        if at < 0:
            raise KeyError(key)
        return at

    def __setitem__(self, key: int, at: int, /) -> None:
        """Add a key: its position comes after those of all others."""
        assert at == len(self._keys)
        self._keys.append(key)
        self._at.extend([-1] * (key + 1 - len(self._at)))
        self._at[key] = at

    def __contains__(self, key: object, /) -> bool:
        return isinstance(key, int) and 0 < key < len(self._at) and self._at[key] >= 0

    def __iter__(self) -> Iterator[int]:
        return iter(self._keys)

    def copy(self) -> "NumberedPositions":
        made = NumberedPositions(array("i"))
        made._keys, made._at = self._keys[:], self._at[:]
        return made


_ALONE = -1
"""In place of the parent of a subagent whose parent is not there."""


class SubagentLinks(Mapping[int, Link]):
    """The links of subagents, which are the only children."""

    def __init__(self, parents: "array[int]") -> None:
        """`parents` has the parent at the place of each key: 0 of who is no child."""
        self.parents = parents

    @classmethod
    def of(cls, children: Iterable[tuple[int, int | None]], highest: int) -> "SubagentLinks":
        """Of (child, parent); no key is above the highest."""
        parents = array("i", bytes(4 * (highest + 1)))
        for key, parent in children:
            parents[key] = parent or _ALONE
        return cls(parents)

    def __getitem__(self, key: int, /) -> Link:
        parent = self.parents[key] if 0 < key < len(self.parents) else 0
        if not parent:
            raise KeyError(key)
        return Link(Kind.SUBAGENT, None if parent == _ALONE else parent)

    def __contains__(self, key: object, /) -> bool:
        known = isinstance(key, int) and 0 < key < len(self.parents)
        return known and self.parents[key] != 0  # type: ignore[call-overload]

    def __iter__(self) -> Iterator[int]:
        return (key for key, parent in enumerate(self.parents) if parent)

    def __len__(self) -> int:
        return len(self.parents) - self.parents.count(0)

    def helpers(self) -> "Helpers":
        """How many children each session has."""
        counts = array("I", bytes(4 * max(len(self.parents), max(self.parents, default=0) + 1)))
        for parent in filter(None, self.parents):
            if parent != _ALONE:
                counts[parent] += 1
        return Helpers(counts)


class Helpers(Mapping[int, int]):
    """A number for each session, at the place of its key: nothing where it is 0."""

    def __init__(self, counts: "array[int]") -> None:
        self._counts = counts

    def __getitem__(self, key: int, /) -> int:
        number = self._counts[key] if 0 < key < len(self._counts) else 0
        if not number:
            raise KeyError(key)
        return number

    def __iter__(self) -> Iterator[int]:
        return (key for key, number in enumerate(self._counts) if number)

    def __len__(self) -> int:
        return len(self._counts) - self._counts.count(0)


PARTS = 16
"""In so many parts are many keys sorted: what they are sorted by is there for one part at a time,
where a number of each would take 60 MB of a million."""
SAMPLED = 1000
"""Keys by which the parts are divided."""


class NumberedCatalog(Catalog):
    """A catalog whose keys are such numbers."""

    WIDTH = "i"

    def _positions(self, keys: Sequence[int]) -> Positions:
        return NumberedPositions(self.keys)

    def _counted_helpers(self) -> Mapping[int, int]:
        if isinstance(self.links, SubagentLinks):
            return self.links.helpers()
        return super()._counted_helpers()

    def _links_with(self, newer: Mapping[int, Link]) -> Mapping[int, Link]:
        old = self.links
        if not isinstance(old, SubagentLinks) or all(old.get(key) == newer[key] for key in newer):
            return super()._links_with(newer)
        highest = max(len(old.parents) - 1, *newer)
        made = SubagentLinks.of(((key, link.parent) for key, link in newer.items()), highest)
        for key in compress(range(len(old.parents)), old.parents):
            made.parents[key] = made.parents[key] or old.parents[key]
        return made

    def listing(self, keys: Iterable[int]) -> MutableSequence[int]:
        return array(self.WIDTH, keys)

    def in_order(
        self, keys: Iterable[int], by: Callable[[int], Any], reverse: bool = False
    ) -> MutableSequence[int]:
        kept = self.listing(keys)
        if len(kept) < SAMPLED * PARTS:
            return self.listing(super().in_order(kept, by, reverse))
        sample = sorted(map(by, kept[:: len(kept) // SAMPLED]))
        bounds = sample[:: len(sample) // PARTS]
        parts = [self.listing(()) for _ in range(len(bounds) + 1)]
        for key in kept:
            parts[bisect_left(bounds, by(key))].append(key)
        made = self.listing(())
        for part in reversed(parts) if reverse else parts:
            made.extend(self.listing(sorted(part, key=by, reverse=reverse)))
        return made

    def by_last_active(self, keys: Iterable[int]) -> MutableSequence[int]:
        chosen = bytearray(max(self.keys, default=0) + 1)
        for key in keys:
            chosen[key] = 1
        number, known = chosen.count(1), self._newest
        if len(known) // 2 < number <= len(known):
            found = array("i", compress(known, map(chosen.__getitem__, known)))
            if len(found) == number:
                return found
        active, position = self.active, self._position
        # The highest key first; each is there once.
        order = compress(range(len(chosen) - 1, -1, -1), reversed(chosen))
        made = self.in_order(order, lambda key: active[position[key]], reverse=True)
        if number > max(len(known), FEW):
            self._newest = made[:]
        return made

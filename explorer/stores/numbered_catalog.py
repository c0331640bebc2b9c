"""A catalog of a store that numbers its sessions itself, and may have a million of them.

To find a session by its key, a dict takes a hundred bytes for each. Where keys have almost no gaps,
an array takes a tenth of that, and somewhat more time.
"""

from array import array
from collections.abc import Iterator, Sequence

from explorer.stores.catalog import Catalog, Positions


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
        made = NumberedPositions(array("q"))
        made._keys, made._at = self._keys[:], self._at[:]
        return made


class NumberedCatalog(Catalog):
    """A catalog whose keys are such numbers."""

    def _positions(self, keys: Sequence[int]) -> Positions:
        return NumberedPositions(self.keys)

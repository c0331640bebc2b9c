"""Keys of several stores, made unique: the number of the store is in the lowest bits of a key.

A store may number its sessions with any 64 bits. Numbers that leave no room for the bits of a
store are given out one by one.
"""

import threading
from collections.abc import Callable, Sequence

BITS = 10
MOST_STORES = 1 << BITS
_LIMIT = 1 << 52
"""Greater numbers have no room for the bits, and stand for themselves in no file of this world;
but a file may be hostile."""


class KeyRing:
    """The keys of all stores of a library; any thread may ask."""

    def __init__(self) -> None:
        self._given: dict[tuple[int, int], int] = {}
        self._odd: list[int] = []
        self._lock = threading.Lock()

    def outer(self, store: int) -> Callable[[int], int]:
        """What makes the keys of one store unique."""

        def outer(key: int) -> int:
            if not -_LIMIT < key < _LIMIT:
                key = self._stand_in(store, key)
            return key << BITS | store

        return outer

    def outers(self, store: int) -> Callable[[Sequence[int]], list[int]]:
        """The same for many keys, without a call for each."""
        outer = self.outer(store)

        def outers(keys: Sequence[int]) -> list[int]:
            if keys and not (min(keys) > -_LIMIT and max(keys) < _LIMIT):
                return list(map(outer, keys))
            return [key << BITS | store for key in keys]

        return outers

    def store(self, key: int) -> int:
        """The number of the store that a key is of."""
        return key & (MOST_STORES - 1)

    def inner(self, key: int) -> tuple[int, int]:
        """(number of the store, its own key)."""
        store, own = self.store(key), key >> BITS
        if own >= _LIMIT:
            at = own - _LIMIT
            return store, self._odd[at] if at < len(self._odd) else own
        return store, own

    def _stand_in(self, store: int, key: int) -> int:
        with self._lock:
            found = self._given.get((store, key))
            if found is None:
                found = self._given[store, key] = _LIMIT + len(self._odd)
                self._odd.append(key)
            return found

"""Keys of several stores, made unique: each key is multiplied, and the number of its store added.

By an odd number, a little above that of the stores, so that some can join later: then sessions that
are numbered without gaps have keys nearly without gaps, which dictionaries and sets of 100,000 of
them find as fast as those of a single store. With the number of the store in some bits of its own,
most keys would be looked for in the same few places.

A store may number its sessions with any 64 bits. Numbers that leave no room to be multiplied are
given out one by one.
"""

import threading
from collections.abc import Callable, Sequence

ROOM = 8
"""How many stores can join a library that is open."""
_HIGHEST = 1 << 62
"""No key is much above that; it fits into 64 bits."""


class KeyRing:
    """The keys of all stores of a library; any thread may ask."""

    def __init__(self, stores: int) -> None:
        self.step = (stores + ROOM) | 1
        """What divides a key, with the number of its store as the remainder."""
        self._limit = _HIGHEST // self.step
        """Greater numbers have no room, and stand for themselves in no file of this world; but a
        file may be hostile."""
        self._given: dict[tuple[int, int], int] = {}
        self._odd: list[int] = []
        self._lock = threading.Lock()

    def outer(self, store: int) -> Callable[[int], int]:
        """What makes the keys of one store unique."""
        step, limit = self.step, self._limit

        def outer(key: int) -> int:
            if not -limit < key < limit:
                key = self._stand_in(store, key)
            return key * step + store

        return outer

    def outers(self, store: int) -> Callable[[Sequence[int]], list[int]]:
        """The same for many keys, without a call for each."""
        outer, step, limit = self.outer(store), self.step, self._limit

        def outers(keys: Sequence[int]) -> list[int]:
            if keys and not (min(keys) > -limit and max(keys) < limit):
                return list(map(outer, keys))
            return [key * step + store for key in keys]

        return outers

    def store(self, key: int) -> int:
        """The number of the store that a key is of."""
        return key % self.step

    def inner(self, key: int) -> tuple[int, int]:
        """(number of the store, its own key)."""
        own, store = divmod(key, self.step)
        if own >= self._limit:
            at = own - self._limit
            return store, self._odd[at] if at < len(self._odd) else own
        return store, own

    def _stand_in(self, store: int, key: int) -> int:
        with self._lock:
            found = self._given.get((store, key))
            if found is None:
                found = self._given[store, key] = self._limit + len(self._odd)
                self._odd.append(key)
            return found

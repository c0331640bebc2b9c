"""Our notes about the sessions of several stores.

Each store keeps its own notes, under its own name: they are the same whether it is opened alone or
with others. Two stores may have sessions of the same id, so in a library a session is noted as the
number of its store and its id. What was last chosen (order, searches) is of the library as a whole.
"""

from collections.abc import Sequence
from pathlib import Path

from explorer.stores.ours.notes import Notes

LIBRARY = Path("/several stores")
"""Stands for a library among the stores: no file has that name."""


class LibraryNotes(Notes):
    """The notes about all stores of a library, in its order."""

    def __init__(self, path: Path, stores: Sequence[Path]) -> None:
        super().__init__(path, LIBRARY)
        self._path = path
        self._members: list[Notes] = []
        self.take_in(stores)

    def take_in(self, stores: Sequence[Path]) -> None:
        """Have more stores, after the others."""
        self._members += [Notes(self._path, store) for store in stores]

    def of(self, number: int) -> Notes:
        """The notes about one of the stores."""
        return self._members[number]

    def rename(self, stores: Sequence[Path]) -> None:
        """Have the stores by the names that they have by now: a server has one when it is reached.
        One that was just added may not be among the notes yet."""
        known = stores[: len(self._members)]
        self._members[: len(known)] = [Notes(self._path, store) for store in known]

    def pins(self) -> frozenset[str]:
        return frozenset(
            noted_as(number, id_) for number, one in enumerate(self._members) for id_ in one.pins()
        )

    def pin(self, ids: Sequence[str], on: bool) -> None:
        for number, own in enumerate(by_store(ids, len(self._members))):
            if own:
                self._members[number].pin(own, on)


def noted_as(number: int, id_: str) -> str:
    """What notes call a session of a store."""
    return f"{number}:{id_}"


def by_store(ids: Sequence[str], stores: int) -> list[list[str]]:
    """The ids in each store of sessions that are noted so; those of no store are left out."""
    found: list[list[str]] = [[] for _ in range(stores)]
    for noted in ids:
        number, _, id_ = noted.partition(":")
        if number.isdecimal() and int(number) < stores:
            found[int(number)].append(id_)
    return found

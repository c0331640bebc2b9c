"""The trash of several stores as one: their changes in one list, the newest first.

What one confirmation did in several stores is one change, with the number and the words of its own
receipt and the sessions of all its parts. A number that only one part has stands for that part.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from explorer.stores.edits.words import words_of_parts
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import CellChange, Entry, Receipt, ReceiptState


class LibraryTrash:
    """What was changed and deleted in any of these stores; they need not be readable now."""

    def __init__(self, path: Path, stores: Callable[[], Iterable[tuple[str, Path]]]) -> None:
        """`stores` gives their names and paths, at least one."""
        self._path = path
        self._stores = stores
        self._known: dict[str, TrashFile] = {}
        self.any = next(iter(self.by_place.values()))
        """For what is not about one of the stores."""
        self._holder: int | None = None
        """The thread that is alone."""

    @property
    def by_place(self) -> Mapping[str, TrashFile]:
        """What it holds of each store, by name; one may have been added since, or reached."""
        for name, path in self._stores():
            if name not in self._known or self._known[name].about != path:
                self._known[name] = TrashFile(self._path, path)
        return self._known

    def of(self, place: str) -> TrashFile:
        """What it holds of one store."""
        return self.by_place[place]

    def receipts(self) -> list[Receipt]:
        own = self._own()
        parts_of: dict[int, list[Receipt]] = {}
        wholes = self.any.parts()
        for one in own:
            if one.number in wholes:
                parts_of.setdefault(wholes[one.number], []).append(one)
        # One that was begun and has no part at all is of no store, and of every library.
        taken = set(wholes.values())
        joined = [
            _joined(whole, parts_of.get(whole.number, ()))
            for whole in self.any.wholes()
            if whole.number in parts_of or whole.number not in taken
        ]
        found = {one.number for one in joined}
        alone = (one for one in own if wholes.get(one.number) not in found)
        return sorted((*joined, *alone), key=lambda one: one.number, reverse=True)

    def _own(self) -> list[Receipt]:
        """Those of each store by itself."""
        return [
            one._replace(place=place)
            for place, file in self.by_place.items()
            for one in file.receipts()
        ]

    def receipt(self, number: int) -> Receipt | None:
        every = (*self.receipts(), *self._own())
        return next((one for one in every if one.number == number), None)

    def _parts(self, number: int) -> Sequence[Receipt]:
        found = self.receipt(number)
        return () if found is None else found.parts or (found,)

    def entries(self, receipt: int) -> list[Entry]:
        return [
            entry._replace(place=part.place)
            for part in self._parts(receipt)
            if part.place
            for entry in self.of(part.place).entries(part.number)
        ]

    def changes(self, receipt: int) -> list[CellChange]:
        return [one for part in self._parts(receipt) for one in self.any.changes(part.number)]

    def file_counts(self, receipt: int) -> dict[int, int]:
        every = (self.any.file_counts(part.number) for part in self._parts(receipt))
        return {entry: number for one in every for entry, number in one.items()}

    def size(self) -> int:
        return sum(file.size() for file in self.by_place.values())

    def purge(self, receipts: Iterable[int]) -> None:
        self.any.purge([part.number for number in receipts for part in self._parts(number)])

    def expired(self, now: float) -> list[Receipt]:
        old = {one.number for file in self.by_place.values() for one in file.expired(now)}
        return [
            one
            for one in self.receipts()
            if old.issuperset(part.number for part in one.parts or (one,))
        ]

    @contextmanager
    def alone(self) -> Iterator[None]:
        """For the edits of all stores that this thread makes in here."""
        with self.any.alone():
            self._holder = threading.get_ident()
            try:
                yield
            finally:
                self._holder = None

    @property
    def held(self) -> bool:
        return self._holder == threading.get_ident()

    def check(self) -> None:
        self.any.check()


def _joined(whole: Receipt, parts: Sequence[Receipt]) -> Receipt:
    """A change in several stores, with what its parts say: a store that was opened by itself may
    have undone its own."""
    parts = sorted(parts, key=lambda one: one.number)
    done = whole.state not in (ReceiptState.BEGUN, ReceiptState.UNKNOWN)
    return whole._replace(
        words=words_of_parts(whole, parts) if done else whole.words,
        state=whole.state if whole.half_done else whole_state(whole.state, parts),
        sessions=sum(one.sessions for one in parts),
        messages=sum(one.messages for one in parts),
        bytes=sum(one.bytes for one in parts),
        changed=sum(one.changed for one in parts),
        back=sum(one.back for one in parts),
        place=", ".join(one.place for one in parts),
        parts=tuple(parts),
    )


def whole_state(now: ReceiptState, parts: Sequence[Receipt]) -> ReceiptState:
    """How far a change has got whose parts are so far: half done as long as one of them is."""
    if any(one.half_done for one in parts):
        return now
    undone = all(one.state is ReceiptState.UNDONE for one in parts)
    return ReceiptState.UNDONE if undone and parts else ReceiptState.DONE

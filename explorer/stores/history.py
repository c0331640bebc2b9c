"""What was changed and deleted, also in state files that are gone: of a profile that was removed or
renamed, the trash still has every copy, and it must be possible to find and delete them.

Nothing can be undone here: a store's own edits do that.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from explorer.stores.discover import FoundStore, joining, named
from explorer.stores.edits.interface import Past
from explorer.stores.edits.purge import purge_entries
from explorer.stores.hermes.store import PROFILES, profile_of
from explorer.stores.library.trash import LibraryTrash
from explorer.stores.ours.trash import TrashFile, gone_in
from explorer.stores.ours.trash_records import Entry, Receipt


class _KeptTrash(LibraryTrash):
    """Without a change in several files that was interrupted before the first of them: nothing is
    kept of it, and only the edits of several files settle it."""

    def receipts(self) -> list[Receipt]:
        return [one for one in super().receipts() if one.place]


class History:
    """Of some state files, some of which are gone."""

    def __init__(self, trash: Path, files: Mapping[str, Path], open_: Past | None = None) -> None:
        """`files` are all of them by name, `open_` is the history of those that are there."""
        self.path = open_.path if open_ is not None else next(iter(files.values()))
        self.trash = _KeptTrash(trash, files.items)
        self._open = open_

    def worded_entries(self, entries: Iterable[Entry]) -> list[Entry]:
        every = list(entries)
        if self._open is None:
            return every
        there = [one for one in every if not self.trash.of(one.place).gone]
        known = {one.number: one for one in self._open.worded_entries(there)}
        return [known.get(one.number, one) for one in every]

    def purge(self, receipt: Receipt, entries: Collection[int]) -> None:
        purge_entries(self.trash, receipt, entries)

    def kept_from(self, entry: Entry) -> tuple[Path, TrashFile]:
        file = self.trash.of(entry.place)
        return file.about, file


def with_gone(edits: Past, roots: Sequence[Path]) -> Past:
    """The history of these state files and of those that are gone: all that were in the `roots`, or
    in the folder of one of the files, which may be linked from a root."""
    files = edits.trash.by_place
    trash = next(iter(files.values())).path
    gone = _gone(trash, [one.about for one in files.values()], roots)
    if not gone:
        return edits
    there = [_found(one.about)._replace(name=name) for name, one in files.items() if name]
    there = there or named([_found(one.about) for one in files.values()])
    every = (*there, *joining(there, [_found(one) for one in gone]))
    return History(trash, {one.name: one.path for one in every}, edits)


def of_gone(trash: Path, files: Sequence[Path], roots: Sequence[Path]) -> Past | None:
    """The same where all of these are gone; None where one is there, or nothing is kept of any."""
    kept = [TrashFile(trash, path) for path in files]
    if not all(one.gone for one in kept):
        return None
    gone = [one.about for one in kept if one.receipts()]
    gone += _gone(trash, files, roots)
    found = named([_found(path) for path in gone])
    return History(trash, {one.name: one.path for one in found}) if found else None


def gone_with(trash: Path, path: Path, number: int) -> list[TrashFile]:
    """What is kept of the gone files that this change was made in, and that the state file at this
    path may once have been: it is called the same in its folder."""
    alike = [one for one in gone_in(trash) if one.about.name == path.name]
    return [one for one in alike if one.receipt(number) is not None]


def is_another(gone: TrashFile, path: Path) -> bool:
    """Whether the state file at this path is certainly not the gone one under a new name: they were
    open together, and one change was made in both."""
    own = {one.whole for one in TrashFile(gone.path, path).receipts() if one.whole}
    return any(one.whole in own for one in gone.receipts())


def _gone(trash: Path, files: Sequence[Path], roots: Sequence[Path]) -> list[Path]:
    if not roots:
        return []
    known = {os.path.realpath(one) for one in files}
    tops = {os.path.realpath(one) for one in roots}
    inside = {os.path.join(one, PROFILES) for one in tops}
    folders = tops | {os.path.dirname(one) for one in known}
    return [
        path
        for path in (one.about for one in gone_in(trash))
        if os.fspath(path) not in known
        and (os.fspath(path.parent) in folders or os.fspath(path.parent.parent) in inside)
    ]


def _found(path: Path) -> FoundStore:
    return FoundStore(path, asked=False, name=profile_of(path) or "")

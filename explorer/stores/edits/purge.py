"""Permanently deleting some sessions of a change, while the others can still be restored."""

from collections.abc import Collection

from explorer.stores.edits.interface import Trash
from explorer.stores.edits.words import done_to
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import Receipt


def purge_entries(trash: Trash, receipt: Receipt, entries: Collection[int]) -> None:
    """Of a change in one state file or in several."""
    with trash.alone():
        for part in receipt.parts or (receipt,):
            _purge_part(trash.by_place[part.place], part, entries)


def _purge_part(trash: TrashFile, part: Receipt, entries: Collection[int]) -> None:
    """Of the change of one state file; it goes with the last of its sessions."""
    kept = {one.number for one in trash.entries(part.number)}
    mine = kept.intersection(entries)
    if mine == kept:
        trash.purge([part.number])
    elif mine:
        trash.purge_entries(part, mine, done_to(part, len(kept - mine)))

"""Permanently deleting some sessions of a change, while the others can still be restored."""

from collections.abc import Collection

from explorer.stores.edits.words import done_to
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import Receipt


def purge_entries(trash: TrashFile, receipt: Receipt, entries: Collection[int]) -> None:
    """Of a change of one state file; it goes with the last of its sessions."""
    kept = {one.number for one in trash.entries(receipt.number)}
    mine = kept.intersection(entries)
    if mine == kept:
        trash.purge([receipt.number])
    elif mine:
        trash.purge_entries(receipt, mine, done_to(receipt, len(kept - mine)))

"""The parts of a change that an undo does not reach: a change in several state files can be undone
in one of them, while the others are not open."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from explorer.errors import ExplorerError
from explorer.stores.edits.undo_words import lost_part
from explorer.stores.ours.trash import TrashFile, state_files_in
from explorer.stores.ours.trash_records import Receipt, ReceiptState
from explorer.stores.sqlite.failures import short_path


class OtherPart(NamedTuple):
    """A part of a change that is not undone, in a state file that is not open."""

    path: Path
    receipt: Receipt

    @property
    def words(self) -> str:
        """Why an undo leaves it out, where its file is gone; empty where only that is not open."""
        return lost_part(self.receipt, short_path(self.path)) if self.receipt.gone else ""


def other_parts(trash: Path, files: Collection[Path], receipt: Receipt) -> list[OtherPart]:
    """Those of the change that this receipt is of, in other files than these."""
    try:
        own = TrashFile(trash, next(iter(files)))
        wholes = own.parts()
        part = receipt.parts[0].number if receipt.parts else receipt.number
        whole = wholes.get(part)
        if whole is None:
            return []
        known = {os.path.realpath(one) for one in files}
        return [
            OtherPart(path, one)
            for path in state_files_in(trash)
            if os.path.realpath(path) not in known
            for one in TrashFile(trash, path).receipts()
            if wholes.get(one.number) == whole and one.state is not ReceiptState.UNDONE
        ]
    except ExplorerError:
        # The trash says so itself, where something is to be undone.
        return []


def lost_parts(trash: Path, files: Collection[Path], receipt: Receipt) -> list[str]:
    """A sentence about each of them whose file is gone."""
    return [one.words for one in other_parts(trash, files, receipt) if one.words]

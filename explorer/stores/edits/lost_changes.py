"""Changes that an undo passes over: they are newer than the one it takes, and the state file that
they were made in is gone. A profile whose folder was removed is not among the open files."""

import os
from collections.abc import Sequence
from pathlib import Path

from explorer.errors import ExplorerError
from explorer.stores.edits.undo_words import passed_over
from explorer.stores.ours.trash import gone_in
from explorer.stores.ours.trash_records import Receipt, ReceiptState
from explorer.stores.sqlite.failures import short_path


def lost_changes(trash: Path, files: Sequence[Path], after: int) -> list[str]:
    """A sentence about those of each file that are newer than the change `after`, the newest first;
    its own parts are not. Only those count that were made in a folder below one of these files:
    others are none of their concern."""
    folders = [os.path.dirname(os.path.realpath(one)) for one in files]
    try:
        found = [
            (newer, short_path(file.about))
            for file in gone_in(trash)
            if any(_below(folder, file.about) for folder in folders)
            and (newer := [one for one in file.receipts() if _is_newer(one, after)])
        ]
    except ExplorerError:
        # The trash says so itself, where something is to be undone.
        return []
    newest_first = sorted(found, key=lambda one: one[0][0].number, reverse=True)
    return [passed_over(newer, path) for newer, path in newest_first]


def _is_newer(change: Receipt, after: int) -> bool:
    return change.shown > after and change.state is ReceiptState.DONE


def _below(folder: str, path: Path) -> bool:
    return os.fspath(path).startswith(os.path.join(folder, ""))

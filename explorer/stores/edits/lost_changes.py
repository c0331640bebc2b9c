"""Changes that an undo passes over: they are newer than the one it takes, and the state file that
they were made in is gone. A profile whose folder was removed is not among the open files."""

import os
from collections.abc import Sequence
from pathlib import Path

from explorer.errors import ExplorerError
from explorer.stores.edits.words import passed_over
from explorer.stores.ours.trash import TrashFile, state_files_in
from explorer.stores.ours.trash_records import ReceiptState
from explorer.stores.server_path import on_server
from explorer.stores.sqlite.failures import short_path


def lost_changes(trash: Path, files: Sequence[Path], after: int) -> list[str]:
    """A sentence about each that is newer than the change `after`, the newest first; its own parts
    are not. Only those count that were made in a folder below one of these files: others are none
    of their concern."""
    folders = [os.path.dirname(os.path.realpath(one)) for one in files]
    try:
        found = [
            (one.number, passed_over(one, short_path(path)))
            for path in state_files_in(trash)
            if not (on_server(path) or os.path.lexists(path))
            and any(_below(folder, path) for folder in folders)
            for one in TrashFile(trash, path).receipts()
            if one.shown > after and one.state is ReceiptState.DONE
        ]
    except ExplorerError:
        # The trash says so itself, where something is to be undone.
        return []
    return [words for _, words in sorted(found, reverse=True)]


def _below(folder: str, path: Path) -> bool:
    return os.fspath(path).startswith(os.path.join(folder, ""))

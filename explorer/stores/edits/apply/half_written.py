"""Opening a file that an edit of ours left in the middle of a write.

Without a log, a crash leaves a journal that only a writer can take back. Of an agent's own writes
that is left to the agent; of ours, which our trash tells, it is for us to do.
"""

from pathlib import Path

from explorer.errors import ExplorerError
from explorer.stores.edits.write.connection import Looking
from explorer.stores.ours.trash import TrashFile


def taken_back(path: Path, trash: Path) -> bool:
    """Whether it was an edit of ours that is in the way; then it is taken back."""
    if not _ours(path, trash):
        return False
    with Looking(path):
        pass
    return True


def _ours(path: Path, trash: Path) -> bool:
    """Whether an edit of ours on this file was begun and not ended."""
    try:
        receipts = TrashFile(trash, path).receipts()
    except ExplorerError:
        return False
    return any(one.half_done for one in receipts)

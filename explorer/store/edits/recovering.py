"""Opening a file that an edit of ours left in the middle of a write.

Without a log, a crash leaves a journal that only a writer can take back. Of an agent's own writes
that is left to the agent; of ours, which our trash tells, it is for us to do.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from explorer.errors import ExplorerError, Problem, StoreError
from explorer.store.edits.editor import Editor
from explorer.store.edits.writing import Looking

T = TypeVar("T")


def opened_again(path: Path, trash: Path, work: Callable[[], T]) -> T:
    """What `work` gives; where an edit of ours is in the way, it is taken back first."""
    try:
        return work()
    except StoreError as error:
        if error.problem is not Problem.UNRECOVERED or not _ours(path, trash):
            raise
    with Looking(path):
        pass
    return work()


def _ours(path: Path, trash: Path) -> bool:
    """Whether an edit of ours on this file was begun and not ended."""
    try:
        receipts = Editor(path, trash, time.time).trash.receipts()
    except ExplorerError:
        return False
    return any(one.half_done for one in receipts)

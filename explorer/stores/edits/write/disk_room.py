"""Room on the disk: looked for before an edit, and again on the way through a long one.

The trash grows and so does the log of the state file, before anything shrinks. Where it cannot be
told that nobody else has the file, that log is not written back, and grows where no agent does: by
150 kB for each session of a big file.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from explorer.errors import ExplorerError, Refused
from explorer.render.amounts import size

SPARE = 32 << 20
"""Bytes that must stay free besides what an edit needs."""
LEAST = 256 << 20
"""Bytes of the disk that a long edit leaves to others."""


def check_before(folders: Iterable[Path], moved: int, what: str) -> None:
    """Refuse `what` where there is no room for these bytes, in the trash or the file and its log;
    folders that are not there yet will be made in the nearest one that is."""
    needed = moved * 2 + SPARE
    for folder in folders:
        while not os.path.exists(folder):
            folder = folder.parent
        free = shutil.disk_usage(folder).free
        if free < needed:
            raise Refused(
                "Not enough room on the disk",
                f"{what} needs about {size(needed)} at first, and {folder} has {size(free)} free."
                " Nothing was done.",
            )


def check_on_the_way(folders: Iterable[Path]) -> None:
    """End a long edit before it fills the disk that its agent writes to."""
    for folder in folders:
        free = shutil.disk_usage(folder).free
        if free < LEAST:
            raise ExplorerError(
                "The disk is nearly full",
                f"{folder} has {size(free)} left. The log beside the state file grows until its"
                " agent next writes.",
            )

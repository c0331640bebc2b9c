"""Whether a file has changed: a look at sizes, times and identity, without opening it."""

import os
from pathlib import Path
from typing import NamedTuple


class Stamp(NamedTuple):
    """A state file and its log, as the file system sees them."""

    identity: tuple[int, int]
    """Another one means that the file was replaced."""
    size: int
    time: int
    log_size: int
    log_time: int

    @property
    def written(self) -> float:
        """When something was last written, in seconds since the epoch."""
        return max(self.time, self.log_time) / 1e9


def stamp(path: Path) -> Stamp | None:
    """The stamp of a file; None when there is none."""
    try:
        file = os.stat(path)
    except OSError:
        return None
    try:
        log = os.stat(f"{path.resolve()}-wal")
        logged = (log.st_size, log.st_mtime_ns) if log.st_size else (0, 0)
    except OSError:
        logged = (0, 0)
    return Stamp((file.st_dev, file.st_ino), file.st_size, file.st_mtime_ns, *logged)

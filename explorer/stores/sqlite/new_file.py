"""Making a new file, never in the place of another one."""

import os
from pathlib import Path

from explorer.errors import ExplorerError, Refused


def with_companions(path: Path) -> list[Path]:
    """A file and what SQLite may keep beside it."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm", "-journal")]


def claim(path: Path) -> None:
    """An empty file, readable by its owner only."""
    # A log left over from another file would be replayed into the new one.
    for taken in with_companions(path):
        if taken.exists():
            raise Refused("File exists", f"{taken} already exists. Choose another name.")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise ExplorerError("Cannot create the file", f"{path}: {error.strerror}.") from None

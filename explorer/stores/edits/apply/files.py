"""Files that an agent keeps about a session, on their way into the trash and back.

These are plain files of the agent's, not the database: they may be opened.
"""

import os
import re
import stat
from pathlib import Path

from explorer.stores.ours.trash_records import KeptFile

SAFE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}"


def read_file(folder: Path, name: str) -> KeptFile | None:
    """A file as it is now; None when it is gone, or is no plain file."""
    place = folder / name
    try:
        # Without waiting: a pipe is no plain file either.
        how = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        handle = os.open(place, how)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return None
        return KeptFile(name, found.st_mode & 0o777, found.st_mtime, file.read())


def remove_file(folder: Path, kept: KeptFile) -> bool:
    """Take a file away if it still is what was kept; whether it is gone."""
    now = read_file(folder, kept.name)
    if now is None:
        return True
    if now.content != kept.content:
        return False
    try:
        os.unlink(folder / kept.name)
    except OSError:
        return False
    return True


def put_back(folder: Path, kept: KeptFile) -> bool:
    """Write a file again, unless there is another one by now."""
    place = folder / kept.name
    if not re.fullmatch(SAFE_NAME, kept.name):
        return False
    try:
        os.makedirs(place.parent, exist_ok=True)
        handle = os.open(
            place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, kept.mode
        )
    except FileExistsError:
        now = read_file(folder, kept.name)
        return now is not None and now.content == kept.content
    except OSError:
        return False
    with os.fdopen(handle, "wb") as file:
        file.write(kept.content)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(place, kept.mode)
    os.utime(place, (kept.time, kept.time))
    return True

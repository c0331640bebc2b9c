"""What is in a small file of Hermes (settings, routes), read without trusting it.

Such a file is not ours: it may be a pipe, a device or a gigabyte. It is opened only where that
cannot block, and read only as far as a real one could go.
"""

import os
import stat
from pathlib import Path

LARGEST = 1 << 20
"""Bytes of settings; a real file has a tenth of it."""


class Unreadable(Exception):
    """Not to be read, and why, in words."""


def stamp(path: Path) -> tuple[int, ...] | None:
    """What changes with each change of a file; None where it cannot be told."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode


def text_of(path: Path) -> str | None:
    """What is in a file; None where there is none."""
    content = content_of(path, LARGEST)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as error:
        raise Unreadable("it is not UTF-8 text") from error


def content_of(path: Path, largest: int) -> bytes | None:
    """The bytes of a file, at most `largest`; None where there is none. Neither a pipe nor a device
    is opened: that could block forever."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Unreadable("it is not a regular file")
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            # Another file may be there by now.
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise Unreadable("it is not a regular file")
            content = _up_to(handle, largest + 1)
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(error.strerror or "it cannot be opened") from error
    if len(content) > largest:
        raise Unreadable(f"it is larger than {largest >> 20} MB")
    return content


def _up_to(handle: int, most: int) -> bytes:
    """As much of a file as is wanted: one call may give less than there is."""
    pieces: list[bytes] = []
    while most > 0 and (piece := os.read(handle, most)):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)

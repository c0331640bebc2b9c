"""Give memory back to the system that is no longer needed.

The C library keeps big pieces that were freed, each thread some of its own, and from the first on
ever bigger ones: beside the arrays of a million sessions, 40 MB of nothing. With a fixed limit it
returns them at once.
"""

import sys
from contextlib import suppress
from functools import cache

_LIMIT = -3
"""`M_MMAP_THRESHOLD` of glibc."""
BIG = 256 * 1024
"""Bytes from which on a piece is returned."""


@cache
def return_big_pieces() -> None:
    """From now on, where the C library can be told so."""
    if not sys.platform.startswith("linux"):
        return
    # Late: only a server needs it.
    import ctypes

    # Another C library than glibc has no such function, and no need of it.
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_LIMIT, BIG)

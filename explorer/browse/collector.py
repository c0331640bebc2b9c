"""No search for garbage while all sessions are read.

Python looks for garbage after every so many new objects, and stops everything else for that time.
Rows of 100,000 sessions make it look through all of them again and again, a fiftieth of a second
each time, and none of them is garbage.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_readers = 0


@contextmanager
def no_collection() -> Iterator[None]:
    """From any thread, for as long as something is read; where it is off anyway, it stays off."""
    global _readers
    with _lock:
        paused = gc.isenabled() or _readers > 0
        if paused:
            _readers += 1
            gc.disable()
    try:
        yield
    finally:
        if paused:
            with _lock:
                _readers -= 1
                if not _readers:
                    gc.enable()

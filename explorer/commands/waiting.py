"""A word on the terminal while a command waits for a file that another program keeps locked."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from explorer.commands.output import note
from explorer.render.clean import clean_line
from explorer.stores.discover import FoundStore
from explorer.stores.server_path import database_of, on_server
from explorer.stores.sqlite.failures import short_path

SOON = 0.2
"""Seconds after the first try from when on a wait is worth a word: an agent that stores a message
is done sooner."""


def waiting_for(path: Path) -> Callable[[], None] | None:
    """What to call each time a file that is busy is tried again: it says so once. None where nobody
    watches."""
    if not sys.stderr.isatty():
        return None
    first: float | None = None
    said = False

    def again() -> None:
        nonlocal first, said
        now = time.monotonic()
        first = now if first is None else first
        if not said and now - first > SOON:
            said = True
            note(_words(path))

    return again


def waiting_for_one(found: Sequence[FoundStore]) -> Callable[[], None] | None:
    """The same for a file that is alone: none of several is waited for long."""
    return waiting_for(found[0].path) if len(found) == 1 else None


def _words(path: Path) -> str:
    if on_server(path):
        return f"{clean_line(database_of(path), 200)} is busy; waiting …"
    return f"{clean_line(short_path(path), 200)} is locked by another program; waiting …"

"""`sessions/sessions.json`: the routes of early gateways, and a copy of those of later ones.

The gateway replaces the file as a whole, so each state of it is read once. It is not ours: it may
be a pipe, a gigabyte, or no JSON at all. That is said, and never a reason not to show the rest.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from explorer.stores.hermes.settings_file import Unreadable, content_of, stamp
from explorer.stores.sqlite import cells

FOLDER = "sessions"
ROUTES = "sessions.json"
"""The gateway's, whatever a session may be called."""
LARGEST = 16 * 1024 * 1024

Entry = Mapping[str, object]


class RoutesFile(NamedTuple):
    """What the file says, by the key of a chat."""

    entries: Mapping[str, Entry] = {}
    trouble: str = ""
    """Why it could not be read; empty where it could be, or is not there."""


def folder_of(path: Path) -> Path:
    """Where the gateway keeps files about the sessions of a state file."""
    return path.resolve().parent / FOLDER


def routes_stamp(path: Path) -> tuple[int, ...] | None:
    """What changes with the file; None where there is none."""
    # Asked for every page of a list: to follow a path to its end takes longer than to read a row.
    folder = folder_of(path) if path.is_symlink() else path.parent / FOLDER
    return stamp(folder / ROUTES)


def read_routes_file(path: Path) -> RoutesFile:
    """The routes beside a state file."""
    place = folder_of(path) / ROUTES
    return _read(place, stamp(place))


@lru_cache(maxsize=16)
def _read(place: Path, stamp: tuple[int, ...] | None) -> RoutesFile:
    try:
        content = content_of(place, LARGEST)
    except Unreadable as error:
        return RoutesFile(trouble=str(error))
    if content is None:
        return RoutesFile()
    if not content.strip():
        return RoutesFile()
    value = cells.decoded(content, lenient=True)
    if not isinstance(value, dict):
        return RoutesFile(trouble="it is not valid JSON" if value is cells.BROKEN else NO_ROUTES)
    # Keys with a line below at the start are remarks of the gateway.
    entries = {
        key: entry
        for key, entry in value.items()
        if isinstance(entry, dict) and not key.startswith("_")
    }
    return RoutesFile(entries, "" if entries or not value or _remarks(value) else NO_ROUTES)


NO_ROUTES = "it holds no routes"


def _remarks(value: Mapping[str, object]) -> bool:
    return all(key.startswith("_") for key in value)

"""The gateway's routes: which chat goes on in which session."""

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from explorer.stores.hermes.session_files import ROUTES, folder_of
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.leases import Ask
from explorer.stores.sqlite.schema import Schema

MOST_ROUTES = 16 * 1024 * 1024
_COLUMNS = ("session_key", "entry_json", "updated_at")


def routes_to(ask: Ask, schema: Schema, ids: Collection[str]) -> Iterator[tuple[str, float | None]]:
    """(chat, when it was set) of all that lead to one of these sessions, the newest first."""
    if not schema.has("gateway_routing", *_COLUMNS[:2]):
        return
    # No index: there is one row for each chat, and few chats.
    picked = schema.pick("gateway_routing", "r", _COLUMNS)
    for key, entry, time in ask(f"SELECT {picked} FROM gateway_routing r ORDER BY 3 DESC", ()):
        owner = cells.mapping(entry).get("session_id")
        if isinstance(owner, str) and owner in ids:
            yield cells.words(key), cells.seconds(time)


def chats_to(path: Path, ask: Ask, schema: Schema, ids: Collection[str]) -> set[str]:
    """The chats that the gateway would answer with one of these sessions, by table and by file."""
    keys = {key for key, _ in routes_to(ask, schema, ids)}
    for name, value in _routes_file(path).items():
        owner = value.get("session_id") if isinstance(value, dict) else None
        if isinstance(owner, str) and owner in ids:
            keys.add(name)
    return keys


def _routes_file(path: Path) -> Mapping[str, object]:
    place = folder_of(path) / ROUTES
    try:
        found = os.stat(place)
        if found.st_size > MOST_ROUTES or not stat.S_ISREG(found.st_mode):
            return {}
        return cells.mapping(place.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}

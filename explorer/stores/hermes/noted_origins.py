"""Where sessions come from that only `sessions.json` knows: those of early gateways, whose state
files have no columns for it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from explorer.model import Session
from explorer.stores.chat_origin import Origin
from explorer.stores.hermes.origins import by_key, of_entry
from explorer.stores.hermes.routes_file import read_routes_file, routes_stamp


def noted_origins(path: Path) -> Mapping[str, Origin]:
    """By the id of a session."""
    stamp = routes_stamp(path)
    return {} if stamp is None else _read(path, stamp)


@lru_cache(maxsize=16)
def _read(path: Path, stamp: tuple[int, ...]) -> Mapping[str, Origin]:
    found = {}
    for key, entry in read_routes_file(path).entries.items():
        session_id = entry.get("session_id")
        if isinstance(session_id, str) and by_key(key)[0]:
            found[session_id] = of_entry(entry, key)
    return found


def with_origins(rows: Sequence[Session], path: Path) -> Sequence[Session]:
    """Rows that say where they come from, as far as that is known."""
    if all(row.origin for row in rows):
        return rows
    noted = noted_origins(path)
    return [
        row._replace(origin=noted[row.id].words) if not row.origin and row.id in noted else row
        for row in rows
    ]

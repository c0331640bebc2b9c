"""What Hermes' gateway keeps about sessions: files in `sessions/`, and routes from chats to them.

The files are found by name and measured, never opened. Only ids that are plain names are looked
for, because any other could lead out of the folder. The name of a dump does not show where the id
ends: a dump of `a_b` looks like one of `a`. Such candidates are returned, for the caller to check.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import SAFE_ID
from explorer.render.figures import plural, size
from explorer.stores.base import Section
from explorer.stores.hermes.routes_file import ROUTES, folder_of, read_routes_file
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.leases import Ask
from explorer.stores.sqlite.schema import Schema

NAMED = 20
"""Files that are named; of more there is only the number."""

_BETWEEN_CHECKS = 1000
_DUMP = "request_dump_"

Known = Callable[[Collection[str]], Collection[str]]
"""Says which of these ids are those of a session."""


class Beside(NamedTuple):
    """A file about a session."""

    label: str
    name: str
    size: int
    id: str
    rivals: tuple[str, ...] = ()
    """Longer ids that its name may stand for as well."""


def files_beside(
    path: Path, ids: Iterable[str], known: Known, token: CancelToken | None = None
) -> list[Beside]:
    """The files of these sessions, by kind and name: one walk through the folder, which may hold
    100,000 files. Raises `OSError` where it cannot be looked into."""
    found = list(_walked(folder_of(path), ids, token or CancelToken()))
    rivals = {id_ for one in found for id_ in one.rivals}
    there = frozenset(known(rivals)) if rivals else frozenset()
    return sorted(one for one in found if there.isdisjoint(one.rivals))


def _walked(folder: Path, ids: Iterable[str], token: CancelToken) -> Iterable[Beside]:
    safe = {id_ for id_ in ids if re.fullmatch(SAFE_ID, id_)}
    plain: dict[str, tuple[str, str]] = {}
    for id_ in safe:
        plain[f"{id_}.json"] = plain[f"{id_}.jsonl"] = "Transcript", id_
        plain[f"session_{id_}.json"] = "Snapshot", id_
    plain.pop(ROUTES, None)
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number % _BETWEEN_CHECKS == 0:
                token.check()
            label, id_ = plain.get(entry.name, ("", ""))
            rivals: tuple[str, ...] = ()
            if not label and entry.name.startswith(_DUMP) and entry.name.endswith(".json"):
                id_, rivals = _dumped(entry.name.removeprefix(_DUMP), safe)
                label = "Request dump" if id_ else ""
            if label and entry.is_file(follow_symlinks=False):
                length = entry.stat(follow_symlinks=False).st_size
                yield Beside(label, entry.name, length, id_, rivals)


def _dumped(rest: str, ids: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """(the session of a dump, other ids that it may be of): the longest id counts."""
    begins = [rest[:at] for at, letter in enumerate(rest) if letter == "_"]
    mine = [at for at, begin in enumerate(begins) if begin in ids]
    return (begins[mine[-1]], tuple(begins[mine[-1] + 1 :])) if mine else ("", ())


def files_of(path: Path, ids: Sequence[str], known: Known, token: CancelToken) -> Section:
    """The state file, and the files of these sessions next to it."""
    folder = folder_of(path)
    rows = [("State file", str(path.absolute()))]
    try:
        found = files_beside(path, ids, known, token)
    except FileNotFoundError:
        found = []
    except OSError as error:
        return Section("Files", (*rows, ("Other files", f"cannot read {folder}: {error.strerror}")))
    if found:
        rows.append(("Folder", str(folder)))
    rows += [(one.label, f"{one.name} · {size(one.size)}") for one in found[:NAMED]]
    if len(found) > NAMED:
        rest = found[NAMED:]
        together = size(sum(one.size for one in rest))
        rows.append(("More", f"{plural(len(rest), 'file')} · {together}"))
    if not found:
        rows.append(("Other files", "none"))
    return Section("Files", tuple(rows))


_COLUMNS = ("session_key", "entry_json", "updated_at")


def routes_to(ask: Ask, schema: Schema, ids: Collection[str]) -> Iterator[tuple[str, float | None]]:
    """(chat, when it was set) of every route to one of these sessions, the newest first."""
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
    for name, entry in read_routes_file(path).entries.items():
        owner = entry.get("session_id")
        if isinstance(owner, str) and owner in ids:
            keys.add(name)
    return keys

"""What lies beside a Hermes file about a session: transcripts, snapshots, request dumps, routes.

File names are built only from ids that are plain names, so they stay inside the folder. These
are plain files of the agent's, not the database: they may be opened.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from explorer.model import SAFE_ID
from explorer.store import cells
from explorer.store.edits.plans import Planned
from explorer.store.edits.shape import Rows
from explorer.store.kept import KeptFile
from explorer.store.schema import Schema

FOLDER = "sessions"
ROUTES = "sessions.json"
SAFE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}"
MOST_ROUTES = 16 * 1024 * 1024


class Beside(NamedTuple):
    """A file about a session."""

    name: str
    size: int


def folder_of(path: Path) -> Path:
    return path.resolve().parent / FOLDER


def files_beside(
    path: Path, ids: Iterable[str], exists: Callable[[str], bool]
) -> Mapping[str, list[Beside]]:
    """The files of these sessions, by id; one walk through the folder. `exists` knows all
    sessions: the dump of `a_b` must not be taken for one of `a`."""
    safe = {id_ for id_ in ids if re.fullmatch(SAFE_ID, id_)}
    named = {
        name: id_
        for id_ in safe
        for name in (f"{id_}.json", f"{id_}.jsonl", f"session_{id_}.json")
        if name != ROUTES
    }
    found: dict[str, list[Beside]] = {}
    try:
        with os.scandir(folder_of(path)) as entries:
            for entry in entries:
                id_ = named.get(entry.name) or _dumped(entry.name, safe, exists)
                if id_ and entry.is_file(follow_symlinks=False):
                    size = entry.stat(follow_symlinks=False).st_size
                    found.setdefault(id_, []).append(Beside(entry.name, size))
    except OSError:
        return {}
    return {id_: sorted(files) for id_, files in found.items()}


def _dumped(name: str, ids: set[str], exists: Callable[[str], bool]) -> str | None:
    """The session a request dump is of: the longest id that its name begins with."""
    if not name.startswith("request_dump_") or not name.endswith(".json"):
        return None
    rest = name.removeprefix("request_dump_")
    cuts = [at for at, char in enumerate(rest) if char == "_"]
    mine = [at for at in cuts if rest[:at] in ids]
    if not mine or any(exists(rest[:at]) for at in cuts if at > mine[-1]):
        return None
    return rest[: mine[-1]]


def read_file(path: Path, name: str) -> KeptFile | None:
    """A file as it is now; None when it is gone, or is no plain file."""
    place = folder_of(path) / name
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        return KeptFile(name, found.st_mode & 0o777, found.st_mtime, file.read())


def remove_file(path: Path, kept: KeptFile) -> bool:
    """Take a file away if it still is what was kept; whether it is gone."""
    now = read_file(path, kept.name)
    if now is None:
        return True
    if now.content != kept.content:
        return False
    try:
        os.unlink(folder_of(path) / kept.name)
    except OSError:
        return False
    return True


def put_back(path: Path, kept: KeptFile) -> bool:
    """Write a file again, unless there is another one by now."""
    place = folder_of(path) / kept.name
    if not re.fullmatch(SAFE_NAME, kept.name):
        return False
    try:
        os.makedirs(place.parent, exist_ok=True)
        handle = os.open(
            place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, kept.mode
        )
    except FileExistsError:
        now = read_file(path, kept.name)
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


def routed(path: Path, ask: Rows, schema: Schema, going: Sequence[Planned]) -> int:
    """How many chats the gateway would answer with one of these sessions."""
    ids = {one.id for one in going}
    keys: set[str] = set()
    if schema.has("gateway_routing", "session_key", "entry_json"):
        for key, entry in ask("SELECT r.session_key, r.entry_json FROM gateway_routing r", ()):
            if cells.mapping(entry).get("session_id") in ids:
                keys.add(cells.words(key))
    for name, value in _routes_file(path).items():
        if isinstance(value, dict) and value.get("session_id") in ids:
            keys.add(name)
    return len(keys)


def _routes_file(path: Path) -> Mapping[str, object]:
    place = folder_of(path) / ROUTES
    try:
        if os.stat(place).st_size > MOST_ROUTES:
            return {}
        return cells.mapping(place.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}

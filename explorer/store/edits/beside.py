"""What lies beside a Hermes file about a session, on its way into the trash and back; and routes.

These are plain files of the agent's, not the database: they may be opened.
"""

import os
import re
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from explorer.store import cells
from explorer.store.edits.images import Rows
from explorer.store.edits.plans import Planned
from explorer.store.hermes.beside import ROUTES, folder_of
from explorer.store.hermes.routing import routes_to
from explorer.store.kept import KeptFile
from explorer.store.schema import Schema

SAFE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}"
MOST_ROUTES = 16 * 1024 * 1024


def read_file(path: Path, name: str) -> KeptFile | None:
    """A file as it is now; None when it is gone, or is no plain file."""
    place = folder_of(path) / name
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
    keys = {key for key, _ in routes_to(ask, schema, ids)}
    for name, value in _routes_file(path).items():
        owner = value.get("session_id") if isinstance(value, dict) else None
        if isinstance(owner, str) and owner in ids:
            keys.add(name)
    return len(keys)


def _routes_file(path: Path) -> Mapping[str, object]:
    place = folder_of(path) / ROUTES
    try:
        found = os.stat(place)
        if found.st_size > MOST_ROUTES or not stat.S_ISREG(found.st_mode):
            return {}
        return cells.mapping(place.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}

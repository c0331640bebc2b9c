"""Why a file cannot be edited: known before an edit is tried, each reason in words.

An edit is offered only where it is proven safe. The agent's dialect says what in its tables speaks
against it; here is what holds for any file: where it is, whether it is damaged, and whether the
disk has space.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from explorer.errors import ExplorerError, Problem, Refused
from explorer.model import Action
from explorer.stores.edits.connection import ReadConnection, Transaction
from explorer.stores.edits.dialect import Dialect
from explorer.stores.edits.plans import KINDS, RULES
from explorer.stores.edits.refusal_words import (
    HARD_LINKED,
    NOTHING_CHANGED,
    nearly_full_words,
    network_words,
    permission_words,
    space_words,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.failures import check_file, store_error
from explorer.stores.sqlite.images import Rows, shown
from explorer.stores.sqlite.schema import Schema, quoted

REMOTE = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "ceph", "glusterfs")
DISK_SPARE = 32 << 20
"""Bytes that must stay free besides what an edit needs."""
DISK_LEAST = 256 << 20
"""Bytes of the disk that a long edit leaves to others."""
_NUMBERS = ("page_count", "freelist_count", "page_size")
_UNKNOWN = (
    "SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index', 'view', 'trigger') LIMIT 1"
)
"""What SQLite passes over when it reads the schema, such as an index that it needs for a write."""
LOOKED_THROUGH = 16 << 20
"""Bytes of a file that is looked through in less than a tenth of a second."""
_MOST_FAULTS = 100
_REHEARSAL = "session_explorer_rehearsal"
_HARMLESS = ("NUMERIC value in ", "TEXT value in ")
"""How newer ones begin what they say of cells of another type than their column, which go back as
they were; what they say of full-text tables names FTS."""


def reasons(
    path: Path, dialect: Dialect, schema: Schema, ask: Rows, snapshot: bool = False
) -> Mapping[str, str | None]:
    """Of each edit why it is not possible; None where it is."""
    general = place(path) or ("its folder is read-only" if snapshot else "")
    if general:
        return dict.fromkeys(RULES, general)
    own = dialect.reasons(schema, ask)
    return {name: own.get(name) or None for name in RULES}


def reason_against(action: str, file: ReadConnection, dialect: Dialect) -> str | None:
    """Why an edit of a file is not possible, or cannot be undone: what would keep it from being
    done again does."""
    found = reasons(file.path, dialect, file.schema, file.ask)
    return found[KINDS[Action(action)].rule.action.value]


def place(path: Path) -> str:
    """What speaks against writing in the place of the file, without opening it: where nothing may
    be written, SQLite cannot even read a file that has a log."""
    check_file(path)
    folder = path.resolve().parent
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return "its disk is mounted read-only"
    shut = [
        name
        for name, where in (("the file", path), ("its folder", folder))
        if not os.access(where, os.W_OK)
    ]
    if shut:
        return permission_words(shut)
    if os.stat(path).st_nlink > 1:
        return HARD_LINKED
    kind = file_system(folder)
    if kind in REMOTE or kind.startswith("fuse."):
        return network_words(kind)
    return ""


def file_system(folder: Path) -> str:
    """The kind of file system a folder is on, where the platform tells."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="replace") as mounts:
            lines = mounts.read().splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        fields = line.split()
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        inside = str(folder) == point or str(folder).startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind


def check_sound(file: ReadConnection) -> None:
    """Refuse to edit a file of which the pages or the indices are damaged.

    From such a file a session may well be deleted, and then not be put back: a free page is none,
    an index holds what its table does not. SQLite can tell, in five milliseconds for each megabyte.
    So a small file is checked before anything is deleted; one so big that its agent would have to
    wait is not, and there the trash keeps what cannot be put back before the agent has repaired
    the file.
    """
    pages, free, page_size = _numbers(file.ask)
    # The check itself believes this number, and the next page that is needed is not there.
    sound = free < pages and not file.ask(_UNKNOWN)
    if sound and pages * page_size <= LOOKED_THROUGH:
        found = [shown(row[0]) for row in file.ask(f"PRAGMA integrity_check({_MOST_FAULTS})")]
        sound = all(one == "ok" or one.startswith(_HARMLESS) or "FTS" in one for one in found)
    if not sound:
        raise store_error(Problem.CORRUPT, file.path).also(NOTHING_CHANGED)


def _numbers(ask: Rows) -> list[int]:
    return [cells.amount(ask(f"PRAGMA {name}", ())[0][0]) for name in _NUMBERS]


def use_free_pages(tx: Transaction) -> None:
    """Meet the damage that only a write does: free pages that are none, and search tables that are
    broken inside. For a transaction that is not kept, and a file that is looked through in no time;
    a damaged one raises."""
    pages, free, page_size = _numbers(tx.rows)
    if pages * page_size > LOOKED_THROUGH:
        return
    tx.run(f"CREATE TABLE {_REHEARSAL} (content)")
    tx.run(f"INSERT INTO {_REHEARSAL} VALUES (zeroblob(?))", ((free + 1) * page_size,))
    for table, sql in tx.schema.virtual.items():
        if "fts5" in sql.lower():
            name = quoted(table)
            tx.run(f"INSERT INTO {name} ({name}, rank) VALUES ('integrity-check', 0)")


def check_room(folders: Iterable[Path], moved: int, what: str) -> None:
    """Refuse `what` where there is no space for these bytes, in the trash or the file and its log;
    folders that are not there yet will be made in the nearest one that is. The trash grows and so
    does the log of the state file, before anything shrinks."""
    needed = moved * 2 + DISK_SPARE
    for folder in folders:
        while not os.path.exists(folder):
            folder = folder.parent
        free = _free(folder)
        if free < needed:
            raise Refused("Not enough disk space", space_words(what, needed, folder, free))


def _free(folder: Path) -> int:
    from shutil import disk_usage  # late: 2 ms that `info` need not pay

    return disk_usage(folder).free


def check_room_left(folders: Iterable[Path]) -> None:
    """End a long edit before it fills the disk that its agent writes to. Where another program may
    have the file open, its log is not written back, and grows until an agent does so: by 150 kB for
    each session of a big file."""
    for folder in folders:
        free = _free(folder)
        if free < DISK_LEAST:
            raise ExplorerError("The disk is nearly full", nearly_full_words(folder, free))

"""Why a file cannot be edited: said before anybody tries, each reason in words.

An edit is offered only where it is proven safe. What in its tables speaks against it the agent's
dialect says; here is what holds for any file: where it lies, and triggers that nobody knows.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from explorer.model import Action
from explorer.stores.edits.dialect import Dialect
from explorer.stores.edits.edit_kinds import KINDS, RULES
from explorer.stores.ours.trash_records import OURS, Change, Receipt
from explorer.stores.sqlite.failures import check_file
from explorer.stores.sqlite.images import Rows
from explorer.stores.sqlite.schema import Schema

REMOTE = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "ceph", "glusterfs")


def reasons(
    path: Path, dialect: Dialect, schema: Schema, ask: Rows, snapshot: bool = False
) -> Mapping[str, str | None]:
    """Of each edit why it is not possible; None where it is."""
    general = place(path) or ("its folder is read-only" if snapshot else "")
    if general:
        return dict.fromkeys(RULES, general)
    own = dialect.reasons(schema, ask)
    return {name: own.get(name) or None for name in RULES}


def reason_against(
    action: Action, path: Path, dialect: Dialect, schema: Schema, ask: Rows
) -> str | None:
    """Why this edit is not possible, if it is not."""
    return reasons(path, dialect, schema, ask)[KINDS[action].rule.action]


def undo_reason(
    path: Path,
    dialect: Dialect,
    schema: Schema,
    ask: Rows,
    receipt: Receipt,
    changes: Sequence[Change],
) -> str | None:
    """Why an edit cannot be taken back: what would keep it from being done again. Our own notes are
    kept elsewhere."""
    if changes and all(change.table == OURS for change in changes):
        return None
    return reason_against(Action(receipt.action), path, dialect, schema, ask)


def place(path: Path) -> str:
    """What speaks against writing where the file lies; told without opening it, since where nothing
    may be written SQLite cannot even read a file that has a log."""
    check_file(path)
    folder = path.resolve().parent
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return "the disk it lies on is mounted read-only"
    shut = [
        name
        for name, where in (("the file", path), ("its folder", folder))
        if not os.access(where, os.W_OK)
    ]
    if shut:
        return f"{' and '.join(shut)} may not be written by this user"
    if os.stat(path).st_nlink > 1:
        return "the file is hard-linked: its log may lie under another name"
    kind = file_system(folder)
    if kind in REMOTE or kind.startswith("fuse."):
        return f"it lies on a network disk ({kind}), where locks are not to be trusted"
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

"""Why a file cannot be edited: said before anybody tries, each reason in words.

An edit is offered only where it is proven safe. A newer version number alone refuses nothing;
tables and triggers that are not known do, and so do disks on which locks are not to be trusted.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from explorer.store import cells
from explorer.store.edits.shape import Rows, hermes_shape
from explorer.store.failures import check_file
from explorer.store.kept import OURS, Change, Receipt
from explorer.store.schema import Schema

EDITS = ("rename", "archive", "delete", "clear", "end", "reopen", "prune")
TOKENIZERS = ("unicode61", "ascii", "porter", "trigram")
"""Those that every SQLite with full-text search has."""
REMOTE = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "ceph", "glusterfs")
_TOKENIZE = re.compile(r"tokenize\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|(\w+))", re.IGNORECASE)
_TRIGGER = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
_BODY = re.compile(r"\bbegin\b", re.IGNORECASE)
_INTO = re.compile(r"(?:insert\s+into|delete\s+from|update)\s+[\"'`\[]?(\w+)", re.IGNORECASE)


def reasons(path: Path, schema: Schema, ask: Rows, snapshot: bool = False) -> dict[str, str | None]:
    """Of each edit why it is not possible; None where it is."""
    hermes = schema.has("sessions", "id")
    general = place(path) or ("its folder is read-only" if snapshot else "")
    if general:
        return dict.fromkeys(EDITS, general)
    rows = _sessions_trouble(ask, schema)
    gone = rows or (_messages_trouble(ask, schema) or _links_trouble(schema, ask)) if hermes else ""
    found = {
        "rename": rows
        or (None if hermes and schema.has("sessions", "title") else _no_title(hermes)),
        "archive": rows,
        "delete": gone,
        "clear": gone if hermes else "power-loop counts on messages that are numbered on",
        "end": rows or (None if hermes else _NO_END),
        "reopen": rows or (None if hermes else _NO_END),
        "prune": gone,
    }
    return {name: reason or None for name, reason in found.items()}


_NO_END = "power-loop keeps no end of a session"


def undo_reason(
    path: Path, schema: Schema, ask: Rows, receipt: Receipt, changes: Sequence[Change]
) -> str | None:
    """Why an edit cannot be taken back: what would keep it from being done again. Our own notes are
    kept elsewhere."""
    if any(change.table == OURS for change in changes):
        return None
    edit = {"unarchive": "archive"}.get(receipt.action, receipt.action)
    return reasons(path, schema, ask)[edit]


def _no_title(hermes: bool) -> str:
    if hermes:
        return "the schema of this file has no titles: Hermes adds them when it opens the file next"
    return "power-loop keeps no titles"


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


def _sessions_trouble(ask: Rows, schema: Schema) -> str:
    """Triggers on sessions: no version of the agents has any."""
    for name, table, _ in _triggers(ask):
        if table.endswith("sessions"):
            return f"the file has a trigger that is not known here ({name})"
    return ""


def _messages_trouble(ask: Rows, schema: Schema) -> str:
    """Triggers that a deleted message sets off: those of known search tables only."""
    for name, table, sql in _triggers(ask):
        if not table.endswith("messages"):
            continue
        written = {target.lower() for target in _INTO.findall(_BODY.split(sql, 1)[-1])}
        for target in sorted(written):
            if not target.startswith("messages_fts"):
                return f"the file has a trigger that is not known here ({name})"
            if target not in schema.virtual:
                return f"the search table {target} is gone, but not what would keep it up to date"
    return tokenizer_trouble(schema)


def tokenizer_trouble(schema: Schema) -> str:
    """A search table that takes no part in a delete of ours; the agent's own can be run."""
    for table, sql in schema.virtual.items():
        if table.startswith("messages_fts") and (unknown := _tokenizer(sql)):
            only = f"needs the tokenizer {unknown}, which only the agent has"
            return f"its search table {table} {only}"
    return ""


def _tokenizer(sql: str) -> str:
    """The tokenizer of a search table, if SQLite does not have it by itself."""
    found = _TOKENIZE.search(sql)
    if found is None:
        return ""
    words = next(filter(None, found.groups()), "").split()
    unknown = [word for word in words[:1] if word.lower() not in TOKENIZERS]
    return unknown[0] if unknown else ""


def _links_trouble(schema: Schema, ask: Rows) -> str:
    shape = hermes_shape(schema, ask)
    return shape if isinstance(shape, str) else ""


def _triggers(ask: Rows) -> list[tuple[str, str, str]]:
    rows = ask(_TRIGGER, ())
    return [(cells.words(name), cells.words(table), cells.words(sql)) for name, table, sql in rows]

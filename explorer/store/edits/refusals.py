"""Why a file cannot be edited: said before anybody tries, each reason in words.

An edit is offered only where it is proven safe. A newer version number alone refuses nothing;
tables and triggers that are not known do, and so do disks on which locks are not to be trusted.
"""

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path

from explorer.store.edits.images import Rows
from explorer.store.edits.shape import PROMPTS, hermes_shape
from explorer.store.edits.triggers import Trigger, Write, filled_columns, triggers
from explorer.store.failures import check_file
from explorer.store.kept import OURS, Change, Receipt
from explorer.store.schema import Schema

EDITS = ("rename", "archive", "pin", "delete", "clear", "end", "reopen", "prune")
OPPOSITES = {"unarchive": "archive", "unpin": "pin"}
"""Edits for which the same holds as for those that they are the opposite of."""
TOKENIZERS = ("unicode61", "ascii", "porter", "trigram")
"""Those that every SQLite with full-text search has."""
REMOTE = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ncpfs", "ceph", "glusterfs")
_TOKENIZE = re.compile(r"tokenize\s*=\s*(?:'([^']*)'|\"([^\"]*)\"|(\w+))", re.IGNORECASE)
_SAID = frozenset(
    (
        *("id", "session_id", "role", "content", "timestamp", "active", "compacted"),
        *("tool_call_id", "tool_calls", "tool_name", "finish_reason", "reasoning"),
        *("reasoning_content", "reasoning_details", "codex_reasoning_items"),
        *("codex_message_items", "api_content"),
    )
)
"""Columns of a message that no trigger may write: what was said, and where it belongs."""


def reasons(path: Path, schema: Schema, ask: Rows, snapshot: bool = False) -> dict[str, str | None]:
    """Of each edit why it is not possible; None where it is."""
    hermes = schema.has("sessions", "id")
    general = place(path) or ("its folder is read-only" if snapshot else "")
    if general:
        return dict.fromkeys(EDITS, general)
    known = triggers(ask)
    rows = _sessions_trouble(known)
    gone = rows or (_delete_trouble(known, schema, ask) if hermes else _any_trigger(known))
    found = {
        "rename": rows
        or (None if hermes and schema.has("sessions", "title") else _no_title(hermes)),
        "archive": rows,
        "pin": rows,
        "delete": gone,
        "clear": gone if hermes else _NUMBERED,
        "end": rows or (None if hermes else _NO_END),
        "reopen": rows or (None if hermes else _NO_END),
        "prune": gone,
    }
    return {name: reason or None for name, reason in found.items()}


_NO_END = "power-loop keeps no end of a session"
_NUMBERED = "power-loop counts on messages that are numbered on"


def undo_reason(
    path: Path, schema: Schema, ask: Rows, receipt: Receipt, changes: Sequence[Change]
) -> str | None:
    """Why an edit cannot be taken back: what would keep it from being done again. Our own notes are
    kept elsewhere."""
    if changes and all(change.table == OURS for change in changes):
        return None
    return reasons(path, schema, ask)[OPPOSITES.get(receipt.action, receipt.action)]


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


def _sessions_trouble(known: Sequence[Trigger]) -> str:
    """Triggers on sessions: no version of the agents has any."""
    return _any_trigger([one for one in known if one.table.endswith("sessions")])


def _any_trigger(known: Sequence[Trigger]) -> str:
    return f"the file has a trigger that is not known here ({known[0].name})" if known else ""


def _delete_trouble(known: Sequence[Trigger], schema: Schema, ask: Rows) -> str:
    """What a delete would set off that is not known, or could not be undone exactly."""
    trouble = _messages_trouble(known, schema) or tokenizer_trouble(schema)
    if trouble:
        return trouble
    shape = hermes_shape(schema, ask)
    if isinstance(shape, str):
        return shape
    others = {PROMPTS, *(one.table.lower() for one in shape.belongings)}
    return _any_trigger([one for one in known if one.table in others])


def _messages_trouble(known: Sequence[Trigger], schema: Schema) -> str:
    """Triggers that a message sets off when it goes or comes back."""
    mine = [one for one in known if one.table == "messages"]
    filled = filled_columns(mine) - _SAID
    for trigger in mine:
        for write in trigger.writes:
            if write.table.startswith("messages_fts") and not write.columns:
                if write.table not in schema.virtual:
                    return (
                        f"the search table {write.table} is gone, but not what would keep it up"
                        " to date"
                    )
            elif not _fills_in(trigger, write, filled):
                return _any_trigger([trigger])
    return ""


def _fills_in(trigger: Trigger, write: Write, filled: Collection[str]) -> bool:
    """Whether a trigger only fills in columns that can be set again when a message comes back: of
    its own row when it comes, of messages that go with it when it goes, and never because such a
    column was set."""
    if write.table != "messages" or not trigger.after or not _SAID.isdisjoint(write.columns):
        return False
    if trigger.event == "update":
        return bool(trigger.columns) and trigger.columns.isdisjoint(filled)
    return write.own_row if trigger.event == "insert" else write.own_session


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

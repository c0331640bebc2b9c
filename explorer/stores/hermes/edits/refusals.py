"""What in the tables of a Hermes file speaks against an edit.

Triggers and tables that are not known do; a newer version number alone does not.
"""

import re
from collections.abc import Collection, Sequence

from explorer.stores.edits.triggers import Trigger, Write, any_trigger, filled_columns, triggers
from explorer.stores.hermes.edits.shape import PROMPTS, hermes_shape
from explorer.stores.sqlite.images import Rows
from explorer.stores.sqlite.schema import Schema

TOKENIZERS = ("unicode61", "ascii", "porter", "trigram")
"""Those that every SQLite with full-text search has."""
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
_NO_TITLES = "the schema of this file has no titles: Hermes adds them when it opens the file next"


def hermes_reasons(schema: Schema, ask: Rows) -> dict[str, str]:
    """Of each edit why it is not possible; empty where it is."""
    known = triggers(ask)
    # No version of the agent has any on sessions.
    rows = any_trigger([one for one in known if one.table.endswith("sessions")])
    gone = rows or _delete_trouble(known, schema, ask)
    titles = "" if schema.has("sessions", "title") else _NO_TITLES
    return {
        "rename": rows or titles,
        "archive": rows,
        "pin": rows,
        "delete": gone,
        "clear": gone,
        "end": rows,
        "reopen": rows,
        "prune": gone,
    }


def _delete_trouble(known: Sequence[Trigger], schema: Schema, ask: Rows) -> str:
    """What a delete would set off that is not known, or could not be undone exactly."""
    trouble = _messages_trouble(known, schema) or tokenizer_trouble(schema)
    if trouble:
        return trouble
    shape = hermes_shape(schema, ask)
    if isinstance(shape, str):
        return shape
    others = {PROMPTS, *(one.table.lower() for one in shape.belongings)}
    return any_trigger([one for one in known if one.table in others])


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
                return any_trigger([trigger])
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

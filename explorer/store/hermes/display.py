"""Which stored messages are meant for a person's eyes, in SQL; `m` is the table of messages.

From schema 23 on Hermes marks rows that only the model reads, and notices: a row in the place of a
user's that tells of a switch, a subagent or a process.
"""

from explorer.store.schema import Schema

HIDDEN = "hidden"
"""The kind of a row that no surface of Hermes shows."""
NOTICES = (
    *("model_switch", "personality_switch", "async_delegation_complete", "auto_continue"),
    *("internal_notification", "process_complete"),
)
"""Kinds of rows that nobody said."""
_MODEL_ONLY = '"model_only": true'
"""In `display_metadata`, as Hermes' JSON spells it."""


def unseen(schema: Schema) -> str:
    """True of what is for the model alone."""
    tests = []
    if schema.has("messages", "display_kind"):
        tests.append(f"m.\"display_kind\" IS '{HIDDEN}'")
    if schema.has("messages", "display_metadata"):
        tests.append(f"coalesce(instr(m.\"display_metadata\", '{_MODEL_ONLY}'), 0) > 0")
    return f"({' OR '.join(tests)})" if tests else "0"


def unsaid(schema: Schema) -> str:
    """True of what nobody said: that, and notices."""
    if not schema.has("messages", "display_kind"):
        return unseen(schema)
    kinds = ", ".join(f"'{kind}'" for kind in NOTICES)
    return f"({unseen(schema)} OR coalesce(m.\"display_kind\", '') IN ({kinds}))"

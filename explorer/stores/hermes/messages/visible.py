"""Which stored messages are meant for a person's eyes, in SQL; `m` is the table of messages.

From schema 23 on Hermes marks rows that only the model reads, and notices: a row in the place of a
user's that tells of a switch, a subagent or a process.
"""

from explorer.model import MessageState
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import Schema

HIDDEN = "hidden"
"""The kind of a row that no surface of Hermes shows."""
NOTICES = (
    *("model_switch", "personality_switch", "async_delegation_complete", "auto_continue"),
    *("internal_notification", "process_complete"),
)
"""Kinds of rows that nobody said."""
_MODEL_ONLY = '"model_only": true'
"""In `display_metadata`, as Hermes' JSON spells it."""


BY_ORDER = "idx_messages_display_page"
"""The index on (session_id, display_order) of the rows that are shown."""
SEEN = "0"
"""The condition where no row is marked."""


def only_seen(schema: Schema) -> str:
    """Behind a condition: and it is not for the model alone."""
    test = unseen(schema)
    return "" if test == SEEN else f" AND NOT {test}"


def each_once(schema: Schema) -> str:
    """Behind a condition: and of rows that say the same, it is the one that is shown. Not without
    the agent's own index: each row would walk its session, of 35,000 messages for ten minutes."""
    if not schema.has("messages", "display_order", "active", "compacted"):
        return ""
    if BY_ORDER not in schema.indices:
        return ""
    return (
        " AND NOT EXISTS (SELECT 1 FROM messages t WHERE t.session_id = m.session_id"
        " AND t.display_order = m.display_order AND (t.active = 1 OR t.compacted = 1)"
        f" AND NOT {unseen(schema, 't')}"
        " AND (coalesce(t.active, 1), t.id) > (coalesce(m.active, 1), m.id))"
    )


def unseen(schema: Schema, alias: str = "m") -> str:
    """True of what is for the model alone."""
    tests = []
    if schema.has("messages", "display_kind"):
        tests.append(f"{alias}.\"display_kind\" IS '{HIDDEN}'")
    if schema.has("messages", "display_metadata"):
        tests.append(f"coalesce(instr({alias}.\"display_metadata\", '{_MODEL_ONLY}'), 0) > 0")
    return f"({' OR '.join(tests)})" if tests else SEEN


def unsaid(schema: Schema) -> str:
    """True of what nobody said: that, and notices."""
    if not schema.has("messages", "display_kind"):
        return unseen(schema)
    kinds = ", ".join(f"'{kind}'" for kind in NOTICES)
    return f"({unseen(schema)} OR coalesce(m.\"display_kind\", '') IN ({kinds}))"


def is_unsaid(kind: object, metadata: object) -> bool:
    """The same of the two cells of a message that is no longer in a file."""
    known = cells.words(kind) in (HIDDEN, *NOTICES)
    return known or _MODEL_ONLY in cells.words(metadata)


def message_state(active: object, compacted: object) -> MessageState:
    """Whether the agent still sees a message, by its two flags."""
    if cells.flag(active, default=True):
        return MessageState.LIVE
    return MessageState.COMPACTED if cells.flag(compacted, default=False) else MessageState.REWOUND

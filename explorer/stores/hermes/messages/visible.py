"""Which stored messages are meant for a person's eyes, in SQL (`m` is the table of messages), and
what notices say.

From schema 23 on Hermes marks rows that only the model reads, and notices: a row in the place of a
user's that tells of a switch, a subagent or a process. Its words come from what Hermes noted beside
the row and from its text; either may be missing, or anything.
"""

import re
from collections.abc import Callable, Mapping

from explorer.model import MessageState
from explorer.render.figures import plural
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


LONGEST = 160
"""Letters of a stored text in a notice."""
MOST_REACTIONS = 8

_SWITCHED = r"(?:changed|switched) to +(\S+?)[.\]]*(?:\s|$)"
_HEAD = r"\s*\[[^\]\n]{0,300}\]?[ \t]*\n+"
"""A line in brackets above what is told."""


def notice(kind: object, metadata: object, text: str) -> str:
    """The words for a row of this kind; empty for a message that somebody said."""
    told = _TOLD.get(kind) if isinstance(kind, str) else None
    return told(_noted(metadata), text) if told else ""


def reactions(metadata: object) -> tuple[str, ...]:
    """The signs below a message, each once."""
    found = _noted(metadata).get("reactions") if metadata is not None else None
    given = found if isinstance(found, list) else []
    signs = [one.get("emoji") for one in given if isinstance(one, dict)]
    each = dict.fromkeys(sign for sign in signs if isinstance(sign, str) and sign)
    return tuple(each)[:MOST_REACTIONS]


def _noted(metadata: object) -> Mapping[str, object]:
    """What is noted beside a row; some releases wrote the JSON twice over."""
    value = cells.decoded(metadata)
    if isinstance(value, str):
        value = cells.decoded(value)
    return value if isinstance(value, dict) else {}


def _model_switch(noted: Mapping[str, object], text: str) -> str:
    return f"Model changed{_from_to(noted, text)}"


def _personality_switch(noted: Mapping[str, object], text: str) -> str:
    return f"Personality changed{_from_to(noted, text)}"


def _from_to(noted: Mapping[str, object], text: str) -> str:
    before = _name(noted, "from", "previous")
    after = _name(noted, "to", "model", "personality", "name")
    if not after:
        found = re.search(_SWITCHED, text[:1000])
        after = found[1] if found else ""
    return f"{f' from {before}' if before else ''}{f' to {after}' if after else ''}"


def _name(noted: Mapping[str, object], *names: str) -> str:
    found = (noted.get(name) for name in names)
    return next((value[:LONGEST] for value in found if isinstance(value, str) and value), "")


def _delegation(noted: Mapping[str, object], text: str) -> str:
    number = cells.amount(noted.get("task_count"))
    failed = cells.amount(noted.get("failed_count"))
    who = plural(number, "subagent").capitalize() if number > 1 else "Subagent"
    return _with(f"{who} finished{f', {failed} failed' if failed else ''}", text)


def _with(words: str, text: str) -> str:
    """Words, and behind them the first line of a text, without a heading in brackets."""
    line = re.sub(_HEAD, "", text[: 10 * LONGEST], count=1).strip().partition("\n")[0]
    return f"{words}: {line[:LONGEST]}" if line else words


_TOLD: Mapping[str, Callable[[Mapping[str, object], str], str]] = {
    "model_switch": _model_switch,
    "personality_switch": _personality_switch,
    "async_delegation_complete": _delegation,
    "auto_continue": lambda noted, text: "Continued after an interruption",
    "internal_notification": lambda noted, text: _with("Notice", text),
    "process_complete": lambda noted, text: _with("Process finished", text),
}

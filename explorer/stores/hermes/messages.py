"""The messages of a session: the outline of all of them, the bodies of the visible ones, and which
are meant for a person's eyes, in SQL (`m` is the table of messages).

Ordered by id, because clocks step backwards. Left out unless asked for are rows that the agent
rewound, those for the model alone, and copies: where the agent numbers rows by the first one with
the same content, one represents all, in that place.

From schema 23 on Hermes marks rows that only the model reads, and notices: a row in the place of a
user's about a switch, a subagent or a process. Its words come from what Hermes noted beside
the row and from its text; either may be missing, or anything.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from explorer.model import UNKNOWN, Message, MessageState, Outline
from explorer.render.figures import plural
from explorer.stores.content import (
    Said,
    content_text,
    message_items_text,
    reasoning_text,
    tool_calls,
    what_was_said,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import Schema, batches, placeholders

HIDDEN = "hidden"
"""The kind of a row that no surface of Hermes shows."""
NOTICES = (
    *("model_switch", "personality_switch", "async_delegation_complete", "auto_continue"),
    *("internal_notification", "process_complete"),
)
"""Kinds of rows that are not part of the talk."""
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
    needed = schema.has("messages", "display_order", "active", "compacted")
    if not needed or BY_ORDER not in schema.indices:
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
    """True for rows that are not part of the talk: those, and notices."""
    if not schema.has("messages", "display_kind"):
        return unseen(schema)
    kinds = ", ".join(f"'{kind}'" for kind in NOTICES)
    return f"({unseen(schema)} OR coalesce(m.\"display_kind\", '') IN ({kinds}))"


def is_unsaid(kind: object, metadata: object) -> bool:
    """The same for the two cells of a message that is no longer in a file."""
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
"""A line in brackets above the text."""


def notice(kind: object, metadata: object, text: str) -> str:
    """The words for a row of this kind; empty for an ordinary message."""
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
    "model_switch": lambda noted, text: f"Model changed{_from_to(noted, text)}",
    "personality_switch": lambda noted, text: f"Personality changed{_from_to(noted, text)}",
    "async_delegation_complete": _delegation,
    "auto_continue": lambda noted, text: "Continued after an interruption",
    "internal_notification": lambda noted, text: _with("Notice", text),
    "process_complete": lambda noted, text: _with("Process finished", text),
}


SEARCHED = (
    "content",
    "tool_name",
    "tool_calls",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
)
"""Columns that a search looks at."""
DISPLAY = ("display_kind", "display_metadata", "_compressed_summary")
BODY = (
    "id",
    "session_id",
    "role",
    "timestamp",
    "tool_call_id",
    "finish_reason",
    "active",
    "compacted",
    *SEARCHED,
    *DISPLAY,
)
NEAR = 8
"""Messages on either side among which one is looked for that a person is meant to see."""
OF_SESSION = "m.session_id = (SELECT s.id FROM sessions s WHERE s.rowid = ?)"


def system_prompt(reader: Reader, key: int) -> str:
    """What the agent was told; newer schemas keep each prompt once, in a table of its own."""
    schema = reader.schema
    inline = schema.pick("sessions", "s", ("system_prompt",))
    if schema.has("system_prompts", "hash", "prompt") and schema.has(
        "sessions", "system_prompt_hash"
    ):
        shared = "(SELECT p.prompt FROM system_prompts p WHERE p.hash = s.system_prompt_hash)"
        inline = f"coalesce({shared}, {inline})"
    return cells.words(reader.value(f"SELECT {inline} FROM sessions s WHERE s.rowid = ?", (key,)))


def id_of(reader: Reader, key: int) -> str:
    """The id of a session; empty where it is gone."""
    return cells.words(reader.value("SELECT s.id FROM sessions s WHERE s.rowid = ?", (key,)))


def messages(reader: Reader, ids: Sequence[int]) -> list[Message]:
    """The messages with these ids, in their order."""
    columns = f"{reader.schema.pick('messages', 'm', BODY)}, {unseen(reader.schema)}"
    found: dict[int, Message] = {}
    for batch in batches(ids):
        places = placeholders(batch)
        for row in reader.rows(f"SELECT {columns} FROM messages m WHERE m.id IN ({places})", batch):
            reader.token.check()
            message = _message(row, reader.schema)
            found[message.id] = message
    return [found[id_] for id_ in ids if id_ in found]


def lost(reader: Reader, id_: str) -> list[Message]:
    """Messages that name this session, of which there need not be a row. The id may have been
    stored as bytes, and as bytes that are no text, which are shown with replacement characters."""
    ids = reader.column(
        "SELECT m.id FROM messages m WHERE m.session_id IN (:id, CAST(:id AS BLOB))", {"id": id_}
    )
    if not ids and "\ufffd" in id_:
        named = reader.rows("SELECT m.id, m.session_id FROM messages m")
        ids = [number for number, name in named if cells.words(name) == id_]
    return messages(reader, sorted(ids))


def around(
    reader: Reader, key: int, ids: Sequence[int], rewound: bool
) -> dict[int, tuple[int | None, int | None]]:
    """The messages before and after each of these. All ids of the session come from the index
    on it, once: asked for each message, SQLite would walk the session as often."""
    order = sorted(reader.column(f"SELECT m.id FROM messages m WHERE {OF_SESSION}", (key,)))
    if not rewound and reader.schema.has("messages", "active"):
        compacted = reader.schema.pick("messages", "m", ("compacted",))
        inactive = reader.rows(
            f"SELECT m.id, {compacted} FROM messages m WHERE {OF_SESSION} AND m.active = 0", (key,)
        )
        undone = {id_ for id_, flag in inactive if not cells.flag(flag, default=False)}
        order = [id_ for id_ in order if id_ not in undone]
    if not rewound:
        hidden = _unseen_beside(reader, order, ids)
        order = [id_ for id_ in order if id_ not in hidden] if hidden else order
    found = {}
    for id_ in ids:
        before, after = bisect_left(order, id_), bisect_right(order, id_)
        found[id_] = (
            order[before - 1] if before > 0 else None,
            order[after] if after < len(order) else None,
        )
    return found


def _unseen_beside(reader: Reader, order: Sequence[int], ids: Sequence[int]) -> set[int]:
    """Those of the messages near these that are for the model alone."""
    test = unseen(reader.schema)
    if test == SEEN:
        return set()
    near: set[int] = set()
    for id_ in ids:
        at = bisect_left(order, id_)
        near.update(order[max(at - NEAR, 0) : at + NEAR + 1])
    found: set[int] = set()
    for batch in batches(near):
        places = placeholders(batch)
        found.update(
            reader.column(f"SELECT m.id FROM messages m WHERE m.id IN ({places}) AND {test}", batch)
        )
    return found.difference(ids)


def _message(row: tuple[object, ...], schema: Schema) -> Message:
    cell = dict(zip(BODY, row, strict=False))
    role = cells.words(cell["role"])
    text = content_text(cell["content"], bare_json=not schema.has("state_meta"))
    if not text and cell["codex_message_items"]:
        text = message_items_text(cell["codex_message_items"])
    kept = cell["reasoning"], cell["reasoning_content"]
    beside = cell["reasoning_details"], cell["codex_reasoning_items"]
    if role == "assistant":
        found = what_was_said(text, kept, *beside)
    else:
        found = Said(text, *reasoning_text(kept, *beside))
    message = Message(
        id=cells.integer(cell["id"]) or 0,
        session_id=cells.words(cell["session_id"]),
        role=role,
        timestamp=cells.seconds(cell["timestamp"]),
        text=found.text,
        reasoning=found.reasoning,
        opaque_reasoning=found.opaque,
        thoughts=found.thoughts,
        tool_calls=tool_calls(cell["tool_calls"]),
        tool_call_id=cells.text(cell["tool_call_id"]),
        tool_name=cells.text(cell["tool_name"]),
        finish_reason=cells.text(cell["finish_reason"]),
        state=message_state(cell["active"], cell["compacted"]),
    )
    kind, metadata, summary = row[-4:-1]
    if kind is None and metadata is None and not summary:
        return message
    return message._replace(
        display=cells.text(kind),
        notice=notice(kind, metadata, found.text),
        unseen=bool(row[-1]),
        summary=cells.flag(summary, default=False),
        reactions=reactions(metadata),
    )


class _Mark(NamedTuple):
    """What is special about a row: as a rule there are few."""

    unsaid: bool
    unseen: bool
    place: tuple[int, bool] | None
    """Where it belongs, if not at its own id; True next to a row that has this place itself."""


def outlines(reader: Reader, key: int, rewound: bool) -> list[Outline]:
    """Every message of a session, without its body."""
    size = "length(CAST(m.content AS BLOB))"
    found = _outlines(reader, size, OF_SESSION, (key,), key, rewound)
    return _as_marked(found, _marks(reader, OF_SESSION, (key,)), rewound)


def first_outlines(
    reader: Reader, key: int, most: int, rewound: bool
) -> tuple[list[Outline], bool]:
    """(the first `most` messages of a session, whether that is all of it). Where it is not, their
    ids come from an index and no body is touched: to measure one of 8 MB takes ten milliseconds."""
    first = f"SELECT m.id FROM messages m WHERE {OF_SESSION} ORDER BY m.id LIMIT ?"
    ids = reader.column(first, (key, most))
    if len(ids) < most:
        return outlines(reader, key, rewound), True
    if not rewound and BY_ORDER in reader.schema.indices:
        # Which of several copies is shown may be decided by one that comes much later.
        ids += _copies(reader, key, ids)
    among = f"m.id IN ({placeholders(ids)})"
    found = _outlines(reader, str(UNKNOWN), among, ids, key, rewound)
    return _as_marked(found, _marks(reader, among, ids), rewound), False


def _copies(reader: Reader, key: int, ids: Sequence[int]) -> list[int]:
    """Later rows that say the same as some of these."""
    places = placeholders(ids)
    return reader.column(
        f"SELECT m.id FROM messages m WHERE {OF_SESSION} AND m.display_order IN"
        f" (SELECT f.display_order FROM messages f WHERE f.id IN ({places}))"
        " AND (m.active = 1 OR m.compacted = 1) AND m.id > ?",
        (key, *ids, ids[-1]),
    )


def _outlines(
    reader: Reader, size: str, where: str, values: Sequence[int], key: int, rewound: bool
) -> list[Outline]:
    columns = reader.schema.pick("messages", "m", ("tool_call_id", "active", "compacted"))
    rows = reader.rows(
        f"SELECT m.id, m.role, m.timestamp, {size}, m.tool_calls IS NOT NULL, {columns}"
        f" FROM messages m WHERE {where} ORDER BY m.id",
        values,
    )
    # There are two or three states in a session, and it may have 35,000 messages.
    state_of = cache(message_state)
    return [
        Outline(
            id_,
            key,
            cells.words(role),
            cells.seconds(time),
            length or 0,
            bool(calls),
            cells.text(call_id),
            state,
        )
        for id_, role, time, length, calls, call_id, active, compacted in rows
        if (state := state_of(active, compacted)) is not MessageState.REWOUND or rewound
    ]


def _marks(reader: Reader, where: str, values: Sequence[int]) -> dict[int, _Mark]:
    """The rows among these that are marked, or numbered by another one."""
    schema = reader.schema
    if not schema.has("messages", "display_kind"):
        return {}
    place = alone = "NULL"
    if schema.has("messages", "display_order"):
        place = "CASE WHEN typeof(m.display_order) = 'integer' THEN m.display_order END"
        alone = (
            "(SELECT t.display_order IS NULL FROM messages t"
            " WHERE t.id = m.display_order AND t.session_id = m.session_id)"
        )
    rows = reader.rows(
        f"SELECT m.id, {unsaid(schema)}, {unseen(schema)}, {place}, {alone} FROM messages m"
        f" WHERE {where} AND ({unsaid(schema)} OR {place} != m.id)",
        values,
    )
    return {
        id_: _Mark(bool(nobody), bool(hidden), None if at is None else (at, bool(other)))
        for id_, nobody, hidden, at, other in rows
    }


def _as_marked(
    found: Sequence[Outline], marks: Mapping[int, _Mark], rewound: bool
) -> list[Outline]:
    """With `rewound` all of them as they are stored; else one of all rows with the same place, and
    there: a live one rather than one that was compressed, then the newest."""
    if not marks:
        return list(found)
    told = [
        one._replace(unsaid=True) if one.id in marks and marks[one.id].unsaid else one
        for one in found
        if rewound or one.id not in marks or not marks[one.id].unseen
    ]
    if rewound or not any(mark.place for mark in marks.values()):
        return told
    groups: dict[tuple[int, bool], list[Outline]] = {}
    for one in told:
        mark = marks.get(one.id)
        groups.setdefault((mark and mark.place) or (one.id, False), []).append(one)
    return [
        max(same, key=lambda one: (one.state is MessageState.LIVE, one.id))._replace(
            repeats=len(same)
        )
        for _, same in sorted(groups.items())
    ]

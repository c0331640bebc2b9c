"""The messages of a session: first an outline of all, then bodies for those in sight.

Ordered by id: clocks step backwards. Rows that the agent rewound are kept out unless asked for.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache

from explorer.model import UNKNOWN, Message, MessageState, Outline
from explorer.store import cells
from explorer.store.content import (
    content_text,
    message_items_text,
    reasoning_text,
    split_thinking,
    tool_calls,
)
from explorer.store.hermes.survey import batches
from explorer.store.read_only import Reader
from explorer.store.schema import Schema

BODY = (
    "id",
    "session_id",
    "role",
    "timestamp",
    "content",
    "tool_calls",
    "tool_call_id",
    "tool_name",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "active",
    "compacted",
)
OutlineRow = tuple[int, object, object, int | None, int, object, object, object]
OF_SESSION = "m.session_id = (SELECT s.id FROM sessions s WHERE s.rowid = ?)"


def outlines(reader: Reader, key: int, rewound: bool) -> list[Outline]:
    """Every message of a session, without its body."""
    size = "length(CAST(m.content AS BLOB))"
    return _outlines(_outline_rows(reader, size, OF_SESSION, (key,)), key, rewound)


def first_outlines(
    reader: Reader, key: int, most: int, rewound: bool
) -> tuple[list[Outline], bool]:
    """(the first `most` messages of a session, whether that is all of it). Where it is not, their
    ids come from an index and no body is touched: to measure one of 8 MB takes ten milliseconds."""
    first = f"SELECT m.id FROM messages m WHERE {OF_SESSION} ORDER BY m.id LIMIT ?"
    ids = reader.column(first, (key, most))
    if len(ids) < most:
        return outlines(reader, key, rewound), True
    among = f"m.id IN ({','.join('?' * len(ids))})"
    return _outlines(_outline_rows(reader, str(UNKNOWN), among, ids), key, rewound), False


def _outline_rows(reader: Reader, size: str, where: str, values: Sequence[int]) -> list[OutlineRow]:
    columns = reader.schema.pick("messages", "m", ("tool_call_id", "active", "compacted"))
    return reader.rows(
        f"SELECT m.id, m.role, m.timestamp, {size}, m.tool_calls IS NOT NULL, {columns}"
        f" FROM messages m WHERE {where} ORDER BY m.id",
        values,
    )


def _outlines(rows: list[OutlineRow], key: int, rewound: bool) -> list[Outline]:
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


def messages(reader: Reader, ids: Sequence[int]) -> list[Message]:
    """The messages with these ids, ordered by id."""
    columns = reader.schema.pick("messages", "m", BODY)
    found: list[Message] = []
    for batch in batches(sorted(ids)):
        places = ",".join("?" * len(batch))
        rows = reader.rows(
            f"SELECT {columns} FROM messages m WHERE m.id IN ({places}) ORDER BY m.id", batch
        )
        for row in rows:
            reader.token.check()
            found.append(_message(row, reader.schema))
    return found


def lost(reader: Reader, id_: str) -> list[Message]:
    """Messages that name this session, of which there need not be a row. The id may have been
    stored as bytes, and as bytes that are no text, which are shown with replacement characters."""
    ids = reader.column(
        "SELECT m.id FROM messages m WHERE m.session_id IN (:id, CAST(:id AS BLOB))", {"id": id_}
    )
    if not ids and "\ufffd" in id_:
        named = reader.rows("SELECT m.id, m.session_id FROM messages m")
        ids = [number for number, name in named if cells.words(name) == id_]
    return messages(reader, ids)


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
    found = {}
    for id_ in ids:
        before, after = bisect_left(order, id_), bisect_right(order, id_)
        found[id_] = (
            order[before - 1] if before > 0 else None,
            order[after] if after < len(order) else None,
        )
    return found


def message_state(active: object, compacted: object) -> MessageState:
    if cells.flag(active, default=True):
        return MessageState.LIVE
    return MessageState.COMPACTED if cells.flag(compacted, default=False) else MessageState.REWOUND


def _message(row: tuple[object, ...], schema: Schema) -> Message:
    cell = dict(zip(BODY, row, strict=True))
    role = cells.words(cell["role"])
    text = content_text(cell["content"], bare_json=not schema.has("state_meta"))
    if not text and cell["codex_message_items"]:
        text = message_items_text(cell["codex_message_items"])
    thinking = ""
    if role == "assistant":
        text, thinking = split_thinking(text)
    reasoning, opaque = reasoning_text(
        (cell["reasoning"], cell["reasoning_content"], thinking),
        cell["reasoning_details"],
        cell["codex_reasoning_items"],
    )
    return Message(
        id=cells.integer(cell["id"]) or 0,
        session_id=cells.words(cell["session_id"]),
        role=role,
        timestamp=cells.seconds(cell["timestamp"]),
        text=text,
        reasoning=reasoning,
        opaque_reasoning=opaque,
        tool_calls=tool_calls(cell["tool_calls"]),
        tool_call_id=cells.text(cell["tool_call_id"]),
        tool_name=cells.text(cell["tool_name"]),
        finish_reason=cells.text(cell["finish_reason"]),
        state=message_state(cell["active"], cell["compacted"]),
    )

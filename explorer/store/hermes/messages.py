"""The messages of a session: first an outline of all, then bodies for those in sight.

Ordered by id: clocks step backwards. Rows that the agent rewound are kept out unless asked for.
"""

from collections.abc import Sequence

from explorer.model import Message, MessageState, Outline
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
_SIZED = ("content", "tool_calls", "reasoning", "reasoning_content")
OF_SESSION = "m.session_id = (SELECT s.id FROM sessions s WHERE s.rowid = ?)"


def outlines(reader: Reader, key: int, rewound: bool) -> list[Outline]:
    """Every message of a session, without its body."""
    schema = reader.schema
    sized = [c for c in _SIZED if schema.has("messages", c)]
    size = " + ".join(f'coalesce(length(CAST(m."{c}" AS BLOB)), 0)' for c in sized)
    columns = schema.pick("messages", "m", ("tool_call_id", "active", "compacted"))
    rows = reader.rows(
        f"SELECT m.id, m.role, m.timestamp, {size}, m.tool_calls IS NOT NULL, {columns}"
        f" FROM messages m WHERE {OF_SESSION} ORDER BY m.id",
        (key,),
    )
    return [
        Outline(
            id=id_,
            session_key=key,
            role=cells.words(role),
            timestamp=cells.seconds(time),
            size=length,
            call_ids=bool(calls),
            tool_call_id=cells.text(call_id),
            state=state,
        )
        for id_, role, time, length, calls, call_id, active, compacted in rows
        if (state := message_state(active, compacted)) is not MessageState.REWOUND or rewound
    ]


def messages(reader: Reader, ids: Sequence[int]) -> list[Message]:
    """The messages with these ids, ordered by id."""
    columns = reader.schema.pick("messages", "m", BODY)
    found: list[Message] = []
    for batch in batches(sorted(ids)):
        places = ",".join("?" * len(batch))
        rows = reader.rows(
            f"SELECT {columns} FROM messages m WHERE m.id IN ({places}) ORDER BY m.id", batch
        )
        found += (_message(row, reader.schema) for row in rows)
    return found


def around(
    reader: Reader, key: int, ids: Sequence[int]
) -> dict[int, tuple[int | None, int | None]]:
    """The messages before and after each of these. Needs the index on (session_id, timestamp):
    by id alone, SQLite would walk the whole session for each."""
    here = "SELECT t.timestamp FROM messages t WHERE t.id = :id"
    of_session = OF_SESSION.replace("?", ":key")
    found = {}
    for id_ in ids:
        pair = []
        for sign, order in (("<", "DESC"), (">", "ASC")):
            row = reader.row(
                f"SELECT m.id FROM messages m WHERE {of_session} AND m.timestamp {sign}= ({here})"
                f" AND m.id {sign} :id ORDER BY m.timestamp {order}, m.id {order} LIMIT 1",
                {"key": key, "id": id_},
            )
            pair.append(row[0] if row else None)
        found[id_] = (pair[0], pair[1])
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

"""The messages of a session: first an outline of all, then bodies for those in sight.

Ordered by id: clocks step backwards. Kept out unless asked for are rows that the agent rewound,
those for the model alone, and copies: where the agent numbers rows by the first one that says the
same, one stands for all, in that place.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
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
from explorer.store.hermes.display import NOTICES, SEEN, unseen
from explorer.store.hermes.notices import notice, reactions
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
    "display_kind",
    "display_metadata",
    "_compressed_summary",
)
OutlineRow = tuple[
    int, object, object, int | None, int, int, object, object, object, object, object
]
NEAR = 8
"""Messages on either side among which one is looked for that a person is meant to see."""
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
    rows = _outline_rows(reader, str(UNKNOWN), among, ids)
    orders = {row[-1] for row in rows if isinstance(row[-1], int)}
    if orders and not rewound:
        # Which of several copies is shown may be decided by one that comes much later.
        same = f"{OF_SESSION} AND m.display_order IN ({','.join('?' * len(orders))})"
        same += f" AND (m.active = 1 OR m.compacted = 1) AND NOT {among}"
        rows += _outline_rows(reader, str(UNKNOWN), same, (key, *orders, *ids))
    return _outlines(rows, key, rewound), False


def _outline_rows(reader: Reader, size: str, where: str, values: Sequence[int]) -> list[OutlineRow]:
    columns = reader.schema.pick(
        "messages", "m", ("tool_call_id", "active", "compacted", "display_kind", "display_order")
    )
    return reader.rows(
        f"SELECT m.id, m.role, m.timestamp, {size}, m.tool_calls IS NOT NULL,"
        f" {unseen(reader.schema)}, {columns} FROM messages m WHERE {where} ORDER BY m.id",
        values,
    )


def _outlines(rows: list[OutlineRow], key: int, rewound: bool) -> list[Outline]:
    # There are two or three states in a session, and it may have 35,000 messages.
    state_of = cache(message_state)
    found = [
        Outline(
            id_,
            key,
            cells.words(role),
            cells.seconds(time),
            length or 0,
            bool(calls),
            cells.text(call_id),
            state,
            unsaid=bool(hidden or kind in NOTICES),
        )
        for id_, role, time, length, calls, hidden, call_id, active, compacted, kind, _ in rows
        if ((state := state_of(active, compacted)) is not MessageState.REWOUND and not hidden)
        or rewound
    ]
    copies = any(row[-1] is not None and row[-1] != row[0] for row in rows)
    return found if rewound or not copies else _each_once(found, {row[0]: row[-1] for row in rows})


def _each_once(outlines: Sequence[Outline], orders: Mapping[int, object]) -> list[Outline]:
    """One of all rows with the same order, in its place: a live one rather than one that was
    compressed, then the newest. A row without an order stands for itself."""
    groups: dict[tuple[int, bool], list[Outline]] = {}
    for one in outlines:
        order = orders[one.id]
        known = isinstance(order, int)
        groups.setdefault((order if isinstance(order, int) else one.id, known), []).append(one)
    return [
        max(same, key=_preferred)._replace(repeats=len(same)) for _, same in sorted(groups.items())
    ]


def _preferred(one: Outline) -> tuple[bool, int]:
    return one.state is MessageState.LIVE, one.id


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
    """The messages with these ids, in their order."""
    columns = f"{reader.schema.pick('messages', 'm', BODY)}, {unseen(reader.schema)}"
    found: dict[int, Message] = {}
    for batch in batches(ids):
        places = ",".join("?" * len(batch))
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
        places = ",".join("?" * len(batch))
        found.update(
            reader.column(f"SELECT m.id FROM messages m WHERE m.id IN ({places}) AND {test}", batch)
        )
    return found.difference(ids)


def message_state(active: object, compacted: object) -> MessageState:
    if cells.flag(active, default=True):
        return MessageState.LIVE
    return MessageState.COMPACTED if cells.flag(compacted, default=False) else MessageState.REWOUND


def _message(row: tuple[object, ...], schema: Schema) -> Message:
    cell = dict(zip(BODY, row, strict=False))
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
        display=cells.text(cell["display_kind"]),
        notice=notice(cell["display_kind"], cell["display_metadata"], text),
        unseen=bool(row[-1]),
        summary=cells.flag(cell["_compressed_summary"], default=False),
        reactions=reactions(cell["display_metadata"]),
    )

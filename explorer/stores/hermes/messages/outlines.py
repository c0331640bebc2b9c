"""The outline of a session: every message without its body.

Ordered by id: clocks step backwards. Kept out unless asked for are rows that the agent rewound,
those for the model alone, and copies: where the agent numbers rows by the first one that says the
same, one stands for all, in that place.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from explorer.model import UNKNOWN, MessageState, Outline
from explorer.stores.hermes.messages.bodies import OF_SESSION
from explorer.stores.hermes.messages.visible import message_state, unsaid, unseen
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.parameters import placeholders
from explorer.stores.sqlite.read_only import Reader

_PLACES = "idx_messages_display_page"
"""The index by which copies are found."""


class _Mark(NamedTuple):
    """What is special about a row: as a rule there are few."""

    unsaid: bool
    unseen: bool
    place: tuple[int, bool] | None
    """Where it belongs, if not at its own id; True beside a row that stands there for itself."""


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
    if not rewound and _PLACES in reader.schema.indices:
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
        max(same, key=_preferred)._replace(repeats=len(same)) for _, same in sorted(groups.items())
    ]


def _preferred(one: Outline) -> tuple[bool, int]:
    return one.state is MessageState.LIVE, one.id

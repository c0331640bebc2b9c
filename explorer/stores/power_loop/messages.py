"""The messages of a session: their outlines in logical order, and their bodies."""

from collections.abc import Sequence

from explorer.model import Message, MessageState, Outline
from explorer.stores.content import Said, parts_text, reasoning_text, tool_calls, what_was_said
from explorer.stores.power_loop.tables import Tables, message_state
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import MOST_BOUND, placeholders
from explorer.stores.table_reader import TableReader


def outlines(reader: TableReader, tables: Tables, key: int, rewound: bool) -> list[Outline]:
    """In logical order: a note that replaces folded messages has the place of these."""
    flavour = tables.flavour
    rows = reader.rows(
        f"SELECT {flavour.seq}, m.role, m.created_at, {flavour.size('m.content')},"
        " m.tool_calls_json IS NOT NULL, m.tool_call_id, m.state, m.meta_json"
        f" FROM {tables.messages} m WHERE {tables.of_session} ORDER BY m.seq",
        (tables.handle(key),),
    )
    rows.sort(key=lambda row: _place(row[0], row[7]))
    return [
        Outline(
            id=seq,
            session_key=key,
            role=cells.words(role),
            timestamp=cells.seconds(time),
            size=size or 0,
            calls=bool(calls),
            tool_call_id=cells.text(call_id),
            state=message_state(state),
        )
        for seq, role, time, size, calls, call_id, state, _ in rows
        if rewound or message_state(state) is not MessageState.REWOUND
    ]


def _place(seq: object, meta: object) -> tuple[float, bool]:
    """Where a message belongs; a note comes before the first message that it replaces."""
    place = cells.number(cells.mapping(meta).get("ord"))
    return ((cells.number(seq) or 0.0), True) if place is None else (place, False)


def bodies(reader: TableReader, tables: Tables, key: int, ids: Sequence[int]) -> list[Message]:
    """The messages with these numbers, in this order; what is gone is missing."""
    places = placeholders(ids) if len(ids) <= MOST_BOUND else ""
    chosen = f"AND {tables.flavour.seq} IN ({places})" if places else ""
    rows = reader.rows(
        f"SELECT {tables.body(reader.schema)} FROM {tables.messages} m WHERE"
        f" {tables.of_session} {chosen} ORDER BY m.seq",
        (tables.handle(key), *(ids if places else ())),
    )
    wanted = set(ids)
    found = {row[0]: message(row) for row in rows if row[0] in wanted}
    return [found[id_] for id_ in ids if id_ in found]


def told(reader: TableReader, tables: Tables, id_: str) -> list[Message]:
    """Every message that names a session, whether its row is there or not."""
    return [
        message(row)
        for row in reader.rows(
            f"SELECT {tables.body(reader.schema)} FROM {tables.messages} m"
            " WHERE m.session_id = ? ORDER BY m.seq",
            (id_,),
        )
    ]


def message(row: Sequence[object]) -> Message:
    """A row of the body columns as a message; content is JSON only where its meta says so."""
    seq, session_id, role, time, content, calls, call_id, name, state, meta = row
    about = cells.mapping(meta)
    text = content_of(content, about)
    kept = (about.get("reasoning"), about.get("reasoning_content"))
    if role == "assistant":
        found = what_was_said(text, kept)
    else:
        found = Said(text, *reasoning_text(kept, None, None))
    return Message(
        id=cells.integer(seq) or 0,
        session_id=cells.words(session_id),
        role=cells.words(role),
        timestamp=cells.seconds(time),
        text=found.text,
        reasoning=found.reasoning,
        opaque_reasoning=found.opaque,
        thoughts=found.thoughts,
        tool_calls=tool_calls(calls),
        tool_call_id=cells.text(call_id),
        tool_name=cells.text(name),
        finish_reason=cells.text(about.get("finish_reason")),
        state=message_state(state),
    )


def content_of(content: object, about: dict[str, object]) -> str:
    """The text of a content cell, by what is said about it."""
    text = cells.words(content)
    if about.get("content_encoding") != "json":
        return text
    value = cells.decoded(text)
    return text if value is cells.BROKEN else parts_text(value)

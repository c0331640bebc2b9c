"""The messages of a session: their outlines in logical order, and their bodies."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from explorer.model import Folded, Message, MessageState, Outline
from explorer.stores.content import (
    Said,
    content_text,
    parts_text,
    reasoning_text,
    tool_calls,
    what_was_said,
)
from explorer.stores.power_loop.tables import NOTE, Tables, message_state
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import MOST_BOUND, placeholders
from explorer.stores.table_reader import TableReader

SUBAGENT_DONE = "Subagent finished"
NOTICES = {
    "task_done": "Background task finished",
    "reminder": "Reminder",
    "relay": "Handed over by another agent",
}
"""By the kind of what was put before the model."""
PENDING_READ = 200_000
"""Bytes of what a session waits for."""


def outlines(reader: TableReader, tables: Tables, key: int, rewound: bool) -> list[Outline]:
    """In logical order: a note that replaces folded messages has the place of these."""
    flavour = tables.flavour
    rows = reader.rows(
        f"SELECT {flavour.seq}, m.role, m.created_at, {flavour.size('m.content')},"
        " m.tool_calls_json IS NOT NULL, m.tool_call_id, m.state, m.meta_json"
        f" FROM {tables.messages} m WHERE {tables.of_session} ORDER BY m.seq",
        (tables.handle(key),),
    )
    notes = _compactions(reader, tables, key)
    awaited = pending_calls(reader, tables, key)
    places = {row[0]: _place(row[0], row[7], notes.get(row[0])) for row in rows}
    counts = _folded(notes, rows, places)
    rows.sort(key=lambda row: places[row[0]])
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
            folded=counts.get(seq),
            unsaid=bool(notice(cells.mapping(meta))),
            awaits=awaited.names if awaited and awaited.seq == seq else (),
        )
        for seq, role, time, size, calls, call_id, state, meta in rows
        if rewound or message_state(state) is not MessageState.REWOUND
    ]


class Compaction(NamedTuple):
    """A row that says what was compressed: the first and the last message are only bounds."""

    first: int
    last: int
    before: int | None
    after: int | None


def _compactions(reader: TableReader, tables: Tables, key: int) -> dict[int, Compaction]:
    """By the number of the note."""
    if not tables.has(reader.schema, "compactions", "session_id", "note_seq", "from_seq", "to_seq"):
        return {}
    tokens = tables.pick(reader.schema, "compactions", "m", ("before_tokens", "after_tokens"))
    rows = reader.rows(
        f"SELECT m.note_seq, m.from_seq, m.to_seq, {tokens} FROM {tables.sql('compactions')} m"
        f" WHERE {tables.of_session} ORDER BY m.compact_seq",
        (tables.handle(key),),
    )
    return {
        note: Compaction(first, last, cells.integer(before), cells.integer(after))
        for note, first, last, before, after in rows
        if all(isinstance(cell, int) for cell in (note, first, last))
    }


Place = tuple[float, bool, float]
"""Where a message belongs: before which number, that number itself last, and of several notes
before the same one the latest first, since it stands for the others too."""


def _folded(
    notes: Mapping[int, Compaction],
    rows: Sequence[Sequence[object]],
    places: Mapping[object, Place],
) -> dict[int, Folded]:
    """What each note stands for: the compressed messages within its bounds that no earlier note
    stands for, as far as the next note has not begun at one of them. A note is put among the
    messages before those that are left, so the bounds of the next one reach beyond these."""
    left = {
        seq
        for seq, *_, state, _ in rows
        if isinstance(seq, int) and message_state(state) is MessageState.COMPACTED
    }
    found: dict[int, Folded] = {}
    later = list(notes.items())
    for at, (note, (first, last, before, after)) in enumerate(notes.items()):
        begins = [places.get(next_.first, (float(next_.first),))[0] for _, next_ in later[at + 1 :]]
        end = min((place for place in begins if first < place <= last), default=float("inf"))
        inside = {seq for seq in left if first <= seq <= last and places[seq][0] < end}
        found[note] = Folded(len(inside), before, after)
        left -= inside
    return found


def _place(seq: object, meta: object, note: Compaction | None) -> Place:
    place = cells.number(cells.mapping(meta).get("ord"))
    if place is None and note is not None:
        # Early releases did not write down the place.
        place = float(note.first)
    number = cells.number(seq) or 0.0
    return (number, True, 0.0) if place is None else (place, False, -number)


class Pending(NamedTuple):
    """What an interrupted session waits for."""

    seq: int
    """The message that called the tools."""
    names: tuple[str, ...]


def pending_calls(reader: TableReader, tables: Tables, key: int) -> Pending | None:
    """The calls in the middle of which a session was interrupted; None where it was not."""
    if not tables.has(reader.schema, "session_state", "session_id", "pending_json"):
        return None
    head = tables.flavour.head("m.pending_json", PENDING_READ)
    sql = f"SELECT {head} FROM {tables.sql('session_state')} m WHERE {tables.of_session}"
    cell = reader.value(sql, (tables.handle(key),))
    return pending_in(cell) if cell else None


def pending_in(cell: object) -> Pending:
    """What a cell says; of one that cannot be read only that there is something."""
    told = cells.mapping(cell)
    seq = cells.integer(told.get("assistant_seq")) or 0
    calls = told.get("tool_calls")
    named = tool_calls(json.dumps(calls)) if isinstance(calls, list) else ()
    ids = told.get("tool_call_ids")
    unnamed = len(ids) if isinstance(ids, list) else 1
    return Pending(seq, tuple(call.name for call in named) or ("a tool",) * max(unnamed, 1))


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
    found = {row[0]: message(row, tables.marks) for row in rows if row[0] in wanted}
    return [found[id_] for id_ in ids if id_ in found]


def told(reader: TableReader, tables: Tables, id_: str) -> list[Message]:
    """Every message that names a session, whether its row is there or not."""
    return [
        message(row, tables.marks)
        for row in reader.rows(
            f"SELECT {tables.body(reader.schema)} FROM {tables.messages} m"
            " WHERE m.session_id = ? ORDER BY m.seq",
            (id_,),
        )
    ]


def message(row: Sequence[object], marks: bool) -> Message:
    """A row of the body columns as a message."""
    seq, session_id, role, time, content, calls, call_id, name, state, meta = row
    about = cells.mapping(meta)
    text = content_of(content, about, marks)
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
        notice=notice(about),
        summary=name == NOTE,
    )


def notice(about: dict[str, object]) -> str:
    """The words for a message that nobody said: power-loop puts what comes from elsewhere before
    the model as if the user had said it, and notes what it is. Empty for an ordinary message."""
    inbox = about.get("inbox")
    kinds = inbox.get("kinds") if isinstance(inbox, dict) else None
    if not isinstance(inbox, dict) or not isinstance(kinds, list):
        return ""
    ids = inbox.get("item_ids")
    named = [cells.words(one) for one in ids] if isinstance(ids, list) else []
    if named and all(one.startswith("subagent:") for one in named):
        return SUBAGENT_DONE
    words = {NOTICES.get(cells.words(kind), "") for kind in kinds}
    return words.pop() if len(words) == 1 else ""


def content_of(content: object, about: dict[str, object], marks: bool) -> str:
    """The text of a content cell, by what is said about it: it is JSON where that says so, and in
    a set of tables without such `marks` where it has the form of parts."""
    text = cells.words(content)
    if about.get("content_encoding") != "json":
        return text if marks else content_text(text, bare_json=True)
    value = cells.decoded(text)
    return text if value is cells.BROKEN else parts_text(value)

"""The rows of one set of power-loop tables, as sessions, outlines and messages."""

from collections.abc import Iterator, Mapping, Sequence

from explorer.model import Kind, Message, MessageState, Outline, Session, State, state_of
from explorer.stores.candidates import Candidate, Needles, Stretch
from explorer.stores.catalog import Link
from explorer.stores.content import parts_text, reasoning_text, said, split_thinking, tool_calls
from explorer.stores.power_loop.tables import SEQ, Tables
from explorer.stores.small_store import SessionRow
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.schema import Schema
from explorer.stores.sqlite.spelling import may_hold

SOURCE = "power-loop"
"""power-loop keeps no source: all its sessions come from programs that embed it."""

_SEARCHED = ("content", "tool_calls_json", "name", "meta_json")
"""Columns that hold what somebody may look for."""
DROPPED = "dropped"
"""The state of a message that a repair of the history took out."""


def survey(reader: Reader, tables: Tables) -> Iterator[SessionRow]:
    """Every session of one set of tables."""
    rows = reader.rows(
        "SELECT s.rowid, s.session_id, s.created_at, s.kind, s.status, s.parent_session_id,"
        f" (SELECT max(m.created_at) FROM {tables.messages} m"
        f" WHERE m.session_id = s.session_id) FROM {tables.sessions} s"
    )
    owner = {cells.words(row[1]): tables.key(row[0]) for row in rows}
    for number, id_, created, kind, status, parent, newest in rows:
        key = tables.key(number)
        above = owner.get(cells.words(parent))
        helper = Link(Kind.SUBAGENT, above if above != key else None)
        yield SessionRow(
            key=key,
            id=cells.words(id_),
            started_at=cells.seconds(created),
            newest=None if newest is None else cells.seconds(newest) or 0.0,
            link=helper if kind == "subagent" else None,
            archived=status == "archived",
        )


def sessions(reader: Reader, tables: Tables, keys: Sequence[int], now: float) -> list[Session]:
    wanted = [tables.row(key) for key in keys if tables.owns(key)]
    leases = tables.leases(reader.rows, reader.schema)
    found = []
    for row in wanted:
        cells_of = reader.row(
            "SELECT s.session_id, s.created_at, s.model, s.status, s.kind, s.parent_session_id,"
            f" s.metadata_json FROM {tables.sessions} s WHERE s.rowid = ?",
            (row,),
        )
        if cells_of is not None:
            found.append(_session(reader, tables, row, cells_of, leases, now))
    return found


def _session(
    reader: Reader,
    tables: Tables,
    row: int,
    cell: Sequence[object],
    leases: Mapping[str, float],
    now: float,
) -> Session:
    id_ = cells.words(cell[0])
    count, calls, newest = reader.row(
        "SELECT count(*), sum(m.role = 'tool'), max(m.created_at)"
        f" FROM {tables.messages} m WHERE {tables.of_session}",
        (row,),
    )
    prompt, completion = _usage(reader, tables, id_)
    last = cells.seconds(newest) or cells.seconds(cell[1])
    held_until = leases.get(id_, 0.0)
    state = state_of(last_active=last, ended=False, held_until=held_until, now=now)
    title = cells.text(cells.mapping(cell[6]).get("title"))
    return Session(
        key=tables.key(row),
        id=id_,
        title=title or None,
        source=SOURCE,
        model=cells.text(cell[2]),
        started_at=cells.seconds(cell[1]),
        last_active=last,
        ended_at=None,
        end_reason=None,
        message_count=cells.amount(count),
        tool_call_count=cells.amount(calls),
        preview=_glimpse(reader, tables, row, "user", "ASC"),
        last_reply=_glimpse(reader, tables, row, "assistant", "DESC"),
        kind=Kind.SUBAGENT if cell[4] == "subagent" else Kind.ROOT,
        state=state,
        parent_id=cells.text(cell[5]),
        root_id=id_,
        tip_id=id_,
        parts=1,
        archived=cell[3] == "archived",
        input_tokens=prompt,
        output_tokens=completion,
        broken_off=state is not State.RUNNING and _pending(reader, tables, id_),
    )


def _pending(reader: Reader, tables: Tables, id_: str) -> bool:
    """Whether it stopped in the middle of a tool call, and waits to be resumed."""
    table = f"{tables.prefix}session_state"
    if not reader.schema.has(table, "session_id", "pending_json"):
        return False
    sql = f'SELECT t.pending_json FROM "{table}" t WHERE t.session_id = ?'
    return bool(cells.text(reader.value(sql, (id_,))))


def usage_tables(schema: Schema, tables: Tables) -> list[str]:
    """Where tokens are counted; the first that knows a session is right."""
    known = (f"{tables.prefix}session_stats", f"{tables.prefix}usage_rounds")
    columns = ("session_id", "prompt_tokens", "completion_tokens")
    return [table for table in known if schema.has(table, *columns)]


def _usage(reader: Reader, tables: Tables, id_: str) -> tuple[int | None, int | None]:
    for table in usage_tables(reader.schema, tables):
        row = reader.row(
            # Not sum(): that fails when the figures are too great.
            "SELECT count(*), total(t.prompt_tokens), total(t.completion_tokens)"
            f' FROM "{table}" t WHERE t.session_id = ?',
            (id_,),
        )
        if row[0]:
            return cells.integer(row[1]), cells.integer(row[2])
    return None, None


def _glimpse(reader: Reader, tables: Tables, row: int, role: str, order: str) -> str:
    rows = reader.rows(
        f"SELECT {tables.body(reader.schema)} FROM {tables.messages} m WHERE"
        f" {tables.of_session} AND m.role = ? ORDER BY m.seq {order} LIMIT 6",
        (row, role),
    )
    return next(filter(None, (said(message(found).text) for found in rows)), "")


def outlines(reader: Reader, tables: Tables, key: int, rewound: bool) -> list[Outline]:
    """In logical order: a note that stands for folded messages carries the place it belongs."""
    rows = reader.rows(
        f"SELECT {SEQ}, m.role, m.created_at, length(CAST(m.content AS BLOB)),"
        " m.tool_calls_json IS NOT NULL, m.tool_call_id, m.state, m.meta_json"
        f" FROM {tables.messages} m WHERE {tables.of_session} ORDER BY m.seq",
        (tables.row(key),),
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
    """Where a message belongs; a note stands before the first of those it stands for."""
    place = cells.number(cells.mapping(meta).get("ord"))
    return ((cells.number(seq) or 0.0), True) if place is None else (place, False)


def message_state(cell: object) -> MessageState:
    if cell == "compacted_out":
        return MessageState.COMPACTED
    return MessageState.REWOUND if cell == DROPPED else MessageState.LIVE


def message(row: Sequence[object]) -> Message:
    """A row of the body columns as a message; content is JSON only where its meta says so."""
    seq, session_id, role, time, content, calls, call_id, name, state, meta = row
    text = cells.words(content)
    about = cells.mapping(meta)
    if about.get("content_encoding") == "json":
        value = cells.decoded(text)
        text = text if value is cells.BROKEN else parts_text(value)
    thinking = ""
    if role == "assistant":
        text, thinking = split_thinking(text)
    kept = (about.get("reasoning"), about.get("reasoning_content"))
    reasoning, opaque = reasoning_text((*kept, thinking), None, None)
    return Message(
        id=cells.integer(seq) or 0,
        session_id=cells.words(session_id),
        role=cells.words(role),
        timestamp=cells.seconds(time),
        text=text,
        reasoning=reasoning,
        opaque_reasoning=opaque,
        tool_calls=tool_calls(calls),
        tool_call_id=cells.text(call_id),
        tool_name=cells.text(name),
        finish_reason=cells.text(about.get("finish_reason")),
        state=message_state(state),
    )


def scanned(reader: Reader, sets: Sequence[Tables], needles: Needles) -> Stretch:
    """Every message that may hold the words, newest first; these files have no search table, and
    are small enough to be looked through in one go."""
    every: list[Candidate] = []
    left = "" if needles.rewound else f" AND m.state IS NOT '{DROPPED}'"
    for tables in sets:
        known = [name for name in _SEARCHED if reader.schema.has(f"{tables.prefix}messages", name)]
        present, values = may_hold([f'm."{name}"' for name in known], needles.groups)
        rows = reader.rows(
            f"SELECT m.created_at, {SEQ}, s.rowid, m.session_id FROM {tables.messages} m"
            f" LEFT JOIN {tables.sessions} s ON s.session_id = m.session_id WHERE {present}{left}"
            " ORDER BY m.created_at DESC, m.rowid DESC",
            values,
        )
        for time, seq, row, id_ in rows:
            key = None if row is None else tables.key(row)
            at = cells.seconds(time) or 0.0
            every.append(Candidate(seq, key, cells.words(id_), certain=False, at=at))
    every.sort(key=lambda found: -found.at)
    return Stretch(every, None, 1.0)

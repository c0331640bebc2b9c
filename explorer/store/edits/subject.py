"""A session as an edit sees it: what it is, who hangs on it, whether somebody is writing it.

Asked before an edit, for its plan, and again under the lock, when it is done.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.model import RUNNING_WITHIN, State
from explorer.store import cells
from explorer.store.edits.shape import Rows, Shape
from explorer.store.schema import Schema, quoted

AT_ONCE = 400
DELEGATE, BRANCH = "_delegate_from", "_branched_from"


class Subject(NamedTuple):
    """One row of the sessions."""

    row: int
    id: str
    sound: bool
    """The id is text that finds the row again; else nothing is done to it."""
    title: str | None
    source: str
    parent: str | None
    messages: int
    bytes: int
    last_active: float | None
    ended: bool
    end_reason: str
    archived: bool
    kind: str
    along: bool = False
    """It says of itself that it goes when its parent goes."""


_HERMES = (
    *("id", "title", "source", "parent_session_id", "started_at", "ended_at", "end_reason"),
    *("archived", "model_config"),
)
_POWER_LOOP = (
    *("session_id", "metadata_json", "kind", "parent_session_id", "created_at", "status"),
    "lifecycle",
)


def subjects(
    ask: Rows, schema: Schema, shape: Shape, column: str, values: Iterable[object]
) -> list[Subject]:
    """The sessions that have one of these values in a column (`rowid` for their number)."""
    wanted = _HERMES if shape.hermes else _POWER_LOOP
    picked = schema.pick(shape.sessions, "s", wanted)
    time = "timestamp" if shape.hermes else "created_at"
    of_it = f"FROM {quoted(shape.messages)} m WHERE m.session_id = s.{shape.id}"
    found = []
    for batch in _batches(values):
        rows = ask(
            f"SELECT s.rowid, typeof(s.{shape.id}), (SELECT count(*) {of_it}),"
            f" (SELECT total(length(CAST(m.content AS BLOB))) {of_it}),"
            f" (SELECT max(m.{time}) {of_it}), {picked} FROM {quoted(shape.sessions)} s"
            f" WHERE s.{column} IN ({','.join('?' * len(batch))})",
            batch,
        )
        make = _hermes if shape.hermes else _power_loop
        found += [make(row) for row in rows]
    return found


def _hermes(row: Sequence[object]) -> Subject:
    number, type_, count, size, newest, *rest = row
    cell = dict(zip(_HERMES, rest, strict=True))
    id_ = cells.words(cell["id"])
    marks = _marks(cell["model_config"])
    return Subject(
        row=cells.amount(number),
        id=id_,
        sound=cells.words(type_) == "text" and "\ufffd" not in id_,
        title=cells.text(cell["title"]),
        source=cells.words(cell["source"]),
        parent=cells.text(cell["parent_session_id"]),
        messages=cells.amount(count),
        bytes=cells.amount(size),
        last_active=cells.seconds(newest) or cells.seconds(cell["started_at"]),
        ended=cell["ended_at"] is not None,
        end_reason=cells.words(cell["end_reason"]),
        archived=cells.flag(cell["archived"], default=False),
        kind=_kind(cells.text(cell["parent_session_id"]), marks),
    )


def _kind(parent: str | None, marks: Mapping[str, object]) -> str:
    if marks.get(BRANCH):
        return "branch"
    return "subagent" if marks.get(DELEGATE) else "root" if parent is None else "child"


def _power_loop(row: Sequence[object]) -> Subject:
    number, type_, count, size, newest, *rest = row
    cell = dict(zip(_POWER_LOOP, rest, strict=True))
    id_ = cells.words(cell["session_id"])
    child = cells.words(cell["kind"]) == "subagent"
    return Subject(
        row=cells.amount(number),
        id=id_,
        sound=cells.words(type_) == "text" and "\ufffd" not in id_,
        title=cells.text(cells.mapping(cell["metadata_json"]).get("title")),
        source="power-loop",
        parent=cells.text(cell["parent_session_id"]),
        messages=cells.amount(count),
        bytes=cells.amount(size),
        last_active=cells.seconds(newest) or cells.seconds(cell["created_at"]),
        ended=False,
        end_reason="",
        archived=cells.words(cell["status"]) == "archived",
        kind="subagent" if child else "root",
        along=child and cells.words(cell["lifecycle"]) != "detached",
    )


def children(ask: Rows, schema: Schema, shape: Shape, ids: Collection[str]) -> list[Subject]:
    """The sessions that have one of these for a parent."""
    return subjects(ask, schema, shape, shape.parent, ids)


def marked_for(ask: Rows, shape: Shape) -> dict[str, list[int]]:
    """Rows of the subagents of each session, by what the agent itself noted: a branch that
    inherited such a note is no subagent."""
    if not shape.marks:
        return {}
    found: dict[str, list[int]] = {}
    rows = ask(
        f"SELECT s.rowid, s.model_config, s.parent_session_id FROM {quoted(shape.sessions)} s"
        " WHERE instr(s.model_config, ?)",
        (DELEGATE,),
    )
    for number, config, parent in rows:
        marks = _marks(config)
        owner = marks.get(DELEGATE)
        branched = marks.get(BRANCH) is not None and marks.get(BRANCH) == cells.text(parent)
        if isinstance(owner, str) and owner and not branched:
            found.setdefault(owner, []).append(cells.amount(number))
    return found


def held(ask: Rows, schema: Schema, shape: Shape) -> dict[str, float]:
    """Until when some process holds a session, by id."""
    prefix = shape.sessions.removesuffix("sessions")
    tables = (
        (("session_turn_leases", "conversation_id"), ("session_turn_leases", "session_id"))
        if shape.hermes
        else ((f"{prefix}session_leases", "session_id"),)
    )
    locks = (("compression_locks", "session_id"),) if shape.hermes else ()
    found: dict[str, float] = {}
    for table, column in (*tables, *locks):
        if schema.has(table, column, "expires_at"):
            for id_, until in ask(
                f"SELECT t.{quoted(column)}, t.expires_at FROM {quoted(table)} t", ()
            ):
                name = cells.words(id_)
                found[name] = max(cells.seconds(until) or 0.0, found.get(name, 0.0))
    return found


def state(subject: Subject, leases: Mapping[str, float], now: float) -> State:
    """Whether somebody may be writing it."""
    if leases.get(subject.id, 0.0) > now:
        return State.RUNNING
    if subject.ended:
        return State.ENDED
    recent = subject.last_active is not None and now - subject.last_active < RUNNING_WITHIN
    return State.RUNNING if recent else State.OPEN


def _marks(cell: object) -> Mapping[str, object]:
    text = cells.text(cell)
    return cells.mapping(text) if text and "_from" in text else {}


def _batches(values: Iterable[object]) -> Iterator[list[object]]:
    every = list(values)
    for start in range(0, len(every), AT_ONCE):
        yield every[start : start + AT_ONCE]

"""A session as an edit sees it: what it is, who hangs on it, whether somebody is writing it.

Asked before an edit, for its plan, and again under the lock, when it is done: so no question here
reads the messages of a session but that for its size, which only a plan asks.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.model import RUNNING_WITHIN, State
from explorer.store import cells
from explorer.store.edits.images import Rows
from explorer.store.edits.shape import Shape
from explorer.store.hermes.links import BRANCH, DELEGATE, RESET, RESET_REASONS, marks_in
from explorer.store.hermes.survey import batches, latest
from explorer.store.hermes.turns import hermes_leases
from explorer.store.leases import power_loop_leases
from explorer.store.schema import Schema, quoted

RESET_CHILD = "reset"
"""The kind of a session with which a chat began anew."""
APART = ("branch", RESET_CHILD)
"""Children that are conversations of their own."""


class Subject(NamedTuple):
    """One row of the sessions."""

    row: int
    id: str
    sound: bool
    """The id is text that finds the row again; else nothing is done to it."""
    title: str | None
    source: str
    parent: str | None
    last_active: float | None
    ended: bool
    end_reason: str
    archived: bool
    kind: str
    along: bool = False
    """It says of itself that it goes when its parent goes."""
    hidden: bool = False
    pinned: bool = False
    swept: bool = False
    """The agent archived it by itself, and takes that back when it is used again."""


class Size(NamedTuple):
    """How much there is of a session."""

    messages: int
    bytes: int


_HERMES = (
    *("id", "title", "source", "parent_session_id", "started_at", "ended_at", "end_reason"),
    *("archived", "model_config", "last_activity_at", "hidden", "pinned", "auto_archived"),
    "session_key",
)
_PARENT = ("end_reason", "session_key")
_POWER_LOOP = (
    *("session_id", "metadata_json", "kind", "parent_session_id", "created_at", "status"),
    "lifecycle",
)


def subjects(
    ask: Rows, schema: Schema, shape: Shape, column: str, values: Iterable[object]
) -> list[Subject]:
    """The sessions that have one of these values in a column (`rowid` for their number)."""
    wanted = _HERMES if shape.hermes else _POWER_LOOP
    picked, above = schema.pick(shape.sessions, "s", wanted), ""
    if shape.hermes:
        picked = f"{picked}, {schema.pick(shape.sessions, 'p', _PARENT)}"
        above = " LEFT JOIN sessions p ON p.id = s.parent_session_id"
    # By an index each; power-loop has none on times, and its newest message is the last one.
    newest, last = "max(m.timestamp)", ""
    if not shape.hermes:
        newest, last = "m.created_at", f"ORDER BY m.{shape.order} DESC LIMIT 1"
    of_it = f"FROM {quoted(shape.messages)} m WHERE m.session_id = s.{shape.id} {last}"
    found = []
    for batch in batches(values):
        rows = ask(
            f"SELECT s.rowid, typeof(s.{shape.id}), (SELECT {newest} {of_it}), {picked}"
            f" FROM {quoted(shape.sessions)} s{above}"
            f" WHERE s.{column} IN ({','.join('?' * len(batch))})",
            batch,
        )
        make = _hermes if shape.hermes else _power_loop
        found += [make(row) for row in rows]
    return found


def sizes(ask: Rows, shape: Shape, ids: Iterable[str]) -> dict[str, Size]:
    """How much there is of each session, by id: this reads all of their messages."""
    found = {}
    for id_ in ids:
        ((count, size),) = ask(
            "SELECT count(*), total(length(CAST(m.content AS BLOB)))"
            f" FROM {quoted(shape.messages)} m WHERE m.session_id = ?",
            (id_,),
        )
        found[id_] = Size(cells.amount(count), cells.amount(size))
    return found


def _hermes(row: Sequence[object]) -> Subject:
    number, type_, newest, *rest = row
    *rest, parent_ended, parent_key = rest
    cell = dict(zip(_HERMES, rest, strict=True))
    id_, parent = cells.words(cell["id"]), cells.text(cell["parent_session_id"])
    key = cells.text(cell["session_key"])
    reset = (
        key is not None
        and key == cells.text(parent_key)
        and cells.words(parent_ended) in RESET_REASONS
    )
    return Subject(
        row=_row(number),
        id=id_,
        sound=cells.words(type_) == "text" and "\ufffd" not in id_,
        title=cells.text(cell["title"]),
        source=cells.words(cell["source"]),
        parent=parent,
        last_active=latest(cells.seconds(newest), cell["last_activity_at"])
        or cells.seconds(cell["started_at"]),
        ended=cell["ended_at"] is not None,
        end_reason=cells.words(cell["end_reason"]),
        archived=cells.flag(cell["archived"], default=False),
        kind=_kind(parent, marks_in(cell["model_config"]), reset),
        hidden=cells.flag(cell["hidden"], default=False),
        pinned=cells.flag(cell["pinned"], default=False),
        swept=cells.flag(cell["auto_archived"], default=False),
    )


def _row(number: object) -> int:
    """The number of a row, which may be less than zero."""
    assert isinstance(number, int)
    return number


def _kind(parent: str | None, marks: Mapping[str, object], reset: bool) -> str:
    if marks.get(BRANCH):
        return "branch"
    if marks.get(DELEGATE):
        return "subagent"
    if parent is None:
        return "root"
    return RESET_CHILD if reset or marks.get(RESET) == parent else "child"


def _power_loop(row: Sequence[object]) -> Subject:
    number, type_, newest, *rest = row
    cell = dict(zip(_POWER_LOOP, rest, strict=True))
    id_ = cells.words(cell["session_id"])
    child = cells.words(cell["kind"]) == "subagent"
    return Subject(
        row=_row(number),
        id=id_,
        sound=cells.words(type_) == "text" and "\ufffd" not in id_,
        title=cells.text(cells.mapping(cell["metadata_json"]).get("title")),
        source="power-loop",
        parent=cells.text(cell["parent_session_id"]),
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
        marks = marks_in(config)
        owner = marks.get(DELEGATE)
        branched = marks.get(BRANCH) is not None and marks.get(BRANCH) == cells.text(parent)
        if isinstance(owner, str) and owner and not branched:
            found.setdefault(owner, []).append(_row(number))
    return found


def held(ask: Rows, schema: Schema, shape: Shape) -> dict[str, float]:
    """Until when some process holds a session, by id."""
    if shape.hermes:
        return hermes_leases(ask, schema)
    return power_loop_leases(ask, schema, shape.sessions.removesuffix("sessions"))


def running(
    ask: Rows, schema: Schema, shape: Shape, ids: Collection[str], now: float
) -> frozenset[str]:
    """Those of these sessions that somebody may be writing; some may not be there at all."""
    there = subjects(ask, schema, shape, shape.id, ids)
    leases_ = held(ask, schema, shape) if there else {}
    return frozenset(one.id for one in there if state(one, leases_, now) is State.RUNNING)


def state(subject: Subject, leases: Mapping[str, float], now: float) -> State:
    """Whether somebody may be writing it."""
    if leases.get(subject.id, 0.0) > now:
        return State.RUNNING
    if subject.ended:
        return State.ENDED
    recent = subject.last_active is not None and now - subject.last_active < RUNNING_WITHIN
    return State.RUNNING if recent else State.OPEN

"""What a parent link means: a continuation, a branch, a subagent, a chat that was reset; which
parts make a chain, and which of them a lease holds.

The agent marks children in the JSON of `model_config`, but only since schema 16, and a marker may
be inherited; before that the parent's end reason and the times decide. Circles and missing
parents occur: each session is reached exactly once, and nobody is lost.

A turn is noted under the first part of a conversation, while its newest part is written: so its
lease holds every part. The lock of a compression names the very session.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.model import Kind
from explorer.stores.catalog import Link, children
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.leases import Ask, later, leases
from explorer.stores.sqlite.schema import Schema, placeholders

ORPHANED = "__orphaned__"
"""The mark of an upgrade's guess that an ordinary session was a subagent's."""

DELEGATE = "_delegate_from"
BRANCH = "_branched_from"
RESET = "_reset_from"
RESET_REASONS = (
    *("session_reset", "session_switch", "idle", "daily", "suspended"),
    "resume_pending_expired",
)
"""Ends after which a chat of the gateway begins anew, in a child with the same key."""


class Ties(NamedTuple):
    """What the links of one session hang on; a tuple, since a big file has many thousands."""

    key: int
    id: str
    parent_id: str | None
    source: str
    model_config: object
    started_at: float | None
    ended_at: float | None
    end_reason: str | None
    last_active: float = 0.0
    session_key: str | None = None
    """The chat it belongs to, as the gateway names it."""


def links(rows: Iterable[Ties], markers: bool) -> dict[int, Link]:
    """The link of every session that has one. `rows` are all children, their parents, and all
    marked sessions; `markers` says that this agent marks its children (schema 16 and later)."""
    everyone = {row.id: row for row in rows}
    found: dict[int, Link] = {}
    for row in everyone.values():
        parent = everyone.get(row.parent_id) if row.parent_id not in (None, row.id) else None
        marks = marks_in(row.model_config)
        if parent is None:
            link = _unparented(row, marks)
        else:
            link = Link(_kind(row, parent, marks, markers), parent.key)
        if link:
            found[row.key] = link
    _break_circles(found)
    return found


def chains(found: Mapping[int, Link], ties: Mapping[int, Ties]) -> list[tuple[int, ...]]:
    """Conversations of several parts: in the order they were started, the tip last."""
    continued = children(found, Kind.CONTINUATION)
    result = []
    for root in continued:
        own = found.get(root)
        if own is None or own.kind is not Kind.CONTINUATION or own.parent is None:
            members = _members(root, continued)
            tip = _tip(root, continued, ties)
            rest = sorted(
                (key for key in members if key not in (root, tip)),
                key=lambda key: (ties[key].started_at or 0.0, key),
            )
            result.append((root, *rest, tip))
    return result


def _unparented(row: Ties, marks: Mapping[str, object]) -> Link | None:
    mark = marks.get(DELEGATE)
    if mark == ORPHANED:
        return Link(Kind.ROOT, None, restored=True)
    return Link(Kind.SUBAGENT, None) if isinstance(mark, str) and mark else None


def _kind(row: Ties, parent: Ties, marks: Mapping[str, object], markers: bool) -> Kind:
    if marks.get(BRANCH) == parent.id:
        return Kind.BRANCH
    if marks.get(DELEGATE) == parent.id:
        return Kind.SUBAGENT
    if marks.get(RESET) == parent.id:
        return Kind.ROOT
    after = (row.started_at or 0.0) >= (parent.ended_at or 0.0)
    # Markers that name somebody else were inherited along a chain.
    if parent.end_reason == "compression" and row.source != "tool" and (markers or after):
        return Kind.CONTINUATION
    if marks.get(BRANCH) or (parent.end_reason == "branched" and after):
        return Kind.BRANCH
    return Kind.ROOT if marks.get(RESET) or _reset(row, parent) else Kind.SUBAGENT


def _reset(row: Ties, parent: Ties) -> bool:
    """Whether a chat was reset and began anew with this one: before there was a mark for it, both
    having the very same chat tells."""
    same_chat = row.session_key is not None and row.session_key == parent.session_key
    return same_chat and parent.end_reason in RESET_REASONS


def marks_in(cell: object) -> Mapping[str, object]:
    source = cells.text(cell)
    return cells.mapping(source) if source and "_from" in source else {}


def _break_circles(found: dict[int, Link]) -> None:
    """Where parents lead round in a circle, the first one met becomes a root."""
    settled: set[int] = set()
    for start in list(found):
        path: dict[int, None] = {}
        key: int | None = start
        while key is not None and key not in settled and key in found:
            if key in path:
                found[key] = Link(Kind.ROOT, None)
                break
            path[key] = None
            key = found[key].parent
        settled.update(path)


def _members(root: int, continued: Mapping[int, Sequence[int]]) -> list[int]:
    members, waiting = [], [root]
    while waiting:
        key = waiting.pop()
        members.append(key)
        waiting += continued.get(key, ())
    return members


def _tip(root: int, continued: Mapping[int, Sequence[int]], ties: Mapping[int, Ties]) -> int:
    """Follow, at each fork, the child the agent would follow when it resumes."""
    key = root
    while key in continued:
        key = max(continued[key], key=lambda child: _promise(ties[child]))
    return key


def _promise(row: Ties) -> tuple[int, float, float, str]:
    still_open = int(row.ended_at is None)
    rank = 2 if row.end_reason == "compression" else still_open
    return rank, row.last_active, row.started_at or 0.0, row.id


GENERATIONS = 100


def hermes_leases(ask: Ask, schema: Schema) -> dict[str, float]:
    """Until when a process holds a session, by id."""
    held = leases(ask, schema, "compression_locks", "session_id")
    for column in ("conversation_id", "session_id"):
        turns = leases(ask, schema, "session_turn_leases", column)
        held = later(held, _with_later_parts(ask, turns))
    return held


def _with_later_parts(ask: Ask, held: Mapping[str, float]) -> dict[str, float]:
    """The same, for whatever continues these sessions too."""
    found = dict(held)
    fresh = list(held)
    for _ in range(GENERATIONS):
        if not fresh:
            break
        rows = ask(
            "SELECT c.id, p.id, c.model_config FROM sessions p"
            " JOIN sessions c ON c.parent_session_id = p.id"
            f" WHERE p.end_reason = 'compression' AND p.id IN ({placeholders(fresh)})",
            fresh,
        )
        parts: dict[str, float] = {}
        for cell, above, config in rows:
            parent, marks = cells.words(above), marks_in(config)
            if parent in found and parent not in map(marks.get, (BRANCH, DELEGATE, RESET)):
                parts[cells.words(cell)] = found[parent]
        fresh = [id_ for id_ in parts if id_ not in found]
        found = later(found, parts)
    return found

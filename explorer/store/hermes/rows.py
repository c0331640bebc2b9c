"""The rows in sight: everything a list shows of a few sessions.

Columns are read for these rows only, and of the messages just the first and the last few, cut
before they leave SQLite: a cell may hold 50 MB.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.model import RUNNING_WITHIN, Session, State
from explorer.render.outcome import failed
from explorer.store import cells
from explorer.store.catalog import Unit
from explorer.store.content import content_text, message_items_text, split_thinking
from explorer.store.hermes.survey import batches, latest, newest_time
from explorer.store.hermes.turns import hermes_leases
from explorer.store.preview import said
from explorer.store.read_only import Reader

COLUMNS = (
    "id",
    "title",
    "source",
    "model",
    "started_at",
    "ended_at",
    "end_reason",
    "message_count",
    "tool_call_count",
    "parent_session_id",
    "archived",
    "profile_name",
    "cwd",
    "git_branch",
    "input_tokens",
    "output_tokens",
    "estimated_cost_usd",
    "actual_cost_usd",
    "cost_status",
    "hidden",
    "pinned",
    "last_read_at",
    "title_source",
    "last_activity_at",
)
PREVIEW_BYTES = 6000
"""Read of a message for its preview: scaffolding before the first words included."""
FIRST_FEW = (3, 24)
LAST_FEW = (2, 16)
CUT = ("length", "error", "content_filter", "interrupted", "cancelled")
"""Messages looked at: a few, and only if those say nothing, some more."""

_TEXT_PART = r'"text": ?"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)'
_COST = ("actual_cost_usd", "estimated_cost_usd", "cost_status")
_UNKNOWN_COST = {"unknown", "included", "none", "unavailable", ""}


class _Raw(NamedTuple):
    """One session row by column name."""

    key: int
    cell: Mapping[str, object]
    last_active: float | None

    def text(self, column: str) -> str | None:
        return cells.text(self.cell[column]) or None

    @property
    def id(self) -> str:
        return cells.words(self.cell["id"])


def sessions(reader: Reader, units: Sequence[Unit], now: float) -> list[Session]:
    """The sessions of these units, in their order; a unit that is gone is left out."""
    found = _read(reader, {key for unit in units for key in (*unit.parts, *_ends(unit))})
    until = hermes_leases(reader.rows, reader.schema)
    held = frozenset(id_ for id_, time in until.items() if time > now)
    result = []
    for unit in units:
        parts = [found[key] for key in unit.parts if key in found]
        if unit.key in found and parts:
            session = _session(reader, unit, parts, found[unit.key], held, now)
            ends = [found[key].id for key in _ends(unit) if key in found]
            if len(ends) == 2:
                session = session._replace(root_id=ends[0], tip_id=ends[1])
            result.append(session)
    return result


def _ends(unit: Unit) -> tuple[int, ...]:
    """Root and tip of the conversation that a unit is only a part of."""
    return (unit.whole[0], unit.whole[-1]) if unit.whole else ()


def _read(reader: Reader, keys: Iterable[int]) -> dict[int, _Raw]:
    columns = reader.schema.pick("sessions", "s", COLUMNS)
    found: dict[int, _Raw] = {}
    for batch in batches(keys):
        places = ",".join("?" * len(batch))
        for row in reader.rows(
            f"SELECT s.rowid, (SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id),"
            f" {columns} FROM sessions s WHERE s.rowid IN ({places})",
            batch,
        ):
            cell = dict(zip(COLUMNS, row[2:], strict=True))
            newest = newest_time(reader, row[0], row[1])
            found[row[0]] = _Raw(row[0], cell, latest(newest, cell["last_activity_at"]))
    return found


def _session(
    reader: Reader,
    unit: Unit,
    parts: Sequence[_Raw],
    tip: _Raw,
    held: frozenset[str],
    now: float,
) -> Session:
    root = parts[0]
    started = cells.seconds(root.cell["started_at"])
    times = [part.last_active for part in parts if part.last_active is not None]
    last_active = max(times) if times else cells.seconds(tip.cell["started_at"])
    cost, status = _cost(parts)
    state = _state(tip, parts, held, last_active, now)
    last_reply, broken_off = _last_words(reader, tip.key)
    return Session(
        key=tip.key,
        id=tip.id,
        title=tip.text("title") or root.text("title"),
        source=cells.words(tip.cell["source"]),
        model=tip.text("model"),
        started_at=started,
        last_active=last_active,
        ended_at=cells.seconds(tip.cell["ended_at"]),
        end_reason=tip.text("end_reason"),
        message_count=sum(cells.amount(part.cell["message_count"]) for part in parts),
        tool_call_count=sum(cells.amount(part.cell["tool_call_count"]) for part in parts),
        preview=_first_words(reader, parts),
        last_reply=last_reply,
        kind=unit.kind,
        state=state,
        parent_id=root.text("parent_session_id"),
        root_id=root.id,
        tip_id=tip.id,
        parts=len(parts),
        archived=cells.flag(tip.cell["archived"], default=False),
        profile=tip.text("profile_name"),
        workspace=tip.text("cwd") or root.text("cwd"),
        git_branch=tip.text("git_branch"),
        input_tokens=_total(parts, "input_tokens"),
        output_tokens=_total(parts, "output_tokens"),
        cost_usd=cost,
        cost_status=status,
        subagents=unit.subagents,
        broken_off=broken_off and state is not State.RUNNING,
        restored=unit.restored,
        hidden=cells.flag(tip.cell["hidden"], default=False),
        pinned=any(cells.flag(part.cell["pinned"], default=False) for part in parts),
        unread=_unread(tip.cell["last_read_at"], last_active),
        title_source=(tip if tip.text("title") else root).text("title_source"),
    )


def _unread(read_at: object, last_active: float | None) -> bool:
    """Whether something came after it was read last. Nothing noted means that the agent does not
    keep track of it; a zero, that somebody marked it as unread."""
    if cells.number(read_at) is None:
        return False
    return (last_active or 0.0) > (cells.seconds(read_at) or 0.0)


def _state(
    tip: _Raw,
    parts: Sequence[_Raw],
    held: frozenset[str],
    last_active: float | None,
    now: float,
) -> State:
    if any(part.id in held for part in parts):
        return State.RUNNING
    if tip.cell["ended_at"] is not None:
        return State.ENDED
    recent = last_active is not None and now - last_active < RUNNING_WITHIN
    return State.RUNNING if recent else State.OPEN


def _total(parts: Sequence[_Raw], column: str) -> int | None:
    known = [value for part in parts if (value := cells.integer(part.cell[column])) is not None]
    return sum(known) if known else None


def _cost(parts: Sequence[_Raw]) -> tuple[float | None, str | None]:
    """(dollars, status)."""
    total: float | None = None
    status: str | None = None
    for part in parts:
        status = part.text("cost_status") or status
        cost = known_cost(*map(part.cell.get, _COST))
        total = total if cost is None else (total or 0.0) + cost
    return total, status


def known_cost(actual: object, estimated: object, status: object) -> float | None:
    """What a session cost; a stored zero counts only where the agent says that it knows."""
    cost = cells.number(actual)
    if cost is None:
        cost = cells.number(estimated)
    return None if cost == 0 and cells.words(status) in _UNKNOWN_COST else cost


def _first_words(reader: Reader, parts: Sequence[_Raw]) -> str:
    """The first thing the user said; failing that, the first thing anybody said."""
    fallback = ""
    for part in parts[:2]:
        for few in FIRST_FEW:
            for role, text, *_ in _glimpse(reader, part.key, few, newest=False):
                words = said(text) if role in ("user", "assistant") else ""
                if role == "user" and words:
                    return words
                fallback = fallback or words
    return fallback


def _last_words(reader: Reader, key: int) -> tuple[str, bool]:
    """(the last thing the agent said, whether it was broken off)."""
    broken = None
    for few in LAST_FEW:
        for role, text, calls, finish in _glimpse(reader, key, few, newest=True):
            if broken is None:
                broken = _is_broken_off(role, text, calls, finish)
            words = said(split_thinking(text)[0]) if role == "assistant" else ""
            if words:
                return words, broken
    return "", bool(broken)


def _is_broken_off(role: str, text: str, calls: bool, finish: str) -> bool:
    """Whether the newest message is a call without an answer, a failure, or was cut."""
    return failed(text) if role == "tool" else calls or finish in CUT


def _glimpse(
    reader: Reader, key: int, count: int, newest: bool
) -> Iterable[tuple[str, str, bool, str]]:
    """(role, beginning of the text, whether it calls tools, how it ended) of the first or last
    messages. Needs the index on (session_id, timestamp); the cut is made on bytes, since SQL's
    text functions stop at a NUL."""
    schema = reader.schema
    order = "DESC" if newest else "ASC"
    live = 'AND coalesce(m."active", 1)' if newest and schema.has("messages", "active") else ""
    items = (
        f'substr(CAST(m."codex_message_items" AS BLOB), 1, {PREVIEW_BYTES})'
        if schema.has("messages", "codex_message_items")
        else "NULL"
    )
    finish = schema.pick("messages", "m", ("finish_reason",))
    rows = reader.rows(
        f"SELECT m.role, substr(CAST(m.content AS BLOB), 1, {PREVIEW_BYTES}), {items},"
        f" m.tool_calls IS NOT NULL, {finish} FROM messages m"
        " WHERE m.session_id = (SELECT s.id FROM sessions s WHERE s.rowid = ?)"
        f" {live} ORDER BY m.timestamp {order}, m.id {order} LIMIT ?",
        (key, count),
    )
    for role, content, message_items, calls, ended in rows:
        text = partial_text(content, bare_json=not schema.has("state_meta"))
        text = text or message_items_text(message_items) or _salvaged(cells.words(message_items))
        yield cells.words(role), text, bool(calls), cells.words(ended)


def partial_text(cell: object, bare_json: bool) -> str:
    """The text of content that may have been cut in the middle of its JSON."""
    source = cells.words(cell)
    text = content_text(source, bare_json)
    if text == source[1:] and source.startswith("\x00"):
        return _salvaged(source) or "[image]"
    return text


def _salvaged(source: str) -> str:
    """The text parts that can still be read before the cut."""
    values = (cells.decoded(f'"{found[1]}"') for found in re.finditer(_TEXT_PART, source))
    return "\n".join(value for value in values if isinstance(value, str))

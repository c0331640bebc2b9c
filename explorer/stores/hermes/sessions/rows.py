"""The rows in sight: everything a list shows of a few sessions.

Columns are read for these rows only, and of the messages just the first and the last few.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.model import Session, State, state_of
from explorer.stores.catalog import Unit
from explorer.stores.hermes.sessions.first_words import first_words, last_words
from explorer.stores.hermes.sessions.spending import COSTS, known_cost
from explorer.stores.hermes.sessions.survey import NEWEST, latest, newest_time
from explorer.stores.hermes.turn_leases import hermes_leases
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import numbered_rows

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
    leases = hermes_leases(reader.rows, reader.schema)
    result = []
    for unit in units:
        parts = [found[key] for key in unit.parts if key in found]
        if unit.key in found and parts:
            session = _session(reader, unit, parts, found[unit.key], leases, now)
            ends = [found[key].id for key in _ends(unit) if key in found]
            if len(ends) == 2:
                session = session._replace(root_id=ends[0], tip_id=ends[1])
            result.append(session)
    return result


def _ends(unit: Unit) -> tuple[int, ...]:
    """Root and tip of the conversation that a unit is only a part of."""
    return (unit.whole[0], unit.whole[-1]) if unit.whole else ()


def _read(reader: Reader, keys: Iterable[int]) -> dict[int, _Raw]:
    columns = f"{NEWEST}, {reader.schema.pick('sessions', 's', COLUMNS)}"
    found: dict[int, _Raw] = {}
    for key, greatest, *row in numbered_rows(reader, columns, "sessions", keys):
        cell = dict(zip(COLUMNS, row, strict=True))
        newest = newest_time(reader, key, greatest)
        found[key] = _Raw(key, cell, latest(newest, cell["last_activity_at"]))
    return found


def _session(
    reader: Reader,
    unit: Unit,
    parts: Sequence[_Raw],
    tip: _Raw,
    leases: Mapping[str, float],
    now: float,
) -> Session:
    root = parts[0]
    started = cells.seconds(root.cell["started_at"])
    times = [part.last_active for part in parts if part.last_active is not None]
    last_active = max(times) if times else cells.seconds(tip.cell["started_at"])
    read_at = read_time(tip.cell["last_read_at"])
    cost, status = _cost(parts)
    state = state_of(
        last_active=last_active,
        ended=tip.cell["ended_at"] is not None,
        held_until=max(leases.get(part.id, 0.0) for part in parts),
        now=now,
    )
    last_reply, broken_off = last_words(reader, tip.key)
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
        preview=first_words(reader, [part.key for part in parts]),
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
        unread=read_at is not None and (last_active or 0.0) > read_at,
        title_source=(tip if tip.text("title") else root).text("title_source"),
    )


def read_time(cell: object) -> float | None:
    """When a session was read last: zero where somebody marked it as unread, None where the agent
    does not keep track of it."""
    return None if cells.number(cell) is None else cells.seconds(cell) or 0.0


def _total(parts: Sequence[_Raw], column: str) -> int | None:
    known = [value for part in parts if (value := cells.integer(part.cell[column])) is not None]
    return sum(known) if known else None


def _cost(parts: Sequence[_Raw]) -> tuple[float | None, str | None]:
    """(dollars, status)."""
    total: float | None = None
    status: str | None = None
    for part in parts:
        status = part.text("cost_status") or status
        cost = known_cost(*map(part.cell.get, COSTS))
        total = total if cost is None else (total or 0.0) + cost
    return total, status

"""The visible rows: everything that a list shows of a few sessions, and what they used and cost.

Columns are read for these rows only, and of the messages just the first and the last few. Hermes
stores a zero when it knows no price, so a zero counts as a price only where the status says so.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.model import Session, State, state_of
from explorer.render.figures import count, exact_cost
from explorer.stores.catalog import Unit
from explorer.stores.fact_rows import Record, Row, labelled, total
from explorer.stores.hermes.origins import COLUMNS as ORIGIN
from explorer.stores.hermes.origins import of_row
from explorer.stores.hermes.sessions.first_words import first_words, last_words
from explorer.stores.hermes.sessions.survey import NEWEST, hermes_leases, latest, newest_time
from explorer.stores.hermes.words import CODED, TOKENS, in_words
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import numbered_rows

PROFILE_NAME = r"[a-z0-9][a-z0-9_-]{0,63}"
_NO_PROFILE = "custom"
"""What Hermes calls the profile of any home that is not in its usual place."""
_LONGEST_KEY = 200
"""Characters of a key that can hold a name."""
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
    "session_key",
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
    *(name for name in ORIGIN if name not in ("session_key", "source")),
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
        owner=owner(tip.cell["session_key"], tip.cell["profile_name"]),
        origin=_origin(tip),
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


def _origin(tip: _Raw) -> str:
    found = of_row(*(tip.cell[name] for name in ORIGIN))
    return found.words if found else ""


def owner(session_key: object, profile_name: object) -> str | None:
    """The profile that a session belongs to by its own words; None where it says nothing: then it
    is that of its file. A gateway of several profiles writes the name into the key of a chat; one
    of a single profile writes `main` for whatever profile it has."""
    scope, _, rest = cells.words(session_key)[:_LONGEST_KEY].partition(":")
    name, found, _ = rest.partition(":")
    if scope == "agent" and found and name != "main":
        own = "main" if name == "main~" else name
        if re.fullmatch(PROFILE_NAME, own):
            return own
    stored = cells.words(profile_name).strip()
    return stored if stored != _NO_PROFILE and re.fullmatch(PROFILE_NAME, stored) else None


def read_time(cell: object) -> float | None:
    """When a session was last read: zero where it is marked as unread, None where the agent does
    not keep track of it."""
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


ACTUAL, ESTIMATED = "actual_cost_usd", "estimated_cost_usd"
COSTS = (ACTUAL, ESTIMATED, "cost_status")
_PRICED = {ACTUAL: "actual", ESTIMATED: "estimated"}
"""The status with which a zero is a price."""
SPENDING = (*COSTS, "cost_source", "pricing_version")
UNKNOWN = "-"


def token_rows(parts: Sequence[Record]) -> list[Row]:
    """The sum of each kind; where all are zero they were not counted."""
    found = {label: total(parts, column) for column, label in TOKENS.items()}
    if not any(found.values()):
        return [("Total", UNKNOWN)]
    return [(label, count(number)) for label, number in found.items() if number is not None]


def cost_rows(parts: Sequence[Record], one: Record) -> list[Row]:
    """Empty for schemas without costs."""
    if ESTIMATED not in one.cell:
        return []
    rows = [("Cost", price(parts) or UNKNOWN)]
    actual, estimated = dollars(parts, ACTUAL), dollars(parts, ESTIMATED)
    if actual is not None and estimated is not None:
        rows.append(("Estimated", exact_cost(estimated)))
    rows += [("Status", status) for status in statuses(parts)]
    return [*rows, *coded(one, "cost_source"), *labelled(one, {"pricing_version": "Price version"})]


def coded(record: Record, column: str) -> list[Row]:
    """The row of a column that holds a code, if it does."""
    label, _ = CODED[column]
    return [(label, in_words(column, record.told(column)))] if record.has(column) else []


def price(parts: Sequence[Record]) -> str:
    """What was paid, or else the estimate; empty where neither is known."""
    actual = dollars(parts, ACTUAL)
    known = dollars(parts, ESTIMATED) if actual is None else actual
    return "" if known is None else exact_cost(known)


def statuses(parts: Sequence[Record]) -> list[str]:
    """How reliable the cost is: each status of a part once."""
    found = dict.fromkeys(part.text("cost_status") for part in parts if part.has("cost_status"))
    return [in_words("cost_status", status) for status in found]


def dollars(parts: Sequence[Record], column: str) -> float | None:
    """The sum of the known costs of a kind; None where none is known."""
    costs = (_dollars(part.cell.get(column), part.text("cost_status"), column) for part in parts)
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def known_cost(actual: object, estimated: object, status: object) -> float | None:
    """What a session cost, of cells of `COSTS`: what was paid, or else the estimate."""
    words = cells.words(status)
    paid = _dollars(actual, words, ACTUAL)
    return _dollars(estimated, words, ESTIMATED) if paid is None else paid


def _dollars(cell: object, status: str, column: str) -> float | None:
    cost = cells.number(cell)
    known = cost is not None and (cost > 0 or status == _PRICED[column])
    return max(cost or 0.0, 0.0) if known else None

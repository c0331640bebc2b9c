"""The sessions: all of them at a glance, columns of many, and the visible rows.

A page is read with a few questions, however many rows it has, and of the messages it reads the
first and the last words.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from explorer.model import Kind, Session, State, state_of
from explorer.render.figures import count
from explorer.stores import columns
from explorer.stores.catalog import Link, Unit
from explorer.stores.columns import Column, Found, Recipe, Recipes
from explorer.stores.content import said, what_was_said
from explorer.stores.power_loop.messages import content_of, notice
from explorer.stores.power_loop.tables import AGENT, RUNNING_WITHIN, Tables, title_in
from explorer.stores.power_loop.usage import tokens
from explorer.stores.small_store import SessionRow
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.schema import batches, placeholders
from explorer.stores.table_reader import TableReader

CUT = 30_000
"""Bytes of a message that are read for its first words."""
AT_ONCE = 6
"""Messages of one role that are looked at where the first says nothing."""
_SHOWN = (
    *("session_id", "created_at", "model", "status", "kind", "parent_session_id"),
    *("metadata_json", "lifecycle", "spawn_depth"),
)
LIFECYCLES = frozenset(("linked", "ephemeral", "detached"))
"""What may become of a subagent: power-loop deletes all but a detached one with its parent."""


def survey(
    reader: TableReader, tables: Tables, handles: Collection[object] | None = None
) -> list[SessionRow]:
    """Every session of one set of tables, or those with these handles."""
    names = ("session_id", "created_at", "kind", "status", "parent_session_id")
    picked = tables.pick(reader.schema, "sessions", "s", names)
    rows = tables.flavour.rows(reader, tables, f"{picked}, {tables.active}", handles)
    parents = _parents(reader, tables, rows, handles is None)
    found = []
    for handle, id_, created, kind, status, parent, last in rows:
        key = tables.key(handle)
        above = parents.get(cells.words(parent))
        helper = Link(Kind.SUBAGENT, above if above != key else None)
        found.append(
            SessionRow(
                key=key,
                id=cells.words(id_),
                started_at=cells.seconds(created),
                newest=None if last is None else cells.seconds(last) or 0.0,
                parent_id=cells.text(parent),
                link=helper if kind == "subagent" else None,
                archived=status == "archived",
            )
        )
    return found


def _parents(
    reader: TableReader, tables: Tables, rows: Sequence[Sequence[object]], every: bool
) -> dict[str, int]:
    """The keys of the sessions that are parents, by id."""
    if every:
        return {cells.words(row[1]): tables.key(row[0]) for row in rows}
    return keys_of(reader, tables, {cells.words(row[5]) for row in rows if row[5] is not None})


def keys_of(reader: TableReader, tables: Tables, ids: Collection[str]) -> dict[str, int]:
    """The keys of the sessions with these ids."""
    select = f"SELECT {tables.flavour.handle}, s.session_id FROM {tables.sessions} s"
    return {
        cells.words(id_): tables.key(handle)
        for batch in batches(ids)
        for handle, id_ in reader.rows(
            f"{select} WHERE s.session_id IN ({placeholders(batch)})", batch
        )
    }


def subagents_of(reader: TableReader, tables: Tables, ids: Iterable[str]) -> dict[str, int]:
    """How many sessions the subagents of each left; there is an index on parents."""
    if not tables.has(reader.schema, "sessions", "parent_session_id"):
        return {}
    return {
        cells.words(parent): number
        for batch in batches(ids)
        for parent, number in reader.rows(
            f"SELECT s.parent_session_id, count(*) FROM {tables.sessions} s"
            f" WHERE s.parent_session_id IN ({placeholders(batch)}) AND s.kind = 'subagent'"
            " AND s.session_id != s.parent_session_id GROUP BY s.parent_session_id",
            batch,
        )
    }


class _Told(NamedTuple):
    """What is stored of some sessions beside their rows."""

    counts: Mapping[object, tuple[int, int]]
    """(messages, results of tools) by handle."""
    first: Mapping[object, str]
    last: Mapping[object, str]
    tokens: Mapping[str, tuple[int, int]]
    """The rest is by id."""
    pending: frozenset[str]
    held: Mapping[str, float]


def sessions(
    reader: TableReader, tables: Tables, units: Sequence[Unit], now: float
) -> dict[int, Session]:
    """The sessions of units of one set of tables, by key; who is gone is missing."""
    shown = tables.pick(reader.schema, "sessions", "s", _SHOWN)
    picked = f"{shown}, {tables.active}, {tables.newest}"
    asked = {tables.handle(unit.key): unit for unit in units}
    rows = tables.flavour.rows(reader, tables, picked, asked)
    ids = [cells.words(row[1]) for row in rows]
    told = _told(reader, tables, [row[0] for row in rows], ids)
    return {asked[row[0]].key: _session(asked[row[0]], row, told, now) for row in rows}


def _told(
    reader: TableReader, tables: Tables, handles: Sequence[object], ids: Sequence[str]
) -> _Told:
    return _Told(
        counts=_counts(reader, tables, handles),
        first=_words(reader, tables, handles, "user", "ASC"),
        last=_words(reader, tables, handles, "assistant", "DESC"),
        tokens=tokens(reader, tables, ids),
        pending=pending(reader, tables, ids),
        held=tables.leases(reader.rows, reader.schema),
    )


def _session(unit: Unit, row: Sequence[object], told: _Told, now: float) -> Session:
    handle, name, created, model, status, kind, parent, about, *place, last, newest = row
    id_, started = cells.words(name), cells.seconds(created)
    messages, calls = told.counts.get(handle, (0, 0))
    prompt, completion = told.tokens.get(id_, (None, None))
    active = cells.seconds(last) or started
    held = told.held.get(id_, 0.0)
    # Nobody needs to be at work where a session was only archived.
    said_at = cells.seconds(newest) or started
    state = state_of(
        last_active=said_at, ended=False, held_until=held, now=now, within=RUNNING_WITHIN
    )
    return Session(
        key=unit.key,
        id=id_,
        title=title_in(about),
        source=AGENT,
        model=cells.text(model),
        started_at=started,
        last_active=active,
        ended_at=None,
        end_reason=None,
        message_count=messages,
        tool_call_count=calls,
        preview=told.first.get(handle, ""),
        last_reply=told.last.get(handle, ""),
        kind=Kind.SUBAGENT if kind == "subagent" else Kind.ROOT,
        state=state,
        parent_id=cells.text(parent),
        root_id=id_,
        tip_id=id_,
        parts=1,
        archived=status == "archived",
        input_tokens=prompt,
        output_tokens=completion,
        subagents=unit.subagents,
        spawned=_spawned(*place) if kind == "subagent" else "",
        broken_off=state is not State.RUNNING and id_ in told.pending,
    )


def _spawned(lifecycle: object, depth: object) -> str:
    """Whether a subagent goes with its parent, and how deep it is, in words."""
    said, deep = cells.words(lifecycle), cells.amount(depth)
    words = (said if said in LIFECYCLES else "", f"depth {count(deep)}" if deep else "")
    return ", ".join(filter(None, words))


def _counts(
    reader: TableReader, tables: Tables, handles: Sequence[object]
) -> dict[object, tuple[int, int]]:
    handle = tables.flavour.handle
    return {
        number: (cells.amount(messages), cells.amount(calls))
        for batch in batches(handles)
        for number, messages, calls in reader.rows(
            f"SELECT {handle}, count(*), count(CASE WHEN m.role = 'tool' THEN 1 END)"
            f" FROM {tables.sessions} s JOIN {tables.messages} m ON m.session_id = s.session_id"
            f" WHERE {handle} IN ({placeholders(batch)}) GROUP BY {handle}",
            batch,
        )
    }


def pending(reader: TableReader, tables: Tables, ids: Collection[str]) -> frozenset[str]:
    """Those that stopped in the middle of a tool call, and wait to be resumed."""
    if not tables.has(reader.schema, "session_state", "session_id", "pending_json"):
        return frozenset()
    return frozenset(
        cells.words(id_)
        for batch in batches(ids)
        for id_ in reader.column(
            f"SELECT t.session_id FROM {tables.sql('session_state')} t WHERE t.pending_json != ''"
            f" AND t.session_id IN ({placeholders(batch)})",
            batch,
        )
    )


def _words(
    reader: TableReader, tables: Tables, handles: Sequence[object], role: str, order: str
) -> dict[object, str]:
    """The first words of one role, from the beginning or from the end. Most first messages say
    something; only where one does not, more are read."""
    found = _said(reader, tables, handles, role, order, 1)
    silent = [handle for handle, words in found.items() if not words]
    return {**found, **_said(reader, tables, silent, role, order, AT_ONCE)} if silent else found


def _said(
    reader: TableReader, tables: Tables, handles: Sequence[object], role: str, order: str, most: int
) -> dict[object, str]:
    handle = tables.flavour.handle
    content = tables.flavour.head("m.content", CUT)
    if tables.has(reader.schema, "messages", "meta_json"):
        # JSON that is cut says nothing.
        whole = "m.meta_json LIKE '%content_encoding%'"
        if not tables.marks:
            whole += " OR m.content LIKE '[{\"type\"%'"
        content = f"CASE WHEN {whole} THEN m.content ELSE {content} END"
    about = tables.pick(reader.schema, "messages", "m", ("meta_json",))
    found: dict[object, str] = {}
    for batch in batches(handles):
        for number, cell, meta in reader.rows(
            f"SELECT {handle}, {content}, {about}"
            f" FROM {tables.flavour.with_first(tables, order, most)}"
            f" WHERE {handle} IN ({placeholders(batch)}) ORDER BY m.seq {order}",
            (role, *batch),
        ):
            found[number] = found.get(number) or _first(cell, meta, role, tables.marks)
    return found


def _first(content: object, meta: object, role: str, marks: bool) -> str:
    about = cells.mapping(meta)
    if notice(about):
        return ""
    text = content_of(content, about, marks)
    if role == "assistant":
        text = what_was_said(text, ()).text
    return said(text)


def columns_of(
    reader: TableReader,
    tables: Tables,
    asked: Collection[Column[object]],
    keys: Sequence[int] | None,
) -> Found:
    """What is asked of the sessions of one set of tables that have these keys, or of all."""
    handles = None if keys is None else [tables.handle(key) for key in keys]
    recipes = columns.asked_of(recipes_of(tables), {columns.ID, *asked})
    names = (cell for recipe in recipes.values() for cell in recipe.cells)
    select = ", ".join(
        name if name.startswith("(") else tables.pick(reader.schema, "sessions", "s", (name,))
        for name in names
    )
    found: Found = {column: {} for column in recipes}
    for rows in tables.flavour.pieces(reader, tables, select, handles):
        made = columns.made(recipes, rows, lambda own: list(map(tables.key, own)))
        for column, values in made.items():
            found[column].update(values)
    ids = found[columns.ID]
    if columns.TOKENS in asked:
        used = tokens(reader, tables, None if keys is None else list(ids.values()))
        found[columns.TOKENS] = _by_key(ids, {id_: float(sum(two)) for id_, two in used.items()})
    if columns.LEASE in asked:
        found[columns.LEASE] = _by_key(ids, tables.leases(reader.rows, reader.schema))
    return {column: values for column, values in found.items() if column in asked}


def _by_key(ids: Mapping[int, str], known: Mapping[str, float]) -> dict[int, float]:
    return {key: known[id_] for key, id_ in ids.items() if id_ in known}


def recipes_of(tables: Tables) -> Recipes:
    told = f"FROM {tables.messages} m WHERE m.session_id = s.session_id"
    flavour = tables.flavour
    return {
        columns.ID: Recipe(("session_id",), cells.words),
        columns.TITLE: Recipe(("metadata_json",), title_in),
        columns.SOURCE: Recipe(("session_id",), lambda _: AGENT),
        columns.WITHIN: _within(tables),
        columns.MODEL: Recipe(("model",), lambda cell: cells.text(cell) or None),
        columns.MESSAGES: Recipe((f"(SELECT count(*) {told})",), cells.amount),
        columns.TOOLS: Recipe(
            (f"(SELECT count(*) {told} AND m.role = 'tool')",), lambda n: n or None
        ),
        columns.CALL: Recipe(("spawn_tool_call_id",), lambda cell: cells.text(cell) or None),
        columns.STARTED: Recipe(("created_at",), cells.seconds),
        columns.BYTES: Recipe(
            (f"(SELECT {flavour.total(flavour.size('m.content'))} {told})",), int
        ),
    }


def _within(tables: Tables) -> Recipe:
    """Counted from the last activity, however long that is after the last message."""
    if not tables.lag:
        return Recipe(("session_id",), lambda _: RUNNING_WITHIN)
    return Recipe((tables.lag,), lambda lag: RUNNING_WITHIN - (lag or 0) / 1000)

"""Everything a power-loop file says about a session, except its messages."""

from collections.abc import Collection, Mapping, Sequence

from explorer.errors import session_gone
from explorer.model import MessageState
from explorer.render.figures import count, duration, exact
from explorer.stores.base import Details
from explorer.stores.fact_rows import (
    FactColumns,
    Record,
    Row,
    columns_of,
    labelled,
    others,
    sections,
    settings,
)
from explorer.stores.power_loop.messages import pending_calls
from explorer.stores.power_loop.side_tables import side_sections
from explorer.stores.power_loop.tables import Tables, message_state, title_in
from explorer.stores.power_loop.usage import totals, usage_by_send
from explorer.stores.sqlite import cells
from explorer.stores.table_reader import TableReader

IDS = ("session_id", "parent_session_id")
"""Never cut."""
ABOUT = {"status": "Status", "lifecycle": "Lifecycle"}
LINEAGE = {
    "kind": "Kind",
    "parent_session_id": "Subagent of",
    "spawn_tool_call_id": "Tool call",
    "spawn_depth": "Depth",
}
TOKENS = {
    "prompt_tokens": "Input",
    "completion_tokens": "Output",
    "cached_tokens": "Cache read",
    "total_tokens": "Total",
}
USE = {
    "sends": "Sends",
    "rounds": "Rounds",
    "llm_calls": "Model calls",
    "tool_calls": "Tool calls",
}
KNOWN = (
    *(*IDS, *ABOUT, *LINEAGE),
    *("model", "config_json", "metadata_json", "created_at", "updated_at"),
)
NAMED = 8
"""Tools that a session waits for, by name; more are counted."""
STATES = {MessageState.COMPACTED: "compressed", MessageState.REWOUND: "removed by a repair"}
ELSEWHERE = {
    "compactions": "Compressions",
    "project_messages": "Projections",
    "session_runtime_state": "Runtime states",
    "session_leases": "Leases",
}
"""Tables whose rows are counted."""


def details(reader: TableReader, tables: Tables, key: int, where: Sequence[Row]) -> Details:
    """Everything about one session; `where` says where it is."""
    columns = _columns(reader, tables, "sessions", "s", KNOWN, IDS)
    found = reader.row(
        f"SELECT {columns.select} FROM {tables.sessions} s WHERE {tables.flavour.handle} = ?",
        (tables.handle(key),),
    )
    if found is None:
        raise session_gone()
    one = columns.record(found)
    id_ = one.text("session_id")
    used = totals(reader, tables, id_, (*TOKENS,), (*USE,))
    note = [("Note", used.undercount)] if used.undercount else []
    model = [*labelled(one, {"model": "Model"}), *settings(one, "config_json", "Settings")]
    told = [
        ("Session", _session(reader, tables, key, one)),
        ("Interrupted", _interrupted(reader, tables, key)),
        ("Model", model),
        ("Tokens", [*_figures(used.figures, TOKENS), *note]),
        ("Usage", _figures(used.figures, USE)),
        ("Usage by send", usage_by_send(reader, tables, id_)),
        ("Times", _times(reader, tables, key, one)),
        ("Lineage", _lineage(reader, tables, id_, one)),
        ("Metadata", settings(one, "metadata_json", "Metadata")),
        *side_sections(reader, tables, id_),
        ("Files", where),
        ("Also stored", [*_elsewhere(reader, tables, id_), *others(one, KNOWN)]),
    ]
    return Details(id_, title_in(one.cell.get("metadata_json")), sections(told))


def _columns(
    reader: TableReader,
    tables: Tables,
    table: str,
    alias: str,
    known: Collection[str],
    whole: Collection[str] = (),
) -> FactColumns:
    flavour, named = tables.flavour, tables.named(table)
    return columns_of(reader.schema, named, alias, known, whole, flavour.head, flavour.size)


def _session(reader: TableReader, tables: Tables, key: int, one: Record) -> list[Row]:
    rows = reader.rows(
        f"SELECT m.state, count(*) FROM {tables.messages} m WHERE {tables.of_session}"
        " GROUP BY m.state",
        (tables.handle(key),),
    )
    by_state: dict[MessageState, int] = {}
    for state, number in rows:
        by_state[message_state(state)] = by_state.get(message_state(state), 0) + number
    parts = [
        f"{count(by_state[state])} {word}" for state, word in STATES.items() if state in by_state
    ]
    messages = ", ".join((count(sum(by_state.values())), *parts))
    return [("Id", one.text("session_id")), *labelled(one, ABOUT), ("Messages", messages)]


def _figures(sums: Mapping[str, int], labels: Mapping[str, str]) -> list[Row]:
    return [(label, count(sums[name])) for name, label in labels.items() if name in sums]


def _times(reader: TableReader, tables: Tables, key: int, one: Record) -> list[Row]:
    newest = reader.value(
        f"SELECT max(m.created_at) FROM {tables.messages} m WHERE {tables.of_session}",
        (tables.handle(key),),
    )
    rows = labelled(one, {"created_at": "Started", "updated_at": "Updated"})
    started, last = cells.seconds(one.cell.get("created_at")), cells.seconds(newest)
    if last is not None:
        rows.append(("Last message", exact(last)))
    if started is not None and last is not None:
        rows.append(("Duration", duration(last - started)))
    return rows


def _lineage(reader: TableReader, tables: Tables, id_: str, one: Record) -> list[Row]:
    rows = labelled(one, LINEAGE)
    sql = f"SELECT count(*) FROM {tables.sessions} s WHERE s.parent_session_id = ?"
    helpers = cells.amount(reader.value(sql, (id_,)))
    return [*rows, ("Subagents", count(helpers))] if helpers else rows


def _interrupted(reader: TableReader, tables: Tables, key: int) -> list[Row]:
    """What a session waits for before it takes another message."""
    pending = pending_calls(reader, tables, key)
    if pending is None:
        return []
    names = ", ".join(pending.names[:NAMED])
    more = f" and {count(len(pending.names) - NAMED)} more" if len(pending.names) > NAMED else ""
    return [
        ("Waits for", f"the results of {names}{more}"),
        ("Next step", "resume the session to run them, or abort them, before the next message"),
    ]


def _elsewhere(reader: TableReader, tables: Tables, id_: str) -> list[Row]:
    """The number of rows in other tables."""
    rows = []
    for name, label in ELSEWHERE.items():
        if tables.has(reader.schema, name, "session_id"):
            sql = f"SELECT count(*) FROM {tables.sql(name)} t WHERE t.session_id = ?"
            number = reader.value(sql, (id_,))
            if number:
                rows.append((label, count(number)))
    return rows

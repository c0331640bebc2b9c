"""What a session has beside its messages: notes, timers, background tasks, queued follow-ups and
hook events, as facts; of each kind the newest few, and how many there are."""

from typing import NamedTuple

from explorer.render.figures import count, exact
from explorer.stores.fact_rows import Row
from explorer.stores.power_loop.tables import Tables
from explorer.stores.sqlite import cells
from explorer.stores.table_reader import TableReader

MOST = 20
"""Rows of each kind that are told."""
READ = 600
"""Bytes of a cell that are read."""


class _Kind(NamedTuple):
    """A table of such rows."""

    table: str
    title: str
    number: str
    """What orders them, the newest last."""
    label: str
    """The column that a row is called by; empty where it is the number."""
    columns: tuple[str, ...]
    """What is told of a row."""


KINDS = (
    _Kind("notes", "Notes", "note_id", "", ("content", "pinned")),
    _Kind("timers", "Timers", "timer_id", "", ("note", "status", "due_at", "interval_s")),
    _Kind(
        *("background_tasks", "Background tasks", "created_at", "task_id"),
        ("command", "status", "return_code", "output_tail"),
    ),
    _Kind("follow_up_queue", "Queued follow-ups", "id", "mode", ("content", "status")),
    _Kind(
        *("hook_events", "Hook events", "event_id", "hook_point"),
        ("hook", "kind", "payload_json"),
    ),
)
_SAID = {"pinned": "pinned", "due_at": "due", "interval_s": "every", "return_code": "exit"}
"""Columns whose value needs a word before it; a flag is told by its word alone."""


def side_sections(reader: TableReader, tables: Tables, id_: str) -> list[tuple[str, list[Row]]]:
    """The rows of each kind, under its title."""
    return [(kind.title, _rows(reader, tables, kind, id_)) for kind in KINDS]


def _rows(reader: TableReader, tables: Tables, kind: _Kind, id_: str) -> list[Row]:
    if not tables.has(reader.schema, kind.table, "session_id", kind.number):
        return []
    table, head = tables.sql(kind.table), tables.flavour.head
    asked = (*([kind.label] if kind.label else []), *kind.columns)
    names = [name for name in asked if tables.has(reader.schema, kind.table, name)]
    picked = "".join(f", {head(f't.{name}', READ)}" for name in names)
    rows = reader.rows(
        f'SELECT t."{kind.number}"{picked} FROM {table} t WHERE t.session_id = ?'
        f' ORDER BY t."{kind.number}" DESC LIMIT {MOST + 1}',
        (id_,),
    )
    told = [_row(kind, number, dict(zip(names, cell, strict=True))) for number, *cell in rows]
    if len(told) <= MOST:
        return told[::-1]
    every = reader.value(f"SELECT count(*) FROM {table} t WHERE t.session_id = ?", (id_,))
    return [
        ("All", f"{count(cells.amount(every))}, of which the newest {MOST} follow"),
        *told[MOST - 1 :: -1],
    ]


def _row(kind: _Kind, number: object, cell: dict[str, object]) -> Row:
    label = cells.words(cell.get(kind.label)) if kind.label else cells.words(number)
    told = (_told(name, cell.get(name)) for name in kind.columns)
    return label or cells.words(number), " · ".join(filter(None, told))


def _told(name: str, cell: object) -> str:
    if cell is None or (cell == 0 and name != "return_code"):
        return ""
    if name == "pinned":
        return "pinned"
    moment = cells.seconds(cell) if name.endswith("_at") else None
    text = exact(moment) if moment is not None else cells.words(cell).strip()
    word = _SAID.get(name)
    unit = " s" if name == "interval_s" else ""
    return f"{word} {text}{unit}" if word and text else text

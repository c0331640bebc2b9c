"""What belongs to a session in a file, told by its tables: what goes when a session goes.

Hermes declares what hangs on a session as foreign keys, so tables of versions to come are found
too. power-loop declares none; its tables are known by name. What cannot be told is a reason not
to touch the file.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from explorer.errors import Refused, sentence
from explorer.store import cells
from explorer.store.edits.images import Image
from explorer.store.hermes.store import is_hermes
from explorer.store.schema import Schema, quoted

Rows = Callable[[str, Sequence[object]], Sequence[Image]]
"""Asks the file: (statement, values) → rows."""

PROMPTS = "system_prompts"

_POWER_LOOP = (
    *("compactions", "usage_rounds", "session_stats", "timers", "session_runtime_state"),
    *("background_tasks", "notes", "project_messages", "hook_events", "session_leases"),
    *("follow_up_queue", "session_state"),
)
"""What power-loop itself clears with a session, besides its messages."""


class Belonging(NamedTuple):
    """Rows of another table that are about a session."""

    table: str
    column: str
    """Where they name it."""
    detached: bool = False
    """They stay, and no longer name it."""


class Shape(NamedTuple):
    """The tables of a set of sessions."""

    sessions: str
    id: str
    messages: str
    order: str
    """The column by which messages are numbered, upwards."""
    belongings: tuple[Belonging, ...]
    hermes: bool
    prompts: tuple[str, ...] = ()
    """Columns of a session that name a shared prompt, in files that keep each prompt once."""
    marks: bool = False
    """Children say in `model_config` whose subagents they are."""

    @property
    def parent(self) -> str:
        return "parent_session_id"


def hermes_shape(schema: Schema, ask: Rows) -> Shape | str:
    """The shape of a Hermes file; where it cannot be told, why not."""
    found: list[Belonging] = []
    for table in sorted(schema.tables):
        for row in ask(f"PRAGMA foreign_key_list({quoted(table)})", ()):
            target, column, on_delete = (cells.words(row[at]) for at in (2, 3, 6))
            if target.lower() == "messages":
                return f"the table {table} refers to single messages, which is not known here"
            if target.lower() != "sessions" or (table, column) in (
                ("messages", "session_id"),
                ("sessions", "parent_session_id"),
            ):
                continue
            if on_delete not in ("CASCADE", "SET NULL"):
                return f"the table {table} refers to sessions in a way that is not known here"
            found.append(Belonging(table, column, on_delete == "SET NULL"))
    return Shape(
        sessions="sessions",
        id="id",
        messages="messages",
        order="id",
        belongings=tuple(found),
        hermes=True,
        prompts=tuple(
            column
            for column in ("system_prompt_hash", "tool_names")
            if schema.has(PROMPTS, "hash", "prompt") and schema.has("sessions", column)
        ),
        marks=schema.has("sessions", "archived", "model_config"),
    )


def power_loop_shape(schema: Schema, prefix: str) -> Shape:
    """The shape of one set of power-loop's tables."""
    tables = (f"{prefix}{name}" for name in _POWER_LOOP)
    return Shape(
        sessions=f"{prefix}sessions",
        id="session_id",
        messages=f"{prefix}messages",
        order="seq",
        belongings=tuple(
            Belonging(table, "session_id") for table in tables if schema.has(table, "session_id")
        ),
        hermes=False,
    )


def shape_of(ask: Rows, schema: Schema, table: str) -> Shape:
    """The tables that go with a table of sessions."""
    if is_hermes(schema):
        shape = hermes_shape(schema, ask)
        if isinstance(shape, str):
            raise Refused("This file cannot be edited", sentence(shape))
        return shape
    if not table.endswith("sessions") or not schema.has(table, "session_id"):
        raise Refused("This file cannot be edited", f"It has no table {table} of sessions.")
    return power_loop_shape(schema, table.removesuffix("sessions"))


def columns_of(ask: Rows, table: str) -> tuple[str, ...]:
    """The columns of a table in their order, without those that SQLite makes by itself."""
    rows = ask(f"PRAGMA table_xinfo({quoted(table)})", ())
    return tuple(cells.words(row[1]) for row in rows if not row[6])


def listing(columns: Iterable[str]) -> str:
    return ", ".join(quoted(column) for column in columns)

"""What belongs to a session in a file, told by its tables: what goes when a session goes.

Hermes declares what hangs on a session as foreign keys, so tables of versions to come are found
too. power-loop declares none; its tables are known by name. What cannot be told is a reason not
to touch the file.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from explorer.errors import Refused, sentence
from explorer.store import cells
from explorer.store.edits.images import Rows
from explorer.store.edits.triggers import filled_columns, triggers
from explorer.store.hermes.store import is_hermes
from explorer.store.schema import Schema, quoted

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
    filled: frozenset[str] = frozenset()
    """Columns of messages that triggers fill in: they may change while other messages go, and have
    to be set again when a message comes back."""
    ranks: Mapping[str, int] = {}
    """Tables by the order of their foreign keys: nobody before those that it refers to."""

    @property
    def parent(self) -> str:
        return "parent_session_id"


class Reference(NamedTuple):
    """A foreign key."""

    table: str
    column: str
    target: str
    to: str
    on_delete: str


_KNOWN = (
    ("messages", "session_id", "sessions"),
    ("sessions", "parent_session_id", "sessions"),
    ("sessions", "system_prompt_hash", PROMPTS),
)
"""References that are followed by name."""


def hermes_shape(schema: Schema, ask: Rows) -> Shape | str:
    """The shape of a Hermes file; where it cannot be told, why not."""
    references = [one for table in sorted(schema.tables) for one in _references(ask, table)]
    found: list[Belonging] = []
    for one in references:
        if one.target != "sessions" or (one.table, one.column, one.target) in _KNOWN:
            continue
        detached = one.on_delete == "SET NULL"
        known = one.on_delete in ("CASCADE", "SET NULL") and one.to in ("id", "")
        if not known or (one.table in ("sessions", "messages") and not detached):
            return f"the table {one.table} refers to sessions in a way that is not known here"
        found.append(Belonging(one.table, one.column, detached))
    emptied = {"messages", PROMPTS, *(one.table for one in found if not one.detached)}
    for one in references:
        if one.target in emptied and (one.table, one.column, one.target) not in _KNOWN:
            what = "single messages" if one.target == "messages" else f"rows of {one.target}"
            return f"the table {one.table} refers to {what}, which is not known here"
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
        filled=filled_columns(triggers(ask)),
        ranks=_ranks(references),
    )


def _references(ask: Rows, table: str) -> list[Reference]:
    rows = ask(f"PRAGMA foreign_key_list({quoted(table)})", ())
    return [
        Reference(
            table,
            cells.words(row[3]),
            cells.words(row[2]).lower(),
            cells.words(row[4]),
            cells.words(row[6]),
        )
        for row in rows
    ]


def _ranks(references: Iterable[Reference]) -> dict[str, int]:
    """How many tables lie below each of those that refer to others or are referred to."""
    below: dict[str, set[str]] = {}
    for one in references:
        below.setdefault(one.target, set())
        below.setdefault(one.table, set()).update({one.target} - {one.table})
    ranks = dict.fromkeys(below, 0)
    # As many rounds as there are tables settle every order; a circle has none, and ends here too.
    for _ in below:
        for table, targets in below.items():
            ranks[table] = max((ranks[target] + 1 for target in targets), default=0)
    return ranks


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

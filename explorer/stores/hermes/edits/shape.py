"""The tables of a Hermes file, as an edit sees them.

Hermes declares what hangs on a session as foreign keys, so tables of versions to come are found
too.
"""

from collections.abc import Iterable
from typing import NamedTuple

from explorer.stores.edits.shape import Belonging, Shared, TableShape
from explorer.stores.edits.triggers import filled_columns, triggers
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Rows
from explorer.stores.sqlite.schema import Schema, quoted

PROMPTS = "system_prompts"


class _Reference(NamedTuple):
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


def hermes_shape(schema: Schema, ask: Rows) -> TableShape | str:
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
    return TableShape(
        sessions="sessions",
        id="id",
        messages="messages",
        belongings=tuple(found),
        title="title",
        counters=("message_count", "tool_call_count"),
        shared=_prompts(schema),
        filled=filled_columns(triggers(ask)),
        ranks=_ranks(references),
    )


def marks_children(schema: Schema) -> bool:
    """Whether children say in `model_config` whose subagents they are."""
    return schema.has("sessions", "archived", "model_config")


def _prompts(schema: Schema) -> Shared | None:
    """Newer files keep each prompt once, for all sessions that have it."""
    if not schema.has(PROMPTS, "hash", "prompt"):
        return None
    columns = ("system_prompt_hash", "tool_names")
    return Shared(PROMPTS, "hash", tuple(one for one in columns if schema.has("sessions", one)))


def _references(ask: Rows, table: str) -> list[_Reference]:
    rows = ask(f"PRAGMA foreign_key_list({quoted(table)})", ())
    return [
        _Reference(
            table,
            cells.words(row[3]),
            cells.words(row[2]).lower(),
            cells.words(row[4]),
            cells.words(row[6]),
        )
        for row in rows
    ]


def _ranks(references: Iterable[_Reference]) -> dict[str, int]:
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

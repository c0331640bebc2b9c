"""Which sessions some process holds right now, by what the agents themselves write down."""

from collections.abc import Callable, Iterable, Sequence

from explorer.store import cells
from explorer.store.schema import Schema, quoted

Places = Iterable[tuple[str, str]]
"""Tables that tell, each with the column that names a session."""

HERMES: Places = (
    ("session_turn_leases", "conversation_id"),
    ("session_turn_leases", "session_id"),
    ("compression_locks", "session_id"),
)


def power_loop(prefix: str) -> Places:
    return ((f"{prefix}session_leases", "session_id"),)


def leases(
    ask: Callable[[str, Sequence[object]], Iterable[Sequence[object]]],
    schema: Schema,
    places: Places,
) -> dict[str, float]:
    """Until when a process holds a session, by id."""
    held: dict[str, float] = {}
    for table, column in places:
        if schema.has(table, column, "expires_at"):
            sql = f"SELECT t.{quoted(column)}, t.expires_at FROM {quoted(table)} t"
            for cell, until in ask(sql, ()):
                id_ = cells.words(cell)
                held[id_] = max(cells.seconds(until) or 0.0, held.get(id_, 0.0))
    return held

"""Which sessions Hermes is writing right now: those under a lease.

A turn is noted under the first part of a conversation, while its newest part is written: so it
holds every part. The lock of a compression names the very session.
"""

from collections.abc import Mapping

from explorer.stores.hermes.links import BRANCH, DELEGATE, RESET, marks_in
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.leases import Ask, later, leases
from explorer.stores.sqlite.schema import Schema, placeholders

GENERATIONS = 100


def hermes_leases(ask: Ask, schema: Schema) -> dict[str, float]:
    """Until when a process holds a session, by id."""
    held = leases(ask, schema, "compression_locks", "session_id")
    for column in ("conversation_id", "session_id"):
        turns = leases(ask, schema, "session_turn_leases", column)
        held = later(held, _with_later_parts(ask, turns))
    return held


def _with_later_parts(ask: Ask, held: Mapping[str, float]) -> dict[str, float]:
    """The same, for whatever continues these sessions too."""
    found = dict(held)
    fresh = list(held)
    for _ in range(GENERATIONS):
        if not fresh:
            break
        rows = ask(
            "SELECT c.id, p.id, c.model_config FROM sessions p"
            " JOIN sessions c ON c.parent_session_id = p.id"
            f" WHERE p.end_reason = 'compression' AND p.id IN ({placeholders(fresh)})",
            fresh,
        )
        parts: dict[str, float] = {}
        for cell, above, config in rows:
            parent, marks = cells.words(above), marks_in(config)
            if parent in found and parent not in map(marks.get, (BRANCH, DELEGATE, RESET)):
                parts[cells.words(cell)] = found[parent]
        fresh = [id_ for id_ in parts if id_ not in found]
        found = later(found, parts)
    return found

"""Until when some process holds a session, by what the agents themselves write down.

A lease whose process is surely dead holds nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.processes import surely_dead
from explorer.stores.sqlite.schema import Schema, quoted

Ask = Callable[[str, Sequence[object]], Iterable[Sequence[object]]]

MOST = 200
"""Leases that are looked at, those that last longest first: ended ones may be left behind, one for
each conversation."""


def leases(ask: Ask, schema: Schema, table: str, column: str) -> dict[str, float]:
    """Until when each session is held, by its id in a column of a table of leases."""
    if not schema.has(table, column, "expires_at"):
        return {}
    rows = list(
        ask(
            f"SELECT t.{quoted(column)}, t.expires_at, {schema.pick(table, 't', ('holder',))}"
            f" FROM {quoted(table)} t ORDER BY t.expires_at DESC LIMIT {MOST}",
            (),
        )
    )
    dead = surely_dead({cells.words(holder) for _, _, holder in rows})
    held: dict[str, float] = {}
    for cell, until, holder in rows:
        time = cells.seconds(until)
        if time is not None and cells.words(holder) not in dead:
            held = later(held, {cells.words(cell): time})
    return held


def later(held: Mapping[str, float], more: Mapping[str, float]) -> dict[str, float]:
    """Both together, of each session the time that is later."""
    return {**held, **{id_: max(time, held.get(id_, 0.0)) for id_, time in more.items()}}

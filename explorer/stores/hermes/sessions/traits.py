"""What a search asks of every session: ids, titles, workspaces, figures, states.

One walk for all that is asked. Ids alone come from the index on them, titles alone from theirs;
the other columns lie behind system prompts, where one costs as much as all.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from explorer.stores.hermes.sessions.facts import keys_of
from explorer.stores.hermes.sessions.rows import known_cost, read_time
from explorer.stores.hermes.turn_leases import hermes_leases
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.parameters import batches, placeholders
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import walk
from explorer.stores.traits import Trait, Traits

_COLUMNS: dict[Trait, tuple[str, ...]] = {
    Trait.ID: ("id",),
    Trait.TITLE: ("title",),
    Trait.WORKSPACE: ("cwd",),
    Trait.COST: ("actual_cost_usd", "estimated_cost_usd", "cost_status"),
    Trait.TOKENS: ("input_tokens", "output_tokens"),
    Trait.STATE: ("ended_at",),
    Trait.READ: ("last_read_at",),
}


def traits(reader: Reader, asked: Collection[Trait], keys: Sequence[int] | None = None) -> Traits:
    """What is asked of these sessions, or of all."""
    names = [name for trait in Trait if trait in asked for name in _COLUMNS[trait]]
    rows = _rows(reader, names, keys)

    def each(trait: Trait) -> Iterator[tuple[int, Any]]:
        """(key, cells) of every row."""
        if trait in asked:
            at = 1 + names.index(_COLUMNS[trait][0])
            end = at + len(_COLUMNS[trait])
            yield from ((row[0], row[at:end]) for row in rows)

    return Traits(
        ids=_texts(each(Trait.ID)),
        titles=_texts(each(Trait.TITLE)),
        workspaces=_texts(each(Trait.WORKSPACE)),
        costs={key: cost for key, of in each(Trait.COST) if (cost := known_cost(*of)) is not None},
        tokens={key: sum(known) for key, of in each(Trait.TOKENS) if (known := _numbers(of))},
        ended=frozenset(key for key, (time,) in each(Trait.STATE) if time is not None),
        held=_held(reader, keys) if Trait.STATE in asked else {},
        read_at={key: at for key, (t,) in each(Trait.READ) if (at := read_time(t)) is not None},
    )


def _rows(reader: Reader, names: Sequence[str], keys: Sequence[int] | None) -> list[Any]:
    if not names:
        return []
    select = f"SELECT s.rowid, {reader.schema.pick('sessions', 's', tuple(names))} FROM sessions s"
    if keys is None:
        # The index on titles holds only those that are set.
        if names == ["title"] and reader.schema.has("sessions", "title"):
            return reader.rows(f"{select} WHERE s.title IS NOT NULL")
        if names == ["id"]:
            return reader.rows(select)
        return walk(reader, reader.schema.pick("sessions", "s", tuple(names)), "sessions")
    return [
        row
        for batch in batches(keys)
        for row in reader.rows(f"{select} WHERE s.rowid IN ({placeholders(batch)})", batch)
    ]


def _texts(found: Iterable[tuple[int, Any]]) -> dict[int, str]:
    return {key: text for key, (cell,) in found if (text := cells.text(cell))}


def _numbers(row: Iterable[object]) -> list[float]:
    return [number for number in map(cells.number, row) if number is not None]


def _held(reader: Reader, keys: Sequence[int] | None) -> dict[int, float]:
    until = hermes_leases(reader.rows, reader.schema)
    owners = keys_of(reader, list(until))
    wanted = None if keys is None else set(keys)
    return {key: until[id_] for id_, key in owners.items() if wanted is None or key in wanted}

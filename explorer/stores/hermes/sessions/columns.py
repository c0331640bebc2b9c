"""How a Hermes file tells the columns of its sessions."""

from collections.abc import Collection, Sequence
from sys import intern
from typing import Any

from explorer.stores import columns
from explorer.stores.columns import Column, Columns, Recipe, Recipes
from explorer.stores.hermes.links import hermes_leases
from explorer.stores.hermes.sessions.find import keys_of
from explorer.stores.hermes.sessions.rows import COSTS, known_cost, read_time
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import Pace, walk_along

_TITLES = "idx_sessions_title_unique"
_BYTES = "(SELECT total(length(CAST(m.content AS BLOB))) FROM messages m WHERE m.session_id = s.id)"


def _text(cell: object) -> str | None:
    return cells.text(cell) or None


def _name(cell: object) -> str | None:
    """One text for all sessions of a model: of 100,000 sessions 8 MB less."""
    return intern(text) if (text := cells.text(cell)) else None


def _sum(*row: object) -> float | None:
    known = [number for number in map(cells.number, row) if number is not None]
    return sum(known) if known else None


def _time(cell: object) -> float:
    return cells.seconds(cell) or 0.0


RECIPES: Recipes = {
    columns.ID: Recipe(("id",), cells.words),
    columns.TITLE: Recipe(("title",), _text),
    columns.SOURCE: Recipe(("source",), _name),
    columns.MODEL: Recipe(("model",), _name),
    columns.MESSAGES: Recipe(("message_count",), cells.amount),
    columns.TOOLS: Recipe(("tool_call_count",), lambda cell: cells.amount(cell) or None),
    columns.WORKSPACE: Recipe(("cwd",), _text),
    columns.COST: Recipe(COSTS, known_cost),
    columns.TOKENS: Recipe(("input_tokens", "output_tokens"), _sum),
    columns.STARTED: Recipe(("started_at",), _time),
    columns.ENDED: Recipe(("ended_at",), lambda cell: None if cell is None else _time(cell)),
    columns.READ_AT: Recipe(("last_read_at",), read_time),
    columns.BYTES: Recipe((_BYTES,), lambda size: int(size) or None),
}


def read_columns(
    reader: Reader, asked: Collection[Column[object]], keys: Sequence[int] | None = None
) -> Columns:
    """What is asked of these sessions, or of all."""
    recipes = columns.asked_of(RECIPES, asked)
    rows = _by_index(reader, list(recipes)) if keys is None else None
    found = (
        columns.read(reader, "sessions", recipes, keys)
        if rows is None
        else columns.made(recipes, rows)
    )
    if columns.LEASE in asked:
        until = hermes_leases(reader.rows, reader.schema)
        wanted = None if keys is None else set(keys)
        found[columns.LEASE] = {
            key: until[id_]
            for id_, key in keys_of(reader, list(until)).items()
            if wanted is None or key in wanted
        }
    return Columns(found)


def _by_index(reader: Reader, asked: Sequence[Column[object]]) -> list[Any] | None:
    """(key, cell) of all sessions, where an index holds the one column that is asked for."""
    if asked == [columns.ID]:
        return reader.rows("SELECT s.rowid, s.id FROM sessions s")
    if asked == [columns.STARTED]:
        hint = reader.schema.indexed_by("idx_sessions_started")
        select = f"SELECT s.rowid, s.started_at FROM sessions s {hint}"
        return _walk_by_start(reader, select) if reader.breathes else reader.rows(select)
    hint = reader.schema.indexed_by(_TITLES)
    if asked == [columns.TITLE] and hint:
        # The index on titles holds only those that are set.
        return walk_along(reader, "s.title", "sessions", "title", hint)
    return None


def _walk_by_start(reader: Reader, select: str) -> list[Any]:
    """The same in slices, from the newest; each begins with those that are as old as the last."""
    pace = Pace()
    found = reader.rows(f"{select} WHERE s.started_at IS NULL")
    few = reader.rows(f"{select} ORDER BY s.started_at DESC LIMIT ?", (pace.rows,))
    while True:
        found += few
        if len(few) < pace.rows:
            reader.rest()
            return found
        last = few[-1][1]
        # Where all of a slice are of one time, only a longer one goes on.
        rows = pace.rows * 4 if few[0][1] == last else 0
        pace.end()
        pace.rows = max(pace.rows, rows)
        pace.begin()
        few = reader.rows(
            f"{select} WHERE s.started_at <= ? ORDER BY s.started_at DESC LIMIT ?",
            (last, pace.rows),
        )

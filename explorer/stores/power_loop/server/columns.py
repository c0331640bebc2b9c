"""Columns of all sessions of a server, by numbers: a dict for each of a million would not fit."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from explorer.stores import columns
from explorer.stores.columns import Column, Columns
from explorer.stores.numbered_columns import NameColumn, NumberColumn, NumberedColumn, TextColumn
from explorer.stores.power_loop.server.flavour import streamed
from explorer.stores.power_loop.server.numbers import SessionNumbers
from explorer.stores.power_loop.server.tables import ServerTables
from explorer.stores.power_loop.sessions import recipes_of
from explorer.stores.power_loop.usage import counted_in, totals_began_late
from explorer.stores.sqlite import cells
from explorer.stores.table_reader import TableReader

_TEXTS = frozenset((columns.TITLE, columns.CALL))
_NAMES = frozenset((columns.SOURCE, columns.MODEL))
_WHOLE = frozenset((columns.MESSAGES, columns.TOOLS, columns.BYTES))


class IdColumn(NumberedColumn[str]):
    """The ids of the sessions that are there: their texts are kept once, where they have their
    numbers."""

    def __init__(self, numbers: SessionNumbers) -> None:
        self._numbers = numbers
        self._there = bytearray()

    def put(self, key: int, value: str) -> None:
        self._there.extend(bytes(max(key + 1 - len(self._there), 0)))
        self._there[key] = 1

    def drop(self, key: int) -> None:
        if 0 < key < len(self._there):
            self._there[key] = 0

    def copy(self) -> "IdColumn":
        made = IdColumn(self._numbers)
        made._there = self._there[:]
        return made

    def _found(self, key: int) -> str | None:
        there = 0 < key < len(self._there) and self._there[key]
        return self._numbers.id(key) if there else None

    def __iter__(self) -> Iterator[int]:
        return (key for key, there in enumerate(self._there) if there)


def all_columns(
    reader: TableReader,
    tables: ServerTables,
    asked: Collection[Column[object]],
    noted: Mapping[str, str],
) -> Columns:
    """What is asked of every session, by one streamed query; `noted` are titles by id that stand
    for those which a program does not keep."""
    recipes = columns.asked_of(recipes_of(tables), asked)
    found: dict[Column[Any], Mapping[int, Any]] = {column: {} for column in asked}
    made: dict[Column[Any], NumberedColumn[Any]] = {
        column: _empty(column, tables) for column in recipes
    }
    names = [name for recipe in recipes.values() for name in recipe.cells]
    picked = [
        name if name.startswith("(") else tables.pick(reader.schema, "sessions", "s", (name,))
        for name in names
    ]
    takes = [
        (made[column].put, recipe.value, list(map(names.index, recipe.cells)))
        for column, recipe in recipes.items()
    ]
    titles = made.get(columns.TITLE)
    if takes:
        select = f"SELECT s.session_id, {', '.join(picked)} FROM {tables.sessions} s"
        for id_, *row in streamed(reader, select):
            key = tables.key(id_)
            for put, value, places in takes:
                known = value(*[row[at] for at in places])
                if known is not None:
                    put(key, known)
            if titles is not None and id_ in noted and key not in titles:
                titles.put(key, noted[id_])
    if columns.TOKENS in asked:
        found[columns.TOKENS] = _tokens(reader, tables)
    if columns.LEASE in asked:
        leases = tables.leases(reader.rows, reader.schema)
        found[columns.LEASE] = {
            key: leases[id_] for id_ in leases if (key := tables.ids.known(id_))
        }
    return Columns({**found, **made})


def _empty(column: Column[object], tables: ServerTables) -> NumberedColumn[Any]:
    if column == columns.ID:
        return IdColumn(tables.ids)
    if column in _TEXTS:
        return TextColumn()
    return NameColumn() if column in _NAMES else NumberColumn(floats=column not in _WHOLE)


def _tokens(reader: TableReader, tables: ServerTables) -> NumberColumn[float]:
    """Of the sessions that have a number, by the same rules as `usage.tokens`."""
    late = totals_began_late(reader.schema, tables)
    made = NumberColumn[float](floats=True)
    sums = ", ".join(map(tables.flavour.total, ("t.prompt_tokens", "t.completion_tokens")))
    for table in counted_in(reader.schema, tables):
        select = f"SELECT t.session_id, {sums} FROM {table} t GROUP BY t.session_id"
        for id_, *both in streamed(reader, select):
            key = tables.ids.known(id_)
            used = float(sum(cells.integer(one) or 0 for one in both))
            if key and (key not in made or (late and used > made[key])):
                made.put(key, used)
    return made

"""What can be asked of many sessions at once, each a column: ids, titles, figures, states.

A store has one table of recipes, which says how it reads each column. Only what is asked for is
read, in one walk for all of it: ids and titles alone come from indexes in an instant; the rest is
stored after long system prompts, where one column costs as much as all.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from explorer.stores.numbered_columns import NumberedColumn
from explorer.stores.sqlite.read_only import Reader
from explorer.stores.sqlite.slices import numbered_rows

Unique = Callable[[Sequence[int]], Sequence[int]]
"""Gives keys of one store those that they have among several."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Column(str, Generic[T_co]):
    """Something that is known of sessions, by name, with the type that it has."""


ID = Column[str]("id")
"""Of every session, so that it also tells which there are."""
TITLE = Column[str]("title")
SOURCE = Column[str]("source")
MODEL = Column[str]("model")
"""Missing where the agent did not note one."""
MESSAGES = Column[int]("messages")
TOOLS = Column[int]("tools")
"""Calls, of sessions in which tools were called."""
WORKSPACE = Column[str]("workspace")
OWNER = Column[str]("owner")
"""The profile that a session says it belongs to; missing where it says nothing, and then it is the
profile of its file."""
CHAT = Column[str]("chat")
"""Of sessions of a gateway: who talks to the agent and where, in words; then, one a line, what else
it may be looked for by."""
COST = Column[float]("cost")
"""Dollars, where the agent knew them: a stored zero need not mean free."""
TOKENS = Column[float]("tokens")
"""In and out together."""
STARTED = Column[float]("started")
ENDED = Column[float]("ended")
"""Of sessions that have ended; zero where it is not clear when."""
LEASE = Column[float]("lease")
"""Until when a process holds the session, by its own word."""
WITHIN = Column[float]("within")
"""Seconds after its newest message for which a session counts as running, where its agent does not
go by the usual ones (`model.RUNNING_WITHIN`)."""
STATE: frozenset[Column[float]] = frozenset((ENDED, LEASE, WITHIN))
"""What `Catalog.state` goes by."""
CALL = Column[str]("call")
"""Of subagents: the id of the tool call that started it, where the agent keeps that."""
READ_AT = Column[float]("read at")
"""When a session was read last, where the agent keeps track of that."""
BYTES = Column[int]("bytes")
"""Of text in the messages; reads all of them."""


class Renamed(dict[int, int]):
    """The keys of one store, each with the one that it has among several."""

    def __init__(self, keys: Iterable[int], unique: Unique) -> None:
        own = list(keys)
        super().__init__(zip(own, unique(own), strict=True))
        self._unique = unique

    def __missing__(self, key: int) -> int:
        return self._unique([key])[0]


class Columns:
    """What was asked for, of sessions by key: missing where it is unknown, and empty where it was
    not asked for."""

    def __init__(self, known: Mapping[Column[Any], Mapping[int, Any]] | None = None) -> None:
        self.known = known or {}

    def __getitem__(self, column: Column[T]) -> Mapping[int, T]:
        return self.known.get(column, {})

    def __or__(self, more: "Columns") -> "Columns":
        return Columns({**self.known, **more.known})

    def joined(self, more: "Columns") -> "Columns":
        """These columns, with what is known of other sessions."""
        return Columns({one: {**known, **more[one]} for one, known in self.known.items()})

    def renamed(self, unique: Unique) -> "Columns":
        """These columns by the keys that sessions have among several stores."""
        # One object for each key, which all columns hold.
        longest: Mapping[int, object] = max(self.known.values(), key=len, default={})
        outer = Renamed(longest, unique)
        return Columns(
            {
                column: dict(zip(map(outer.__getitem__, values), values.values(), strict=True))
                for column, values in self.known.items()
            }
        )

    def renewed(self, newer: "Columns", keys: Collection[int]) -> "Columns":
        """These columns, but of some sessions the newer ones."""
        return Columns({one: renewed(old, newer[one], keys) for one, old in self.known.items()})


def renewed(old: Mapping[int, T], new: Mapping[int, T], keys: Collection[int]) -> Mapping[int, T]:
    """What was known of sessions, but of some of them what is known now."""
    if isinstance(old, NumberedColumn):
        return old.renewed(new, keys)
    kept = dict(old)
    for key in keys:
        kept.pop(key, None)
    kept.update(new)
    return kept


class Recipe(NamedTuple):
    """How a column is made of a table of sessions."""

    cells: tuple[str, ...]
    """Columns of the table, or expressions in parentheses, in which the table is `s`."""
    value: Callable[..., object]
    """What these cells say; None where they say nothing."""
    repeats: bool = False
    """Most sessions say one of a few things, as with the names of models."""


Recipes = Mapping[Column[Any], Recipe]
Found = dict[Column[Any], dict[int, Any]]


def asked_of(recipes: Recipes, asked: Collection[Column[object]]) -> Recipes:
    """The recipes of what is asked for, in the order of the table."""
    return {column: recipe for column, recipe in recipes.items() if column in asked}


def read(
    reader: Reader,
    table: str,
    recipes: Recipes,
    keys: Sequence[int] | None = None,
    unique: Unique = list,
) -> Found:
    """The columns of these rows of a table, or of all, in one walk."""
    if not recipes:
        return {}
    names = (cell for recipe in recipes.values() for cell in recipe.cells)
    select = ", ".join(
        name if name.startswith("(") else reader.schema.pick(table, "s", (name,)) for name in names
    )
    return made(recipes, numbered_rows(reader, select, table, keys), unique)


def made(recipes: Recipes, rows: Sequence[Sequence[Any]], unique: Unique = list) -> Found:
    """The columns of rows of (key, cells of each recipe)."""
    own_keys, *cells = zip(*rows, strict=True) if rows else [()]
    keys = unique(own_keys)
    found: Found = {}
    for column, recipe in recipes.items():
        own, cells = cells[: len(recipe.cells)], cells[len(recipe.cells) :]
        values = zip(keys, _values(recipe, own), strict=True)
        found[column] = {key: value for key, value in values if value is not None}
    return found


def _values(recipe: Recipe, cells: Sequence[Sequence[Any]]) -> Iterable[object]:
    """What the cells of each row say."""
    if recipe.repeats and len(cells) == 1:
        return map(_Said(recipe.value).__getitem__, *cells)
    if recipe.repeats:
        if len(cells) == 2 and cells[0].count(None) == len(cells[0]):
            # As nearly always; in half of the time.
            return map(_Said(partial(recipe.value, None)).__getitem__, cells[1])
        return map(_SaidTogether(recipe.value).__getitem__, zip(*cells, strict=True))
    return map(recipe.value, *cells) if cells else ()


class _Said(dict[object, object]):
    """What a cell says, found out once for each text: of 100,000 sessions that name a few models,
    in a quarter of the time, and with one text for all of them."""

    def __init__(self, value: Callable[..., object]) -> None:
        self._value = value

    def __missing__(self, cell: object) -> object:
        value = self._value(cell)
        # Not of numbers: 1 and 1.0 are equal, and need not say the same.
        if cell is None or type(cell) is str:
            self[cell] = value
        return value


class _SaidTogether(dict[tuple[object, ...], object]):
    """The same of several cells."""

    def __init__(self, value: Callable[..., object]) -> None:
        self._value = value

    def __missing__(self, row: tuple[object, ...]) -> object:
        value = self._value(*row)
        if all(cell is None or type(cell) is str for cell in row):
            self[row] = value
        return value

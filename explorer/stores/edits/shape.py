"""A session as an edit sees it: its row, and the tables that are copied, emptied and filled again.

Each agent's dialect tells the shape of its own tables. What it cannot tell is a reason not to touch
the file.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from explorer.model import State, called, state_of
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Cell, Rows
from explorer.stores.sqlite.schema import quoted

RESET_CHILD = "reset"
"""The kind of a session with which a chat began anew."""
APART = ("branch", RESET_CHILD)
"""Children that are conversations of their own."""


SHORT = 60
"""Characters of the first words that stand for a title."""


class Subject(NamedTuple):
    """One row of the sessions."""

    row: int
    id: str
    sound: bool
    """The id is text that finds the row again; else nothing is done to it."""
    title: str | None
    source: str
    parent: str | None
    last_active: float | None
    ended: bool = False
    end_reason: str = ""
    archived: bool = False
    kind: str = "root"
    along: bool = False
    """It says of itself that it goes when its parent goes."""
    hidden: bool = False
    pinned: bool = False
    swept: bool = False
    """The agent archived it by itself, and takes that back when it is used again."""


class Size(NamedTuple):
    """How much there is of a session."""

    messages: int
    bytes: int


def sound_id(type_: object, id_: str) -> bool:
    """Whether an id, with its storage class, is text that finds its row again."""
    return cells.words(type_) == "text" and "\ufffd" not in id_


def row_number(cell: object) -> int:
    """The number of a row, which may be less than zero."""
    assert isinstance(cell, int)
    return cell


def in_order(messages: Iterable[Mapping[str, Cell]], column: str) -> list[Mapping[str, Cell]]:
    """Messages by what orders them; one that is cut off before it says is the last."""

    def place(message: Mapping[str, Cell]) -> float:
        found = cells.number(message.get(column))
        return math.inf if found is None else found

    return sorted(messages, key=place)


def state(subject: Subject, leases: Mapping[str, float], now: float) -> State:
    """Whether somebody may be writing it."""
    return state_of(
        last_active=subject.last_active,
        ended=subject.ended,
        held_until=leases.get(subject.id, 0.0),
        now=now,
    )


def short_name(title: str | None, words: str, id_: str) -> str:
    """What the list calls a session, in a few words; its id where it has none."""
    short = f"{words[:SHORT]}…" if len(words) > SHORT else words
    return called(title, short) or id_


class Belonging(NamedTuple):
    """Rows of another table that are about a session."""

    table: str
    column: str
    """Where they name it."""
    detached: bool = False
    """They stay, and no longer name it."""


class Shared(NamedTuple):
    """Rows that several sessions name, and that go with the last of them."""

    table: str
    key: str
    columns: tuple[str, ...]
    """Where a session names one."""


class TableShape(NamedTuple):
    """A table of sessions, and the tables that go with it."""

    sessions: str
    id: str
    messages: str
    belongings: tuple[Belonging, ...] = ()
    owner: str = "session_id"
    """Where a message names its session."""
    content: str = "content"
    parent: str = "parent_session_id"
    title: str = ""
    """Where titles are, if no two sessions have the same."""
    counters: tuple[str, ...] = ()
    """Columns of a session that count its messages."""
    shared: Shared | None = None
    filled: frozenset[str] = frozenset()
    """Columns of messages that triggers fill in: they may change while other messages go, and have
    to be set again when a message comes back."""
    ranks: Mapping[str, int] = {}
    """Tables by the order of their foreign keys: nobody before those that it refers to."""
    declared: bool = True
    """The tables declare their links and keys: no link leads nowhere, and what hangs on a session
    is known by its key. Else links may, and the numbers of such rows mean nothing."""

    @property
    def beside_messages(self) -> tuple[str, ...]:
        """Tables of which a row is no message: the sessions, and what they share."""
        return (self.sessions, *([self.shared.table] if self.shared else []))


TableColumns = Callable[[str], tuple[str, ...]]
"""The columns of a table in their order, without those that SQLite makes by itself."""


def columns_of(ask: Rows, table: str) -> tuple[str, ...]:
    rows = ask(f"PRAGMA table_xinfo({quoted(table)})", ())
    return tuple(cells.words(row[1]) for row in rows if not row[6])


def known_columns(ask: Rows, shape: TableShape) -> TableColumns:
    """The columns of every table of a shape, asked at once: a writer that has the whole file, as it
    may without a log, would keep our own reader waiting."""
    tables = (shape.messages, *shape.beside_messages, *(one.table for one in shape.belongings))
    return {table: columns_of(ask, table) for table in tables}.__getitem__


def listing(columns: Iterable[str]) -> str:
    return ", ".join(quoted(column) for column in columns)

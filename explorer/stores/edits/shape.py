"""A session as an edit sees it: its row, and the tables that are copied, emptied and filled again.

Each agent's dialect tells the shape of its own tables. What it cannot tell is a reason not to touch
the file.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import NamedTuple

from explorer.model import RUNNING_WITHIN, State
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Rows
from explorer.stores.sqlite.schema import quoted

RESET_CHILD = "reset"
"""The kind of a session with which a chat began anew."""
APART = ("branch", RESET_CHILD)
"""Children that are conversations of their own."""


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
    ended: bool
    end_reason: str
    archived: bool
    kind: str
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


def state(subject: Subject, leases: Mapping[str, float], now: float) -> State:
    """Whether somebody may be writing it."""
    if leases.get(subject.id, 0.0) > now:
        return State.RUNNING
    if subject.ended:
        return State.ENDED
    recent = subject.last_active is not None and now - subject.last_active < RUNNING_WITHIN
    return State.RUNNING if recent else State.OPEN


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


Columns = Callable[[str], tuple[str, ...]]
"""The columns of a table in their order, without those that SQLite makes by itself."""


def known_columns(ask: Rows) -> Columns:
    """The columns of any table of a file, which is asked once for each."""

    @cache
    def columns(table: str) -> tuple[str, ...]:
        rows = ask(f"PRAGMA table_xinfo({quoted(table)})", ())
        return tuple(cells.words(row[1]) for row in rows if not row[6])

    return columns


def listing(columns: Iterable[str]) -> str:
    return ", ".join(quoted(column) for column in columns)

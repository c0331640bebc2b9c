"""What belongs to a session in a file: the tables that an edit copies, empties and fills again.

Each agent's dialect tells the shape of its own tables. What it cannot tell is a reason not to touch
the file.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Rows
from explorer.stores.sqlite.schema import quoted


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


class Shape(NamedTuple):
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


def columns_of(ask: Rows, table: str) -> tuple[str, ...]:
    """The columns of a table in their order, without those that SQLite makes by itself."""
    rows = ask(f"PRAGMA table_xinfo({quoted(table)})", ())
    return tuple(cells.words(row[1]) for row in rows if not row[6])


def listing(columns: Iterable[str]) -> str:
    return ", ".join(quoted(column) for column in columns)

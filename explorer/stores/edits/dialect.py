"""What the edits engine asks of an agent: how it keeps its sessions, and by which rules.

The engine copies, deletes, changes and restores rows without knowing whose they are. Everything
that belongs to one agent is in its `Dialect`, which belongs to a store, and in the `SessionTables`
that it gives for one connection. Most rules have a default here: an agent that has no titles, no
leases or no files need not mention them. A `Subject` is a session as an edit sees it; a
`TableShape` names the tables that are copied, emptied and filled again. A file whose shape the
dialect cannot tell is not touched.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import NamedTuple, Self

from explorer.errors import Refused
from explorer.model import RUNNING_WITHIN, State, state_of
from explorer.stores.edits.connection import Changed, Transaction
from explorer.stores.edits.plans import Planned, Title
from explorer.stores.edits.refusal_words import NO_LONGER_THERE, SESSION_GONE
from explorer.stores.ours.trash_records import short_name
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Cell, Image, Rows
from explorer.stores.sqlite.schema import Schema, quoted

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
    ended: bool = False
    end_reason: str = ""
    archived: bool = False
    kind: str = "root"
    along: bool = False
    """It is marked to be deleted with its parent."""
    hidden: bool = False
    pinned: bool = False
    interrupted: bool = False
    """It waits for the results of tools, and takes nothing else before it has them."""
    swept: bool = False
    """The agent archived it by itself, and unarchives it when it is used again."""
    said_at: float | None = None
    """When its last message was written, where its last activity may be something else."""


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
    """Tables by the order of their foreign keys: each after those that it refers to."""
    declared: bool = True
    """The tables declare their links and keys: no link leads nowhere, and what depends on a session
    is known by its key. Else links may, and the numbers of such rows mean nothing."""

    @property
    def beside_messages(self) -> tuple[str, ...]:
        """Tables of which a row is no message: the sessions, and what they share."""
        return (self.sessions, *([self.shared.table] if self.shared else []))


def any_trigger(names: Iterable[object]) -> str:
    """The first of these triggers as a reason not to edit; empty where there is none."""
    for name in names:
        return f"the file has an unknown trigger ({cells.words(name)})"
    return ""


TableColumns = Mapping[str, tuple[str, ...]]
"""The columns of tables in their order, without those that SQLite makes by itself."""


def columns_of(ask: Rows, table: str) -> tuple[str, ...]:
    rows = ask(f"PRAGMA table_xinfo({quoted(table)})", ())
    return tuple(cells.words(row[1]) for row in rows if not row[6])


def known_columns(ask: Rows, shape: TableShape) -> TableColumns:
    """The columns of every table of a shape, asked at once: a writer that has the whole file, as it
    may without a log, would keep our own reader waiting."""
    tables = (shape.messages, *shape.beside_messages, *(one.table for one in shape.belongings))
    return {table: columns_of(ask, table) for table in tables}


def listing(columns: Iterable[str]) -> str:
    return ", ".join(quoted(column) for column in columns)


Values = Mapping[str, Cell]
"""Other values for some cells of a session, by column."""


class Dialect(ABC):
    """An agent's way to keep sessions, in one store. A kind with one table of sessions, whose row
    numbers are its keys, says only what depends on it (`over`), and what it `lacks`."""

    lacks: Mapping[str, str] = {}
    """Edits that the agent has no place for, and why."""

    def __init__(self, path: Path, *sessions: str) -> None:
        """`sessions` are the tables of sessions in the file at `path`."""
        self.path = path
        self.folder = path.resolve().parent
        """Where the agent keeps files about single sessions."""
        self.sessions = sessions

    def place(self, key: int) -> tuple[str, int]:
        """(table of sessions, number of the row) of a session by its key."""
        return self.sessions[0], key

    def key(self, table: str, row: int) -> int:
        """The key of a row: the reverse of `place`."""
        return row

    def reasons(self, schema: Schema, ask: Rows) -> Mapping[str, str | None]:
        """Of each edit why these tables do not allow it; None where they do. Nothing is known here
        of any trigger: where one watches sessions nothing is changed, and beside any other nothing
        is taken out."""
        found = ask("SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'", ())
        watched = {name.lower() for name in self.sessions}
        rows = any_trigger(name for name, table in found if cells.words(table).lower() in watched)
        gone = rows or any_trigger(name for name, _ in found)
        return {
            **dict.fromkeys(("rename", "archive", "pin", "end", "reopen"), rows),
            **dict.fromkeys(("delete", "clear", "prune"), gone),
            **self.lacks,
        }

    def left_to_agent(self, schema: Schema) -> str:
        """Why only the agent's own command can delete, if so."""
        return ""

    def first_words(self, messages: Sequence[Mapping[str, Cell]]) -> str:
        """What a session without a title is called, told by its first messages."""
        return ""

    @abstractmethod
    def over(self, ask: Rows, schema: Schema, table: str) -> "SessionTables":
        """One table of sessions and what goes with it; refuses what is not known."""


class SessionTables(ABC):
    """A table of sessions and what depends on it, asked over one connection.

    Asked before an edit, for its plan, and again under the lock, when it is done: so no question
    here reads the messages of a session but that for its size, which only a plan asks.
    """

    keeps_archive = False
    """Whether the file has a place for what is archived; else our notes have."""
    keeps_pins = False
    notes_titles = False
    """Whether our notes have the title of a session that has none in the file."""
    guarded = False
    """Whether not even a title or the archive is changed while an agent may be writing."""
    running_within = RUNNING_WITHIN
    """Seconds after its newest message for which a session counts as running."""
    reclaim = "The state file does not shrink; the agent reuses the space."
    """What becomes of the space of what was deleted."""
    files_in = ""
    """The folder with the files of the sessions, as a person would write it."""

    def __init__(
        self, ask: Rows, schema: Schema, shape: TableShape, key_of: Callable[[str, int], int]
    ) -> None:
        self.ask = ask
        self.schema = schema
        self.shape = shape
        self._key_of = key_of

    def under(self, tx: Transaction) -> Self:
        """The same, asked under the lock."""
        there = copy(self)
        there.ask, there.schema = tx.rows, tx.schema
        return there

    def key(self, row: int) -> int:
        """What the layers above know a session by."""
        return self._key_of(self.shape.sessions, row)

    @abstractmethod
    def subjects(self, column: str, values: Iterable[object]) -> list[Subject]:
        """The sessions that have one of these values in a column (`rowid` for their number)."""

    def children(self, ids: Collection[str]) -> list[Subject]:
        """The sessions that have one of these for a parent."""
        return self.subjects(self.shape.parent, ids)

    def has(self, id_: str) -> bool:
        """Whether there is a session with this id."""
        sessions, name = quoted(self.shape.sessions), quoted(self.shape.id)
        return bool(self.ask(f"SELECT 1 FROM {sessions} t WHERE t.{name} = ?", (id_,)))

    def leases(self) -> Mapping[str, float]:
        """Until when some process holds a session, by id."""
        return {}

    def running(self, ids: Collection[str], now: float) -> frozenset[str]:
        """Those of these sessions that an agent may be writing; some may not exist."""
        there = self.subjects(self.shape.id, ids)
        held = self.leases() if there else {}
        return frozenset(one.id for one in there if self.state(one, held, now) is State.RUNNING)

    def state(self, subject: Subject, leases: Mapping[str, float], now: float) -> State:
        """Whether an agent may be writing it."""
        return state_of(
            last_active=subject.last_active if subject.said_at is None else subject.said_at,
            ended=subject.ended,
            held_until=leases.get(subject.id, 0.0),
            now=now,
            within=self.running_within,
        )

    def stored(self, subject: Subject, columns: Sequence[str]) -> Image:
        """Cells of a session as they are stored."""
        names = ", ".join(f"t.{quoted(column)}" for column in columns)
        rows = self.ask(
            f"SELECT {names} FROM {quoted(self.shape.sessions)} t"
            f" WHERE t.{quoted(self.shape.id)} = ?",
            (subject.id,),
        )
        if not rows:
            raise Changed(SESSION_GONE, NO_LONGER_THERE)
        return rows[0]

    def size(self, id_: str) -> Size:
        """How much there is of a session: this reads all of its messages."""
        shape = self.shape
        ((count, size),) = self.ask(
            f"SELECT count(*), total(length(CAST(m.{quoted(shape.content)} AS BLOB)))"
            f" FROM {quoted(shape.messages)} m WHERE m.{quoted(shape.owner)} = ?",
            (id_,),
        )
        return Size(cells.amount(count), cells.amount(size))

    def messages(self, id_: str) -> int:
        """How many messages a session has, without a look at any."""
        shape = self.shape
        sql = f"SELECT count(*) FROM {quoted(shape.messages)} m WHERE m.{quoted(shape.owner)} = ?"
        ((count,),) = self.ask(sql, (id_,))
        return cells.amount(count)

    def first_words(self, subject: Subject) -> str:
        """What a session without a title is called; empty where nothing was said."""
        return ""

    def name(self, id_: str) -> str:
        """What the list calls the session with an id; the id where it is gone."""
        found = self.subjects(self.shape.id, [id_])
        return short_name(found[0].title, self.first_words(found[0]), id_) if found else id_

    def subagents(self, of: Sequence[Subject]) -> list[Subject]:
        """The subagents to delete with these: only where the agent itself noted whose they are."""
        return [one for one in self.children([one.id for one in of]) if one.along]

    def files(self, ids: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Names of the files in `files_in` that are about sessions, by id."""
        return {}

    def delete_notes(self, going: Sequence[Planned], staying: Sequence[Planned]) -> Iterable[str]:
        """What the user should know before a delete, for this agent only."""
        return ()

    def title(self, subject: Subject, typed: str) -> Title:
        """What a title that was typed comes to for a session."""
        raise _unknown("renamed")

    def titled(self, subject: Subject, title: str | None) -> Values:
        """A session with another title."""
        raise _unknown("renamed")

    def title_taken(self, title: str, but_by: Collection[str]) -> Title | None:
        """Whether a title belongs to another session by now, and which is free."""
        return None

    def free_title(self, title: str, taken: Collection[str | None]) -> str:
        """The title, or the next one like it that is free."""
        return title

    def archived(self, subject: Subject, on: bool, now: float) -> Values:
        """A session that is archived, or no longer."""
        raise _unknown("archived")

    def pinned(self, subject: Subject, on: bool) -> Values:
        """A session that is pinned, or no longer."""
        raise _unknown("pinned")

    def ended(self, now: float) -> Values:
        """A session that has ended."""
        raise _unknown("ended")

    def stays_ended(self, subject: Subject) -> str:
        """Why an ended session cannot be opened again, if so."""
        return ""

    def reopened(self, subject: Subject) -> Iterable[tuple[Subject, Values]]:
        """A session without its end, and what has to be said of others for that."""
        raise _unknown("reopened")


def _unknown(done: str) -> Refused:
    return Refused(f"Cannot be {done}", "Its agent does not support this.")

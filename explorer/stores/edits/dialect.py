"""What the edits engine asks of an agent: how it keeps its sessions, and by which rules.

The engine copies, deletes, changes and restores rows without knowing whose they are. Everything
that is one agent's own stands in its `Dialect`, which belongs to a store, and in the
`SessionTables` that it gives for one connection. Most rules have a default here: an agent that has
no titles, no leases or no files says nothing about them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Protocol, Self

from explorer.errors import Refused
from explorer.model import State
from explorer.stores.edits.plans import Planned, Title
from explorer.stores.edits.shape import Shape
from explorer.stores.edits.subject import Size, Subject, called, state
from explorer.stores.edits.write.connection import Changed, Transaction
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Cell, Image, Rows
from explorer.stores.sqlite.schema import Schema, quoted

Values = Mapping[str, Cell]
"""Other values for some cells of a session, by column."""


class Dialect(Protocol):
    """An agent's way to keep sessions, in one store."""

    folder: Path
    """Where the agent keeps files about single sessions."""

    def place(self, key: int) -> tuple[str, int]:
        """(table of sessions, number of the row) of a session by its key."""
        ...

    def key(self, table: str, row: int) -> int:
        """The other way round."""
        ...

    def reasons(self, schema: Schema, ask: Rows) -> Mapping[str, str | None]:
        """Of each edit why these tables do not allow it; None where they do."""
        ...

    def left_to_agent(self, schema: Schema) -> str:
        """Why only the agent's own command can delete, if so."""
        ...

    def first_words(self, messages: Sequence[Mapping[str, Cell]]) -> str:
        """What a session without a title is called, told by its first messages."""
        ...

    def over(self, ask: Rows, schema: Schema, table: str) -> "SessionTables":
        """One table of sessions and what goes with it; refuses what is not known."""
        ...


class SessionTables(ABC):
    """A table of sessions and what hangs on it, asked over one connection.

    Asked before an edit, for its plan, and again under the lock, when it is done: so no question
    here reads the messages of a session but that for its size, which only a plan asks.
    """

    keeps_archive = False
    """Whether the file has a place for what is archived; else our notes have."""
    keeps_pins = False
    reclaim = ""
    """How the agent gives the room of what was deleted back."""

    def __init__(
        self, ask: Rows, schema: Schema, shape: Shape, key_of: Callable[[str, int], int]
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
        """Those of these sessions that somebody may be writing; some may not be there at all."""
        there = self.subjects(self.shape.id, ids)
        held = self.leases() if there else {}
        return frozenset(one.id for one in there if state(one, held, now) is State.RUNNING)

    def stored(self, subject: Subject, columns: Sequence[str]) -> Image:
        """Cells of a session as they are stored."""
        names = ", ".join(f"t.{quoted(column)}" for column in columns)
        rows = self.ask(
            f"SELECT {names} FROM {quoted(self.shape.sessions)} t"
            f" WHERE t.{quoted(self.shape.id)} = ?",
            (subject.id,),
        )
        if not rows:
            raise Changed("The session is gone", "It is no longer in the file.")
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

    def first_words(self, subject: Subject) -> str:
        """What a session without a title is called; empty where nobody said anything."""
        return ""

    def name(self, id_: str) -> str:
        """What the list calls the session with an id; the id where it is gone."""
        found = self.subjects(self.shape.id, [id_])
        return called(found[0].title, self.first_words(found[0]), id_) if found else id_

    def subagents(self, of: Sequence[Subject]) -> list[Subject]:
        """Who goes along when these go: only where the agent itself noted whose they are."""
        return [one for one in self.children([one.id for one in of]) if one.along]

    def files(self, ids: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Names of the files beside the store that are about sessions, by id."""
        return {}

    def delete_notes(self, going: Sequence[Planned], staying: Sequence[Planned]) -> Iterable[str]:
        """What a person should know before sessions go, that only this agent does."""
        return ()

    def title(self, subject: Subject, typed: str) -> Title:
        """What a title that was typed comes to for a session."""
        raise _unknown("renamed")

    def titled(self, title: str | None) -> Values:
        """A session with another title."""
        raise _unknown("renamed")

    def title_taken(self, title: str, but_by: Collection[str]) -> Title | None:
        """Whether a title belongs to another session by now, and which is free."""
        return None

    def free_title(self, title: str, taken: Collection[str | None]) -> str:
        """The title, or the next one like it that nobody has."""
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
    return Refused(f"It cannot be {done}", "Its agent has no such thing.")

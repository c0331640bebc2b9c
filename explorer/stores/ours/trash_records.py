"""What our trash holds: edits that can be undone, and what each of them deleted."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple, Self

from explorer.model import called
from explorer.render import veil
from explorer.stores.sqlite.images import Cell, Image

OURS = "our own notes"
"""Stands for a table where a change is kept in our own notes, not in the file."""
SHORT = 60
"""Characters of the first words that stand for a title."""
AN_EMPTY = "an empty session"
"""In the place of a name: its id would tell a person nothing."""


class _State(StrEnum):
    @classmethod
    def _missing_(cls, value: object) -> Self:
        """One that a newer version has written."""
        return cls("unknown")


class ReceiptState(_State):
    """How far an edit has got."""

    BEGUN = "begun"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"
    UNKNOWN = "unknown"


class EntryState(_State):
    """Where a session is."""

    COPIED = "copied"
    """Here, and not yet wholly out of its file."""
    GONE = "gone"
    """Here alone."""
    COMING = "coming"
    """Here, and on its way back into its file."""
    BACK = "back"
    """In its file again, all of it."""
    UNKNOWN = "unknown"


class Receipt(NamedTuple):
    """An edit that can be undone."""

    number: int
    action: str
    made: float
    state: ReceiptState
    words: str
    """What it did, for people; as it was stored, so to be cleaned."""
    sessions: int
    messages: int
    bytes: int
    """Of what the trash holds of it, before compression."""
    back: int
    """Sessions of it that are in their file again."""
    place: str = ""
    """The names of the state files that it was made in, where several are open."""
    parts: tuple["Receipt", ...] = ()
    """What it did in each of several state files."""
    changed: int = 0
    """Sessions that stay in their file, of which it changed something."""
    whole: int = 0
    """The number of the change in several state files that it is a part of."""
    gone: bool = False
    """The state file that it was made in is gone."""

    @property
    def shown(self) -> int:
        """Its number, for people: one change has one, whichever of its files are open."""
        return self.whole or self.number

    @property
    def lost(self) -> bool:
        """No state file is left that it could be undone in."""
        return all(one.gone for one in self.parts or (self,))

    @property
    def half_done(self) -> bool:
        """It was begun, or its undo was, and not ended: it is in progress, or was interrupted."""
        return self.state in (ReceiptState.BEGUN, ReceiptState.UNDOING)


class Entry(NamedTuple):
    """A session in the trash, or the messages of one."""

    number: int
    receipt: int
    shape: str
    """The table of sessions it is from."""
    session: str
    title: str | None
    source: str
    kind: str
    """`session`, or `messages` where the session itself stays."""
    messages: int
    bytes: int
    active: float | None
    state: EntryState
    words: str = ""
    """Its first words, where it has no title and its messages were looked into."""
    place: str = ""
    """The name of the state file that it is from, where several are open."""

    @property
    def name(self) -> str:
        return short_name(self.title, self.words, self.session)

    @property
    def full_id(self) -> str:
        """Its id; among several profiles with the one that it is from."""
        return f"{self.place}/{self.session}" if self.place else self.session

    @property
    def is_back(self) -> bool:
        return self.state is EntryState.BACK

    @property
    def is_empty(self) -> bool:
        return not (self.messages or self.title or self.words)

    @property
    def quoted(self) -> str:
        return AN_EMPTY if self.is_empty else f"“{self.name}”"


def short_name(title: str | None, words: str, id_: str) -> str:
    """What the list calls a session, in a few words; its id where it has none."""
    short = f"{veil.cut(words, SHORT)}…" if len(words) > SHORT else words
    return called(title, short) or id_


def table_of(entries: Sequence[Entry], changes: Sequence["CellChange"] = ()) -> str:
    """The table of sessions that an edit was about."""
    if entries:
        return entries[0].shape
    return next((change.table for change in changes if change.table != OURS), "sessions")


class Pack(NamedTuple):
    """Rows of one table; the first column is the rowid."""

    table: str
    columns: tuple[str, ...]
    rows: list[Image]


class CellChange(NamedTuple):
    """Cells of one row that are given other values."""

    table: str
    id_column: str
    id: Cell
    columns: tuple[str, ...]
    old: Image
    new: Image
    entry: int = 0
    """The session that it goes with, if any: the number of its entry."""


class KeptFile(NamedTuple):
    """A file that lay beside the state file."""

    name: str
    mode: int
    time: float
    content: bytes

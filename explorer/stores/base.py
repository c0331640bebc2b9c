"""What every kind of state file offers.

The layers above ask a `Store` what it holds and what is possible; they never ask which kind it
is. Every call opens the file, reads and closes it, and stops when its token is cancelled.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from explorer.cancel import CancelToken
from explorer.model import Message, Outline, Session, Sort, StoreInfo
from explorer.stores.candidates import Indexed, Needles, Stretch
from explorer.stores.catalog import Catalog, Mark, Unit
from explorer.stores.columns import Column, Columns
from explorer.stores.fates import Fates
from explorer.stores.ours.notes import OurFiles

if TYPE_CHECKING:
    from explorer.model import Action
    from explorer.stores.edits.plans import AfterCrash, Done, EditPlan, Progress, UndoPlan
    from explorer.stores.ours.trash import TrashFile
    from explorer.stores.ours.trash_records import Entry, Receipt

T = TypeVar("T")


class NamedSession(NamedTuple):
    """A session that answers to what was typed."""

    key: int
    id: str
    title: str | None


class Changes(NamedTuple):
    """What happened to a store since a mark."""

    mark: Mark
    keys: frozenset[int]
    """Sessions that are new or were written to."""
    family: Catalog | None
    """They and everybody they are tied to."""


class Section(NamedTuple):
    """Facts about a session that belong together."""

    title: str
    rows: tuple[tuple[str, str], ...]
    """(label, value), both as they were stored; a value may have several lines."""


class Details(NamedTuple):
    """All that is known of a session, or of a conversation as a whole."""

    id: str
    """The one that is resumed."""
    title: str | None
    sections: tuple[Section, ...]


class Handover(NamedTuple):
    """How the agent of a store takes a session back."""

    program: str
    arguments: tuple[str, ...]
    """A template; the placeholders are those of the settings."""
    environment: Mapping[str, str]
    profile: str
    has_profiles: bool = False
    """The agent's home shows that it knows profiles."""


class TooLong(NamedTuple):
    """A conversation that its agent does not resume."""

    messages: int
    limit: int
    setting: str
    """The name of the limit among the agent's settings."""
    path: str
    """Where the settings are."""
    certain: bool
    """The agent refuses it; else it may, as releases before it was written had no limit."""


class Edits(Protocol):
    """The writing half of a store: keys in, plans and receipts out.

    Every plan is made from the store as it is, and every edit checks again under the lock. What an
    edit took out is in the trash, complete, before it goes.
    """

    @property
    def trash(self) -> "TrashFile": ...

    def plan(
        self,
        action: "Action",
        keys: Sequence[int],
        *,
        title: str = "",
        force: bool = False,
        measured: bool = False,
        token: CancelToken | None = None,
    ) -> "EditPlan":
        """What an edit of these sessions would do; refused with the reason where it cannot be."""
        ...

    def apply(
        self,
        plan: "EditPlan",
        token: CancelToken | None = None,
        progress: "Callable[[Progress], None] | None" = None,
        force: bool = False,
    ) -> "Done":
        """Do what was planned. Stopped by its token, a long edit says how far it got."""
        ...

    def undo_plan(
        self,
        receipt: int | None = None,
        entries: Collection[int] | None = None,
        token: CancelToken | None = None,
    ) -> "UndoPlan":
        """What taking an edit back would do: the newest that is not yet undone, or this one."""
        ...

    def undo(
        self,
        plan: "UndoPlan",
        token: CancelToken | None = None,
        progress: "Callable[[Progress], None] | None" = None,
    ) -> "Done": ...

    def before(self, receipt: "Receipt") -> "Receipt | None":
        """The edit before this one that can be taken back."""
        ...

    def after_crash(self) -> "AfterCrash":
        """What became of edits that a crash cut short; what is clear of them is settled."""
        ...

    def finish(
        self,
        receipt: "Receipt",
        token: CancelToken | None = None,
        progress: "Callable[[Progress], None] | None" = None,
    ) -> "Done":
        """Do the rest of an edit that a crash cut short."""
        ...

    def restore(
        self,
        receipt: "Receipt",
        token: CancelToken | None = None,
        progress: "Callable[[Progress], None] | None" = None,
    ) -> "Done":
        """Put back what an edit that a crash cut short had taken out; of an undo, the rest."""
        ...

    def worded(self, plan: "EditPlan") -> "EditPlan":
        """A plan in which every session without a title has its first words."""
        ...

    def worded_entries(self, entries: "Iterable[Entry]") -> "list[Entry]":
        """The same for what is in the trash."""
        ...

    def noted_pins(self) -> frozenset[str]:
        """The ids that our notes hold as pinned."""
        ...


class Store(Protocol):
    """A store of sessions: reading it, and through `edits` changing it."""

    path: Path
    kind: str
    keeps_ends: bool
    """Whether it is written down that a session has ended; else none counts as left open."""
    keeps_pins: bool
    """Whether the agent itself has pins; else they are kept in our notes."""

    def together(self, work: Callable[[], T], token: CancelToken | None = None) -> T:
        """Run `work`, whose calls in this thread read one state of the file; all of it again where
        the file was busy."""
        ...

    def handover(self) -> Handover | str:
        """How a session is resumed; where it cannot be, why not."""
        ...

    def info(self, token: CancelToken | None = None) -> StoreInfo: ...

    def first_page(
        self, limit: int, now: float, sort: Sort = Sort.ACTIVE, token: CancelToken | None = None
    ) -> list[Session]:
        """The newest rows at once, without the certainty of the catalog."""
        ...

    def pinned(
        self, noted: Collection[str], now: float, token: CancelToken | None = None
    ) -> list[Session]:
        """The conversations that are pinned, in our notes (`noted` are ids) or, where that is told
        at once, in the agent itself; for a first page, the newest first."""
        ...

    def catalog(self, token: CancelToken | None = None) -> Catalog: ...

    def changes(self, since: Mark, token: CancelToken | None = None) -> Changes | None:
        """What is new since a catalog was read; None where only another one can tell."""
        ...

    def columns(
        self,
        asked: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        """What is asked of these sessions, or of all."""
        ...

    def fates(
        self,
        catalog: Catalog,
        keys: Sequence[int] | None = None,
        before: float | None = None,
        token: CancelToken | None = None,
    ) -> Fates:
        """What the agent is going to do by itself to these sessions, with all parts of their
        conversations, or to all: of 100,000 that takes a second, and a quarter of it where only
        what comes `before` a time is asked for."""
        ...

    def too_long(self, unit: Unit, token: CancelToken | None = None) -> TooLong | None:
        """Whether the agent would refuse to resume a unit for its length."""
        ...

    def keys_of(self, ids: Sequence[str], token: CancelToken | None = None) -> Mapping[str, int]:
        """The keys of the sessions with these very ids; those that are gone are missing."""
        ...

    def edits(self, ours: OurFiles) -> Edits:
        """The writing half; `Refused` where this kind of store has none. Which edits a store allows
        is told by `info`."""
        ...

    def set_of(self, key: int) -> int:
        """Which of several sets of sessions a session is of: an edit is about one of them."""
        ...

    def sessions(
        self, units: Sequence[Unit], now: float, token: CancelToken | None = None
    ) -> list[Session]: ...

    def details(self, unit: Unit, token: CancelToken | None = None) -> Details:
        """Everything the file says of a unit, but for its messages; `NoSuchSession` where it is
        gone."""
        ...

    def outlines(
        self, key: int, rewound: bool = False, token: CancelToken | None = None
    ) -> list[Outline]:
        """The messages of a session as a person is to see them: each once. With `rewound` every
        row of it: what was taken back, copies, and what is for the model alone."""
        ...

    def first_outlines(
        self, key: int, most: int, rewound: bool = False, token: CancelToken | None = None
    ) -> tuple[list[Outline], bool]:
        """(the outlines of at least the first `most` messages, the rewound counted among them,
        whether those are all); where they are not, sizes may be unknown."""
        ...

    def system_prompt(self, key: int, token: CancelToken | None = None) -> str:
        """What the agent was told before anything was said; empty where it is not kept."""
        ...

    def messages(
        self, key: int, ids: Sequence[int], token: CancelToken | None = None
    ) -> list[Message]:
        """In the order of their ids as given; what is gone is missing."""
        ...

    def scattered(
        self, places: Sequence[tuple[int, int]], token: CancelToken | None = None
    ) -> Sequence[tuple[int, Message]]:
        """Messages of many sessions, asked for by (session, message): (session, message) each."""
        ...

    def around(
        self, key: int, ids: Sequence[int], rewound: bool = False, token: CancelToken | None = None
    ) -> Mapping[int, tuple[int | None, int | None]]:
        """The messages before and after each of these, in the same session."""
        ...

    def find(self, text: str, token: CancelToken | None = None) -> list[NamedSession]:
        """The sessions that an id, the beginning of one, or a title may mean: one when it is
        clear."""
        ...

    def lost_messages(self, id_: str, token: CancelToken | None = None) -> list[Message]:
        """Messages that name a session of which no row is left."""
        ...

    def indexed(
        self,
        needles: Needles,
        limit: int,
        below: int | None = None,
        token: CancelToken | None = None,
    ) -> Indexed:
        """The newest candidates that a search table knows, or the newest of those below a message;
        nothing where no table can tell."""
        ...

    def ranked(
        self, needles: Needles, most: int, token: CancelToken | None = None
    ) -> Mapping[int, float]:
        """Of the newest messages that a search table knows, how well they match, by message: the
        less the better. Empty where no table can tell."""
        ...

    def scanned(
        self, needles: Needles, below: int | None, token: CancelToken | None = None
    ) -> Stretch:
        """The candidates among the newest messages, or the newest of those below a mark: called
        again and again until the end, it has seen every message."""
        ...

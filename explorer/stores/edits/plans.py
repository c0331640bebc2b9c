"""What an edit would do, in values: shown before it is done, and checked again when it is."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from explorer.errors import Refused
from explorer.model import Action
from explorer.stores.ours.trash_records import OURS, Change, Receipt


class Outcome(StrEnum):
    """What becomes of a session."""

    DELETE = "delete"
    CLEAR = "clear"
    CHANGE = "change"
    DETACH = "detach"
    SKIP = "skip"


class Owner(NamedTuple):
    """Who has a title that somebody else wants."""

    key: int
    id: str
    source: str
    archived: bool
    last_active: float | None = None
    yields: str = ""
    """Why the title moves on from it, as its agent would have it; empty where it keeps it."""


class Title(NamedTuple):
    """What a title that was typed comes to."""

    text: str | None
    """As it would be stored; None clears the title."""
    trouble: str = ""
    owner: Owner | None = None
    next: str = ""
    """A free title like it, where it is taken."""
    limit: int = 0
    """Characters that a title may have."""


class Planned(NamedTuple):
    """A session that a plan is about."""

    key: int
    id: str
    title: str | None
    source: str
    messages: int
    bytes: int
    kind: str
    outcome: Outcome
    reason: str = ""
    """Why it goes along, stays or is left out; empty where it was asked for."""
    state: str = ""
    """running, open or ended."""
    children: tuple[str, ...] = ()
    """Sessions that stay and lose their link to it."""
    files: tuple[str, ...] = ()
    """Names of the files beside the state file that go with it."""
    last_active: float | None = None
    words: str = ""
    """Its first words, where it has no title."""


class Totals(NamedTuple):
    """What goes, in numbers."""

    sessions: int
    messages: int
    bytes: int
    files: int


class EditPlan(NamedTuple):
    """An edit before it is done."""

    action: Action
    path: Path
    table: str
    """The table of sessions it is about: for the engine alone."""
    sessions: tuple[Planned, ...]
    changes: tuple[Change, ...] = ()
    """Cells that are given other values."""
    notes: tuple[str, ...] = ()
    """What else a person should know before saying yes."""
    title: Title | None = None
    """The new one, of a rename; where it cannot be had, the plan changes nothing."""
    elsewhere: int = 0
    """Sessions that were asked for and lie in another set of tables, so that they are left out."""

    @property
    def doomed(self) -> tuple[Planned, ...]:
        """Those that are acted upon."""
        return tuple(one for one in self.sessions if one.outcome in _ACTED_ON)

    @property
    def in_file(self) -> bool:
        """Whether it changes the file, and not only our own notes."""
        return any(change.table != OURS for change in self.changes)

    @property
    def detached(self) -> tuple[Planned, ...]:
        return tuple(one for one in self.sessions if one.outcome is Outcome.DETACH)

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many are left out, by reason."""
        found: dict[str, int] = {}
        for one in self.sessions:
            if one.outcome is Outcome.SKIP:
                found[one.reason] = found.get(one.reason, 0) + 1
        return found

    @property
    def totals(self) -> Totals:
        acted = self.doomed
        return Totals(
            sessions=len(acted),
            messages=sum(one.messages for one in acted),
            bytes=sum(one.bytes for one in acted),
            files=sum(len(one.files) for one in acted),
        )


class OnlyAgent(Refused):
    """A delete that the agent's own command could do, and we cannot."""

    def __init__(self, message: str, plan: EditPlan) -> None:
        super().__init__("Only its agent can delete it", message)
        self.plan = plan

    @property
    def ids(self) -> list[str]:
        """What the agent is to delete; it takes the subagents along by itself."""
        return [one.id for one in self.plan.doomed if not one.reason]


class Done(NamedTuple):
    """What came of an edit."""

    receipt: int | None
    """Its number in the trash; None where nothing was done."""
    action: str
    ids: tuple[str, ...]
    skipped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    stopped: bool = False
    """Somebody stopped it: the rest was not done."""
    words: str = ""
    """What was done, where that is less than was planned."""


class AfterCrash(NamedTuple):
    """What became of the edits that a crash cut short."""

    half_done: Sequence[Receipt] = ()
    """Somebody has to decide: finish, or put back."""
    ended: Sequence[Receipt] = ()
    """There is nothing to decide: whole sessions went, and can be taken back."""
    nothing: int = 0
    """How many had not done anything."""


class Progress(NamedTuple):
    """How far a long edit has got."""

    sessions: int
    of_sessions: int
    messages: int
    of_messages: int
    waiting: bool = False
    """Another program is writing: it goes on when that is done. Nothing else is told with it."""


WAITING = Progress(0, 0, 0, 0, waiting=True)
WAITING_WORDS = "Another program is writing; waiting …"

_ACTED_ON = (Outcome.DELETE, Outcome.CLEAR, Outcome.CHANGE)

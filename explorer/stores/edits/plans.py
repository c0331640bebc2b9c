"""What an edit would do, in values: shown before it is done, and checked again when it is.

`KINDS` has a row for each kind of edit: its name and what holds for it everywhere. An edit is about
what was listed: a list knows its rows by their number in the file, and the agent may give the
number of a deleted session to another one, or continue a session that was to be pruned. `as_listed`
compares.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from explorer.errors import Refused
from explorer.model import Action
from explorer.stores.catalog import Catalog
from explorer.stores.edits.reasons import SINCE
from explorer.stores.ours.trash_records import (
    AN_EMPTY,
    OURS,
    CellChange,
    Entry,
    Receipt,
    short_name,
)
from explorer.stores.sqlite.images import shown


class PlannedOutcome(StrEnum):
    """What becomes of a session."""

    DELETE = "delete"
    CLEAR = "clear"
    CHANGE = "change"
    DETACH = "detach"
    SKIP = "skip"


class Owner(NamedTuple):
    """The session that has a title which is wanted for another one."""

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
    noted: bool = False
    """The file has no place for it: our notes keep it."""


class Planned(NamedTuple):
    """A session that a plan is about."""

    key: int
    id: str
    title: str | None
    source: str
    messages: int
    bytes: int
    kind: str
    outcome: PlannedOutcome
    reason: str = ""
    """Why it is deleted too, kept or skipped; empty where it was asked for."""
    state: str = ""
    """running, open or ended."""
    children: tuple[str, ...] = ()
    """Sessions that are kept and lose their link to it."""
    files: tuple[str, ...] = ()
    """Names of its files beside the state file, which are deleted with it."""
    last_active: float | None = None
    words: str = ""
    """Its first words, where it has no title."""
    continues: str = ""
    """The id of the part before it in its conversation, if there is one."""

    @property
    def name(self) -> str:
        return short_name(self.title, self.words, self.id)

    @property
    def is_empty(self) -> bool:
        return not (self.messages or self.title or self.words)

    @property
    def quoted(self) -> str:
        return AN_EMPTY if self.is_empty else f"“{self.name}”"


class Totals(NamedTuple):
    """What is removed or changed, in numbers."""

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
    changes: tuple[CellChange, ...] = ()
    """Cells that are given other values."""
    notes: tuple[str, ...] = ()
    """What else a person should know before saying yes."""
    title: Title | None = None
    """The new one, of a rename; where it cannot be had, the plan changes nothing."""
    elsewhere: int = 0
    """Sessions that were asked for, but are in another set of tables and so not included."""
    folder: str = ""
    """The folder with the files of the sessions, as a person would write it."""
    by_store: tuple["StorePlan", ...] = ()
    """Its share in each state file that it is about, where several are open."""
    refused: Mapping[str, str] = MappingProxyType({})
    """Of several state files, those that allow none of it: why, by name."""
    general: tuple[str, ...] = ()
    """Those of the notes that hold whichever sessions it is about."""

    @property
    def doomed(self) -> tuple[Planned, ...]:
        """Those that are acted upon."""
        return tuple(one for one in self.sessions if one.outcome in _ACTED_ON)

    @property
    def stored(self) -> list[CellChange]:
        """The changes of the file, without those of our own notes."""
        return [change for change in self.changes if change.table != OURS]

    @property
    def in_file(self) -> bool:
        """Whether it changes the file, and not only our own notes."""
        return bool(self.stored)

    @property
    def detached(self) -> tuple[Planned, ...]:
        return tuple(one for one in self.sessions if one.outcome is PlannedOutcome.DETACH)

    @property
    def skipped(self) -> Mapping[str, int]:
        """How many are skipped, by reason."""
        return Counter(one.reason for one in self.sessions if one.outcome is PlannedOutcome.SKIP)

    @property
    def totals(self) -> Totals:
        acted = self.doomed
        return Totals(
            sessions=len(acted),
            messages=sum(one.messages for one in acted),
            bytes=sum(one.bytes for one in acted),
            files=sum(len(one.files) for one in acted),
        )


class StorePlan(NamedTuple):
    """The share of one of several state files in an edit."""

    place: str
    """The name of the file among the others."""
    plan: EditPlan
    """One that changes nothing where the file refuses it."""


class OnlyAgent(Refused):
    """A delete that the agent's own command could do, and we cannot."""

    def __init__(self, message: str, plan: EditPlan) -> None:
        super().__init__("Only the agent can delete it", message)
        self.plan = plan

    @property
    def ids(self) -> list[str]:
        """What the agent is to delete; it deletes the subagents by itself."""
        return [one.id for one in self.plan.doomed if not one.reason]


class UndoPlan(NamedTuple):
    """What an undo would do."""

    receipt: Receipt
    entries: tuple[Entry, ...]
    """What is restored."""
    changes: tuple[CellChange, ...]
    """Cells that get their old values again."""
    notes: tuple[str, ...] = ()
    """What has changed since the edit, and what is done about it."""
    titles: tuple[tuple[str, str | None], ...] = ()
    """(id, title) where the old one is taken."""
    of: int = 0
    """Sessions that the edit was about; fewer may be restored."""
    by_store: tuple["StoreUndo", ...] = ()
    """Its share in each state file, where several are open."""

    @property
    def sessions(self) -> int:
        """How many are restored."""
        if self.by_store:
            return sum(one.plan.sessions for one in self.by_store)
        return len(self.entries) or len({shown(change.id) for change in self.changes})

    def only(self, done: "Done") -> "UndoPlan":
        """The same for those of its sessions that came back."""
        if self.by_store:
            reached = tuple(one.only(done) for one in self.by_store)
            entries = tuple(entry for one in reached for entry in one.plan.entries)
            return self._replace(entries=entries, by_store=reached)
        if not self.entries:
            return self
        return self._replace(entries=tuple(one for one in self.entries if one.session in done.ids))

    @property
    def messages(self) -> int:
        return sum(entry.messages for entry in self.entries)

    @property
    def why_not(self) -> str:
        """Why nothing of it can be undone, if so."""
        if self.entries or self.changes:
            return ""
        return " ".join(self.notes) or "Nothing of it is left to undo."

    def check(self) -> None:
        """Refuse where nothing of it can be undone, before the user is asked."""
        if self.why_not:
            raise Refused("Cannot undo", self.why_not)


class StoreUndo(NamedTuple):
    """The share of one of several state files in an undo."""

    place: str
    path: Path
    plan: UndoPlan

    def only(self, done: "Done") -> "StoreUndo":
        """The same for those of its sessions that came back."""
        ids = tuple(id_ for store, id_ in done.done_in if store == str(self.path))
        reached = self.plan.only(done._replace(ids=ids))
        return self._replace(plan=reached if ids else reached._replace(entries=(), changes=()))


class Done(NamedTuple):
    """What came of an edit."""

    receipt: int | None
    """Its number in the trash; None where nothing was done."""
    action: str
    ids: tuple[str, ...]
    skipped: Mapping[str, int]
    notes: tuple[str, ...] = ()
    stopped: bool = False
    """The user stopped it: the rest was not done."""
    words: str = ""
    """What was done, where that is less than was planned."""
    done_in: tuple[tuple[str, str], ...] = ()
    """The ids once more, each with the path of the state file: (path, id)."""
    refused: tuple[str, ...] = ()
    """Of several state files, the names of those that were to be changed and were not."""
    left: tuple[tuple[str, str], ...] = ()
    """(reason, name) of sessions that were to be changed and were skipped."""


class AfterCrash(NamedTuple):
    """What became of the edits that a crash cut short."""

    half_done: Sequence[Receipt] = ()
    """The user has to decide: finish, or restore."""
    ended: Sequence[Receipt] = ()
    """There is nothing to decide: whole sessions were deleted, and can be restored."""
    nothing: int = 0
    """How many had not done anything."""
    partly: Sequence[Receipt] = ()
    """Undone in some state files and not in others: the rest can be undone."""


class Progress(NamedTuple):
    """How far a long edit has got."""

    sessions: int
    of_sessions: int
    messages: int
    of_messages: int
    waiting: bool = False
    """Another program is writing, and the edit waits for it. The numbers mean nothing then."""


Tell = Callable[[Progress], None]
"""Is told now and then."""
WAITING = Progress(0, 0, 0, 0, waiting=True)
WAITING_WORDS = "Another program is writing; waiting …"

_ACTED_ON = (PlannedOutcome.DELETE, PlannedOutcome.CLEAR, PlannedOutcome.CHANGE)


class EditKind(NamedTuple):
    """What is known of an edit before it is planned."""

    action: Action
    verb: str
    """On the button that agrees to it."""
    past: str
    asks: str = ""
    """The question about some sessions, where it is not the verb and their names."""
    did: str = ""
    """What it did to some sessions, where it is not the past and their names."""
    ruled_by: Action | None = None
    """The edit that it reverses: what speaks against that one speaks against it too."""
    whole: bool = False
    """Done to all parts of a conversation."""
    unlists: bool = False
    """What it is done to may leave the list."""
    takes_messages: bool = False
    """Messages go to the trash."""
    at_once: bool = False
    """Done without a question: one key undoes it, and nothing leaves the file."""

    def question(self, sessions: str) -> str:
        return (self.asks or f"{self.verb} {{}}?").format(sessions)

    def done(self, sessions: str) -> str:
        return (self.did or f"{self.past.capitalize()} {{}}").format(sessions)

    @property
    def cannot(self) -> str:
        """The title of a refusal."""
        return f"Cannot {self.verb.lower()}"

    @property
    def rule(self) -> "EditKind":
        """The kind whose name the reasons against it go by."""
        return KINDS[self.ruled_by or self.action]


KINDS = {
    kind.action: kind
    for kind in (
        EditKind(Action.RENAME, "Rename", "renamed"),
        EditKind(Action.ARCHIVE, "Archive", "archived", whole=True, unlists=True, at_once=True),
        EditKind(
            Action.UNARCHIVE,
            "Unarchive",
            "unarchived",
            ruled_by=Action.ARCHIVE,
            whole=True,
            at_once=True,
        ),
        EditKind(Action.PIN, "Pin", "pinned", whole=True),
        EditKind(Action.UNPIN, "Unpin", "unpinned", ruled_by=Action.PIN, whole=True),
        EditKind(Action.DELETE, "Delete", "deleted", unlists=True, takes_messages=True),
        EditKind(
            Action.CLEAR,
            "Clear messages",
            "cleared",
            asks="Clear all messages of {}?",
            did="Cleared all messages of {}",
            takes_messages=True,
        ),
        EditKind(
            Action.END,
            "Mark as ended",
            "marked as ended",
            asks="Mark {} as ended?",
            did="Marked {} as ended",
            at_once=True,
        ),
        EditKind(Action.REOPEN, "Reopen", "reopened", at_once=True),
        EditKind(Action.PRUNE, "Delete", "deleted", unlists=True, takes_messages=True),
    )
}
RULES = tuple(kind.action.value for kind in KINDS.values() if kind.ruled_by is None)
"""The names by which a file says which edits it allows."""


ANOTHER = Refused(
    "The list has changed", "Another session has taken this place. Nothing was changed."
)


def check_same(plan: EditPlan, shown: Mapping[int, str]) -> None:
    """Refuse a plan about other sessions than were `shown`, which are ids by key."""
    if any(shown.get(one.key, one.id) != one.id for one in plan.sessions):
        raise ANOTHER


def as_listed(
    plan: EditPlan,
    keys: Collection[int],
    listed: Catalog,
    again: Callable[[list[int]], EditPlan],
) -> EditPlan:
    """The plan without the conversations in which something has happened since they were `listed`;
    `again` makes the plan for fewer of the `keys` that were asked for."""
    asked = frozenset(keys)
    changed = {
        one.key
        for one in plan.doomed
        if one.key in asked and (one.last_active or 0.0) != listed.last_active(one.key)
    }
    if not changed:
        return plan
    stay = {part for key in changed for part in listed.chain(key)}
    rest = again([key for key in keys if key not in stay])
    left = [
        one._replace(outcome=PlannedOutcome.SKIP, reason=SINCE)
        for one in plan.doomed
        if one.key in asked & stay
    ]
    return rest._replace(sessions=(*rest.sessions, *left))

"""What a delete would remove and what it would keep: read, never guessed.

Subagents are deleted only where the agent itself noted whose they are. Branches and continuations
are kept and lose their link, as with the agent's own delete; the plan names them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from explorer.model import Action, State
from explorer.stores.edits.dialect import APART, SessionTables, Size, Subject
from explorer.stores.edits.plans import EditPlan, Planned, PlannedOutcome
from explorer.stores.edits.reasons import (
    CONTINUED,
    EMPTY,
    INTERRUPTED,
    RUNNING,
    SUBAGENT_RUNNING,
    UNLINKED,
    UNSOUND,
)
from explorer.stores.edits.words import COUNTERS_KEPT, running_note

COMPRESSED = "compression"
"""How a session ends that is continued in another part."""
WORDED = 20
"""Sessions without a title whose first words are looked up for a plan: more are only counted."""


class Planner:
    """Makes plans about the sessions of one file, from one state of it."""

    def __init__(
        self,
        path: Path,
        tables: SessionTables,
        now: float,
        titles: Mapping[str, str] | None = None,
    ) -> None:
        """`titles` are those that our notes have, by id; None where there are no notes."""
        self.path = path
        self.tables = tables
        self.now = now
        self.titles = titles
        self._leases: Mapping[str, float] | None = None
        self._sizes: dict[str, Size] = {}
        self._words: dict[int, str] = {}
        self._continued: set[str] = set()

    def subjects(self, rows: Iterable[int]) -> list[Subject]:
        """The sessions with these numbers, in this order; those that are gone are missing."""
        wanted = list(dict.fromkeys(rows))
        found = {one.row: self._titled(one) for one in self.tables.subjects("rowid", wanted)}
        self._continued |= {one.id for one in found.values() if one.end_reason == COMPRESSED}
        return [found[row] for row in wanted if row in found]

    def _titled(self, subject: Subject) -> Subject:
        """With the title that our notes have, where its file has none."""
        if subject.title or not self.titles:
            return subject
        return subject._replace(title=self.titles.get(subject.id))

    def state(self, subject: Subject) -> State:
        if self._leases is None:
            self._leases = self.tables.leases()
        return self.tables.state(subject, self._leases, self.now)

    def measure(self, subjects: Iterable[Subject]) -> None:
        """Find out how much there is of these: all of their messages are read for it."""
        for one in subjects:
            if one.id not in self._sizes:
                self._sizes[one.id] = self.tables.size(one.id)

    def size(self, subject: Subject) -> Size:
        """How much there is of a session, where that was measured."""
        return self._sizes.get(subject.id, Size(0, 0))

    def made(self, action: Action, sessions: Iterable[Planned]) -> EditPlan:
        """A plan about these sessions."""
        return EditPlan(action, self.path, self.tables.shape.sessions, tuple(sessions))

    def _continues(self, subject: Subject) -> bool:
        """Whether it is a part of its parent's conversation, as lists have it."""
        return subject.kind == "child" and subject.parent in self._continued

    def planned(self, subject: Subject, outcome: PlannedOutcome, reason: str = "") -> Planned:
        return Planned(
            key=self.tables.key(subject.row),
            id=subject.id,
            title=subject.title,
            words=self.words(subject),
            source=subject.source,
            messages=self.size(subject).messages,
            bytes=self.size(subject).bytes,
            kind=subject.kind,
            outcome=outcome,
            reason=reason,
            state=self.state(subject).value,
            last_active=subject.last_active,
            continues=subject.parent or "" if self._continues(subject) else "",
        )

    def judged(self, subject: Subject, acted: PlannedOutcome, reason: str) -> Planned:
        """A session that is acted upon, unless there is a reason not to."""
        return self.planned(subject, PlannedOutcome.SKIP if reason else acted, reason)

    def words(self, subject: Subject) -> str:
        """What a session without a title is called, for as many as are named: those that are asked
        for first."""
        if not subject.title and subject.row not in self._words and len(self._words) < WORDED:
            self._words[subject.row] = self.tables.first_words(subject)
        return self._words.get(subject.row, "")

    def refusal(self, subject: Subject, force: bool) -> str:
        """Why nothing is done to a session, if so."""
        if not subject.sound:
            return UNSOUND
        if not force and self.state(subject) is State.RUNNING:
            return RUNNING
        if not force and subject.interrupted:
            return INTERRUPTED
        return ""

    def delete(
        self, rows: Collection[int], force: bool = False, action: Action = Action.DELETE
    ) -> EditPlan:
        """What is deleted with these sessions."""
        wanted = self.subjects(rows)
        left_out = {one.row: reason for one in wanted if (reason := self.refusal(one, force))}
        # A session that is kept also keeps the rest of its conversation, if that was asked for.
        doomed = {one.row: one for one in wanted if one.row not in left_out}
        for one in wanted:
            if one.row in left_out:
                _keep_family(one, doomed, (), left_out, CONTINUED)
        along = self._subagents(doomed.values())
        held_back = {one.row: one for one in along if self.refusal(one, force)}
        for one in held_back.values():
            _keep_family(one, doomed, along, left_out, SUBAGENT_RUNNING)
        going = {**doomed, **{one.row: one for one in along if one.row not in held_back}}
        below = list(map(self._titled, self.tables.children([one.id for one in going.values()])))
        staying = {one.row: one for one in below if one.row not in going}
        ordered = _children_first(list(going.values()))
        self.measure((*ordered, *staying.values(), *wanted))
        by_parent: dict[str, list[str]] = {}
        for child in below:
            by_parent.setdefault(child.parent or "", []).append(child.id)
        for one in wanted:
            # Before its subagents, which come first in the plan.
            self.words(one)
        files = self.tables.files([one.id for one in ordered])
        sessions = [
            self.planned(
                one, PlannedOutcome.DELETE, "" if one.row in doomed else "a subagent of it"
            )._replace(
                children=tuple(by_parent.get(one.id, ())),
                files=tuple(files.get(one.id, ())),
            )
            for one in ordered
        ]
        sessions += [self.planned(one, PlannedOutcome.DETACH, UNLINKED) for one in staying.values()]
        sessions += [
            self.planned(one, PlannedOutcome.SKIP, left_out[one.row])
            for one in wanted
            if one.row in left_out
        ]
        plan = self.made(action, sessions)
        # Last, what becomes of the space on disk.
        space = (self.tables.reclaim,) if plan.doomed else ()
        notes = (*self._delete_notes(sessions), *space)
        return plan._replace(notes=notes, general=space, folder=self.tables.files_in)

    def _subagents(self, doomed: Iterable[Subject]) -> list[Subject]:
        """The subagents of these sessions, and theirs."""
        known = {one.row for one in doomed}
        found: list[Subject] = []
        fresh = list(doomed)
        while fresh:
            below = map(self._titled, self.tables.subagents(fresh))
            more = [one for one in below if one.row not in known]
            fresh = list({one.row: one for one in more}.values())
            known.update(one.row for one in fresh)
            found += fresh
        return found

    def clear(self, rows: Collection[int], force: bool = False) -> EditPlan:
        """What is deleted when sessions only lose their messages."""
        sessions = []
        wanted = self.subjects(rows)
        self.measure(wanted)
        for one in wanted:
            empty = "" if self.size(one).messages else EMPTY
            reason = self.refusal(one, force) or empty
            sessions.append(self.judged(one, PlannedOutcome.CLEAR, reason))
        plan = self.made(Action.CLEAR, sessions)
        return plan._replace(notes=(COUNTERS_KEPT,), general=(COUNTERS_KEPT,))

    def _delete_notes(self, sessions: Sequence[Planned]) -> Iterable[str]:
        """What else to know of them."""
        going = [one for one in sessions if one.outcome is PlannedOutcome.DELETE]
        stays = [one for one in sessions if one.outcome is PlannedOutcome.DETACH]
        running = sum(one.state == State.RUNNING for one in going)
        yield from running_note(running)
        yield from self.tables.delete_notes(going, stays)


def _keep_family(
    stays: Subject,
    doomed: dict[int, Subject],
    along: Sequence[Subject],
    left_out: dict[int, str],
    reason: str,
) -> None:
    """A session that is kept also keeps what it continues or works for; a branch is a conversation
    of its own, and so is the next session of a chat."""
    by_id = {one.id: one for one in (*doomed.values(), *along)}
    at = stays
    seen = {at.id}
    while at.kind not in APART and at.parent in by_id and at.parent not in seen:
        at = by_id[at.parent]
        seen.add(at.id)
        if at.row in doomed:
            left_out[at.row] = reason
            del doomed[at.row]


def _children_first(subjects: Sequence[Subject]) -> list[Subject]:
    """Sessions after their dependents, and each family together: a delete that is stopped half way
    leaves whole conversations. In a circle, any of them comes first."""
    by_id = {one.id: one for one in subjects}
    places: dict[str, tuple[int, int]] = {}
    families: dict[str, int] = {}
    for one in subjects:
        at, depth, seen = one, 0, {one.id}
        while at.parent in by_id and at.parent not in seen:
            at = by_id[at.parent]
            seen.add(at.id)
            depth += 1
        places[one.id] = families.setdefault(at.id, len(families)), -depth
    return sorted(subjects, key=lambda one: places[one.id])

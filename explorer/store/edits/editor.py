"""The edits of one state file: plan, do, take back, and put right what a crash left half done.

Every plan is made from the file as it is; every edit checks again under the lock. One edit at a
time, over all explorers.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from explorer.errors import ExplorerError, Problem, Refused, StoreError, sentence
from explorer.store.edits.changing import plan_archive, plan_end, plan_rename
from explorer.store.edits.doing import Doing
from explorer.store.edits.images import Cell
from explorer.store.edits.names import words_of
from explorer.store.edits.pinning import plan_noted_pins, plan_pin
from explorer.store.edits.planning import Planner
from explorer.store.edits.plans import Action, AfterCrash, Done, EditPlan, OnlyAgent, Progress
from explorer.store.edits.refusals import place, reasons, tokenizer_trouble, undo_reason
from explorer.store.edits.settling import settle
from explorer.store.edits.shape import Shape, shape_of
from explorer.store.edits.subject import Subject, running
from explorer.store.edits.taking import UnderWay
from explorer.store.edits.titles import Title
from explorer.store.edits.undoing import UndoPlan, at_risk, plan_undo
from explorer.store.edits.words import log_words
from explorer.store.edits.writing import Changed, Looking
from explorer.store.failures import log_size
from explorer.store.kept import OURS, EntryState, Receipt, ReceiptState, table_of
from explorer.store.read_only import CancelToken
from explorer.store.schema import quoted
from explorer.store.side import SideFile
from explorer.store.trash import TrashFile

LONG_LOG = 64_000_000
"""Bytes of a log that somebody who looks at the disk would wonder about."""


class Editor:
    """Edits one file; holds nothing open between two calls."""

    def __init__(
        self,
        path: Path,
        trash: Path,
        clock: Callable[[], float],
        notes: SideFile | None = None,
    ) -> None:
        self.path = path
        self.trash = TrashFile(trash, path)
        self._clock = clock
        self._notes = notes

    @contextmanager
    def _looking(self, done: str, token: CancelToken | None) -> Iterator[Looking]:
        reason = place(self.path)
        if reason:
            raise Refused(f"It cannot be {done}", sentence(reason))
        with Looking(self.path, token) as looking:
            yield looking

    @contextmanager
    def _planning(
        self, edit: str, table: str, token: CancelToken | None
    ) -> Iterator[tuple[Planner, Looking]]:
        self.trash.check()
        with self._looking(_PAST[edit], token) as looking:
            schema = looking.schema
            reason = reasons(self.path, schema, looking.ask)[edit]
            for_agent = edit == "delete" and reason == tokenizer_trouble(schema)
            if reason and not for_agent:
                raise Refused(f"It cannot be {_PAST[edit]}", sentence(reason))
            shape = shape_of(looking.ask, schema, table)
            yield Planner(self.path, looking.ask, schema, shape, self._clock()), looking

    def delete_plan(
        self,
        rows: Collection[int],
        table: str = "sessions",
        force: bool = False,
        action: Action = Action.DELETE,
        token: CancelToken | None = None,
    ) -> EditPlan:
        """`rows` are the numbers of sessions in their table. Raises `OnlyAgent` with the plan where
        the agent's own command could do it."""
        with self._planning(action.value, table, token) as (planner, _):
            plan = planner.delete(rows, force, action)
            reason = tokenizer_trouble(planner.schema)
            if reason and plan.doomed:
                raise OnlyAgent(sentence(reason), plan)
            return plan

    def clear_plan(
        self, rows: Collection[int], force: bool = False, token: CancelToken | None = None
    ) -> EditPlan:
        with self._planning("clear", "sessions", token) as (planner, _):
            return planner.clear(rows, force)

    def rename_plan(
        self,
        row: int,
        title: str,
        token: CancelToken | None = None,
        measured: bool = False,
    ) -> tuple[EditPlan, Title]:
        """The plan, and what the title comes to; where it is taken, the plan changes nothing. How
        long the session is it tells only if `measured`."""
        with self._planning("rename", "sessions", token) as (planner, looking):
            stored = _stored(looking, planner.shape)
            return plan_rename(planner, row, title, stored, measured)

    def archive_plan(
        self,
        rows: Sequence[int],
        on: bool,
        table: str = "sessions",
        token: CancelToken | None = None,
    ) -> EditPlan:
        """`rows` are all parts of the conversations."""
        with self._planning("archive", table, token) as (planner, looking):
            stored = _stored(looking, planner.shape)
            if not planner.shape.hermes or planner.schema.has("sessions", "archived"):
                return plan_archive(planner, rows, on, stored, None)
            if self._notes is None:
                raise Refused("It cannot be archived", "This file has no place for it yet.")
            return plan_archive(planner, rows, on, stored, self._notes.archived())

    def pin_plan(
        self,
        ids: Mapping[int, str],
        on: bool,
        table: str = "sessions",
        token: CancelToken | None = None,
        measured: bool = False,
        name: str = "",
    ) -> EditPlan:
        """`ids`, by the numbers of their rows, are all parts of the conversations; `name` is what
        the list calls the only one. Where the file cannot be written, our notes keep the pins."""
        noted = self.noted_pins()
        try:
            with self._planning("pin", table, token) as (planner, looking):
                if measured:
                    planner.measure(planner.subjects(ids))
                return plan_pin(planner, list(ids), on, _stored(looking, planner.shape), noted)
        except Refused:
            return plan_noted_pins(self.path, table, ids, on, noted, name)

    def worded(self, plan: EditPlan) -> EditPlan:
        """A plan with the first words of every session in it that has no title; by itself a plan
        looks for those of a few."""
        with self._looking("listed", None) as looking:
            ask, schema = looking.ask, looking.schema
            shape = shape_of(ask, schema, plan.table)
            sessions = tuple(
                one
                if one.title or one.words
                else one._replace(words=words_of(ask, schema, shape, one.key, one.id))
                for one in plan.sessions
            )
        return plan._replace(sessions=sessions)

    def noted_pins(self) -> frozenset[str]:
        """The ids that our notes hold as pinned."""
        return self._notes.pins() if self._notes is not None else frozenset()

    def end_plan(
        self,
        rows: Sequence[int],
        reopen: bool = False,
        force: bool = False,
        token: CancelToken | None = None,
    ) -> EditPlan:
        edit = "reopen" if reopen else "end"
        with self._planning(edit, "sessions", token) as (planner, looking):
            return plan_end(planner, rows, reopen, force, _stored(looking, planner.shape))

    def apply(
        self,
        plan: EditPlan,
        token: CancelToken | None = None,
        progress: Callable[[Progress], None] | None = None,
        force: bool = False,
    ) -> Done:
        """Do what was planned. Stopped by its token, a long edit says how far it got."""
        with self.trash.alone():
            self._sweep()
            return self._with_log(self._doing(token, progress).apply(plan, force))

    def undo_plan(
        self,
        receipt: int | None = None,
        entries: Collection[int] | None = None,
        token: CancelToken | None = None,
    ) -> UndoPlan:
        """What taking an edit back would do: the newest that is not yet undone, or this one."""
        self.trash.check()
        found = self._receipt(receipt)
        kept = self.trash.entries(found.number)
        changes = self.trash.changes(found.number)
        if changes and all(change.table == OURS for change in changes):
            return UndoPlan(found, (), tuple(changes), of=len(changes))
        with self._looking("undone", token) as looking:
            ask, schema = looking.ask, looking.schema
            reason = undo_reason(self.path, schema, ask, found, changes)
            if reason:
                raise Refused("It cannot be undone", sentence(reason))
            shape = shape_of(ask, schema, table_of(kept, changes))
            busy = running(ask, schema, shape, at_risk(found, kept, changes), self._clock())
            return plan_undo(self.trash, found, ask, schema, shape, entries, busy)

    def undo(
        self,
        plan: UndoPlan,
        token: CancelToken | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Done:
        with self.trash.alone():
            return self._with_log(self._doing(token, progress).undo(plan))

    def _receipt(self, number: int | None) -> Receipt:
        cut_short = {one.number for one in self.after_crash().half_done}
        for one in self.trash.receipts():
            if one.state is ReceiptState.BEGUN and one.number not in cut_short:
                raise Refused("An edit is under way", "It can be undone when it has ended.")
            if one.number == number or (number is None and one.state is not ReceiptState.UNDONE):
                if one.state is ReceiptState.UNDONE:
                    raise Refused("It is undone already", f"Receipt {number} was taken back.")
                return one
        if number is None:
            raise Refused("Nothing to undo", "No edit of this file is left to be taken back.")
        raise Refused("No such receipt", f"There is no receipt {number} for this file.")

    def before(self, receipt: Receipt) -> Receipt | None:
        """The edit before this one that can be taken back: what cannot is not to stand in the
        way."""
        older = (one for one in self.trash.receipts() if one.number < receipt.number)
        return next((one for one in older if one.state is ReceiptState.DONE), None)

    def half_done(self) -> list[Receipt]:
        """The edits that a crash left in the middle. None while another explorer edits."""
        return list(self.after_crash().half_done)

    def after_crash(self) -> AfterCrash:
        """Settle what is clear of the edits that a crash cut short. Nothing is known of them while
        another explorer edits: they may be its own."""
        if not any(one.half_done for one in self.trash.receipts()):
            return AfterCrash()
        try:
            with self.trash.alone():
                before = [one.number for one in self.trash.receipts() if one.half_done]
                for one in self.trash.receipts():
                    if one.half_done:
                        # What cannot be looked at now stays as it is, and is told.
                        with suppress(ExplorerError):
                            settle(self.path, self.trash, one)
                left = [one for one in self.trash.receipts() if one.number in before]
        except Refused:
            # A newer version knows what is half done, and will say so.
            return AfterCrash()
        except StoreError as error:
            if error.problem is Problem.BUSY:
                return AfterCrash()
            raise
        return AfterCrash(
            [one for one in left if one.half_done],
            [one for one in left if not one.half_done],
            len(before) - len(left),
        )

    def finish(
        self,
        receipt: Receipt,
        token: CancelToken | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Done:
        """Do the rest of an edit that a crash cut short."""
        with self.trash.alone():
            return self._with_log(self._doing(token, progress).finish(receipt))

    def restore(
        self,
        receipt: Receipt,
        token: CancelToken | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Done:
        """Put back what an edit that a crash cut short had taken out; of an undo, the rest."""
        if receipt.state is ReceiptState.UNDOING:
            return self.finish(receipt, token, progress)
        entries = [
            entry.number
            for entry in self.trash.entries(receipt.number)
            if entry.state is not EntryState.BACK
        ]
        plan = self.undo_plan(receipt.number, entries, token)
        return self.undo(plan, token, progress)

    def _doing(
        self, token: CancelToken | None, progress: Callable[[Progress], None] | None
    ) -> Doing:
        return Doing(
            self.path,
            UnderWay(self.trash, self._clock, token or CancelToken(), progress or _unheard),
            self._notes,
        )

    def _with_log(self, done: Done) -> Done:
        """What was done, and where that left a long log, that too."""
        bytes_ = log_size(self.path)
        if done.receipt is None or bytes_ < LONG_LOG:
            return done
        return done._replace(notes=(*done.notes, log_words(bytes_)))

    def _sweep(self) -> None:
        """What nobody can want back any more makes room."""
        old = self.trash.expired(self._clock())
        if old:
            self.trash.purge(one.number for one in old)


def _stored(looking: Looking, shape: Shape) -> Callable[[Subject, Sequence[str]], tuple[Cell, ...]]:
    def cells_of(subject: Subject, columns: Sequence[str]) -> tuple[Cell, ...]:
        names = ", ".join(f"t.{quoted(column)}" for column in columns)
        rows = looking.ask(
            f"SELECT {names} FROM {quoted(shape.sessions)} t WHERE t.{quoted(shape.id)} = ?",
            (subject.id,),
        )
        if not rows:
            raise Changed("The session is gone", "It is no longer in the file.")
        return rows[0]

    return cells_of


def _unheard(progress: Progress) -> None:
    pass


_PAST = {
    "rename": "renamed",
    "archive": "archived",
    "pin": "pinned",
    "delete": "deleted",
    "clear": "cleared",
    "end": "ended",
    "reopen": "reopened",
    "prune": "pruned",
}

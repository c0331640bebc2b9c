"""The edits of one state file: plan, do, undo, and put right what a crash left half done.

Every plan is made from the file as it is; every edit checks again under the lock. One edit at a
time, over all explorers.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from explorer.cancel import CancelToken
from explorer.errors import (
    Cancelled,
    ExplorerError,
    NoSuchSession,
    Problem,
    Refused,
    StoreError,
    sentence,
)
from explorer.model import Action, Kind, Session
from explorer.stores.catalog import Unit
from explorer.stores.edits.batches import EditContext
from explorer.stores.edits.changes import (
    change_cells,
    change_notes,
    plan_archive,
    plan_end,
    plan_noted_pins,
    plan_pin,
    plan_rename,
)
from explorer.stores.edits.connection import Changed, ReadConnection
from explorer.stores.edits.delete import delete
from explorer.stores.edits.delete_plan import Planner
from explorer.stores.edits.dialect import Dialect, SessionTables
from explorer.stores.edits.lost_changes import lost_changes
from explorer.stores.edits.other_parts import lost_parts
from explorer.stores.edits.plans import (
    KINDS,
    AfterCrash,
    Done,
    EditPlan,
    OnlyAgent,
    Tell,
    UndoPlan,
)
from explorer.stores.edits.purge import purge_entries
from explorer.stores.edits.recovery import finish, settle
from explorer.stores.edits.refusal_words import (
    CANNOT_UNDO,
    NO_CHANGE_LEFT,
    already_undone,
    no_such_change,
)
from explorer.stores.edits.refusals import check_sound, place, reason_against
from explorer.stores.edits.undo import Undo, at_risk, plan_noted_undo, plan_undo, worded
from explorer.stores.edits.words import log_words
from explorer.stores.ours.notes import OurFiles
from explorer.stores.ours.trash import TrashFile, gone_in
from explorer.stores.ours.trash_records import (
    OURS,
    Entry,
    EntryState,
    Receipt,
    ReceiptState,
    table_of,
)
from explorer.stores.sqlite.failures import log_size

LONG_LOG = 64_000_000
"""Bytes of a log that a user who looks at the disk would wonder about."""


class Editor:
    """Edits one file, by the rules of its agent; holds nothing open between two calls."""

    planning: Sequence[str] = ()
    """Of several profiles, those whose plan is not ready yet."""

    def __init__(
        self,
        path: Path,
        dialect: Dialect,
        sessions: Callable[[Sequence[Unit], float], Sequence[Session]],
        ours: OurFiles,
    ) -> None:
        """`sessions` reads them as the store does, for where only reading is possible."""
        self.path = path
        self.trash = TrashFile(ours.trash, path)
        self._dialect = dialect
        self._sessions = sessions
        self._ours = ours

    def plan(
        self,
        action: Action,
        keys: Sequence[int],
        *,
        title: str = "",
        force: bool = False,
        measured: bool = False,
        token: CancelToken | None = None,
    ) -> EditPlan:
        """What an edit of these sessions would do; to archive and to pin, all parts of each
        conversation. A `title` is what was typed for a rename. How long sessions are a rename and a
        pin tell only if `measured`. Raises `OnlyAgent` with the plan where the agent's own command
        could do what we cannot."""
        places = [self._dialect.place(key) for key in keys]
        if not places:
            return EditPlan(action, self.path, "", ())
        table = places[0][0]
        rows = [row for name, row in places if name == table]
        on = action in (Action.ARCHIVE, Action.PIN)
        try:
            with self._planning(action, table, token) as planner:
                match action:
                    case Action.RENAME:
                        plan = plan_rename(planner, rows[0], title, measured, force)
                    case Action.ARCHIVE | Action.UNARCHIVE:
                        ours = self._noted_archive(planner)
                        plan = plan_archive(planner, rows, on, ours, force)
                    case Action.PIN | Action.UNPIN:
                        plan = plan_pin(planner, rows, on, self.noted_pins(), measured)
                    case Action.END | Action.REOPEN:
                        plan = plan_end(planner, rows, action is Action.REOPEN, force)
                    case Action.CLEAR:
                        plan = planner.clear(rows, force)
                    case Action.DELETE | Action.PRUNE:
                        plan = planner.delete(rows, force, action)
                        self._leave_to_agent(planner, plan)
        except Refused:
            if action not in (Action.PIN, Action.UNPIN):
                raise
            # Where the file cannot be written, our notes keep the pins.
            units = [Unit(key, (key,), Kind.ROOT) for key in keys]
            wanted = self._sessions(units, self._ours.clock())
            plan = plan_noted_pins(self.path, wanted, on, self.noted_pins())
        return plan._replace(elsewhere=len(places) - len(rows))

    @contextmanager
    def _planning(self, action: Action, table: str, token: CancelToken | None) -> Iterator[Planner]:
        self.trash.check()
        cannot = KINDS[action].rule.cannot
        with self._connected(cannot, token) as file:
            schema = file.schema
            reason = reason_against(action, file, self._dialect)
            for_agent = action is Action.DELETE and reason == self._dialect.left_to_agent(schema)
            if reason and not for_agent:
                raise Refused(cannot, sentence(reason))
            tables = self._dialect.over(file.ask, schema, table)
            yield Planner(self.path, tables, self._ours.clock(), self._noted_titles(tables))

    @contextmanager
    def _connected(self, cannot: str, token: CancelToken | None) -> Iterator[ReadConnection]:
        reason = place(self.path)
        if reason:
            raise Refused(cannot, sentence(reason))
        with ReadConnection(self.path, token) as file:
            yield file

    @contextmanager
    def _asked(self, cannot: str, token: CancelToken | None, table: str) -> Iterator[SessionTables]:
        with self._connected(cannot, token) as file:
            yield self._dialect.over(file.ask, file.schema, table)

    def _leave_to_agent(self, planner: Planner, plan: EditPlan) -> None:
        reason = self._dialect.left_to_agent(planner.tables.schema)
        if reason and plan.doomed:
            raise OnlyAgent(sentence(reason), plan)

    def _noted_archive(self, planner: Planner) -> Collection[str] | None:
        """What our notes hold as archived, where the file has no place for it."""
        if planner.tables.keeps_archive:
            return None
        if self._ours.notes is None:
            raise Refused(KINDS[Action.ARCHIVE].cannot, "This file cannot store it yet.")
        return self._ours.notes.archived()

    def _noted_titles(self, tables: SessionTables) -> Mapping[str, str] | None:
        """The titles in our notes, where the file need not have them."""
        notes = self._ours.notes
        return notes.titles() if notes is not None and tables.notes_titles else None

    def worded(self, plan: EditPlan) -> EditPlan:
        """A plan with the first words of every session in it that has no title; by itself a plan
        looks for those of a few."""
        with self._asked("Cannot list the sessions", None, plan.table) as tables:
            untitled = [one.id for one in plan.sessions if not one.title and not one.words]
            words = {
                one.id: tables.first_words(one)
                for one in tables.subjects(tables.shape.id, untitled)
            }
        return plan._replace(
            sessions=tuple(
                one._replace(words=words.get(one.id, one.words)) for one in plan.sessions
            )
        )

    def worded_entries(self, entries: Iterable[Entry]) -> list[Entry]:
        return worded(self._context(), entries)

    def noted_pins(self) -> frozenset[str]:
        """The ids that our notes hold as pinned."""
        return self._ours.notes.pins() if self._ours.notes is not None else frozenset()

    def apply(
        self,
        plan: EditPlan,
        token: CancelToken | None = None,
        progress: Tell | None = None,
        force: bool = False,
    ) -> Done:
        """Do what was planned. Stopped by its token, a long edit says how far it got."""
        context = self._context(token, progress)
        with self.trash.alone():
            # What can no longer be restored makes room.
            kept = (self.trash, *gone_in(self._ours.trash))
            if old := [one for file in kept for one in file.expired(self._ours.clock())]:
                self.trash.purge(one.number for one in old)
            if not plan.doomed:
                return Done(None, plan.action.value, (), plan.skipped, plan.notes)
            if plan.changes and not plan.in_file:
                return self._with_log(change_notes(context, plan))
            try:
                done = self._apply(context, plan, force)
            except Cancelled:
                return Done(None, plan.action.value, (), {}, stopped=True)
            return self._with_log(done)

    def _apply(self, context: EditContext, plan: EditPlan, force: bool) -> Done:
        """Do what was planned in the file itself."""
        # Cells are changed in one transaction; a delete itself looks where it may stop.
        with context.connected(context.token if plan.changes else None) as file:
            # Tables and triggers may have changed since the plan was made.
            reason = reason_against(plan.action, file, self._dialect)
            if reason:
                raise Changed(KINDS[plan.action].cannot, sentence(reason))
            check_sound(file)
            if plan.changes:
                return change_cells(context, file, plan)
            return delete(context, file, plan, force)

    def undo_plan(
        self,
        receipt: int | None = None,
        entries: Collection[int] | None = None,
        token: CancelToken | None = None,
        measured: bool = False,
    ) -> UndoPlan:
        """What an undo would do: of the newest edit that is not yet undone, or of this one."""
        plan = self._undo_plan(receipt, entries, token, measured)
        if receipt is not None:
            return plan
        lost = self.lost_changes(plan.receipt.shown)
        parts = lost_parts(self._ours.trash, [self.path], plan.receipt)
        return plan._replace(notes=(*lost, *plan.notes, *parts))

    def lost_changes(self, after: int) -> list[str]:
        """Newer changes than this one that are passed over, as their file is gone."""
        return lost_changes(self._ours.trash, [self.path], after)

    def _undo_plan(
        self,
        receipt: int | None,
        entries: Collection[int] | None,
        token: CancelToken | None,
        measured: bool,
    ) -> UndoPlan:
        self.trash.check()
        found = self._receipt(receipt)
        changes = self.trash.changes(found.number)
        if changes and all(change.table == OURS for change in changes):
            return plan_noted_undo(self._ours.notes, found, changes)
        return self._undo_in_file(found, entries, token, measured)

    def _undo_in_file(
        self,
        found: Receipt,
        entries: Collection[int] | None,
        token: CancelToken | None,
        measured: bool,
    ) -> UndoPlan:
        kept, changes = self.trash.entries(found.number), self.trash.changes(found.number)
        with self._connected(CANNOT_UNDO, token) as file:
            reason = reason_against(found.action, file, self._dialect)
            if reason:
                raise Refused(CANNOT_UNDO, sentence(reason))
            tables = self._dialect.over(file.ask, file.schema, table_of(kept, changes))
            busy = tables.running(at_risk(found, kept, changes), self._ours.clock())
            return plan_undo(self._context(token), found, tables, entries, busy, measured)

    def undo(
        self, plan: UndoPlan, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done:
        with self.trash.alone():
            return self._with_log(self._undoing(self._context(token, progress), plan).run())

    def _undoing(self, context: EditContext, plan: UndoPlan) -> Undo:
        return Undo(context, plan)

    def _receipt(self, number: int | None) -> Receipt:
        cut_short = {one.number for one in self.after_crash().half_done}
        known = None if number is None else self.trash.receipt(number)
        for one in self.trash.receipts():
            if one.state is ReceiptState.BEGUN and one.number not in cut_short:
                raise Refused("A change is in progress", "Undo it when it is done.")
            if one == known or (number is None and one.state is not ReceiptState.UNDONE):
                if one.state is ReceiptState.UNDONE:
                    raise Refused("Already undone", already_undone(number))
                return one
        if number is None:
            raise Refused("Nothing to undo", " ".join((NO_CHANGE_LEFT, *self.lost_changes(0))))
        raise NoSuchSession("No such change", no_such_change(number))

    def before(self, receipt: Receipt) -> Receipt | None:
        """The edit before this one that can be undone: one that cannot must not stand in the
        way."""
        older = (one for one in self.trash.receipts() if one.number < receipt.number)
        return next((one for one in older if one.state is ReceiptState.DONE), None)

    def purge(self, receipt: Receipt, entries: Collection[int]) -> None:
        """Delete some sessions of a change permanently; the others can still be restored."""
        purge_entries(self.trash, receipt, entries)

    def after_crash(self) -> AfterCrash:
        """Settle what is clear of the edits that a crash interrupted. Nothing is known of them
        while another explorer edits: they may be its own."""
        if not any(one.half_done for one in self.trash.receipts()):
            return AfterCrash()
        try:
            with self.trash.alone():
                before = [one.number for one in self.trash.receipts() if one.half_done]
                for one in self.trash.receipts():
                    if one.half_done:
                        # What cannot be looked at now is left alone, and reported.
                        with suppress(ExplorerError):
                            self._settle(one)
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

    def _settle(self, receipt: Receipt) -> None:
        settle(self._context(), receipt)

    def finish(
        self, receipt: Receipt, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done:
        """Do the rest of an edit that a crash interrupted."""
        with self.trash.alone():
            return self._with_log(finish(self._context(token, progress), receipt))

    def restore(
        self, receipt: Receipt, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done:
        """Put back what an interrupted edit had deleted; of an undo, the rest."""
        if receipt.state is ReceiptState.UNDOING:
            return self.finish(receipt, token, progress)
        entries = [
            entry.number
            for entry in self.trash.entries(receipt.number)
            if entry.state is not EntryState.BACK
        ]
        plan = self.undo_plan(receipt.number, entries, token)
        return self.undo(plan, token, progress)

    def _context(
        self, token: CancelToken | None = None, progress: Tell | None = None
    ) -> EditContext:
        return EditContext(
            *(self.path, self._dialect, self.trash, self._ours.clock, token or CancelToken()),
            progress or (lambda told: None),
            self._ours.notes,
        )

    def noted(self, done: Done) -> list[str]:
        """What our notes call the sessions that something was done to."""
        return list(done.ids)

    def kept_from(self, entry: Entry) -> tuple[Path, TrashFile]:
        """The state file that an entry of the trash is from, and what holds it."""
        return self.path, self.trash

    def _with_log(self, done: Done) -> Done:
        """What was done and where, and where that left a long log, that too."""
        done = done._replace(done_in=tuple((str(self.path), id_) for id_ in done.ids))
        bytes_ = log_size(self.path)
        if done.receipt is None or bytes_ < LONG_LOG:
            return done
        return done._replace(notes=(*done.notes, log_words(bytes_)))

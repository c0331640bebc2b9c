"""Does what was planned, and takes it back: trash first, then the file, then the receipt."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from explorer.errors import Cancelled, ExplorerError, Refused, sentence
from explorer.model import Action
from explorer.stores.edits.apply.batches import Step, run_batches
from explorer.stores.edits.apply.copy_to_trash import Copier, check_rowids, numbered
from explorer.stores.edits.apply.files import put_back
from explorer.stores.edits.apply.restore_rows import Lost, Restorer
from explorer.stores.edits.apply.returned import Returned
from explorer.stores.edits.apply.take_out import (
    CHUNK,
    CHUNK_SESSIONS,
    Counter,
    Taking,
    UnderWay,
    planned_again,
)
from explorer.stores.edits.apply.undo_steps import undo_steps
from explorer.stores.edits.change_plan import apply_change, check_title_free
from explorer.stores.edits.dialect import SessionTables
from explorer.stores.edits.plans import WAITING, Done, EditPlan
from explorer.stores.edits.refusals import OPPOSITES, reasons, undo_reason
from explorer.stores.edits.undo_plan import UndoPlan, at_risk, plan_undo
from explorer.stores.edits.words import part_words, receipt_words
from explorer.stores.edits.write import disk_room as room
from explorer.stores.edits.write.connection import Changed, Looking, Writing
from explorer.stores.edits.write.soundness import check_sound
from explorer.stores.ours.notes import SideFile
from explorer.stores.ours.trash_records import (
    OURS,
    Change,
    Entry,
    EntryState,
    Pack,
    Receipt,
    ReceiptState,
    table_of,
)
from explorer.stores.sqlite.images import shown
from explorer.stores.sqlite.schema import quoted


class Doing:
    """One edit under way."""

    def __init__(self, under_way: UnderWay, notes: SideFile | None) -> None:
        self._path, self._dialect, self._trash, self._clock, self._token, self._progress = under_way
        self._under_way = under_way
        self._notes = notes

    def _writing(self) -> Writing:
        return Writing(self._path, waits=lambda: self._progress(WAITING))

    def _tables(self, looking: Looking, table: str) -> SessionTables:
        return self._dialect.over(looking.ask, looking.schema, table)

    def _copier(self, writing: Writing, tables: SessionTables) -> Copier:
        return Copier(writing, tables.shape, self._dialect.folder)

    def _check_still_possible(self, writing: Writing, plan: EditPlan) -> None:
        """Tables and triggers may have changed since the plan was made."""
        edit = OPPOSITES.get(plan.action.value, plan.action.value)
        reason = reasons(self._path, self._dialect, writing.schema, writing.ask)[edit]
        if reason:
            raise Changed("It cannot be done any more", sentence(reason))

    def apply(self, plan: EditPlan, force: bool) -> Done:
        if not plan.doomed:
            return Done(None, plan.action.value, (), plan.skipped, plan.notes)
        if plan.changes and all(change.table == OURS for change in plan.changes):
            return self._note(plan)
        with self._writing() as writing:
            self._check_still_possible(writing, plan)
            check_sound(writing)
            if plan.changes:
                return self._change(writing, plan)
            return self._take_out(writing, plan, force)

    def _change(self, writing: Writing, plan: EditPlan) -> Done:
        """Cells of a few rows, in one transaction."""
        tables = self._tables(writing, plan.table)
        with _before_anything(), self._trash.writing() as trash:
            receipt = trash.begin(plan.action.value, receipt_words(plan), self._clock())
            for change in plan.changes:
                trash.add_change(receipt, change)
        try:
            with _before_anything(), writing.transaction() as tx:
                check_title_free(tx, tables, plan)
                for change in plan.changes:
                    if change.table != OURS:
                        apply_change(tx, change)
        except (ExplorerError, Cancelled):
            self._forget(receipt, writing)
            raise
        notes: tuple[str, ...] = ()
        try:
            self._note_down(plan.changes)
            with self._trash.writing() as trash:
                trash.set_receipt(receipt, ReceiptState.DONE)
        except ExplorerError as error:
            # It is done all the same, and the next start finds that out.
            notes = (error.message,)
        ids = tuple(one.id for one in plan.doomed)
        return Done(receipt, plan.action.value, ids, plan.skipped, notes)

    def _forget(self, receipt: int, writing: Writing) -> None:
        """An edit that came to nothing; if that cannot be written, the next start finds it out. Its
        receipt also says whose write it was that has to be rolled back, where that is so."""
        if not writing.readable():
            return
        with suppress(ExplorerError), self._trash.writing() as trash:
            trash.drop_receipt(receipt)

    def _note(self, plan: EditPlan) -> Done:
        """What the file has no place for goes into our own notes."""
        with self._trash.writing() as trash:
            receipt = trash.begin(plan.action.value, receipt_words(plan), self._clock())
            for change in plan.changes:
                trash.add_change(receipt, change)
            trash.set_receipt(receipt, ReceiptState.DONE)
        ids = tuple(one.id for one in plan.doomed)
        self._note_down(plan.changes)
        return Done(receipt, plan.action.value, ids, plan.skipped)

    def _note_down(self, changes: Sequence[Change], back: bool = False) -> None:
        """Write what is kept in our own notes, or with `back` what they held before."""
        for kind in ("archived", "pinned"):
            for on in (True, False):
                ids = [
                    shown(change.id)
                    for change in changes
                    if change.table == OURS
                    and change.columns == (kind,)
                    and bool((change.old if back else change.new)[0]) is on
                ]
                if ids and self._notes is None:
                    raise Refused("It cannot be noted", "There is no place for our own notes.")
                if ids and self._notes is not None:
                    (self._notes.pin if kind == "pinned" else self._notes.archive)(ids, on)

    def _take_out(self, writing: Writing, plan: EditPlan, force: bool) -> Done:
        """Sessions, or their messages, in many short transactions."""
        tables = self._tables(writing, plan.table)
        check_rowids(writing, tables.shape)
        folders = (self._trash.path.parent, self._path.resolve().parent)
        room.check_before(folders, plan.totals.bytes, "Deleting")
        words = part_words(plan, 0) if len(plan.doomed) > 1 else receipt_words(plan)
        with _before_anything(), self._trash.writing() as trash:
            receipt = trash.begin(plan.action.value, words, self._clock())
        try:
            with _before_anything():
                self._try(writing, tables, plan)
        except (ExplorerError, Cancelled):
            self._forget(receipt, writing)
            raise
        return Taking(self._under_way, writing, tables, plan, receipt, force).run()

    def _try(self, writing: Writing, tables: SessionTables, plan: EditPlan) -> None:
        """Delete one message, put it back and keep nothing of that: what a trigger cannot do, or
        would do to a message that comes back, shows here."""
        table = tables.shape.messages
        columns = self._copier(writing, tables).columns
        first = next((one.id for one in plan.doomed if one.messages), None)
        if first is None:
            return
        owner = quoted(tables.shape.owner)
        sql = f"SELECT rowid FROM {quoted(table)} WHERE {owner} = ? LIMIT 1"
        with writing.transaction(keep=False) as tx:
            row = tx.value(sql, (first,))
            before = tx.rows(*numbered(table, columns(table), [row]))
            tx.run(f"DELETE FROM {quoted(table)} WHERE rowid = ?", (row,))
            Restorer(self._trash, tables, columns).put_rows(Pack(table, columns(table), before), tx)
            if tx.rows(*numbered(table, columns(table), [row])) != before:
                raise Refused(
                    "This file cannot be edited",
                    "A deleted message would not come back as it was: a trigger changes it.",
                )

    def undo(self, plan: UndoPlan) -> Done:
        """Put back what an edit took out."""
        plan.check()
        receipt = plan.receipt.number
        entries = plan.entries
        now = self._trash.receipt(receipt)
        if now is None or now.state is ReceiptState.UNDONE:
            raise Refused("It is undone already", f"Receipt {receipt} was taken back.")
        if not entries and all(change.table == OURS for change in plan.changes):
            self._note_down(plan.changes, back=True)
            self._settle_undo(plan)
            return Done(receipt, "undo", _ids(plan.changes), {}, plan.notes)
        folder, moved = self._path.resolve().parent, sum(entry.bytes for entry in entries)
        if entries:
            room.check_before([folder], moved, "Putting it back")
        with self._writing() as writing:
            tables = self._tables(writing, table_of(entries, plan.changes))
            self._check_undo(writing, tables, plan)
            columns = self._copier(writing, tables).columns
            with _before_anything(), self._trash.writing() as trash:
                trash.set_receipt(receipt, ReceiptState.UNDOING)
                trash.set_entries((entry.number for entry in entries), EntryState.COMING)
            counter = Counter(self._progress, len(entries), plan.messages)
            returned = Returned(plan, self._trash, self._dialect)

            def committed(batch: Sequence[Step]) -> None:
                returned.add(batch)
                back = sum(step.last and step.job > 0 for step in batch)
                counter.add(sum(step.messages for step in batch), back)
                if moved > CHUNK or len(entries) > CHUNK_SESSIONS:
                    room.check_on_the_way([folder])

            steps = undo_steps(plan, self._trash, tables, columns)
            try:
                reached = run_batches(
                    writing,
                    steps,
                    self._token,
                    committed,
                    returned.fail,
                )
            except ExplorerError as error:
                if not returned.begun:
                    # Else the trash says whose write has to be rolled back.
                    if writing.readable():
                        self._not_undone(plan)
                    raise error.also("Nothing was done.") from error
                raise error.also("Some of it is back; the next start does the rest.") from error
        trouble = returned.trouble
        if trouble is not None or not (reached or returned.begun):
            self._not_undone(plan)
        if isinstance(trouble, Lost):
            raise ExplorerError(trouble.title, trouble.message)
        if trouble is not None:
            raise trouble
        if not reached:
            raise Cancelled
        back = returned.entries
        left = [*returned.notes(), *self._files_back(back)]
        try:
            self._note_down(plan.changes, back=True)
            self._settle_undo(plan, back)
        except ExplorerError as error:
            # It is back all the same, and the next start closes the receipt.
            left.append(error.message)
        ids = tuple(entry.session for entry in back) or _ids(plan.changes)
        notes = (*plan.notes, *left)
        return Done(receipt, "undo", ids, returned.skipped, notes, words=returned.words)

    def _check_undo(self, writing: Writing, tables: SessionTables, plan: UndoPlan) -> None:
        """What spoke against it when it was planned may have come true since."""
        ask, schema, changes = writing.ask, writing.schema, plan.changes
        reason = undo_reason(self._path, self._dialect, schema, ask, plan.receipt, changes)
        if reason:
            raise Changed("It cannot be undone any more", sentence(reason))
        ids = at_risk(plan.receipt, plan.entries, changes)
        if tables.running(ids, self._clock()):
            raise Changed("It is running", "Its agent has begun to write it. Nothing was done.")

    def _files_back(self, entries: Sequence[Entry]) -> list[str]:
        left = []
        for entry in entries:
            for kept in self._trash.files(entry.number):
                if not put_back(self._dialect.folder, kept):
                    left.append(f"{kept.name}: another file is in its place, or it may not be.")
        return left

    def _not_undone(self, plan: UndoPlan) -> None:
        """It could not be: what the trash says of it is what it said before."""
        was = plan.receipt.state
        state = ReceiptState.BEGUN if was is ReceiptState.BEGUN else ReceiptState.DONE
        with suppress(ExplorerError), self._trash.writing() as trash:
            trash.set_receipt(plan.receipt.number, state)
            for entry in plan.entries:
                coming = entry.state is EntryState.COMING
                trash.set_entries([entry.number], EntryState.GONE if coming else entry.state)

    def _settle_undo(self, plan: UndoPlan, entries: Sequence[Entry] = ()) -> None:
        """What is back is back; what could not be waits in the trash as before."""
        receipt = plan.receipt.number
        back = {entry.number for entry in entries}
        failed = {entry.number for entry in plan.entries} - back
        rest = [
            entry
            for entry in self._trash.entries(receipt)
            if entry.number not in back and entry.state is not EntryState.BACK
        ]
        with self._trash.writing() as trash:
            trash.set_entries(failed, EntryState.GONE)
            trash.set_entries(back, EntryState.BACK)
            trash.set_receipt(receipt, ReceiptState.DONE if rest else ReceiptState.UNDONE)

    def finish(self, receipt: Receipt) -> Done:
        """Do the rest of what a crash cut short."""
        if receipt.state is ReceiptState.UNDOING:
            entries = self._trash.entries(receipt.number)
            coming = [one.number for one in entries if one.state is EntryState.COMING]
            with Looking(self._path) as looking:
                tables = self._tables(looking, table_of(entries))
                back = plan_undo(self._trash, self._dialect, receipt, tables, coming or None)
            return self.undo(back)
        half = [
            entry
            for entry in self._trash.entries(receipt.number)
            if entry.state is EntryState.COPIED
        ]
        with self._writing() as writing:
            tables = self._tables(writing, table_of(half))
            planned = [planned_again(entry, self._trash) for entry in half]
            table, action = tables.shape.sessions, Action(receipt.action)
            plan = EditPlan(action, self._path, table, tuple(planned))
            taking = Taking(self._under_way, writing, tables, plan, receipt.number, force=False)
            return taking.finish(half)


@contextmanager
def _before_anything() -> Iterator[None]:
    """Whatever fails in here has left the file as it was, and says so."""
    try:
        yield
    except ExplorerError as error:
        done = "" if "Nothing was" in error.message else "Nothing was done."
        raise (error.also(done) if done else error) from error


def _ids(changes: Sequence[Change]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            change.id.decode("utf-8", "replace")
            for change in changes
            if isinstance(change.id, bytes)
        )
    )

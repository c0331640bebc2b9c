"""Undoes an edit on a server: each session comes back in one transaction."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from explorer.errors import Cancelled, ExplorerError, Refused
from explorer.stores.edits.batches import ProgressCounter, before_anything
from explorer.stores.edits.changes import cell_trouble, note_down
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.plans import Done, UndoPlan
from explorer.stores.edits.refusal_words import CANNOT_UNDO, NOTHING_CHANGED, already_undone
from explorer.stores.ours.trash_records import (
    OURS,
    CellChange,
    Entry,
    EntryState,
    ReceiptState,
    table_of,
)
from explorer.stores.postgres.writing import ServerWriter, Unsure
from explorer.stores.power_loop.server_edits.changes import hold
from explorer.stores.power_loop.server_edits.recovery import settle_soon
from explorer.stores.power_loop.server_edits.rows import Putter, set_cells
from explorer.stores.power_loop.server_edits.work import ServerWork
from explorer.stores.sqlite.images import shown


class ServerUndo:
    """One edit being undone."""

    def __init__(self, work: ServerWork, plan: UndoPlan) -> None:
        self._work, self._context, self._trash = work, work.context, work.context.trash
        self._plan = plan
        self._back: list[Entry] = []
        self._failed: list[Changed] = []
        self._table = table_of(plan.entries, plan.changes)

    def run(self) -> Done:
        plan = self._plan
        plan.check()
        number = plan.receipt.number
        now = self._trash.receipt(number)
        if now is None or now.state is ReceiptState.UNDONE:
            raise Refused("Already undone", already_undone(number))
        with before_anything(), self._trash.writing() as trash:
            trash.set_receipt(number, ReceiptState.UNDOING)
            trash.set_entries((one.number for one in plan.entries), EntryState.COMING)
        stopped = False
        try:
            with self._work.writer() as writer:
                stopped = not self._restore(writer)
                self._revert(writer)
        except Unsure as error:
            return self._close_unsure(error)
        except (ExplorerError, Cancelled):
            with suppress(ExplorerError):
                self._settle(undone=False)
            raise
        if self._failed and not self._back:
            self._settle(undone=False)
            raise self._failed[0]
        done = self._done(stopped)
        try:
            note_down(self._context.notes, plan.changes, back=True)
            self._settle(undone=True)
        except ExplorerError as error:
            # It is back anyway, and the next start closes the receipt.
            done = done._replace(notes=(*done.notes, error.message))
        return done

    def _close_unsure(self, error: Unsure) -> Done:
        """The connection was lost: what is there tells how far it got."""
        known = settle_soon(self._work, self._plan.receipt.number)
        planned = {one.number for one in self._plan.entries}
        self._back = [
            one
            for one in self._trash.entries(self._plan.receipt.number)
            if one.number in planned and one.state is EntryState.BACK
        ]
        if known is None or known.half_done:
            # The next start looks again.
            raise error from None
        if known.state is not ReceiptState.UNDONE and not self._back:
            raise error.not_done() from None
        note_down(self._context.notes, self._plan.changes, back=True)
        return self._done(stopped=False)

    def _done(self, stopped: bool) -> Done:
        ids = tuple(one.session for one in self._back) or _ids(self._plan.changes)
        skipped = Counter(error.message.rstrip(".") for error in self._failed)
        number = self._plan.receipt.number
        return Done(number, "undo", ids, skipped, self._plan.notes, stopped)

    def _restore(self, writer: ServerWriter) -> bool:
        """Whether the end was reached."""
        plan, token = self._plan, self._context.token
        counter = ProgressCounter(self._context.progress, len(plan.entries), plan.messages)
        # Parents before children: the reverse of the order in which they were deleted.
        for entry in plan.entries[::-1]:
            if token.cancelled:
                if not self._back:
                    raise Cancelled
                return False
            links = [one for one in plan.changes if one.entry == entry.number]
            try:
                with self._work.transaction(writer) as tx:
                    found = self._work.tables(tx, self._table, plan.receipt.action)
                    where = tx, found.tables, found.layout.tables, self._trash
                    messages = Putter(*where).put(entry, links)
            except Changed as error:
                self._failed.append(error)
                continue
            with self._trash.writing() as trash:
                trash.set_entries([entry.number], EntryState.BACK)
            self._back.append(entry)
            counter.add(messages, 1)
        return True

    def _revert(self, writer: ServerWriter) -> None:
        """Cells get their old values again, all of them in one transaction."""
        changes = [one for one in self._plan.changes if not one.entry and one.table != OURS]
        if not changes:
            return
        with self._work.transaction(writer) as tx:
            found = self._work.tables(tx, self._table, self._plan.receipt.action)
            hold(tx, found, changes, None)
            moved = {shown(change.id) for change in changes}
            for change in reversed(changes):
                if trouble := cell_trouble(change, found.tables, moved):
                    raise Changed(CANNOT_UNDO, f"{trouble} {NOTHING_CHANGED}")
                set_cells(tx, change, change.new, change.old)

    def _settle(self, undone: bool) -> None:
        """What is back is back; what could not be waits in the trash as before."""
        number = self._plan.receipt.number
        back = {one.number for one in self._back}
        failed = {one.number for one in self._plan.entries} - back
        every = self._trash.entries(number)
        rest = any(one.state is not EntryState.BACK for one in every)
        whole = not rest if every else undone
        with self._trash.writing() as trash:
            trash.set_entries(failed, EntryState.GONE)
            trash.set_receipt(number, ReceiptState.UNDONE if whole else ReceiptState.DONE)


def _ids(changes: Sequence[CellChange]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shown(one.id) for one in changes if isinstance(one.id, bytes)))

"""Undoes an edit on a server: each session comes back in one transaction."""

from contextlib import suppress

from explorer.errors import Cancelled, ExplorerError
from explorer.stores.edits.batches import ProgressCounter, unchanged
from explorer.stores.edits.changes import cell_trouble
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.plans import UndoPlan
from explorer.stores.edits.refusal_words import (
    CANNOT_UNDO,
    CONNECTION_LOST,
    NOTHING_CHANGED,
    restored_words,
)
from explorer.stores.edits.undo import Undo
from explorer.stores.ours.trash_records import OURS, Entry, EntryState, ReceiptState, table_of
from explorer.stores.postgres.writing import ServerWriter, Unsure
from explorer.stores.power_loop.server_edits.changes import hold
from explorer.stores.power_loop.server_edits.recovery import settle_soon
from explorer.stores.power_loop.server_edits.rows import Putter, set_cells
from explorer.stores.power_loop.server_edits.work import ServerWork
from explorer.stores.sqlite.images import shown


class ServerUndo(Undo):
    """One edit being undone."""

    may_stop = True

    def __init__(self, work: ServerWork, plan: UndoPlan) -> None:
        super().__init__(work.context, plan)
        self._work = work
        self._table = table_of(plan.entries, plan.changes)

    def _restore_rows(self) -> bool:
        self._set_out()
        try:
            with self._work.writer() as writer:
                reached = self._restore(writer)
                self._revert(writer)
                return reached
        except Unsure as error:
            self._find_out(error)
            return True
        except Cancelled:
            return False
        except ExplorerError as error:
            if not self._back:
                self._not_undone()
                unchanged(error)
                raise
            with suppress(ExplorerError):
                self._settle(self._back)
            raise error.also(restored_words(len(self._back))) from error

    def _restore(self, writer: ServerWriter) -> bool:
        """Whether the end was reached."""
        plan, token = self._plan, self._context.token
        counter = ProgressCounter(self._context.progress, len(plan.entries), plan.messages)
        # Parents before children: the reverse of the order in which they were deleted.
        for entry in plan.entries[::-1]:
            if token.cancelled:
                return False
            try:
                messages = self._put(writer, entry)
            except Changed as error:
                self._failed[entry.number] = error
                continue
            self._came_back(entry, messages)
            with self._trash.writing() as trash:
                trash.set_entries([entry.number], EntryState.BACK)
            counter.add(messages, 1)
        return True

    def _put(self, writer: ServerWriter, entry: Entry) -> int:
        """How many messages came back."""
        links = [one for one in self._plan.changes if one.entry == entry.number]
        with self._work.transaction(writer) as tx:
            found = self._work.tables(tx, self._table, self._plan.receipt.action)
            where = tx, found.tables, found.layout.tables, self._trash
            return Putter(*where).put(entry, links)

    def _came_back(self, entry: Entry, messages: int) -> None:
        self._begun = True
        self._ended.add(entry.number)
        self._messages[entry.number] = messages

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

    def _find_out(self, error: Unsure) -> None:
        """The connection was lost: what is there tells how far it got."""
        number = self._plan.receipt.number
        known = settle_soon(self._work, number)
        if known is None or known.half_done:
            # The next start looks again.
            raise error from None
        kept = self._trash.entries(number)
        there = {one.number for one in kept if one.state is EntryState.BACK}
        for entry in self._plan.entries:
            if entry.number in self._ended:
                continue
            if entry.number in there:
                self._came_back(entry, entry.messages)
            else:
                self._failed.setdefault(entry.number, Changed(CANNOT_UNDO, CONNECTION_LOST))
        if known.state is not ReceiptState.UNDONE and not self._ended:
            raise error.not_done() from None

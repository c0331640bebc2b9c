"""Gives cells of sessions on a server other values, and their old ones back: rename, archive."""

from collections.abc import Sequence
from contextlib import suppress

from explorer.errors import Cancelled, ExplorerError
from explorer.stores.edits.batches import before_anything
from explorer.stores.edits.changes import begin_changes, changed, note_down
from explorer.stores.edits.plans import Done, EditPlan
from explorer.stores.ours.trash_records import OURS, CellChange, ReceiptState
from explorer.stores.postgres.writing import ServerTransaction, Unsure
from explorer.stores.power_loop.server_edits.recovery import settle_soon
from explorer.stores.power_loop.server_edits.rows import check_quiet, lock, set_cells
from explorer.stores.power_loop.server_edits.work import OpenTables, ServerWork
from explorer.stores.sqlite.images import shown


def change_cells(work: ServerWork, plan: EditPlan, force: bool) -> Done:
    """All of them in one transaction."""
    context = work.context
    with before_anything(), context.trash.writing() as trash:
        receipt = begin_changes(context, trash, plan)
    stored = [one for one in plan.changes if one.table != OURS]
    try:
        with (
            before_anything(),
            work.writer() as writer,
            work.transaction(writer) as tx,
        ):
            found = work.tables(tx, plan.table, plan.action.value)
            hold(tx, found, stored, None if force else context.clock())
            for change in stored:
                set_cells(tx, change, change.old, change.new)
    except Unsure as error:
        known = settle_soon(work, receipt)
        if known is None or known.half_done:
            raise error.not_done() if known is None else error from None
    except (ExplorerError, Cancelled):
        with suppress(ExplorerError), context.trash.writing() as trash:
            trash.drop_receipt(receipt)
        raise
    notes: tuple[str, ...] = ()
    try:
        note_down(context.notes, plan.changes)
        with context.trash.writing() as trash:
            trash.set_receipt(receipt, ReceiptState.DONE)
    except ExplorerError as error:
        # It is done anyway, and the next start finds that out.
        notes = (error.message,)
    return changed(receipt, plan, notes)


def hold(
    tx: ServerTransaction, found: OpenTables, changes: Sequence[CellChange], now: float | None
) -> None:
    """Lock the sessions of these changes; with `now`, refuse those that a program writes."""
    ids = sorted({shown(change.id) for change in changes})
    lock(tx, found.tables, ids)
    if now is not None:
        check_quiet(found.tables, found.tables.subjects(found.tables.shape.id, ids), now)

"""Gives cells of sessions on a server other values, and their old ones back: rename, archive."""

from collections.abc import Sequence
from contextlib import suppress

from explorer.errors import Cancelled, ExplorerError
from explorer.stores.edits.batches import unchanged
from explorer.stores.edits.changes import with_receipt
from explorer.stores.edits.plans import Done, EditPlan
from explorer.stores.ours.trash_records import CellChange
from explorer.stores.postgres.writing import ServerTransaction, Unsure
from explorer.stores.power_loop.server_edits.recovery import settle_soon
from explorer.stores.power_loop.server_edits.rows import check_quiet, lock, set_cells
from explorer.stores.power_loop.server_edits.work import OpenTables, ServerWork
from explorer.stores.sqlite.images import shown


def change_cells(work: ServerWork, plan: EditPlan, force: bool) -> Done:
    """All of them in one transaction."""
    context = work.context
    now = None if force else context.clock()

    def write(receipt: int) -> None:
        try:
            with work.writer() as writer, work.transaction(writer) as tx:
                found = work.tables(tx, plan.table, plan.action.value)
                hold(tx, found, plan.stored, now)
                for change in plan.stored:
                    set_cells(tx, change, change.old, change.new)
        except Unsure as error:
            known = settle_soon(work, receipt)
            if known is None or known.half_done:
                raise error.not_done() if known is None else error from None
        except (ExplorerError, Cancelled) as error:
            with suppress(ExplorerError), context.trash.writing() as trash:
                trash.drop_receipt(receipt)
            if isinstance(error, ExplorerError):
                unchanged(error)
            raise

    return with_receipt(context, plan, write)


def hold(
    tx: ServerTransaction, found: OpenTables, changes: Sequence[CellChange], now: float | None
) -> None:
    """Lock the sessions of these changes; with `now`, refuse those that a program writes."""
    ids = sorted({shown(change.id) for change in changes})
    lock(tx, found.tables, ids)
    if now is not None:
        check_quiet(found.tables, found.tables.subjects(found.tables.shape.id, ids), now)

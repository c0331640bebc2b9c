"""Edits that give cells other values, done: in the file in one transaction, or in our own notes.

Under the lock, a cell must still have its old value; to undo, its new one.
"""

from collections.abc import Sequence
from contextlib import suppress

from explorer.errors import Cancelled, ExplorerError, Refused
from explorer.stores.edits.apply.batches import EditContext, before_anything
from explorer.stores.edits.change_plan import taken_words
from explorer.stores.edits.connection import Changed, ReadConnection, Transaction, WriteConnection
from explorer.stores.edits.dialect import SessionTables
from explorer.stores.edits.plans import Done, EditPlan
from explorer.stores.edits.words import receipt_words
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.trash import TrashWriter
from explorer.stores.ours.trash_records import OURS, CellChange, ReceiptState
from explorer.stores.sqlite.images import Cell, bound, shown
from explorer.stores.sqlite.schema import quoted


def change_cells(context: EditContext, file: WriteConnection, plan: EditPlan) -> Done:
    """Change cells of a few rows, in one transaction."""
    tables = context.tables(file, plan.table)
    with before_anything(), context.trash.writing() as trash:
        receipt = _begin(context, trash, plan)
    try:
        with before_anything(), file.transaction() as tx:
            _check_title_free(tx, tables, plan)
            for change in plan.changes:
                if change.table != OURS:
                    _set(tx, change, change.old, change.new)
    except (ExplorerError, Cancelled):
        forget(context, receipt, file)
        raise
    notes: tuple[str, ...] = ()
    try:
        note_down(context.notes, plan.changes)
        with context.trash.writing() as trash:
            trash.set_receipt(receipt, ReceiptState.DONE)
    except ExplorerError as error:
        # It is done all the same, and the next start finds that out.
        notes = (error.message,)
    return _done(receipt, plan, notes)


def change_notes(context: EditContext, plan: EditPlan) -> Done:
    """What the file has no place for goes into our own notes."""
    with context.trash.writing() as trash:
        receipt = _begin(context, trash, plan)
        trash.set_receipt(receipt, ReceiptState.DONE)
    note_down(context.notes, plan.changes)
    return _done(receipt, plan)


def _begin(context: EditContext, trash: TrashWriter, plan: EditPlan) -> int:
    receipt = trash.begin(plan.action.value, receipt_words(plan), context.clock())
    for change in plan.changes:
        trash.add_change(receipt, change)
    return receipt


def _done(receipt: int, plan: EditPlan, notes: tuple[str, ...] = ()) -> Done:
    ids = tuple(one.id for one in plan.doomed)
    return Done(receipt, plan.action.value, ids, plan.skipped, notes)


def forget(context: EditContext, receipt: int, file: ReadConnection) -> None:
    """An edit that came to nothing; if that cannot be written, the next start finds it out. Its
    receipt also says whose write it was that has to be rolled back, where that is so."""
    if not file.readable():
        return
    with suppress(ExplorerError), context.trash.writing() as trash:
        trash.drop_receipt(receipt)


def note_down(notes: Notes | None, changes: Sequence[CellChange], back: bool = False) -> None:
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
            if ids and notes is None:
                raise Refused("It cannot be noted", "There is no place for our own notes.")
            if ids and notes is not None:
                (notes.pin if kind == "pinned" else notes.archive)(ids, on)


def revert_change(tx: Transaction, change: CellChange) -> None:
    """Give the cells of one row their old values back, if they still have the new ones."""
    _set(tx, change, change.new, change.old)


def _set(
    tx: Transaction, change: CellChange, before: Sequence[Cell], after: Sequence[Cell]
) -> None:
    given = [bound(cell) for cell in after]
    known = [bound(cell) for cell in (change.id, *before)]
    names = [quoted(column) for column in change.columns]
    sets = ", ".join(f"{name} = {place}" for name, (place, _) in zip(names, given, strict=True))
    tests = " AND ".join(
        f"{name} IS {place}"
        for name, (place, _) in zip((quoted(change.id_column), *names), known, strict=True)
    )
    count = tx.run(
        f"UPDATE {quoted(change.table)} SET {sets} WHERE {tests}",
        [value for _, value in (*given, *known)],
    )
    if count != 1:
        raise Changed("The file has changed", "Its agent has changed the same thing meanwhile.")


def _check_title_free(tx: Transaction, tables: SessionTables, plan: EditPlan) -> None:
    """Under the lock: nobody has taken the title of a rename since it was planned."""
    if plan.title is not None and plan.title.text is not None:
        movers = {shown(change.id) for change in plan.changes}
        taken = tables.under(tx).title_taken(plan.title.text, movers)
        if taken is not None:
            raise Changed("This title is taken", f"{taken_words(taken)}. Nothing was changed.")

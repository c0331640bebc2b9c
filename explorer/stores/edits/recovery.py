"""After a crash: where each session of an unfinished edit is, as the file shows.

What is wholly out of the file was deleted; what is wholly in it was not touched. Only what is
half out needs a decision of the user: finish, or put back.

Without a log, a crash also leaves a journal that only a writer can roll back. Of an agent's own
writes that is left to the agent; of ours, which our trash knows, it is for us to do.
"""

from pathlib import Path

from explorer.errors import ExplorerError
from explorer.model import Action
from explorer.stores.edits.batches import EditContext
from explorer.stores.edits.changes import current
from explorer.stores.edits.connection import ReadConnection
from explorer.stores.edits.copy_to_trash import Copied, remove_file
from explorer.stores.edits.delete import Removal, recount
from explorer.stores.edits.dialect import SessionTables
from explorer.stores.edits.plans import Done, EditPlan, Planned, PlannedOutcome
from explorer.stores.edits.undo import Undo, plan_undo
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import (
    OURS,
    CellChange,
    Entry,
    EntryState,
    Receipt,
    ReceiptState,
    table_of,
)
from explorer.stores.sqlite.images import shown
from explorer.stores.sqlite.schema import batches, placeholders, quoted


def settle(context: EditContext, receipt: Receipt) -> None:
    """Settle what is clear; the rest stays begun."""
    trash = context.trash
    entries = trash.entries(receipt.number)
    changes = [one for one in trash.changes(receipt.number) if not one.entry and one.table != OURS]
    with ReadConnection(context.path) as file:
        if not entries:
            _settle_cells(file, trash, receipt, changes)
            return
        if receipt.state is ReceiptState.UNDOING:
            # Nothing to decide where all that was on its way has arrived.
            if all(entry.state is EntryState.BACK for entry in entries):
                with trash.writing() as writer:
                    writer.set_receipt(receipt.number, ReceiptState.UNDONE)
            return
        tables = context.tables(file, table_of(entries))
        gone, untouched = [], []
        for entry in entries:
            if entry.state is EntryState.COPIED:
                out = _out(file, tables, trash, entry)
                gone += [entry.number] if out is True else []
                untouched += [entry.number] if out is False else []
    for entry in entries:
        if entry.number in gone or entry.state is EntryState.GONE:
            # The text of a deleted session must not live on beside the file.
            for kept in trash.files(entry.number):
                remove_file(context.dialect.folder, kept)
    with trash.writing() as writer:
        writer.set_entries(gone, EntryState.GONE)
        writer.drop_entries(untouched)
    recount(trash, receipt.number)
    trash.close(receipt.number)


def _settle_cells(
    file: ReadConnection, trash: TrashFile, receipt: Receipt, changes: list[CellChange]
) -> None:
    """Cells change in one transaction: either all have their new values or none has."""
    new = bool(changes) and all(current(file.ask, change) == change.new for change in changes)
    with trash.writing() as writer:
        if new:
            writer.set_receipt(receipt.number, ReceiptState.DONE)
        elif changes and receipt.state is ReceiptState.UNDOING:
            writer.set_receipt(receipt.number, ReceiptState.UNDONE)
        else:
            writer.drop_receipt(receipt.number)


def _out(
    file: ReadConnection, tables: SessionTables, trash: TrashFile, entry: Entry
) -> bool | None:
    """Whether an entry is out of its file; None for half."""
    if not tables.has(entry.session):
        return True
    shape = tables.shape
    there = missing = 0
    named = {one.table: one.column for one in shape.belongings} | {shape.messages: shape.owner}
    for pack in trash.packs(entry.number):
        if pack.table in shape.beside_messages:
            continue
        numbers = [row[0] for row in pack.rows]
        for few in batches(numbers):
            # By its name too: the number of a row that is gone may be that of another by now.
            sql = (
                f"SELECT count(*) FROM {quoted(pack.table)} WHERE rowid IN ({placeholders(few)})"
                f" AND {quoted(named[pack.table])} = ?"
            )
            found = file.ask(sql, (*few, entry.session))[0][0]
            assert isinstance(found, int)
            there += found
            missing += len(few) - found
    if entry.kind == "messages" and missing and not there:
        # The last step of a clear sets the counters to zero.
        changes = [one for one in trash.changes(entry.receipt) if one.entry == entry.number]
        return all(current(file.ask, change) == change.new for change in changes) or None
    return None if missing else False


def finish(context: EditContext, receipt: Receipt) -> Done:
    """Do the rest of what a crash interrupted."""
    trash = context.trash
    entries = trash.entries(receipt.number)
    if receipt.state is ReceiptState.UNDOING:
        coming = [one.number for one in entries if one.state is EntryState.COMING]
        with ReadConnection(context.path) as file:
            tables = context.tables(file, table_of(entries))
            plan = plan_undo(context, receipt, tables, coming or None)
        return Undo(context, plan).run()
    half = [entry for entry in entries if entry.state is EntryState.COPIED]
    with context.connected() as file:
        tables = context.tables(file, table_of(half))
        planned = [_planned_again(entry, trash) for entry in half]
        rest = EditPlan(Action(receipt.action), context.path, tables.shape.sessions, tuple(planned))
        copied = []
        for entry, one in zip(half, planned, strict=True):
            packs = trash.packs(entry.number)
            own = (pack.rows[0] for pack in packs if pack.table == tables.shape.sessions)
            image = next(own, None)
            if image is not None and isinstance(image[0], int):
                copied.append(Copied(entry.number, one, image[0], image))
        removal = Removal(context, file, tables, rest, receipt.number, force=False)
        return removal.finish(copied)


def _planned_again(entry: Entry, trash: TrashFile) -> Planned:
    """The plan for a session that is in the trash, as far as the trash tells."""
    children = tuple(
        shown(change.id)
        for change in trash.changes(entry.receipt)
        if change.entry == entry.number and isinstance(change.id, bytes)
    )
    return Planned(
        key=0,
        id=entry.session,
        title=entry.title,
        source=entry.source,
        messages=entry.messages,
        bytes=entry.bytes,
        kind=entry.kind,
        outcome=PlannedOutcome.DELETE if entry.kind == "session" else PlannedOutcome.CLEAR,
        children=children,
    )


def taken_back(path: Path, trash: Path) -> bool:
    """Whether it was an edit of ours that is in the way; then it is rolled back."""
    try:
        receipts = TrashFile(trash, path).receipts()
    except ExplorerError:
        return False
    if not any(one.half_done for one in receipts):
        return False
    with ReadConnection(path):
        return True

"""After a crash: where each session of an unfinished edit is, told by looking.

What is wholly out of the file was deleted; what is wholly in it was not touched. Only what is
half out needs somebody to decide: finish, or put back.
"""

from collections.abc import Sequence
from pathlib import Path

from explorer.stores.edits.apply.files import remove_file
from explorer.stores.edits.apply.take_out import recount
from explorer.stores.edits.dialect import Dialect, SessionTables
from explorer.stores.edits.undo_plan import current
from explorer.stores.edits.write.connection import Looking
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import (
    OURS,
    Change,
    Entry,
    EntryState,
    Receipt,
    ReceiptState,
    table_of,
)
from explorer.stores.sqlite.parameters import placeholders
from explorer.stores.sqlite.schema import quoted

AT_ONCE = 500


def settle(path: Path, dialect: Dialect, trash: TrashFile, receipt: Receipt) -> None:
    """Settle what is clear; the rest stays begun."""
    entries = trash.entries(receipt.number)
    changes = [one for one in trash.changes(receipt.number) if not one.entry and one.table != OURS]
    with Looking(path) as looking:
        if not entries:
            _settle_cells(looking, trash, receipt, changes)
            return
        if receipt.state is ReceiptState.UNDOING:
            _settle_undo(trash, receipt, entries)
            return
        tables = dialect.over(looking.ask, looking.schema, table_of(entries))
        gone, untouched = [], []
        for entry in entries:
            if entry.state is EntryState.COPIED:
                out = _out(looking, tables, trash, entry)
                gone += [entry.number] if out is True else []
                untouched += [entry.number] if out is False else []
    for entry in entries:
        if entry.number in gone or entry.state is EntryState.GONE:
            # The text of a deleted session must not live on beside the file.
            for kept in trash.files(entry.number):
                remove_file(dialect.folder, kept)
    with trash.writing() as writer:
        writer.set_entries(gone, EntryState.GONE)
        writer.drop_entries(untouched)
    recount(trash, receipt.number)
    trash.close(receipt.number)


def _settle_undo(trash: TrashFile, receipt: Receipt, entries: Sequence[Entry]) -> None:
    """Nothing to decide where all that was on its way has arrived."""
    if any(entry.state is EntryState.COMING for entry in entries):
        return
    if all(entry.state is EntryState.BACK for entry in entries):
        with trash.writing() as writer:
            writer.set_receipt(receipt.number, ReceiptState.UNDONE)


def _settle_cells(
    looking: Looking, trash: TrashFile, receipt: Receipt, changes: list[Change]
) -> None:
    """Cells change in one transaction: either all have their new values or none has."""
    new = bool(changes) and all(current(looking.ask, change) == change.new for change in changes)
    with trash.writing() as writer:
        if new:
            writer.set_receipt(receipt.number, ReceiptState.DONE)
        elif changes and receipt.state is ReceiptState.UNDOING:
            writer.set_receipt(receipt.number, ReceiptState.UNDONE)
        else:
            writer.drop_receipt(receipt.number)


def _out(looking: Looking, tables: SessionTables, trash: TrashFile, entry: Entry) -> bool | None:
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
        for start in range(0, len(numbers), AT_ONCE):
            few = numbers[start : start + AT_ONCE]
            places = placeholders(few)
            # By its name too: the number of a row that is gone may be that of another by now.
            sql = (
                f"SELECT count(*) FROM {quoted(pack.table)} WHERE rowid IN ({places})"
                f" AND {quoted(named[pack.table])} = ?"
            )
            found = looking.ask(sql, (*few, entry.session))[0][0]
            assert isinstance(found, int)
            there += found
            missing += len(few) - found
    if entry.kind == "messages" and missing and not there:
        return True if _counted_out(looking, trash, entry) else None
    return None if missing else False


def _counted_out(looking: Looking, trash: TrashFile, entry: Entry) -> bool:
    """Whether the last step of a clear was done: the counters are at zero."""
    changes = [one for one in trash.changes(entry.receipt) if one.entry == entry.number]
    return all(current(looking.ask, change) == change.new for change in changes)

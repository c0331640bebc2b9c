"""After a crash, or a connection that was lost at the worst moment: what the server has done.

A transaction is done or not done, so there is nothing for the user to decide. To be sure that it is
over, its rows are locked before they are looked at: that waits for it.
"""

import time
from collections.abc import Sequence

from explorer.errors import ExplorerError
from explorer.stores.edits.delete import recount
from explorer.stores.ours.trash_records import (
    OURS,
    CellChange,
    Entry,
    EntryState,
    Receipt,
    ReceiptState,
    table_of,
)
from explorer.stores.postgres.writing import ServerTransaction
from explorer.stores.power_loop.server_edits.rows import is_in
from explorer.stores.power_loop.server_edits.work import ServerWork, open_tables
from explorer.stores.sqlite.images import Image
from explorer.stores.sqlite.schema import quoted

PATIENCE, AGAIN = 8.0, 0.2
"""Seconds for which a server that went away is waited for, and between two tries."""


def settle_soon(work: ServerWork, number: int) -> Receipt | None:
    """Settle a receipt as soon as the server can be asked; where that takes too long, the next
    start does. What is known of it then; None where nothing had been done."""
    trash, until = work.context.trash, time.monotonic() + PATIENCE
    while (found := trash.receipt(number)) is not None and found.half_done:
        try:
            settle(work, found)
        except ExplorerError:
            if time.monotonic() > until:
                break
            time.sleep(AGAIN)
    return found


def settle(work: ServerWork, receipt: Receipt) -> None:
    """Find out how far an edit or its undo got, and have the trash say so."""
    trash = work.context.trash
    entries = trash.entries(receipt.number)
    changes = [one for one in trash.changes(receipt.number) if not one.entry and one.table != OURS]
    if not entries and not changes:
        with trash.writing() as writer:
            writer.drop_receipt(receipt.number)
        return
    with work.writer() as server, server.transaction() as tx:
        if not entries:
            done = _all_new(tx, changes)
            there = frozenset[int]()
        else:
            found = open_tables(work.dialect, tx.rows, table_of(entries)).tables
            there = frozenset(
                one.number
                for one in entries
                if one.state in (EntryState.COPIED, EntryState.COMING)
                and is_in(tx, found, trash, one)
            )
    if not entries:
        _settle_cells(work, receipt, done)
    elif receipt.state is ReceiptState.UNDOING:
        _settle_undo(work, receipt, entries, there)
    else:
        _settle_delete(work, receipt, entries, there)


def _all_new(tx: ServerTransaction, changes: Sequence[CellChange]) -> bool:
    return all(_current(tx, change) == change.new for change in changes)


def _current(tx: ServerTransaction, change: CellChange) -> Image | None:
    names = ", ".join(f"t.{quoted(column)}" for column in change.columns)
    rows = tx.rows(
        f"SELECT {names} FROM {quoted(change.table)} t WHERE t.{quoted(change.id_column)} = ?"
        " FOR UPDATE",
        (change.id,),
    )
    return rows[0] if rows else None


def _settle_cells(work: ServerWork, receipt: Receipt, done: bool) -> None:
    with work.context.trash.writing() as writer:
        if done:
            writer.set_receipt(receipt.number, ReceiptState.DONE)
        elif receipt.state is ReceiptState.UNDOING:
            writer.set_receipt(receipt.number, ReceiptState.UNDONE)
        else:
            writer.drop_receipt(receipt.number)


def _settle_delete(
    work: ServerWork, receipt: Receipt, entries: Sequence[Entry], there: frozenset[int]
) -> None:
    """What is still in the database was not deleted."""
    trash = work.context.trash
    copied = [one.number for one in entries if one.state is EntryState.COPIED]
    with trash.writing() as writer:
        writer.set_entries((one for one in copied if one not in there), EntryState.GONE)
        writer.drop_entries(one for one in copied if one in there)
    recount(trash, receipt.number)
    trash.close(receipt.number)


def _settle_undo(
    work: ServerWork, receipt: Receipt, entries: Sequence[Entry], there: frozenset[int]
) -> None:
    """What is not back waits in the trash as before."""
    coming = [one.number for one in entries if one.state is EntryState.COMING]
    rest = any(one.state is not EntryState.BACK and one.number not in there for one in entries)
    with work.context.trash.writing() as writer:
        writer.set_entries((one for one in coming if one in there), EntryState.BACK)
        writer.set_entries((one for one in coming if one not in there), EntryState.GONE)
        writer.set_receipt(receipt.number, ReceiptState.DONE if rest else ReceiptState.UNDONE)

"""The steps that take an edit back."""

from collections.abc import Callable, Iterator, Sequence

from explorer.stores.edits.apply.batches import Step
from explorer.stores.edits.apply.restore_rows import Restorer
from explorer.stores.edits.change_plan import revert_change
from explorer.stores.edits.dialect import SessionTables
from explorer.stores.edits.undo_plan import UndoPlan, cell_trouble
from explorer.stores.edits.write.connection import Changed, Transaction
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import OURS, Change
from explorer.stores.sqlite.images import shown


def undo_steps(
    plan: UndoPlan,
    trash: TrashFile,
    tables: SessionTables,
    columns: Callable[[str], tuple[str, ...]],
) -> Iterator[Step]:
    """The steps that take an edit back: rows, then links, then cells."""
    restorer = Restorer(trash, tables, columns, dict(plan.titles))
    # Parents before children: the other way round than they went.
    entries = plan.entries[::-1]
    for entry in entries:
        yield from restorer.steps(entry, plan.changes)
    yield from restorer.link_steps(entries)
    plain = [one for one in plan.changes if not one.entry and one.table != OURS]
    if plain:
        yield Step(0, lambda tx: _revert_all(plain, tables.under(tx), tx), last=True)


def _revert_all(changes: Sequence[Change], tables: SessionTables, tx: Transaction) -> None:
    # A title that moved on must be free again before its owner of old gets it back.
    moved = {shown(change.id) for change in changes}
    for change in reversed(changes):
        trouble, _ = cell_trouble(change, tables, moved)
        if trouble:
            raise Changed("It cannot be undone any more", f"{trouble} Nothing was done.")
        revert_change(tx, change)

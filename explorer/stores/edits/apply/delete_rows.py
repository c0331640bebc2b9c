"""Takes sessions out of a file, after they are complete in the trash.

Each step compares what it is about to delete with what the trash holds, under the lock: what has
changed since is not deleted. Messages first, in slices; last, in one step, the session itself.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from explorer.model import State
from explorer.stores.edits.apply.batches import Step
from explorer.stores.edits.apply.copy_to_trash import Copied, numbered
from explorer.stores.edits.dialect import SessionTables
from explorer.stores.edits.plans import Outcome
from explorer.stores.edits.subject import state
from explorer.stores.edits.write.connection import Changed, Transaction
from explorer.stores.ours.trash import TrashFile
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Image, bound, named, slices
from explorer.stores.sqlite.parameters import placeholders
from explorer.stores.sqlite.schema import quoted


class Deleter:
    """Makes the steps that take sessions of one file out."""

    def __init__(
        self,
        trash: TrashFile,
        tables: SessionTables,
        columns: Callable[[str], tuple[str, ...]],
        begun: bool = False,
    ) -> None:
        """`begun` says that some of the rows may be gone already, after a crash."""
        self._begun = begun
        self._trash = trash
        self._tables = tables
        self._shape = tables.shape
        self._columns = columns

    def steps(self, copied: Copied, now: float, force: bool) -> Iterator[Step]:
        """All steps for one session, in order."""
        entry, shape = copied.entry, self._shape
        yield Step(entry, partial(self._check, copied, now, force))
        for table, _, rows in self._trash.packs(entry):
            if table in shape.beside_messages:
                continue
            for few in slices(rows):
                count = len(few) if table == shape.messages else 0
                yield Step(entry, partial(self._delete_rows, table, few), count)
        end = self._clear_counters if copied.planned.outcome is Outcome.CLEAR else self._end
        yield Step(entry, partial(end, copied), last=True)

    def _check(self, copied: Copied, now: float, force: bool, tx: Transaction) -> None:
        """The session is still what was copied, and nobody writes it."""
        self._same_row(copied, tx)
        if not force:
            there = self._tables.under(tx)
            (subject,) = there.subjects("rowid", [copied.row])
            if state(subject, there.leases(), now) is State.RUNNING:
                raise Changed("It is running", "Its agent has begun to write it.")

    def _same_row(self, copied: Copied, tx: Transaction) -> None:
        shape = self._shape
        columns = self._columns(shape.sessions)
        rows = tx.rows(*numbered(shape.sessions, columns, [copied.row]))
        link = 1 + columns.index(shape.parent)
        if not rows or _without(rows[0], link) != _without(copied.image, link):
            raise Changed("It has changed", "Its agent has written it meanwhile.")

    def _delete_rows(self, table: str, rows: Sequence[Image], tx: Transaction) -> None:
        found = tx.rows(*numbered(table, self._columns(table), [row[0] for row in rows]))
        if self._begun:
            there = {row[0] for row in found}
            rows = [row for row in rows if row[0] in there]
        filled = self._filled(table)
        if _told(found, filled) != _told(rows, filled):
            raise Changed("It has changed", "Its agent has written it meanwhile.")
        places = placeholders(rows)
        sql = f"DELETE FROM {quoted(table)} WHERE rowid IN ({places})"
        tx.run(sql, [row[0] for row in rows], expect=len(rows))

    def _filled(self, table: str) -> frozenset[int]:
        """Places of the cells that a trigger sets when another message of the session goes."""
        if table != self._shape.messages or not self._shape.filled:
            return frozenset()
        names = enumerate(self._columns(table), 1)
        return frozenset(at for at, name in names if name.lower() in self._shape.filled)

    def _none_left(self, tx: Transaction, table: str, column: str, id_: str) -> None:
        sql = f"SELECT count(*) FROM {quoted(table)} t WHERE t.{quoted(column)} = ?"
        if tx.value(sql, (id_,)):
            raise Changed("It has changed", "Its agent has written it meanwhile.")

    def _end(self, copied: Copied, tx: Transaction) -> None:
        """Detach who stays, and delete the row of the session itself."""
        shape, planned = self._shape, copied.planned
        self._same_row(copied, tx)
        self._none_left(tx, shape.messages, shape.owner, planned.id)
        for table, column, detached in shape.belongings:
            if detached:
                name = quoted(column)
                tx.run(f"UPDATE {quoted(table)} SET {name} = NULL WHERE {name} = ?", (planned.id,))
            else:
                self._none_left(tx, table, column, planned.id)
        sessions, parent = quoted(shape.sessions), quoted(shape.parent)
        below = tx.rows(
            f"SELECT t.{quoted(shape.id)} FROM {sessions} t WHERE t.{parent} = ?", (planned.id,)
        )
        if not {cells.words(id_) for (id_,) in below} <= {*planned.children, planned.id}:
            raise Changed("It has changed", "Another session has come to hang on it.")
        tx.run(
            f"UPDATE {sessions} SET {parent} = NULL WHERE {parent} = ?",
            (planned.id,),
            expect=len(below),
        )
        tx.run(
            f"DELETE FROM {sessions} WHERE rowid = ? AND {quoted(shape.id)} = ?",
            (copied.row, planned.id),
            expect=1,
        )
        self._delete_shared(copied, tx)

    def _delete_shared(self, copied: Copied, tx: Transaction) -> None:
        """What no session shares any more goes with the last that did."""
        sessions, shared = self._shape.sessions, self._shape.shared
        if shared is None:
            return
        cell = named(self._columns(sessions), copied.image)
        key = f"p.{quoted(shared.key)}"
        used = " OR ".join(f"s.{quoted(column)} = {key}" for column in shared.columns)
        for name in {cell[column] for column in shared.columns} - {None}:
            place, value = bound(name)
            tx.run(
                f"DELETE FROM {quoted(shared.table)} AS p WHERE {key} = {place} AND NOT EXISTS"
                f" (SELECT 1 FROM {quoted(sessions)} s WHERE {used})",
                (value,),
            )

    def _clear_counters(self, copied: Copied, tx: Transaction) -> None:
        """The session stays, with nothing in it."""
        shape, id_ = self._shape, copied.planned.id
        self._none_left(tx, shape.messages, shape.owner, id_)
        zeros = ", ".join(f"{quoted(column)} = 0" for column in shape.counters)
        if zeros:
            sql = f"UPDATE {quoted(shape.sessions)} SET {zeros} WHERE {quoted(shape.id)} = ?"
            tx.run(sql, (id_,), expect=1)


def _number(row: Image) -> int:
    number = row[0]
    return number if isinstance(number, int) else 0


def _told(rows: Sequence[Image], filled: Collection[int]) -> list[Image]:
    """Rows by their numbers, without the cells at some places."""
    ordered = sorted(rows, key=_number)
    if not filled:
        return ordered
    return [tuple(cell for at, cell in enumerate(row) if at not in filled) for row in ordered]


def _without(row: Image, at: int) -> Image:
    return row[:at] + row[at + 1 :]

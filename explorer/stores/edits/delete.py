"""Removes sessions, or their messages, from a file: copied in chunks, deleted in short steps.

Everything is complete in the trash before it is deleted. A session that its agent writes to in
between is left alone: what is already deleted of it is put back, and the reason is counted.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError, Refused, sentence
from explorer.model import State
from explorer.stores.edits.batches import (
    CHUNK,
    CHUNK_SESSIONS,
    EditContext,
    ProgressCounter,
    Step,
    before_anything,
    run_batches,
)
from explorer.stores.edits.changes import forget
from explorer.stores.edits.connection import Changed, Transaction, WriteConnection
from explorer.stores.edits.copy_to_trash import (
    Copied,
    Copier,
    check_rowids,
    numbered,
    remove_file,
)
from explorer.stores.edits.dialect import (
    APART,
    SessionTables,
    Subject,
    TableColumns,
    columns_of,
    known_columns,
)
from explorer.stores.edits.plans import Done, EditPlan, Planned, PlannedOutcome
from explorer.stores.edits.reasons import CONTINUED, STARTER_STAYS
from explorer.stores.edits.refusal_words import (
    CANNOT_CHANGE,
    SESSION_CHANGED,
    STARTED_WRITING,
    WRITTEN_TO,
    reached_words,
)
from explorer.stores.edits.refusals import check_room, check_room_left, use_free_pages
from explorer.stores.edits.restore import Restorer, undo_steps
from explorer.stores.edits.undo_words import file_kept
from explorer.stores.edits.words import part_words, receipt_words, recounted
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import EntryState, Pack
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Image, bound, named, portions, slices
from explorer.stores.sqlite.schema import placeholders, quoted


def delete(context: EditContext, file: WriteConnection, plan: EditPlan, force: bool) -> Done:
    """Delete what was planned."""
    tables = context.tables(file, plan.table)
    check_rowids(file, tables.shape)
    folders = (context.trash.path.parent, context.path.resolve().parent)
    check_room(folders, plan.totals.bytes, "Deleting")
    words = part_words(plan, 0) if len(plan.doomed) > 1 else receipt_words(plan)
    with before_anything(), context.trash.writing() as trash:
        receipt = trash.begin(plan.action.value, words, context.clock())
    try:
        with before_anything():
            _rehearse(context, file, tables, plan)
    except (ExplorerError, Cancelled):
        forget(context, receipt, file)
        raise
    return Removal(context, file, tables, plan, receipt, force).run()


def _rehearse(
    context: EditContext, file: WriteConnection, tables: SessionTables, plan: EditPlan
) -> None:
    """Delete one message, put it back and keep nothing of that: what a trigger cannot do, or would
    do to a message that comes back, shows here, and so does damage that only a write meets."""
    first = next((one.id for one in plan.doomed if one.messages), None)
    if first is None:
        return
    table = tables.shape.messages
    columns = columns_of(file.ask, table)
    owner = quoted(tables.shape.owner)
    with file.transaction(keep=False) as tx:
        use_free_pages(tx)
        row = tx.value(f"SELECT rowid FROM {quoted(table)} WHERE {owner} = ? LIMIT 1", (first,))
        before = tx.rows(*numbered(table, columns, [row]))
        tx.run(f"DELETE FROM {quoted(table)} WHERE rowid = ?", (row,))
        Restorer(context.trash, tables).put_rows(Pack(table, columns, before), tx)
        if tx.rows(*numbered(table, columns, [row])) != before:
            raise Refused(
                CANNOT_CHANGE,
                "A deleted message could not be restored exactly: a trigger changes it.",
            )


class Removal:
    """One edit that removes sessions, or their messages."""

    def __init__(
        self,
        context: EditContext,
        file: WriteConnection,
        tables: SessionTables,
        plan: EditPlan,
        receipt: int,
        force: bool,
    ) -> None:
        self._context, self._trash = context, context.trash
        self._file = file
        self._tables = tables
        self._columns = known_columns(file.ask, tables.shape)
        self._plan = plan
        self._receipt = receipt
        self._force = force
        self._skipped = Counter(plan.skipped)
        self._left: list[tuple[str, str]] = []
        self._ids: list[str] = []
        self._notes: list[str] = []
        self._counter = ProgressCounter(
            context.progress, plan.totals.sessions, plan.totals.messages
        )
        self._begun: set[int] = set()
        self._ended: set[int] = set()
        self._families = WholeFamilies(plan.doomed)
        self._counted = len(plan.doomed) > 1

    def run(self) -> Done:
        reached = True
        folders = self._file.path.resolve().parent, self._trash.path.parent
        chunks = portions(self._plan.doomed, lambda one: one.bytes, CHUNK, CHUNK_SESSIONS)
        try:
            for number, chunk in enumerate(chunks):
                if number:
                    check_room_left(folders)
                reached = self._delete(self._copy(chunk), begun=False)
                if not reached:
                    break
        except Cancelled:
            return self._close(stopped=True)
        except ExplorerError as error:
            with suppress(ExplorerError):
                self._close(stopped=True)
            half_done = bool(self._begun - self._ended)
            raise error.also(reached_words(len(self._ids), half_done)) from error
        return self._close(stopped=not reached)

    def finish(self, copied: Sequence[Copied]) -> Done:
        """The rest of what was begun before a crash."""
        self._counted = False
        reached = self._delete(copied, begun=True)
        recount(self._trash, self._receipt)
        return self._close(stopped=not reached)

    def _copy(self, chunk: Sequence[Planned]) -> list[Copied]:
        copied = []
        where = self._file, self._tables.shape, self._columns, self._context.dialect.folder
        with self._trash.writing() as trash:
            copier = Copier(*where, trash, self._receipt)
            for planned in chunk:
                try:
                    copied.append(copier.copy(planned, exact=not self._force))
                except Changed as error:
                    self._skip(error, planned)
        return copied

    def _delete(self, copied: Sequence[Copied], begun: bool) -> bool:
        """Whether the end was reached; what was not is unchanged."""
        by_entry = {one.entry: one for one in copied}
        now = None if self._force else self._context.clock()
        deleter = DeleteSteps(self._trash, self._tables, self._columns, self._families, now, begun)
        steps = chain.from_iterable(map(deleter.steps, copied))
        self._begun = set(by_entry) if begun else set()
        self._ended = set()

        def committed(batch: Sequence[Step]) -> None:
            self._begun.update(step.job for step in batch)
            ended = [step.job for step in batch if step.last]
            if ended:
                with self._trash.writing() as trash:
                    trash.set_entries(ended, EntryState.GONE)
                    if self._counted:
                        # What it did so far, should it be cut short.
                        words = part_words(self._plan, len(self._ids) + len(ended))
                        trash.set_words(self._receipt, words)
                self._ended.update(ended)
                for entry in ended:
                    self._ids.append(by_entry[entry].planned.id)
                    self._families.went(by_entry[entry].planned.id)
                    self._remove_files(entry)
            self._counter.add(sum(step.messages for step in batch), len(ended))

        def failed(job: int, error: Changed) -> None:
            self._skip(error, by_entry[job].planned)

        reached = run_batches(
            self._file,
            steps,
            self._context.token,
            committed,
            failed,
            may_stop=self._families.is_whole,
        )
        for entry in by_entry:
            if entry not in self._ended:
                self._put_back(entry)
        return reached

    def _put_back(self, entry: int) -> None:
        """A session that cannot be deleted: what is already deleted of it is put back."""
        kept = [one for one in self._trash.entries(self._receipt) if one.number == entry]
        if kept and entry in self._begun:
            own = [one for one in self._trash.changes(self._receipt) if one.entry == entry]
            steps = undo_steps(self._trash, self._tables, kept, own)
            self._file.see_through()
            troubles: list[Changed] = []
            run_batches(
                self._file,
                steps,
                CancelToken(),
                lambda batch: None,
                lambda job, error: troubles.append(error),
            )
            if troubles:
                # It stays in the trash, half done, and the next start says so.
                raise troubles[0]
        with self._trash.writing() as trash:
            trash.drop_entries([entry])

    def _remove_files(self, entry: int) -> None:
        for kept in self._trash.files(entry):
            if not remove_file(self._context.dialect.folder, kept):
                self._notes.append(file_kept(kept.name))

    def _skip(self, error: Changed, planned: Planned) -> None:
        self._families.stayed(planned)
        reason = error.message.rstrip(".")
        self._skipped[reason] += 1
        self._left.append((reason, planned.quoted))

    def _close(self, stopped: bool) -> Done:
        """The receipt for what was done; none where nothing was."""
        less = stopped or len(self._ids) < len(self._plan.doomed)
        words = part_words(self._plan, len(self._ids)) if less else ""
        if self._counted:
            with self._trash.writing() as trash:
                trash.set_words(self._receipt, words or receipt_words(self._plan))
        return Done(
            self._receipt if self._trash.close(self._receipt) else None,
            self._plan.action.value,
            tuple(self._ids),
            self._skipped,
            tuple(self._notes),
            stopped,
            words,
            left=tuple(self._left),
        )


def recount(trash: TrashFile, number: int) -> None:
    """Have the receipt of an interrupted edit say how many sessions it deleted, one of which may
    be half out: those that were not reached are in the trash no more."""
    receipt = trash.receipt(number)
    reached = len(trash.entries(number))
    if receipt is not None and reached:
        with trash.writing() as writer:
            writer.set_words(number, recounted(receipt.words, reached))


class DeleteSteps(NamedTuple):
    """Makes the steps that delete sessions of one file.

    Each compares what it is about to delete with what the trash holds, under the lock: what has
    changed since is not deleted. Messages first, in slices; last, in one step, the session itself.
    """

    trash: TrashFile
    tables: SessionTables
    columns: TableColumns
    families: "WholeFamilies"
    now: float | None
    """None where it does not matter whether an agent writes a session."""
    begun: bool
    """Some of the rows may be gone already, after a crash."""

    def steps(self, copied: Copied) -> Iterator[Step]:
        """All steps for one session, in order."""
        entry, shape = copied.entry, self.tables.shape
        yield Step(entry, partial(self._check, copied))
        for table, _, rows in self.trash.packs(entry):
            if table in shape.beside_messages:
                continue
            for few in slices(rows):
                count = len(few) if table == shape.messages else 0
                yield Step(entry, partial(self._delete_rows, table, few), count)
        end = self._clear_counters if copied.planned.outcome is PlannedOutcome.CLEAR else self._end
        yield Step(entry, partial(end, copied), last=True)

    def _check(self, copied: Copied, tx: Transaction) -> None:
        """The session is still what was copied, and no agent writes it."""
        self._same_row(copied, tx)
        if self.now is not None:
            there = self.tables.under(tx)
            (subject,) = there.subjects("rowid", [copied.row])
            if _is_written(there, subject, self.now):
                raise Changed("It is running", STARTED_WRITING)
            for above in self.families.above(copied.planned):
                if not _as_planned(there, above, self.now):
                    raise Changed("It is kept", sentence(STARTER_STAYS))
        if copied.planned.id in self.families.spared:
            raise Changed("It is kept", sentence(CONTINUED))

    def _same_row(self, copied: Copied, tx: Transaction) -> None:
        shape = self.tables.shape
        columns = self.columns[shape.sessions]
        rows = tx.rows(*numbered(shape.sessions, columns, [copied.row]))
        link = 1 + columns.index(shape.parent)
        if _told(rows, {link}) != _told([copied.image], {link}):
            raise Changed(SESSION_CHANGED, WRITTEN_TO)

    def _delete_rows(self, table: str, rows: Sequence[Image], tx: Transaction) -> None:
        found = tx.rows(*numbered(table, self.columns[table], [row[0] for row in rows]))
        if self.begun:
            there = {row[0] for row in found}
            rows = [row for row in rows if row[0] in there]
        filled = self._filled(table)
        if _told(found, filled) != _told(rows, filled):
            raise Changed(SESSION_CHANGED, WRITTEN_TO)
        sql = f"DELETE FROM {quoted(table)} WHERE rowid IN ({placeholders(rows)})"
        tx.run(sql, [row[0] for row in rows], expect=len(rows))

    def _filled(self, table: str) -> frozenset[int]:
        """Places of the cells that a trigger sets when another message of the session goes."""
        if table != self.tables.shape.messages or not self.tables.shape.filled:
            return frozenset()
        names = enumerate(self.columns[table], 1)
        return frozenset(at for at, name in names if name.lower() in self.tables.shape.filled)

    def _none_left(self, tx: Transaction, table: str, column: str, id_: str) -> None:
        sql = f"SELECT count(*) FROM {quoted(table)} t WHERE t.{quoted(column)} = ?"
        if tx.value(sql, (id_,)):
            raise Changed(SESSION_CHANGED, WRITTEN_TO)

    def _end(self, copied: Copied, tx: Transaction) -> None:
        """Detach the children that are kept, and delete the row of the session itself."""
        shape, planned = self.tables.shape, copied.planned
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
            raise Changed(SESSION_CHANGED, "Another session now depends on it.")
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
        """What no session shares any more is deleted with the last one that did."""
        sessions, shared = self.tables.shape.sessions, self.tables.shape.shared
        if shared is None:
            return
        cell = named(self.columns[sessions], copied.image)
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
        """The session is kept, with nothing in it."""
        shape, id_ = self.tables.shape, copied.planned.id
        self._none_left(tx, shape.messages, shape.owner, id_)
        zeros = ", ".join(f"{quoted(column)} = 0" for column in shape.counters)
        if zeros:
            sql = f"UPDATE {quoted(shape.sessions)} SET {zeros} WHERE {quoted(shape.id)} = ?"
            tx.run(sql, (id_,), expect=1)


def _is_written(there: SessionTables, subject: Subject, now: float) -> bool:
    return there.state(subject, there.leases(), now) is State.RUNNING or subject.interrupted


def _as_planned(there: SessionTables, planned: Planned, now: float) -> bool:
    """Whether a session may still be deleted, as far as that shows before it is its turn."""
    found = there.subjects(there.shape.id, [planned.id])
    return (
        len(found) == 1
        and not _is_written(there, found[0], now)
        and there.messages(planned.id) == planned.messages
        and {one.id for one in there.children([planned.id])} <= {*planned.children, planned.id}
    )


def _number(row: Image) -> int:
    number = row[0]
    return number if isinstance(number, int) else 0


def _told(rows: Sequence[Image], filled: Collection[int]) -> list[Image]:
    """Rows by their numbers, without the cells at some places."""
    ordered = sorted(rows, key=_number)
    if not filled:
        return ordered
    return [tuple(cell for at, cell in enumerate(row) if at not in filled) for row in ordered]


class WholeFamilies:
    """Keeps together the sessions that depend on one another.

    A delete goes through each conversation from its newest part to its oldest. Stopped in between
    it would leave a beginning without its end, and a part that its agent has begun to write again
    would stay without what came before.
    """

    def __init__(self, doomed: Iterable[Planned]) -> None:
        self._doomed = {one.id: one for one in doomed}
        self._parents = {child: id_ for id_, one in self._doomed.items() for child in one.children}
        """The parent of each session below one that is to be deleted."""
        self._owed: set[str] = set()
        """Those that are still there while their dependents are gone."""
        self.spared: set[str] = set()
        """Those that are kept since what continues them, or works for them, is."""

    def above(self, planned: Planned) -> Iterator[Planned]:
        """Where a session is deleted only with the one that started it, that one; and the one that
        started that, up to the one that was asked for."""
        seen = {planned.id}
        while planned.reason and (parent := self._parents.get(planned.id)) not in seen:
            above = self._doomed.get(parent) if parent is not None else None
            if above is None:
                return
            yield above
            planned = above
            seen.add(above.id)

    def went(self, id_: str) -> None:
        self._owed.discard(id_)
        if id_ in self._parents:
            self._owed.add(self._parents[id_])

    def stayed(self, planned: Planned) -> None:
        """One was skipped; a branch is a conversation of its own, and keeps no other."""
        self._owed.discard(planned.id)
        if planned.kind not in APART and planned.id in self._parents:
            self.spared.add(self._parents[planned.id])

    def is_whole(self) -> bool:
        """Whether nothing is gone of what is still there."""
        return not self._owed

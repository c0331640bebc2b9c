"""Takes an edit back: the same rows with the same numbers, links, cells and files.

The trash says that it is under way before the first row comes back, and what is back when the last
one is: after a crash in between, the next start does the rest.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from explorer.errors import Cancelled, ExplorerError, Refused, sentence
from explorer.render.figures import count, plural
from explorer.stores.edits.apply.batches import (
    CHUNK,
    CHUNK_SESSIONS,
    Counter,
    EditContext,
    Step,
    before_anything,
    run_batches,
)
from explorer.stores.edits.apply.changes import note_down, revert_change
from explorer.stores.edits.apply.copy_to_trash import put_back
from explorer.stores.edits.connection import Changed, Transaction, WriteConnection
from explorer.stores.edits.dialect import SessionTables, columns_of
from explorer.stores.edits.names import entry_name, worded
from explorer.stores.edits.plans import Done
from explorer.stores.edits.refusals import check_room, check_room_left, reason_against
from explorer.stores.edits.undo_plan import UndoPlan, at_risk, cell_trouble
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import (
    OURS,
    CellChange,
    Entry,
    EntryState,
    Pack,
    ReceiptState,
    table_of,
)
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Cell, bound, named, raw, shown, slices
from explorer.stores.sqlite.schema import placeholders, quoted

IN_PART = "Undone in part"


class Lost(Changed):
    """The trash no longer tells what it held."""


class Undo:
    """One edit being taken back."""

    def __init__(self, context: EditContext, plan: UndoPlan) -> None:
        self._context, self._trash = context, context.trash
        self._plan = plan
        self._tally = UndoTally(plan, context)

    def run(self) -> Done:
        plan, tally = self._plan, self._tally
        plan.check()
        receipt = plan.receipt.number
        now = self._trash.receipt(receipt)
        if now is None or now.state is ReceiptState.UNDONE:
            raise Refused("It is undone already", f"Receipt {receipt} was taken back.")
        if not plan.entries and all(change.table == OURS for change in plan.changes):
            note_down(self._context.notes, plan.changes, back=True)
            self._settle()
            return Done(receipt, "undo", _ids(plan.changes), {}, plan.notes)
        reached = self._restore_rows()
        trouble = tally.trouble
        if trouble is not None or not (reached or tally.begun):
            self._not_undone()
        if isinstance(trouble, Lost):
            raise ExplorerError(trouble.title, trouble.message)
        if trouble is not None:
            raise trouble
        if not reached:
            raise Cancelled
        back = tally.entries
        left = [*tally.notes(), *self._files_back(back)]
        try:
            note_down(self._context.notes, plan.changes, back=True)
            self._settle(back)
        except ExplorerError as error:
            # It is back all the same, and the next start closes the receipt.
            left.append(error.message)
        ids = tuple(entry.session for entry in back) or _ids(plan.changes)
        notes = (*plan.notes, *left)
        return Done(receipt, "undo", ids, tally.skipped, notes, words=tally.words)

    def _restore_rows(self) -> bool:
        """Whether the end was reached."""
        plan, tally, entries = self._plan, self._tally, self._plan.entries
        folder = self._context.path.resolve().parent
        moved = sum(entry.bytes for entry in entries)
        if entries:
            check_room([folder], moved, "Putting it back")
        counter = Counter(self._context.progress, len(entries), plan.messages)

        def committed(batch: Sequence[Step]) -> None:
            tally.add(batch)
            back = sum(step.last and step.job > 0 for step in batch)
            counter.add(sum(step.messages for step in batch), back)
            if moved > CHUNK or len(entries) > CHUNK_SESSIONS:
                check_room_left([folder])

        with self._context.connected() as file:
            tables = self._context.tables(file, table_of(entries, plan.changes))
            self._check(file, tables)
            with before_anything(), self._trash.writing() as trash:
                trash.set_receipt(plan.receipt.number, ReceiptState.UNDOING)
                trash.set_entries((entry.number for entry in entries), EntryState.COMING)
            steps = undo_steps(plan, self._trash, tables)
            try:
                return run_batches(file, steps, self._context.token, committed, tally.fail)
            except ExplorerError as error:
                if tally.begun:
                    raise error.also("Some of it is back; the next start does the rest.") from error
                if file.readable():
                    # Else the trash says whose write has to be rolled back.
                    self._not_undone()
                raise error.also("Nothing was done.") from error

    def _check(self, file: WriteConnection, tables: SessionTables) -> None:
        """What spoke against it when it was planned may have come true since."""
        context, plan = self._context, self._plan
        reason = reason_against(plan.receipt.action, file, context.dialect)
        if reason:
            raise Changed("It cannot be undone any more", sentence(reason))
        ids = at_risk(plan.receipt, plan.entries, plan.changes)
        if tables.running(ids, context.clock()):
            raise Changed("It is running", "Its agent has begun to write it. Nothing was done.")

    def _files_back(self, entries: Sequence[Entry]) -> list[str]:
        left = []
        for entry in entries:
            for kept in self._trash.files(entry.number):
                if not put_back(self._context.dialect.folder, kept):
                    left.append(f"{kept.name}: another file is in its place, or it may not be.")
        return left

    def _not_undone(self) -> None:
        """It could not be: what the trash says of it is what it said before."""
        plan = self._plan
        was = plan.receipt.state
        state = ReceiptState.BEGUN if was is ReceiptState.BEGUN else ReceiptState.DONE
        with suppress(ExplorerError), self._trash.writing() as trash:
            trash.set_receipt(plan.receipt.number, state)
            for entry in plan.entries:
                coming = entry.state is EntryState.COMING
                trash.set_entries([entry.number], EntryState.GONE if coming else entry.state)

    def _settle(self, entries: Sequence[Entry] = ()) -> None:
        """What is back is back; what could not be waits in the trash as before."""
        receipt = self._plan.receipt.number
        back = {entry.number for entry in entries}
        failed = {entry.number for entry in self._plan.entries} - back
        rest = [
            entry
            for entry in self._trash.entries(receipt)
            if entry.number not in back and entry.state is not EntryState.BACK
        ]
        with self._trash.writing() as trash:
            trash.set_entries(failed, EntryState.GONE)
            trash.set_entries(back, EntryState.BACK)
            trash.set_receipt(receipt, ReceiptState.DONE if rest else ReceiptState.UNDONE)


def _ids(changes: Sequence[CellChange]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            change.id.decode("utf-8", "replace")
            for change in changes
            if isinstance(change.id, bytes)
        )
    )


class UndoTally:
    """What really came back with an undo, counted against what went: before anybody says so."""

    def __init__(self, plan: UndoPlan, context: EditContext) -> None:
        self._plan = plan
        self._context = context
        self._messages: dict[int, int] = {}
        self._ended: set[int] = set()
        self._failed: dict[int, Changed] = {}
        self.begun = False
        """Something of it is in the file."""

    def add(self, batch: Sequence[Step]) -> None:
        """These steps are in the file for good."""
        self.begun = True
        for step in batch:
            self._messages[step.job] = self._messages.get(step.job, 0) + step.messages
            if step.last:
                self._ended.add(step.job)

    def fail(self, job: int, error: Changed) -> None:
        self._failed[job] = error

    @property
    def trouble(self) -> Changed | None:
        """Why nothing of it could be taken back, if so."""
        first = next(iter(self._failed.values()), None)
        return self._failed.get(0, None if self.entries else first)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The sessions that are back."""
        return tuple(
            one
            for one in self._plan.entries
            if one.number in self._ended and one.number not in self._failed
        )

    @property
    def skipped(self) -> dict[str, int]:
        """How many are not, by reason."""
        found: dict[str, int] = {}
        for error in self._failed.values():
            reason = error.message.rstrip(".")
            found[reason] = found.get(reason, 0) + 1
        return found

    @property
    def words(self) -> str:
        """What to say instead of undone; empty where all messages are back."""
        return IN_PART if any(self._missing(one) for one in self.entries) else ""

    def notes(self) -> Iterator[str]:
        """What the trash has lost."""
        trash, dialect = self._context.trash, self._context.dialect
        for one in worded(trash, dialect, filter(self._missing, self.entries)):
            back = count(one.messages - self._missing(one))
            yield (
                f"{entry_name(one)}: {back} of {plural(one.messages, 'message')} are back."
                " The trash has lost the others."
            )

    def _missing(self, entry: Entry) -> int:
        return max(entry.messages - self._messages.get(entry.number, 0), 0)


def undo_steps(
    plan: UndoPlan,
    trash: TrashFile,
    tables: SessionTables,
) -> Iterator[Step]:
    """The steps that take an edit back: rows, then links, then cells."""
    restorer = Restorer(trash, tables, dict(plan.titles))
    # Parents before children: the other way round than they went.
    entries = plan.entries[::-1]
    for entry in entries:
        yield from restorer.steps(entry, plan.changes)
    yield from restorer.link_steps(entries)
    plain = [one for one in plan.changes if not one.entry and one.table != OURS]
    if plain:
        yield Step(0, lambda tx: _revert_all(plain, tables.under(tx), tx), last=True)


def _revert_all(changes: Sequence[CellChange], tables: SessionTables, tx: Transaction) -> None:
    # A title that moved on must be free again before its owner of old gets it back.
    moved = {shown(change.id) for change in changes}
    for change in reversed(changes):
        trouble, _ = cell_trouble(change, tables, moved)
        if trouble:
            raise Changed("It cannot be undone any more", f"{trouble} Nothing was done.")
        revert_change(tx, change)


class Restorer:
    """Makes the steps that put sessions of one file back.

    What a session refers to comes first, then the session, then its messages in slices, then the
    links between sessions: a reference to a row that is not there yet would be refused.
    """

    def __init__(
        self,
        trash: TrashFile,
        tables: SessionTables,
        titles: dict[str, str | None] | None = None,
    ) -> None:
        """`titles` are other ones for sessions whose own is taken by now."""
        self._trash = trash
        self._tables = tables
        self._shape = tables.shape
        self._titles = titles or {}
        self._columns: dict[str, tuple[str, ...]] = {}
        self._keys: dict[str, str] = {}
        self._primaries: dict[str, list[str]] = {}

    def steps(self, entry: Entry, changes: Sequence[CellChange]) -> Iterator[Step]:
        """All steps for one entry; safe to run over what is back already."""
        shape = self._shape
        known = False
        for pack in self._packs(entry):
            if isinstance(pack, Changed):
                yield Step(entry.number, partial(_fail, pack))
                return
            if pack.table == shape.sessions:
                known = True
                yield Step(entry.number, partial(self._session, entry.session, pack))
                continue
            for rows in slices(pack.rows):
                few = pack._replace(rows=rows)
                count = len(few.rows) if pack.table == shape.messages else 0
                yield Step(entry.number, partial(self.put_rows, few), count)
        if not known:
            lost = Lost("The trash is damaged", "It has lost this session.")
            yield Step(entry.number, partial(_fail, lost))
        own = [change for change in changes if change.entry == entry.number]
        yield Step(entry.number, partial(self._links, own), last=True)

    def _packs(self, entry: Entry) -> Iterator[Pack | Changed]:
        """What the trash holds of an entry; last, why it tells no more, if it is damaged: that is
        no reason to leave others where they are."""
        try:
            yield from self._trash.packs(entry.number, self._shape.ranks)
        except ExplorerError as error:
            yield Lost(error.title, error.message)

    def link_steps(self, entries: Sequence[Entry]) -> Iterator[Step]:
        """What sessions came from, when all are back."""
        for entry in entries:
            for pack in self._packs(entry) if entry.kind == "session" else ():
                if isinstance(pack, Pack) and pack.table == self._shape.sessions:
                    yield Step(entry.number, partial(self._parent, pack))
                    break

    def _session(self, id_: str, pack: Pack, tx: Transaction) -> None:
        """The row of a session, without its link; where it is there again, it stays as it is."""
        if self._tables.under(tx).has(id_):
            return
        (row,) = pack.rows
        cell = named(pack.columns, row)
        cell[self._shape.parent] = None
        if id_ in self._titles:
            title = self._titles[id_]
            cell[self._shape.title] = None if title is None else raw(title)
        self._insert(tx, pack.table, cell)

    def put_rows(self, pack: Pack, tx: Transaction) -> None:
        """Put rows back that are not there any more."""
        key = self._key(tx, pack.table)
        messages = pack.table == self._shape.messages
        owner = quoted(self._shape.owner) if messages else "NULL"
        found = tx.rows(
            f"SELECT rowid, {owner} FROM {quoted(pack.table)}"
            f" WHERE rowid IN ({placeholders(pack.rows)})",
            [row[0] for row in pack.rows],
        )
        there = {number: name for number, name in found}
        for row in pack.rows:
            cell = named(pack.columns, row)
            missing = bool(key) and row[0] not in there
            if missing:
                self._insert(tx, pack.table, cell)
            if missing or (key and messages and there[row[0]] == cell[self._shape.owner]):
                if messages:
                    self._set_filled(tx, cell, key)
            else:
                self._unless_there(tx, pack.table, cell, key)

    def _set_filled(self, tx: Transaction, cell: dict[str, Cell], key: str) -> None:
        """Give the columns that a trigger fills in their own values again: where a message had
        none, the trigger has just made one; and those of messages that stayed changed when others
        went."""
        names = sorted(self._shape.filled.intersection(cell, self._known(tx, self._shape.messages)))
        if names:
            values = [bound(cell[name]) for name in (*names, key)]
            sets = ", ".join(
                f"{quoted(name)} = {place}" for name, (place, _) in zip(names, values, strict=False)
            )
            tx.run(
                f"UPDATE {quoted(self._shape.messages)} SET {sets} WHERE {quoted(key)} = ?",
                [value for _, value in values],
                expect=1,
            )

    def _unless_there(self, tx: Transaction, table: str, cell: dict[str, Cell], key: str) -> None:
        """A row that its number does not tell: another may have got it since, and this one another
        when it was put back before a crash. Of what hangs on a session, a row that the agent has
        made with the same key since stays as it is."""
        others = [name for name in cell if name not in ("rowid", key)]
        names = others
        if self._shape.declared and table != self._shape.messages:
            names = self._primary(tx, table) or others
        same = " AND ".join(f"t.{quoted(name)} IS {bound(cell[name])[0]}" for name in names)
        values = [bound(cell[name])[1] for name in names]
        if not tx.value(f"SELECT 1 FROM {quoted(table)} t WHERE {same}", values):
            self._insert(tx, table, {name: cell[name] for name in (others if key else cell)})

    def _insert(self, tx: Transaction, table: str, cell: dict[str, Cell]) -> None:
        known = self._known(tx, table)
        names = [name for name in cell if name in known]
        lost = [name for name in cell if name not in known and name != "rowid"]
        if any(cell[name] is not None for name in lost):
            raise Changed(
                "The file has changed",
                f"Its table {table} no longer has the column {lost[0]}.",
            )
        if "rowid" in cell and not self._key(tx, table):
            taken = tx.value(f"SELECT 1 FROM {quoted(table)} WHERE rowid = ?", (cell["rowid"],))
            names = names if taken else ["rowid", *names]
        values = [bound(cell[name]) for name in names]
        tx.run(
            f"INSERT INTO {quoted(table)} ({', '.join(map(quoted, names))})"
            f" VALUES ({', '.join(place for place, _ in values)})",
            [value for _, value in values],
            expect=1,
        )

    def _known(self, tx: Transaction, table: str) -> tuple[str, ...]:
        """The columns that a table has."""
        if table not in self._columns:
            self._columns[table] = columns_of(tx.rows, table)
        return self._columns[table]

    def _key(self, tx: Transaction, table: str) -> str:
        """The column that is the number of the row, if there is one."""
        if table not in self._keys:
            keys = self._primary(tx, table)
            info = tx.rows(f"PRAGMA table_info({quoted(table)})")
            kinds = {cells.words(row[1]): cells.words(row[2]).upper() for row in info}
            own = len(keys) == 1 and kinds[keys[0]] == "INTEGER"
            self._keys[table] = keys[0] if own else ""
        return self._keys[table]

    def _primary(self, tx: Transaction, table: str) -> list[str]:
        """The columns of the primary key."""
        if table not in self._primaries:
            info = tx.rows(f"PRAGMA table_info({quoted(table)})")
            self._primaries[table] = [cells.words(row[1]) for row in info if row[5]]
        return self._primaries[table]

    def _links(self, changes: Sequence[CellChange], tx: Transaction) -> None:
        """Others that stayed hang on it again, and counters count again, unless the agent has
        given them other values since."""
        for change in changes:
            try:
                revert_change(tx, change)
            except Changed:
                continue

    def _parent(self, pack: Pack, tx: Transaction) -> None:
        shape = self._shape
        (row,) = pack.rows
        cell = named(pack.columns, row)
        parent, id_ = cell[shape.parent], cell[shape.id]
        if parent is None:
            return
        sessions, name = quoted(shape.sessions), quoted(shape.id)
        (place, value), (where, own) = bound(parent), bound(id_)
        there = tx.value(f"SELECT 1 FROM {sessions} t WHERE t.{name} = {place}", (value,))
        if there or not shape.declared:
            link = quoted(shape.parent)
            tx.run(
                f"UPDATE {sessions} SET {link} = {place} WHERE {name} = {where} AND {link} IS NULL",
                (value, own),
            )


def _fail(why: Changed, tx: Transaction) -> None:
    raise why

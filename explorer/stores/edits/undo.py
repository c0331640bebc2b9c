"""Undoing an edit: what would happen, then doing it.

Between an edit and its undo the agent keeps working. Where it has taken an id or a title, the plan
says so and what is done about it; nothing of the agent's is overwritten. The trash says that an
undo is in progress before the first row comes back, and what is back when the last one is: after a
crash in between, the next start does the rest.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress

from explorer.errors import Cancelled, ExplorerError, Refused, sentence
from explorer.model import Action
from explorer.stores.edits.batches import (
    CHUNK,
    CHUNK_SESSIONS,
    EditContext,
    ProgressCounter,
    Step,
    before_anything,
    run_batches,
)
from explorer.stores.edits.changes import cell_trouble, note_down, noted_trouble
from explorer.stores.edits.connection import Changed, WriteConnection
from explorer.stores.edits.copy_to_trash import put_back
from explorer.stores.edits.dialect import SessionTables
from explorer.stores.edits.plans import Done, UndoPlan
from explorer.stores.edits.refusal_words import (
    CANNOT_UNDO,
    NOTHING_CHANGED,
    PARTLY_RESTORED,
    STARTED_WRITING,
    already_undone,
)
from explorer.stores.edits.refusals import check_room, check_room_left, reason_against
from explorer.stores.edits.restore import Lost, undo_steps
from explorer.stores.edits.undo_words import (
    file_not_restored,
    gone_words,
    lost_words,
    started_again,
    still_running,
    will_be_lost,
)
from explorer.stores.edits.words import PARTLY, restored_as
from explorer.stores.ours.notes import Notes
from explorer.stores.ours.trash_records import (
    OURS,
    CellChange,
    Entry,
    EntryState,
    Receipt,
    ReceiptState,
    table_of,
)
from explorer.stores.sqlite.images import named, shown


def plan_undo(
    context: EditContext,
    receipt: Receipt,
    tables: SessionTables,
    wanted: Collection[int] | None = None,
    busy: Collection[str] = (),
    measured: bool = False,
) -> UndoPlan:
    """What comes back, of all entries or of the `wanted` ones; nothing of those that are `busy`.
    `measured` reads all that the trash holds of them, since a damaged one may have lost some."""
    kept = context.trash.entries(receipt.number)

    def name(entry: Entry) -> str:
        """Only of the few that there is something to say about: each is looked into by itself."""
        return worded(context, [entry])[0].name

    entries: list[Entry] = []
    every = context.trash.changes(receipt.number)
    notes: list[str] = []
    titles: dict[str, str | None] = {}
    for entry in kept:
        if entry.state is EntryState.BACK or (wanted is not None and entry.number not in wanted):
            continue
        if entry.session in busy:
            notes.append(still_running(name(entry)))
            continue
        there = tables.has(entry.session)
        notes += _entry_notes(entry, tables, there, titles, name)
        if there or entry.kind != "messages":
            held = _held(context, entry, tables.shape.messages) if measured else entry.messages
            if held < entry.messages:
                notes.append(will_be_lost(name(entry), held, entry.messages))
                entry = entry._replace(messages=held)
            entries.append(entry)
    if len(entries) == 1:
        entries = worded(context, entries)
    mine = {entry.number for entry in entries}
    links = [change for change in every if change.entry in mine]
    cells_back: list[CellChange] = []
    moved = {shown(change.id) for change in every if not change.entry}
    for change in every:
        if change.entry or wanted is not None:
            continue
        if shown(change.id) in busy:
            notes.append(still_running(tables.name(shown(change.id))))
            continue
        if trouble := cell_trouble(change, tables, moved):
            notes.append(trouble)
        else:
            cells_back.append(change)
    return UndoPlan(
        receipt,
        tuple(entries),
        (*links, *cells_back),
        tuple(notes),
        tuple(titles.items()),
        of=len(kept) or len(moved),
    )


def plan_noted_undo(
    notes: Notes | None, receipt: Receipt, changes: Sequence[CellChange]
) -> UndoPlan:
    """The same of a change of our notes alone."""
    troubles = {change: noted_trouble(notes, change) for change in changes}
    back = tuple(change for change, trouble in troubles.items() if not trouble)
    said = tuple(filter(None, troubles.values()))
    return UndoPlan(receipt, (), back, said, of=len(changes))


def _held(context: EditContext, entry: Entry, table: str) -> int:
    """How many messages of an entry the trash can still give."""
    try:
        packs = context.trash.packs(entry.number)
        return sum(len(pack.rows) for pack in packs if pack.table == table)
    except ExplorerError:
        # Damaged: nothing of it can be restored.
        return 0


def at_risk(receipt: Receipt, entries: Sequence[Entry], changes: Sequence[CellChange]) -> list[str]:
    """The sessions that no agent may write while an edit is undone. What is half done is not among
    them: to leave it so would be worse."""
    gone = [entry.session for entry in entries if entry.state is EntryState.GONE]
    ended = [shown(change.id) for change in changes if receipt.action == Action.REOPEN]
    return gone + ended


def _entry_notes(
    entry: Entry,
    tables: SessionTables,
    there: bool,
    titles: dict[str, str | None],
    name: Callable[[Entry], str],
) -> Iterator[str]:
    if entry.kind == "session" and there and entry.state is EntryState.GONE:
        yield started_again(name(entry))
    if entry.kind == "messages" and not there:
        yield gone_words(name(entry), messages=True)
    if entry.kind == "session" and entry.title and not there:
        taken = tables.title_taken(entry.title, [entry.session])
        if taken is not None and taken.owner is not None:
            titles[entry.session] = tables.free_title(entry.title, titles.values())
            yield restored_as(entry.title, taken.owner, titles[entry.session])


def worded(context: EditContext, entries: Iterable[Entry]) -> list[Entry]:
    """Entries with the first words of those that have no title."""
    every = list(entries)
    untitled = [one.number for one in every if not one.title]
    words = {
        number: context.dialect.first_words([named(pack.columns, row) for row in pack.rows])
        for number, pack in context.trash.beginnings(untitled)
    }
    return [one._replace(words=words.get(one.number, "")) for one in every]


class Undo:
    """One edit being undone. What really came back is counted against what was deleted, before that
    is reported."""

    may_stop = False
    """Whether it may end between two sessions: else the next start does the rest."""

    def __init__(self, context: EditContext, plan: UndoPlan) -> None:
        self._context, self._trash = context, context.trash
        self._plan = plan
        self._messages: Counter[int] = Counter()
        self._ended: set[int] = set()
        self._failed: dict[int, Changed] = {}
        self._begun = False
        """Something of it is in the file."""

    def run(self) -> Done:
        plan = self._plan
        plan.check()
        receipt = plan.receipt.number
        now = self._trash.receipt(receipt)
        if now is None or now.state is ReceiptState.UNDONE:
            raise Refused("Already undone", already_undone(receipt))
        if not plan.entries and all(change.table == OURS for change in plan.changes):
            note_down(self._context.notes, plan.changes, back=True)
            self._settle()
            return Done(receipt, "undo", _ids(plan.changes), {}, plan.notes)
        reached = self._restore_rows()
        back = self._back
        first = next(iter(self._failed.values()), None)
        trouble = self._failed.get(0, None if back else first)
        if trouble is not None or not (reached or self._begun):
            self._not_undone()
        if isinstance(trouble, Lost):
            raise ExplorerError(trouble.title, trouble.message)
        if trouble is not None:
            raise trouble
        if not (reached or (self.may_stop and back)):
            raise Cancelled
        left = [*self._losses(), *self._files_back(back)]
        try:
            note_down(self._context.notes, plan.changes, back=True)
            self._settle(back)
        except ExplorerError as error:
            # It is back anyway, and the next start closes the receipt.
            left.append(error.message)
        ids = tuple(entry.session for entry in back) or _ids(plan.changes)
        notes = (*plan.notes, *left)
        skipped = Counter(error.message.rstrip(".") for error in self._failed.values())
        words = PARTLY if any(map(self._missing, back)) else ""
        return Done(receipt, "undo", ids, skipped, notes, stopped=not reached, words=words)

    def _restore_rows(self) -> bool:
        """Whether the end was reached."""
        plan, entries = self._plan, self._plan.entries
        folder = self._context.path.resolve().parent
        moved = sum(entry.bytes for entry in entries)
        if entries:
            check_room([folder], moved, "Restoring")
        counter = ProgressCounter(self._context.progress, len(entries), plan.messages)

        def committed(batch: Sequence[Step]) -> None:
            self._begun = True
            for step in batch:
                self._messages[step.job] += step.messages
            self._ended.update(step.job for step in batch if step.last)
            back = sum(step.last and step.job > 0 for step in batch)
            if entries:
                # Cells are changed in one step: there is no share of it.
                counter.add(sum(step.messages for step in batch), back)
            if moved > CHUNK or len(entries) > CHUNK_SESSIONS:
                check_room_left([folder])

        def failed(job: int, error: Changed) -> None:
            self._failed[job] = error

        with self._context.connected() as file:
            tables = self._context.tables(file, table_of(entries, plan.changes))
            self._check(file, tables)
            self._set_out()
            steps = undo_steps(self._trash, tables, entries, plan.changes, dict(plan.titles))
            try:
                return run_batches(file, steps, self._context.token, committed, failed)
            except ExplorerError as error:
                if self._begun:
                    raise error.also(PARTLY_RESTORED) from error
                if file.readable():
                    # Else the trash says whose write has to be rolled back.
                    self._not_undone()
                raise error.also(NOTHING_CHANGED) from error

    def _set_out(self) -> None:
        """From now on the trash says that an undo is in progress."""
        with before_anything(), self._trash.writing() as trash:
            trash.set_receipt(self._plan.receipt.number, ReceiptState.UNDOING)
            trash.set_entries((one.number for one in self._plan.entries), EntryState.COMING)

    def _check(self, file: WriteConnection, tables: SessionTables) -> None:
        """What spoke against it when it was planned may have come true since."""
        context, plan = self._context, self._plan
        reason = reason_against(plan.receipt.action, file, context.dialect)
        if reason:
            raise Changed(CANNOT_UNDO, sentence(reason))
        ids = at_risk(plan.receipt, plan.entries, plan.changes)
        if tables.running(ids, context.clock()):
            raise Changed("It is running", f"{STARTED_WRITING} {NOTHING_CHANGED}")

    def _files_back(self, entries: Sequence[Entry]) -> list[str]:
        left = []
        for entry in entries:
            for kept in self._trash.files(entry.number):
                if not put_back(self._context.dialect.folder, kept):
                    left.append(file_not_restored(kept.name))
        return left

    def _not_undone(self) -> None:
        """It could not be undone: the trash says of it what it said before."""
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

    @property
    def _back(self) -> tuple[Entry, ...]:
        """The sessions that are back."""
        return tuple(
            one
            for one in self._plan.entries
            if one.number in self._ended and one.number not in self._failed
        )

    def _losses(self) -> Iterator[str]:
        """What the trash has lost of them."""
        for one in worded(self._context, filter(self._missing, self._back)):
            yield lost_words(one.name, one.messages - self._missing(one), one.messages)

    def _missing(self, entry: Entry) -> int:
        return max(entry.messages - self._messages[entry.number], 0)


def _ids(changes: Sequence[CellChange]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shown(one.id) for one in changes if isinstance(one.id, bytes)))

"""Sessions on their way out of a file: copied in chunks, deleted in batches, counted as they go.

A session that its agent writes to meanwhile is left alone: what is out of it already comes back,
and the reason is counted.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError, sentence
from explorer.render.amounts import plural
from explorer.stores.edits.apply.batches import Step, run_batches
from explorer.stores.edits.apply.copy_to_trash import Copied, Copier
from explorer.stores.edits.apply.delete_rows import Deleter
from explorer.stores.edits.apply.files import remove_file
from explorer.stores.edits.apply.undo_steps import undo_steps
from explorer.stores.edits.dialect import Dialect, SessionTables
from explorer.stores.edits.families import CONTINUED, Family
from explorer.stores.edits.plans import Done, EditPlan, Outcome, Planned, Progress
from explorer.stores.edits.shape import Shape
from explorer.stores.edits.undo_plan import UndoPlan
from explorer.stores.edits.words import part_words, receipt_words, recounted
from explorer.stores.edits.write import disk_room as room
from explorer.stores.edits.write.connection import Changed, Transaction, Writing
from explorer.stores.ours.trash import TrashFile
from explorer.stores.ours.trash_records import Entry, EntryState
from explorer.stores.sqlite.images import Image

CHUNK = 16 << 20
"""Bytes, and `CHUNK_SESSIONS` sessions, that go to the trash before any of them is deleted."""
CHUNK_SESSIONS = 100


class UnderWay(NamedTuple):
    """What every edit has at hand."""

    path: Path
    dialect: Dialect
    trash: TrashFile
    clock: Callable[[], float]
    token: CancelToken
    progress: Callable[[Progress], None]


class Counter:
    """Counts what is done, and tells."""

    def __init__(
        self, tell: Callable[[Progress], None], of_sessions: int, of_messages: int
    ) -> None:
        self._tell = tell
        self._done = Progress(0, of_sessions, 0, of_messages)

    def add(self, messages: int, sessions: int) -> None:
        self._done = self._done._replace(
            sessions=self._done.sessions + sessions, messages=self._done.messages + messages
        )
        self._tell(self._done)


class Taking:
    """One edit that takes sessions, or their messages, out."""

    def __init__(
        self,
        under_way: UnderWay,
        writing: Writing,
        tables: SessionTables,
        plan: EditPlan,
        receipt: int,
        force: bool,
    ) -> None:
        _, dialect, self._trash, self._clock, self._token, progress = under_way
        self._writing = writing
        self._tables = tables
        self._folder = dialect.folder
        self._copier = Copier(writing, tables.shape, dialect.folder)
        self._plan = plan
        self._receipt = receipt
        self._force = force
        self._skipped = dict(plan.skipped)
        self._ids: list[str] = []
        self._notes: list[str] = []
        self._counter = Counter(progress, plan.totals.sessions, plan.totals.messages)
        self._begun: set[int] = set()
        self._ended: set[int] = set()
        self._family = Family(plan.doomed)
        self._counted = len(plan.doomed) > 1

    def run(self) -> Done:
        reached = True
        folders = self._writing.path.resolve().parent, self._trash.path.parent
        try:
            for number, chunk in enumerate(_chunks(self._plan.doomed)):
                if number:
                    room.check_on_the_way(folders)
                reached = self._delete(self._copy(chunk), begun=False)
                if not reached:
                    break
        except Cancelled:
            return self._close(stopped=True)
        except ExplorerError as error:
            with suppress(ExplorerError):
                self._close(stopped=True)
            raise error.also(self._reached()) from error
        return self._close(stopped=not reached)

    def _reached(self) -> str:
        """How far it got before it failed, in words."""
        if not self._ids and not self._begun:
            return "Nothing was done."
        gone = f"{plural(len(self._ids), 'session')} done before that can be undone."
        half = "What is half done is found at the next start, to be finished or put back."
        return " ".join([gone] * bool(self._ids) + [half] * bool(self._begun - self._ended))

    def finish(self, entries: Sequence[Entry]) -> Done:
        """The rest of what was begun before a crash."""
        self._counted = False
        copied = []
        for entry, planned in zip(entries, self._plan.sessions, strict=True):
            image = _own_row(self._trash, entry, self._tables.shape)
            if image is not None and isinstance(image[0], int):
                copied.append(Copied(entry.number, planned, image[0], image))
        reached = self._delete(copied, begun=True)
        recount(self._trash, self._receipt)
        return self._close(stopped=not reached)

    def _copy(self, chunk: Sequence[Planned]) -> list[Copied]:
        copied = []
        with self._trash.writing() as trash:
            for planned in chunk:
                try:
                    exact = not self._force
                    copied.append(self._copier.copy(trash, self._receipt, planned, exact))
                except Changed as error:
                    self._skip(error, planned)
        return copied

    def _delete(self, copied: Sequence[Copied], begun: bool) -> bool:
        """Whether the end was reached; what was not is as it was before."""
        deleter = Deleter(self._trash, self._tables, self._copier.columns, begun)
        by_entry = {one.entry: one for one in copied}
        now = self._clock()
        steps = chain.from_iterable(
            self._unless_spared(one, deleter.steps(one, now, self._force)) for one in copied
        )
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
                    self._family.went(by_entry[entry].planned.id)
                    self._remove_files(entry)
            self._counter.add(sum(step.messages for step in batch), len(ended))

        def failed(job: int, error: Changed) -> None:
            self._skip(error, by_entry[job].planned)

        reached = run_batches(
            self._writing, steps, self._token, committed, failed, may_stop=self._family.is_whole
        )
        for entry in by_entry:
            if entry not in self._ended:
                self._put_back(entry)
        return reached

    def _unless_spared(self, copied: Copied, steps: Iterator[Step]) -> Iterator[Step]:
        """Who hangs on a session may have been left out since it was copied."""
        first = next(steps)

        def begin(tx: Transaction) -> None:
            if copied.planned.id in self._family.spared:
                raise Changed("It is left out", sentence(CONTINUED))
            first.do(tx)

        yield first._replace(do=begin)
        yield from steps

    def _put_back(self, entry: int) -> None:
        """A session that cannot go: what is out of it comes back."""
        kept = [one for one in self._trash.entries(self._receipt) if one.number == entry]
        found = self._trash.receipt(self._receipt)
        if kept and found and entry in self._begun:
            changes = self._trash.changes(self._receipt)
            own = tuple(change for change in changes if change.entry == entry)
            plan = UndoPlan(found, tuple(kept), own)
            steps = undo_steps(plan, self._trash, self._tables, self._copier.columns)
            self._writing.see_through()
            troubles: list[Changed] = []
            run_batches(
                self._writing,
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
            if not remove_file(self._folder, kept):
                self._notes.append(f"{kept.name} could not be removed: it has changed.")

    def _skip(self, error: Changed, planned: Planned) -> None:
        self._family.stayed(planned)
        reason = error.message.rstrip(".")
        self._skipped[reason] = self._skipped.get(reason, 0) + 1

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
        )


def _chunks(planned: Sequence[Planned]) -> Iterator[list[Planned]]:
    chunk: list[Planned] = []
    weight = 0
    for one in planned:
        chunk.append(one)
        weight += one.bytes
        if weight > CHUNK or len(chunk) >= CHUNK_SESSIONS:
            yield chunk
            chunk, weight = [], 0
    if chunk:
        yield chunk


def _own_row(trash: TrashFile, entry: Entry, shape: Shape) -> Image | None:
    for pack in trash.packs(entry.number):
        if pack.table == shape.sessions:
            return pack.rows[0]
    return None


def recount(trash: TrashFile, number: int) -> None:
    """Have the receipt of an edit that was cut short say how many sessions it took."""
    receipt = trash.receipt(number)
    gone = sum(entry.state is EntryState.GONE for entry in trash.entries(number))
    if receipt is not None and gone:
        with trash.writing() as writer:
            writer.set_words(number, recounted(receipt.words, gone))


def planned_again(entry: Entry, trash: TrashFile) -> Planned:
    """The plan for a session that is in the trash, as far as the trash tells."""
    children = tuple(
        change.id.decode("utf-8", "replace")
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
        outcome=Outcome.DELETE if entry.kind == "session" else Outcome.CLEAR,
        children=children,
    )

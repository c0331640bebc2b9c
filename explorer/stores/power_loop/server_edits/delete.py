"""Deletes sessions on a server: one conversation after the other, each in one transaction."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from explorer.errors import Cancelled, ExplorerError
from explorer.stores.edits.batches import ProgressCounter, before_anything, unchanged
from explorer.stores.edits.connection import Changed
from explorer.stores.edits.plans import Done, EditPlan, Planned
from explorer.stores.edits.refusal_words import CONNECTION_LOST, reached_words
from explorer.stores.edits.refusals import check_room
from explorer.stores.edits.words import part_words, receipt_words
from explorer.stores.ours.trash_records import EntryState
from explorer.stores.postgres.writing import ServerWriter, Unsure
from explorer.stores.power_loop.server_edits.recovery import settle_soon
from explorer.stores.power_loop.server_edits.rows import Removed, Taker, families
from explorer.stores.power_loop.server_edits.work import ServerWork


def delete(work: ServerWork, plan: EditPlan, force: bool) -> Done:
    """Delete what was planned."""
    return ServerRemoval(work, plan, force).run()


class ServerRemoval:
    """One edit that deletes sessions."""

    def __init__(self, work: ServerWork, plan: EditPlan, force: bool) -> None:
        self._work, self._context, self._trash = work, work.context, work.context.trash
        self._plan = plan
        self._force = force
        self._skipped = Counter(plan.skipped)
        self._families = list(families(plan.doomed))
        self._ids: list[str] = []
        self._receipt = 0
        totals = plan.totals
        self._counter = ProgressCounter(work.context.progress, totals.sessions, totals.messages)

    def run(self) -> Done:
        plan, context = self._plan, self._context
        check_room([self._trash.path.parent], plan.totals.bytes, "Deleting")
        with before_anything(), self._trash.writing() as trash:
            words = part_words(plan, 0) if len(self._families) > 1 else receipt_words(plan)
            self._receipt = trash.begin(plan.action.value, words, context.clock())
        try:
            with self._work.writer() as writer:
                for family in self._families:
                    if context.token.cancelled:
                        return self._close(stopped=True)
                    self._remove(writer, family)
        except Cancelled:
            return self._close(stopped=True)
        except Unsure as error:
            return self._close_unsure(error)
        except ExplorerError as error:
            with suppress(ExplorerError):
                self._close(stopped=True)
            if not self._ids:
                unchanged(error)
                raise
            raise error.also(reached_words(len(self._ids), False)) from error
        return self._close(stopped=False)

    def _remove(self, writer: ServerWriter, family: Sequence[Planned]) -> None:
        now = None if self._force else self._context.clock()
        removed = Removed((), 0)
        try:
            with self._work.transaction(writer) as tx:
                found = self._work.tables(tx, self._plan.table, self._plan.action.value)
                where = tx, found.tables, found.layout.tables, self._trash, self._receipt
                removed = Taker(*where, now).take(family)
        except Changed as error:
            self._forget(removed)
            self._skipped[error.message.rstrip(".")] += len(family)
            return
        except Unsure:
            raise
        except (ExplorerError, Cancelled):
            self._forget(removed)
            raise
        self._ids += [one.id for one in family]
        with self._trash.writing() as trash:
            trash.set_entries(removed.entries, EntryState.GONE)
            if len(self._families) > 1:
                trash.set_words(self._receipt, part_words(self._plan, len(self._ids)))
        self._counter.add(removed.messages, len(family))

    def _forget(self, removed: Removed) -> None:
        """The server has not committed: it is all still there."""
        if removed.entries:
            with suppress(ExplorerError), self._trash.writing() as trash:
                trash.drop_entries(removed.entries)

    def _close_unsure(self, error: Unsure) -> Done:
        """The connection was lost: what is gone tells how far it got."""
        known = settle_soon(self._work, self._receipt)
        if known is None:
            raise error.not_done() from None
        if known.half_done:
            # The next start looks again.
            raise error from None
        gone = tuple(one.session for one in self._trash.entries(self._receipt))
        left = len(self._plan.doomed) - len(gone)
        self._skipped.update({CONNECTION_LOST: left} if left else {})
        words = part_words(self._plan, len(gone)) if left else ""
        return Done(known.number, known.action, gone, self._skipped, (), words=words)

    def _close(self, stopped: bool) -> Done:
        """The receipt for what was done; none where nothing was."""
        less = stopped or len(self._ids) < len(self._plan.doomed)
        words = part_words(self._plan, len(self._ids)) if less else ""
        with self._trash.writing() as trash:
            trash.set_words(self._receipt, words or receipt_words(self._plan))
        kept = self._trash.close(self._receipt)
        return Done(
            self._receipt if kept else None,
            self._plan.action.value,
            tuple(self._ids),
            self._skipped,
            (),
            stopped,
            words,
        )

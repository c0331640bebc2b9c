"""The edits of a database on a server: the plans, receipts, trash and undo of a state file.

A transaction on a server keeps only the writers of its own sessions waiting. So each conversation
is deleted, and each session is put back, in one: there is no half of it. After a crash the rows
tell whether the server had committed.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from explorer.cancel import CancelToken
from explorer.errors import Refused, sentence
from explorer.model import Action, Session
from explorer.stores.catalog import Unit
from explorer.stores.edits.batches import EditContext
from explorer.stores.edits.delete_plan import Planner
from explorer.stores.edits.dialect import SessionTables
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.interface import Edits
from explorer.stores.edits.plans import KINDS, Done, EditPlan, Tell, UndoPlan
from explorer.stores.edits.refusal_words import CANNOT_UNDO
from explorer.stores.edits.undo import Undo, at_risk, plan_undo, worded
from explorer.stores.edits.undo_words import started_again
from explorer.stores.ours.notes import OurFiles
from explorer.stores.ours.trash_records import EntryState, Receipt, table_of
from explorer.stores.postgres.connection import ServerDatabase
from explorer.stores.power_loop.server_edits.changes import change_cells
from explorer.stores.power_loop.server_edits.delete import delete
from explorer.stores.power_loop.server_edits.names import NumberedTables
from explorer.stores.power_loop.server_edits.recovery import settle
from explorer.stores.power_loop.server_edits.rows import exists_again
from explorer.stores.power_loop.server_edits.tables import ServerDialect, asking
from explorer.stores.power_loop.server_edits.undo import ServerUndo
from explorer.stores.power_loop.server_edits.work import OpenTables, ServerWork, open_tables

T = TypeVar("T")

Sessions = Callable[[Sequence[Unit], float], Sequence[Session]]


def server_edits(
    database: ServerDatabase,
    tables: NumberedTables,
    sessions: Sessions,
    ours: OurFiles,
    path: Path,
) -> Edits:
    """The edits of a set of tables on a server. `path` is what its store is called, and our trash
    knows it by: it has neither user nor password in it."""
    return ServerEditor(database, ServerDialect(path, [tables]), sessions, ours)


class ServerEditor(Editor):
    """Edits one set of tables; holds nothing open between two calls."""

    def __init__(
        self,
        database: ServerDatabase,
        dialect: ServerDialect,
        sessions: Sessions,
        ours: OurFiles,
    ) -> None:
        super().__init__(dialect.path, dialect, sessions, ours)
        self._database = database
        self._tables_of = dialect

    def plan(
        self,
        action: Action,
        keys: Sequence[int],
        *,
        title: str = "",
        force: bool = False,
        measured: bool = False,
        token: CancelToken | None = None,
    ) -> EditPlan:
        planned = super().plan
        return self._database.together(
            lambda: planned(action, keys, title=title, force=force, measured=measured, token=token),
            token,
        )

    def _open(self, table: str) -> OpenTables:
        """A set of tables; within a read that spans the plan."""
        dialect = self._tables_of
        return self._database.read(
            lambda reader: open_tables(dialect, asking(reader, dialect.names), table)
        )

    @contextmanager
    def _planning(self, action: Action, table: str, token: CancelToken | None) -> Iterator[Planner]:
        self.trash.check()
        found = self._open(table)
        reason = found.against(action.value)
        if reason:
            raise Refused(KINDS[action].rule.cannot, sentence(reason))
        noted = self._noted_titles(found.tables)
        yield Planner(self.path, found.tables, self._ours.clock(), noted)

    def worded(self, plan: EditPlan) -> EditPlan:
        listed = super().worded
        return self._database.together(lambda: listed(plan))

    @contextmanager
    def _asked(self, cannot: str, token: CancelToken | None, table: str) -> Iterator[SessionTables]:
        yield self._open(table).tables

    def _apply(self, context: EditContext, plan: EditPlan, force: bool) -> Done:
        work = self._work(context)
        return change_cells(work, plan, force) if plan.changes else delete(work, plan, force)

    def _undo_in_file(
        self,
        found: Receipt,
        entries: Collection[int] | None,
        token: CancelToken | None,
        measured: bool,
    ) -> UndoPlan:
        return self._database.together(
            lambda: self._planned_undo(found, entries, token, measured), token
        )

    def _planned_undo(
        self,
        found: Receipt,
        wanted: Collection[int] | None,
        token: CancelToken | None,
        measured: bool,
    ) -> UndoPlan:
        kept = self.trash.entries(found.number)
        changes = self.trash.changes(found.number)
        there = self._open(table_of(kept, changes))
        reason = there.against(found.action)
        if reason:
            raise Refused(CANNOT_UNDO, sentence(reason))
        context, tables = self._context(token), there.tables
        busy = tables.running(at_risk(found, kept, changes), self._ours.clock())
        plan = plan_undo(context, found, tables, wanted, busy, measured)
        # Two sessions with one id cannot be one: their messages have the same numbers.
        taken = [one for one in plan.entries if tables.has(one.session)]
        names = [one.name for one in worded(context, taken)]
        again = {started_again(name): exists_again(name) for name in names}
        return plan._replace(
            entries=tuple(one for one in plan.entries if one not in taken),
            notes=tuple(again.get(note, note) for note in plan.notes),
        )

    def _undoing(self, context: EditContext, plan: UndoPlan) -> Undo:
        return ServerUndo(self._work(context), plan)

    def lost_changes(self, after: int) -> list[str]:
        """A server that is gone has no folder in which others could be."""
        return []

    def _settle(self, receipt: Receipt) -> None:
        settle(self._work(self._context()), receipt)

    def finish(
        self, receipt: Receipt, token: CancelToken | None = None, progress: Tell | None = None
    ) -> Done:
        """There is no half of an edit: what the server has done is done."""
        with self.trash.alone():
            settle(self._work(self._context(token, progress)), receipt)
        states = EntryState.GONE, EntryState.BACK
        kept = self.trash.entries(receipt.number)
        ids = tuple(one.session for one in kept if one.state in states)
        left = self.trash.receipt(receipt.number)
        return self._with_log(Done(left and left.number, receipt.action, ids, {}))

    def _work(self, context: EditContext) -> ServerWork:
        return ServerWork(context, self._tables_of, self._database.address)

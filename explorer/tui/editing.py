"""Edits from the app: a plan in words first, Cancel as the default, then a thread that does it.

Everything runs in one lane, one after the other. What was done is said with the key that takes it
back.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from textual.screen import Screen

from explorer.errors import Cancelled, ExplorerError
from explorer.model import Session
from explorer.render.amounts import plural
from explorer.render.clean import clean, clean_line
from explorer.store.edits.editor import Editor
from explorer.store.edits.plans import Action, Done, EditPlan, Progress
from explorer.store.edits.titles import Owner, Title
from explorer.store.edits.undoing import UndoPlan
from explorer.store.edits.words import (
    done_words,
    plan_lines,
    question,
    receipt_words,
    skipped_words,
    undo_lines,
    undo_question,
)
from explorer.store.kept import Receipt
from explorer.store.read_only import CancelToken
from explorer.tui.dialogs.choice import Choice
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.dialogs.question import Question
from explorer.tui.dialogs.rename import Rename
from explorer.tui.lanes import Lanes
from explorer.tui.lister import Lister

T = TypeVar("T")

PATIENCE = 0.4
"""Seconds after which an edit shows how far it is."""
_YES = {
    Action.DELETE: "Delete",
    Action.PRUNE: "Prune",
    Action.CLEAR: "Clear",
    Action.ARCHIVE: "Archive",
    Action.UNARCHIVE: "Unarchive",
    Action.END: "End",
    Action.REOPEN: "Reopen",
}


class Editing:
    """The edits of one file."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        lister: Lister,
        editor: Editor,
        changed: Callable[[], None],
    ) -> None:
        """`changed` is told when the file is no longer as it was."""
        self._screen = screen
        self._lanes = lanes
        self._lister = lister
        self._editor = editor
        self._changed = changed
        self._stop: CancelToken | None = None

    def stop(self) -> None:
        """The app is left: what is under way ends with its batch."""
        if self._stop is not None:
            self._stop.cancel()

    def delete(self, rows: Sequence[int]) -> None:
        """Delete these rows of the list; of a conversation of several parts, ask which."""
        catalog = self._lister.catalog
        if catalog is None or not rows:
            return
        several = [row for row in rows if row >= 0 and len(catalog.chain(row)) > 1]
        if not several:
            self._delete([_key(row) for row in rows])
            return
        parts = sum(len(catalog.chain(row)) for row in several)
        whole = (
            f"The whole conversation, {parts} parts"
            if len(rows) == 1
            else f"Whole conversations, {plural(parts, 'part')} in {len(several)} of them"
        )
        choice = Choice(
            "Delete", [("whole", whole), ("part", "Only the newest part of it")], "whole"
        )

        def chosen(name: str | None) -> None:
            if name == "whole":
                self._delete([part for row in rows for part in self._parts(row)])
            elif name == "part":
                self._delete([_key(row) for row in rows])

        self._screen.app.push_screen(choice, chosen)

    def _parts(self, row: int) -> Sequence[int]:
        catalog = self._lister.catalog
        return catalog.chain(row) if catalog is not None and row >= 0 else (_key(row),)

    def _delete(self, keys: Sequence[int]) -> None:
        self._plan(
            keys, lambda rows, table, token: self._editor.delete_plan(rows, table, token=token)
        )

    def clear(self, rows: Sequence[int]) -> None:
        keys = [_key(row) for row in rows]
        self._plan(keys, lambda rows, table, token: self._editor.clear_plan(rows, token=token))

    def end(self, rows: Sequence[int], reopen: bool) -> None:
        keys = [_key(row) for row in rows]
        self._plan(
            keys, lambda rows, table, token: self._editor.end_plan(rows, reopen, token=token)
        )

    def archive(self, rows: Sequence[int]) -> None:
        """Archive these rows, or if all of them are archived take them out."""
        catalog = self._lister.catalog
        if catalog is None or not rows:
            return
        keys = [part for row in rows for part in self._parts(row)]
        on = not all(catalog.tip(_key(row)) in catalog.archived for row in rows)
        self._plan(
            keys,
            lambda rows, table, token: self._editor.archive_plan(rows, on, table, token=token),
        )

    def rename(self, session: Session) -> None:
        """Type another title; it is looked up while it is typed."""
        store = self._lister.store
        if store is None:
            return
        _, row = store.place(session.key)

        def check(dialog: Rename, text: str) -> None:
            def work(token: CancelToken) -> tuple[EditPlan, Title] | ExplorerError:
                try:
                    return self._editor.rename_plan(row, text, token)
                except ExplorerError as error:
                    return error

            def take(found: tuple[EditPlan, Title] | ExplorerError) -> None:
                if isinstance(found, ExplorerError):
                    dialog.dismiss()
                    self._say(found)
                else:
                    dialog.checked(text, *found)

            self._lanes.start("title", work, take)

        def renamed(found: EditPlan | Owner | None) -> None:
            if isinstance(found, EditPlan):
                self._apply(found)
            elif isinstance(found, Owner):
                self._lister.reveal(found.row)

        self._screen.app.push_screen(Rename(clean_line(session.title or ""), check), renamed)

    def undo(self, receipt: int | None = None, entries: Sequence[int] | None = None) -> None:
        """Take the newest edit back, or this one, or a part of it."""

        def work(token: CancelToken) -> UndoPlan:
            return self._editor.undo_plan(receipt, entries, token)

        def ask(plan: UndoPlan) -> None:
            text = "\n".join(clean_line(line, 300) for line in undo_lines(plan))
            title = clean_line(undo_question(plan), 200)
            dialog = Question(title, text, "Undo")
            self._screen.app.push_screen(dialog, lambda yes: self._undo(plan) if yes else None)

        self._work(work, ask)

    def _undo(self, plan: UndoPlan) -> None:
        def then(done: Done) -> None:
            notes = " ".join(done.notes)
            self._screen.notify(
                clean(f"Undone: {plan.receipt.words}. {notes}".rstrip()), markup=False
            )

        self._do(
            f"Undoing: {plan.receipt.words}",
            None,
            lambda tell: self._editor.undo(plan, progress=tell),
            then,
        )

    def trash(self, clock: Callable[[], float]) -> None:
        """Show what was deleted."""
        from explorer.tui.trashing import Trashing

        Trashing(self._screen, self._lanes, self._editor, clock, self.undo).show()

    def look_after_crash(self) -> None:
        """Say what an earlier edit left half done, and offer what can be done."""

        def ask(receipts: list[Receipt]) -> None:
            if receipts:
                self._ask_half_done(receipts[0])

        self._work(lambda token: self._editor.half_done(), ask)

    def _ask_half_done(self, receipt: Receipt) -> None:
        dialog = Choice(
            f"An edit was cut short: {clean_line(receipt.words, 60)}",
            [
                ("later", "Decide later"),
                ("restore", "Put back what it had taken out"),
                ("finish", "Finish it"),
            ],
            "later",
        )

        def chosen(name: str | None) -> None:
            if name in ("restore", "finish"):
                act = self._editor.restore if name == "restore" else self._editor.finish
                self._do(
                    clean_line(receipt.words, 60),
                    None,
                    lambda tell: act(receipt, progress=tell),
                    lambda done: self._screen.notify("That edit is settled.", markup=False),
                )

        self._screen.app.push_screen(dialog, chosen)

    def _plan(
        self,
        keys: Sequence[int],
        make: Callable[[list[int], str, CancelToken], EditPlan],
    ) -> None:
        """Make a plan in a thread, show it, and do it after a yes."""
        store = self._lister.store
        if store is None or not keys:
            return
        places = [store.place(key) for key in dict.fromkeys(keys)]
        table = places[0][0]
        rows = [row for name, row in places if name == table]
        self._work(lambda token: make(rows, table, token), self._ask)

    def _ask(self, plan: EditPlan) -> None:
        if not plan.doomed:
            reasons = skipped_words(plan.skipped) or "the session is gone"
            self._screen.notify(
                clean(f"Nothing to do: {reasons}."), severity="warning", markup=False
            )
            return
        text = "\n".join(clean_line(line, 300) for line in plan_lines(plan))
        dialog = Question(clean_line(question(plan), 200), text, _YES[plan.action])
        self._screen.app.push_screen(dialog, lambda yes: self._apply(plan) if yes else None)

    def _apply(self, plan: EditPlan) -> None:
        stop = CancelToken()
        words = receipt_words(plan)

        def then(done: Done) -> None:
            again = " · u undoes it" if done.receipt is not None else ""
            self._screen.notify(clean(done_words(done, words)) + again, markup=False)

        self._lister.stay_near(plan.action in (Action.DELETE, Action.ARCHIVE, Action.PRUNE))
        self._do(
            question(plan).rstrip("?"),
            stop,
            lambda tell: self._editor.apply(plan, stop, tell),
            then,
        )

    def _do(
        self,
        title: str,
        stop: CancelToken | None,
        act: Callable[[Callable[[Progress], None]], Done],
        then: Callable[[Done], None],
    ) -> None:
        """Do it in a thread; where it takes long, show how far it is."""
        dialog = ProgressDialog(clean_line(title, 200), stop)
        self._stop = stop
        ended = False

        def open_dialog() -> None:
            if not ended:
                self._screen.app.push_screen(dialog)

        def work(token: CancelToken) -> Done | ExplorerError:
            def tell(progress: Progress) -> None:
                self._lanes.tell(
                    token, lambda: dialog.show(progress) if dialog.is_mounted else None
                )

            try:
                return act(tell)
            except ExplorerError as error:
                return error
            except Cancelled:
                return ExplorerError("Stopped", "The rest was not done.")

        def take(done: Done | ExplorerError) -> None:
            nonlocal ended
            ended = True
            self._stop = None
            if dialog.is_attached:
                dialog.dismiss()
            if isinstance(done, ExplorerError):
                self._say(done)
            else:
                then(done)
            self._changed()

        self._screen.set_timer(PATIENCE, open_dialog)
        self._lanes.queue("edit", work, take)

    def _work(self, work: Callable[[CancelToken], T], then: Callable[[T], None]) -> None:
        """Find something out in a thread; what speaks against it is said."""

        def guarded(token: CancelToken) -> T | ExplorerError:
            try:
                return work(token)
            except ExplorerError as error:
                return error

        def take(found: T | ExplorerError) -> None:
            if isinstance(found, ExplorerError):
                self._say(found)
            else:
                then(found)

        self._lanes.start("plan", guarded, take)

    def _say(self, error: ExplorerError) -> None:
        self._screen.notify(
            clean(error.message), title=clean_line(error.title), severity="warning", markup=False
        )


def _key(row: int) -> int:
    """The session of a row: one inside another row is known by the complement of its key."""
    return row if row >= 0 else ~row

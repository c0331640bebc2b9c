"""Undo from the app, of an edit that was done and of one that a crash cut short."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from textual.screen import Screen

from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line
from explorer.store.edits.editor import Editor
from explorer.store.edits.plans import Done, Progress
from explorer.store.edits.undoing import UndoPlan
from explorer.store.edits.words import undo_lines, undo_question
from explorer.store.kept import Receipt
from explorer.store.read_only import CancelToken
from explorer.tui.attention import is_typing
from explorer.tui.dialogs.choice import Choice
from explorer.tui.dialogs.question import Question
from explorer.tui.edit_lane import EditLane
from explorer.tui.lister import Lister


class TakingBack:
    """Asks first, as with every edit, and goes to what came back."""

    def __init__(
        self, screen: Screen[None], lane: EditLane, lister: Lister, editor: Editor
    ) -> None:
        self._screen = screen
        self._lane = lane
        self._lister = lister
        self._editor = editor

    def undo(
        self,
        receipt: int | None = None,
        entries: Sequence[int] | None = None,
        after: Callable[[], None] | None = None,
    ) -> None:
        """Take the newest edit back, or this one, or a part of it; then do what comes `after`."""

        def work(token: CancelToken) -> UndoPlan:
            return self._editor.undo_plan(receipt, entries, token)

        def ask(plan: UndoPlan) -> None:
            text = "\n".join(clean_line(line, 300) for line in undo_lines(plan))
            title = clean_line(undo_question(plan), 200)
            dialog = Question(title, text, "Undo")

            def answered(yes: bool | None) -> None:
                if yes:
                    self._undo(plan, after)

            self._screen.app.push_screen(dialog, answered)

        self._lane.find_out(work, ask)

    def _undo(self, plan: UndoPlan, after: Callable[[], None] | None) -> None:
        store = self._lister.store
        back: list[int] = []
        moves = self._lister.goal.moves

        def act(tell: Callable[[Progress], None]) -> Done:
            done = self._editor.undo(plan, progress=tell)
            # It is undone, whether or not anybody can be shown where.
            with suppress(ExplorerError):
                keys = store.keys_of(done.ids) if store is not None else {}
                back.extend(keys[id_] for id_ in done.ids if id_ in keys)
            return done

        def then(done: Done) -> None:
            notes = " ".join(done.notes)
            # What was done before is no longer so.
            self._screen.app.clear_notifications()
            self._screen.notify(
                clean(f"Undone: {plan.receipt.words}. {notes}".rstrip()), markup=False
            )
            self._lister.goal.go_back(back, moves)

        self._lane.do(f"Undoing: {plan.receipt.words}", None, act, then, after)

    def look_after_crash(self) -> None:
        """Say what an earlier edit left half done, and offer what can be done."""

        def ask(receipts: list[Receipt]) -> None:
            if receipts and is_typing(self._screen.app):
                words = f"{clean_line(receipts[0].words, 60)}. The trash puts back what it took."
                self._lane.say(ExplorerError("An edit was cut short", words))
            elif receipts:
                self._ask_half_done(receipts[0])

        self._lane.look(lambda token: self._editor.half_done(), ask)

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
                self._lane.do(
                    clean_line(receipt.words, 60),
                    None,
                    lambda tell: act(receipt, progress=tell),
                    lambda done: self._screen.notify("That edit is settled.", markup=False),
                )

        self._screen.app.push_screen(dialog, chosen)

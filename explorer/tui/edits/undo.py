"""Undo from the app, of an edit that was done and of one that a crash cut short."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line
from explorer.stores.edits.plans import AfterCrash, Done, Progress, UndoPlan
from explorer.stores.edits.words import crash_words, undo_lines, undo_question, undone_words
from explorer.stores.ours.trash_records import Receipt
from explorer.tui.attention import is_typing
from explorer.tui.dialogs.choice import Choice
from explorer.tui.dialogs.question import Question
from explorer.tui.edits.edit_worker import EditLane


class TakingBack:
    """Asks first, as with every edit, and goes to what came back."""

    def __init__(self, lane: EditLane) -> None:
        self._lane = lane
        self._screen, self._lister, self._edits = lane.screen, lane.lister, lane.edits

    def undo(
        self,
        receipt: int | None = None,
        entries: Sequence[int] | None = None,
        after: Callable[[], None] | None = None,
    ) -> None:
        """Take the newest edit back, or this one, or a part of it; then do what comes `after`."""

        def work(token: CancelToken) -> tuple[UndoPlan, Receipt | None]:
            plan = self._edits.undo_plan(receipt, entries, token)
            before = self._edits.before(plan.receipt) if plan.why_not else None
            if before is None or receipt is not None:
                plan.check()
            return plan, before

        def ask(found: tuple[UndoPlan, Receipt | None]) -> None:
            plan, before = found
            if plan.why_not and before is not None:
                self._ask_for(before, plan, after)
                return
            text = "\n".join(clean_line(line, 300) for line in undo_lines(plan))
            title = clean_line(undo_question(plan), 200)
            dialog = Question(title, text, "Undo")

            def answered(yes: bool | None) -> None:
                if yes:
                    self._undo(plan, after)

            self._screen.app.push_screen(dialog, answered)

        self._lane.find_out(work, ask)

    def _ask_for(
        self, before: Receipt, instead_of: UndoPlan, after: Callable[[], None] | None
    ) -> None:
        """What cannot be taken back is not to keep anybody from what was done before it."""
        why = clean_line(instead_of.why_not, 300)
        text = f"{why}\n\nBefore it: {clean_line(before.words, 200)}"
        dialog = Question("It cannot be undone", text, "Undo what was before it")
        self._screen.app.push_screen(
            dialog, lambda yes: self.undo(before.number, after=after) if yes else None
        )

    def _undo(self, plan: UndoPlan, after: Callable[[], None] | None) -> None:
        store = self._lister.store
        back: list[int] = []
        noted = self._lister.wish.pins
        moves = self._lister.cursor.moves

        def act(tell: Callable[[Progress], None]) -> Done:
            nonlocal noted
            done = self._edits.undo(plan, progress=tell)
            # It is undone, whether or not anybody can be shown where.
            with suppress(ExplorerError):
                keys = store.keys_of(done.ids) if store is not None else {}
                back.extend(keys[id_] for id_ in done.ids if id_ in keys)
                noted = self._edits.noted_pins()
            return done

        def then(done: Done) -> None:
            notes = " ".join(done.notes)
            # What was done before is no longer so.
            self._screen.app.clear_notifications()
            self._screen.notify(
                clean(f"{undone_words(plan, done)}. {notes}".rstrip()), markup=False
            )
            self._lister.cursor.go_back(back, moves)
            if noted != self._lister.wish.pins:
                self._lister.wish_for(self._lister.wish._replace(pins=noted))

        self._lane.do(f"Undoing: {plan.receipt.words}", None, act, then, after)

    def look_after_crash(self) -> None:
        """Say what an earlier edit left half done, and offer what can be done."""

        def ask(found: AfterCrash) -> None:
            for line in crash_words(found):
                self._screen.notify(clean_line(line, 300), markup=False)
            if found.half_done and is_typing(self._screen.app):
                words = clean_line(found.half_done[0].words, 60)
                words = f"{words}. The trash puts back what it took."
                self._lane.say(ExplorerError("An edit was cut short", words))
            elif found.half_done:
                self._ask_half_done(found.half_done[0])

        self._lane.look(lambda token: self._edits.after_crash(), ask)

    def _ask_half_done(self, receipt: Receipt) -> None:
        dialog = Choice(
            f"An edit was cut short: {clean_line(receipt.words, 60)}",
            [
                (None, "Decide later"),
                (self._edits.restore, "Put back what it had taken out"),
                (self._edits.finish, "Finish it"),
            ],
            None,
        )

        def chosen(act: Callable[..., Done] | None) -> None:
            if act is not None:
                self._lane.do(
                    clean_line(receipt.words, 60),
                    None,
                    lambda tell: act(receipt, progress=tell),
                    lambda done: self._screen.notify("That edit is settled.", markup=False),
                )

        self._screen.app.push_screen(dialog, chosen)

"""Undo from the app, of an edit that was done and of one that a crash cut short.

It is asked first, as with every edit, and what came back is gone to."""

from collections.abc import Callable, Sequence
from contextlib import suppress

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line
from explorer.stores.edits.plans import AfterCrash, Done, Progress, UndoPlan
from explorer.stores.edits.words import crash_words, undo_lines, undo_question, undone_words
from explorer.stores.ours.trash_records import Receipt
from explorer.tui.dialogs.questions import Choice, Question, ask, is_typing
from explorer.tui.edits.confirm import After, EditLane


def undo(
    lane: EditLane,
    receipt: int | None = None,
    entries: Sequence[int] | None = None,
    after: After = None,
) -> None:
    """Take the newest edit back, or this one, or a part of it; then do what comes `after`."""

    def work(token: CancelToken) -> tuple[UndoPlan, Receipt | None]:
        plan = lane.edits.undo_plan(receipt, entries, token)
        before = lane.edits.before(plan.receipt) if plan.why_not else None
        if before is None or receipt is not None:
            plan.check()
        return plan, before

    def found(result: tuple[UndoPlan, Receipt | None]) -> None:
        plan, before = result
        if plan.why_not and before is not None:
            # What cannot be taken back is not to keep anybody from what was done before it.
            why = clean_line(plan.why_not, 300)
            text = f"{why}\n\nBefore it: {clean_line(before.words, 200)}"
            dialog = Question("It cannot be undone", text, "Undo what was before it")
            ask(lane.screen, dialog, lambda: undo(lane, before.number, after=after))
            return
        text = "\n".join(clean_line(line, 300) for line in undo_lines(plan))
        dialog = Question(clean_line(undo_question(plan), 200), text, "Undo")
        ask(lane.screen, dialog, lambda: _undo(lane, plan, after))

    lane.find_out(work, found)


def _undo(lane: EditLane, plan: UndoPlan, after: After) -> None:
    lister, edits = lane.lister, lane.edits
    store = lister.store
    back: list[int] = []
    noted = lister.wish.pins
    moves = lister.cursor.moves

    def act(tell: Callable[[Progress], None]) -> Done:
        nonlocal noted
        done = edits.undo(plan, progress=tell)
        # It is undone, whether or not anybody can be shown where.
        with suppress(ExplorerError):
            keys = store.keys_of(done.ids) if store is not None else {}
            back.extend(keys[id_] for id_ in done.ids if id_ in keys)
            noted = edits.noted_pins()
        return done

    def then(done: Done) -> None:
        words = f"{undone_words(plan, done)}. {' '.join(done.notes)}"
        # What was done before is no longer so.
        lane.screen.app.clear_notifications()
        lane.screen.notify(clean(words.rstrip()), markup=False)
        lister.cursor.go_back(back, moves)
        if noted != lister.wish.pins:
            lister.wish_for(lister.wish._replace(pins=noted))

    lane.do(f"Undoing: {plan.receipt.words}", None, act, then, after)


def look_after_crash(lane: EditLane) -> None:
    """Say what an earlier edit left half done, and offer what can be done."""

    def tell(found: AfterCrash) -> None:
        for line in crash_words(found):
            lane.screen.notify(clean_line(line, 300), markup=False)
        if found.half_done and is_typing(lane.screen.app):
            words = clean_line(found.half_done[0].words, 60)
            words = f"{words}. The trash puts back what it took."
            lane.say(ExplorerError("An edit was cut short", words))
        elif found.half_done:
            _ask_half_done(lane, found.half_done[0])

    lane.lanes.start("crash", lambda token: lane.edits.after_crash(), tell, lane.say)


def _ask_half_done(lane: EditLane, receipt: Receipt) -> None:
    words = clean_line(receipt.words, 60)
    options = [
        (None, "Decide later"),
        (lane.edits.restore, "Put back what it had taken out"),
        (lane.edits.finish, "Finish it"),
    ]

    def chosen(act: Callable[..., Done] | None) -> None:
        if act is not None:
            lane.do(
                words,
                None,
                lambda tell: act(receipt, progress=tell),
                lambda done: lane.screen.notify("That edit is settled.", markup=False),
            )

    lane.screen.app.push_screen(Choice(f"An edit was cut short: {words}", options, None), chosen)

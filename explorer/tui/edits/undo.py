"""Undo from the app, of an edit that was done and of one that a crash interrupted.

It asks before something comes back from the trash, or an older change is undone that the user may
not have in mind; then it goes to what was restored."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.clean import clean, clean_line
from explorer.stores.edits.plans import AfterCrash, Done, Progress, UndoPlan
from explorer.stores.edits.undo_words import (
    changed_words,
    crash_words,
    interrupted,
    undo_lines,
    undo_question,
    undo_verb,
    undone_words,
)
from explorer.stores.ours.trash_records import Receipt, ReceiptState
from explorer.tui.dialogs.attention import is_typing
from explorer.tui.dialogs.choices import Choice
from explorer.tui.dialogs.questions import Question, ask
from explorer.tui.edits.confirm import After, EditLane
from explorer.tui.edits.words import (
    FINISHED,
    INTERRUPTED,
    RESTORED,
    before_words,
    restore_later,
)
from explorer.tui.hints import take_back


def undo(
    lane: EditLane,
    receipt: int | None = None,
    entries: Sequence[int] | None = None,
    after: After = None,
) -> None:
    """Undo the newest edit, or this one, or a part of it; then do what comes `after`."""
    if lane.lanes.put_off("edit", partial(undo, lane, receipt, entries, after)):
        # It is about what is being done.
        return

    def work(token: CancelToken) -> tuple[UndoPlan, Receipt | None]:
        plan = lane.edits.undo_plan(receipt, entries, token)
        before = lane.edits.before(plan.receipt) if plan.why_not else None
        if before is None or receipt is not None:
            plan.check()
        return plan, before

    def found(result: tuple[UndoPlan, Receipt | None]) -> None:
        plan, before = result
        if plan.why_not and before is not None:
            # What cannot be undone must not block what was done before it.
            text = before_words(
                clean_line(plan.why_not, 300), clean_line(changed_words(before), 200)
            )
            dialog = Question("Cannot undo the last change", text, "Undo the one before")
            ask(lane.screen, dialog, lambda: undo(lane, before.number, after=after))
            return
        if plan.receipt.number in lane.fresh and not plan.entries and not plan.notes:
            _undo(lane, plan, after)
            return
        text = "\n".join(clean_line(line, 300) for line in undo_lines(plan))
        dialog = Question(clean_line(undo_question(plan), 200), text, undo_verb(plan))
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
        # It is undone, whether or not the list can show where.
        with suppress(ExplorerError):
            ids = edits.noted(done)
            keys = store.keys_of(ids) if store is not None else {}
            back.extend(keys[id_] for id_ in ids if id_ in keys)
            noted = edits.noted_pins()
        return done

    def then(done: Done) -> None:
        words = ". ".join((undone_words(plan, done), *done.notes))
        # What earlier ones say is no longer so.
        take_back(lane.screen.app)
        lane.screen.notify(clean(words), markup=False)
        lister.cursor.go_back(back, moves)
        if noted != lister.wish.pins:
            lister.wish_for(lister.wish._replace(pins=noted))

    lane.do(undo_question(plan).rstrip("?"), None, act, then, after)


STAYS = 20.0
"""Seconds for which a report of what was interrupted stays: it comes while the user looks at
something else."""


def look_after_crash(lane: EditLane) -> None:
    """Report what an interrupted edit left half done, and offer what can be done."""

    def tell(found: AfterCrash) -> None:
        for line in crash_words(found):
            lane.screen.notify(clean_line(line, 300), markup=False, timeout=STAYS)
        if found.half_done and is_typing(lane.screen.app):
            words = restore_later(clean_line(changed_words(found.half_done[0]), 60))
            lane.say(ExplorerError(INTERRUPTED, words))
        elif found.half_done:
            _ask_half_done(lane, found.half_done[0])

    lane.lanes.start("crash", lambda token: lane.edits.after_crash(), tell, lane.say)


def _ask_half_done(lane: EditLane, receipt: Receipt) -> None:
    words = clean_line(changed_words(receipt), 60)
    restore, finish = (lane.edits.restore, RESTORED), (lane.edits.finish, FINISHED)
    title = f"{INTERRUPTED}: {words}"
    options = [
        (None, "Decide later"),
        (restore, "Undo it: restore what it deleted"),
        (finish, "Finish it"),
    ]
    if receipt.state is ReceiptState.UNDOING:
        title = clean_line(interrupted(receipt), 100)
        options = [(None, "Decide later"), (restore, "Restore the rest")]

    def chosen(choice: tuple[Callable[..., Done], str] | None) -> None:
        if choice is not None:
            act, said = choice
            lane.do(
                words,
                None,
                lambda tell: act(receipt, progress=tell),
                lambda done: lane.screen.notify(said, markup=False),
            )

    lane.screen.app.push_screen(Choice(title, options, None), chosen)

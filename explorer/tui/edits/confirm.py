"""From a plan to an edit: the plan in words first, Cancel as the default, then what came of it.
What one key undoes is done without a question.

Plans are made in a thread, of the file as it is. Where that has changed by the time of the yes so
that nothing could be done, the question is asked again. Edits are done in one lane, one after the
other, with a dialog where one takes long. For a delete that only the agent can do, its own command
is offered.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from textual.screen import Screen

from explorer.browse.arrangement import inside_row
from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError
from explorer.model import Action
from explorer.render.clean import clean, clean_line
from explorer.resume import Command, delete_commands, installed, run
from explorer.stores.base import Edits, Store
from explorer.stores.catalog import Catalog
from explorer.stores.edits.plans import (
    ANOTHER,
    KINDS,
    Done,
    EditPlan,
    OnlyAgent,
    Progress,
    as_listed,
    check_same,
)
from explorer.stores.edits.reasons import harmless
from explorer.stores.edits.words import (
    done_words,
    not_done_title,
    nothing_words,
    plan_lines,
    question,
    receipt_words,
    remedy,
    trashed_words,
)
from explorer.stores.sqlite.read_only import impatient
from explorer.tui.dialogs.attention import is_typing, may_ask, place
from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.dialogs.questions import Instead, Question, ask
from explorer.tui.edits.words import (
    NOTHING_ELSE,
    agent_command_text,
    elsewhere_words,
    exit_words,
    waiting_for,
    with_undo,
)
from explorer.tui.hints import hint
from explorer.tui.key_bindings import keymap_of
from explorer.tui.list.list_controller import Lister
from explorer.tui.suspend import run_command
from explorer.tui.workers import Lanes, OnRefusal, say

T = TypeVar("T")
After = Callable[[], None] | None

PATIENCE = 0.4
"""Seconds after which an edit shows how far it is."""
PLANNING = 1.0
"""Seconds for which one of several profiles is waited for that another program keeps locked: the
others can be changed without it."""
NAMED = 3
"""Commands that are shown; of more there is only the number."""


@dataclass(eq=False)
class EditLane:
    """Runs what reads or changes in threads, and says what speaks against it."""

    screen: Screen[None]
    lanes: Lanes
    lister: Lister
    edits: Edits
    clock: Callable[[], float]
    changed: Callable[[], None]
    """Called when the file has changed."""
    roots: Sequence[Path] = ()
    """The folders of which every profile is open."""
    kept: frozenset[str] = frozenset()
    """Ids of what the user keeps from every prune."""
    fresh: set[int] = field(default_factory=set)
    """Receipts of what was changed since the app was opened."""
    _stops: list[CancelToken] = field(default_factory=list)
    """Of the edit in progress, and of those that wait for it."""

    def stop(self) -> bool:
        """What is in progress ends with its batch; False where nothing is, or is stopping."""
        going = [stop for stop in self._stops if not stop.cancelled]
        for stop in going:
            stop.cancel()
        return bool(going)

    def do(
        self,
        title: str,
        stop: CancelToken | None,
        act: Callable[[Callable[[Progress], None]], Done],
        then: Callable[[Done], None],
        after: Callable[[], None] | None = None,
        refused: OnRefusal = None,
    ) -> None:
        """Do it in a thread; where it takes long, show how far it is. What speaks against it is
        shown, or given to `refused`; `after` comes last in any case."""
        against = refused or self.say
        dialog = ProgressDialog(clean_line(title, 200), stop)
        if stop is not None:
            self._stops.append(stop)
        ended = False

        def open_dialog() -> None:
            if ended:
                return
            if is_typing(self.screen.app):
                self.screen.set_timer(PATIENCE, open_dialog)
                return
            if self.edits.planning:
                dialog.say(waiting_for(self.edits.planning))
            self.screen.app.push_screen(dialog)

        def work(token: CancelToken) -> Done:
            def tell(progress: Progress) -> None:
                self.lanes.tell(token, lambda: dialog.show(progress))

            try:
                return act(tell)
            except ExplorerError:
                raise
            except Cancelled:
                raise ExplorerError("Stopped", NOTHING_ELSE) from None
            except Exception as error:
                # Those that wait for it must not wait for ever.
                said = clean_line(f"{type(error).__name__}: {error}", 300)
                raise ExplorerError("Unexpected error", said) from error

        def end(said: Callable[[], None]) -> None:
            nonlocal ended
            ended = True
            if stop is not None:
                self._stops.remove(stop)
            if dialog.is_attached:
                dialog.leave()
            said()
            self.changed()
            if after is not None:
                after()

        self.screen.set_timer(PATIENCE, open_dialog)
        self.lanes.start(
            "edit",
            work,
            lambda done: end(lambda: then(done)),
            lambda why: end(lambda: against(why)),
            queued=True,
        )

    def find_out(
        self,
        work: Callable[[CancelToken], T],
        then: Callable[[T], None],
        refused: OnRefusal = None,
    ) -> None:
        """Find something out in a thread; what speaks against it is shown, or given to `refused`.
        A newer question replaces an older one; none opens where the user has moved on."""
        asked_at = place(self.screen.app)
        against = refused or self.say
        answered = False

        def answer(act: Callable[[], None]) -> None:
            nonlocal answered
            answered = True
            if may_ask(self.screen, asked_at):
                act()

        def say_waiting() -> None:
            if not answered and self.edits.planning:
                hint(self.screen, waiting_for(self.edits.planning))

        self.screen.set_timer(PATIENCE, say_waiting)
        self.lanes.start(
            "plan",
            work,
            lambda found: answer(lambda: then(found)),
            lambda why: answer(lambda: against(why)),
        )

    def say(self, error: ExplorerError) -> None:
        say(self.screen, error)


class EditSubject(NamedTuple):
    """What an edit is about."""

    action: Action
    keys: Iterable[int]
    """Of sessions; a prune may name 100,000."""
    shown: Mapping[int, str]
    """Ids by key, as far as they were visible."""
    listed: Catalog | None = None
    """What has changed since this catalog is kept."""
    instead: Instead | None = None
    """What else can be done to them."""

    def plan(self, lane: EditLane, token: CancelToken) -> "_Shown | None":
        """In a thread: the plan, and the words for it."""
        keys, edits, store = list(dict.fromkeys(self.keys)), lane.edits, lane.lister.store
        if not keys:
            return None
        several = store is not None and len(set(map(store.place, keys))) > 1
        with impatient(PLANNING) if several else nullcontext():
            return self._planned(edits, keys, token)

    def _planned(self, edits: Edits, keys: list[int], token: CancelToken) -> "_Shown":

        def make(few: Sequence[int]) -> EditPlan:
            return edits.plan(self.action, few, token=token)

        try:
            plan = make(keys)
        except OnlyAgent as error:
            check_same(error.plan, self.shown)
            raise
        check_same(plan, self.shown)
        if self.listed is not None:
            plan = as_listed(plan, keys, self.listed, make)
        rows = frozenset((*keys, *map(inside_row, keys)))
        shown = _Shown(plan, self._replace(keys=keys), rows)
        if not plan.doomed:
            return shown._replace(nothing=nothing_words(plan))
        last = trashed_words(plan)
        text = "\n".join(clean_line(line, 300) for line in plan_lines(plan) if line != last)
        said = receipt_words(plan)
        return shown._replace(question=question(plan), text=text, last=last, receipt=said)


class _Shown(NamedTuple):
    """A plan, and the words for it: to count 100,000 sessions takes its time."""

    plan: EditPlan
    about: EditSubject
    rows: frozenset[int]
    """The rows of the list that it is about."""
    question: str = ""
    text: str = ""
    last: str = ""
    """What the trash keeps: visible also where the text is too long for the screen."""
    receipt: str = ""
    nothing: str = ""
    """Why it does nothing, if it does."""


def confirm(lane: EditLane, about: EditSubject, after: After = None) -> None:
    """Make a plan, show it, and do it after a yes, then what comes `after`."""
    store = lane.lister.store
    if store is None:
        return

    def refused(why: ExplorerError) -> None:
        if isinstance(why, OnlyAgent):
            _offer_command(lane, store, why)
        else:
            lane.say(why)

    lane.find_out(
        lambda token: about.plan(lane, token),
        lambda shown: _ask(lane, shown, after) if shown else None,
        refused,
    )


def do_at_once(lane: EditLane, about: EditSubject) -> None:
    """Do what one key undoes: planned and done in one go, after what was asked for before it, also
    where the user has moved on by then."""
    stop = CancelToken()
    took: list[_Shown] = []

    def act(tell: Callable[[Progress], None]) -> Done:
        shown = about.plan(lane, stop)
        if shown is None:
            raise ANOTHER
        if shown.nothing:
            raise _nothing(shown)
        took.append(shown)
        return lane.edits.apply(shown.plan, stop, tell)

    def then(done: Done) -> None:
        (shown,) = took
        _say_elsewhere(lane, shown.plan)
        _leave(lane, shown, done)
        # No question has said it before.
        notes = (note.rstrip(".") for note in shown.plan.notes if note not in done.notes)
        _say_done(lane, done, ". ".join((shown.receipt, *notes)))

    lane.do(KINDS[about.action].verb, stop, act, then)


def _nothing(shown: _Shown) -> ExplorerError:
    plan = shown.plan
    title = "Nothing to do" if harmless(plan.skipped) else not_done_title(plan.action)
    return ExplorerError(title, shown.nothing + remedy(plan))


def _say_elsewhere(lane: EditLane, plan: EditPlan) -> None:
    if plan.elsewhere:
        words = elsewhere_words(plan.elsewhere)
        lane.screen.notify(words, severity="warning", markup=False)


def _say_done(lane: EditLane, done: Done, words: str) -> None:
    said = clean(done_words(done, words))
    if done.receipt is not None:
        lane.fresh.add(done.receipt)
        said = with_undo(said, keymap_of(lane.screen.app))
    lane.screen.notify(said, markup=False)


def _ask(lane: EditLane, shown: _Shown, after: After) -> None:
    plan = shown.plan
    _say_elsewhere(lane, plan)
    if shown.nothing:
        lane.say(_nothing(shown))
        return

    def go() -> None:
        apply(lane, plan, shown.question, shown.receipt, after, ended)

    def ended(done: Done) -> None:
        _leave(lane, shown, done)
        # The file has changed so that nothing could be done.
        if done.receipt is None and not done.stopped:
            lane.screen.call_later(confirm, lane, shown.about, after)

    asked, verb = clean_line(shown.question, 200), KINDS[plan.action].verb
    instead, last = shown.about.instead, shown.last
    ask(lane.screen, Question(asked, shown.text, verb, instead=instead, last=last), go)


def _leave(lane: EditLane, shown: _Shown, done: Done) -> None:
    """Prepare the list for the rows that leave it. The cursor stays on what was not changed: the
    next key would be about another session."""
    plan = shown.plan
    if KINDS[plan.action].unlists:
        changed = frozenset(done.done_in)
        shares = [one.plan for one in plan.by_store] or [plan]
        sessions = ((str(share.path), one) for share in shares for one in share.sessions)
        gone = {one.key for path, one in sessions if (path, one.id) in changed}
        lane.lister.leave(shown.rows & gone.union(map(inside_row, gone)))


def apply(
    lane: EditLane,
    plan: EditPlan,
    title: str,
    words: str,
    after: After = None,
    ended: Callable[[Done], None] | None = None,
    refused: OnRefusal = None,
) -> CancelToken:
    """Do it and say what came of it, which `ended` gets. Gives what stops it."""
    stop = CancelToken()
    end_change = lane.lister.selected.begin_change(frozenset(one.key for one in plan.doomed))

    def then(done: Done) -> None:
        _say_done(lane, done, words)
        if ended is not None:
            ended(done)

    def at_last() -> None:
        end_change()
        if after is not None:
            after()

    act = partial(lane.edits.apply, plan, stop)
    lane.do(title.rstrip("?"), stop, act, then, at_last, refused)
    return stop


def _offer_command(lane: EditLane, store: Store, why: OnlyAgent) -> None:
    """Ask whether to run the agent's own command; where it is not installed, say why we cannot."""

    def find(_: object) -> list[Command]:
        home, _ = store.home(why.plan.doomed[0].key)
        commands = delete_commands(home, why.ids, sure=True)
        return commands if all(map(installed, commands)) else []

    def offer(commands: list[Command]) -> None:
        if not commands:
            lane.say(why)
            return
        lines = [clean(command.line()) for command in commands[:NAMED]]
        text = agent_command_text(clean(why.message), lines, len(commands) - NAMED)
        title = clean_line(question(why.plan), 200)
        dialog = Question(title, text, KINDS[why.plan.action].verb)
        ask(lane.screen, dialog, lambda: _run(lane, commands))

    lane.find_out(find, offer)


def _run(lane: EditLane, commands: Sequence[Command]) -> None:
    # Stops at the first that fails.
    code = run_command(lane.screen, lambda: next(filter(None, map(run, commands)), 0))
    if code is None:
        return
    if code:
        lane.say(ExplorerError("Back from the agent", exit_words("Its command", code)))
    lane.changed()

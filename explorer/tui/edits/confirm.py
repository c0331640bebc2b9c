"""From a plan to an edit: the plan in words first, Cancel as the default, then what came of it.

Plans are made in a thread, of the file as it is. Where that has changed by the time of the yes so
that nothing could be done, the question is asked again. Edits are done in one lane, one after the
other, with a dialog where one takes long. For a delete that only the agent can do, its own command
is offered.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from textual.screen import Screen

from explorer.browse.unfolding import inside_row
from explorer.cancel import CancelToken
from explorer.errors import Cancelled, ExplorerError
from explorer.model import Action
from explorer.render.clean import clean, clean_line
from explorer.render.figures import plural
from explorer.resume import Command, delete_commands, installed, run
from explorer.stores.base import Edits, Store
from explorer.stores.catalog import Catalog
from explorer.stores.edits.plans import (
    KINDS,
    Done,
    EditPlan,
    OnlyAgent,
    Progress,
    as_listed,
    check_same,
)
from explorer.stores.edits.words import (
    done_words,
    harmless,
    nothing_words,
    plan_lines,
    question,
    receipt_words,
)
from explorer.tui.dialogs.questions import (
    Instead,
    ProgressDialog,
    Question,
    is_typing,
    may_ask,
    place,
)
from explorer.tui.list.list_controller import Lister
from explorer.tui.suspend import run_command
from explorer.tui.workers import Lanes, OnRefusal, say

T = TypeVar("T")

PATIENCE = 0.4
"""Seconds after which an edit shows how far it is."""


class EditLane:
    """Runs what reads or changes in threads, and says what speaks against it."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        lister: Lister,
        edits: Edits,
        changed: Callable[[], None],
    ) -> None:
        """`changed` is told when the file is no longer as it was."""
        self.screen = screen
        self.lister = lister
        self.edits = edits
        self.changed = changed
        self._lanes = lanes
        self._stops: list[CancelToken] = []
        """Of the edit under way, and of those that wait for it."""

    def stop(self) -> bool:
        """What is under way ends with its batch; False where nothing is, or was told so before."""
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
    ) -> None:
        """Do it in a thread; where it takes long, show how far it is. `after` comes last, also
        where it was refused."""
        dialog = ProgressDialog(clean_line(title, 200), stop)
        if stop is not None:
            self._stops.append(stop)
        ended = False

        def open_dialog() -> None:
            if ended:
                return
            if is_typing(self.screen.app):
                self.screen.set_timer(PATIENCE, open_dialog)
            else:
                self.screen.app.push_screen(dialog)

        def work(token: CancelToken) -> Done:
            def tell(progress: Progress) -> None:
                self._lanes.tell(token, lambda: dialog.show(progress))

            try:
                return act(tell)
            except ExplorerError:
                raise
            except Cancelled:
                raise ExplorerError("Stopped", "The rest was not done.") from None
            except Exception as error:
                # Whatever it was: those that wait for it must not wait for ever.
                said = clean_line(f"{type(error).__name__}: {error}", 300)
                raise ExplorerError("A bug", said) from error

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
        self._lanes.queue(
            "edit",
            work,
            lambda done: end(lambda: then(done)),
            lambda why: end(lambda: self.say(why)),
        )

    def find_out(
        self,
        work: Callable[[CancelToken], T],
        then: Callable[[T], None],
        refused: OnRefusal = None,
    ) -> None:
        """Find something out in a thread; what speaks against it is said, or given to `refused`.
        A newer question takes the place of an older one; from whoever has gone on it is kept."""
        asked_at = place(self.screen.app)
        against = refused or self.say
        self._lanes.start(
            "plan",
            work,
            lambda found: then(found) if may_ask(self.screen, asked_at) else None,
            lambda why: against(why) if may_ask(self.screen, asked_at) else None,
        )

    def look(self, work: Callable[[CancelToken], T], then: Callable[[T], None]) -> None:
        """Find out what nobody has asked for."""
        self._lanes.start("crash", work, then, self.say)

    def say(self, error: ExplorerError) -> None:
        say(self.screen, error)


After = Callable[[], None] | None


class EditSubject(NamedTuple):
    """What an edit is about."""

    action: Action
    keys: Iterable[int]
    """Of sessions; a prune may name 100,000."""
    shown: Mapping[int, str]
    """Ids by key, as far as they were in sight."""
    listed: Catalog | None = None
    """What has changed since this catalog stays."""
    instead: Instead | None = None
    """What else can be done to them."""

    def plan(self, edits: Edits, token: CancelToken) -> "_Shown | None":
        """In a thread: the plan, and the words for it."""
        keys = list(dict.fromkeys(self.keys))
        if not keys:
            return None

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
        return _Shown.of(plan, self._replace(keys=keys), rows)


class _Shown(NamedTuple):
    """A plan, and what is said of it: to count 100,000 sessions takes its time."""

    plan: EditPlan
    question: str
    text: str
    receipt: str
    nothing: str
    """Why it does nothing, if it does."""
    about: EditSubject
    rows: frozenset[int]
    """The rows of the list that it is about."""

    @classmethod
    def of(cls, plan: EditPlan, about: EditSubject, rows: frozenset[int]) -> "_Shown":
        if not plan.doomed:
            return cls(plan, "", "", "", nothing_words(plan), about, rows)
        text = "\n".join(clean_line(line, 300) for line in plan_lines(plan))
        return cls(plan, question(plan), text, receipt_words(plan), "", about, rows)


class Asking:
    """Asks about plans, and has them done."""

    def __init__(self, lane: EditLane) -> None:
        self._lane = lane
        self._screen = lane.screen

    def plan(self, about: EditSubject, after: After = None) -> None:
        """Make a plan, show it, and do it after a yes, then what comes `after`."""
        store = self._lane.lister.store
        if store is None:
            return

        def refused(why: ExplorerError) -> None:
            if isinstance(why, OnlyAgent):
                offer_delete(self._lane, store, why)
            else:
                self._lane.say(why)

        self._lane.find_out(
            lambda token: about.plan(self._lane.edits, token),
            lambda shown: self._ask(shown, after),
            refused,
        )

    def _ask(self, shown: _Shown | None, after: After) -> None:
        if shown is None:
            return
        if shown.plan.elsewhere:
            words = plural(shown.plan.elsewhere, "session")
            words = f"Left out: {words} in other tables of the file: ask again for them."
            self._screen.notify(words, severity="warning", markup=False)
        if shown.nothing:
            title = "Nothing to do" if harmless(shown.plan.skipped) else "Nothing was done"
            self._lane.say(ExplorerError(title, shown.nothing))
            return
        plan = shown.plan
        asked = clean_line(shown.question, 200)
        dialog = Question(asked, shown.text, KINDS[plan.action].verb, instead=shown.about.instead)

        def answered(yes: bool | None) -> None:
            if yes:
                if KINDS[plan.action].unlists:
                    self._lane.lister.leave(shown.rows)
                again = partial(self.plan, shown.about, after)
                self.apply(plan, shown.question, shown.receipt, after, again)

        self._screen.app.push_screen(dialog, answered)

    def apply(
        self, plan: EditPlan, title: str, words: str, after: After = None, again: After = None
    ) -> None:
        """Do it; where the file has changed so that nothing could be done, ask `again`."""
        stop = CancelToken()

        def then(done: Done) -> None:
            undo = " · u undoes it" if done.receipt is not None else ""
            self._screen.notify(clean(done_words(done, words)) + undo, markup=False)
            if done.receipt is None and not done.stopped and again is not None:
                self._screen.call_later(again)

        self._lane.do(
            title.rstrip("?"),
            stop,
            lambda tell: self._lane.edits.apply(plan, stop, tell),
            then,
            after,
        )


NAMED = 3
"""Commands that are shown; of more there is only the number."""


def offer_delete(lane: EditLane, store: Store, why: OnlyAgent) -> None:
    """Ask whether to run the agent's own command; where it is not installed, say why we cannot."""

    def find(_: object) -> list[Command]:
        commands = delete_commands(store, why.ids, sure=True)
        return commands if all(map(installed, commands)) else []

    def ask(commands: list[Command]) -> None:
        if not commands:
            lane.say(why)
            return
        lines = [clean(command.line()) for command in commands[:NAMED]]
        more = len(commands) - NAMED
        lines += [f"… and {more} more like these"] if more > 0 else []
        text = (
            f"{clean(why.message)} Its own command can do it, but keeps no trash: this cannot be"
            " undone."
        )
        dialog = Question(
            clean_line(question(why.plan), 200), "\n".join((text, "", *lines)), "Run it"
        )
        lane.screen.app.push_screen(dialog, lambda yes: _run(lane, commands) if yes else None)

    lane.find_out(find, ask)


def _run(lane: EditLane, commands: Sequence[Command]) -> None:
    # Stops at the first that fails.
    code = run_command(lane.screen, lambda: next(filter(None, map(run, commands)), 0))
    if code is None:
        return
    if code:
        lane.say(ExplorerError("Back from the agent", f"Its command ended with code {code}."))
    lane.changed()

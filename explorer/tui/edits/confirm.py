"""From a plan to an edit: the plan in words first, Cancel as the default, then what came of it.

Plans are made in a thread, of the file as it is. Where that has changed by the time of the yes so
that nothing could be done, the question is asked again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from explorer.browse.arrangement import inside_row
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Action
from explorer.render.clean import clean, clean_line
from explorer.render.figures import plural
from explorer.stores.base import Edits
from explorer.stores.catalog import Catalog
from explorer.stores.edits.plans import KINDS, Done, EditPlan, OnlyAgent, as_listed, check_same
from explorer.stores.edits.words import (
    done_words,
    harmless,
    nothing_words,
    plan_lines,
    question,
    receipt_words,
)
from explorer.tui.dialogs.question import Instead, Question
from explorer.tui.edits.edit_worker import EditLane

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
                from explorer.tui.edits.agent_delete import offer_delete

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

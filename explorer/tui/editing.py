"""Edits from the app: a plan in words first, Cancel as the default, then a thread that does it.

Everything runs in one lane, one after the other. What was done is said with the key that takes it
back.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from textual.screen import Screen

from explorer.errors import ExplorerError
from explorer.model import Session
from explorer.render.amounts import plural
from explorer.render.clean import clean, clean_line
from explorer.store.catalog import Catalog
from explorer.store.edits.editor import Editor
from explorer.store.edits.plans import Action, Done, EditPlan, OnlyAgent
from explorer.store.edits.titles import Owner, Title
from explorer.store.edits.words import (
    done_words,
    harmless,
    nothing_words,
    plan_lines,
    question,
    receipt_words,
)
from explorer.store.read_only import CancelToken
from explorer.tui.attention import place
from explorer.tui.dialogs.choice import Choice
from explorer.tui.dialogs.question import Question
from explorer.tui.dialogs.rename import Rename
from explorer.tui.edit_lane import EditLane
from explorer.tui.lanes import Lanes
from explorer.tui.lister import Lister
from explorer.tui.taking_back import TakingBack
from explorer.tui.unfolding import inside_row
from explorer.tui.widgets.session_list import SessionList

_YES = {
    Action.DELETE: "Delete",
    Action.PRUNE: "Prune",
    Action.CLEAR: "Clear",
    Action.ARCHIVE: "Archive",
    Action.UNARCHIVE: "Unarchive",
    Action.END: "End",
    Action.REOPEN: "Reopen",
}


class _Shown(NamedTuple):
    """A plan, and what is said of it: to count 100,000 sessions takes its time."""

    plan: EditPlan
    question: str
    text: str
    receipt: str
    nothing: str
    """Why it does nothing, if it does."""
    elsewhere: int
    """Sessions that are in other tables, and left out."""
    rows: frozenset[int]
    """The rows of the list that it is about."""


def _shown(plan: EditPlan, elsewhere: int, rows: frozenset[int]) -> _Shown:
    if not plan.doomed:
        return _Shown(plan, "", "", "", nothing_words(plan), elsewhere, rows)
    text = "\n".join(clean_line(line, 300) for line in plan_lines(plan))
    return _Shown(plan, question(plan), text, receipt_words(plan), "", elsewhere, rows)


class Editing:
    """The edits of one file."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        lister: Lister,
        editor: Editor,
        clock: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        """`changed` is told when the file is no longer as it was."""
        self._screen = screen
        self._lanes = lanes
        self._lister = lister
        self._editor = editor
        self._clock = clock
        self._changed = changed
        self._lane = EditLane(screen, lanes, changed)
        self.taking_back = TakingBack(screen, self._lane, lister, editor)

    def stop(self) -> None:
        self._lane.stop()

    def act(self, what: str, sessions: SessionList) -> None:
        """Do something to the rows that are chosen."""
        rows, here = sessions.chosen(), sessions.current
        match what:
            case "rename" if here is not None:
                self.rename(here)
            case "delete":
                self.delete(rows)
            case "archive":
                self.archive(rows)
            case "end" | "reopen":
                self.end(rows, what == "reopen")
            case "clear":
                self.clear(rows)
            case "undo":
                self.taking_back.undo()
            case "prune":
                self.prune(sessions.selection.keys)
            case "trash":
                self.trash()

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
        newest = "Only the newest part of it" if len(rows) == 1 else "Only the newest part of each"
        choice = Choice("Delete", [("whole", whole), ("part", newest)], "whole")

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
                    dialog.leave()
                    self._lane.say(found)
                elif dialog.is_attached:
                    dialog.checked(text, *found)

            self._lanes.start("title", work, take)

        def renamed(found: EditPlan | Owner | None) -> None:
            if isinstance(found, EditPlan):
                self._apply(found, question(found), receipt_words(found))
            elif isinstance(found, Owner):
                self._lister.reveal(found.row)

        self._screen.app.push_screen(Rename(clean_line(session.title or ""), check), renamed)

    def prune(self, selected: Collection[int]) -> None:
        """Choose by rules what goes."""
        from explorer.tui.reclaiming import offer
        from explorer.tui.screens.prune import Given, PruneScreen

        store, catalog = self._lister.store, self._lister.catalog
        if store is None or catalog is None:
            return
        rows = frozenset(row for row in selected if row >= 0)
        given = Given(store, catalog, self._lister.wish.pins, rows)

        def act(keys: Iterable[int], archive: bool, then: Callable[[Catalog | None], None]) -> None:
            here = place(self._screen.app)

            def make(rows: list[int], table: str, token: CancelToken) -> EditPlan:
                if archive:
                    return self._editor.archive_plan(rows, True, table, token)
                return self._editor.delete_plan(rows, table, False, Action.PRUNE, token)

            def told(newer: Catalog) -> None:
                then(newer)
                if not archive:
                    offer(self._screen, self._lanes, store, newer, self._clock, here)

            self._plan(keys, make, lambda: self._lanes.start("after", store.catalog, told))

        def undo(then: Callable[[Catalog | None], None]) -> None:
            self.taking_back.undo(after=lambda: self._lanes.start("after", store.catalog, then))

        self._screen.app.push_screen(PruneScreen(given, self._clock, act, undo))

    def trash(self) -> None:
        """Show what was deleted."""
        from explorer.tui.trashing import Trashing

        Trashing(self._screen, self._lanes, self._editor, self._clock, self.taking_back.undo).show()

    def _plan(
        self,
        keys: Iterable[int],
        make: Callable[[list[int], str, CancelToken], EditPlan],
        after: Callable[[], None] | None = None,
    ) -> None:
        """Make a plan in a thread, show it, and do it after a yes, then what comes `after`. The
        `keys` are gone through in that thread too: a prune may name 100,000."""
        store = self._lister.store
        if store is None:
            return

        def work(token: CancelToken) -> _Shown | None:
            about = dict.fromkeys(keys)
            places = [store.place(key) for key in about]
            if not places:
                return None
            table = places[0][0]
            rows = [row for name, row in places if name == table]
            listed = frozenset((*about, *map(inside_row, about)))
            return _shown(make(rows, table, token), len(places) - len(rows), listed)

        def refused(why: ExplorerError) -> None:
            if isinstance(why, OnlyAgent):
                from explorer.tui.agents_delete import offer_delete

                offer_delete(self._screen, self._lane, store, why, self._changed)
            else:
                self._lane.say(why)

        self._lane.find_out(work, lambda shown: self._ask(shown, after), refused)

    def _ask(self, shown: _Shown | None, after: Callable[[], None] | None) -> None:
        if shown is None:
            return
        if shown.elsewhere:
            words = plural(shown.elsewhere, "session")
            words = f"Left out: {words} in other tables of the file: ask again for them."
            self._screen.notify(words, severity="warning", markup=False)
        if shown.nothing:
            title = "Nothing to do" if harmless(shown.plan.skipped) else "Nothing was done"
            self._lane.say(ExplorerError(title, shown.nothing))
            return
        plan = shown.plan
        dialog = Question(clean_line(shown.question, 200), shown.text, _YES[plan.action])

        def answered(yes: bool | None) -> None:
            if yes:
                if plan.action in (Action.DELETE, Action.ARCHIVE, Action.PRUNE):
                    self._lister.leave(shown.rows)
                self._apply(plan, shown.question, shown.receipt, after)

        self._screen.app.push_screen(dialog, answered)

    def _apply(
        self, plan: EditPlan, title: str, words: str, after: Callable[[], None] | None = None
    ) -> None:
        stop = CancelToken()

        def then(done: Done) -> None:
            again = " · u undoes it" if done.receipt is not None else ""
            self._screen.notify(clean(done_words(done, words)) + again, markup=False)

        self._lane.do(
            title.rstrip("?"),
            stop,
            lambda tell: self._editor.apply(plan, stop, tell),
            then,
            after,
        )


def _key(row: int) -> int:
    """The session of a row: one inside another row is known by the complement of its key."""
    return row if row >= 0 else ~row

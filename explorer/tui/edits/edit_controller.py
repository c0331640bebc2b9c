"""Edits from the app: a plan in words first, Cancel as the default, then a thread that does it.

Everything runs in one lane, one after the other. What was done is said with the key that takes it
back.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from textual.screen import Screen

from explorer.browse.unfolding import is_inside, session_of
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Action, Session
from explorer.render.amounts import plural
from explorer.render.clean import clean_line
from explorer.stores.base import Edits
from explorer.stores.catalog import Catalog
from explorer.stores.edits.as_listed import ANOTHER
from explorer.stores.edits.plans import EditPlan, Owner
from explorer.stores.edits.words import (
    question,
    receipt_words,
)
from explorer.tui.attention import place
from explorer.tui.dialogs.choice import Choice
from explorer.tui.dialogs.question import Instead
from explorer.tui.edits.confirm import About, Asking
from explorer.tui.edits.edit_worker import EditLane
from explorer.tui.edits.pin import Pinning
from explorer.tui.edits.rename_dialog import Rename
from explorer.tui.edits.undo import TakingBack
from explorer.tui.edits.unlisted import ask_unlisted
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.session_list import SessionList
from explorer.tui.workers import Lanes

_VERBS = {
    "delete": "Delete",
    "archive": "Archive",
    "pin": "Pin",
    "end": "End",
    "reopen": "Reopen",
    "clear": "Clear messages",
}
"""What is done to all rows that are chosen."""


class Editing:
    """The edits of one file."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        lister: Lister,
        edits: Edits,
        clock: Callable[[], float],
        changed: Callable[[], None],
    ) -> None:
        """`changed` is told when the file is no longer as it was."""
        self._screen = screen
        self._lanes = lanes
        self._lister = lister
        self._edits = edits
        self._clock = clock
        self._changed = changed
        self._lane = EditLane(screen, lanes, changed)
        self._asking = Asking(screen, self._lane, lister, edits, changed)
        self.taking_back = TakingBack(screen, self._lane, lister, edits)
        self._pinning = Pinning(screen, self._lane, lister, edits)
        self._shown: Mapping[int, str] = {}
        """Ids by key of what an edit is about, as far as that was in sight."""

    def stop(self) -> bool:
        return self._lane.stop()

    def act(self, what: str, sessions: SessionList) -> None:
        """Do something to the rows that are chosen."""
        here = sessions.current
        if what in _VERBS:
            ask_unlisted(
                self._screen,
                self._lane,
                self._lister,
                sessions,
                _VERBS[what],
                lambda rows, shown: self._act_on(what, rows, shown),
            )
            return
        match what:
            case "rename" if here is not None:
                self._shown = {here.key: here.id}
                self.rename(here)
            case "undo":
                self.taking_back.undo()
            case "prune":
                self.prune(sessions.selection.keys)
            case "trash":
                self.trash()

    def _act_on(self, what: str, rows: Sequence[int], shown: Mapping[int, str]) -> None:
        """Do something to these rows; `shown` are their ids by key, as far as they were seen."""
        self._shown = shown
        match what:
            case "delete":
                self.delete(rows)
            case "archive":
                self.archive(rows)
            case "pin":
                self._pinning.pin([session_of(row) for row in rows], shown)
            case "end" | "reopen":
                self.end(rows, what == "reopen")
            case "clear":
                self.clear(rows)

    def keep(self, keys: Collection[int], shown: Mapping[int, str]) -> None:
        """Pin these conversations, whatever pins they have; `shown` are their ids by key."""
        self._pinning.pin(keys, shown, on=True)

    def delete(self, rows: Sequence[int]) -> None:
        """Delete these rows of the list; of a conversation of several parts, ask which."""
        catalog = self._lister.catalog
        if catalog is None or not rows:
            return
        several = [row for row in rows if not is_inside(row) and len(catalog.chain(row)) > 1]
        if not several:
            self._delete([session_of(row) for row in rows], rows)
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
                self._delete([part for row in rows for part in self._parts(row)], rows)
            elif name == "part":
                self._delete([session_of(row) for row in rows], rows)

        self._screen.app.push_screen(choice, chosen)

    def _parts(self, row: int) -> Sequence[int]:
        catalog = self._lister.catalog
        if catalog is None or is_inside(row):
            return (session_of(row),)
        return catalog.chain(row)

    def _delete(self, keys: Sequence[int], rows: Sequence[int]) -> None:
        """Delete these sessions; or archive the rows that they are of, which is offered too."""
        catalog = self._lister.catalog
        archived = catalog is not None and all(
            catalog.tip(session_of(row)) in catalog.archived for row in rows
        )
        instead = None if archived else Instead("Archive instead", lambda: self.archive(rows))
        self._asking.plan(About(Action.DELETE, keys, self._shown, instead=instead))

    def clear(self, rows: Sequence[int]) -> None:
        self._plan(Action.CLEAR, [session_of(row) for row in rows])

    def end(self, rows: Sequence[int], reopen: bool) -> None:
        self._plan(Action.REOPEN if reopen else Action.END, [session_of(row) for row in rows])

    def archive(self, rows: Sequence[int]) -> None:
        """Archive these rows, or if all of them are archived take them out."""
        catalog = self._lister.catalog
        if catalog is None or not rows:
            return
        keys = [part for row in rows for part in self._parts(row)]
        on = not all(catalog.tip(session_of(row)) in catalog.archived for row in rows)
        self._plan(Action.ARCHIVE if on else Action.UNARCHIVE, keys)

    def rename(self, session: Session) -> None:
        """Type another title; it is looked up while it is typed."""

        def check(dialog: Rename, text: str) -> None:
            def work(token: CancelToken) -> EditPlan | ExplorerError:
                try:
                    return self._edits.plan(Action.RENAME, [session.key], title=text, token=token)
                except ExplorerError as error:
                    return error

            def take(found: EditPlan | ExplorerError) -> None:
                if not isinstance(found, ExplorerError) and found.sessions[0].id != session.id:
                    found = ANOTHER
                if isinstance(found, ExplorerError):
                    dialog.leave()
                    self._lane.say(found)
                elif dialog.is_attached:
                    dialog.checked(text, found)

            self._lanes.start("title", work, take)

        def renamed(found: EditPlan | Owner | None) -> None:
            if isinstance(found, EditPlan):
                self._asking.apply(found, question(found), receipt_words(found))
            elif isinstance(found, Owner):
                self._lister.reveal(found.key)

        self._screen.app.push_screen(Rename(clean_line(session.title or ""), check), renamed)

    def prune(self, selected: Collection[int]) -> None:
        """Choose by rules what goes."""
        from explorer.tui.prune.prune_screen import Given, PruneScreen
        from explorer.tui.prune.reclaim_space import offer

        store, catalog = self._lister.store, self._lister.catalog
        if store is None or catalog is None:
            return
        rows = frozenset(row for row in selected if not is_inside(row))
        given = Given(store, catalog, self._lister.wish.pins, rows)

        def act(
            listed: Catalog,
            keys: Iterable[int],
            archive: bool,
            then: Callable[[Catalog | None], None],
        ) -> None:
            here = place(self._screen.app)

            def told(newer: Catalog) -> None:
                then(newer)
                if not archive:
                    offer(self._screen, self._lanes, store, newer, self._clock, here)

            action = Action.ARCHIVE if archive else Action.PRUNE
            renew = partial(self._lanes.start, "after", store.catalog, told)
            self._plan(action, keys, renew, listed)

        def undo(then: Callable[[Catalog | None], None]) -> None:
            self.taking_back.undo(after=lambda: self._lanes.start("after", store.catalog, then))

        self._screen.app.push_screen(PruneScreen(given, self._clock, act, undo))

    def trash(self) -> None:
        """Show what was deleted."""
        from explorer.tui.edits.trash import Trashing

        Trashing(self._screen, self._lanes, self._edits, self._clock, self.taking_back.undo).show()

    def _plan(
        self,
        action: Action,
        keys: Iterable[int],
        after: Callable[[], None] | None = None,
        listed: Catalog | None = None,
    ) -> None:
        """Show a plan, and do it after a yes; of what was `listed` nothing that has changed since.
        A prune is about that, all else about the rows that are chosen."""
        shown = self._shown if listed is None else {}
        self._asking.plan(About(action, keys, shown, listed), after)

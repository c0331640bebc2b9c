"""Edits from the app: which rows they are about, and what is asked before they are planned.

A selection outlasts filters and searches, so an edit could be about sessions that nobody sees. What
is about to be changed is what the user sees, or what the user says.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from textual.screen import Screen

from explorer.browse.outlook import Outlook
from explorer.browse.unfolding import is_inside, session_of
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Action, Session
from explorer.render.clean import clean_line
from explorer.render.figures import count, plural
from explorer.stores.base import Edits
from explorer.stores.catalog import Catalog
from explorer.stores.edits.plans import ANOTHER, KINDS, EditPlan, Owner
from explorer.stores.edits.words import question, receipt_words
from explorer.tui.dialogs.questions import Choice, Instead, place
from explorer.tui.edits.confirm import Asking, EditLane, EditSubject
from explorer.tui.edits.pins import Pinning
from explorer.tui.edits.rename_dialog import Rename
from explorer.tui.edits.undo import TakingBack
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.session_list import SessionList
from explorer.tui.workers import Lanes

NAMED = 3
"""Sessions that are named; of more there is only the number."""


def ask_unlisted(
    lane: EditLane,
    sessions: SessionList,
    verb: str,
    act: Callable[[Sequence[int], dict[int, str]], None],
) -> None:
    """Do something to the rows that are chosen: (rows, the ids that were shown). Where some of them
    are not listed, first ask which are meant; `verb` is what is about to be done."""
    rows, shown = sessions.chosen(), sessions.chosen_ids()
    listed = set(sessions.order)
    away = [row for row in rows if row not in listed]
    here, at = sessions.current, sessions.cursor_row
    lister = lane.lister
    store, catalog = lister.store, lister.catalog
    if not away or store is None or catalog is None:
        act(rows, shown)
        return

    def work(token: CancelToken) -> list[str]:
        keys = map(session_of, away[:NAMED])
        units = [catalog.folded(key) for key in keys if catalog.has(key)]
        found = store.sessions(units, lister.now(), token)
        return [clean_line(one.name, 40) for one in found]

    def ask(names: Sequence[str]) -> None:
        more = f" and {count(len(away) - len(names))} more" if len(away) > len(names) else ""
        also = ", ".join(f"“{name}”" for name in names) + more
        total = plural(len(rows), "selected session")
        options = [((rows, shown), f"{total}, with {count(len(away))} not in this list: {also}")]
        seen = [row for row in rows if row in listed]
        if seen:
            words = f"Only the {count(len(seen))} selected that are listed"
            options.insert(0, ((seen, shown), words))
        if here is not None and at is not None:
            name = clean_line(here.name, 40)
            only = [at], {here.key: here.id}
            options.insert(0, (only, f"Only the one under the cursor: “{name}”"))
        choice = Choice(f"{verb} which?", options, options[0][0])
        lane.screen.app.push_screen(choice, lambda which: act(*which) if which else None)

    lane.find_out(work, ask)


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
        self._lane = EditLane(screen, lanes, lister, edits, changed)
        self._asking = Asking(self._lane)
        self.taking_back = TakingBack(self._lane)
        self._pinning = Pinning(self._lane)

    def stop(self) -> bool:
        return self._lane.stop()

    def act(self, action: Action, sessions: SessionList) -> None:
        """Do something to the rows that are chosen."""
        if action is Action.PRUNE:
            self._prune(sessions.selection.keys)
        elif action is Action.RENAME:
            if sessions.current is not None:
                self._rename(sessions.current)
        else:
            ask_unlisted(
                self._lane,
                sessions,
                KINDS[action].which or KINDS[action].verb,
                lambda rows, shown: self._act_on(action, rows, shown),
            )

    def _act_on(self, action: Action, rows: Sequence[int], shown: Mapping[int, str]) -> None:
        """Do something to these rows; `shown` are their ids by key, as far as they were seen."""
        keys = [session_of(row) for row in rows]
        match action:
            case Action.DELETE:
                self._choose_parts(rows, shown)
            case Action.ARCHIVE:
                self._archive(rows, shown)
            case Action.PIN:
                self._pinning.pin(keys, shown)
            case _:
                self._asking.plan(EditSubject(action, keys, shown))

    def keep(self, outlook: Outlook, refused: str | None) -> None:
        """Pin what the agent is about to delete; `refused` says why the file may not be changed."""
        from explorer.tui.edits.pins import offer_pins

        pin = partial(self._pinning.pin, on=True)
        offer_pins(self._lane, outlook, self._clock(), refused, pin)

    def _choose_parts(self, rows: Sequence[int], shown: Mapping[int, str]) -> None:
        """Delete these rows of the list; of a conversation of several parts, ask which."""
        catalog = self._lister.catalog
        if catalog is None or not rows:
            return
        newest = [session_of(row) for row in rows]
        several = [row for row in rows if not is_inside(row) and len(catalog.chain(row)) > 1]
        if not several:
            self._delete(newest, rows, shown)
            return
        parts = sum(len(catalog.chain(row)) for row in several)
        whole, part = (
            (f"The whole conversation, {parts} parts", "Only the newest part of it")
            if len(rows) == 1
            else (
                f"Whole conversations, {plural(parts, 'part')} in {len(several)} of them",
                "Only the newest part of each",
            )
        )

        def chosen(all_parts: bool | None) -> None:
            if all_parts is not None:
                self._delete(self._parts(rows) if all_parts else newest, rows, shown)

        choice = Choice("Delete", [(True, whole), (False, part)], True)
        self._screen.app.push_screen(choice, chosen)

    def _parts(self, rows: Sequence[int]) -> list[int]:
        """The sessions of these rows, with all parts of whole conversations."""
        catalog = self._lister.catalog
        chains = (
            catalog.chain(row) if catalog is not None and not is_inside(row) else (session_of(row),)
            for row in rows
        )
        return [part for chain in chains for part in chain]

    def _delete(self, keys: Sequence[int], rows: Sequence[int], shown: Mapping[int, str]) -> None:
        """Delete these sessions; or archive the rows that they are of, which is offered too."""
        instead = Instead("Archive instead", lambda: self._archive(rows, shown))
        offered = None if self._are_archived(rows) else instead
        self._asking.plan(EditSubject(Action.DELETE, keys, shown, instead=offered))

    def _are_archived(self, rows: Sequence[int]) -> bool:
        catalog = self._lister.catalog
        return catalog is not None and all(
            catalog.tip(session_of(row)) in catalog.archived for row in rows
        )

    def _archive(self, rows: Sequence[int], shown: Mapping[int, str]) -> None:
        """Archive these rows, or if all of them are archived take them out."""
        if self._lister.catalog is not None and rows:
            action = Action.UNARCHIVE if self._are_archived(rows) else Action.ARCHIVE
            self._asking.plan(EditSubject(action, self._parts(rows), shown))

    def _rename(self, session: Session) -> None:
        """Type another title; it is looked up while it is typed."""

        def check(dialog: Rename, text: str) -> None:
            def work(token: CancelToken) -> EditPlan:
                plan = self._edits.plan(Action.RENAME, [session.key], title=text, token=token)
                if plan.sessions[0].id != session.id:
                    raise ANOTHER
                return plan

            def take(plan: EditPlan) -> None:
                if dialog.is_attached:
                    dialog.checked(text, plan)

            def refused(why: ExplorerError) -> None:
                dialog.leave()
                self._lane.say(why)

            self._lanes.start("title", work, take, refused)

        def renamed(found: EditPlan | Owner | None) -> None:
            if isinstance(found, EditPlan):
                self._asking.apply(found, question(found), receipt_words(found))
            elif isinstance(found, Owner):
                self._lister.reveal(found.key)

        self._screen.app.push_screen(Rename(clean_line(session.title or ""), check), renamed)

    def _prune(self, selected: Collection[int]) -> None:
        """Choose by rules what goes."""
        from explorer.tui.agent_commands import offer
        from explorer.tui.prune.prune_screen import PruneGround, PruneScreen

        store, catalog = self._lister.store, self._lister.catalog
        if store is None or catalog is None:
            return
        rows = frozenset(row for row in selected if not is_inside(row))
        given = PruneGround(store, catalog, self._lister.wish.pins, rows)

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
            self._asking.plan(EditSubject(action, keys, {}, listed), renew)

        def undo(then: Callable[[Catalog | None], None]) -> None:
            self.taking_back.undo(after=lambda: self._lanes.start("after", store.catalog, then))

        self._screen.app.push_screen(PruneScreen(given, self._clock, act, undo))

    def trash(self) -> None:
        """Show what was deleted."""
        from explorer.tui.edits.trash import Trashing

        Trashing(self._screen, self._lanes, self._edits, self._clock, self.taking_back.undo).show()

"""The dialogs of the list: its order, its filters, its dates, its pins, and the lineage of a
session."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from textual.screen import Screen

from explorer.browse.arrangement import sorts_of
from explorer.browse.date_jump import DayRow, no_dates, row_of_day
from explorer.browse.first_read import REVERSED, SEARCHES_CHOICE, SORT_CHOICE
from explorer.browse.lineage import FamilyTree, lineage
from explorer.browse.words import (
    MOMENT_HINT,
    NO_ONLY,
    NOTHING_LISTED,
    NOTHING_ONLY,
    lineage_title,
    model_words,
    not_on_day,
    only_words,
    pinned_words,
    profile_words,
    source_words,
    workspace_words,
)
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Session, Sort
from explorer.render import veil
from explorer.render.clean import clean_line
from explorer.render.figures import exact
from explorer.search.filters import Filters
from explorer.search.language.vocabulary import date_typed
from explorer.stores.columns import ID
from explorer.stores.discover import FoundStore
from explorer.stores.edits.plans import ANOTHER
from explorer.stores.ours.notes import Notes
from explorer.tui.dialogs.base import ask_for
from explorer.tui.dialogs.choices import Choice
from explorer.tui.dialogs.prompt import Prompt
from explorer.tui.hints import hint
from explorer.tui.key_bindings import keymap_of
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.session_list import SessionList
from explorer.tui.words import ONLY_IN_FILE, READING_FILE
from explorer.tui.workers import Lanes, say

FOUND_ORDERS = ((False, "Newest first"), (True, "Best match first"))


class _Pinned(NamedTuple):
    """What was pinned, or unpinned."""

    pins: frozenset[str]
    """All there are now."""
    on: bool
    conversations: int


class Choosing(NamedTuple):
    """The dialogs of the list, and what is kept of them in our own notes."""

    screen: Screen[None]
    lanes: Lanes
    lister: Lister
    notes: Notes | None

    def sort(self) -> None:
        """Choose the order of the list, or of what was found."""
        wish = self.lister.wish
        if self.lister.matcher is not None:
            found = Choice("Sort results", FOUND_ORDERS, wish.best)
            ask_for(self.screen, found, self._sort_found)
            return
        enter = keymap_of(self.screen.app).key("option-take")
        options = [
            (sort, words.capitalize() + (f" · {enter} reverses" if sort is wish.sort else ""))
            for sort, words in sorts_of(self.lister.store).items()
        ]
        ask_for(self.screen, Choice("Sort", options, wish.sort), self._sorted)

    def _sort_found(self, best: bool) -> None:
        self.lister.wish_for(self.lister.wish._replace(best=best))

    def _sorted(self, sort: Sort) -> None:
        """Another order; the same one again reverses it."""
        wish = self.lister.wish
        reverse = sort is wish.sort and not wish.reverse
        self.lister.wish_for(wish._replace(sort=sort, reverse=reverse))
        words = f"{sort} {REVERSED}" if reverse else sort.value
        self._keep(lambda notes: notes.choose(SORT_CHOICE, words))

    def remember_searches(self, searches: Sequence[str]) -> None:
        """Keep the searches, a line each; none while the privacy view is on, which writes nothing
        and may have marks in them."""
        if veil.drawn():
            return
        text = "\n".join(" ".join(one.split()) for one in searches)
        self._keep(lambda notes: notes.choose(SEARCHES_CHOICE, text))

    def lineage(self, key: int, now: float) -> None:
        """Show the family of a session."""
        store, catalog = self.lister.store, self.lister.catalog
        width = self.screen.size.width * 95 // 100 - 6

        def show(family: FamilyTree) -> None:
            place = store.place(key) if store is not None else ""
            title = lineage_title(len(family.members), family.total, place)
            dialog = Choice(title, family.members, key, enter="go to session")
            ask_for(self.screen, dialog, self.lister.reveal)

        if store is not None and catalog is not None:
            self.lanes.start(
                "lineage", lambda token: lineage(store, catalog, key, width, now, token), show
            )

    def filters(self, clock: Callable[[], float]) -> None:
        """Open the filters."""
        from explorer.tui.list.filter_dialog import FilterScreen

        if self.lister.store is not None and self.lister.catalog is not None:
            self.screen.app.push_screen(FilterScreen(self.lister, clock))

    def profiles(
        self, found: Callable[[], Sequence[FoundStore]], clock: Callable[[], float]
    ) -> None:
        """Show how each profile is, of those that are `found` by then; the one that is chosen is
        listed alone, or all again."""
        from explorer.browse.profiles import ProfileState, profile_states
        from explorer.tui.list.profile_dialog import ProfileScreen

        store, catalog = self.lister.store, self.lister.catalog
        if store is None or catalog is None:
            hint(self.screen, READING_FILE)
            return

        def show(states: list[ProfileState]) -> None:
            width = self.screen.size.width
            dialog = ProfileScreen(self.lister, found, states, clock, width, take)
            self.screen.app.push_screen(dialog)

        def take(name: str) -> None:
            wish, only = self.lister.wish, frozenset({name})
            chosen = frozenset() if wish.filters.profiles == only else only
            self.lister.wish_for(wish._replace(filters=wish.filters._replace(profiles=chosen)))

        self.lanes.start("profiles", lambda _: profile_states(store, catalog, found()), show)

    def only(self, session: Session | None) -> None:
        """Narrow the list to the profile, the source, the workspace or the model of a session."""
        filters = self.lister.wish.filters
        if session is None:
            self.screen.notify(NO_ONLY, markup=False)
            return
        source, model, folder = session.source, session.model, session.workspace
        store, options = self.lister.store, []
        if session.place:
            for profile in dict.fromkeys((session.place, session.owner or session.place)):
                name = profile_words(profile)
                options.append((filters._replace(profiles=frozenset({profile})), "profile", name))
        if store is not None and store.keeps_sources:
            name = source_words(source)
            options.append((filters._replace(sources=frozenset({source})), "source", name))
        if folder:
            name = workspace_words(folder)
            options.append((filters._replace(workspaces=frozenset({folder})), "workspace", name))
        if model:
            name = model_words(model)
            options.append((filters._replace(models=frozenset({model})), "model", name))
        choices = [(choice, only_words(kind, name)) for choice, kind, name in options]
        if not choices:
            self.screen.notify(NOTHING_ONLY, markup=False)
            return

        def take(chosen: Filters) -> None:
            self.lister.wish_for(self.lister.wish._replace(filters=chosen))

        ask_for(self.screen, Choice("Only …", choices, choices[0][0], enter="filter"), take)

    def date(self, sessions: SessionList, clock: Callable[[], float]) -> None:
        """Ask for a date, and go to its first session or the nearest older one."""
        if words := no_dates(sessions.arranged, self.lister.wish):
            self.screen.notify(words, markup=False)
            return
        # As in a transcript, a time alone is on the day of where the cursor is.
        day_here = sessions.current.last_active if sessions.current is not None else None

        def check(text: str) -> tuple[bool, str]:
            found = date_typed(text, clock(), day_here)
            return found is not None, exact(found.start) if found else MOMENT_HINT

        def go(text: str) -> None:
            store, catalog, wish = self.lister.store, self.lister.catalog, self.lister.wish
            day, listed = date_typed(text, clock(), day_here), sessions.arranged
            if store is None or catalog is None or day is None or no_dates(listed, wish):
                return

            def take(found: DayRow | None) -> None:
                if found is None:
                    self.screen.notify(NOTHING_LISTED, markup=False)
                    return
                sessions.go_to(found.row)
                if not found.exact:
                    when = exact(day.start) if day.is_moment else clean_line(text, 30)
                    said = not_on_day(when, day.is_moment, found.older)
                    self.screen.notify(said, markup=False)

            self.lanes.start(
                "date", lambda token: row_of_day(store, catalog, listed, wish, day, token), take
            )

        ask_for(self.screen, Prompt("Go to date", "", check), go)

    def pin(self, rows: Sequence[int], shown: Mapping[int, str]) -> None:
        """Pin these rows, or unpin them if all are pinned; none that is another session by now than
        was `shown`."""
        store, catalog = self.lister.store, self.lister.catalog
        keys = [key for key in rows if catalog is not None and catalog.has(key)]
        if store is None or catalog is None or not keys:
            return
        keys = [key for key in keys if key not in catalog.files]
        if not keys:
            hint(self.screen, ONLY_IN_FILE)
            return
        notes = self.notes

        def work(token: CancelToken) -> _Pinned:
            # As the key presses before this one have left them.
            pins = self.lister.wish.pins
            chains = [catalog.chain(key) for key in keys]
            known = store.columns({ID}, [part for chain in chains for part in chain], token)[ID]
            ids = [
                [store.noted_id(part, known[part]) for part in chain if part in known]
                for chain in chains
                if (id_ := known.get(chain[-1])) is not None and shown.get(chain[-1], id_) == id_
            ]
            if not ids:
                raise ANOTHER
            off = all(not pins.isdisjoint(parts) for parts in ids)
            changed = [id_ for parts in ids for id_ in (parts if off else parts[-1:])]
            if notes is not None:
                notes.pin(changed, on=not off)
            after = pins.difference(changed) if off else pins.union(changed)
            return _Pinned(after, not off, len(ids))

        def take(done: _Pinned) -> None:
            self.lister.wish_for(self.lister.wish._replace(pins=done.pins))
            hint(self.screen, pinned_words(done.on, done.conversations))

        self.lanes.start("pins", work, take, self._say, queued=True)

    def _keep(self, note: Callable[[Notes], None]) -> None:
        """Write a note, in a thread; only an error is reported."""
        notes = self.notes
        if notes is not None:
            self.lanes.start("notes", lambda _: note(notes), lambda _: None, self._say, queued=True)

    def _say(self, error: ExplorerError) -> None:
        say(self.screen, error)

"""The dialogs of the list: its order, its filters, its pins, and the lineage of a session."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from textual.screen import Screen

from explorer.browse.arrangement import SORTS
from explorer.browse.first_read import REVERSED, SEARCHES_CHOICE, SORT_CHOICE
from explorer.browse.lineage import FamilyTree, lineage
from explorer.browse.words import lineage_title
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Sort
from explorer.stores.columns import ID
from explorer.stores.ours.notes import Notes
from explorer.tui.dialogs.questions import Choice, ask_for
from explorer.tui.key_bindings import keymap_of
from explorer.tui.list.list_controller import Lister
from explorer.tui.workers import Lanes, say

FOUND_ORDERS = ((False, "Newest first"), (True, "Best match first"))


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
            for sort, words in SORTS.items()
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
        """Keep the searches, a line each."""
        text = "\n".join(" ".join(one.split()) for one in searches)
        self._keep(lambda notes: notes.choose(SEARCHES_CHOICE, text))

    def lineage(self, key: int, now: float) -> None:
        """Show the family of a session."""
        store, catalog = self.lister.store, self.lister.catalog
        width = self.screen.size.width * 95 // 100 - 6

        def show(family: FamilyTree) -> None:
            title = lineage_title(len(family.members), family.total)
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

    def pin(self, rows: Sequence[int], shown: Mapping[int, str]) -> None:
        """Pin these rows, or unpin them if all are pinned; none that is another session by now than
        was `shown`."""
        store, catalog = self.lister.store, self.lister.catalog
        keys = [key for key in rows if catalog is not None and catalog.has(key)]
        if store is None or catalog is None or not keys:
            return
        notes = self.notes

        def work(token: CancelToken) -> frozenset[str]:
            # As the key presses before this one have left them.
            pins = self.lister.wish.pins
            chains = [catalog.chain(key) for key in keys]
            known = store.columns({ID}, [part for chain in chains for part in chain], token)[ID]
            ids = [
                [known[part] for part in chain if part in known]
                for chain in chains
                if (id_ := known.get(chain[-1])) is not None and shown.get(chain[-1], id_) == id_
            ]
            off = all(not pins.isdisjoint(parts) for parts in ids)
            changed = [id_ for parts in ids for id_ in (parts if off else parts[-1:])]
            if notes is not None:
                notes.pin(changed, on=not off)
            return pins.difference(changed) if off else pins.union(changed)

        def take(pins: frozenset[str]) -> None:
            self.lister.wish_for(self.lister.wish._replace(pins=pins))

        self.lanes.start("pins", work, take, self._say, queued=True)

    def _keep(self, note: Callable[[Notes], None]) -> None:
        """Write a note, in a thread; only an error is reported."""
        notes = self.notes
        if notes is not None:
            self.lanes.start("notes", lambda _: note(notes), lambda _: None, self._say, queued=True)

    def _say(self, error: ExplorerError) -> None:
        say(self.screen, error)

"""What is chosen for the list: its order, its filters, its pins, and who of a family to go to."""

from collections.abc import Callable, Mapping, Sequence

from textual.screen import Screen

from explorer.browse.arrangement import SORTS
from explorer.browse.first_read import REVERSED, SEARCHES_CHOICE, SORT_CHOICE
from explorer.browse.lineage import FamilyTree, lineage
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.model import Sort
from explorer.render.figures import count
from explorer.stores.columns import ID
from explorer.stores.ours.notes import Notes
from explorer.tui.dialogs.choice import Choice
from explorer.tui.list.list_controller import Lister
from explorer.tui.toast import say
from explorer.tui.workers import Lanes

FOUND_ORDERS = ((False, "Newest first"), (True, "Best first: by relevance"))


class Choosing:
    """The dialogs of the list, and what is kept of them in our own notes."""

    def __init__(
        self, screen: Screen[None], lanes: Lanes, lister: Lister, notes: Notes | None
    ) -> None:
        self._screen = screen
        self._lanes = lanes
        self._lister = lister
        self._notes = notes

    def sort(self) -> None:
        """Choose the order of the list, or of what was found."""
        if self._lister.matcher is not None:
            found = Choice("Order of what is found", FOUND_ORDERS, self._lister.wish.best)
            self._screen.app.push_screen(found, self._found_sorted)
            return
        now = self._lister.wish.sort
        options = [
            (sort, words.capitalize() + (" · enter turns it round" if sort is now else ""))
            for sort, words in SORTS.items()
        ]
        self._screen.app.push_screen(Choice("Sort", options, now), self._sorted)

    def _found_sorted(self, best: bool | None) -> None:
        if best is not None:
            self._lister.wish_for(self._lister.wish._replace(best=best))

    def _sorted(self, sort: Sort | None) -> None:
        if sort is None:
            return
        self._lister.sort_by(sort)
        words = f"{sort} {REVERSED}" if self._lister.wish.reverse else sort.value
        self._keep(lambda notes: notes.choose(SORT_CHOICE, words))

    def remember_searches(self, searches: Sequence[str]) -> None:
        """Keep what was searched for, a line each."""
        text = "\n".join(" ".join(one.split()) for one in searches)
        self._keep(lambda notes: notes.choose(SEARCHES_CHOICE, text))

    def lineage(self, key: int, now: float) -> None:
        """Show the family of a session."""
        store, catalog = self._lister.store, self._lister.catalog
        width = self._screen.size.width * 95 // 100 - 6
        if store is not None and catalog is not None:
            self._lanes.start(
                "lineage",
                lambda token: lineage(store, catalog, key, width, now, token),
                lambda family: self._show_family(family, key),
            )

    def _show_family(self, family: FamilyTree, here: int) -> None:
        shown, title = len(family.members), "Lineage"
        if shown < family.total:
            title += f" · {count(shown)} of {count(family.total)}, around this one"
        choice = Choice(title, family.members, here, enter="go there")
        self._screen.app.push_screen(
            choice, lambda key: self._lister.reveal(key) if key is not None else None
        )

    def filters(self, clock: Callable[[], float]) -> None:
        """Choose what is listed."""
        from explorer.tui.list.filter_dialog import FilterScreen

        if self._lister.store is not None and self._lister.catalog is not None:
            self._screen.app.push_screen(FilterScreen(self._lister, clock))

    def pin(self, rows: Sequence[int], shown: Mapping[int, str]) -> None:
        """Pin these rows, or if all of them are pinned take the pins out; none that is another
        session by now than was `shown`."""
        store, catalog = self._lister.store, self._lister.catalog
        keys = [key for key in rows if catalog is not None and catalog.has(key)]
        if store is None or catalog is None or not keys:
            return
        notes = self._notes

        def work(token: CancelToken) -> frozenset[str]:
            # As the key presses before this one have left them.
            pins = self._lister.wish.pins
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
            self._lister.wish_for(self._lister.wish._replace(pins=pins))

        self._lanes.queue("pins", work, take, self._say)

    def _keep(self, note: Callable[[Notes], None]) -> None:
        """Write something down, in a thread; what goes wrong is said and nothing else."""
        notes = self._notes
        if notes is not None:
            self._lanes.queue("notes", lambda _: note(notes), lambda _: None, self._say)

    def _say(self, error: ExplorerError) -> None:
        say(self._screen, error)

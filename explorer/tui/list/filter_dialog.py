"""The filter dialog: each choice with how many sessions it lists.

A choice acts at once, on the list behind; the numbers follow.
"""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.content import Content

from explorer.browse.arrangement import Wish
from explorer.browse.choices import ChoiceRow, chosen, filter_rows, moment
from explorer.browse.words import DATE_HINT, filters_title
from explorer.cancel import CancelToken
from explorer.model import Hidden
from explorer.render.figures import exact
from explorer.search.filters import FILTERED, Filters, Tally, tally
from explorer.stores.catalog import NOISE, Catalog
from explorer.stores.columns import Columns
from explorer.stores.fates import NO_FATES, expiring
from explorer.tui.dialogs.base import Dialog
from explorer.tui.dialogs.questions import Prompt, ask_for
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.list.list_controller import Lister
from explorer.tui.widgets.choice_list import ChoiceList
from explorer.tui.workers import Lanes


class FilterList(ChoiceList):
    """The choices, under their headings."""

    BINDINGS = bindings("filters")

    def show(self, rows: list[ChoiceRow]) -> None:
        super().show(rows)
        self.styles.height = len(rows) + 2
        self.keep_in_sight()


class FilterScreen(Dialog[None]):
    """All filters of the list."""

    def __init__(self, lister: Lister, clock: Callable[[], float]) -> None:
        super().__init__()
        self._lister = lister
        self._clock = clock
        self._lanes = Lanes(self)
        self._tally: Tally | None = None
        self._counted: Catalog | None = None

    def compose(self) -> ComposeResult:
        yield FilterList("filters")

    def on_mount(self) -> None:
        filters = self.query_one(FilterList)
        filters.border_subtitle = Content(keymap_of(self.app).hint("filters"))
        self._show()
        self._count()
        self.set_interval(1.0, self._count_again)

    def on_unmount(self) -> None:
        self._lanes.stop()

    @on(FilterList.Chosen)
    def _choose(self, event: FilterList.Chosen) -> None:
        if event.row.choice is None:
            self._ask(event.row)
        else:
            self._wish(chosen(self._lister.wish, event.row))

    def action_clear(self) -> None:
        self._wish(self._lister.wish._replace(filters=Filters(), shown=frozenset()))

    def _wish(self, wish: Wish) -> None:
        self._lister.wish_for(wish)
        self._show()
        self._count()

    def _ask(self, row: ChoiceRow) -> None:
        """A day of one's own."""

        def check(text: str) -> tuple[bool, str]:
            found = moment(text, self._clock())
            if found is not None:
                return True, f"{row.kind.capitalize()} {exact(found.time)}"
            return not text.strip(), DATE_HINT

        def take(text: str) -> None:
            found, filters = moment(text, self._clock()), self._lister.wish.filters
            if row.kind == "since":
                filters = filters._replace(since=found)
            else:
                filters = filters._replace(before=found)
            self._wish(self._lister.wish._replace(filters=filters))

        ask_for(self, Prompt(f"Last active {row.kind}", row.name, check), take)

    def _show(self) -> None:
        catalog = self._lister.catalog
        sources = catalog.source_names if catalog else ()
        classes = {NOISE[source] for source in sources if source in NOISE}
        if catalog and catalog.hidden:
            classes.add(Hidden.HIDDEN)
        fates, wish = self._lister.fates, self._lister.wish
        fated = fates is not None and not fates.tell_nothing
        rows = filter_rows(wish, self._tally, sources, self._clock(), classes, fated)
        filters = self.query_one(FilterList)
        filters.show(rows)
        listed = self._tally.listed if self._tally else None
        total = len(catalog) if catalog else None
        filters.border_title = Content(filters_title(listed, total))

    def _count(self) -> None:
        """Count what each choice would list: what the file says of models and sizes is read once,
        and may take a moment."""
        store, catalog, wish = self._lister.store, self._lister.catalog, self._lister.wish
        facts, fates, now = self._lister.facts, self._lister.fates, self._clock()
        if store is None or catalog is None:
            return
        self._counted = catalog

        def work(token: CancelToken) -> tuple[Columns, Tally]:
            known = facts or store.columns(FILTERED, token=token)
            about = expiring(fates or NO_FATES, catalog.chain, now)
            return known, tally(catalog, known, wish.filters, wish.shown, about)

        def take(result: tuple[Columns, Tally]) -> None:
            known, self._tally = result
            if self._lister.catalog is catalog:
                # Else the list knows better by now.
                self._lister.facts = known
            self._show()

        self._lanes.start("tally", work, take)

    def _count_again(self) -> None:
        if self._lister.catalog is not self._counted:
            self._count()

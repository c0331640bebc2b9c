"""The filter dialog: each choice with how many sessions it lists. Letters narrow the choices.

A choice acts at once, on the list behind; the numbers follow.
"""

from collections.abc import Callable
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Key, Paste
from textual.message import Message

from explorer.browse.arrangement import Arranged, Wish, classes_of, counted
from explorer.browse.choices import ChoiceRow, chosen, filter_rows, moment
from explorer.browse.collector import no_collection
from explorer.browse.words import DATE_HINT, filters_title, unreadable
from explorer.cancel import CancelToken
from explorer.model import Hidden
from explorer.render.clean import clean_line
from explorer.render.figures import exact
from explorer.search.filters import Filters, Tally, filtered_by, tally
from explorer.stores.catalog import Catalog, named_by
from explorer.stores.columns import Columns
from explorer.stores.fates import NO_FATES, expiring
from explorer.stores.resolve import pinned_rows
from explorer.tui.dialogs.base import Dialog, ask_for
from explorer.tui.dialogs.prompt import Prompt
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.list.list_controller import Lister
from explorer.tui.widgets.choice_list import ChoiceList
from explorer.tui.words import NO_FILTER
from explorer.tui.workers import Lanes

WIDTH = 58
"""Cells of the border for the title."""
LONGEST = 60
"""Characters that narrow the choices."""
NOT_TYPED = (" ", "?")
"""In no name that is worth typing: the one chooses, the other is for help."""


class FilterList(ChoiceList):
    """The choices, under their headings. What is typed narrows them: it stands in the border, since
    a field would take the arrows and the space bar."""

    BINDINGS = bindings("filters")

    text = ""
    """What was typed."""

    @dataclass
    class Typed(Message):
        """Other choices are to be shown."""

    def show(self, rows: list[ChoiceRow]) -> None:
        super().show(rows)
        if not self.text:
            # While it is narrowed, the dialog does not jump.
            self.styles.height = len(rows) + 2
        self.keep_in_sight()

    def on_key(self, event: Key) -> None:
        if event.is_printable and event.character not in (None, *NOT_TYPED):
            event.stop()
            self.type(f"{self.text}{event.character}")
        elif event.key == "backspace":
            event.stop()
            self.type(self.text[:-1])

    def on_paste(self, event: Paste) -> None:
        event.stop()
        self.type(self.text + clean_line(event.text, LONGEST))

    def type(self, text: str) -> None:
        """Narrow the choices to those that hold a text."""
        self.text = text[:LONGEST]
        self._cursor = 0
        self.post_message(self.Typed())


class FilterScreen(Dialog[None]):
    """All filters of the list."""

    SCOPE = "filters"

    def __init__(self, lister: Lister, clock: Callable[[], float]) -> None:
        super().__init__()
        self._lister = lister
        self._clock = clock
        self._lanes = Lanes(self)
        self._tally: Tally | None = None
        self._said: Arranged | None = None
        """How many are listed, and why others are not."""
        self._counted: Catalog | None = None

    def compose(self) -> ComposeResult:
        yield FilterList("filters")

    def on_mount(self) -> None:
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

    @on(FilterList.Typed)
    def _typed(self) -> None:
        self._show()

    def action_close(self) -> None:
        """What was typed first, then the dialog."""
        filters = self.query_one(FilterList)
        if filters.text:
            filters.type("")
        else:
            self.dismiss()

    def action_clear(self) -> None:
        wish = self._lister.wish
        if wish.filters == Filters() and not wish.shown:
            hint(self, NO_FILTER)
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
        classes = set(named_by(sources))
        if catalog and catalog.hidden:
            classes.add(Hidden.HIDDEN)
        fates, wish = self._lister.fates, self._lister.wish
        fated = fates is not None and not fates.tell_nothing
        store = self._lister.store
        possible = classes_of(store)
        if store is not None and not store.keeps_sources:
            sources = ()
        filters = self.query_one(FilterList)
        text, now = filters.text, self._clock()
        places = store.places if store is not None else ()
        troubles = store.troubles if store is not None else ()
        filters.show(
            filter_rows(
                wish,
                self._tally,
                sources,
                now,
                classes,
                fated,
                possible,
                text=text,
                places=places,
                unreadable={one.name for one in troubles if unreadable(one.error)},
            )
        )
        title = filters_title(self._said, min(WIDTH, self.size.width * 95 // 100 - 6))
        filters.border_title = Content(f"Filters: {clean_line(text, 40)}▏" if text else title)
        # Escape clears what was typed before it closes; help is left out for want of room.
        labels = {"help-here": "", **({"filters-close": "clear text"} if text else {})}
        keys = keymap_of(self.app).hint("filters", labels)
        filters.border_subtitle = Content(keys if text else f"type to narrow · {keys}")

    def _count(self) -> None:
        """Count what each choice would list: what the file says of models and sizes is read once,
        and may take a moment."""
        store, catalog, wish = self._lister.store, self._lister.catalog, self._lister.wish
        facts, fates, now = self._lister.facts, self._lister.fates, self._clock()
        if store is None or catalog is None:
            return
        self._counted = catalog

        def work(token: CancelToken) -> tuple[Columns, Tally, Arranged]:
            with no_collection():
                known = facts or store.columns(filtered_by(store.places), token=token)
            about = expiring(fates or NO_FATES, catalog.chain, now)
            said = counted(store, catalog, known, wish, token, about)
            pins = pinned_rows(store, catalog, wish.pins, token)
            profiles = (store.profiles_at,) if store.places else ()
            made = tally(catalog, known, wish.filters, wish.shown, pins, about, *profiles)
            return known, made, said

        def take(result: tuple[Columns, Tally, Arranged]) -> None:
            known, self._tally, self._said = result
            if self._lister.catalog is catalog:
                # Else the list knows better by now.
                self._lister.facts = known
            self._show()

        self._lanes.start("tally", work, take)

    def _count_again(self) -> None:
        if self._lister.catalog is not self._counted:
            self._count()

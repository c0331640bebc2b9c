"""The filter dialog: what is listed, each choice with how many it would list.

A choice acts at once, on the list behind; the numbers follow.
"""

from collections.abc import Callable
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from explorer.browse.arrangement import Wish
from explorer.browse.filter_choices import (
    FilterRow,
    chosen,
    filter_rows,
    first_choice,
    moment,
    painted,
)
from explorer.cancel import CancelToken
from explorer.errors import StoreError
from explorer.model import Hidden
from explorer.render.clean import clean
from explorer.render.figures import count, exact
from explorer.search.filters import FILTERED, Filters, Tally, tally
from explorer.stores.catalog import NOISE, Catalog
from explorer.stores.columns import Columns
from explorer.stores.fates import NO_FATES, expiring
from explorer.tui.dialogs.base import Dialog
from explorer.tui.dialogs.prompt import Prompt
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.list.list_controller import Lister
from explorer.tui.widgets.painted import PaintedView
from explorer.tui.workers import LaneDone, Lanes


class FilterList(PaintedView):
    """The choices, under their headings."""

    BINDINGS = bindings("filters")

    @dataclass
    class Chosen(Message):
        """Somebody chose a row, or took it back."""

        row: FilterRow

    def __init__(self) -> None:
        super().__init__(id="filters")
        self._rows: list[FilterRow] = []
        self._cursor = 0

    def show(self, rows: list[FilterRow]) -> None:
        """The choices as they are now; the cursor stays on its choice."""
        here = self._rows[self._cursor][:2] if self._rows else None
        self._rows = rows
        kept = (at for at, row in enumerate(rows) if row[:2] == here)
        self._cursor = first_choice(rows, next(kept, self._cursor), 1)
        self.virtual_size = Size(self.line_width, len(rows))
        self.styles.height = len(rows) + 2
        self._keep_in_sight()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        if at >= len(self._rows):
            return self.strip((), self.line_width)
        line = painted(self._rows[at], self.line_width)
        return self.strip(line, self.line_width, lit=at == self._cursor)

    def on_click(self, event: Click) -> None:
        at = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if 0 <= at < len(self._rows) and not self._rows[at].is_heading:
            self._cursor = at
            self.action_choose()

    def action_move(self, rows: int) -> None:
        step = 1 if rows > 0 else -1
        self._cursor = first_choice(self._rows, self._cursor + rows, step)
        self._keep_in_sight()
        self.refresh()

    def _keep_in_sight(self) -> None:
        # The heading above comes along.
        self.scroll_to_region(Region(0, self._cursor - 1, 1, 2), animate=False, force=True)

    def action_choose(self) -> None:
        self.post_message(self.Chosen(self._rows[self._cursor]))


class FilterScreen(Dialog[None]):
    """All filters of the list."""

    def __init__(self, lister: Lister, clock: Callable[[], float]) -> None:
        super().__init__()
        self._lister = lister
        self._clock = clock
        self._lanes = Lanes(self, self._failed)
        self._tally: Tally | None = None
        self._counted: Catalog | None = None

    def compose(self) -> ComposeResult:
        yield FilterList()

    def on_mount(self) -> None:
        filters = self.query_one(FilterList)
        filters.border_subtitle = Content(keymap_of(self.app).hint("filters"))
        self._show()
        self._count()
        self.set_interval(1.0, self._count_again)

    def on_unmount(self) -> None:
        self._lanes.stop()

    def on_lane_done(self, event: LaneDone) -> None:
        self._lanes.finish(event)

    @on(FilterList.Chosen)
    def _choose(self, event: FilterList.Chosen) -> None:
        if event.row.kind in ("since", "before"):
            self._ask(event.row)
        else:
            self._wish(chosen(self._lister.wish, event.row, self._clock()))

    def action_clear(self) -> None:
        self._wish(self._lister.wish._replace(filters=Filters(), shown=frozenset()))

    def _wish(self, wish: Wish) -> None:
        self._lister.wish_for(wish)
        self._show()
        self._count()

    def _ask(self, row: FilterRow) -> None:
        """A day of one's own."""

        def check(text: str) -> tuple[bool, str]:
            found = moment(text, self._clock())
            if found is not None:
                return True, f"{row.kind} {exact(found.time)}"
            return (
                not text.strip(),
                "A day, month or year (2026-03-01, 2026-03), 7d, 12h, yesterday",
            )

        def take(text: str | None) -> None:
            if text is not None:
                found = moment(text, self._clock())
                filters = self._lister.wish.filters
                since, before = filters.since, filters.before
                since, before = (found, before) if row.kind == "since" else (since, found)
                filters = filters._replace(since=since, before=before)
                self._wish(self._lister.wish._replace(filters=filters))

        self.app.push_screen(Prompt(f"Last active {row.kind}", row.name, check), take)

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
        total = count(len(catalog)) if catalog else "…"
        listed = count(self._tally.listed) if self._tally else "…"
        filters.border_title = Content(f"Filters · {listed} of {total} listed")

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

    def _failed(self, error: StoreError) -> None:
        self.notify(clean(error.message), title=error.title, severity="error", markup=False)

"""What the list shows: the first page, then everything, then whatever changes.

Reads in threads, and reads anew only what changed: the sessions with new messages, and the rows
in sight. Now and then, while the file is being written, all of it, for what leaves no trace.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from textual.content import Content

from explorer.model import Session, Sort, StoreInfo
from explorer.render.amounts import count, plural
from explorer.store.base import Store
from explorer.store.catalog import Catalog
from explorer.store.read_only import CancelToken
from explorer.tui import arranging
from explorer.tui.arranging import Arranged, Wish
from explorer.tui.lanes import Lanes
from explorer.tui.opening import Opened
from explorer.tui.widgets.search_bar import SearchBar
from explorer.tui.widgets.session_list import SessionList

EMPTY = "No sessions here yet. Talk to your agent once, and they will be listed."
NOTHING_LEFT = "Every session is hidden. Press . to show them."
NO_MATCH = "Nothing found. Escape clears the search."
WHOLE_SURVEY_EVERY = 10.0
"""Seconds between two whole surveys of a file that is being written; more where one takes long."""


class Renewed(NamedTuple):
    """The file as it is after a change."""

    catalog: Catalog
    touched: frozenset[int] | None
    """Sessions with something new; None when everything was read."""
    rows: list[Session]


class Lister:
    """Joins the store and the list."""

    def __init__(
        self,
        sessions: SessionList,
        search_bar: SearchBar,
        lanes: Lanes,
        clock: Callable[[], float],
        chosen: Callable[[Session | None], None],
        informed: Callable[[StoreInfo], None],
    ) -> None:
        """`chosen` is told which session the cursor is on, as soon as it is known."""
        self._sessions = sessions
        self._search_bar = search_bar
        self._lanes = lanes
        self._clock = clock
        self._chosen = chosen
        self._informed = informed
        self._store: Store | None = None
        self._survey_took = 0.0
        self._surveyed = 0.0
        self.wish = Wish()
        self._before_search: int | None = None
        self.catalog: Catalog | None = None

    def open(self, opened: Opened) -> None:
        """The first page, at once."""
        self._store = opened.store
        self.catalog = None
        self._sessions.add_rows(opened.rows)
        groups = arranging.first_groups(opened.rows, self._clock())
        self._list(Arranged([row.key for row in opened.rows], groups, {}))

    def survey(self, then: Callable[[], None] | None = None) -> None:
        """What the first page left open: the exact order, the hidden ones, the counts."""
        store = self._store
        if store is None:
            return

        def work(token: CancelToken) -> tuple[Catalog, float]:
            begun = time.monotonic()
            return store.catalog(token), time.monotonic() - begun

        def take(result: tuple[Catalog, float]) -> None:
            self.catalog, self._survey_took = result
            self._surveyed = time.monotonic()
            self.arrange()
            if then:
                then()

        self._lanes.start("catalog", work, take)
        self._lanes.start("info", lambda token: store.info(token), self._informed)

    def renew(self, then: Callable[[Renewed], None]) -> None:
        """The file has changed: read what is new."""
        store, catalog = self._store, self.catalog
        if store is None or catalog is None:
            return
        known = [key for key in self._sessions.in_sight() if catalog.has(key)]
        now = self._clock()
        due = time.monotonic() - self._surveyed > max(WHOLE_SURVEY_EVERY, 20 * self._survey_took)

        def work(token: CancelToken) -> Renewed:
            changes = None if due else store.changes(catalog.mark, token)
            if changes is None:
                whole = store.catalog(token)
                rows = store.sessions([whole.folded(k) for k in known if whole.has(k)], now, token)
                return Renewed(whole, None, rows)
            made = catalog.renewed(changes.family, changes.mark) if changes.family else catalog
            units = [made.folded(key) for key in {*known, *changes.keys}]
            return Renewed(made, changes.keys, store.sessions(units, now, token))

        def take(renewed: Renewed) -> None:
            self.catalog = renewed.catalog
            if renewed.touched is None:
                self._surveyed = time.monotonic()
                self._lanes.start("info", lambda token: store.info(token), self._informed)
            self._sessions.forget_rows()
            self._sessions.add_rows(renewed.rows)
            self.arrange()
            then(renewed)

        self._lanes.start("renew", work, take)

    def toggle_hidden(self) -> None:
        self.wish = self.wish._replace(show_hidden=not self.wish.show_hidden)
        self.arrange()

    def reveal(self, key: int) -> None:
        """Go to a session, listing it also if its class is hidden."""
        if self.catalog is None or not self.catalog.has(key):
            return
        tip = self.catalog.chain(key)[-1]
        self._search_bar.input.value = ""
        self._before_search = tip
        self.wish = self.wish._replace(revealed=self.wish.revealed | {tip})
        self.arrange()

    def sort_by(self, sort: Sort) -> None:
        """Another order; the same one again turns it round."""
        reverse = sort is self.wish.sort and not self.wish.reverse
        self.wish = self.wish._replace(sort=sort, reverse=reverse)
        self.arrange()

    def arrange(self) -> None:
        """List what the search bar asks for, or everything."""
        store, catalog = self._store, self.catalog
        if store is None or catalog is None:
            return
        text, wish, now = self._search_bar.input.value, self.wish, self._clock()
        if text.strip():
            if self._before_search is None:
                self._before_search = self._sessions.cursor_key
            self._lanes.start(
                "order",
                lambda token: arranging.search(store, catalog, text, wish.show_hidden, token),
                self._list,
            )
        else:
            self._lanes.start(
                "order",
                lambda token: arranging.arrange(store, catalog, wish, now, token),
                self._list,
            )

    def read_rows(self, event: SessionList.RowsWanted) -> None:
        store, catalog = self._store, self.catalog
        if store is None or catalog is None:
            return
        now = self._clock()
        units = [catalog.folded(key) for key in event.keys if catalog.has(key)]
        self._lanes.start("rows", lambda token: store.sessions(units, now, token), self._add_rows)

    def _add_rows(self, rows: list[Session]) -> None:
        self._sessions.add_rows(rows)
        key = self._sessions.cursor_key
        if any(row.key == key for row in rows):
            self._chosen(self._sessions.row(key or 0))

    def _list(self, arranged: Arranged) -> None:
        found = arranged.found
        total = len(self.catalog) if self.catalog else 0
        self._sessions.border_title = Content(
            "Found" if found else f"Sessions · {self.wish.words()}"
        )
        self._sessions.note = NO_MATCH if found else NOTHING_LEFT if total else EMPTY
        back_to = None if found else self._before_search
        self._sessions.show(arranged.order, arranged.groups, back_to)
        if found is None:
            self._before_search = None
        if not arranged.order:
            self._chosen(None)
        words = arranging.in_words(arranged, total, self._sessions.size.width - 6)
        self._sessions.border_subtitle = Content(
            words if self.catalog else f"{count(len(arranged.order))} of … · hidden: …"
        )
        self._search_bar.say(_outcome(arranged))


def _outcome(arranged: Arranged) -> str:
    """What a search came to, for the right end of the bar."""
    found = arranged.found
    if found is None:
        return ""
    more = "" if found.complete else "+"
    hits = "hit" if found.total == 1 and not more else "hits"
    words = f"{count(found.total)}{more} {hits} in {plural(len(arranged.order), 'session')}"
    return f"{words} · by scanning" if found.mode == "scan" else words

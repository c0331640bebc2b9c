"""What the list shows: the first page, then everything, then whatever changes.

Reads in threads, and reads anew only what changed: the sessions with new messages, and the rows
in sight. Now and then, while the file is being written, all of it, for what leaves no trace.
"""

import gc
import time
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import Screen

from explorer.browse import arrangement as arranging
from explorer.browse.arrangement import (
    CLASSES,
    Arranged,
    Asked,
    Basis,
    Excerpt,
    Wish,
    inside_row,
    session_of,
)
from explorer.browse.collector import no_collection
from explorer.browse.first_read import Opened, Survey
from explorer.browse.headings import first_headings
from explorer.browse.profiles import missing_of
from explorer.browse.refresh import Moved, Renewed, moved, read_again, read_rows
from explorer.browse.row_cache import text_of
from explorer.browse.row_columns import endless
from explorer.browse.words import (
    NOTHING_TO_EXPAND,
    RESULTS,
    Chip,
    ListKeys,
    border,
    chips,
    first_border,
    in_place_of_rows,
    named_unreadable,
    not_searched,
    outcome,
    scanned_because,
    selected,
    sorted_by,
    understood,
    without,
)
from explorer.cancel import CancelToken
from explorer.errors import StoreError
from explorer.model import Hidden, Session, StoreInfo
from explorer.render.clean import clean_line
from explorer.search.filters import filtered_by
from explorer.stores.base import Store, UnreadableStore
from explorer.stores.catalog import Catalog
from explorer.stores.columns import Columns
from explorer.stores.fates import Fates
from explorer.tui.key_bindings import keymap_of
from explorer.tui.list.search_bar import ChipBar, SearchBar
from explorer.tui.list.selected_sessions import SelectedSessions
from explorer.tui.list.session_list import SessionList
from explorer.tui.workers import Lanes

WHOLE_SURVEY_EVERY = 10.0
"""Seconds between two whole surveys of a file that is being written; more where one takes long,
less where the file is quiet in between."""
FILES_EVERY = 10.0
"""Seconds between two looks at the folders of transcripts; more where listing them takes long."""
AHEAD = 0.05
"""Seconds to wait before reading what is not visible: what is comes first."""


if TYPE_CHECKING:
    from explorer.browse.chats import ChosenChat
    from explorer.search.language.query import Query
    from explorer.search.matcher import Matcher


class Lister:
    """Joins the store and the list."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        clock: Callable[[], float],
        chosen: Callable[[], None],
        informed: Callable[[StoreInfo], None],
    ) -> None:
        """`chosen` is told when another session is under the cursor, and known."""
        self._sessions = screen.query_one(SessionList)
        self._search_bar = screen.query_one(SearchBar)
        self._chip_bar = screen.query_one(ChipBar)
        self._lanes = lanes
        self._clock = clock
        self._chosen = chosen
        self._informed = informed
        self.store: Store | None = None
        self._survey_took = self._info_took = 0.0
        self._surveyed = 0.0
        self._behind = False
        """Changes were read since, of which a whole survey and the numbers may say more."""
        self._edits = self._edits_seen = 0
        """Edits of ours, and how many of them the last look at everything has seen: they leave no
        trace that a smaller one would find."""
        self.wish = Wish()
        self.cursor = self._sessions.cursor
        self.selected = SelectedSessions(self._sessions, lanes)
        self.catalog: Catalog | None = None
        self.facts: Columns | None = None
        self._file_rows: Catalog | None = None
        """Sessions that exist only in files; None until they were looked for."""
        self._files_seen = self._files_took = 0.0
        self.fates: Fates | None = None
        """What the agent is going to do by itself; None until it was read."""
        self._basis: Basis | None = None
        self._title = ""
        self.chat: ChosenChat | None = None
        """The chat whose sessions were asked for last."""
        self.matcher: Matcher | None = None
        """What is being searched for."""
        self._search_for: tuple[str, Wish] | None = None
        """By which text, and in which list."""
        self._shown_before: frozenset[Hidden] | None = None
        """The hidden classes that were shown before a search included others."""
        self._listed_for: tuple[str, Wish] | None = None
        """The same of the search whose result is listed, if it came to its end."""
        self._first: Survey | None = None
        """What was found out to show the first page, if that needed to be."""
        self._when_listed: Callable[[], None] | None = None
        self._typed: Query | None = None
        """What is in the search bar."""
        self._scanned: list[Chip] = []
        """Why the last search had to read everything, and what it could not read."""

    def open(self, opened: Opened) -> None:
        """The first page, at once."""
        self.store = opened.store
        for lane in ("catalog", "order", "rows", "info", "files"):
            self._lanes.cancel(lane)
        self._file_rows = None
        self._files_seen = self._files_took = 0.0
        self._first = opened.survey
        self.catalog = opened.survey.catalog if opened.survey else None
        self.facts = self.fates = self._basis = None
        self.wish = self.wish._replace(
            sort=opened.remembered.sort,
            reverse=opened.remembered.reverse,
            pins=opened.remembered.pins,
            revealed=frozenset(),
            unfolded=frozenset(),
        )
        self._search_bar.history = list(opened.remembered.searches)
        self._sessions.clear()
        self._say_columns(opened.store)
        self._sessions.add_rows({row.key: row for row in opened.rows})
        order = [row.key for row in opened.rows]
        groups = first_headings(opened.rows, opened.pinned, opened.remembered.sort, self._clock())
        pinned = frozenset(order[: opened.pinned])
        page = Arranged(order, groups, {}, len(order), pinned=pinned)
        self._list(opened.arranged or page)
        self.cursor.guessed = opened.arranged is None

    def _say_columns(self, store: Store) -> None:
        """What its rows can show: of several files, one may be there only later."""
        self._sessions.columns = self._sessions.columns._replace(
            sources=store.keeps_sources, endless=endless(store), profiles=bool(store.places)
        )

    def survey(self, then: Callable[[], None] | None = None) -> None:
        """What the first page left open: the exact order, the hidden ones, the counts."""
        store = self.store
        if store is None:
            return
        edits, first, basis = self._edits, self._first, self._basis
        known = first if first is not None and first.catalog is self.catalog else None

        files = self._file_rows

        def work(token: CancelToken) -> Survey:
            with no_collection():
                found = known or Survey.of(store, token)
            return found._replace(catalog=found.catalog.with_files(files))

        def take(result: Survey) -> None:
            catalog, self._survey_took = result
            self._know(catalog)
            # Nearly all of it stays until the end. Garbage is looked for among the rest.
            gc.freeze()
            self._surveyed, self._behind = time.monotonic(), False
            listed = known is not None and basis is not None and basis.wish == self.wish
            if not listed or self.searched:
                self.arrange()
            # After the survey: beside it, the list of a big file would be complete a fifth later.
            self.read_info()
            self._edits_seen = edits
            if then:
                then()

        self._lanes.start("catalog", work, take)

    def read_info(self) -> None:
        """Read what the file holds, in numbers."""
        if (store := self.store) is None:
            return

        def work(token: CancelToken) -> tuple[StoreInfo, float]:
            begun = time.monotonic()
            return store.info(token), time.monotonic() - begun

        def take(read: tuple[StoreInfo, float]) -> None:
            info, self._info_took = read
            self._informed(info)

        self._lanes.start("info", work, take)

    def catch_up(self, then: Callable[[Renewed], None]) -> None:
        """The file has been quiet for a moment: do what was put off while it was written to."""
        if self._behind and self._may_survey:
            self.renew(then, quiet=True)

    @property
    def _may_survey(self) -> bool:
        """Whether a whole survey, with the numbers, would take little of the time since the last
        one."""
        took = self._survey_took + self._info_took
        return time.monotonic() - self._surveyed > 20 * took

    def renew(
        self, then: Callable[[Renewed], None], whole: bool = False, quiet: bool = False
    ) -> bool:
        """The file has changed: read what is new, or where that leaves no trace the `whole`. In a
        `quiet` file a whole survey disturbs nobody. Whether anything will be read: before the first
        survey there is nothing to renew."""
        self._edits += whole
        if self._lanes.put_off("catalog", lambda: self.renew(then, quiet=quiet)):
            return True
        store, catalog, basis = self.store, self.catalog, self._basis
        if store is None or catalog is None:
            return False
        known, inside = tuple(self._sessions.in_sight()), self._sessions.arranged.inside
        facts, now, files = self.facts, self._clock(), self._file_rows
        often = time.monotonic() - self._surveyed < WHOLE_SURVEY_EVERY and not quiet
        edits, unseen = self._edits, self._edits != self._edits_seen
        ids, rows = self._sessions.held()
        due = unseen or (self._may_survey and not often)
        self._behind |= not due

        def work(token: CancelToken) -> tuple[Renewed, Moved]:
            before = catalog.with_files(files)
            renewed = read_again(store, before, basis, facts, known, inside, now, due, token)
            return renewed, moved(store, renewed, rows, ids, token)

        def take(read: tuple[Renewed, Moved]) -> None:
            renewed, elsewhere = read
            if elsewhere.gone:
                self.selected.follow(elsewhere)
            self._know(renewed.catalog)
            if renewed.touched is None:
                self._say_columns(store)
                self._edits_seen = edits
                self._surveyed, self._behind = time.monotonic(), False
                self.read_info()
            self.facts = renewed.facts
            troubles = {one.name for one in store.troubles}
            changed = renewed.places
            self._sessions.forget_rows(None if changed is None else changed - troubles)
            self._sessions.add_rows(renewed.rows)
            self.selected.note(store)
            made = renewed.arranged
            if made and made.basis and made.basis.wish == self.wish and not self.searched:
                # What is still under way is about the file as it was.
                self._lanes.cancel("order")
                self._list(made)
            elif unseen or not self._search_goes_on():
                self.arrange()
            then(renewed)

        self._lanes.start("catalog", work, take)
        return True

    def _search_goes_on(self) -> bool:
        """Whether the search that is asked for is under way: then the file is searched again after
        it. Begun anew by each change, one that takes long would never end beside an agent."""
        same = self._search_for == (self.searched, self.wish)
        return same and self._lanes.put_off("order", self.arrange)

    def _know(self, catalog: Catalog) -> None:
        """Another catalog; wish and selection follow conversations that were continued."""
        self.catalog = catalog
        self.wish = self.wish.followed(catalog)
        self._sessions.selection.follow(catalog)
        self._join_files()

    def look_for_files(self) -> None:
        """Look for sessions that exist only in files, now and then: after the first frame and all
        that the file itself says, in a lane of its own."""
        store = self.store
        pause = max(FILES_EVERY, 20 * self._files_took) if self._files_seen else 0.0
        if store is None or self.catalog is None or self._lanes.busy("files"):
            return
        if time.monotonic() - self._files_seen < pause:
            return

        def work(token: CancelToken) -> tuple[Catalog | None, float]:
            begun = time.monotonic()
            return store.file_catalog(token), time.monotonic() - begun

        def take(found: tuple[Catalog | None, float]) -> None:
            self._file_rows, self._files_took = found
            self._files_seen = time.monotonic()
            self._join_files()

        # What cannot be read is said of the file itself.
        self._lanes.start("files", work, take, refused=lambda error: None)

    def _join_files(self) -> None:
        """List them with the others, unless they are."""
        catalog, files = self.catalog, self._file_rows
        if catalog is None or files is None or catalog.file_rows is files:
            return
        if not (len(files) or catalog.files):
            return

        def take(joined: Catalog) -> None:
            if self.catalog is catalog:
                self._know(joined)
                self.arrange()
            else:
                self._join_files()

        self._lanes.start("files", lambda token: catalog.with_files(files), take)

    def wish_for(self, wish: Wish) -> None:
        """Have the list another way. What was opened by name stays listed until other filters are
        chosen: it is not what they are for."""
        before = self.wish
        if (wish.filters, wish.shown) != (before.filters, before.shown):
            wish = wish._replace(revealed=frozenset())
        self.wish = wish
        self.arrange()

    def toggle_hidden(self) -> None:
        """Of a search, until it is cleared."""
        everything = frozenset(CLASSES)
        shown = frozenset() if self.wish.shown >= everything else everything
        if self.searched and self._shown_before is None:
            self._shown_before = self.wish.shown
        self.wish_for(self.wish._replace(shown=shown))

    def foresee(self, fates: Fates, signs: Mapping[int, str]) -> None:
        """What the agent is going to do, and the signs of rows that it is about to take."""
        before, self.fates = self.fates, fates
        self._sessions.foresee(signs)
        if (self.wish.needs_fates or "expiring" in self.searched) and before != fates:
            self.arrange()

    def take_off(self, name: str) -> None:
        """Remove one filter, by the name of its chip."""
        self.wish_for(without(self.wish, name))

    def toggle_inside(self) -> None:
        """Unfold the conversation under the cursor, or fold the one it is in."""
        at, row = self._sessions.outer_row(), self._sessions.current
        if at is None or row is None:
            return
        opened = self.wish.unfolded
        if at not in opened and row.parts < 2 and not row.subagents:
            self._sessions.notify(NOTHING_TO_EXPAND, markup=False)
            return
        self.cursor.go_to(at)
        self.wish_for(self.wish._replace(unfolded=opened ^ {at}))

    def pinned(self, keys: Collection[int], on: bool, noted: frozenset[str]) -> None:
        """Sessions were pinned, or unpinned, in the agent's file; `noted` are the pins in our notes
        by now."""
        if self.catalog is not None:
            self.catalog = self.catalog.with_pins(keys, on)
        self.wish_for(self.wish._replace(pins=noted))

    def leave(self, rows: Collection[int]) -> None:
        """These rows leave the list, and the selection with it."""
        self.cursor.stay_near(rows)
        self._sessions.selection.drop(rows)

    def reveal(self, key: int) -> None:
        """Go to a session, listing it also if its class is hidden, and unfolding the conversation
        that it is an earlier part of."""
        if self.catalog is None or not self.catalog.has(key):
            return
        tip = self.catalog.tip(key)
        self._search_bar.input.value = ""
        self.cursor.jump(tip if key == tip else inside_row(key))
        unfolded = self.wish.unfolded if key == tip else self.wish.unfolded | {tip}
        revealed = self.wish.revealed | {tip}
        self.wish_for(self.wish._replace(revealed=revealed, unfolded=unfolded))

    def arrange(self) -> None:
        """List what the search bar asks for, or everything."""
        store, catalog = self.store, self.catalog
        if store is None or catalog is None:
            return
        text = self.searched
        if not text and self._shown_before is not None:
            self.wish = self.wish._replace(shown=self._shown_before)
            self._shown_before = None
        wish, now = self.wish, self._clock()
        facts, fates = self.facts, self.fates
        if text:
            asked = Asked(
                store, catalog, facts, text, wish, now, fates=fates, chats=self._chats(now)
            )
            self._search(
                asked._replace(page=self._sessions.page, known=self._sessions.known.numbers)
            )
            return
        self.matcher, self._search_for, self._scanned = None, None, []

        def work(token: CancelToken) -> tuple[Columns | None, Arranged]:
            known = facts
            if facts is None and wish.filters.needs_facts:
                with no_collection():
                    known = store.columns(filtered_by(store.places), token=token)
            return known, arranging.arrange(store, catalog, known, wish, now, token, fates)

        def take(result: tuple[Columns | None, Arranged]) -> None:
            self.facts = result[0]
            self._list(result[1])

        self._lanes.start("order", work, take)

    def _chats(self, now: float) -> "Callable[[CancelToken], dict[str, frozenset[int]]] | None":
        """Finds the sessions of the chat that was chosen, where the search bar names it."""
        store, chat = self.store, self.chat
        if store is None or chat is None or f'chat:"{chat.label}"' not in self.searched:
            return None
        return lambda token: {chat.label: chat.sessions(store, now, token)}

    def _search(self, asked: Asked) -> None:
        self.cursor.search()
        self._search_for = asked.text, asked.wish
        # Late: 10 ms that only a search needs.
        from explorer.browse.live_search import LiveSearch
        from explorer.search.language.query import parse
        from explorer.search.matcher import Matcher

        query = parse(asked.text, asked.now)
        matcher = self.matcher = Matcher(query, asked.now)
        # After a change of the file: what is listed stays until all of it was searched again. In
        # part, it would move the cursor and the transcript under the reader.
        again = self._listed_for == self._search_for
        self._sessions.searching(asked.text)
        # At once: what was understood does not wait for what is found.
        self._chip_bar.chips = [*chips(asked.wish, 0), *understood(query), *self._scanned]

        def work(token: CancelToken) -> Arranged:
            def tell(arranged: Arranged) -> None:
                if not again:
                    self._lanes.tell(token, lambda: self._grow(arranged))

            return LiveSearch(asked, matcher, tell, token).run()

        self._lanes.start("order", work, self._list)

    def failed(self, error: StoreError) -> None:
        """Something could not be read. If it was what is searched for, the bar says so: what is
        listed, dimmed, is of another search or of none."""
        shown = self.searched in ("", text_of(self._sessions.arranged))
        if not shown and not self._lanes.busy("order"):
            self._search_bar.say(clean_line(f"search failed · {error.title}"))

    def _grow(self, arranged: Arranged) -> None:
        """A search has got so far: what was listed before stays until there is something new."""
        if arranged.order:
            self._list(arranged)
        else:
            self._search_bar.say(outcome(arranged))

    def _missing(self) -> list[UnreadableStore]:
        """The profiles that cannot be read now, of those that are asked for."""
        query = self._typed if self.searched else None
        return missing_of(self.store, self.wish.filters, query) if self.store is not None else []

    @property
    def searched(self) -> str:
        """What is searched for: nothing where all that is typed is a field without a value, since
        a list that changed with every letter of its name would be of no use."""
        text = self._search_bar.input.value
        if not text.strip():
            self._typed = None
            return ""
        if self._typed is None or self._typed.text != text:
            # Late: 10 ms that only a search needs.
            from explorer.search.language.query import parse

            self._typed = parse(text, self._clock())
        return text if self._typed.clauses or self._typed.fields else ""

    def when_listed(self, then: Callable[[], None] | None) -> None:
        """Have something done once what the search bar asks for is listed and the row under the
        cursor is known, perhaps at once; with None, no longer."""
        self._when_listed = then
        self._do_when_listed()

    def _do_when_listed(self) -> None:
        known = self._sessions.current is not None or not self._sessions.order
        if self._when_listed and known and text_of(self._sessions.arranged) == self.searched:
            then, self._when_listed = self._when_listed, None
            then()

    def read_rows(self, event: SessionList.RowsWanted) -> None:
        store, catalog = self.store, self.catalog
        if store is None or catalog is None:
            return
        now, inside = self._clock(), self._sessions.arranged.inside
        matcher, found = self.matcher, self._sessions.arranged.found

        in_sight = not set(event.rows).isdisjoint(self._sessions.in_sight())

        def work(token: CancelToken) -> tuple[dict[int, Session], dict[int, Excerpt]]:
            if not in_sight:
                token.wait(AHEAD)
            rows = read_rows(store, catalog, event.rows, inside, now, token)
            if matcher is None or found is None:
                return rows, {}
            from explorer.browse.live_search import excerpts

            return rows, excerpts(store, rows, found.result, matcher, token)

        def take(read: tuple[dict[int, Session], dict[int, Excerpt]]) -> None:
            self._sessions.add_rows(*read)
            if self._sessions.cursor_row in event.rows:
                self._chosen()
                self._do_when_listed()

        self._lanes.start("rows", work, take)

    def error_of(self, row: int | None) -> StoreError | None:
        """Why the profile of a row cannot be read now, if it cannot."""
        troubles = self.store.troubles if self.store is not None else ()
        if self.store is None or row is None or not troubles:
            return None
        place = self.store.place(session_of(row))
        return next((one.error for one in troubles if one.name == place), None)

    def _list(self, arranged: Arranged) -> None:
        found = arranged.found
        self._listed_for = self._search_for if found and found.result.complete else None
        self._basis = arranged.basis
        self._title = RESULTS if found else f"Sessions · {sorted_by(self.wish)}"
        # What is back is not in a list of what was seen before the edit.
        sure = self._edits == self._edits_seen
        tip = self.catalog.tip if self.catalog is not None else None
        self._sessions.columns = self._sessions.columns._replace(sort=self.wish.sort)
        self._sessions.show(arranged, self.matcher, tip, sure)
        self._chosen()
        self.say_counts()
        said = chips(self.wish, len(arranged.excepted & self.wish.revealed))
        if found:
            key = keymap_of(self._sessions.app).key("profiles")
            self._scanned = [
                *scanned_because(found),
                *not_searched(named_unreadable(self._missing()), key),
            ]
            said += [*understood(found.result.query), *self._scanned]
        elif self._typed is not None:
            said += understood(self._typed)
        self._chip_bar.chips = said
        self._search_bar.say(outcome(arranged))
        self.say_selection()
        self._do_when_listed()

    def say_counts(self) -> None:
        """How many sessions are listed and hidden, in the room that there is, and which keys show
        the others: they depend on the focus."""
        listed, catalog, keys = self._sessions.arranged, self.catalog, self._keys()
        # Of what is not open, nothing is being counted.
        words = first_border(listed.listed) if self.store is not None else ""
        if catalog is not None:
            words = border(listed, self._sessions.size.width - 4, keys.show_hidden)
            self._sessions.note = in_place_of_rows(
                listed, self.wish, len(catalog), keys, self._missing()
            )
        self._sessions.border_subtitle = Content(words)

    def _keys(self) -> ListKeys:
        keymap = keymap_of(self._sessions.app)
        if not self._search_bar.input.has_focus:
            names = ["show-hidden", "remove-filter", "clear-selection", "profiles", "find-lost"]
            return ListKeys(*map(keymap.key, names))
        names = ["search-hidden", "remove-filter", "search-clear", "profiles", "search-lost"]
        keys = ListKeys(*(keymap.key(name, typing=True) for name in names))
        if keys.profiles == keymap.key("palette", typing=True):
            keys = keys._replace(profiles=f"{keys.profiles} and choose “Profiles …”")
        return keys

    def say_selection(self) -> None:
        """How many are selected, before the title of the list."""
        chosen = selected(len(self._sessions.selection), self._sessions.unseen)
        title = f"{chosen} · {self._title}" if chosen else self._title
        self._sessions.border_title = Content(title)

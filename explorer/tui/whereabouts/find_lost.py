"""From the key to the search, and from a hit to where it is: the list, the trash, or a text."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from textual.screen import Screen

from explorer.browse.arrangement import arrange
from explorer.browse.first_read import Opening
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, UsageError, session_gone
from explorer.model import Hidden, Session
from explorer.render.clean import clean, clean_line
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.columns import ID
from explorer.stores.discover import current_folder
from explorer.stores.kinds import open_copy, open_store
from explorer.stores.ours.notes import OurFiles
from explorer.stores.server_path import on_server
from explorer.tui.dialogs.base import ask_for
from explorer.tui.dialogs.prompt import Prompt
from explorer.tui.edits.confirm import EditLane
from explorer.tui.edits.trash import show_trash
from explorer.tui.list.list_controller import Lister
from explorer.tui.reading.block_screen import BlockScreen, copy
from explorer.tui.reading.reading_pane import ReadScreen
from explorer.tui.whereabouts.lost_screen import Actions, Look, LostScreen
from explorer.tui.workers import say
from explorer.whereabouts.lost_session import LostSession, OwnFiles
from explorer.whereabouts.sightings import PlaceKind, Reason, Sighting, Told
from explorer.whereabouts.transcript_files import file_text
from explorer.whereabouts.wanted import NOTHING_TYPED, Wanted
from explorer.whereabouts.words import (
    FIND_LOST,
    GO_TO,
    NO_COMMAND,
    NOTHING_TO_OPEN,
    READ,
    RESTORE,
    place_words,
    reason_words,
    state_file_gone,
)

_CLASSES = frozenset(one.value for one in Hidden)


class _Listed(NamedTuple):
    """The list as it was when a search began."""

    catalog: Catalog
    rows: frozenset[int]


@dataclass(eq=False)
class LostFinder:
    """Searches for a lost session on behalf of the main screen."""

    screen: Screen[None]
    lister: Lister
    opening: Opening
    clock: Callable[[], float]
    changed: Callable[[], None]
    """Called when the trash has restored something."""
    to_list: Callable[[], None]
    """Moves the focus to the list."""

    def find(self, text: str) -> None:
        """Search for what is in the search bar, or else ask what to search for."""
        if text.strip():
            self._search(text)
            return

        def check(typed: str) -> tuple[bool, str]:
            try:
                Wanted.of(typed, self.clock())
            except UsageError:
                return False, NOTHING_TYPED
            return True, ""

        ask_for(self.screen, Prompt(FIND_LOST, "", check), self._search)

    def _search(self, text: str) -> None:
        now = self.clock()
        try:
            wanted = Wanted.of(text, now)
        except UsageError as error:
            say(self.screen, error)
            return
        ours = OwnFiles(self.opening.notes_path, self.opening.trash)

        def begin() -> tuple[LostSession, Look]:
            here = current_folder()
            search = LostSession(wanted, self.opening.found, ours, os.environ, here, self.clock())

            def look(token: CancelToken) -> Iterator[Told]:
                listed = self._listed(token)
                for told in search.look(token):
                    yield self._as_listed(told, listed) if isinstance(told, Sighting) else told

            return search, look

        actions = Actions(self._verb, self._open, _copy)
        self.screen.app.push_screen(LostScreen(begin, actions, now))

    def _listed(self, token: CancelToken) -> "_Listed | None":
        """The list without a search; None where it is not known yet."""
        lister = self.lister
        store, catalog = lister.store, lister.catalog
        if (
            store is None
            or catalog is None
            or (lister.wish.filters.needs_facts and not lister.facts)
        ):
            return None
        wish, facts, fates = lister.wish, lister.facts, lister.fates
        arranged = arrange(store, catalog, facts, wish, self.clock(), token, fates)
        return _Listed(catalog, frozenset(arranged.order))

    def _as_listed(self, found: Sighting, listed: "_Listed | None") -> Sighting:
        """What a filter hides is said to be so, and what is shown for now is not hidden. Of what
        the list did not have yet, such as a session or messages that were just restored, nothing
        is known."""
        key = self._key(found)
        if key is None or listed is None or not listed.catalog.has(key):
            return found
        tip = listed.catalog.tip(key)
        if tip in listed.rows:
            kept = (reason for reason in found.reasons if reason not in _CLASSES)
            return found._replace(reasons=tuple(kept))
        if _CLASSES.isdisjoint(found.reasons) and listed.catalog.hidden_as(tip) is None:
            return found._replace(reasons=(Reason.FILTERED, *found.reasons))
        return found

    def _key(self, found: Sighting) -> int | None:
        """The key of a hit in the list, where that has it."""
        store, catalog = self.lister.store, self.lister.catalog
        in_list = found.place.kind in (PlaceKind.PROFILE, PlaceKind.CHATS)
        if found.key is None or not in_list or store is None:
            return None
        key = store.key_of(found.place.path, found.key)
        return key if key is not None and catalog is not None and catalog.has(key) else None

    def _reveal(self, key: int) -> None:
        self.to_list()
        self.lister.reveal(key)

    def _verb(self, found: Sighting) -> str:
        if self._key(found) is not None:
            return GO_TO
        if found.receipt is not None:
            return RESTORE
        return READ if _has_transcript(found) else ""

    def _open(self, screen: LostScreen, found: Sighting) -> None:
        if (key := self._key(found)) is not None:
            screen.dismiss()
            self.screen.call_later(self._reveal, key)
        elif found.receipt is not None:
            self._open_trash(screen, found)
        elif not _has_transcript(found):
            say(screen, ExplorerError(NOTHING_TO_OPEN, reason_words(found)))
        elif found.path is not None and not found.shows:
            _open_file(screen, found)
        else:
            self._read(screen, found)

    def _open_trash(self, screen: LostScreen, found: Sighting) -> None:
        path, trash = found.place.path, self.opening.trash
        if trash is None or not (on_server(path) or path.exists()):
            say(screen, ExplorerError(*state_file_gone(path)))
            return
        notes = self.opening.notes_of(path)

        def open_edits(token: CancelToken) -> Store:
            return open_store(path, token, notes=notes, trash=trash)

        def changed() -> None:
            self.changed()
            screen.search_again()

        def take(store: Store) -> None:
            edits = store.edits(OurFiles(trash, self.clock, notes))
            lane = EditLane(self.screen, screen.lanes, self.lister, edits, self.clock, changed)
            show_trash(lane, found.after.number if found.after else found.entry)

        screen.lanes.start("open", open_edits, take)

    def _read(self, screen: LostScreen, found: Sighting) -> None:
        """A transcript by itself: of a snapshot, of a profile that is not listed, or of a session
        with a file beside it."""
        path = found.place.path
        if found.shows:
            path = screen.search.state_file(path).path
        opened = open_copy if found.place.kind is PlaceKind.SNAPSHOT else open_store

        def read(token: CancelToken) -> tuple[Store, Catalog, Session]:
            store = opened(path, token)
            catalog, key = store.catalog(token), found.key
            if found.shows:
                catalog = catalog.with_files(store.file_catalog(token))
                ids = store.columns({ID}, token=token)[ID]
                key = next((one for one, id_ in ids.items() if id_ == found.id), None)
            units = [catalog.folded(key)] if key is not None and catalog.has(key) else []
            rows = store.sessions(units, self.clock(), token)
            if not rows:
                raise session_gone()
            return store, catalog, rows[0]

        def take(read: tuple[Store, Catalog, Session]) -> None:
            store, catalog, session = read
            name = f"{place_words(found.place)} · {clean_line(session.name, 100)}"
            named = session._replace(title=name)
            screen.app.push_screen(ReadScreen(store, catalog, named, self.clock))

        screen.lanes.start("open", read, take)


def _has_transcript(found: Sighting) -> bool:
    """Not a session that only its chat knows, nor messages that are left of one."""
    return found.key is not None or found.path is not None


def _open_file(screen: LostScreen, found: Sighting) -> None:
    path, text = found.path, screen.search.wanted.text
    if path is None:
        return

    def take(read: str) -> None:
        screen.app.push_screen(BlockScreen(read, clean_line(str(path), 200), text))

    screen.lanes.start("open", lambda token: clean(file_text(path, token)), take)


def _copy(screen: LostScreen, command: str) -> None:
    if command:
        copy(screen, command, "command")
    else:
        screen.notify(NO_COMMAND, markup=False)

"""The file that the main screen shows: opened, watched, read again after a change, and edited.

It is watched by a look at sizes and times, never by a connection: the agent must not notice us.
Whatever goes wrong, the last good view stays, and the next look at the file tries again: the top
bar says how old the view is, and a toast says why and what to do.
"""

import gc
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from explorer.browse.first_read import Opened, Opening, Start
from explorer.browse.outlook import Outlook
from explorer.browse.profiles import present
from explorer.browse.refresh import Renewed
from explorer.browse.words import (
    TRIED_AGAIN,
    profile_remedy,
    profile_words,
    profiles_fact,
    unreadable_names,
)
from explorer.cancel import CancelToken
from explorer.errors import ExplorerError, Problem, StoreError
from explorer.keys.actions import ACTIONS
from explorer.left_open import LeftOpen, take
from explorer.model import StoreInfo
from explorer.render import veil
from explorer.render.clean import clean, clean_line
from explorer.render.figures import plural, size
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.discover import FoundStore
from explorer.stores.ours.notes import OurFiles
from explorer.stores.server_path import ServerPath
from explorer.stores.sqlite.failures import disagrees, short_path, store_error
from explorer.tui import words
from explorer.tui.key_bindings import keymap_of
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.search_bar import SearchBar
from explorer.tui.list.session_list import SessionList
from explorer.tui.list.upkeep_outlook import Foreseeing
from explorer.tui.reading.reading_pane import ReadingPane
from explorer.tui.screens.file_watcher import Watching
from explorer.tui.widgets.bars import KeyBar, TopBar
from explorer.tui.workers import Lanes

COMES_BACK = (Problem.UNREACHABLE, Problem.TIMED_OUT)
"""What is tried again by itself when the app starts: nobody need press a key for a server."""
TRY_AGAIN = 2.0
"""Seconds until then."""
OFFER_AGAIN = 1.0
"""Seconds after which a question that would interrupt typing is tried again."""


@dataclass
class Condition:
    """Shows the state of one file."""

    _screen: Screen[None]
    _top: TopBar
    _watching: Watching
    _now: Callable[[], float]
    _snapshot: bool = False
    _trouble: str = ""
    _damaged: tuple[str, ...] = ()
    """The names of the damaged files; an empty one for a file that is alone."""

    def say(self, opening: Opening) -> None:
        """Bring the bar up to date. A lock on one of several files is said of that one."""
        several = len(opening.found) > 1
        busy = opening.busy and not several
        state = opening.demo or self._trouble or (words.LOCKED if busy else "")
        state = state or (
            words.damaged_state(list(filter(None, self._damaged))) if self._damaged else ""
        )
        state = state or (words.SNAPSHOT if self._snapshot else "")
        state = state or self._liveness()
        self._top.state = " · ".join(filter(None, (words.PRIVATE if veil.drawn() else "", state)))
        if several:
            key = keymap_of(self._screen.app).key("profiles")
            missing = unreadable_names(opening.opened.store) if opening.opened else ()
            there = (
                present(opening.opened.store, opening.found) if opening.opened else opening.found
            )
            self._top.profiles = profiles_fact(len(there), len(missing), key)

    def _liveness(self) -> str:
        written = self._watching.written
        if written is None:
            return ""
        return words.file_state(written, self._now(), self._watching.live)

    def informed(self, info: StoreInfo, store: Store) -> None:
        """What is in it, and how large it is."""
        self._snapshot = info.snapshot
        found = {one.name: one.store for one in store.stores() if not one.sound}
        if not info.sound and not found:
            found = {"": store}
        for name in found.keys() - set(self._damaged):
            of = found[name]
            text, title = disagrees(of.profile if of else None), words.damaged_title(name)
            self._screen.notify(text, title=title, severity="warning", markup=False)
        self._damaged = tuple(found)
        # They stay in the list, and count there.
        last_read = sum(one.sessions or 0 for one in store.stores() if one.error is not None)
        amounts = (
            words.sessions_known(info.sessions, last_read),
            plural(info.messages, "message"),
            size(info.bytes + info.wal_bytes),
        )
        self._top.facts = " · ".join(amounts)

    def foreseen(self, outlook: Outlook | None) -> None:
        """What the agent is going to do by itself."""
        self._top.warning = outlook.warning if outlook else ()

    def failed(self, error: StoreError) -> None:
        """Something could not be read: said once, however often it is tried again."""
        if not self._trouble.startswith(error.title):
            self._trouble = words.last_read(error.title, self._now())
            message = words.GONE if error.problem is Problem.MISSING else error.message
            title, text = clean_line(error.title), clean(message)
            self._screen.notify(text, title=title, severity="error", markup=False)

    def recovered(self) -> bool:
        """It can be read; whether there was trouble before."""
        before, self._trouble = self._trouble, ""
        return bool(before)


if TYPE_CHECKING:
    from explorer.tui.edits.confirm import EditLane


class OpenFile:
    """Joins the file, the list and the transcript."""

    def __init__(
        self,
        screen: Screen[None],
        lanes: Lanes,
        start: Start,
        lister: Lister,
        shown: Callable[[], None],
    ) -> None:
        """`shown` is called when the first frame is out."""
        self._screen = screen
        self._lanes = lanes
        self._clock = start.clock
        self._lister = lister
        self._sessions = screen.query_one(SessionList)
        self._pane = screen.query_one(ReadingPane)
        self._shown = shown
        self.opening = start.opening
        self.opened: Opened | None = None
        self.info: StoreInfo | None = None
        self.editing: EditLane | None = None
        """Edits of it, once the user has asked for one."""
        self.watching = Watching(self, screen, lanes)
        top = screen.query_one(TopBar)
        self._condition = Condition(screen, top, self.watching, self._clock)
        self.foreseeing = Foreseeing(lanes, lister, self._clock, self._condition.foreseen)
        screen.set_interval(1.0, self._every_second)
        self._waiting = screen.set_interval(0.2, self._say_busy, pause=True)
        self._stay_on: int | None = None
        """The row to go back to when the same file is open again."""
        self._top = top
        self._say_file()
        self._unreadable: frozenset[str] = frozenset()
        """The profiles that could not be read when all was last read."""
        self._said: set[str] = set()
        """Those of them of which the user knows."""
        self._said_first = False
        top.state = self.opening.demo

    def _say_file(self) -> None:
        demo = bool(self.opening.demo)
        name = words.DEMO_FILE if demo else clean_line(short_path(_shown(self.opening)))
        self._top.file = name

    def switch_privacy(self) -> None:
        """Turn the privacy view on or off, and read everything again that is visible."""
        folder = self.opening.notes_path
        if self.opened is None or folder is None or not self.opening.ended:
            return
        on = not veil.drawn()

        def switch(token: CancelToken) -> None:
            # Late: only this view needs it.
            from explorer.stores.private.view import turn_off, turn_on

            if on:
                turn_on(folder.parent)
            else:
                turn_off()

        def reopen(_: None) -> None:
            said = words.PRIVACY_ON if on else words.PRIVACY_OFF
            self._screen.notify(said, title=words.PRIVACY_TITLE, markup=False)
            if on:
                # What was typed may be a name.
                bar = self._screen.query_one(SearchBar)
                bar.input.value, bar.history = "", []
            self.editing = None
            self._stay_on = self._sessions.cursor_row
            self._open_again()

        self._lanes.start("privacy", switch, reopen)

    def begin(self) -> None:
        self._sessions.note = words.READING
        if self.opening.opened is None:
            self._wait_for(self.opening)
        else:
            self._take_over(self.opening.opened)

    def stop(self) -> None:
        self.opening.cancel()
        if self.editing is not None:
            self.editing.stop()

    def edits(self) -> "EditLane | None":
        """Edits of this file; None before it is open."""
        if self.editing is None and self.opened is not None and self.opening.trash is not None:
            # Late, as all that only a key press needs: together 10 ms of the first frame.
            from explorer.tui.edits.confirm import EditLane

            ours = OurFiles(self.opening.trash, self._clock, self.opening.notes)
            edits = self.opened.store.edits(ours)
            self.editing = EditLane(
                *(self._screen, self._lanes, self._lister, edits, self._clock, self.edited),
                roots=self.opening.roots,
            )
        return self.editing

    def edited(self) -> None:
        """An edit of ours leaves no higher id: everything is read again."""
        self._lister.renew(self._renewed, whole=True)

    def _wait_for(self, opening: Opening) -> None:
        """Take over when the file is open; say so when another program keeps it busy."""
        self.opening = opening
        self._lanes.start("open", lambda _: opening.wait(), self._take_over)
        self._waiting.resume()

    def _say_busy(self) -> None:
        if self.opening.ended:
            self._waiting.pause()
        elif self.opening.busy:
            self._sessions.note = words.OPENING_LOCKED

    def _take_over(self, opened: Opened) -> None:
        before, self.opened = self.opened, opened
        row = self._sessions.current
        joined = before is not None and before.store.places != opened.store.places
        self._condition.recovered()
        if opened.trouble:
            self._screen.notify(clean(opened.trouble), title=words.NOTES_TITLE, markup=False)
        self._pane.reader.open(opened.store)
        if joined and before is not None:
            opened = self._as_it_was(opened, before.store)
        if self._stay_on is None:
            self._lister.selected.say_dropped(len(self._sessions.selection))
        self._lister.open(opened)
        if joined and before is not None and row is not None:
            store, own_key = before.store.home(row.key)
            key = opened.store.key_of(store.path, own_key)
            self._lister.cursor.go_to(row.key if key is None else key)
        self._say_file()
        if self._stay_on is not None:
            self._lister.cursor.go_back([self._stay_on], self._lister.cursor.moves)
            self._stay_on = None
        self.foreseeing.forget()
        self.info = None
        self.watching.start(opened.store, opened.seen, self.opening.look_for_more)
        self._screen.call_after_refresh(self._look_at_all)

    def failed(self, error: StoreError) -> None:
        """It could not be read, or not even opened."""
        if self.opened is None:
            self._ask_again(error)
            return
        name = self._profile_of(error)
        if name is not None:
            # The others can be read: the rest of the app goes on.
            self._say_unreadable(name, error)
            self._condition.say(self.opening)
            return
        self._condition.failed(error)
        self._lister.failed(error)
        self.watching.again = True
        self._condition.say(self.opening)

    def _profile_of(self, error: StoreError) -> str | None:
        """Which one of several profiles an error is about, unless none can be read."""
        troubles = self.opened.store.troubles if self.opened is not None else ()
        if len(troubles) == len(self.opening.found):
            return None
        return next((one.name for one in troubles if one.error is error), None)

    def _say_unreadable(self, name: str, error: StoreError) -> None:
        """Once, until it can be read again."""
        if name not in self._said:
            self._said.add(name)
            title = f"{profile_words(name)}: {clean_line(error.title)}"
            message = profile_remedy(error)
            self._screen.notify(message, title=title, severity="warning", markup=False)

    def _ask_again(self, error: StoreError) -> None:
        if error.problem in COMES_BACK:
            self._sessions.note = clean(f"{error.title}. {error.message} {TRIED_AGAIN}")
            self._top.state = clean_line(error.title)
            self._screen.set_timer(TRY_AGAIN, self._open_again)
            return
        # Late, as above.
        from explorer.tui.dialogs.base import ask_for
        from explorer.tui.dialogs.problem import ProblemScreen

        self._sessions.note = ""
        ask_for(self._screen, ProblemScreen(error), lambda _: self._open_again())

    def _open_again(self) -> None:
        self._wait_for(self.opening.again(self._clock()))

    def _look_at_all(self) -> None:
        """The first frame is out: now for the rest."""
        gc.freeze()
        gc.enable()
        self._condition.say(self.opening)
        self._shown()
        self._survey()
        trash = self.opening.trash
        if trash is not None and os.path.exists(trash) and (edits := self.edits()):
            from explorer.tui.edits.undo import look_after_crash

            look_after_crash(edits)
        notes = self.opening.notes
        if notes is not None and notes.made:
            self._lanes.start("left-open", lambda _: take(notes), self._offer)

    def _offer(self, left: LeftOpen) -> None:
        """Offer what was open when the app crashed: after the question about an interrupted change,
        and never while the user types."""
        if not left or self._lanes.put_off("crash", lambda: self._offer(left)):
            return
        # Late, as above.
        from explorer.tui.dialogs.attention import is_typing
        from explorer.tui.dialogs.questions import Question, ask

        lister, screen = self._lister, self._screen
        store, catalog = lister.store, lister.catalog
        if is_typing(screen.app) or catalog is None or store is None:
            screen.set_timer(OFFER_AGAIN, lambda: self._offer(left))
            return
        query = left.query.strip()

        def offer(known: tuple[int, str] | None) -> None:
            name = None if known is None else clean_line(known[1], 100)
            lines = words.left_open(clean_line(query, 100), name)
            if lines:
                # Ask first: what was open may be what the app crashed on.
                question = Question(words.CRASHED, "\n".join(lines), "Reopen")
                ask(screen, question, lambda: reopen(known))

        def reopen(known: tuple[int, str] | None) -> None:
            if query:
                screen.query_one(SearchBar).input.value = query
            elif known is not None:
                lister.reveal(known[0])

        self._lanes.start("left-open", lambda token: _known(store, catalog, left, token), offer)

    def changed(self) -> None:
        """It was written to."""
        if self.opened is None or self.opening.opened is not self.opened:
            # Another file is there that could not be opened yet.
            self.replaced()
        elif not self._lister.renew(self._renewed):
            self._survey()

    def quiet(self) -> None:
        """Nothing was written to it for a while."""
        if self.opening.opened is self.opened:
            self._lister.catch_up(self._renewed)

    def replaced(self) -> None:
        """Another file has this name now: open that one, and keep the last view until then."""
        if self.opening.ended:
            self._open_again()

    def gone(self) -> None:
        self.failed(store_error(Problem.MISSING, self.opening.path))

    def appeared(self, found: Sequence[FoundStore]) -> None:
        """Profiles were made since: list them too. A file that was alone is opened again with them,
        when the user is at nothing that this would disturb."""
        if self.opened is None or self.opening.opened is not self.opened:
            return
        if self.opening.demo:
            self._say_first(found[0].path)
            return
        if self.opening.take_in(found):
            self._say_file()
            self.changed()
        elif self._at_rest():
            self._wait_for(self.opening.again(self._clock(), found))
        else:
            return
        names = [profile_words(one.name) for one in found]
        self._screen.notify(words.also_listed(names), title=words.NEW_PROFILE, markup=False)

    def _say_first(self, path: Path) -> None:
        """The demo is open because there was no state file, and now there is one: said once."""
        if not self._said_first:
            self._said_first = True
            text = words.first_file(clean_line(short_path(path)))
            self._screen.notify(text, title=words.FIRST_FILE, markup=False)

    def _at_rest(self) -> bool:
        """Whether the user only looks at the list."""
        lister, list_ = self._lister, self._sessions
        busy = self._lanes.busy("edit") or bool(lister.searched or list_.selection)
        return self._screen.is_current and list_.has_focus and not busy

    def _as_it_was(self, opened: Opened, before: Store) -> Opened:
        """Have the files that were listed before listed among others in their order, and what was
        kept from a prune kept."""
        editing = self.editing
        self.editing = None
        if editing is not None and (now := self.edits()) is not None:
            now.kept = editing.kept if before.places else self._noted(opened.store, editing.kept)
            now.fresh = editing.fresh
        wish = self._lister.wish
        history = tuple(self._screen.query_one(SearchBar).history)
        remembered = opened.remembered._replace(
            sort=wish.sort, reverse=wish.reverse, searches=history
        )
        return opened._replace(remembered=remembered)

    def _noted(self, store: Store, ids: Iterable[str]) -> frozenset[str]:
        """Sessions of a file that was alone, as they are noted among others."""
        name = self.opening.found[0].name
        return frozenset(store.noted_as(name, id_) for id_ in ids)

    def _survey(self) -> None:
        self._lister.survey(self._surveyed)

    def _surveyed(self) -> None:
        self._condition.recovered()
        self._pane.reader.catalogued(self._lister.catalog)

    def informed(self, info: StoreInfo) -> None:
        """Everything was read: now for what can wait."""
        self.info = info
        if self.opened is not None:
            self._condition.informed(info, self.opened.store)
        self._condition.say(self.opening)
        refused = frozenset(action.id for action in ACTIONS if info.edits.get(action.change))
        self._screen.query_one(KeyBar).refused = refused
        self.foreseeing.begin()
        self._lister.look_for_files()

    def _renewed(self, renewed: Renewed) -> None:
        """It was read again."""
        reader = self._pane.reader
        if self._condition.recovered() or self._profile_recovered():
            self._lister.read_info()
            self._pane.transcript.retry()
            reader.catalogued(renewed.catalog)
        reader.renew(renewed)
        self.foreseeing.renew(renewed.catalog, renewed.touched or ())
        self._condition.say(self.opening)

    def _profile_recovered(self) -> bool:
        """Whether a profile can be read that could not be the last time."""
        store = self._lister.store
        now = frozenset(one.name for one in store.troubles) if store is not None else frozenset()
        before, self._unreadable = self._unreadable | self._said, now
        self._said &= now
        return not before <= now

    def _every_second(self) -> None:
        self._condition.say(self.opening)
        self.foreseeing.tick()
        if self.info is not None:
            self._lister.look_for_files()
        self._pane.transcript.set_class(self._pane.reader.is_old, "-old")
        now = self._clock()
        if now - self._sessions.now > 20:
            self._sessions.now = now


def _shown(opening: Opening) -> Path:
    """What the top bar names: the file, or the folder that all of several are in."""
    if len(opening.found) == 1:
        return opening.path
    folders = [os.path.dirname(os.path.abspath(one.path)) for one in opening.found]
    servers = [one.path for one in opening.found if isinstance(one.path, ServerPath)]
    if servers:
        # A folder says nothing of both a file and a server.
        alone = len(servers) == len(opening.found)
        return ServerPath(os.path.commonpath(folders)) if alone else opening.path
    try:
        return Path(os.path.commonpath(folders))
    except ValueError:
        # On several drives.
        return opening.path


def _known(
    store: Store, catalog: Catalog, left: LeftOpen, token: CancelToken
) -> tuple[int, str] | None:
    """The key and the name of the session that was open, if it still exists."""
    try:
        noted = store.noted_as(left.place, left.session)
        key = store.keys_of([noted], token).get(noted) if left.session else None
        if key is None or not catalog.has(key):
            return None
        found = store.sessions([catalog.single(key)], 0.0, token)
    except ExplorerError:
        return None
    return (key, found[0].name) if found else None

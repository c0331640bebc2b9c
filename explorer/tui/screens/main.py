"""The screen people live in: the list, the transcript, the search bar.

It joins widgets and store: a widget asks by a message, a lane reads in a thread, the result goes
back to the widget.
"""

import gc
import re

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import DescendantFocus, Resize
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from explorer.errors import StoreError
from explorer.model import Session, StoreInfo
from explorer.render.amounts import count, plural, size
from explorer.render.clean import clean_line
from explorer.resume import SAFE_ID
from explorer.store.catalog import Catalog
from explorer.store.failures import short_path
from explorer.tui import arranging
from explorer.tui.actions import bindings
from explorer.tui.arranging import Arranged
from explorer.tui.lanes import LaneDone, Lanes
from explorer.tui.opening import SHORT, Intent, Opened, Opening, Start
from explorer.tui.reader import Reader
from explorer.tui.resuming import Resuming
from explorer.tui.widgets.bars import KeyBar, TopBar
from explorer.tui.widgets.search_bar import SearchBar, SearchInput
from explorer.tui.widgets.session_list import SessionList
from explorer.tui.widgets.transcript import Transcript

NARROW = 100
"""Below this many columns there is one pane at a time."""
EMPTY = "No sessions here yet. Talk to your agent once, and they will be listed."
NOTHING_LEFT = "Every session is hidden. Press . to show them."
BUSY = "Another program is writing this file and has locked it. Trying again …"
NO_MATCH = "Nothing found. Escape clears the search."


class MainScreen(Screen[None]):
    """List and transcript."""

    BINDINGS = bindings("app")

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._start = start
        self._opening = start.opening
        self._now = start.now
        self._opened: Opened | None = None
        self._catalog: Catalog | None = None
        self._show_hidden = False
        self._painted = False
        """The first frame is out: until then nothing may keep it waiting."""
        self._lanes = Lanes(self, self._failed)

    def compose(self) -> ComposeResult:
        yield TopBar(id="top")
        yield SearchBar(id="search")
        with Horizontal(id="panes"):
            yield SessionList(self._now, id="list")
            yield Transcript(id="transcript")
        yield KeyBar(id="keys")

    @property
    def sessions(self) -> SessionList:
        return self.query_one(SessionList)

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    @property
    def top(self) -> TopBar:
        return self.query_one(TopBar)

    @property
    def search_bar(self) -> SearchBar:
        return self.query_one(SearchBar)

    def on_mount(self) -> None:
        self._reader = Reader(self.transcript, self._lanes)
        self._resuming = Resuming(self, self._lanes, self._start)
        demo = bool(self._opening.demo)
        self.top.file = (
            "an invented history" if demo else clean_line(short_path(self._opening.path))
        )
        self.top.state = self._opening.demo
        self.sessions.note = "Reading …"
        self._waiting = self.set_interval(0.2, self._say_busy, pause=True)
        self.set_focus(self.sessions)
        if self._opening.result is None:
            self._wait_for(self._opening)
        else:
            self._take_over(self._opening.result)

    def on_unmount(self) -> None:
        self._lanes.stop()

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")
        self.sessions.comfortable = event.size.height >= SHORT

    def on_lane_done(self, event: LaneDone) -> None:
        self._lanes.finish(event)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            said = f"{type(event.worker.error).__name__}: {event.worker.error}"
            self.notify(clean_line(said, 300), title="A bug", severity="error", markup=False)

    def _wait_for(self, opening: Opening) -> None:
        """Take over when the file is open; say so when another program keeps it busy."""
        self._opening = opening
        self._lanes.start("open", lambda _: opening.wait(), self._take_over)
        self._waiting.resume()

    def _say_busy(self) -> None:
        if self._opening.result is not None:
            self._waiting.pause()
        elif self._opening.busy:
            self.sessions.note = BUSY

    def _take_over(self, result: Opened | StoreError) -> None:
        if isinstance(result, StoreError):
            # Late, as all dialogs: together they take 10 ms from the first frame.
            from explorer.tui.screens.problem import ProblemScreen

            self.app.push_screen(ProblemScreen(result), self._try_again)
            return
        self._opened = result
        self._reader.open(result.store)
        rows = result.rows
        self.sessions.add_rows(rows)
        groups = arranging.first_groups(rows, self._now)
        self._list(Arranged([row.key for row in rows], groups, {}), counted=False)
        self.call_after_refresh(self._look_at_all)

    def _try_again(self, again: bool | None) -> None:
        if again:
            self._wait_for(self._opening.again(self._now))

    def _look_at_all(self) -> None:
        """What the first page left open: the exact order, the hidden ones, the counts."""
        if self._opened is None:
            return
        gc.freeze()
        gc.enable()
        self._painted = True
        if self.sessions.cursor_key is not None:
            self._follow(SessionList.Highlighted(self.sessions.cursor_key))
        store = self._opened.store
        self._lanes.start("catalog", lambda token: store.catalog(token), self._catalogued)
        self._lanes.start("info", lambda token: store.info(token), self._informed)

    def _catalogued(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._arrange()
        self._reader.catalogued(catalog)

    def _informed(self, info: StoreInfo) -> None:
        self.top.facts = " · ".join(
            (
                plural(info.sessions, "session"),
                plural(info.messages, "message"),
                size(info.bytes + info.wal_bytes),
            )
        )

    def _arrange(self) -> None:
        """List what the search bar asks for, or everything."""
        if self._opened is None or self._catalog is None:
            return
        store, catalog = self._opened.store, self._catalog
        text, hidden, now = self.search_bar.input.value, self._show_hidden, self._now
        if text.strip():
            self._lanes.start(
                "order",
                lambda token: arranging.search(store, catalog, text, hidden, token),
                self._list,
            )
        else:
            self._lanes.start(
                "order", lambda _: arranging.arrange(catalog, hidden, now), self._list
            )

    def _list(self, arranged: Arranged, counted: bool = True) -> None:
        found = arranged.found
        total = len(self._catalog) if self._catalog else 0
        self.sessions.border_title = Content("Found" if found else "Sessions · by last active")
        self.sessions.note = NO_MATCH if found else NOTHING_LEFT if total else EMPTY
        self.sessions.show(arranged.order, arranged.groups)
        if not arranged.order:
            self._reader.forget()
        words = arranging.in_words(len(arranged.order), total, arranged.hidden)
        self.sessions.border_subtitle = Content(
            words if counted else f"{count(len(arranged.order))} of … · hidden: …"
        )
        self.search_bar.say(self._outcome(arranged) if found else "")

    def _outcome(self, arranged: Arranged) -> str:
        found = arranged.found
        if found is None:
            return ""
        more = "" if found.complete else "+"
        words = f"{count(found.total)}{more} hits in {plural(len(arranged.order), 'session')}"
        return f"{words} · by scanning" if found.mode == "scan" else words

    @on(SessionList.RowsWanted)
    def _read_rows(self, event: SessionList.RowsWanted) -> None:
        if self._opened is None or self._catalog is None:
            return
        store, now = self._opened.store, self._now
        units = [self._catalog.folded(key) for key in event.keys if self._catalog.has(key)]
        self._lanes.start("rows", lambda token: store.sessions(units, now, token), self._add_rows)

    def _add_rows(self, rows: list[Session]) -> None:
        self.sessions.add_rows(rows)
        key = self.sessions.cursor_key
        row = self.sessions.row(key) if key is not None else None
        if row is not None and (self._reader.session is None or self._reader.session.key != key):
            self._reader.read(row, self._catalog)

    @on(SessionList.Highlighted)
    def _follow(self, event: SessionList.Highlighted) -> None:
        row = self.sessions.row(event.key)
        if row is not None and self._painted:
            self._reader.read(row, self._catalog)

    @on(Transcript.ItemsWanted)
    def _read_items(self, event: Transcript.ItemsWanted) -> None:
        self._reader.read_items(event)

    @on(Transcript.Moved)
    def _say_where(self, event: Transcript.Moved) -> None:
        self._reader.say_where(event)

    @on(Transcript.BlockWanted)
    def _open_block(self, event: Transcript.BlockWanted) -> None:
        if event.laid.message is not None:
            from explorer.tui.screens.block import BlockScreen

            self.app.push_screen(BlockScreen(event.laid.message, event.key))

    @on(SessionList.Opened)
    def _choose(self, event: SessionList.Opened) -> None:
        row = self.sessions.row(event.key)
        if self._start.intent is Intent.READ or row is None:
            self._enter_transcript()
        elif self._start.intent is Intent.PICK:
            self.action_resume()
        elif re.fullmatch(SAFE_ID, row.tip_id):
            self.app.exit(row.tip_id)
        else:
            self.notify("Its id holds characters that are not safe to print.", markup=False)

    def _enter_transcript(self) -> None:
        self.add_class("-reading")
        self.set_focus(self.transcript)

    @on(Transcript.LeaveWanted)
    def _leave_transcript(self) -> None:
        self.remove_class("-reading")
        self.set_focus(self.sessions)

    @on(Input.Changed, "#query")
    def _search(self) -> None:
        self._arrange()

    @on(Input.Submitted, "#query")
    @on(SearchInput.LeaveWanted)
    def _leave_search(self) -> None:
        self.remove_class("-reading")
        self.set_focus(self.sessions)

    @on(DescendantFocus)
    def _say_keys(self) -> None:
        scopes = {"query": "search", "transcript": "transcript"}
        focused = self.focused.id if self.focused else None
        self.query_one(KeyBar).scope = scopes.get(focused or "", "list")

    def _failed(self, error: StoreError) -> None:
        """The last good view stays; the bar says what is wrong with the file."""
        self.top.state = error.title
        self.notify(error.message, title=error.title, severity="error", markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A slash that is typed into the search bar is a slash."""
        return not (action == "search" and isinstance(self.focused, Input))

    def action_search(self) -> None:
        self.remove_class("-reading")
        self.set_focus(self.search_bar.input)

    def action_pane(self) -> None:
        if self.focused is self.transcript:
            self._leave_transcript()
        else:
            self._enter_transcript()

    def action_resume(self) -> None:
        """Hand the session under the cursor to its agent."""
        row = self.sessions.row(self.sessions.cursor_key or 0)
        if row is not None and self._opened is not None:
            self._resuming.start(self._opened.store, row)

    def action_hidden(self) -> None:
        self._show_hidden = not self._show_hidden
        self._arrange()

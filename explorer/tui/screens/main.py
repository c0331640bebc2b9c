"""The screen people live in: the list, the transcript, the search bar.

It joins widgets and store: a widget asks by a message, a lane reads in a thread, the result goes
back to the widget.
"""

import gc
import os
import re

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import DescendantFocus, Resize
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from explorer.browse.first_read import Intent, Opened, Opening, Start
from explorer.browse.refresh import Renewed
from explorer.errors import Problem, StoreError
from explorer.left_open import LeftOpen, take
from explorer.model import SAFE_ID, StoreInfo
from explorer.render.clean import clean, clean_line
from explorer.stores.sqlite.failures import short_path, store_error
from explorer.tui.keys.actions import bindings, scope_of
from explorer.tui.list.chip_bar import ChipBar
from explorer.tui.list.completions import Offering
from explorer.tui.list.file_status import Condition
from explorer.tui.list.file_watcher import Watching
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.search_bar import SearchBar, SearchInput
from explorer.tui.list.session_list import SessionList
from explorer.tui.list.upkeep_outlook import Foreseeing
from explorer.tui.reading.find_bar import FindInput
from explorer.tui.reading.reading_pane import ReadingPane
from explorer.tui.reading.transcript_view import Transcript
from explorer.tui.screens.acting import ActingScreen
from explorer.tui.widgets.bars import KeyBar, TopBar
from explorer.tui.workers import LaneDone, Lanes

NARROW = 100
"""Below this many columns there is one pane at a time."""
TINY = 8
"""Below this many lines the bars give way to the sessions."""
FOLLOWS = 0.15
"""Seconds after which the transcript follows what is being typed: reading it beside the results
would have them painted twice as late."""
OFFER_AGAIN = 1.0
"""Seconds after which a question that found somebody typing is tried again."""
BUSY = "Another program is writing this file and has locked it. Trying again …"


class MainScreen(ActingScreen):
    """List and transcript."""

    BINDINGS = bindings("app")

    top = getters.query_one(TopBar)

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._start = start
        self._opening = start.opening
        self._clock = start.clock
        self._opened: Opened | None = None
        self._painted = False
        """The first frame is out: until then nothing may keep it waiting."""
        self._lanes = Lanes(self, self._failed)
        self._editing = None
        self._info = None

    def compose(self) -> ComposeResult:
        yield TopBar(id="top")
        yield SearchBar(id="search")
        yield ChipBar(id="chips")
        with Horizontal(id="panes"):
            yield SessionList(self._clock(), id="list")
            yield ReadingPane(id="reading")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.pane.set_up(self, self._lanes, self._clock)
        self._reader = self.pane.reader
        self._lister = Lister(
            self.sessions,
            self.search_bar,
            self.query_one(ChipBar),
            self._lanes,
            self._clock,
            self._read,
            self._informed,
        )
        keys = self.query_one(KeyBar)
        self.search_bar.offering = Offering(self.search_bar, keys, self._lister, self._lanes)
        self._watching = Watching(
            self,
            self._lanes,
            self._clock,
            changed=self._file_changed,
            gone=self._file_gone,
            replaced=self._file_replaced,
        )
        self._condition = Condition(self, self.top, self._watching, self._clock)
        self._foreseeing = Foreseeing(
            self._lanes, self._lister, self._clock, self._condition.foreseen
        )
        self.set_interval(1.0, self._every_second)
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
        self._opening.cancel()
        if self._editing is not None:
            self._editing.stop()
        self._lanes.stop()

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.height < TINY, "-tiny")
        self.sessions.fit_to(event.size.height)
        self.call_after_refresh(self._lister.say_counts)

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
        if isinstance(result, StoreError) and self._opened is not None:
            self._failed(result)
            return
        if isinstance(result, StoreError):
            # Late, as all dialogs: together they take 10 ms from the first frame.
            from explorer.tui.screens.problem import ProblemScreen

            self.app.push_screen(ProblemScreen(result), self._try_again)
            return
        self._opened = result
        self._condition.recovered()
        if result.trouble:
            self.notify(clean(result.trouble), title="Our own notes", markup=False)
        self.pane.open(result.store)
        self._lister.open(result)
        self._foreseeing.forget()
        self._info = None
        self.search_bar.history = list(result.remembered.searches)
        self._watching.start(result.store.path, result.seen)
        self.call_after_refresh(self._look_at_all)

    def _try_again(self, again: bool | None) -> None:
        if again:
            self._wait_for(self._opening.again(self._clock()))

    def _look_at_all(self) -> None:
        """The first frame is out: now for the rest."""
        gc.freeze()
        gc.enable()
        self._painted = True
        self._condition.say(self._opening)
        self._read()
        self._survey()
        trash = self._opening.trash
        if trash is not None and os.path.exists(trash) and (edits := self._edits()):
            edits.taking_back.look_after_crash()
        notes = self._opening.notes
        if notes is not None and notes.made:
            self._lanes.start("left-open", lambda _: take(notes), self._offer)

    def _offer(self, left: LeftOpen) -> None:
        """Offer what was open when the app crashed, after what is half done, and to nobody who
        types."""
        if not left or self._lanes.put_off("crash", lambda: self._offer(left)):
            return
        # Late, as all dialogs.
        from explorer.tui.attention import is_typing
        from explorer.tui.reopen_after_crash import Reopening

        if is_typing(self.app) or self._lister.catalog is None:
            self.set_timer(OFFER_AGAIN, lambda: self._offer(left))
            return
        Reopening(self, self._lanes, self._lister).offer(left)

    def _file_changed(self) -> None:
        if self._opened is None or self._opening.result is not self._opened:
            # Another file is there that could not be opened yet.
            self._file_replaced()
        elif not self._lister.renew(self._renewed):
            self._survey()

    def _survey(self) -> None:
        self._lister.survey(self._surveyed)

    def _informed(self, info: StoreInfo) -> None:
        """All was read: now for what nobody waits for."""
        self._info = info
        self._condition.informed(info)
        self._foreseeing.begin()

    def _surveyed(self) -> None:
        self._condition.recovered()
        self._reader.catalogued(self._lister.catalog)

    def _renewed(self, renewed: Renewed) -> None:
        if self._condition.recovered():
            self.transcript.retry()
            self._reader.catalogued(renewed.catalog)
        self._reader.renew(renewed.catalog, renewed.touched)
        self._foreseeing.renew(renewed.catalog, renewed.touched or ())
        self._condition.say(self._opening)

    def _file_gone(self) -> None:
        self._failed(store_error(Problem.MISSING, self._opening.path))

    def _file_replaced(self) -> None:
        """Another file is there under this name: begin anew, the last view staying till then."""
        if self._opening.result is not None:
            self._wait_for(self._opening.again(self._clock()))

    def _every_second(self) -> None:
        self._condition.say(self._opening)
        self._foreseeing.tick()
        self.transcript.set_class(self._reader.waits, "-old")
        now = self._clock()
        if now - self.sessions.now > 20:
            self.sessions.now = now

    def on_app_blur(self) -> None:
        self._watching.in_background = True

    def on_app_focus(self) -> None:
        self._watching.in_background = False

    @on(SessionList.RowsWanted)
    def _read_rows(self, event: SessionList.RowsWanted) -> None:
        self._lister.read_rows(event)

    @on(SessionList.SelectionChanged)
    def _say_selection(self) -> None:
        self._lister.say_selection()

    @on(ChipBar.Removed)
    def _take_off(self, event: ChipBar.Removed) -> None:
        self._lister.take_off(event.name)

    @on(SessionList.Highlighted)
    def _read(self) -> None:
        """Show the session under the cursor; while somebody types, when a moment is quiet."""
        if isinstance(self.focused, SearchInput):
            self._lanes.start("follow", lambda token: token.wait(FOLLOWS), lambda _: self._follow())
        else:
            self._lanes.cancel("follow")
            self._follow()

    def _follow(self) -> None:
        row, alone = self.sessions.current, self.sessions.on_a_part
        if row is None:
            if not self.sessions.order:
                self._reader.forget()
        elif self._painted:
            hit = self.sessions.hit(self.sessions.cursor_row)
            self.pane.read(row, self._lister.catalog, alone, hit, self._lister.matcher)

    @on(SessionList.Opened)
    def _choose(self, event: SessionList.Opened) -> None:
        row = self.sessions.row(event.row)
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
        self._lister.when_listed(None)
        self._lister.arrange()

    @on(SearchInput.Stepped)
    def _step(self, event: SearchInput.Stepped) -> None:
        """Move through the results while typing."""
        if event.pages:
            self.sessions.action_page(event.pages)
        else:
            self.sessions.action_move(event.rows)

    @on(Input.Submitted, "#query")
    def _open_result(self, event: Input.Submitted) -> None:
        self.search_bar.remember(event.value)
        if event.value.strip():
            self._choosing().remember_searches(self.search_bar.history)
        moves = self.sessions.moves

        def open_it() -> None:
            typing = self.is_active and isinstance(self.focused, SearchInput)
            if not typing or self.sessions.moves != moves:
                # Somebody has gone on.
                return
            if self.sessions.order:
                self.sessions.action_open()
            else:
                self._leave_search()

        # What is listed may still be from before the last letters.
        self._lister.when_listed(open_it)

    @on(ReadingPane.SessionWanted)
    def _next_result(self, event: ReadingPane.SessionWanted) -> None:
        self.sessions.action_move(event.step)

    @on(SearchInput.LeaveWanted)
    def _leave_search(self) -> None:
        self.remove_class("-reading")
        self.set_focus(self.sessions)

    @on(DescendantFocus)
    def _say_keys(self) -> None:
        self.query_one(KeyBar).scope = scope_of(self.focused.id if self.focused else None)
        typing = isinstance(self.focused, SearchInput)
        self.query_one(ChipBar).expecting = typing and not self.has_class("-tiny")

    def open_now(self) -> LeftOpen:
        """What the next start may offer, should this one crash."""
        row = self.sessions.current
        return LeftOpen(self.search_bar.input.value, row.tip_id if row is not None else "")

    def step_back(self) -> bool:
        """Stop what is being done, or go back to the list; False where there is nothing to stop
        and this is the list."""
        if self._editing is not None and self._editing.stop():
            return True
        if self._lanes.busy("plan"):
            self._lanes.cancel("plan")
        elif isinstance(self.focused, FindInput):
            self.focused.action_leave()
        elif self.focused is self.sessions:
            return False
        else:
            self._leave_transcript()
        return True

    def _failed(self, error: StoreError) -> None:
        """The last good view stays, and it is tried again with the next look at the file."""
        self._condition.failed(error)
        self._lister.failed(error)
        self._watching.look_again()
        self._condition.say(self._opening)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A slash that is typed into the search bar is a slash."""
        return not (action == "search" and isinstance(self.focused, Input))

    def action_search(self) -> None:
        self.remove_class("-reading")
        self.set_focus(self.search_bar.input)

    async def action_find(self) -> None:
        await self.pane.find()

    def action_pane(self) -> None:
        if self.focused is self.transcript:
            self._leave_transcript()
        else:
            self._enter_transcript()

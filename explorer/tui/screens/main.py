"""The main screen: the list, the transcript, the search bar.

It joins widgets and store: a widget asks by a message, a lane reads in a thread, the result goes
back to the widget. What only a key press needs is loaded with the first key: that saves 10 ms of
the first frame.
"""

import re
from typing import TYPE_CHECKING

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.events import DescendantFocus, Resize
from textual.screen import Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from explorer.browse.first_read import Intent, Start
from explorer.external_programs import Program
from explorer.left_open import LeftOpen
from explorer.model import SAFE_ID, Action
from explorer.render.clean import clean_line
from explorer.tui.key_bindings import bindings, scope_of
from explorer.tui.list.completions import Offering
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.search_bar import ChipBar, SearchBar, SearchInput
from explorer.tui.list.session_list import SessionList
from explorer.tui.reading.find_bar import FindInput
from explorer.tui.reading.reading_pane import ReadingPane
from explorer.tui.reading.transcript_view import Transcript
from explorer.tui.screens.open_file import OpenFile
from explorer.tui.themes import NARROW
from explorer.tui.widgets.bars import KeyBar, TopBar
from explorer.tui.words import DEMO_RESUME, UNEXPECTED, UNSAFE_ID, UPKEEP_UNKNOWN
from explorer.tui.workers import Lanes

if TYPE_CHECKING:
    from explorer.tui.list.list_options import Choosing
    from explorer.tui.reading.open_elsewhere import ChosenSession

TINY = 8
"""Below this many lines the bars are hidden."""
FOLLOWS = 0.15
"""Seconds after which the transcript follows what is being typed: reading it at the same time would
paint the results twice as late."""


class MainScreen(Screen[None]):
    """List and transcript."""

    BINDINGS = bindings("app")

    search_bar = getters.query_one(SearchBar)
    sessions = getters.query_one(SessionList)
    pane = getters.query_one(ReadingPane)
    transcript = getters.query_one(Transcript)
    top = getters.query_one(TopBar)
    file: OpenFile

    def __init__(self, start: Start) -> None:
        super().__init__()
        self._start = start
        self._clock = start.clock
        self._painted = False
        """The first frame is out: until then nothing may keep it waiting."""
        self._lanes = Lanes(self, lambda error: self.file.failed(error))

    def compose(self) -> ComposeResult:
        yield TopBar(id="top")
        yield SearchBar(id="search")
        yield ChipBar(id="chips")
        with Horizontal(id="panes"):
            yield SessionList(self._clock(), id="list")
            yield ReadingPane(id="reading")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.pane.set_up(self._lanes, self._clock)
        self._reader = self.pane.reader
        self._lister = Lister(
            self, self._lanes, self._clock, self._read, lambda info: self.file.informed(info)
        )
        keys = self.query_one(KeyBar)
        self._offering = Offering(self.search_bar, keys, self._lister, self._lanes)
        self.file = OpenFile(self, self._lanes, self._start, self._lister, self._shown)
        self.set_focus(self.sessions)
        self.file.begin()

    def on_unmount(self) -> None:
        self.file.stop()
        self._lanes.stop()

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.height < TINY, "-tiny")
        self.sessions.fit_to(event.size.height)
        self.call_after_refresh(self._lister.say_counts)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            said = f"{type(event.worker.error).__name__}: {event.worker.error}"
            self.notify(clean_line(said, 300), title=UNEXPECTED, severity="error", markup=False)

    def on_app_blur(self) -> None:
        self.file.watching.in_background = True

    def on_app_focus(self) -> None:
        self.file.watching.in_background = False

    def _shown(self) -> None:
        self._painted = True
        self._read()

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
        """Show the session under the cursor; while the user types, after a pause."""
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
            hit = self.sessions.known.hit(self.sessions.cursor_row)
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
            self.notify(UNSAFE_ID, markup=False)

    def _enter_transcript(self) -> None:
        self.add_class("-reading")
        self.set_focus(self.transcript)

    @on(Transcript.LeaveWanted)
    @on(SearchInput.LeaveWanted)
    def _to_list(self) -> None:
        self.remove_class("-reading")
        self.set_focus(self.sessions)

    @on(Input.Changed, "#query")
    def _search(self) -> None:
        self._offering.typed()
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
        moves = self.sessions.cursor.moves

        def open_it() -> None:
            typing = self.is_active and isinstance(self.focused, SearchInput)
            if not typing or self.sessions.cursor.moves != moves:
                # The user has moved on.
                return
            if self.sessions.order:
                self.sessions.action_open()
            else:
                self._to_list()

        # What is listed may still be from before the last letters.
        self._lister.when_listed(open_it)

    @on(ReadingPane.SessionWanted)
    def _next_result(self, event: ReadingPane.SessionWanted) -> None:
        self.sessions.action_move(event.step)

    @on(DescendantFocus)
    def _say_keys(self) -> None:
        self.query_one(KeyBar).scope = scope_of(self.focused.id if self.focused else None)
        typing = isinstance(self.focused, SearchInput)
        self.query_one(ChipBar).expecting = typing and not self.has_class("-tiny")
        self._lister.say_counts()

    def open_now(self) -> LeftOpen:
        """What the next start may offer, should this one crash."""
        row = self.sessions.current
        return LeftOpen(self.search_bar.input.value, row.tip_id if row is not None else "")

    def step_back(self) -> bool:
        """Stop what is being done, or go back to the list; False where there is nothing to stop
        and this is the list."""
        if self.file.editing is not None and self.file.editing.stop():
            return True
        if self._lanes.busy("plan"):
            self._lanes.cancel("plan")
        elif isinstance(self.focused, FindInput):
            self.focused.action_leave()
        elif self.focused is self.sessions:
            return False
        else:
            self._to_list()
        return True

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
            self._to_list()
        else:
            self._enter_transcript()

    def action_complete(self) -> None:
        """What the search bar could become; where there is nothing, on to the other pane."""
        if not self._offering.take():
            self.action_pane()

    def action_match(self, step: int) -> None:
        self.pane.to_match(step)

    def action_resume(self) -> None:
        """Hand the session under the cursor to its agent."""
        row = self.sessions.current
        store = self._lister.store
        if self.file.opening.demo:
            self.notify(DEMO_RESUME, markup=False)
        elif row is not None and store is not None:
            from explorer.tui.agent_commands import resume

            resume(self, self._lanes, self._start, store, row, self._lister.catalog)

    def _choosing(self) -> "Choosing":
        from explorer.tui.list.list_options import Choosing

        return Choosing(self, self._lanes, self._lister, self.file.opening.notes)

    def _chosen(self) -> "ChosenSession | None":
        """What is being read, or else what is under the cursor."""
        from explorer.tui.reading.open_elsewhere import ChosenSession

        session, alone = self.sessions.current, self.sessions.on_a_part
        if self.focused is self.transcript:
            session, alone = self._reader.session, self._reader.alone
        store = self._lister.store
        if store is None or session is None:
            return None
        return ChosenSession(store, self._lister.catalog, session, alone, self._clock())

    def action_details(self) -> None:
        if chosen := self._chosen():
            chosen.show_details(self, self._lanes)

    def action_read_in(self, program: str) -> None:
        if chosen := self._chosen():
            chosen.read_in(Program(program), self, self._lanes)

    def action_edit(self, name: str) -> None:
        """Change something, by its name in the table of actions."""
        if edits := self.file.edits():
            from explorer.tui.edits.edit_controller import act

            act(edits, Action(name), self.sessions)

    def action_undo(self) -> None:
        if edits := self.file.edits():
            from explorer.tui.edits.undo import undo

            undo(edits)

    def action_trash(self) -> None:
        if edits := self.file.edits():
            from explorer.tui.edits.trash import show_trash

            show_trash(edits)

    def action_lineage(self) -> None:
        row = self.sessions.current
        if row is not None:
            self._choosing().lineage(row.key, self._clock())

    def action_sort(self) -> None:
        self._choosing().sort()

    def action_filter(self) -> None:
        self._choosing().filters(self._clock)

    def action_pin(self) -> None:
        edits, store = self.file.edits(), self._lister.store
        if edits is not None and store is not None and store.keeps_pins:
            self.action_edit(Action.PIN)
        else:
            self._choosing().pin(self.sessions.chosen(), self.sessions.chosen_ids())

    def action_keep(self) -> None:
        """Pin what the agent is about to delete."""
        edits, outlook, info = self.file.edits(), self.file.foreseeing.outlook, self.file.info
        if edits is None or outlook is None or info is None:
            self.notify(UPKEEP_UNKNOWN, markup=False)
        else:
            from explorer.tui.edits.pins import offer_pins

            offer_pins(edits, outlook, info.edits.get(Action.PIN))

    def action_hidden(self) -> None:
        self._lister.toggle_hidden()

    def action_unfold(self) -> None:
        self._lister.toggle_inside()

    def action_unfilter(self) -> None:
        names = [chip.name for chip in self.query_one(ChipBar).chips if chip.name]
        if names:
            self._lister.take_off(names[-1])

    def action_unwind(self) -> None:
        """Step back: out of the search, then out of the selection."""
        if self.search_bar.input.value:
            self.search_bar.input.value = ""
        elif (before := self._lister.cursor.step_back()) is not None:
            self.sessions.go_to(before)
        elif self.sessions.selection:
            self.sessions.selection.clear()
            self.sessions.refresh()
            self._lister.say_selection()

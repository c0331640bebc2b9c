"""The main screen: the list, the transcript, the search bar.

It joins widgets and store: a widget asks by a message, a lane reads in a thread, the result goes
back to the widget. What only a key press needs is loaded with the first key: that saves 10 ms of
the first frame.
"""

import re
from typing import TYPE_CHECKING

from textual import getters, on
from textual.app import ComposeResult
from textual.events import DescendantFocus, Resize
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from explorer.browse.first_read import DENSITY_CHOICE, SHORT, Intent, Start
from explorer.browse.row_columns import ColumnChoice
from explorer.cancel import CancelToken
from explorer.external_programs import Program
from explorer.keys.actions import ACTIONS, BY_ID, KeyAction
from explorer.left_open import LeftOpen
from explorer.model import SAFE_ID, Action, Session
from explorer.render.clean import clean_line
from explorer.settings import ABSOLUTE
from explorer.stores.base import Store
from explorer.stores.sqlite.failures import short_path
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of, scope_of
from explorer.tui.list.completions import Offering
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.search_bar import ChipBar, SearchBar, SearchInput
from explorer.tui.list.session_list import SessionList
from explorer.tui.reading.find_bar import FindInput
from explorer.tui.reading.reading_pane import ReadingPane
from explorer.tui.reading.transcript_view import Transcript
from explorer.tui.screens.obstacles import Situation, is_offered, why_not
from explorer.tui.screens.open_file import OpenFile
from explorer.tui.themes import NARROW
from explorer.tui.widgets.bars import KeyBar, TopBar
from explorer.tui.widgets.panes import Panes
from explorer.tui.widgets.welcome import Welcome
from explorer.tui.words import (
    NO_TRASH,
    NOTHING_TO_READ,
    PICK,
    PICK_LABELS,
    PRINT,
    PRINT_LABELS,
    READING_FILE,
    UNEXPECTED,
    UNSAFE_ID,
    UPKEEP_UNKNOWN,
    WHOLE_WIDTH,
    no_more_matches,
    search_to,
)
from explorer.tui.workers import Lanes, say

if TYPE_CHECKING:
    from explorer.tui.edits.confirm import EditLane
    from explorer.tui.list.list_options import Choosing
    from explorer.tui.reading.open_elsewhere import ChosenSession

TINY = 8
"""Below this many lines the bars are hidden."""
SHORT_OF_WELCOME = 16
"""Below this many lines the sessions need the room of the welcome."""
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
        self._kept: tuple[int, int] | None = None
        """(key of a session that was archived while reading it, how often the cursor had been moved
        by then): it stays open when it leaves the list, so that the same key takes it back."""
        self._lanes = Lanes(self, lambda error: self.file.failed(error))

    def compose(self) -> ComposeResult:
        yield TopBar(id="top")
        yield SearchBar(id="search")
        yield ChipBar(id="chips")
        if self._start.looked:
            first, *others = self._start.looked
            where = [clean_line(short_path(first)), *(path.name for path in others)]
            yield Welcome(where, self._start.left)
        with Panes(id="panes"):
            yield SessionList(self._clock(), id="list", density=self._start.look.density)
            yield ReadingPane(id="reading")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self.pane.set_up(self._lanes, self._clock, self._result_beside)
        self._reader = self.pane.reader
        self._lister = Lister(
            self, self._lanes, self._clock, self._read, lambda info: self.file.informed(info)
        )
        keys, chips = self.query_one(KeyBar), self.query_one(ChipBar)
        self._offering = Offering(self.search_bar, keys, chips, self._lister, self._lanes)
        self.file = OpenFile(self, self._lanes, self._start, self._lister, self._shown)
        config = self._start.config
        self.sessions.columns = ColumnChoice(
            chosen=config.columns, absolute=config.time == ABSOLUTE
        )
        if self._start.intent is not Intent.READ:
            self._say_intent(self._start.intent)
        self.set_focus(self.sessions)
        self.file.begin()

    def _say_intent(self, intent: Intent) -> None:
        """What enter does here, in all places that name it."""
        purpose, labels = {Intent.PICK: (PICK, PICK_LABELS), Intent.PRINT: (PRINT, PRINT_LABELS)}[
            intent
        ]
        self.top.purpose = purpose
        self.query_one(KeyBar).labels = labels
        self.search_bar.input.placeholder = search_to(labels["read"])

    def on_unmount(self) -> None:
        self.file.stop()
        self._lanes.stop()

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.height < TINY, "-tiny")
        self.set_class(event.size.height < SHORT_OF_WELCOME, "-short")
        self.query_one(ChipBar).roomy = event.size.height >= SHORT
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

    @on(SessionList.DensityChosen)
    def _keep_density(self, event: SessionList.DensityChosen) -> None:
        self.keep_choice(DENSITY_CHOICE, event.density)

    def keep_choice(self, name: str, value: str) -> None:
        """Remember a look for the next start."""
        notes = self._start.choices
        if notes is not None:
            self._lanes.start(
                "notes",
                lambda _: notes.choose(name, value),
                lambda _: None,
                lambda error: say(self, error),
                queued=True,
            )

    @on(SessionList.BorderClicked)
    def _click_border(self, event: SessionList.BorderClicked) -> None:
        """Above: how many are selected, and the order. Below: what is hidden."""
        if event.below:
            self._lister.toggle_hidden()
        elif self.sessions.selection and event.column < str(self.sessions.border_title).find(" · "):
            self.sessions.action_unselect()
        else:
            self.action_sort()

    @on(SessionList.SelectionChanged)
    def _say_selection(self) -> None:
        self._lister.selected.note(self._lister.store)
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
        if self._keeps_reading():
            return
        if row is None:
            if not self.sessions.order:
                self._reader.forget()
            elif error := self._lister.error_of(self.sessions.cursor_row):
                self._reader.say_unreadable(error)
        elif self._painted:
            hit = self.sessions.known.hit(self.sessions.cursor_row)
            self.pane.read(row, self._lister.catalog, alone, hit, self._lister.matcher)

    def _keeps_reading(self) -> bool:
        """Whether what was archived stays open: while it exists, until the user goes elsewhere."""
        catalog, session = self._lister.catalog, self._reader.session
        return (
            session is not None
            and self._kept == (session.key, self.sessions.cursor.moves)
            and catalog is not None
            and catalog.has(session.key)
        )

    def _let_go(self) -> None:
        """Back in the list or in the search: what is under the cursor is shown again."""
        if self._kept is not None and self.focused in (self.sessions, self.search_bar.input):
            self._kept = None
            self._read()

    @on(SessionList.Opened)
    def _choose(self, event: SessionList.Opened) -> None:
        row = self.sessions.row(event.row)
        if self._start.intent is Intent.READ or row is None:
            self._enter_transcript()
        elif self._start.intent is Intent.PICK:
            self.action_resume()
        elif re.fullmatch(SAFE_ID, row.tip_id):
            self._print(row)
        else:
            self.notify(UNSAFE_ID, markup=False)

    def _print(self, row: Session) -> None:
        """Quit with an id that means this session alone: the commands take it as it is."""
        store = self._lister.store
        if store is None or not row.place:
            self.app.exit(row.tip_id)
            return

        def work(token: CancelToken) -> bool:
            return len(store.find(row.tip_id, token)) > 1

        def leave(ambiguous: bool) -> None:
            self.app.exit(f"{row.place}/{row.tip_id}" if ambiguous else row.tip_id)

        self._lanes.start("print", work, leave)

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
        self._say_typing()
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
        place = self.sessions.cursor.place
        if event.step > 0 and self._keeps_reading() and self.sessions.current:
            # What is read has left the list: the cursor is on the next one already.
            self._kept = None
            self._read()
            return
        self.sessions.action_move(event.step)
        if self.sessions.cursor.place == place:
            back = "previous-match" if event.step > 0 else "next-match"
            key = keymap_of(self.app).key(back)
            hint(self, no_more_matches(event.step, key))

    def _result_beside(self, step: int) -> str | None:
        """The name of the session above or below that under the cursor: empty where its row has not
        been read yet, None where there is no such session."""
        at, order = self.sessions.cursor.place + step, self.sessions.order
        if not 0 <= at < len(order):
            return None
        row = self.sessions.row(order[at])
        return row.name if row is not None else ""

    @on(ReadingPane.Counted)
    def _offer_steps(self, event: ReadingPane.Counted) -> None:
        self.query_one(KeyBar).matches = event.matches

    @on(DescendantFocus)
    def _say_keys(self) -> None:
        self.query_one(KeyBar).scope = scope_of(self.focused.id if self.focused else None)
        self._say_typing()
        self._lister.say_counts()
        self.pane.count_matches()
        self._let_go()

    def _say_typing(self) -> None:
        typing, text = isinstance(self.focused, SearchInput), self.search_bar.input.value
        self.query_one(ChipBar).typing = typing and bool(text)
        self.search_bar.hint(typing and not text)

    def open_now(self) -> LeftOpen:
        """What the next start may offer, should this one crash."""
        row = self.sessions.current
        query = self.search_bar.input.value
        return LeftOpen(query) if row is None else LeftOpen(query, row.tip_id, row.place)

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
        """Find in what is read, or about to be read: the session under the cursor."""
        if not self.refuses(BY_ID["find"]):
            self.add_class("-reading")
            await self.pane.find()

    def action_pane(self) -> None:
        if self.focused is self.transcript:
            self._to_list()
        else:
            self._enter_transcript()

    def action_full(self) -> None:
        """Read without the list beside the transcript, or with it again. It stays so for the
        run."""
        if self.focused is self.sessions and not self.sessions.order:
            hint(self, NOTHING_TO_READ)
        elif self.has_class("-narrow"):
            reading = self.focused is self.transcript
            self._enter_transcript()
            if reading:
                hint(self, WHOLE_WIDTH)
        else:
            reading = self.focused is self.transcript and self.has_class("-reading")
            self.set_class(not (reading and self.has_class("-full")), "-full")
            self._enter_transcript()

    def action_complete(self) -> None:
        """What the search bar could become; where there is nothing, on to the other pane."""
        if not self._offering.take():
            self.action_pane()

    def action_match(self, step: int) -> None:
        self.pane.to_match(step)

    def refuses(self, action: KeyAction) -> bool:
        """Whether an action cannot be done now; then the user is told why."""
        why = why_not(action, self._situation())
        if why:
            hint(self, why)
        return bool(why)

    def commands(self) -> list[KeyAction]:
        """What the palette offers: the keys of what has the focus, the usual ones first, then what
        the other pane can do with the same session."""
        now, scope = self._situation(), scope_of(self.focused.id if self.focused else None)
        shown = {"app", "list", *(("transcript",) if self.pane.display else ()), scope}
        offered = [
            action
            for action in ACTIONS
            if action.palette and shown & set(action.scopes) and is_offered(action, now)
        ]
        left_out = set() if scope == "transcript" else {"back"}
        if self._start.intent is not Intent.READ:
            # Enter does something else then, and says so in the footer.
            left_out |= {"read", "search-read"}
        offered = [action for action in offered if action.id not in left_out]

        def usual(action: KeyAction) -> tuple[bool, int]:
            here = {"app", scope} & set(action.scopes)
            place = action.place(scope)
            return not here, len(ACTIONS) if place is None else place

        return sorted(offered, key=usual)

    def target(self, action: KeyAction) -> Widget:
        """What performs an action of the palette or of the footer; a transcript gets the focus."""
        here = scope_of(self.focused.id if self.focused else None)
        if here in action.scopes or "app" in action.scopes or action.call.startswith("screen."):
            return self.focused or self
        if "transcript" not in action.scopes:
            return self.sessions
        self._enter_transcript()
        return self.transcript

    def _situation(self) -> Situation:
        reading = self.focused is self.transcript
        outlook, info = self.file.foreseeing.outlook, self.file.info
        return Situation(
            surveyed=self._lister.catalog is not None,
            has_session=bool(self._reader.session if reading else self.sessions.order),
            session=self._subject(),
            rows=len(self.sessions.order),
            filters=any(chip.name for chip in self.query_one(ChipBar).chips),
            clears=bool(self.search_bar.input.value or self.sessions.selection)
            or self._lister.cursor.can_step_back
            or bool(self.query(Welcome)),
            demo=bool(self.file.opening.demo),
            followed=self._reader.followed,
            expiring=bool(outlook and outlook.deleted),
            refused=info.edits if info else {},
            several=len(self.file.opening.found) > 1,
        )

    def _subject(self) -> Session | None:
        """The session that keys act on: what is being read, or else what is under the cursor. None
        while another one than that is still on the screen: the user cannot mean it."""
        if self.focused is not self.transcript:
            return self.sessions.current
        return None if self._reader.waits else self._reader.session

    def _acting(self) -> tuple[Store, Session] | None:
        """The same with its store; where it has not been read yet, the user is told."""
        store, session = self._lister.store, self._subject()
        if store is None or session is None:
            hint(self, self._reader.why_not)
            return None
        return store, session

    def action_resume(self) -> None:
        """Hand the session to its agent."""
        if not self.refuses(BY_ID["resume"]) and (acting := self._acting()):
            from explorer.tui.agent_commands import resume

            resume(self, self._lanes, self._start, *acting, self._lister.catalog)

    def action_copy_command(self) -> None:
        if not self.refuses(BY_ID["copy-command"]) and (acting := self._acting()):
            from explorer.tui.agent_commands import resume_line
            from explorer.tui.reading.block_screen import copy

            config = self._start.config
            resume_line(self._lanes, config, *acting, lambda line: copy(self, line, "command"))

    def action_copy_id(self) -> None:
        if acting := self._acting():
            from explorer.tui.reading.block_screen import copy

            copy(self, acting[1].tip_id, "session id")

    def _choosing(self) -> "Choosing":
        from explorer.tui.list.list_options import Choosing

        return Choosing(self, self._lanes, self._lister, self.file.opening.notes)

    def _chosen(self) -> "ChosenSession | None":
        """What is being read, or else what is under the cursor."""
        from explorer.tui.reading.open_elsewhere import ChosenSession

        reading = self.focused is self.transcript
        alone = self._reader.alone if reading else self.sessions.on_a_part
        if (acting := self._acting()) is None:
            return None
        store, session = acting
        return ChosenSession(store, self._lister.catalog, session, alone, self._clock())

    def action_details(self) -> None:
        if chosen := self._chosen():
            chosen.show_details(self, self._lanes)

    def action_read_in(self, program: str) -> None:
        if chosen := self._chosen():
            chosen.read_in(Program(program), self, self._lanes)

    def action_edit(self, name: str) -> None:
        """Change what is being read, or else what is chosen; by the name of an action."""
        if edits := self._edits():
            from explorer.tui.edits.edit_controller import act, act_on_read

            action, reading = Action(name), self.focused is self.transcript
            session = self._reader.session
            if not reading or session is None:
                act(edits, action, self.sessions)
            elif self._reader.waits and action is not Action.PRUNE:
                hint(self, self._reader.why_not)
            else:
                if action is Action.ARCHIVE:
                    self._kept = session.key, self.sessions.cursor.moves
                act_on_read(edits, action, session, self._reader.alone)

    def _edits(self) -> "EditLane | None":
        """Edits of the file; where there are none, the user is told."""
        edits = self.file.edits()
        if edits is None:
            hint(self, READING_FILE if self.file.opened is None else NO_TRASH)
        return edits

    def action_undo(self) -> None:
        if edits := self._edits():
            from explorer.tui.edits.undo import undo

            undo(edits)

    def action_trash(self) -> None:
        if edits := self._edits():
            from explorer.tui.edits.trash import show_trash

            show_trash(edits)

    def action_find_lost(self) -> None:
        """Search also where the list does not look."""
        from explorer.tui.whereabouts.find_lost import LostFinder

        LostFinder(
            *(self, self._lister, self.file.opening, self._clock, self.file.edited, self._to_list)
        ).find(self.search_bar.input.value)

    def action_chats(self) -> None:
        """The chats of the gateway; the sessions of one are a search in the list."""
        from explorer.browse.chats import ChosenChat
        from explorer.tui.chats.chats_screen import ChatsScreen

        store = self._lister.store
        if store is None:
            hint(self, READING_FILE)
            return

        def search(chosen: ChosenChat) -> None:
            self._lister.chat = chosen
            if self.search_bar.input.value == chosen.query:
                # Another chat that is called the same.
                self._lister.arrange()
            self.search_bar.input.value = chosen.query
            self._to_list()

        self.app.push_screen(ChatsScreen(store, self._clock, search))

    def action_privacy(self) -> None:
        """Hide people and chats, or show them again."""
        self.file.switch_privacy()

    def action_lineage(self) -> None:
        if acting := self._acting():
            self._choosing().lineage(acting[1].key, self._clock())

    def action_sort(self) -> None:
        self._choosing().sort()

    def action_filter(self) -> None:
        self._choosing().filters(self._clock)

    def action_only(self) -> None:
        self._choosing().only(self.sessions.current)

    def action_profiles(self) -> None:
        self._choosing().profiles(lambda: self.file.opening.found, self._clock)

    def action_date(self) -> None:
        self._choosing().date(self.sessions, self._clock)

    def action_pin(self) -> None:
        edits, store = self.file.edits(), self._lister.store
        if edits is not None and store is not None and store.keeps_pins:
            self.action_edit(Action.PIN)
        elif self.focused is self.transcript and self._reader.session is not None:
            if acting := self._acting():
                session = acting[1]
                self._choosing().pin([session.key], {session.key: session.id})
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
        """Step back: past the welcome, out of the search, then out of the selection."""
        if self.query(Welcome):
            self.query(Welcome).remove()
        elif self.search_bar.input.value:
            self.search_bar.input.value = ""
        elif (before := self._lister.cursor.step_back()) is not None:
            self.sessions.go_to(before)
        elif self.sessions.selection:
            self.sessions.action_unselect()

"""The reading pane: the transcript, the find bar below it, and what its keys do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input

from explorer.keys.actions import ACTIONS, KeyAction
from explorer.model import Session
from explorer.render.blocks import shown_call, whole_text
from explorer.render.figures import exact
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.transcript.find import Match
from explorer.tui.dialogs.base import Closing
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.find_bar import FindBar, FindInput
from explorer.tui.reading.transcript_controller import TranscriptController
from explorer.tui.reading.transcript_view import ReadingCommand, Transcript
from explorer.tui.widgets.bars import KeyBar
from explorer.tui.words import (
    NO_BLOCK,
    NO_ERRORS,
    NO_REWOUND,
    NO_TIMES,
    NOT_FOLLOWED,
    NOTHING_TO_READ,
    ONE_PART,
    ONLY_ERROR,
    ONLY_READING,
    READING_SESSION,
    WHOLE_WIDTH,
    all_before,
    landed,
    no_search,
)
from explorer.tui.workers import Lanes

if TYPE_CHECKING:
    from explorer.search.matcher import Matcher
    from explorer.tui.reading.find_controller import FindController


class ReadingPane(Vertical):
    """Where a session is read."""

    transcript = getters.query_one(Transcript)

    @dataclass
    class SessionWanted(Message):
        """There are no more matches here: on to the next session, or back."""

        step: int

    @dataclass
    class Counted(Message):
        """There are matches to step through, or none any more."""

        matches: bool

    def compose(self) -> ComposeResult:
        yield Transcript(id="transcript")

    def set_up(
        self,
        lanes: Lanes,
        clock: Callable[[], float],
        beyond: Callable[[int], str | None] = lambda step: None,
    ) -> None:
        """`beyond` names the next session in a direction among those that a search found."""
        self._lanes = lanes
        self._clock = clock
        self._beyond = beyond
        self.reader = TranscriptController(self.transcript, lanes)
        self._finder: FindController | None = None
        self._matcher: Matcher | None = None
        self._hit: int | None = None
        self._lead: Match | None = None
        """Where the search led to in this session."""
        self._is_counted = False

    def read(
        self,
        session: Session,
        catalog: Catalog | None,
        alone: bool,
        hit: int | None = None,
        matcher: "Matcher | None" = None,
    ) -> None:
        """Show a session; where a search found it, at the message, with all matches highlighted."""
        if catalog is not None:
            self.reader.catalog = catalog
        again = self.reader.reads(session, alone)
        if matcher is not self._matcher and not self._open_finder():
            self.transcript.highlight(matcher)
        moved = (hit, matcher) != (self._hit, self._matcher)
        self._hit, self._matcher = hit, matcher
        if (moved or not again) and not self._open_finder():
            self._lead = None
            if self._finder is not None:
                self._finder.forget()
        if not again:
            self.reader.read(session, catalog, alone)
        elif self.reader.outlined is not None and not self.reader.followed:
            self.reader.say_title(session)
        if hit is not None and matcher is not None and (moved or not again):
            self.reader.lead_to(hit, matcher, self._arrive)

    def _arrive(self, lead: Match) -> None:
        self.transcript.go_to(lead)
        self._lead, self._is_counted = lead, False
        self.count_matches()

    def count_matches(self) -> None:
        """Count the matches of the search in this session. Not while its words are typed: the next
        letter would wait for it."""
        waits = self._lead is not None and not self._is_counted and not self._open_finder()
        if waits and not isinstance(self.screen.focused, Input):
            assert self._lead is not None
            self._is_counted = True
            if self._matcher is not None:
                self._finding().count(self._matcher, self._lead)

    @on(Transcript.ItemsWanted)
    def _read_items(self, event: Transcript.ItemsWanted) -> None:
        self.reader.read_items(event)

    @on(Transcript.Moved)
    def _say_where(self, event: Transcript.Moved) -> None:
        self.reader.say_where(event.item, event.level)
        if self._finder is not None:
            self._finder.again()

    @on(Transcript.EntryWanted)
    def _enter(self, event: Transcript.EntryWanted) -> None:
        """A long block opens full screen, a call to a subagent leads there, links open outside."""
        laid, block = event.laid, event.block
        if laid.message is None:
            return
        # Late, as all that only a key press needs: together 10 ms of the first frame.
        from explorer.render.passages import addresses
        from explorer.render.tools.call import delegates
        from explorer.tui.reading.block_screen import BlockScreen, choose_address

        called = shown_call(laid.message, block.key, laid.call)
        shows_text = block.key.startswith("text") and not block.foldable
        links = addresses(whole_text(laid.message, block.key, None)) if shows_text else []
        if block.opens_alone:
            finder = self._open_finder()
            screen = BlockScreen(
                whole_text(laid.message, block.key, laid.call),
                laid.title_of(block),
                looking_for=finder.text if finder else "",
                match=self.transcript.match_here(),
                found=None if finder else self._matcher,
            )
            self.app.push_screen(screen)
        elif block.key.startswith("call") and delegates(called):
            self._to_subagent(event, called.id if called else None)
        elif links:
            choose_address(self, links)
        else:
            self.transcript.action_fold()

    def _to_subagent(self, event: Transcript.EntryWanted, call: str | None) -> None:
        from explorer.tui.reading.block_screen import choose_subagent, subagents

        store, catalog, now = self.reader.store, self.reader.catalog, self._clock()
        if store is None or catalog is None:
            return
        key, called = event.session_key, self.transcript.times_of(event.item)
        self._lanes.start(
            "link",
            lambda token: subagents(store, catalog, key, call, called, now, token),
            lambda found: choose_subagent(self, found, self.reader.follow),
        )

    @on(Transcript.CommandWanted)
    def _obey(self, event: Transcript.CommandWanted) -> None:
        match event.command:
            case ReadingCommand.LEAVE:
                self._leave()
            case ReadingCommand.NEXT_MATCH:
                self.to_match(1)
            case ReadingCommand.PREVIOUS_MATCH:
                self.to_match(-1)
            case ReadingCommand.NEXT_ERROR:
                self._next_error()
            case ReadingCommand.DATE:
                self._ask_date()
            case ReadingCommand.PART:
                if not self.reader.toggle_part():
                    self.notify(ONE_PART, markup=False)
            case ReadingCommand.EVERYTHING:
                self.reader.toggle_everything(lambda: self.notify(NO_REWOUND, markup=False))
            case ReadingCommand.RETURN:
                if not self.reader.back():
                    self.notify(NOT_FOLLOWED, markup=False)
            case _:
                self._copy(event.command)

    async def find(self) -> None:
        """Find something in the transcript."""
        await self._finding().open()

    def _open_finder(self) -> "FindController | None":
        return self._finder if self._finder is not None and self._finder.is_open else None

    def _finding(self) -> "FindController":
        # Late, as all that only a key press needs: together 10 ms of the first frame.
        from explorer.tui.reading.find_controller import FindController, SearchResults

        if self._finder is None:
            results = SearchResults(
                lambda step: self.post_message(self.SessionWanted(step)),
                self._beyond,
                lambda matches: self.post_message(self.Counted(matches)),
            )
            self._finder = FindController(self, self.reader, self.transcript, self._lanes, results)
        return self._finder

    def to_match(self, step: int) -> None:
        """The next match of a find; else of the search, at the end of one session on to the
        next."""
        if finder := self._open_finder():
            finder.step(step)
        elif self._matcher is not None:
            self._finding().follow(self._matcher, step)
        else:
            key = keymap_of(self.app).key
            hint(self, no_search(key("search"), key("find")))

    @on(FindBar.Typed)
    def _look_for(self, event: FindBar.Typed) -> None:
        self._finding().look_for(event.text)

    @on(FindBar.StepWanted)
    def _step(self, event: FindBar.StepWanted) -> None:
        self._finding().step(event.step)

    @on(FindBar.Entered)
    def _to_text(self) -> None:
        self.transcript.focus()

    @on(FindBar.Closed)
    def _close_find(self) -> None:
        self._finding().close()
        self.transcript.highlight(self._matcher)
        self.transcript.focus()
        self._is_counted = False
        self.count_matches()

    def _leave(self) -> None:
        """Close the find, then go back to the list."""
        if self._open_finder():
            self._close_find()
        else:
            self.post_message(Transcript.LeaveWanted())

    def _next_error(self) -> None:
        """Go to the next error."""
        from explorer.transcript.find import next_error

        store, outlined = self.reader.store, self.reader.outlined
        if store is None or outlined is None:
            self._say_nothing()
            return
        start = min(self.transcript.current_item() + 1, len(outlined.outlines))

        here = self.transcript.current_item()

        def arrive(found: Match | None) -> None:
            if found is None:
                hint(self, NO_ERRORS if outlined.complete else READING_SESSION)
                return
            if found.item == here:
                hint(self, ONLY_ERROR)
            self.transcript.go_to(found)

        self._lanes.start("error", lambda token: next_error(store, outlined, start, token), arrive)

    def _say_nothing(self) -> None:
        """Why there is nothing to act on."""
        hint(self, self.reader.why_not if self.reader.waits else NOTHING_TO_READ)

    def _ask_date(self) -> None:
        """Go to the first message of a date or a time that is typed."""
        # Late, as all that only a key press needs.
        from explorer.browse.words import MOMENT_HINT
        from explorer.search.language.vocabulary import date_typed
        from explorer.tui.dialogs.base import ask_for
        from explorer.tui.dialogs.prompt import Prompt

        outlined = self.reader.outlined
        if outlined is None:
            self._say_nothing()
            return
        if not outlined.complete:
            self.notify(READING_SESSION, markup=False)
            return
        if all(one.timestamp is None for one in outlined.outlines):
            hint(self, NO_TIMES)
            return
        day = outlined.outlines[self.transcript.current_item()].timestamp

        def check(text: str) -> tuple[bool, str]:
            found = date_typed(text, self._clock(), day)
            return (True, exact(found.start)) if found else (not text.strip(), MOMENT_HINT)

        def go(text: str) -> None:
            found = date_typed(text, self._clock(), day)
            if found is not None:
                self._go_to_date(found.start)

        ask_for(self, Prompt("Go to date", "", check), go)

    def _go_to_date(self, moment: float) -> None:
        from explorer.transcript.dates import landing

        outlined, wanted = self.reader.outlined, exact(moment)
        found = landing(outlined.outlines, moment) if outlined else None
        if outlined is None or found is None:
            hint(self, NO_TIMES)
        elif found.is_before:
            self.notify(all_before(wanted, exact(found.time)), markup=False)
        else:
            number = outlined.messages_before(found.item + 1)
            words = landed(number, outlined.messages, exact(found.time), wanted, found.is_first)
            self.transcript.go_to_message(found.item)
            self.notify(words, markup=False)

    def _copy(self, command: ReadingCommand) -> None:
        """The text, code or message of the block under the cursor."""
        # Late, as all that only a key press needs.
        from explorer.tui.reading.block_screen import as_json, copy

        if self.reader.waits:
            self._say_nothing()
            return
        laid, block = self.transcript.here()
        if laid is None or laid.message is None or block is None:
            hint(self, NO_BLOCK)
            return
        text, what = whole_text(laid.message, block.key, laid.call), "block"
        if command is ReadingCommand.COPY_CODE:
            from explorer.render.passages import code_of

            text, what = code_of(text), "code"
        elif command is ReadingCommand.COPY_MESSAGE:
            text, what = as_json(laid.message), "message as JSON"
        copy(self, text, what)


class ReadScreen(Closing[None]):
    """A transcript by itself."""

    BINDINGS = bindings("app", only=("search",))

    def __init__(
        self, store: Store, catalog: Catalog, session: Session, clock: Callable[[], float]
    ) -> None:
        super().__init__()
        self._store = store
        self._catalog = catalog
        self._session = session
        self._clock = clock
        self._lanes = Lanes(self)

    def compose(self) -> ComposeResult:
        yield ReadingPane(id="reading")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        pane = self.query_one(ReadingPane)
        pane.set_up(self._lanes, self._clock)
        pane.reader.open(self._store)
        keys = self.query_one(KeyBar)
        keys.scope = "transcript"
        keys.refused = frozenset(one.id for one in ACTIONS if not self._offers(one))
        self.set_focus(pane.transcript)
        pane.read(self._session, self._catalog, alone=False)

    def on_unmount(self) -> None:
        self._lanes.stop()

    def cancel(self) -> None:
        """Close the find, then go back."""
        if isinstance(self.focused, FindInput):
            self.focused.action_leave()
        else:
            self.dismiss()

    async def action_find(self) -> None:
        # A key may come before the screen is complete.
        if self.is_mounted:
            await self.query_one(ReadingPane).find()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A slash that is typed into the find bar is a slash."""
        return not (action == "search" and isinstance(self.focused, Input))

    action_search = action_find
    """There is nothing else to search here."""

    def _offers(self, action: KeyAction) -> bool:
        """Whether it can be done here, and not only in the list."""
        place, _, name = action.call.partition("(")[0].rpartition(".")
        does = getattr(type(self), f"action_{name}", None)
        return place != "screen" or does not in (None, ReadScreen._only_read)

    def _only_read(self, *_: str) -> None:
        """What changes a session, or leads away from it, is not for one that is only shown."""
        self.notify(ONLY_READING, markup=False)

    action_edit = action_read_in = _only_read
    action_resume = action_undo = action_trash = action_lineage = _only_read
    action_pin = action_keep = action_details = action_pane = _only_read

    @on(Transcript.LeaveWanted)
    def _leave(self) -> None:
        self.dismiss()

    def action_full(self) -> None:
        self.notify(WHOLE_WIDTH, markup=False)

    @on(ReadingPane.Counted)
    def _say_keys(self, event: ReadingPane.Counted) -> None:
        self.query_one(KeyBar).matches = event.matches

    def action_copy_id(self) -> None:
        # Late, as all that only a key press needs.
        from explorer.tui.reading.block_screen import copy

        copy(self, self._session.tip_id, "session id")

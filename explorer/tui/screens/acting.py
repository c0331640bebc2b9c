"""What the keys of the main screen do beyond moving about: choose, look, resume, edit.

Each is done by a module of its own, which is loaded with the first key that needs it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import getters
from textual.screen import Screen

from explorer.browse.first_read import Opened, Opening, Start
from explorer.browse.refresh import Renewed
from explorer.model import StoreInfo
from explorer.stores.ours.files import OurFiles
from explorer.tui.list.list_controller import Lister
from explorer.tui.list.search_bar import SearchBar
from explorer.tui.list.session_list import SessionList
from explorer.tui.list.upkeep_outlook import Foreseeing
from explorer.tui.reading.reading_pane import ReadingPane
from explorer.tui.reading.transcript_controller import TranscriptController
from explorer.tui.reading.transcript_view import Transcript
from explorer.tui.workers import Lanes

if TYPE_CHECKING:
    from explorer.tui.edits.edit_controller import Editing
    from explorer.tui.list.list_options import Choosing
    from explorer.tui.reading.open_elsewhere import SessionViews


class ActingScreen(Screen[None]):
    """A screen with a list and a transcript, and what can be done to both."""

    search_bar = getters.query_one(SearchBar)
    sessions = getters.query_one(SessionList)
    pane = getters.query_one(ReadingPane)
    transcript = getters.query_one(Transcript)

    _start: Start
    _opening: Opening
    _opened: Opened | None
    _clock: Callable[[], float]
    _lanes: Lanes
    _lister: Lister
    _reader: TranscriptController
    _editing: "Editing | None"
    _foreseeing: Foreseeing
    _info: StoreInfo | None

    def _renewed(self, renewed: Renewed) -> None:
        """The file was read again."""
        raise NotImplementedError

    def action_match(self, step: int) -> None:
        self.pane.to_match(step)

    def action_resume(self) -> None:
        """Hand the session under the cursor to its agent."""
        row = self.sessions.current
        if self._opening.demo:
            self.notify("The demo is invented: no agent knows its sessions.", markup=False)
        elif row is not None and self._opened is not None:
            from explorer.tui.resume_session import Resuming

            known = self._lister.catalog
            Resuming(self, self._lanes, self._start).start(self._opened.store, row, known)

    def _choosing(self) -> "Choosing":
        # Late, as all that only a key press needs: together 10 ms of the first frame.
        from explorer.tui.list.list_options import Choosing

        return Choosing(self, self._lanes, self._lister, self._opening.notes)

    def _looking(self) -> "SessionViews":
        """For what is being read, or else for what is under the cursor."""
        # Late, as above.
        from explorer.tui.reading.open_elsewhere import ChosenSession, SessionViews

        session, alone = self.sessions.current, self.sessions.on_a_part
        if self.focused is self.transcript:
            session, alone = self._reader.session, self._reader.alone
        store, at = self._lister.store, None
        if store is not None and session is not None:
            at = ChosenSession(store, self._lister.catalog, session, alone, self._clock())
        return SessionViews(self, self._lanes, at)

    def action_details(self) -> None:
        self._looking().details()

    def action_read_in(self, program: str) -> None:
        from explorer.external_programs import Program  # late, as above

        self._looking().read_in(Program(program))

    def _edits(self) -> "Editing | None":
        """Edits of this file; None before it is open."""
        if self._editing is None and self._opened is not None and self._opening.trash is not None:
            # Late, as above.
            from explorer.tui.edits.edit_controller import Editing

            ours = OurFiles(self._opening.trash, self._clock, self._opening.notes)
            edits = self._opened.store.edits(ours)
            self._editing = Editing(
                self, self._lanes, self._lister, edits, self._clock, self._edited
            )
        return self._editing

    def _edited(self) -> None:
        """An edit of ours leaves no higher id: all is read again."""
        self._lister.renew(self._renewed, whole=True)

    def action_edit(self, what: str) -> None:
        """Change something: by its name in the table of actions."""
        if edits := self._edits():
            edits.act(what, self.sessions)

    def action_lineage(self) -> None:
        row = self.sessions.current
        if row is not None:
            self._choosing().lineage(row.key, self._clock())

    def action_sort(self) -> None:
        self._choosing().sort()

    def action_filter(self) -> None:
        self._choosing().filters(self._clock)

    def action_pin(self) -> None:
        edits = self._edits()
        store = self._lister.store
        if edits is not None and store is not None and store.keeps_pins:
            edits.act("pin", self.sessions)
        else:
            self._choosing().pin(self.sessions.chosen(), self.sessions.chosen_ids())

    def action_keep(self) -> None:
        """Pin what the agent is about to delete."""
        store, catalog, edits = self._lister.store, self._lister.catalog, self._edits()
        outlook, info = self._foreseeing.outlook, self._info
        if store is None or catalog is None or outlook is None or info is None or edits is None:
            self.notify("Still looking at what Hermes is going to delete.", markup=False)
            return
        # Late, as above.
        from explorer.tui.edits.keep_from_upkeep import Keeping

        keeping = Keeping(self, self._lanes, self._clock)
        keeping.start(store, catalog, outlook, info.edits.get("pin"), edits.keep)

    def action_hidden(self) -> None:
        self._lister.toggle_hidden()

    def action_unfold(self) -> None:
        self._lister.toggle_inside()

    def action_unfilter(self) -> None:
        self._lister.take_off_last()

    def action_unwind(self) -> None:
        """Step back: out of the search, then out of the selection."""
        if self.search_bar.input.value:
            self.search_bar.input.value = ""
        elif (before := self._lister.goal.step_back()) is not None:
            self.sessions.go_to(before)
        elif self.sessions.selection:
            self.sessions.selection.clear()
            self.sessions.refresh()
            self._lister.say_selection()

"""Find in a transcript: searches the whole conversation while the user types, and goes from match
to match."""

from collections.abc import Callable
from typing import NamedTuple

from textual.containers import Vertical

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.render.clean import clean_line
from explorer.search.matcher import Matcher
from explorer.search.pattern import Pattern, pattern
from explorer.transcript.find import FIRST_BATCH, Counts, Hits, Match, look_through, unchanged
from explorer.transcript.layout import ConversationOutline
from explorer.tui.key_bindings import keymap_of
from explorer.tui.reading.find_bar import FindBar
from explorer.tui.reading.transcript_controller import TranscriptController
from explorer.tui.reading.transcript_view import Transcript
from explorer.tui.words import (
    NO_MATCHES,
    SEARCHING,
    MatchWords,
    end_of_result,
    last_match,
    match_place,
    matches_here,
)
from explorer.tui.workers import Lanes


class SearchResults(NamedTuple):
    """The sessions that a search over all of them found, as far as this one concerns them."""

    go: Callable[[int], object]
    """The matches here end: on to the next session in a direction."""
    beyond: Callable[[int], str | None]
    """Its name, empty while that is not known; None where this is the last one."""
    counted: Callable[[bool], object]
    """Whether there are matches here to step through."""


class FindController:
    """Joins the find bar, the store and the transcript."""

    def __init__(
        self,
        pane: Vertical,
        reader: TranscriptController,
        transcript: Transcript,
        lanes: Lanes,
        results: SearchResults,
    ) -> None:
        self._results = results
        self._pane = pane
        self._reader = reader
        self._transcript = transcript
        self._lanes = lanes
        self._bar: FindBar | None = None
        self._finder: Pattern | None = None
        self._hits = Hits()
        self._at: Match | None = None
        self._was_at: Match | None = None
        """The match the reader was at when the session became longer."""
        self._through: ConversationOutline | None = None
        self._has_all = False
        """Whether all of that has been searched."""
        self._waiting = 0
        """A step that waits until all matches are known."""
        self._way = 1
        """The direction of the last step."""

    @property
    def is_open(self) -> bool:
        return self._bar is not None

    @property
    def text(self) -> str:
        """What to find."""
        return self._finder.text if self._finder is not None else ""

    async def open(self) -> None:
        """Show the bar, or go back to it, and type there. A key may come before there is anything
        to find in, or after."""
        if not self._pane.is_attached:
            return
        bar = self._bar
        if bar is None:
            self.forget()
            bar = self._bar = FindBar()
            await self._pane.mount(bar)
        # It may have been closed while it was being mounted.
        if bar is self._bar and bar.input.is_attached:
            self._pane.screen.set_focus(bar.input)

    def close(self) -> None:
        self._start_over(None)
        self._transcript.highlight(None)
        if self._bar is not None:
            self._bar.remove()
            self._bar = None

    def forget(self) -> None:
        """Another session is read, or there is nothing to find any more."""
        self._start_over(None)
        self._reader.say_match(MatchWords())

    def _start_over(self, finder: Pattern | None) -> None:
        """Forget the matches: something else is to be found."""
        self._lanes.cancel("find")
        self._finder, self._hits, self._at, self._was_at = finder, Hits(), None, None
        self._waiting, self._way = 0, 1
        self._results.counted(False)

    def look_for(self, text: str) -> None:
        """Find something else, from where the reader is."""
        try:
            self._start_over(pattern(text))
        except ExplorerError as error:
            self._start_over(None)
            self._say(str(error))
        else:
            self._search()
        self._transcript.highlight(self._finder)

    def again(self) -> None:
        """Another session, or more of it: search that, but not again what has been searched, and
        stay at the same match."""
        before, outlined = self._through, self._reader.outlined
        if outlined is before or (self._bar is None and self._finder is None):
            return
        same = unchanged(before, outlined) if before and outlined and self._has_all else 0
        if same:
            self._hits.forget_from(same)
        else:
            self._hits = Hits()
        went_on = before and outlined and before.session.key == outlined.session.key
        self._was_at, self._at = self._at if went_on else None, None
        self._search(moving=False, first=same)

    def _search(self, moving: bool = True, first: int = 0) -> None:
        store, outlined, finder = self._reader.store, self._reader.outlined, self._finder
        self._through, self._has_all, self._waiting = outlined, False, 0
        if store is None or finder is None or outlined is None:
            self._say("")
            return
        here = self._was_at.item if self._was_at else self._transcript.first_item()
        start = max(here, first)
        known = self._transcript.document.known(range(start, start + FIRST_BATCH))

        def work(token: CancelToken) -> str:
            def tell(found: dict[int, Counts], looked_at: int) -> None:
                self._lanes.tell(token, lambda: self._take(found, looked_at, start, moving))

            try:
                look_through(store, outlined, start, finder, tell, token, known=known, first=first)
            except ExplorerError as error:
                return str(error)
            return ""

        self._lanes.start("find", work, self._done)
        self._tell_where()

    def _take(self, found: dict[int, Counts], looked_at: int, start: int, moving: bool) -> None:
        self._hits.add(found, looked_at)
        if self._was_at is not None and self._hits.has(self._was_at):
            self._at, self._was_at = self._was_at, None
        waits = self._at is None and self._was_at is None and self._hits.total
        if waits and self._bar is not None:
            self._at = self._hits.at_or_after(start)
            if moving and self._at is not None:
                self._transcript.go_to(self._at)
        self._tell_where()

    def _done(self, trouble: str) -> None:
        if trouble:
            self._say(trouble)
            return
        self._has_all = True
        if self._was_at is not None:
            self._at = self._hits.at_or_after(self._was_at.item)
            self._was_at = None
        self._tell_where()
        step, self._waiting = self._waiting, 0
        if step:
            self._step_on(step)

    def step(self, step: int) -> None:
        """On to the next match of a find, or back."""
        if self._at is not None:
            self._go_to(self._hits.beside(self._at, step), step)

    def _go_to(self, match: Match, step: int) -> None:
        self._at, self._way = match, step
        self._transcript.go_to(match)
        self._tell_where()

    def count(self, matcher: Matcher, at: Match) -> None:
        """Count the matches of a search over all sessions; the reader was led to one of them."""
        self._start_over(matcher)
        self._was_at = at
        self._search(moving=False)

    def follow(self, matcher: Matcher, step: int) -> None:
        """The next match of a search over all sessions, from where the reader is."""
        if self._finder is not matcher or self._through is not self._reader.outlined:
            self._start_over(matcher)
            self._search(moving=False)
            self._waiting = step
        elif self._has_all:
            self._step_on(step)
        elif self._at is not None and self._is_ahead(self._at, step) and step > 0:
            # What is known already is in the order of the text, from here on.
            self._go_to(self._hits.beside(self._at, step), step)
        else:
            self._waiting = step

    def _step_on(self, step: int) -> None:
        """All matches are known: on to the next one; at the end of the session, beyond it."""
        match = self._hits.beside(self._at, step) if self._at else self._from_cursor(step)
        if match is None or (self._at and not self._is_ahead(self._at, step)):
            self._results.go(step)
        else:
            self._go_to(match, step)

    def _is_ahead(self, at: Match, step: int) -> bool:
        """Whether the match beside one is not round the end."""
        beside = self._hits.beside(at, step)
        return (self._hits.number_of(beside) - self._hits.number_of(at)) * step > 0

    def _from_cursor(self, step: int) -> Match | None:
        """The next match from the cursor on, where none was gone to; None where all are behind."""
        here = self._transcript.current_item()
        _, block = self._transcript.here()
        under = self._hits.first_in(here, block.key if block else "")
        if under is not None:
            return self._hits.beside(under, step) if self._is_ahead(under, step) else None
        match = self._hits.at_or_after(here + (step > 0))
        if step < 0 and match is not None:
            match = self._hits.beside(match, -1)
        ends = match is None or (match.item - here) * step <= 0
        return None if ends else match

    def _tell_where(self) -> None:
        if self._finder is None or self._through is None:
            return
        self._results.counted(self._hits.total > 0)
        looking = self._hits.looked_at < len(self._through.outlines)
        if self._at is not None:
            number = self._hits.number_of(self._at)
            self._say(match_place(number, self._hits.total, looking), 0 if looking else number)
        elif self._bar is not None:
            self._say(SEARCHING if looking else NO_MATCHES)
        else:
            self._say(matches_here(self._hits.total, looking))

    def _say(self, place: str, number: int = 0) -> None:
        """Which match this is and, of the last one, where the next step leads."""
        total, step = self._hits.total, self._way
        if self._bar is not None:
            self._bar.say(last_match(place) if number == total > 1 else place)
        elif number and number == (total if step > 0 else 1):
            beyond = self._results.beyond(step)
            key = keymap_of(self._pane.app).key("next-match" if step > 0 else "previous-match")
            end = end_of_result(step, key, beyond is not None)
            name = clean_line(beyond or "", 200)
            self._reader.say_match(MatchWords(place, end, name))
        else:
            self._reader.say_match(MatchWords(place))

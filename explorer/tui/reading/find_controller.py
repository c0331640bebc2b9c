"""Find in a transcript: searches the whole conversation while the user types, and goes from match
to match."""

from collections.abc import Callable

from textual.containers import Vertical

from explorer.cancel import CancelToken
from explorer.errors import ExplorerError
from explorer.search.matcher import Matcher
from explorer.search.pattern import Pattern, pattern
from explorer.transcript.find import FIRST_BATCH, Counts, Hits, Match, look_through, unchanged
from explorer.transcript.layout import ConversationOutline
from explorer.tui.reading.find_bar import FindBar
from explorer.tui.reading.transcript_controller import TranscriptController
from explorer.tui.reading.transcript_view import Transcript
from explorer.tui.words import NO_MATCHES, SEARCHING, match_place
from explorer.tui.workers import Lanes


class FindController:
    """Joins the find bar, the store and the transcript."""

    def __init__(
        self,
        pane: Vertical,
        reader: TranscriptController,
        transcript: Transcript,
        lanes: Lanes,
        beyond: Callable[[int], object],
    ) -> None:
        """`beyond` is called where the matches of a search end, with the direction."""
        self._beyond = beyond
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

    @property
    def is_open(self) -> bool:
        return self._bar is not None

    @property
    def text(self) -> str:
        """What to find."""
        return self._finder.text if self._finder is not None else ""

    async def open(self) -> None:
        """Show the bar, or go back to it, and type there."""
        if self._bar is None:
            self._bar = FindBar(id="find")
            await self._pane.mount(self._bar)
        self._pane.screen.set_focus(self._bar.input)

    def close(self) -> None:
        self._start_over(None)
        self._transcript.highlight(None)
        if self._bar is not None:
            self._bar.remove()
            self._bar = None

    def _start_over(self, finder: Pattern | None) -> None:
        """Forget the matches: something else is to be found."""
        self._lanes.cancel("find")
        self._finder, self._hits, self._at, self._was_at = finder, Hits(), None, None

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
        if self._bar is None or outlined is before:
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
        start = max(self._transcript.first_item(), first)
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
        if self._at is None and self._was_at is None and self._hits.total:
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
        self._go_on()

    def step(self, step: int) -> None:
        """On to the next match, or back."""
        if self._at is not None:
            self._at = self._hits.beside(self._at, step)
            self._transcript.go_to(self._at)
            self._tell_where()

    def follow(self, matcher: Matcher, step: int) -> None:
        """The next match of a search over all sessions, from where the reader is."""
        if self._finder is not matcher or self._through is not self._reader.outlined:
            self._start_over(matcher)
            self._search(moving=False)
            self._waiting = step
            return
        if self._at is None:
            self._beyond(step)
        else:
            self._go_beside(self._at, step)

    def _go_beside(self, at: Match, step: int) -> None:
        """From one match to the next; at the end of the session, beyond it."""
        beside = self._hits.beside(at, step)
        distance = self._hits.number_of(beside) - self._hits.number_of(at)
        if distance * step <= 0:
            self._beyond(step)
        else:
            self._at = beside
            self._transcript.go_to(beside)

    def _go_on(self) -> None:
        """All matches are known: take the step that was waiting for them."""
        step, self._waiting = self._waiting, 0
        if not step:
            return
        here = self._transcript.current_item()
        _, block = self._transcript.here()
        self._at = self._hits.first_in(here, block.key if block else "")
        if self._at is not None:
            self._go_beside(self._at, step)
            return
        self._at = self._hits.at_or_after(here + (step > 0))
        ends = self._at is None or (self._at.item <= here if step > 0 else self._at.item >= here)
        if step < 0 and self._at is not None:
            self._at = self._hits.beside(self._at, -1)
            ends = self._at.item >= here
        if ends or self._at is None:
            self._beyond(step)
        else:
            self._transcript.go_to(self._at)

    def _tell_where(self) -> None:
        if self._finder is None or self._through is None:
            return
        looking = self._hits.looked_at < len(self._through.outlines)
        if self._at is None:
            self._say(SEARCHING if looking else NO_MATCHES)
        else:
            number = self._hits.number_of(self._at)
            self._say(match_place(number, self._hits.total, looking))

    def _say(self, words: str) -> None:
        if self._bar is not None:
            self._bar.say(words)

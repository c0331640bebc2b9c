"""Text of any length, wrapped to the width there is, with its matches highlighted.

Only where lines and matches begin and end is kept: many megabytes are wrapped and looked through
in a thread, and painting looks up.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.strip import Strip
from textual.worker import get_current_worker

from explorer.errors import ExplorerError
from explorer.render.clean import clean
from explorer.render.figures import count, plural
from explorer.render.lines import MATCH, Line, line_breaks, restyled
from explorer.search.pattern import Pattern
from explorer.transcript.highlight import HERE, goes_across
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.find_bar import FindBar
from explorer.tui.widgets.painted import ReadingView

Break = tuple[int, int, int]
"""(start, end, cells of hanging indent) of a line."""


class LongText(ReadingView):
    """One text, all of it."""

    BINDINGS = bindings("scroll")

    def __init__(self, text: str, first_match: int = 0) -> None:
        """`first_match` is the match that the reader comes from."""
        super().__init__(id="long-text")
        self._stored = text
        self._text = ""
        self._lines: Sequence[Break] = ()
        self._finder: Pattern | None = None
        self._starts, self._ends = array("L"), array("L")
        """Where each match is in the text."""
        self._at = -1
        self._first_match = first_match
        self.note = "Reading …"

    def on_resize(self, event: Resize) -> None:
        width = max(self.line_width - 2, 1)
        # In a thread: many megabytes take seconds.
        self._work("wrap", lambda: self._wrap(width))

    def _wrap(self, width: int) -> None:
        worker = get_current_worker()
        text = self._text or clean(self._stored)
        lines = []
        for line in line_breaks(text, width):
            lines.append(line)
            if worker.is_cancelled:
                return
        self.app.call_from_thread(self._show, text, lines)

    def _show(self, text: str, lines: Sequence[Break]) -> None:
        top = self._lines[self.scroll_offset.y][0] if self._lines else 0
        first = not self._lines
        self._text, self._lines = text, lines
        self.virtual_size = Size(self.line_width, len(lines))
        keys = keymap_of(self.app).hint("block")
        self.border_subtitle = Content(f"{plural(len(lines), 'line')} · {keys}")
        # What is read stays in place; by force, for the scroll bar comes with the next layout.
        self.scroll_to(y=self._line_at(top), animate=False, force=True)
        self.refresh()
        if first and self._finder is not None:
            self.look_for(self._finder)

    def _line_at(self, place: int) -> int:
        return max(bisect_right(self._lines, place, key=lambda line: line[0]) - 1, 0)

    def look_for(self, finder: Pattern | None) -> None:
        """Find all matches, and go to the first from here on."""
        self._finder, self._at = finder, -1
        self._starts, self._ends = array("L"), array("L")
        self.refresh()
        if finder is None:
            self.post_message(FindBar.Told(""))
        elif self._lines:
            text, start = self._text, self._lines[self.scroll_offset.y][0]
            self._work("find", lambda: self._search(finder, text, start))

    def _search(self, finder: Pattern, text: str, start: int) -> None:
        worker = get_current_worker()
        starts, ends = array("L"), array("L")
        if goes_across(finder):
            text = text.replace("\n", " ")
        try:
            for first, last in finder.spans(text):
                starts.append(first)
                ends.append(last)
                if worker.is_cancelled:
                    return
        except ExplorerError as error:
            self.post_message(FindBar.Told(str(error)))
            return
        self.app.call_from_thread(self._take, finder, starts, ends, start)

    def _take(self, finder: Pattern, starts: "array[int]", ends: "array[int]", start: int) -> None:
        if finder is self._finder:
            self._starts, self._ends = starts, ends
            first, self._first_match = self._first_match, 0
            self._go(min(first, len(starts) - 1) if first else bisect_left(starts, start))

    def step(self, step: int) -> None:
        """The next match, or the one before, round the ends."""
        self._go(self._at + step)

    def _go(self, at: int) -> None:
        if not self._starts:
            self.post_message(FindBar.Told("not in this text" if self._finder else ""))
            return
        self._at = at % len(self._starts)
        line = self._line_at(self._starts[self._at])
        if not self.scroll_offset.y <= line < self.scroll_offset.y + self.size.height:
            y = max(line - self.size.height // 3, 0)
            self.scroll_to(y=y, animate=False, force=True)
        self.post_message(FindBar.Told(f"{count(self._at + 1)} of {count(len(self._starts))}"))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        if not self._lines:
            return self.note_line(y)
        number = y + self.scroll_offset.y
        if number >= len(self._lines):
            return self.strip((), self.line_width)
        start, end, indent = self._lines[number]
        line: Line = ((" " * (indent + 1), "text"), (self._text[start:end], "text"))
        return self.strip(restyled(line, self._matches(start, end, 1 + indent)), self.line_width)

    def _matches(self, start: int, end: int, margin: int) -> list[tuple[int, int, str]]:
        """What of a line matches: from the first match that ends in it to the last that begins."""
        return [
            (
                max(self._starts[number] - start, 0) + margin,
                min(self._ends[number], end) - start + margin,
                HERE if number == self._at else MATCH,
            )
            for number in range(bisect_right(self._ends, start), bisect_left(self._starts, end))
        ]

    def _work(self, group: str, work: Callable[[], None]) -> None:
        self.run_worker(work, thread=True, group=group, exclusive=True, exit_on_error=False)

"""One long block alone on the screen, from its first line to its last, with a find of its own."""

from bisect import bisect_left
from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.worker import get_current_worker

from explorer.errors import ExplorerError
from explorer.render.amounts import count, plural
from explorer.render.clean import clean, clean_line
from explorer.render.lines import Line
from explorer.render.wrap import wrapped
from explorer.search.pattern import Pattern, count_in, pattern
from explorer.tui.marking import marked
from explorer.tui.styles import style
from explorer.tui.widgets.find_bar import FindBar
from explorer.tui.widgets.painted import SCROLL_KEYS, ReadingView


class LongText(ReadingView):
    """Wrapped text of any length."""

    BINDINGS = SCROLL_KEYS

    def __init__(self, text: str) -> None:
        super().__init__(id="long-text")
        self._text = text
        self._lines: Sequence[str] = ()
        self._finder: Pattern | None = None
        self._found: Sequence[int] = ()
        """Lines that match, in order."""
        self._at = -1
        self.note = "Reading …"

    def on_resize(self, event: Resize) -> None:
        width = max(self.line_width - 2, 1)
        # In a thread: many megabytes take seconds.
        self.run_worker(
            lambda: self._wrap(width),
            thread=True,
            group="wrap",
            exclusive=True,
            exit_on_error=False,
        )

    def _wrap(self, width: int) -> None:
        worker = get_current_worker()
        lines = []
        for line in wrapped(clean(self._text), width):
            lines.append(line)
            if worker.is_cancelled:
                return
        self.app.call_from_thread(self._show, lines)

    def _show(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self.virtual_size = Size(self.line_width, len(lines))
        self.border_subtitle = Content(f"{plural(len(lines), 'line')} · ctrl+f finds · esc closes")
        self.refresh()
        if self._finder is not None:
            self.look_for(self._finder)

    def look_for(self, finder: Pattern | None) -> None:
        """Find all lines that match, and go to the first from here on."""
        self._finder, self._found, self._at = finder, (), -1
        self.refresh()
        if finder is None:
            self.post_message(FindBar.Told(""))
            return
        lines, start = self._lines, self.scroll_offset.y
        self.run_worker(
            lambda: self._search(finder, lines, start),
            thread=True,
            group="find",
            exclusive=True,
            exit_on_error=False,
        )

    def _search(self, finder: Pattern, lines: Sequence[str], start: int) -> None:
        worker = get_current_worker()
        found = []
        try:
            for number, line in enumerate(lines):
                found += [number] * count_in(finder, line)
                if worker.is_cancelled:
                    return
        except ExplorerError as error:
            self.post_message(FindBar.Told(f"{error.title}: {error.message}"))
            return
        self.app.call_from_thread(self._take, finder, found, start)

    def _take(self, finder: Pattern, found: Sequence[int], start: int) -> None:
        if finder is self._finder:
            self._found = found
            self._go(bisect_left(found, start) if found else -1)

    def step(self, step: int) -> None:
        """The next match, or the one before, round the ends."""
        self._go(self._at + step)

    def _go(self, at: int) -> None:
        if not self._found:
            self.post_message(FindBar.Told("not in this text" if self._finder else ""))
            return
        self._at = at % len(self._found)
        line = self._found[self._at]
        if not self.scroll_offset.y <= line < self.scroll_offset.y + self.size.height:
            self.scroll_to(y=max(line - self.size.height // 3, 0), animate=False)
        self.post_message(FindBar.Told(f"{count(self._at + 1)} of {count(len(self._found))}"))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        if not self._lines:
            return self.note_line(y)
        number = y + self.scroll_offset.y
        text = self._lines[number] if number < len(self._lines) else ""
        line: Line = ((text, "text"),)
        if self._finder is not None:
            here = None
            if self._at >= 0 and self._found[self._at] == number:
                here = self._at - bisect_left(self._found, number)
            line = marked(line, self._finder, here)
        return self.strip(((" ", "text"), *line), self.line_width)


class BlockScreen(ModalScreen[None]):
    """A block that is longer or wider than a transcript shows in place."""

    CSS_PATH = style("dialogs")
    BINDINGS = [
        Binding("escape,q,left,h,enter", "leave", "Close"),
        Binding("ctrl+f,slash", "find", show=False),
        Binding("n", "step(1)", show=False),
        Binding("N", "step(-1)", show=False),
    ]

    def __init__(self, text: str, title: str, looking_for: str = "") -> None:
        """`looking_for` is what the transcript is being searched for."""
        super().__init__()
        self._text = text
        self._name_of_block = title
        self._looking_for = looking_for

    def compose(self) -> ComposeResult:
        with Vertical():
            view = LongText(self._text)
            view.border_title = Content(self._name_of_block)
            yield view
            bar = FindBar(id="find")
            bar.display = bool(self._looking_for)
            yield bar

    def on_mount(self) -> None:
        self.set_focus(self._view)
        if self._looking_for:
            self._bar.input.value = self._looking_for

    @property
    def _view(self) -> LongText:
        return self.query_one(LongText)

    @property
    def _bar(self) -> FindBar:
        return self.query_one(FindBar)

    @on(FindBar.Typed)
    def _look_for(self, event: FindBar.Typed) -> None:
        try:
            self._view.look_for(pattern(event.text))
        except ExplorerError as error:
            self._bar.say(clean_line(f"{error.title}: {error.message}", 200))

    @on(FindBar.Told)
    def _say(self, event: FindBar.Told) -> None:
        self._bar.say(clean_line(event.words, 200))

    @on(FindBar.StepWanted)
    def _step(self, event: FindBar.StepWanted) -> None:
        self._view.step(event.step)

    @on(FindBar.Entered)
    def _to_text(self) -> None:
        self.set_focus(self._view)

    @on(FindBar.Closed)
    def _close_find(self) -> None:
        self._bar.display = False
        self._view.look_for(None)
        self.set_focus(self._view)

    def action_find(self) -> None:
        self._bar.display = True
        self.set_focus(self._bar.input)

    def action_step(self, step: int) -> None:
        self._view.step(step)

    def action_leave(self) -> None:
        """Out of the find, then out of the block."""
        if self._bar.display:
            self._close_find()
        else:
            self.dismiss()

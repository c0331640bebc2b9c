"""A scroll that is painted line by line from styled spans, with the colours of the theme."""

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from explorer.render.lines import Line, wrapped
from explorer.tui.themes import paint


class PaintedView(ScrollView, can_focus=True):
    """Paints `Line`s. Subclasses say which; a look-up is all that painting may cost."""

    note = reactive("", layout=False)
    """Clean text to show instead of nothing: why there is nothing, and what to do."""

    def on_mount(self) -> None:
        self._styles: dict[tuple[str, bool], Style] = {}

    def notify_style_update(self) -> None:
        """Another theme: the colours are looked up anew."""
        super().notify_style_update()
        self._styles = {}

    @property
    def line_width(self) -> int:
        """Cells that a line can take, beside the scroll bar."""
        return self.scrollable_content_region.width

    def measure(self, lines: int) -> None:
        """As many lines as there are now. Nothing is laid out anew for them: that paints the whole
        screen, for 20 ms, and they change with every key."""
        size = Size(self.line_width, lines)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self._scroll_update(size)

    def strip(self, line: Line, width: int, lit: bool = False) -> Strip:
        """A line as it is painted, filled to the width; `lit` under the cursor."""
        segments = [Segment(text, self._style(name, lit)) for text, name in line]
        strip = Strip(segments)
        if strip.cell_length > width:
            strip = strip.crop(0, width)
        return strip.extend_cell_length(width, self._style("text", lit))

    def note_line(self, y: int) -> Strip:
        """The note, a little below the top."""
        lines = list(wrapped(self.note, max(self.line_width - 4, 1)))
        line: Line = ((f"  {lines[y - 1]}", "dim"),) if 1 <= y <= len(lines) else ()
        return self.strip(line, self.line_width)

    def _style(self, name: str, lit: bool) -> Style:
        found = self._styles.get((name, lit))
        if found is None:
            own = paint(name, self.app.theme_variables)
            # What lies behind a match stays there under the cursor: its letters are dark.
            below = paint("cursor", self.app.theme_variables) if lit else Style()
            found = self.rich_style + below + own
            self._styles[name, lit] = found
        return found


class ReadingView(PaintedView):
    """A text to read: scrolled by lines and by pages, with two lines kept visible."""

    def action_scroll(self, lines: int) -> None:
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False)

    def action_page(self, pages: int) -> None:
        self.action_scroll(pages * max(self.size.height - 2, 1))

    def action_half_page(self, step: int) -> None:
        self.action_scroll(step * max(self.size.height // 2, 1))

    def action_top(self) -> None:
        self.scroll_to(y=0, animate=False)

    def action_bottom(self) -> None:
        # By force: what has just become longer may not know yet that it can be scrolled.
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)


DIMMED_AFTER = 0.1
"""Seconds after which old results are dimmed: most new ones come before that, without a flicker."""


class ResultsView(PaintedView):
    """Shows results, and that other ones are being looked for."""

    stale = reactive(False)
    """The results shown are not those of the last request."""
    _dimming: Timer | None = None

    def expect(self) -> None:
        """Other results are on their way."""
        if self._dimming is None:
            self._dimming = self.set_timer(DIMMED_AFTER, self._dim)

    def arrived(self) -> None:
        """They are here."""
        if self._dimming is not None:
            self._dimming.stop()
        self._dimming, self.stale = None, False

    def _dim(self) -> None:
        self.stale = self._dimming is not None

    def strip(self, line: Line, width: int, lit: bool = False) -> Strip:
        if self.stale:
            line = tuple((text, "dim") for text, _ in line)
        return super().strip(line, width, lit)

"""One long block alone on the screen, from its first line to its last."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.worker import get_current_worker

from explorer.render.amounts import plural
from explorer.render.clean import clean
from explorer.render.wrap import wrapped
from explorer.tui.styles import style
from explorer.tui.widgets.painted import SCROLL_KEYS, ReadingView


class LongText(ReadingView):
    """Wrapped text of any length."""

    BINDINGS = SCROLL_KEYS

    def __init__(self, text: str) -> None:
        super().__init__(id="long-text")
        self._text = text
        self._lines: Sequence[str] = ()
        self.note = "Reading …"

    def on_resize(self, event: Resize) -> None:
        width = max(self.line_width - 2, 1)
        # In a thread: many megabytes take seconds.
        self.run_worker(lambda: self._wrap(width), thread=True, exclusive=True, exit_on_error=False)

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
        self.border_subtitle = Content(f"{plural(len(lines), 'line')} · esc closes")
        self.refresh()

    def render_line(self, y: int) -> Strip:
        if not self._lines:
            return self.note_line(y)
        number = y + self.scroll_offset.y
        text = self._lines[number] if number < len(self._lines) else ""
        return self.strip(((f" {text}", "text"),), self.line_width)


class BlockScreen(ModalScreen[None]):
    """A block that is longer than a transcript shows in place."""

    CSS_PATH = style("dialogs")
    BINDINGS = [Binding("escape,q,left,h,enter", "dismiss", "Close")]

    def __init__(self, text: str, title: str) -> None:
        super().__init__()
        self._text = text
        self._name_of_block = title

    def compose(self) -> ComposeResult:
        view = LongText(self._text)
        view.border_title = Content(self._name_of_block)
        yield view

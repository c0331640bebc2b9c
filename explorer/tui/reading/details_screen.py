"""All that is known of a session, over the list or the transcript."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.strip import Strip

from explorer.render.clean import clean_line
from explorer.render.lines import Line
from explorer.stores.base import Details
from explorer.transcript.detail_lines import detail_lines
from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.reading.clipboard import copy
from explorer.tui.widgets.painted import ReadingView

MARGIN = 1
"""Free cells on both sides."""


class DetailsView(ReadingView):
    """The sections, as tall as they are."""

    BINDINGS = bindings("scroll")

    def __init__(self, details: Details) -> None:
        super().__init__(id="details")
        self._details = details
        self._lines: Sequence[Line] = ()
        self._laid_out_for = 0

    def on_resize(self, event: Resize) -> None:
        if self.line_width == self._laid_out_for:
            return
        self._laid_out_for = self.line_width
        self._lines = detail_lines(self._details, max(self.line_width - 2 * MARGIN, 1))
        self.virtual_size = Size(self.line_width, len(self._lines))
        self.styles.height = len(self._lines) + self.gutter.height

    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        line = self._lines[number] if number < len(self._lines) else ()
        return self.strip(((" " * MARGIN, "text"), *line), self.line_width)


class DetailsScreen(Dialog[None]):
    """Read, scrolled, closed again; `y` copies the id."""

    BINDINGS = bindings("details")

    def __init__(self, details: Details, name: str) -> None:
        """`name` is what the list calls the session."""
        super().__init__()
        self._details = details
        self._name_in_list = name

    def compose(self) -> ComposeResult:
        view = DetailsView(self._details)
        name = clean_line(self._details.title or self._name_in_list, 60)
        view.border_title = Content(f"Details · {name}")
        view.border_subtitle = Content(keymap_of(self.app).hint("details"))
        yield view

    def action_copy(self) -> None:
        copy(self, self._details.id, "the id")

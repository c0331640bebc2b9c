"""Selecting text of a transcript with the mouse: what is drawn over is copied when the button goes
up. Beyond the upper and the lower edge, the text scrolls on.

Textual's own selection is off (see `app`), and would know nothing of painted lines.
"""

from collections.abc import Mapping

from textual.events import MouseDown, MouseMove, MouseUp
from textual.geometry import Offset
from textual.timer import Timer

from explorer.render.blocks import View
from explorer.transcript.document import LaidMessage
from explorer.transcript.layout import ConversationOutline
from explorer.transcript.selection import Point, TextSelection
from explorer.tui.key_bindings import keymap_of
from explorer.tui.reading.document_view import GUTTER, DocumentView, Position
from explorer.tui.words import copied_in_part

LEFT_BUTTON = 1
PULL = 0.05
"""Seconds from one line to the next while the mouse is beyond an edge."""


class DraggedView(DocumentView):
    """A conversation of which the mouse can take text."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.drag: TextSelection | None = None
        """What is being selected."""
        self._pressed: Point | None = None
        """Where the button went down."""
        self._pointer = Offset()
        self._pulling: Timer | None = None
        self._has_dragged = False
        """The click that follows belongs to a drag."""

    def on_mouse_down(self, event: MouseDown) -> None:
        offset = event.get_content_offset(self)
        self._has_dragged = False
        if event.button == LEFT_BUTTON and offset is not None and self.document:
            self._pointer = offset
            self._pressed = self._point(offset)
            self.capture_mouse()

    def on_mouse_move(self, event: MouseMove) -> None:
        if self._pressed is None:
            return
        offset = event.get_content_offset_capture(self)
        if self.drag is None and offset == self._pointer:
            return
        self._pointer = offset
        self._extend_drag()
        outside = not 0 <= offset.y < self.size.height
        if outside and self._pulling is None:
            self._pulling = self.set_interval(PULL, self._pull)
        elif not outside:
            self._stop_pulling()

    def on_mouse_up(self, event: MouseUp) -> None:
        drag = self.drag
        self._end_drag()
        if drag is not None:
            # Late, as all that only the user's hand needs.
            from explorer.tui.reading.block_screen import copy

            self._has_dragged = True
            copy(self, drag.text(self.document), "")
            taken, selected = drag.taken(self.document)
            if taken < selected:
                words = copied_in_part(taken, selected, keymap_of(self.app).key("editor"))
                self.notify(words, severity="warning", markup=False)

    def show(
        self,
        outlined: ConversationOutline,
        laid: Mapping[int, LaidMessage],
        view: View,
        position: Position,
    ) -> None:
        """Another session: nothing of it is selected."""
        self._end_drag()
        super().show(outlined, laid, view, position)

    def on_unmount(self) -> None:
        self._stop_pulling()
        super().on_unmount()

    def _end_drag(self) -> None:
        if self._pressed is not None:
            self.release_mouse()
        self._pressed = self.drag = None
        self._stop_pulling()
        self.refresh()

    def _pull(self) -> None:
        """Beyond an edge: on by a line."""
        self.action_scroll(-1 if self._pointer.y < 0 else 1)
        self._extend_drag()

    def _stop_pulling(self) -> None:
        if self._pulling is not None:
            self._pulling.stop()
            self._pulling = None

    def _extend_drag(self) -> None:
        if self._pressed is not None:
            self.drag = TextSelection(self._pressed, self._point(self._pointer))
            self.refresh()

    def _point(self, offset: Offset) -> Point:
        """The cell of the text below the mouse, or the nearest to it."""
        row = min(max(offset.y, 0), max(self.size.height - 1, 0))
        line = min(row + self.scroll_offset.y, max(self.document.height - 1, 0))
        return Point(*self.document.anchor(line), max(offset.x - GUTTER, 0))

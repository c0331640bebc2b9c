"""Two panes side by side, with a divider between them that the mouse can drag."""

from textual.containers import Horizontal
from textual.events import Click, MouseDown, MouseMove, MouseUp, Resize
from textual.widget import Widget

LEAST = 30
"""Columns that the list keeps."""
LEAST_READING = 40
"""Columns that the transcript keeps."""


def list_width(wanted: int, room: int) -> int:
    """The width of the left pane, of `room` columns for both."""
    return max(min(wanted, room - LEAST_READING), LEAST)


class Panes(Horizontal):
    """The left pane has the width that the user gave it, for this run; else that of the styles."""

    _wanted: int | None = None
    _dragging = False

    @property
    def _left(self) -> Widget:
        return self.children[0]

    @property
    def _divided(self) -> bool:
        return all(pane.display for pane in self.children[:2])

    def on_resize(self, event: Resize) -> None:
        self.fit()

    def fit(self) -> None:
        """Two panes have a divider; a single one has all the room."""
        styles = self._left.styles
        if self._wanted is None or not self._divided:
            styles.width = styles.max_width = None
        else:
            styles.width = styles.max_width = list_width(self._wanted, self.size.width)

    def _on_divider(self, column: int) -> bool:
        """The borders of both panes: two columns are easier to hit than one."""
        edge = self._left.region.right
        return self._divided and column in (edge - 1, edge)

    def on_mouse_down(self, event: MouseDown) -> None:
        if event.button == 1 and self._on_divider(event.screen_offset.x):
            self._dragging = True
            self.capture_mouse()
            event.stop()

    def on_mouse_move(self, event: MouseMove) -> None:
        if self._dragging:
            self._wanted = event.screen_offset.x - self.region.x + 1
            self.fit()

    def on_mouse_up(self, event: MouseUp) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()
            event.stop()

    def on_click(self, event: Click) -> None:
        """Twice on the divider: as it was at first."""
        if event.chain == 2 and self._on_divider(event.screen_offset.x):
            self._wanted = None
            self.fit()

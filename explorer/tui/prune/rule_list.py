"""The rules of a prune, one line each, with a cursor on those that can be chosen."""

from dataclasses import dataclass

from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from explorer.browse.prune_choices import RuleRow, choice_near, painted
from explorer.tui.key_bindings import bindings
from explorer.tui.widgets.painted import PaintedView


class RuleList(PaintedView):
    """What would go, by which rules, and what stays."""

    BINDINGS = bindings("prune")

    @dataclass
    class Chosen(Message):
        """Somebody chose a row."""

        row: RuleRow

    def __init__(self) -> None:
        super().__init__(id="prune-rules")
        self._rows: list[RuleRow] = []
        self._cursor = 0

    def show(self, rows: list[RuleRow]) -> None:
        """The rows as they are now; the cursor stays on its rule."""
        here = self._rows[self._cursor][:2] if self._rows else None
        self._rows = rows
        kept = (at for at, row in enumerate(rows) if row[:2] == here)
        self._cursor = choice_near(rows, next(kept, self._cursor), 1)
        self.virtual_size = Size(self.line_width, len(rows))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        if at >= len(self._rows):
            return self.strip((), self.line_width)
        lit = at == self._cursor and self.has_focus
        return self.strip(painted(self._rows[at], self.line_width), self.line_width, lit=lit)

    def on_click(self, event: Click) -> None:
        at = event.get_content_offset_capture(self).y + self.scroll_offset.y
        if 0 <= at < len(self._rows) and self._rows[at].can_be_chosen:
            self._cursor = at
            self.action_choose()

    def action_move(self, rows: int) -> None:
        self._cursor = choice_near(self._rows, self._cursor + rows, 1 if rows > 0 else -1)
        self.scroll_to_region(Region(0, self._cursor - 1, 1, 3), animate=False, force=True)
        self.refresh()

    def action_choose(self) -> None:
        if self._rows:
            self.post_message(self.Chosen(self._rows[self._cursor]))

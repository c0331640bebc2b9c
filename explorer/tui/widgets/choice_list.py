"""Choices under their headings, one line each, with a cursor on those that can be chosen."""

from dataclasses import dataclass

from textual.events import Click
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from explorer.browse.choices import ChoiceRow, choice_near, painted
from explorer.tui.widgets.painted import PaintedView


class ChoiceList(PaintedView):
    """Rows of which some can be chosen."""

    IN_SIGHT = 2
    """Lines that stay visible: the row under the cursor and the one above, which may be its
    heading; or one more below."""

    @dataclass
    class Chosen(Message):
        """A row was chosen, or is no longer."""

        row: ChoiceRow

    def __init__(self, id_: str) -> None:
        super().__init__(id=id_)
        self._rows: list[ChoiceRow] = []
        self._cursor = 0

    @property
    def shows_cursor(self) -> bool:
        return True

    def show(self, rows: list[ChoiceRow]) -> None:
        """The rows as they are now; the cursor stays on its choice."""
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
        lit = at == self._cursor and self.shows_cursor
        return self.strip(painted(self._rows[at], self.line_width), self.line_width, lit=lit)

    def on_click(self, event: Click) -> None:
        inside = event.get_content_offset(self)
        if inside is None:
            # On the border.
            return
        at = inside.y + self.scroll_offset.y
        if 0 <= at < len(self._rows) and self._rows[at].can_be_chosen:
            self._cursor = at
            self.action_choose()

    def action_move(self, rows: int) -> None:
        self._cursor = choice_near(self._rows, self._cursor + rows, 1 if rows > 0 else -1)
        self.keep_in_sight()
        self.refresh()

    def action_half_page(self, step: int) -> None:
        self.action_move(step * max(self.size.height // 2, 1))

    def keep_in_sight(self) -> None:
        region = Region(0, self._cursor - 1, 1, self.IN_SIGHT)
        self.scroll_to_region(region, animate=False, force=True)

    def action_choose(self) -> None:
        if self._rows and self._rows[self._cursor].can_be_chosen:
            self.post_message(self.Chosen(self._rows[self._cursor]))

"""The list of sessions: any number of them, of which only those in sight are known.

It holds keys in order and the rows that were read; the screen reads more when it asks. The cursor
stands on a session, not on a line: it stays there when order, filter or data change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from textual.events import Click, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from explorer.model import Session
from explorer.render.clean import pad
from explorer.render.lines import Line
from explorer.tui.actions import bindings
from explorer.tui.opening import SHORT
from explorer.tui.row_index import Group, RowIndex
from explorer.tui.row_lines import row_lines
from explorer.tui.widgets.painted import PaintedView

KEPT = 3000
"""Rows kept in memory; further ones are read again when they come back into sight."""
GUTTER = 2


class SessionList(PaintedView):
    """Sessions in order, grouped under headings."""

    BINDINGS = bindings("list")

    now = reactive(0.0)
    """The time that the times in the rows count from."""
    comfortable = reactive(True)
    """Two lines a row, or one."""

    @dataclass
    class Highlighted(Message):
        """The cursor moved to another session."""

        key: int

    @dataclass
    class Opened(Message):
        """Somebody wants to read the session under the cursor."""

        key: int

    @dataclass
    class RowsWanted(Message):
        """Rows have come into sight that were not read yet."""

        keys: tuple[int, ...]

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, SessionList.RowsWanted)

    def __init__(self, now: float, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.set_reactive(SessionList.now, now)
        self._order: Sequence[int] = ()
        self._place: dict[int, int] = {}
        self._rows: dict[int, Session] = {}
        self._groups: tuple[Group, ...] = ()
        self._chosen_density = False
        self._made: dict[int, list[Line]] = {}
        self._look = (0, True)
        self._index = RowIndex(0, 2)
        self._cursor = 0

    @property
    def cursor_key(self) -> int | None:
        """The session under the cursor."""
        return self._order[self._cursor] if self._order else None

    @property
    def order(self) -> Sequence[int]:
        return self._order

    def row(self, key: int) -> Session | None:
        """What is known of a session."""
        return self._rows.get(key)

    def show(
        self, order: Sequence[int], groups: Iterable[Group], back_to: int | None = None
    ) -> None:
        """List these sessions. The cursor stays on its session if it can, or goes `back_to`
        one."""
        before = self.cursor_key
        held = before if back_to is None else back_to
        offset = self._index.top(self._cursor) - self.scroll_offset.y if self._order else 0
        self._order = order
        self._place = {key: at for at, key in enumerate(order)}
        self._groups = tuple(groups)
        kept = self._place.get(held) if held is not None else None
        self._cursor = kept if kept is not None else 0
        self._measure()
        # A list that is at its top stays there: what is new is seen. Any other does not move.
        still = kept is not None and self.scroll_offset.y > 0
        top = self._index.top(self._cursor) - offset if still else 0
        self.scroll_to(y=max(top, 0), animate=False)
        self._keep_in_sight()
        self._ask()
        self.refresh()
        if self.cursor_key != before and self.cursor_key is not None:
            self.post_message(self.Highlighted(self.cursor_key))

    def add_rows(self, rows: Iterable[Session]) -> None:
        """Rows that were read."""
        for row in rows:
            self._rows.pop(row.key, None)
            self._rows[row.key] = row
        while len(self._rows) > KEPT:
            self._rows.pop(next(iter(self._rows)))
        self._made.clear()
        self.refresh()

    def forget_rows(self) -> None:
        """The file has changed: rows out of sight are read again when they come back."""
        seen = {key: self._rows[key] for key in self.in_sight() if key in self._rows}
        self._rows = seen

    def in_sight(self) -> Sequence[int]:
        """The sessions on the screen."""
        first = self._index.nearest_row(self.scroll_offset.y)
        last = self._index.nearest_row(self.scroll_offset.y + self.size.height)
        return self._order[first : last + 1]

    def fit_to(self, lines: int) -> None:
        """One line a row on a short terminal, until somebody chooses."""
        if not self._chosen_density:
            self.comfortable = lines >= SHORT

    def render_line(self, y: int) -> Strip:
        if not self._order:
            return self.note_line(y)
        width = self.line_width
        line = y + self.scroll_offset.y
        group = self._index.heading_at(line)
        if y == 0 and group is None:
            # The heading of what is at the top stays in sight.
            group = self._index.group_of(self._index.nearest_row(line))
        if group is not None:
            return self.strip(((pad(f" {self._groups[group].title}", width), "heading"),), width)
        found = self._index.row_at(line)
        if found is None:
            return self.strip((), width)
        at, inside = found
        lit = at == self._cursor
        gutter = (("▌ " if lit else "  ", "link"),)
        return self.strip(gutter + self._lines(self._order[at], width)[inside], width, lit)

    def _lines(self, key: int, width: int) -> list[Line]:
        """The lines of a row, made once for both of them and for every repaint."""
        look = (width, self.comfortable)
        if look != self._look:
            self._look = look
            self._made.clear()
        made = self._made.get(key)
        if made is None:
            made = row_lines(self._rows.get(key), width - GUTTER, self.comfortable, self.now)
            self._made[key] = made
        return made

    def watch_now(self) -> None:
        self._made.clear()

    def watch_comfortable(self) -> None:
        offset = self._index.top(self._cursor) - self.scroll_offset.y if self._order else 0
        self._measure()
        if self._order:
            self.scroll_to(y=max(self._index.top(self._cursor) - offset, 0), animate=False)
            self._keep_in_sight()
        self._ask()
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._ask()

    def on_resize(self, event: Resize) -> None:
        self._measure()
        self._keep_in_sight()
        self._ask()

    def on_click(self, event: Click) -> None:
        found = self._index.row_at(event.get_content_offset_capture(self).y + self.scroll_offset.y)
        if found is not None:
            self._move(found[0])
            if event.chain == 2:
                self.action_open()

    def action_move(self, rows: int) -> None:
        self._move(self._cursor + rows)

    def action_page(self, pages: int) -> None:
        self._move(self._cursor + pages * max(self.size.height // self._index.height - 1, 1))

    def action_first(self) -> None:
        self._move(0)

    def action_last(self) -> None:
        self._move(len(self._order) - 1)

    def action_open(self) -> None:
        if self.cursor_key is not None:
            self.post_message(self.Opened(self.cursor_key))

    def action_density(self) -> None:
        self._chosen_density = True
        self.comfortable = not self.comfortable

    def _move(self, to: int) -> None:
        to = max(0, min(to, len(self._order) - 1))
        if not self._order or to == self._cursor:
            return
        before, self._cursor = self._cursor, to
        for row in (before, to):
            self.refresh_lines(self._index.top(row), self._index.height)
        self._keep_in_sight()
        self.post_message(self.Highlighted(self._order[to]))

    def _keep_in_sight(self) -> None:
        if not self._order:
            return
        top = self._index.top(self._cursor)
        # The first line is the heading's: a row under the cursor is never behind it.
        above = int(bool(self._groups))
        region = Region(0, top - above, 1, self._index.height + above)
        self.scroll_to_region(region, animate=False, force=True)

    def _measure(self) -> None:
        self._index = RowIndex(len(self._order), 2 if self.comfortable else 1, self._groups)
        self.virtual_size = Size(self.line_width, self._index.total)

    def _ask(self) -> None:
        """Ask for the rows in sight, and a page around them, that are not known."""
        height = self.size.height
        if not self._order or not height:
            return
        first = self._index.nearest_row(self.scroll_offset.y - height)
        last = self._index.nearest_row(self.scroll_offset.y + 2 * height)
        keys = [key for key in self._order[first : last + 1] if key not in self._rows]
        if keys:
            self.post_message(self.RowsWanted(tuple(keys)))

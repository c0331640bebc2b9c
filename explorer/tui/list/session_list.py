"""The list of sessions: any number of them, of which only the visible ones are known.

It holds the numbers of rows in order and the rows that were read; the screen reads more when it
asks. The cursor and the selection stand on sessions, not on lines: they stay there when order,
filter or data change.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.events import Click, Resize
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from explorer.browse.arrangement import Arranged, Excerpt
from explorer.browse.cursor import ListCursor, Selection
from explorer.browse.first_read import SHORT
from explorer.browse.headings import RowIndex
from explorer.browse.row_cache import KnownRows, text_of
from explorer.browse.row_columns import ColumnChoice, RowShape
from explorer.browse.row_set import RowSet
from explorer.model import Session
from explorer.render.clean import cell_width, pad
from explorer.settings import AUTO, COMFORTABLE, COMPACT
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings
from explorer.tui.widgets.painted import ResultsView
from explorer.tui.words import ALL_SELECTED, FIRST_HEADING, LAST_HEADING

if TYPE_CHECKING:
    from explorer.search.matcher import Matcher

GUTTER = 2
CORNER = 3
"""Cells between the end of the border and the words in it."""


class SessionList(ResultsView):
    """Sessions in order, grouped under headings."""

    BINDINGS = bindings("list")
    SELECTED = "✓"
    """The mark of rows that are selected."""

    now = reactive(0.0)
    """The time that the times in the rows count from."""
    comfortable = reactive(True)
    """Two lines a row, or one."""

    @dataclass
    class Highlighted(Message):
        """The cursor moved to another row."""

        row: int

    @dataclass
    class Opened(Message):
        """The session under the cursor is to be read."""

        row: int

    @dataclass
    class BorderClicked(Message):
        """The words in the border were clicked."""

        below: bool
        column: int
        """Of these words."""

    @dataclass
    class SelectionChanged(Message):
        """Other rows are selected."""

    @dataclass
    class DensityChosen(Message):
        """The user has chosen how many lines a row takes."""

        density: str

    @dataclass
    class RowsWanted(Message):
        """Rows have come into sight that were not read yet."""

        rows: tuple[int, ...]

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, SessionList.RowsWanted)

    def __init__(
        self,
        now: float,
        id: str | None = None,  # noqa: A002
        density: str = AUTO,
    ) -> None:
        super().__init__(id=id)
        self.set_reactive(SessionList.now, now)
        self.arranged = Arranged((), (), {}, 0)
        """What is listed."""
        self.cursor = ListCursor()
        self.known = KnownRows()
        """The rows that were read."""
        self.selection = Selection()
        self._unseen = 0
        self._chosen_density = density != AUTO
        self.set_reactive(SessionList.comfortable, density != COMPACT)
        self._index = RowIndex(0, 2)
        self.columns = ColumnChoice()
        """Which columns are wanted."""
        self._shape = RowShape(0)

    @property
    def cursor_row(self) -> int | None:
        """The number of the row under the cursor: its key, or that of a row inside another."""
        return self.cursor.row

    @property
    def current(self) -> Session | None:
        """The session under the cursor, if it has been read."""
        return self.known.get(self.cursor_row)

    @property
    def unseen(self) -> int:
        """How many rows are selected that are not listed: counted for each list, since what is
        selected from it changes nothing of that."""
        return min(self._unseen, len(self.selection))

    @property
    def on_a_part(self) -> bool:
        """The cursor is on one part of a conversation, not on the whole."""
        found = self.arranged.inside.get(self.cursor_row or 0)
        return found is not None and bool(found.unit.whole)

    def chosen(self) -> list[int]:
        """What an action is about: the rows that are selected, else the one under the cursor."""
        here = self.cursor_row
        return sorted(self.selection.keys) or ([here] if here is not None else [])

    def chosen_ids(self) -> dict[int, str]:
        """The ids of those by key, as far as they are known: the numbers by which a list knows its
        rows may be those of other sessions by now."""
        known = (self.known.get(row) for row in self.chosen())
        return {row.key: row.id for row in known if row is not None} | self.selection.ids

    def known_ids(self) -> dict[int, str]:
        """The ids of all rows that were read."""
        known = (self.known.get(row) for row in self.known.numbers)
        return {row.key: row.id for row in known if row is not None}

    def held(self) -> tuple[dict[int, str], RowSet]:
        """(ids by key, rows) of what stays selected, or under the cursor, when the file changes."""
        rows, here = self.selection.keys.copy(), self.current
        if here is None or self.cursor_row is None:
            return dict(self.selection.ids), rows
        rows.add(self.cursor_row)
        return {here.key: here.id} | self.selection.ids, rows

    @property
    def order(self) -> Sequence[int]:
        return self.cursor.order

    def row(self, row: int) -> Session | None:
        """What is known of a row."""
        return self.known.get(row)

    def outer_row(self) -> int | None:
        """The row under the cursor, or the one that it is inside of."""
        at = self.cursor.place
        while at > 0 and self.order[at] in self.arranged.inside:
            at -= 1
        return self.order[at] if self.order else None

    def searching(self, text: str) -> None:
        """What is listed stays until what is searched for comes."""
        if text != text_of(self.arranged):
            self.expect()

    def show(
        self,
        arranged: Arranged,
        matcher: "Matcher | None" = None,
        tip: Callable[[int], int] | None = None,
        sure: bool = True,
    ) -> None:
        """List these sessions. The `matcher` lights what was searched for in titles; `tip` and
        `sure` are for the cursor."""
        self.arrived()
        before = self.cursor_row
        offset = self._index.top(self.cursor.place) - self.scroll_offset.y if self.order else 0
        self.known.arrange(arranged, matcher)
        self.arranged = arranged
        self._unseen = self.selection.missing_in(arranged.order)
        kept = self.cursor.follow(arranged, tip, sure)
        self._measure()
        # A list that is at its top stays there: what is new is seen. Any other does not move.
        still = kept and self.scroll_offset.y > 0
        top = self._index.top(self.cursor.place) - offset if still else 0
        self.scroll_to(y=max(top, 0), animate=False)
        self._keep_in_sight()
        self._ask()
        self.refresh()
        if self.cursor_row != before and self.cursor_row is not None:
            self.post_message(self.Highlighted(self.cursor_row))

    def add_rows(self, rows: Mapping[int, Session], excerpts: Mapping[int, Excerpt] = {}) -> None:
        """Rows that were read, by their numbers, and what a search found in them."""
        self.known.add(rows, excerpts)
        # Most are read ahead: nothing that is in sight changes with them.
        if not rows.keys().isdisjoint(self.in_sight()):
            self._lay_out()
            self.refresh()

    def foresee(self, signs: Mapping[int, str]) -> None:
        """The signs of what is about to happen to rows."""
        self.known.foresee(signs)
        self.refresh()

    @property
    def page(self) -> int:
        """How many rows can be visible."""
        return self.size.height // self._index.height + 1

    def clear(self) -> None:
        """Another file: what was read and selected is not of this one."""
        self.known.clear()
        self.selection.clear()

    def forget_rows(self, places: Collection[str] | None) -> None:
        """The file has changed, or those of several that are in these places: their rows out of
        sight are read again when they come back."""
        self.known.forget(places, frozenset(self.in_sight()))

    def in_sight(self) -> Sequence[int]:
        """The sessions on the screen."""
        first = self._index.nearest_row(self.scroll_offset.y)
        last = self._index.nearest_row(self.scroll_offset.y + self.size.height)
        return self.order[first : last + 1]

    @property
    def _two_lines(self) -> bool:
        """What was found stands in the second line, on a short terminal too."""
        return self.comfortable or (self.arranged.found is not None and not self._chosen_density)

    def fit_to(self, lines: int) -> None:
        """One line a row on a short terminal, until the user chooses."""
        if not self._chosen_density:
            self.comfortable = lines >= SHORT

    def render_line(self, y: int) -> Strip:
        if not self.order:
            return self.note_line(y)
        width = self.line_width
        group = self._heading_on(y)
        if group is not None:
            title = self._index.groups[group].title
            return self.strip(((pad(f" {title}", width), "heading"),), width)
        found = self._index.row_at(y + self.scroll_offset.y)
        if found is None:
            return self.strip((), width)
        at, inside = found
        lit, row = at == self.cursor.place, self.order[at]
        chosen = self.SELECTED if inside == 0 and row in self.selection else " "
        gutter = (("▌" if lit else " ", "link"), (chosen, "ok"))
        if self._shape.width != width - GUTTER:
            # Painted before the new size has been told.
            self._lay_out()
        lines = self.known.lines(row, self._shape, self._two_lines, self.now)
        return self.strip(gutter + lines[inside], width, lit)

    def _heading_on(self, y: int) -> int | None:
        """The heading on a line of the screen: that of what is at the top stays in sight."""
        line = y + self.scroll_offset.y
        group = self._index.heading_at(line)
        if y == 0 and group is None:
            group = self._index.group_of(self._index.nearest_row(line))
        return group

    def watch_now(self) -> None:
        self._lay_out()

    def watch_comfortable(self) -> None:
        offset = self._index.top(self.cursor.place) - self.scroll_offset.y if self.order else 0
        self._measure()
        if self.order:
            self.scroll_to(y=max(self._index.top(self.cursor.place) - offset, 0), animate=False)
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
        """A row is moved to, with control selected, with shift selected up to; twice, read. A
        heading leads to its first row; twice, all its rows are selected."""
        at = event.get_content_offset(self)
        if at is None:
            self._click_border(event)
            return
        if not self.order:
            return
        y = at.y
        found, group = self._index.row_at(y + self.scroll_offset.y), self._heading_on(y)
        if group is not None:
            rows = self._index.rows_of(group)
            self._move(rows.start)
            if event.chain == 2:
                self._select(lambda: self.selection.add(self.order[rows.start : rows.stop]))
        elif found is None:
            return
        elif event.shift:
            self._extend(found[0])
        else:
            self._move(found[0])
            if event.ctrl:
                self._select(lambda: self.selection.toggle(self.order[found[0]]))
            elif event.chain == 2:
                self.action_open()

    def _click_border(self, event: Click) -> None:
        """On the words in the border."""
        below = event.y == self.outer_size.height - 1
        if event.y != 0 and not below:
            return
        words = str((self.border_subtitle if below else self.border_title) or "")
        start = self.outer_size.width - CORNER - cell_width(words) if below else CORNER
        if 0 <= event.x - start < cell_width(words):
            self.post_message(self.BorderClicked(below, event.x - start))

    def action_move(self, rows: int) -> None:
        self._move(self.cursor.place + rows)

    def action_page(self, pages: int) -> None:
        self._move(self.cursor.place + pages * max(self.size.height // self._index.height - 1, 1))

    def action_half_page(self, step: int) -> None:
        self._move(self.cursor.place + step * max(self.size.height // self._index.height // 2, 1))

    def action_heading(self, step: int) -> None:
        """The first row of the next heading, or of this one or the one before."""
        to = self._index.beside(self.cursor.place, step)
        if to == self.cursor.place or not 0 <= to < len(self.order):
            hint(self, LAST_HEADING if step > 0 else FIRST_HEADING)
        self._move(to)

    def action_select(self) -> None:
        """Select the row, and on to the next."""
        if self.order:
            self._select(lambda: self.selection.toggle(self.order[self.cursor.place]))
            self._move(self.cursor.place + 1)

    def action_extend(self, rows: int) -> None:
        self._extend(max(0, min(self.cursor.place + rows, len(self.order) - 1)))

    def action_invert(self) -> None:
        self._select(lambda: self.selection.invert(self.order))

    def action_select_all(self) -> None:
        if len(self.selection) - self.unseen == len(self.order):
            hint(self, ALL_SELECTED)
        self._select(lambda: self.selection.add(self.order))

    def action_unselect(self) -> None:
        self._select(self.selection.clear)

    def _extend(self, to: int) -> None:
        if self.order:
            start = self.cursor.place
            self._select(lambda: self.selection.extend(self.order, start, to))
            self._move(to, drawing=True)

    def _select(self, change: Callable[[], None]) -> None:
        change()
        self.refresh()
        self.post_message(self.SelectionChanged())

    def action_first(self) -> None:
        self._move(0)

    def action_last(self) -> None:
        self._move(len(self.order) - 1)

    def action_open(self) -> None:
        if self.cursor_row is not None:
            self.post_message(self.Opened(self.cursor_row))

    def action_density(self) -> None:
        self._chosen_density = True
        self.comfortable = not self.comfortable
        self.post_message(self.DensityChosen(COMFORTABLE if self.comfortable else COMPACT))

    def go_to(self, row: int) -> None:
        """Put the cursor on a row that is listed."""
        place = self.cursor.place_of(row)
        if place is not None:
            self._move(place)

    def _move(self, to: int, drawing: bool = False) -> None:
        if not drawing:
            self.selection.rest()
        before = self.cursor.place
        if self.cursor.move(to):
            for place in (before, self.cursor.place):
                self.refresh_lines(self._index.top(place), self._index.height)
            self._keep_in_sight()
            self.post_message(self.Highlighted(self.order[self.cursor.place]))

    def _keep_in_sight(self) -> None:
        if not self.order:
            return
        top = self._index.top(self.cursor.place)
        # The first line is the heading's: a row under the cursor is never behind it.
        above = int(bool(self._index.groups))
        region = Region(0, top - above, 1, self._index.height + above)
        self.scroll_to_region(region, animate=False, force=True)

    def _measure(self) -> None:
        height = 2 if self._two_lines else 1
        self._index = RowIndex(len(self.order), height, self.arranged.groups)
        self.measure(self._index.total)

    def _lay_out(self) -> None:
        """Make the columns wide enough for the visible rows."""
        width = self.line_width - GUTTER
        before = self._shape
        self._shape = self.known.lay_out(self.in_sight(), width, self.columns, self.now)
        if self._shape != before:
            self.refresh()

    def _ask(self) -> None:
        """Ask for the visible rows, and a page around them, that are not known."""
        height = self.size.height
        if not self.order or not height:
            return
        self._lay_out()
        first = self._index.nearest_row(self.scroll_offset.y - height)
        last = self._index.nearest_row(self.scroll_offset.y + 2 * height)
        near = self.order[first : last + 1]
        if rows := self.known.missing(near):
            self.post_message(self.RowsWanted(rows))

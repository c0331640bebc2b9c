"""The transcript: reads any session as it happened, however long it is.

Messages are laid out when they come near the screen. The block cursor, a bar at the left, is
always in view; it is what enter folds and unfolds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from explorer.render.blocks import View
from explorer.tui.actions import bindings
from explorer.tui.document import Document, Laid, Place
from explorer.tui.reading import Outlined
from explorer.tui.widgets.painted import ReadingView

GUTTER = 2
AT_ONCE = 80
"""Messages laid out together."""
MARGIN = 1
"""Free cells at the right, so that text does not touch the scroll bar."""


class Transcript(ReadingView):
    """The messages of one conversation."""

    BINDINGS = bindings("transcript")

    @dataclass
    class ItemsWanted(Message):
        """Messages have come near the screen that are not laid out."""

        items: range
        view: View

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Transcript.ItemsWanted)

    @dataclass
    class Moved(Message):
        """Another message is at the top."""

        number: int
        of: int

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Transcript.Moved)

    @dataclass
    class LeaveWanted(Message):
        """Somebody wants to go back to the list."""

    @dataclass
    class BlockWanted(Message):
        """A block is longer or wider than is shown in place."""

        laid: Laid
        key: str

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._outlined: Outlined | None = None
        self._document = Document((), 80)
        self._folds: dict[tuple[int, str], bool] = {}
        self._open: frozenset[str] = frozenset()
        self._cursor: Place | None = None
        self._wanted = range(0)

    @property
    def document(self) -> Document:
        return self._document

    @property
    def cursor(self) -> Place | None:
        return self._cursor

    @property
    def text_width(self) -> int:
        return max(self.line_width - GUTTER - MARGIN, 10)

    def view(self) -> View:
        """How messages are laid out here and now."""
        model = self._outlined.session.model if self._outlined else None
        return View(self.text_width, model, folds=dict(self._folds), unfolded=self._open)

    def show(self, outlined: Outlined, laid: Mapping[int, Laid], view: View) -> None:
        """Another session; `laid` are its first messages, laid out for `view`."""
        self._outlined = outlined
        self._folds.clear()
        self._document = Document(outlined.outlines, self.text_width)
        if self._fits(view):
            self._document.lay(laid)
        self._cursor = None
        self._measure((0, 0))

    def extend(self, outlined: Outlined) -> None:
        """The same session with more messages: a reader at the end stays at the end, any other
        stays where he is."""
        at_end = self.scroll_offset.y >= self.max_scroll_y
        anchor = self._document.anchor(self.scroll_offset.y)
        self._outlined = outlined
        self._document = self._document.extended(outlined.outlines)
        self._wanted = range(0)
        self._measure(anchor)
        if at_end and anchor != (0, 0):
            self.action_bottom()

    def clear(self) -> None:
        self._outlined = None
        self._document = Document((), self.text_width)
        self._cursor = None
        self._measure((0, 0))

    def retry(self) -> None:
        """What was wanted has not come: want it again."""
        self._wanted = range(0)
        self._look_around()

    def add(self, laid: Mapping[int, Laid], view: View) -> None:
        """Messages that were laid out; what is being read does not move."""
        self._wanted = range(0)
        if not self._fits(view):
            self._look_around()
            return
        anchor = self._document.anchor(self.scroll_offset.y)
        self._document.lay(laid)
        self._measure(anchor)

    def render_line(self, y: int) -> Strip:
        if not len(self._document):
            return self.note_line(y)
        width = self.line_width
        line, place = self._document.line(y + self.scroll_offset.y)
        if line is None:
            return self.strip((("  …", "dim"),), width)
        lit = place is not None and place == self._cursor
        return self.strip((("▌ " if lit else "  ", "link"), *line), width)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self._look_around()

    def on_resize(self, event: Resize) -> None:
        if self._outlined is None or self.text_width == self._document.width:
            self._measure(self._document.anchor(self.scroll_offset.y))
            return
        item, inside = self._document.anchor(self.scroll_offset.y)
        before = self._document.height_of(item)
        self._document = Document(self._outlined.outlines, self.text_width)
        self._cursor = None
        self._wanted = range(0)
        self._measure((item, inside * self._document.height_of(item) // max(before, 1)))

    def on_click(self, event: Click) -> None:
        line = event.get_content_offset_capture(self).y + self.scroll_offset.y
        _, place = self._document.line(line)
        if place in list(self._document.places(line, line)):
            again = place == self._cursor
            self._cursor = place
            self.refresh()
            if again or event.chain == 2:
                self.action_enter()

    def action_block(self, step: int) -> None:
        if self._cursor is None:
            return
        place = self._document.next_place(self._cursor, step)
        if place is None:
            self.action_page(step)
            return
        self._cursor = place
        self._bring(place)
        self.refresh()

    def action_yours(self, step: int) -> None:
        outlines = self._document.outlines
        here = self._cursor.item if self._cursor else 0
        item = here + step
        while 0 <= item < len(outlines):
            if outlines[item].role == "user":
                self.scroll_to(y=self._document.line_of((item, 0)), animate=False)
                self._cursor = self._document.first_place(item) or Place(item, 0)
                self._look_around()
                self.refresh()
                return
            item += step

    def action_enter(self) -> None:
        """What is too long or too wide for here opens alone; the rest is folded or unfolded."""
        block = self._document.block(self._cursor) if self._cursor else None
        laid = self._document.laid(self._cursor.item) if self._cursor else None
        if block is not None and block.opens_alone and laid is not None:
            self.post_message(self.BlockWanted(laid, block.key))
        else:
            self.action_fold()

    def action_fold(self) -> None:
        """Fold or unfold the block under the cursor."""
        block = self._document.block(self._cursor) if self._cursor else None
        laid = self._document.laid(self._cursor.item) if self._cursor else None
        if self._cursor is None or block is None or laid is None or laid.message is None:
            return
        if block.foldable:
            self._folds[laid.message.id, block.key] = not block.folded
            self._want(range(self._cursor.item, self._cursor.item + 1))

    def action_fold_all(self, kind: str) -> None:
        """Fold or unfold every block of a kind, those out of sight too."""
        self._open = self._open ^ {kind}
        self._folds = {at: fold for at, fold in self._folds.items() if not at[1].startswith(kind)}
        seen = self._in_sight()
        self._document.keep(seen)
        self._want(seen)

    def action_back(self) -> None:
        self.post_message(self.LeaveWanted())

    def _fits(self, view: View) -> bool:
        """Whether something was laid out for the pane as it is now."""
        return view.width == self.text_width and view.unfolded == self._open

    def _measure(self, anchor: tuple[int, int]) -> None:
        """Take over the height of the document, with this message and line at the top."""
        self.virtual_size = Size(self.line_width, self._document.height)
        self.scroll_to(y=self._document.line_of(anchor), animate=False)
        self.refresh()
        self._look_around()

    def _look_around(self) -> None:
        """After any move: what must be read, where the cursor is, what the border says."""
        unread = self._document.unread(
            max(self.scroll_offset.y - self.size.height, 0),
            self.scroll_offset.y + 2 * self.size.height,
        )
        if unread and not set(unread[:AT_ONCE]) <= set(self._wanted):
            self._want(unread[:AT_ONCE])
        places = list(self._document.places(self.scroll_offset.y, self._last_line()))
        if places and self._cursor not in places:
            above = self._cursor is not None and self._cursor < places[0]
            self._cursor = places[0] if above or self._cursor is None else places[-1]
            self.refresh()
        number = self._document.anchor(self.scroll_offset.y)[0] + 1
        self.post_message(self.Moved(min(number, len(self._document)), len(self._document)))

    def _want(self, items: range) -> None:
        if items:
            self._wanted = items
            self.post_message(self.ItemsWanted(items, self.view()))

    def _in_sight(self) -> range:
        if not len(self._document):
            return range(0)
        first = self._document.anchor(self.scroll_offset.y)[0]
        return range(first, self._document.anchor(self._last_line())[0] + 1)

    def _last_line(self) -> int:
        return self.scroll_offset.y + max(self.size.height - 1, 0)

    def _bring(self, place: Place) -> None:
        """Scroll as little as it takes to have the block in view, its first line in any case."""
        block = self._document.block(place)
        top = self._document.first_line(place)
        end = top + (len(block.lines) if block else 1)
        y = self.scroll_offset.y
        if end > y + self.size.height:
            y = end - self.size.height
        self.scroll_to(y=min(y, top), animate=False)

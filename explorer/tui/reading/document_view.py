"""A conversation as scrolling lines, of which only those near the screen are laid out.

The anchor (message, line within it) stays in place: folding, resizing and new messages never move
the text that is being read.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

from textual.events import Resize
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from explorer.render.blocks import Level, View
from explorer.render.lines import Line
from explorer.transcript.document import BlockPlace, Document, LaidMessage
from explorer.transcript.layout import ConversationOutline
from explorer.tui.key_bindings import keymap_of
from explorer.tui.widgets.painted import ReadingView
from explorer.tui.words import new_below

GUTTER = 2
AT_ONCE = 80
"""Messages laid out together."""
PATIENCE = 0.06
"""Seconds that painting waits for what has become visible: it takes a few milliseconds, and dots
in its place would take a frame of their own."""
MARGIN = 1
"""Free cells at the right, so that text does not touch the scroll bar."""


class Position(NamedTuple):
    """Where the reader is in a transcript, and what is folded: enough to come back to."""

    message: int | None = None
    line: int = 0
    folds: Mapping[tuple[int, str], bool] = {}
    cursor: tuple[int, int] | None = None
    """(message, index of its block) under the cursor."""


class KeptLine(NamedTuple):
    """A line that keeps its place on the screen."""

    block: BlockPlace
    inside: int
    """Its number within the block."""
    row: int
    """Of the screen."""


class DocumentView(ReadingView):
    """Messages in order, from an outline and what was laid out of it."""

    @dataclass
    class ItemsWanted(Message):
        """Messages have come near the screen that are not laid out."""

        items: range
        view: View
        known: Mapping[int, LaidMessage]
        """Those of them that were laid out before, for another view."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, DocumentView.ItemsWanted)

    @dataclass
    class Moved(Message):
        """Another message is at the top, or more or less is shown."""

        item: int
        level: Level | None
        """How much is shown of calls, once the reader has chosen."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, DocumentView.Moved)

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._outlined: ConversationOutline | None = None
        self.document = Document((), 80)
        self._folds: dict[tuple[int, str], bool] = {}
        self._open: frozenset[str] = frozenset()
        self._level = Level.FOLDED
        self._chosen = False
        """Whether the border shows the level: not before the reader has chosen another."""
        self.cursor: BlockPlace | None = None
        self._wanted = range(0)
        self._held = ExitStack()
        """What painting waits for is being read."""
        self._patience: Timer | None = None
        """Runs while painting waits, and stays when it was in vain."""
        self._new = 0
        self._follows = False
        """What was added at the end is to be shown as soon as it is laid out."""
        self._kept: KeptLine | None = None
        """The line being read, while what is around it is laid out in another way."""

    @property
    def text_width(self) -> int:
        return max(self.line_width - GUTTER - MARGIN, 10)

    def view(self) -> View:
        """How messages are laid out here and now."""
        model = self._outlined.session.model if self._outlined else None
        return View(
            self.text_width,
            model,
            folds=dict(self._folds),
            unfolded=self._open,
            level=self._level,
            enter=keymap_of(self.app).key("expand-block"),
        )

    def position(self) -> Position:
        """Where the reader is."""
        if not self.document:
            return Position()
        item, line = self.document.anchor(self.scroll_offset.y)
        outlines, at = self.document.outlines, self.cursor
        cursor = (outlines[at.item].id, at.block) if at and at.item < len(outlines) else None
        return Position(outlines[item].id, line, dict(self._folds), cursor)

    def session_key(self) -> int | None:
        """The session, one of a conversation, that the message at the top is of."""
        return self.document.outlines[self.first_item()].session_key if self.document else None

    def first_item(self) -> int:
        """The message at the top."""
        return self.document.anchor(self.scroll_offset.y)[0]

    def show(
        self,
        outlined: ConversationOutline,
        laid: Mapping[int, LaidMessage],
        view: View,
        position: Position,
    ) -> None:
        """Another session, where it was left; `laid` are some messages, laid out for `view`."""
        self._outlined = outlined
        self._folds = dict(position.folds)
        self._chosen = self._level is not Level.FOLDED
        self.document = Document(outlined.outlines, self.text_width)
        self._new, self._follows, self._kept = 0, False, None
        if self._fits(view):
            self.document.lay(laid)
        self.cursor = None
        if position.cursor is not None:
            under = outlined.item_of(position.cursor[0])
            self.cursor = None if under is None else BlockPlace(under, position.cursor[1])
        self._wanted = range(0)
        item = outlined.item_of(position.message)
        self._measure((0, 0) if item is None else (item, position.line))

    def extend(self, outlined: ConversationOutline) -> None:
        """The same session with more messages: a reader at the end stays at the end, any other
        stays in place."""
        at_end, on_last = self.scroll_offset.y >= self.max_scroll_y, self._is_on_last()
        anchor = self.document.anchor(self.scroll_offset.y)
        before, self._outlined = self._outlined, outlined
        more = len(outlined.outlines) - len(self.document)
        if before is None or before.complete:
            # What follows a beginning is not new.
            self._new += max(more, 0)
            self._follows = at_end and more > 0
        else:
            self._follows = at_end and anchor != (0, 0)
        self.document = self.document.extended(outlined.outlines)
        self.document.answer(outlined.answered - (before.answered if before else frozenset()))
        if before is not None and before.waiting not in (None, outlined.waiting):
            # What it has asked for will not come any more.
            self.document.forget(before.item_of(before.waiting) or 0)
        for item in outlined.items_reseamed(before) if before is not None else ():
            self.document.forget(item)
        self._wanted = range(0)
        self._measure(anchor)
        if self._follows:
            self._stay_at_end(on_last)

    def clear(self) -> None:
        self._outlined = None
        self.document = Document((), self.text_width)
        self.cursor = None
        self._measure((0, 0))

    def retry(self) -> None:
        """Ask again for what has not come."""
        self._wanted = range(0)
        self._look_around()

    def add(self, laid: Mapping[int, LaidMessage], view: View) -> None:
        """Messages that were laid out; what is being read does not move."""
        self._wanted = range(0)
        if not self._fits(view):
            self._look_around()
            return
        kept, self._kept = self._kept, None
        if kept is not None and (kept.block.item in laid or self.document.laid(kept.block.item)):
            self.document.lay(laid)
            self._restore(kept)
            return
        at_end = self._follows or 0 < self.scroll_offset.y >= self.max_scroll_y
        on_last = self._is_on_last()
        top = self.scroll_offset.y
        anchor, mark = self.document.anchor(top), self.document.mark(top)
        self.document.lay(laid)
        if mark is not None:
            anchor = self.document.anchor(self.document.marked_line(mark))
        self._measure(anchor)
        if at_end:
            # Heights were estimates: a reader at the end must stay there.
            self._stay_at_end(on_last)
            self._follows = self._follows and len(self.document) - 1 not in laid

    def _keep_line(self) -> None:
        """Note the line being read: the first one of the block under the cursor where it is
        visible, else the top one."""
        top = self.scroll_offset.y
        line = self.document.first_line(self.cursor) if self.cursor else top
        line = line if top <= line <= self._last_line() else top
        mark = self.document.mark(line)
        self._kept = KeptLine(*mark, line - top) if mark else None

    def _restore(self, kept: KeptLine) -> None:
        """Put the line back at its place; where it is folded away, the head of its fold."""
        line = self.document.marked_line((kept.block, kept.inside))
        self._measure(self.document.anchor(max(line - kept.row, 0)))

    def _is_on_last(self) -> bool:
        """Whether the cursor is on the last block that is laid out."""
        return self.cursor is None or self.document.next_place(self.cursor, 1) is None

    def _stay_at_end(self, with_cursor: bool) -> None:
        """Go to the end. A cursor on the last block moves too; any other stays on its block, if
        that is still visible."""
        if with_cursor:
            self.action_bottom()
        else:
            ReadingView.action_bottom(self)
            self._look_around()

    def render_line(self, y: int) -> Strip:
        if not self.document:
            return self.note_line(y)
        width = self.line_width
        if self._new and y == self.size.height - 1:
            words = new_below(self._new, keymap_of(self.app).key("transcript-bottom"))
            return self.strip(((f" {words}", "seam"),), width, lit=True)
        line, place = self.document.line(y + self.scroll_offset.y)
        if line is None:
            return self.strip((("  …", "dim"),), width)
        lit = place is not None and place == self.cursor
        line = self.painted(line, place, y + self.scroll_offset.y)
        return self.strip((("▌ " if lit else "  ", "link"), *line), width)

    def painted(self, line: Line, place: BlockPlace | None, number: int) -> Line:
        """A line as it is to be painted, here as it was laid out."""
        return line

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            # The reader has moved on.
            self._kept = None
            self._look_around()

    def on_resize(self, event: Resize) -> None:
        if self._outlined is None or self.text_width == self.document.width:
            self._measure(self.document.anchor(self.scroll_offset.y))
            return
        item, inside = self.document.anchor(self.scroll_offset.y)
        before = self.document.height_of(item)
        self.document = self.document.resized(self.text_width)
        self._wanted = range(0)
        self._measure((item, inside * self.document.height_of(item) // max(before, 1)))

    def _fits(self, view: View) -> bool:
        """Whether something was laid out for the pane as it is now."""
        now = (self.text_width, self._open, self._level)
        return (view.width, view.unfolded, view.level) == now

    def _measure(self, anchor: tuple[int, int]) -> None:
        """Take over the height of the document, with this message and line at the top."""
        self.measure(self.document.height)
        # By force: after a text without one, the scroll bar appears with the next layout only.
        self.scroll_to(y=self.document.line_of(anchor), animate=False, force=True)
        self.refresh()
        self._look_around()

    def _look_around(self) -> None:
        """After any move: what must be read, where the cursor is, what the border says."""
        top, end = self.scroll_offset.y, self._last_line()
        visible = self.document.unread(top, end)
        if visible:
            self._hold()
        else:
            self._let_go()
        # What is visible comes first: pages above and below it can wait.
        unread = (
            visible
            or self.document.unread(end, end + self.size.height)
            or self.document.unread(max(top - self.size.height, 0), top)
        )
        if unread and not set(unread[:AT_ONCE]) <= set(self._wanted):
            self._want(unread[:AT_ONCE])
        places = list(self.document.places(top, end))
        waits = self.cursor is not None and self.cursor.item in visible
        if places and self.cursor not in places and not waits:
            from_here = (place for place in places if self.cursor is None or place >= self.cursor)
            self.cursor = next(from_here, places[-1])
            self.refresh()
        if self.scroll_offset.y >= self.max_scroll_y:
            self._new = 0
        self._say_where()

    def _hold(self) -> None:
        """Paint nothing until what is visible has been read, or patience ends; not again where
        it has ended before."""
        if self._patience is None:
            self._held.enter_context(self.app.batch_update())
            self._patience = self.set_timer(PATIENCE, self._paint)

    def _let_go(self) -> None:
        if self._patience is not None:
            self._patience.stop()
            self._patience = None
            self._paint()

    def _paint(self) -> None:
        self._held.close()
        self.refresh()

    def on_unmount(self) -> None:
        self._held.close()

    def _say_where(self) -> None:
        level = self._level if self._chosen else None
        item = self.cursor.item if self.cursor else self.first_item()
        self.post_message(self.Moved(min(item, max(len(self.document) - 1, 0)), level))

    def _want(self, items: range) -> None:
        if items:
            self._wanted = items
            known = self.document.known(items)
            self.post_message(self.ItemsWanted(items, self.view(), known))

    def _last_line(self) -> int:
        return self.scroll_offset.y + max(self.size.height - 1, 0)

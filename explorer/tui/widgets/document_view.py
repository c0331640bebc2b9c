"""A conversation as a scroll of lines, of which only what is near the screen is laid out.

The anchor (message, line within it) is what stays: folding, resizing and new messages never move
the text under the reader's eyes. Matches of a search are lit, and can be led to.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import NamedTuple

from textual.events import Resize
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from explorer.render.amounts import count
from explorer.render.blocks import Level, View
from explorer.render.lines import Line
from explorer.search.pattern import Pattern
from explorer.tui.document import Document, Laid, Place
from explorer.tui.marking import marked, matches_in
from explorer.tui.reading import Outlined
from explorer.tui.widgets.painted import ReadingView

GUTTER = 2
AT_ONCE = 80
"""Messages laid out together."""
PATIENCE = 0.06
"""Seconds that painting waits for what has come in sight: it takes a few milliseconds, and dots
in its place would take a frame of their own."""
MARGIN = 1
"""Free cells at the right, so that text does not touch the scroll bar."""


class Position(NamedTuple):
    """Where somebody is in a transcript, and what is folded: enough to come back to."""

    message: int | None = None
    line: int = 0
    folds: Mapping[tuple[int, str], bool] = {}


class Goal(NamedTuple):
    """A match to be led to, when its message is laid out."""

    item: int
    key: str
    number: int


class DocumentView(ReadingView):
    """Messages in order, from an outline and what was laid out of it."""

    @dataclass
    class ItemsWanted(Message):
        """Messages have come near the screen that are not laid out."""

        items: range
        view: View
        known: Mapping[int, Laid]
        """Those of them that were laid out before, for another view."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, DocumentView.ItemsWanted)

    @dataclass
    class Moved(Message):
        """Another message is at the top, or more or less is shown."""

        item: int
        level: Level | None
        """How much is shown of calls, once somebody has chosen."""

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, DocumentView.Moved)

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._outlined: Outlined | None = None
        self._document = Document((), 80)
        self._folds: dict[tuple[int, str], bool] = {}
        self._open: frozenset[str] = frozenset()
        self._level = Level.FOLDED
        self._chosen = False
        """Whether the border says the level: not before somebody has asked for another."""
        self._cursor: Place | None = None
        self._wanted = range(0)
        self._held = ExitStack()
        """What painting waits for is being read."""
        self._patience: Timer | None = None
        """Runs while painting waits, and stays when it was in vain."""
        self._new = 0
        self._finder: Pattern | None = None
        self._goal: Goal | None = None
        self._here: tuple[Place, int, int] | None = None
        """(block, line in it, match in that line) where a step has led."""

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
        return View(
            self.text_width,
            model,
            folds=dict(self._folds),
            unfolded=self._open,
            level=self._level,
        )

    def position(self) -> Position:
        """Where the reader is."""
        if not len(self._document):
            return Position()
        item, line = self._document.anchor(self.scroll_offset.y)
        return Position(self._document.outlines[item].id, line, dict(self._folds))

    def session_key(self) -> int | None:
        """The session, one of a conversation, that the message at the top is of."""
        if not len(self._document):
            return None
        item = self._document.anchor(self.scroll_offset.y)[0]
        return self._document.outlines[item].session_key

    def first_item(self) -> int:
        """The message at the top."""
        return self._document.anchor(self.scroll_offset.y)[0] if len(self._document) else 0

    def light(self, finder: Pattern | None) -> None:
        """Light all matches of something, or none."""
        self._finder, self._goal, self._here = finder, None, None
        self.refresh()

    def go_to(self, item: int, key: str, number: int = 0) -> None:
        """Lead to a match in a block, unfolding it if it is folded."""
        self._goal = Goal(item, key, number)
        place = self._document.place_of(item, key)
        block = self._document.block(place) if place else None
        if block is not None and not block.folded:
            self._arrive()
            return
        self._folds[self._document.outlines[item].id, key] = False
        self._document.forget(item)
        self._wanted = range(0)
        self.scroll_to(y=self._document.line_of((item, 0)), animate=False, force=True)
        self._look_around()

    def _arrive(self) -> None:
        """The message of the goal is laid out: put its match in view."""
        goal = self._goal
        place = self._document.place_of(goal.item, goal.key) if goal else None
        block = self._document.block(place) if place else None
        if goal is None or place is None or block is None:
            return
        self._goal = None
        left, at, inside = goal.number, 0, 0
        for number, line in enumerate(block.lines):
            found = len(matches_in(line, self._finder)) if self._finder else 0
            if found:
                at, inside = number, min(left, found - 1)
            if left < found:
                break
            left -= found
        self._cursor, self._here = place, (place, at, inside)
        y = self._document.first_line(place) + at
        if not self.scroll_offset.y + 2 <= y < self.scroll_offset.y + self.size.height - 2:
            self.scroll_to(y=max(y - self.size.height // 3, 0), animate=False, force=True)
        self.refresh()

    def show(
        self,
        outlined: Outlined,
        laid: Mapping[int, Laid],
        view: View,
        position: Position = Position(),  # noqa: B008
    ) -> None:
        """Another session, where it was left; `laid` are some messages, laid out for `view`."""
        self._outlined = outlined
        self._folds = dict(position.folds)
        self._chosen = self._level is not Level.FOLDED
        self._document = Document(outlined.outlines, self.text_width)
        self._new = 0
        if self._fits(view):
            self._document.lay(laid)
        self._cursor = self._goal = self._here = None
        self._wanted = range(0)
        item = outlined.item_of(position.message)
        self._measure((0, 0) if item is None else (item, position.line))

    def extend(self, outlined: Outlined) -> None:
        """The same session with more messages: a reader at the end stays at the end, any other
        stays where he is."""
        at_end = self.scroll_offset.y >= self.max_scroll_y
        anchor = self._document.anchor(self.scroll_offset.y)
        before, self._outlined = self._outlined, outlined
        if before is None or before.complete:
            # What follows a beginning is not new.
            self._new += max(len(outlined.outlines) - len(self._document), 0)
        self._document = self._document.extended(outlined.outlines)
        self._document.answer(outlined.answered - (before.answered if before else frozenset()))
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
        at_end = 0 < self.scroll_offset.y >= self.max_scroll_y
        anchor = self._document.anchor(self.scroll_offset.y)
        self._document.lay(laid)
        self._measure(anchor)
        if at_end:
            # Heights were estimates: who went to the end is to be there.
            self.action_bottom()
        if self._goal is not None and self._goal.item in laid:
            self._arrive()

    def render_line(self, y: int) -> Strip:
        if not len(self._document):
            return self.note_line(y)
        width = self.line_width
        if self._new and y == self.size.height - 1:
            words = f" ↓ {count(self._new)} new below · G goes there"
            return self.strip(((words, "seam"),), width, lit=True)
        line, place = self._document.line(y + self.scroll_offset.y)
        if line is None:
            return self.strip((("  …", "dim"),), width)
        lit = place is not None and place == self._cursor
        if self._finder is not None:
            line = self._marked(line, place, y + self.scroll_offset.y)
        return self.strip((("▌ " if lit else "  ", "link"), *line), width)

    def _marked(self, line: Line, place: Place | None, number: int) -> Line:
        here = None
        if self._here is not None and place == self._here[0]:
            inside = number - self._document.first_line(place)
            here = self._here[2] if inside == self._here[1] else None
        return marked(line, self._finder, here) if self._finder else line

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
        self._document = self._document.resized(self.text_width)
        self._cursor = None
        self._wanted = range(0)
        self._measure((item, inside * self._document.height_of(item) // max(before, 1)))

    def _fits(self, view: View) -> bool:
        """Whether something was laid out for the pane as it is now."""
        now = (self.text_width, self._open, self._level)
        return (view.width, view.unfolded, view.level) == now

    def _measure(self, anchor: tuple[int, int]) -> None:
        """Take over the height of the document, with this message and line at the top."""
        self.measure(self._document.height)
        # By force: after a text without one, the scroll bar appears with the next layout only.
        self.scroll_to(y=self._document.line_of(anchor), animate=False, force=True)
        self.refresh()
        self._look_around()

    def _look_around(self) -> None:
        """After any move: what must be read, where the cursor is, what the border says."""
        top, end = self.scroll_offset.y, self._last_line()
        in_sight = self._document.unread(top, end)
        if in_sight:
            self._hold()
        else:
            self._let_go()
        # What is in sight comes first: nobody waits for a page that is above or below it.
        unread = (
            in_sight
            or self._document.unread(end, end + self.size.height)
            or self._document.unread(max(top - self.size.height, 0), top)
        )
        if unread and not set(unread[:AT_ONCE]) <= set(self._wanted):
            self._want(unread[:AT_ONCE])
        places = list(self._document.places(top, end))
        if places and self._cursor not in places:
            above = self._cursor is not None and self._cursor < places[0]
            self._cursor = places[0] if above or self._cursor is None else places[-1]
            self.refresh()
        if self.scroll_offset.y >= self.max_scroll_y:
            self._new = 0
        self._say_where()

    def _hold(self) -> None:
        """Paint nothing until what is in sight has been read, or patience ends; not again where
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
        item = self._cursor.item if self._cursor else self.first_item()
        self.post_message(self.Moved(min(item, max(len(self._document) - 1, 0)), level))

    def _want(self, items: range) -> None:
        if items:
            self._wanted = items
            known = self._document.known(items)
            self.post_message(self.ItemsWanted(items, self.view(), known))

    def _in_sight(self) -> range:
        if not len(self._document):
            return range(0)
        first = self._document.anchor(self.scroll_offset.y)[0]
        return range(first, self._document.anchor(self._last_line())[0] + 1)

    def _last_line(self) -> int:
        return self.scroll_offset.y + max(self.size.height - 1, 0)

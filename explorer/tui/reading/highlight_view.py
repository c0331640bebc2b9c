"""A conversation in which matches are lit and led to; what they are in unfolds for as long."""

from collections.abc import Mapping
from typing import NamedTuple

from explorer.render.blocks import View
from explorer.render.lines import Line
from explorer.search.pattern import Pattern
from explorer.transcript.document import Laid, Place
from explorer.transcript.highlight import Lights
from explorer.transcript.layout import Outlined
from explorer.tui.reading.document_view import DocumentView, Position


class Goal(NamedTuple):
    """A match to be led to, when its message is laid out."""

    item: int
    key: str
    number: int


class Revealed(NamedTuple):
    """A block that was unfolded for a match in it."""

    item: int
    name: tuple[int, str]
    before: bool | None
    """Whether the reader had folded it."""


class LitView(DocumentView):
    """A scroll of messages with what somebody looks for in it."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lights = Lights()
        self._goal: Goal | None = None
        self._revealed: Revealed | None = None

    def match_here(self) -> int:
        """The how manieth match of the block under the cursor the reader was led to."""
        here = self._lights.here
        return here[1] if here is not None and here[0] == self._cursor else 0

    def light(self, finder: Pattern | None) -> None:
        """Light all matches of something, or none."""
        self._lights.use(finder)
        self._goal = None
        self.refresh()

    def go_to(self, item: int, key: str, number: int = 0) -> None:
        """Lead to a match in a block, unfolding it if it is folded."""
        self._goal = Goal(item, key, number)
        place = self._document.place_of(item, key)
        block = self._document.block(place) if place else None
        if block is not None and not block.folded:
            if self._revealed and self._revealed.name != (self._document.outlines[item].id, key):
                self._fold_again()
                self._look_around()
            self._arrive()
            return
        self._fold_again()
        name = self._document.outlines[item].id, key
        self._revealed = Revealed(item, name, self._folds.get(name))
        self._folds[name] = False
        self._document.forget(item)
        self._wanted = range(0)
        self.scroll_to(y=self._document.line_of((item, 0)), animate=False, force=True)
        self._look_around()

    def _fold_again(self) -> None:
        """What only a match had unfolded is as it was, now that the match is another one."""
        if self._revealed is not None:
            item, name, before = self._revealed
            self._revealed = None
            self._folds.pop(name, None)
            if before is not None:
                self._folds[name] = before
            self._document.forget(item)
            self._wanted = range(0)

    def _arrive(self) -> None:
        """The message of the goal is laid out: put its match in view."""
        goal = self._goal
        place = self._document.place_of(goal.item, goal.key) if goal else None
        block = self._document.block(place) if place else None
        if goal is None or place is None or block is None:
            return
        self._goal = None
        self._cursor = place
        at = self._lights.lead_to(place, block, goal.number)
        y = self._document.first_line(place) + at
        if not self.scroll_offset.y + 2 <= y < self.scroll_offset.y + self.size.height - 2:
            self.scroll_to(y=max(y - self.size.height // 3, 0), animate=False, force=True)
        self._say_where()
        self.refresh()

    def show(
        self,
        outlined: Outlined,
        laid: Mapping[int, Laid],
        view: View,
        position: Position = Position(),  # noqa: B008
    ) -> None:
        """Another session: no match of it has been led to."""
        self._goal = self._revealed = self._lights.here = None
        super().show(outlined, laid, view, position)

    def add(self, laid: Mapping[int, Laid], view: View) -> None:
        """Messages that were laid out, among them perhaps the one that is waited for."""
        super().add(laid, view)
        if self._goal is not None and self._goal.item in laid:
            self._arrive()

    def painted(self, line: Line, place: Place | None, number: int) -> Line:
        """A line with its matches."""
        block = self._document.block(place) if place else None
        if place is None or block is None or self._lights.finder is None:
            return line
        return self._lights.painted(place, block, number - self._document.first_line(place))

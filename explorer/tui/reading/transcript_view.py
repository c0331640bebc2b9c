"""The transcript: reads any session as it happened, however long it is.

The block cursor, a bar at the left, is always in view; it is what enter goes into, what is folded
and copied. Matches are highlighted; the block of a match unfolds while the reader is at it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from textual.events import Click
from textual.message import Message

from explorer.render.blocks import Block, View
from explorer.render.lines import Line
from explorer.search.pattern import Pattern
from explorer.transcript.document import BlockPlace, LaidMessage
from explorer.transcript.find import Highlights, Match
from explorer.transcript.layout import ConversationOutline
from explorer.tui.key_bindings import bindings
from explorer.tui.reading.document_view import DocumentView, Position


class ReadingCommand(StrEnum):
    """What a key of the transcript asks of the pane around it."""

    LEAVE = "leave"
    NEXT_MATCH = "next"
    PREVIOUS_MATCH = "previous"
    NEXT_ERROR = "error"
    PART = "part"
    EVERYTHING = "everything"
    RETURN = "return"
    COPY_BLOCK = "copy"
    COPY_CODE = "copy_code"
    COPY_MESSAGE = "copy_message"
    COPY_ID = "copy_id"


class Revealed(NamedTuple):
    """A block that was unfolded for a match in it."""

    item: int
    name: tuple[int, str]
    before: bool | None
    """Whether the reader had folded it."""


class Transcript(DocumentView):
    """The messages of one conversation, and a cursor among their blocks."""

    BINDINGS = bindings("transcript")

    @dataclass
    class LeaveWanted(Message):
        """Back to the list."""

    @dataclass
    class EntryWanted(Message):
        """Into a block: unfold it, open it, follow it."""

        item: int
        session_key: int
        laid: LaidMessage
        block: Block

    @dataclass
    class CommandWanted(Message):
        """A key that is not about lines: copy, another part."""

        command: ReadingCommand

    def __init__(self, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._highlights = Highlights()
        self._goal: Match | None = None
        self._revealed: Revealed | None = None

    def match_here(self) -> int:
        """The index of the match in the block under the cursor that the reader was led to."""
        here = self._highlights.here
        return here[1] if here is not None and here[0] == self.cursor else 0

    def highlight(self, finder: Pattern | None) -> None:
        """Highlight all matches of something, or none."""
        self._highlights.use(finder)
        self._goal = None
        self.refresh()

    def go_to(self, match: Match) -> None:
        """Go to a match, unfolding its block if that is folded."""
        self._goal, item = match, match.item
        place = self.document.place_of(item, match.key)
        block = self.document.block(place) if place else None
        name = self.document.outlines[item].id, match.key
        if block is not None and not block.folded:
            if self._revealed and self._revealed.name != name:
                self._fold_again()
                self._look_around()
            self._arrive()
            return
        self._fold_again()
        self._revealed = Revealed(item, name, self._folds.get(name))
        self._folds[name] = False
        self.document.forget(item)
        self._wanted = range(0)
        self.scroll_to(y=self.document.line_of((item, 0)), animate=False, force=True)
        self._look_around()

    def _fold_again(self) -> None:
        """Fold again what was unfolded only for a match: the reader is at another one."""
        if self._revealed is not None:
            item, name, before = self._revealed
            self._revealed = None
            self._folds.pop(name, None)
            if before is not None:
                self._folds[name] = before
            self.document.forget(item)
            self._wanted = range(0)

    def _arrive(self) -> None:
        """The message of the goal is laid out: put its match in view."""
        goal = self._goal
        place = self.document.place_of(goal.item, goal.key) if goal else None
        block = self.document.block(place) if place else None
        if goal is None or place is None or block is None:
            return
        self._goal = None
        self.cursor = place
        at = self._highlights.lead_to(place, block, goal.number)
        y = self.document.first_line(place) + at
        if not self.scroll_offset.y + 2 <= y < self.scroll_offset.y + self.size.height - 2:
            self.scroll_to(y=max(y - self.size.height // 3, 0), animate=False, force=True)
        self._say_where()
        self.refresh()

    def show(
        self,
        outlined: ConversationOutline,
        laid: Mapping[int, LaidMessage],
        view: View,
        position: Position,
    ) -> None:
        """Another session: no match of it has been led to."""
        self._goal = self._revealed = self._highlights.here = None
        super().show(outlined, laid, view, position)

    def add(self, laid: Mapping[int, LaidMessage], view: View) -> None:
        """Messages that were laid out, perhaps with the one to go to."""
        super().add(laid, view)
        if self._goal is not None and self._goal.item in laid:
            self._arrive()

    def painted(self, line: Line, place: BlockPlace | None, number: int) -> Line:
        """A line with its matches."""
        block = self.document.block(place) if place else None
        if place is None or block is None or self._highlights.finder is None:
            return line
        return self._highlights.painted(place, block, number - self.document.first_line(place))

    def here(self) -> tuple[LaidMessage | None, Block | None]:
        """The message and the block under the cursor."""
        if self.cursor is None:
            return None, None
        return self.document.laid(self.cursor.item), self.document.block(self.cursor)

    def times_of(self, item: int) -> tuple[float | None, float | None]:
        """When the call that a message answers was made, and when the answer came."""
        outlines = self.document.outlines
        began = next((at for at in range(item, -1, -1) if outlines[at].role != "tool"), item)
        ended = outlines[item].timestamp if outlines[item].role == "tool" else None
        return outlines[began].timestamp, ended

    def current_item(self) -> int:
        """The message under the cursor."""
        return self.cursor.item if self.cursor else self.first_item()

    def on_click(self, event: Click) -> None:
        line = event.get_content_offset_capture(self).y + self.scroll_offset.y
        _, place = self.document.line(line)
        if place in list(self.document.places(line, line)):
            again = place == self.cursor
            self.cursor = place
            self.refresh()
            if again or event.chain == 2:
                self.action_enter()

    def action_block(self, step: int) -> None:
        if self.cursor is None:
            return
        place = self.document.next_place(self.cursor, step)
        if place is None:
            self.action_page(step)
            return
        self.cursor = place
        self._bring(place)
        self._say_where()
        self.refresh()

    def action_yours(self, step: int) -> None:
        outlines = self.document.outlines
        here = self.cursor.item if self.cursor else 0
        item = here + step
        while 0 <= item < len(outlines):
            if outlines[item].role == "user" and not outlines[item].unsaid:
                self.scroll_to(y=self.document.line_of((item, 0)), animate=False)
                self.cursor = self.document.first_place(item) or BlockPlace(item, 0)
                self._look_around()
                self.refresh()
                return
            item += step

    def action_bottom(self) -> None:
        """The end, with the cursor on the last block."""
        self.cursor = BlockPlace(len(self.document), 0)
        super().action_bottom()
        self._look_around()

    def action_enter(self) -> None:
        """Into the block under the cursor: the pane around it knows where it leads."""
        laid, block = self.here()
        if self.cursor is not None and laid is not None and block is not None:
            item = self.cursor.item
            key = self.document.outlines[item].session_key
            self.post_message(self.EntryWanted(item, key, laid, block))

    def action_ask(self, name: str) -> None:
        self.post_message(self.CommandWanted(ReadingCommand(name)))

    def action_fold(self) -> None:
        """Fold or unfold the block under the cursor."""
        laid, block = self.here()
        if self.cursor is None or block is None or laid is None or laid.message is None:
            return
        if block.foldable:
            self._revealed = None
            self._folds[laid.message.id, block.key] = not block.folded
            self._want(range(self.cursor.item, self.cursor.item + 1))

    def action_fold_all(self, kind: str) -> None:
        """Fold or unfold every block of a kind, those not visible too."""
        self._open = self._open ^ {kind}
        self._lay_out_anew(kind)

    def action_calls(self) -> None:
        """Show less or more of every call: folded, brief, full, and folded again."""
        self._level = self._level.next
        self._chosen = True
        self._say_where()
        self._lay_out_anew("call")

    def _lay_out_anew(self, kind: str) -> None:
        """All blocks of a kind are to be shown alike, those not visible too."""
        self._folds = {at: fold for at, fold in self._folds.items() if not at[1].startswith(kind)}
        seen = self.document.items(self.scroll_offset.y, self._last_line())
        self.document.keep(seen)
        self._want(seen)

    def _bring(self, place: BlockPlace) -> None:
        """Scroll as little as it takes to have the block in view, its first line in any case."""
        block = self.document.block(place)
        top = self.document.first_line(place)
        end = top + (len(block.lines) if block else 1)
        y = self.scroll_offset.y
        if end > y + self.size.height:
            y = end - self.size.height
        self.scroll_to(y=min(y, top), animate=False)

"""The transcript: reads any session as it happened, however long it is.

The block cursor, a bar at the left, is always in view; it is what enter goes into, what is folded
and copied.
"""

from dataclasses import dataclass
from enum import StrEnum

from textual.events import Click
from textual.message import Message

from explorer.render.blocks import Block
from explorer.transcript.document import Laid, Place
from explorer.tui.keys.actions import bindings
from explorer.tui.reading.highlight_view import LitView


class Request(StrEnum):
    """What a key of the transcript asks for that is not about lines."""

    LEAVE = "leave"
    RETURN = "return"
    NEXT = "next"
    PREVIOUS = "previous"
    ERROR = "error"
    PART = "part"
    EVERYTHING = "everything"
    COPY = "copy"
    COPY_CODE = "copy_code"
    COPY_MESSAGE = "copy_message"
    COPY_ID = "copy_id"


class Transcript(LitView):
    """The messages of one conversation, and a cursor among their blocks."""

    BINDINGS = bindings("transcript")

    @dataclass
    class LeaveWanted(Message):
        """Somebody wants to go back to the list."""

    @dataclass
    class EntryWanted(Message):
        """Somebody wants to go into a block: unfold it, open it, follow it."""

        item: int
        session_key: int
        laid: Laid
        block: Block

    @dataclass
    class Asked(Message):
        """A key that is not about lines: find, copy, another part."""

        request: Request

    def here(self) -> tuple[Laid | None, Block | None]:
        """The message and the block under the cursor."""
        if self._cursor is None:
            return None, None
        return self._document.laid(self._cursor.item), self._document.block(self._cursor)

    def times_of(self, item: int) -> tuple[float | None, float | None]:
        """When the call that a message answers was made, and when the answer came."""
        outlines = self._document.outlines
        began = next((at for at in range(item, -1, -1) if outlines[at].role != "tool"), item)
        ended = outlines[item].timestamp if outlines[item].role == "tool" else None
        return outlines[began].timestamp, ended

    def current_item(self) -> int:
        """The message under the cursor."""
        return self._cursor.item if self._cursor else self.first_item()

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
        self._say_where()
        self.refresh()

    def action_yours(self, step: int) -> None:
        outlines = self._document.outlines
        here = self._cursor.item if self._cursor else 0
        item = here + step
        while 0 <= item < len(outlines):
            if outlines[item].role == "user" and not outlines[item].unsaid:
                self.scroll_to(y=self._document.line_of((item, 0)), animate=False)
                self._cursor = self._document.first_place(item) or Place(item, 0)
                self._look_around()
                self.refresh()
                return
            item += step

    def action_bottom(self) -> None:
        """The end, with the cursor on the last block."""
        self._cursor = Place(len(self._document), 0)
        super().action_bottom()
        self._look_around()

    def action_enter(self) -> None:
        """Into the block under the cursor: whoever hears it knows where it leads."""
        laid, block = self.here()
        if self._cursor is not None and laid is not None and block is not None:
            item = self._cursor.item
            key = self._document.outlines[item].session_key
            self.post_message(self.EntryWanted(item, key, laid, block))

    def action_ask(self, name: str) -> None:
        self.post_message(self.Asked(Request(name)))

    def action_fold(self) -> None:
        """Fold or unfold the block under the cursor."""
        block = self._document.block(self._cursor) if self._cursor else None
        laid = self._document.laid(self._cursor.item) if self._cursor else None
        if self._cursor is None or block is None or laid is None or laid.message is None:
            return
        if block.foldable:
            self._revealed = None
            self._folds[laid.message.id, block.key] = not block.folded
            self._want(range(self._cursor.item, self._cursor.item + 1))

    def action_fold_all(self, kind: str) -> None:
        """Fold or unfold every block of a kind, those out of sight too."""
        self._open = self._open ^ {kind}
        self._lay_out_anew(kind)

    def action_calls(self) -> None:
        """Show less or more of every call: folded, brief, full, and folded again."""
        self._level = self._level.next
        self._chosen = True
        self._say_where()
        self._lay_out_anew("call")

    def _lay_out_anew(self, kind: str) -> None:
        """All blocks of a kind are to be shown alike, those out of sight too."""
        self._folds = {at: fold for at, fold in self._folds.items() if not at[1].startswith(kind)}
        seen = self._in_sight()
        self._document.keep(seen)
        self._want(seen)

    def _bring(self, place: Place) -> None:
        """Scroll as little as it takes to have the block in view, its first line in any case."""
        block = self._document.block(place)
        top = self._document.first_line(place)
        end = top + (len(block.lines) if block else 1)
        y = self.scroll_offset.y
        if end > y + self.size.height:
            y = end - self.size.height
        self.scroll_to(y=min(y, top), animate=False)

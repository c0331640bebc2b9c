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
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings
from explorer.tui.reading.document_view import Position
from explorer.tui.reading.dragged_view import DraggedView
from explorer.tui.words import NO_BLOCK, NOTHING_FOLDED, no_block, no_prompt, nothing_of_kind


class ReadingCommand(StrEnum):
    """What a key of the transcript asks of the pane around it."""

    LEAVE = "leave"
    NEXT_MATCH = "next"
    PREVIOUS_MATCH = "previous"
    NEXT_ERROR = "error"
    DATE = "date"
    PART = "part"
    EVERYTHING = "everything"
    RETURN = "return"
    COPY_BLOCK = "copy"
    COPY_CODE = "copy_code"
    COPY_MESSAGE = "copy_message"


class Revealed(NamedTuple):
    """A block that was unfolded for a match in it."""

    item: int
    name: tuple[int, str]
    before: bool | None
    """Whether the reader had folded it."""


def _without(
    folds: Mapping[tuple[int, str], bool], revealed: Revealed
) -> dict[tuple[int, str], bool]:
    """The folds as they were before something was unfolded for a match."""
    others = {name: fold for name, fold in folds.items() if name != revealed.name}
    return others if revealed.before is None else others | {revealed.name: revealed.before}


class Transcript(DraggedView):
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
        self._stays: BlockPlace | None = None
        """What the reader was led to: a match, a prompt, a date."""

    def match_here(self) -> int:
        """The index of the match in the block under the cursor that the reader was led to."""
        here = self._highlights.here
        return here[1] if here is not None and here[0] == self.cursor else 0

    def highlight(self, finder: Pattern | None) -> None:
        """Highlight all matches of something, or none."""
        self._highlights.use(finder)
        self._goal = None
        if self._revealed is not None:
            self._keep_line()
            item = self._revealed.item
            self._fold_again()
            self._want(range(item, item + 1))
        self.refresh()

    def go_to(self, match: Match) -> None:
        """Go to a match, unfolding its block if that is folded."""
        self._goal, item = match, match.item
        self._kept = None
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

    def position(self) -> Position:
        """Where the reader is; what was unfolded for a match is folded when they come back."""
        found = super().position()
        revealed = self._revealed
        return found._replace(folds=_without(found.folds, revealed)) if revealed else found

    def _is_on_last(self) -> bool:
        """A cursor on what the reader was led to stays there."""
        return super()._is_on_last() and self.cursor != self._stays

    def _fold_again(self) -> None:
        """Fold again what was unfolded only for a match: the reader is at another one."""
        if self._revealed is not None:
            self._folds = _without(self._folds, self._revealed)
            self.document.forget(self._revealed.item)
            self._revealed = None
            self._wanted = range(0)

    def _arrive(self) -> None:
        """The message of the goal is laid out: put its match in view."""
        goal = self._goal
        place = self.document.place_of(goal.item, goal.key) if goal else None
        block = self.document.block(place) if place else None
        if goal is None or place is None or block is None:
            return
        if block.folded and self._revealed and self._revealed.item == goal.item:
            # Laid out before it was unfolded for this match: that is on its way.
            return
        self._goal = None
        self.cursor = self._stays = place
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
        self._goal = self._revealed = self._highlights.here = self._stays = None
        super().show(outlined, laid, view, position)

    def add(self, laid: Mapping[int, LaidMessage], view: View) -> None:
        """Messages that were laid out, perhaps with the one to go to."""
        super().add(laid, view)
        if self._goal is not None and self._goal.item in laid:
            self._arrive()

    def painted(self, line: Line, place: BlockPlace | None, number: int) -> Line:
        """A line with its matches, and with what the mouse selects."""
        block = self.document.block(place) if place else None
        if place is not None and block is not None and self._highlights.finder is not None:
            inside = number - self.document.first_line(place)
            line = self._highlights.painted(place, block, inside)
        return line if self.drag is None else self.drag.painted(line, *self.document.anchor(number))

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
        """The message under the cursor; the last one while the end is not laid out yet."""
        item = self.cursor.item if self.cursor else self.first_item()
        return max(min(item, len(self.document) - 1), 0)

    def on_click(self, event: Click) -> None:
        """The cursor goes to the block. A click on the head of a fold folds or unfolds it, one on
        the line that says that there is more opens all of it, and so do two anywhere."""
        offset = event.get_content_offset(self)
        if offset is None or self._has_dragged:
            return
        line = offset.y + self.scroll_offset.y
        _, place = self.document.line(line)
        block = self.document.block(place) if place else None
        if place is None or block is None or place not in self.document.places(line, line):
            return
        self.cursor = place
        self._say_where()
        self.refresh()
        inside = line - self.document.first_line(place)
        if block.foldable and inside == 0:
            self.action_fold()
        elif event.chain == 2 or (block.opens_alone and inside == len(block.lines) - 1):
            self.action_enter()

    def action_block(self, step: int) -> None:
        if self.cursor is None:
            hint(self, no_block(step))
            return
        place = self.document.next_place(self.cursor, step)
        if place is None:
            end = self.max_scroll_y if step > 0 else 0
            if self.scroll_offset.y == end:
                hint(self, no_block(step))
            self.action_page(step)
            return
        self.cursor = place
        self._bring(place)
        self._say_where()
        self.refresh()

    def go_to_message(self, item: int) -> None:
        """A message at the top, with the cursor on it."""
        self.scroll_to(y=self.document.line_of((item, 0)), animate=False, force=True)
        self.cursor = self._stays = self.document.first_place(item) or BlockPlace(item, 0)
        self._look_around()
        self.refresh()

    def action_yours(self, step: int) -> None:
        outlines = self.document.outlines
        here = self.cursor.item if self.cursor else 0

        def first_of(items: range) -> int | None:
            said = (at for at in items if outlines[at].role == "user" and not outlines[at].unsaid)
            return next(said, None)

        ahead = (
            range(here + 1, len(outlines))
            if step > 0
            else range(min(here, len(outlines)) - 1, -1, -1)
        )
        found = first_of(ahead)
        if found is not None:
            self.go_to_message(found)
        else:
            hint(self, no_prompt(step, first_of(range(len(outlines))) is not None))

    def action_top(self) -> None:
        """The beginning, with the cursor on the first block."""
        self.cursor, self._stays = BlockPlace(0, 0), None
        super().action_top()
        self._look_around()

    def action_bottom(self) -> None:
        """The end, with the cursor on the last block."""
        self.cursor, self._stays = BlockPlace(len(self.document), 0), None
        super().action_bottom()
        self._look_around()

    def action_enter(self) -> None:
        """Into the block under the cursor: the pane around it knows where it leads."""
        laid, block = self.here()
        if self.cursor is not None and laid is not None and block is not None:
            item = self.cursor.item
            key = self.document.outlines[item].session_key
            self.post_message(self.EntryWanted(item, key, laid, block))
        else:
            hint(self, NO_BLOCK)

    def action_ask(self, name: str) -> None:
        self.post_message(self.CommandWanted(ReadingCommand(name)))

    def action_fold(self) -> None:
        """Fold or unfold the block under the cursor."""
        laid, block = self.here()
        if self.cursor is None or block is None or laid is None or laid.message is None:
            hint(self, NO_BLOCK)
        elif not block.foldable:
            hint(self, NOTHING_FOLDED)
        else:
            self._revealed = None
            self._folds[laid.message.id, block.key] = not block.folded
            self._keep_line()
            self._want(range(self.cursor.item, self.cursor.item + 1))

    def action_fold_all(self, kind: str) -> None:
        """Fold or unfold every block of a kind, those not visible too."""
        self._open = self._open ^ {kind}
        places = self.document.places(self.scroll_offset.y, self._last_line())
        blocks = (self.document.block(place) for place in places)
        if not any(block is not None and block.key.startswith(kind) for block in blocks):
            hint(self, nothing_of_kind(kind, kind in self._open))
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
        self._keep_line()
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

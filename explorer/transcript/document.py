"""A transcript as a scroll of lines: which message and block is where, and what is still unread.

Only an outline of all messages is known at first; heights are estimates until a message comes
near the screen and is laid out. The anchor (message, line within it) is the truth, the scroll
position follows from it: what is above may grow or shrink without moving the text being read.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate
from typing import NamedTuple

from explorer.model import UNKNOWN, Message, Outline, ToolCall
from explorer.render.blocks import CAP, Block
from explorer.render.lines import Line, line_text

BLOCK = 32
"""Messages whose heights are summed up together."""
KEPT = 600
"""Messages kept laid out; further ones are read again when they become visible again."""
_STILL = ("head", "gap", "seam", "finish")
"""Blocks that the cursor passes over."""


class HeightIndex:
    """The heights of items, one below the other, mostly estimates.

    Summed up in blocks, so that setting a height, finding where an item begins and finding the item
    at a line touch one block and the list of all blocks, and 35,000 messages feel like 20. A tree
    would save little there, and takes milliseconds to build."""

    def __init__(self, heights: Iterable[int]) -> None:
        self._heights = list(heights)
        firsts = range(0, len(self._heights), BLOCK)
        self._sums = [sum(self._heights[first : first + BLOCK]) for first in firsts]
        self._starts: list[int] | None = None
        """Where each block begins, and the end of the last; None after a change."""

    def __len__(self) -> int:
        return len(self._heights)

    @property
    def total(self) -> int:
        return self._blocks()[-1]

    def height(self, item: int) -> int:
        return self._heights[item]

    def set(self, item: int, height: int) -> None:
        change = height - self._heights[item]
        if change:
            self._heights[item] = height
            self._sums[item // BLOCK] += change
            self._starts = None

    def start(self, item: int) -> int:
        """The first line of an item: the sum of all heights before it."""
        block = item // BLOCK
        return self._blocks()[block] + sum(self._heights[block * BLOCK : item])

    def at(self, line: int) -> tuple[int, int]:
        """(item, line within it) at a line of the scroll; the nearest one beyond either end."""
        if not self._heights:
            return 0, 0
        starts = self._blocks()
        left = max(line, 0)
        if left >= starts[-1]:
            last = len(self._heights) - 1
            return last, max(self._heights[last] - 1, 0)
        # The last block that begins there: one without any height before it has no line.
        block = bisect_right(starts, left) - 1
        left -= starts[block]
        item = block * BLOCK
        while left >= self._heights[item]:
            left -= self._heights[item]
            item += 1
        return item, left

    def _blocks(self) -> list[int]:
        if self._starts is None:
            self._starts = list(accumulate(self._sums, initial=0))
        return self._starts


class LaidMessage(NamedTuple):
    """A message that is laid out."""

    message: Message | None
    """None when the agent has deleted it since the outline was read."""
    blocks: tuple[Block, ...]
    call: ToolCall | None = None
    """The call that it answers."""

    @property
    def height(self) -> int:
        return sum(len(block.lines) for block in self.blocks)

    def title_of(self, block: Block) -> str:
        """What a block is called when it stands alone: its own head, or that of its message."""
        heads = (one for one in self.blocks if one.key == "head")
        named = block if block.foldable else next(heads, block)
        return line_text(named.lines[0]).lstrip("▸▾─ ")


class BlockPlace(NamedTuple):
    """A block of the transcript."""

    item: int
    block: int


class Document:
    """The messages of one transcript at one width."""

    def __init__(
        self, outlines: Sequence[Outline], width: int, before: Mapping[int, LaidMessage] = {}
    ) -> None:
        self.outlines = outlines
        self.width = width
        self._laid: dict[int, LaidMessage] = {}
        self._before = dict(before)
        """Messages that were laid out for another view: only their lines are not known."""
        self._index = HeightIndex(estimates(outlines, width))

    def extended(self, outlines: Sequence[Outline]) -> "Document":
        """The document with more messages at its end; what else changed is laid out anew."""

        def same(known: Mapping[int, LaidMessage]) -> dict[int, LaidMessage]:
            there = (at for at in known if at < len(outlines))
            return {at: known[at] for at in there if _same(self.outlines[at], outlines[at])}

        made = Document(outlines, self.width, same(self._before))
        made.lay(same(self._laid))
        return made

    def resized(self, width: int) -> "Document":
        """The document at another width: everything is laid out anew, but not read again."""
        return Document(self.outlines, width, self._before | self._laid)

    def __len__(self) -> int:
        return len(self.outlines)

    @property
    def height(self) -> int:
        return self._index.total

    def anchor(self, line: int) -> tuple[int, int]:
        """(message, line within it) at a line."""
        return self._index.at(line)

    def line_of(self, anchor: tuple[int, int]) -> int:
        item, inside = anchor
        if not self.outlines:
            return 0
        return self._index.start(item) + min(inside, max(self._index.height(item) - 1, 0))

    def line(self, number: int) -> tuple[Line | None, BlockPlace | None]:
        """(what to paint, which block it belongs to); no line for a message not yet laid out."""
        if not self.outlines or number >= self.height:
            return (), None
        item, inside = self._index.at(number)
        if item not in self._laid:
            return None, None
        for at, block in enumerate(self._blocks(item)):
            if inside < len(block.lines):
                return block.lines[inside], BlockPlace(item, at)
            inside -= len(block.lines)
        return (), None

    def mark(self, number: int) -> tuple[BlockPlace, int] | None:
        """(block, line within it) at a line: what stays when blocks above it fold or unfold."""
        place = self.line(number)[1]
        return (place, number - self.first_line(place)) if place else None

    def marked_line(self, mark: tuple[BlockPlace, int]) -> int:
        """Where that is now; the nearest line of the block where it has become shorter."""
        place, inside = mark
        block = self.block(place)
        return self.first_line(place) + min(inside, len(block.lines) - 1 if block else 0)

    def unread(self, first: int, last: int) -> range:
        """The messages on these lines, from the first that is not laid out to the last such."""
        missing = [item for item in self.items(first, last) if item not in self._laid]
        return range(missing[0], missing[-1] + 1) if missing else range(0)

    def items(self, first: int, last: int) -> range:
        """The messages on these lines."""
        if not self.outlines:
            return range(0)
        return range(self._index.at(first)[0], self._index.at(last)[0] + 1)

    def lay(self, items: Mapping[int, LaidMessage]) -> None:
        for item, laid in items.items():
            self._laid.pop(item, None)
            self._laid[item] = laid
            self._before.pop(item, None)
            self._index.set(item, laid.height)
        _shorten(self._laid)

    def keep(self, items: range) -> None:
        """Have all but these laid out anew when they become visible; heights stay till then."""
        for item in [item for item in self._laid if item not in items]:
            self._before[item] = self._laid.pop(item)
        _shorten(self._before)

    def forget(self, item: int) -> None:
        """Have one message laid out anew."""
        if item in self._laid:
            self._before[item] = self._laid.pop(item)

    def answer(self, calls: AbstractSet[str]) -> None:
        """Results have come: have the messages laid out anew that had asked for them."""
        for item, laid in list(self._laid.items()):
            asked = laid.message.tool_calls if laid.message else ()
            if any(call.id in calls for call in asked):
                self.forget(item)

    def known(self, items: range) -> dict[int, LaidMessage]:
        """Those of some messages that can be laid out anew without being read."""
        found = ((item, self._laid.get(item) or self._before.get(item)) for item in items)
        return {item: laid for item, laid in found if laid is not None and laid.message}

    def place_of(self, item: int, key: str) -> BlockPlace | None:
        """A block of a message, by its name."""
        found = (at for at, block in enumerate(self._blocks(item)) if block.key == key)
        return next((BlockPlace(item, at) for at in found), None)

    def height_of(self, item: int) -> int:
        return self._index.height(item) if self.outlines else 0

    def first_place(self, item: int) -> BlockPlace | None:
        """The first block of a message that the cursor can stand on."""
        found = (at for at, block in enumerate(self._blocks(item)) if _stands(block))
        return next((BlockPlace(item, at) for at in found), None)

    def laid(self, item: int) -> LaidMessage | None:
        return self._laid.get(item)

    def block(self, place: BlockPlace) -> Block | None:
        blocks = self._blocks(place.item)
        return blocks[place.block] if place.block < len(blocks) else None

    def _blocks(self, item: int) -> tuple[Block, ...]:
        """Those of a message that is laid out."""
        laid = self._laid.get(item)
        return laid.blocks if laid else ()

    def first_line(self, place: BlockPlace) -> int:
        before = self._blocks(place.item)[: place.block]
        return self._index.start(place.item) + sum(len(block.lines) for block in before)

    def places(self, first: int, last: int) -> Iterable[BlockPlace]:
        """The blocks on these lines that the cursor can stand on."""
        for item in self.items(first, last):
            for at, block in enumerate(self._blocks(item)):
                top = self.first_line(BlockPlace(item, at))
                inside = top <= last and top + len(block.lines) > first
                if inside and _stands(block):
                    yield BlockPlace(item, at)

    def next_place(self, place: BlockPlace, step: int) -> BlockPlace | None:
        """The next block in a direction, among the messages that are laid out."""
        item, at = place.item, place.block + step
        while item in self._laid:
            blocks = self._blocks(item)
            while 0 <= at < len(blocks):
                if _stands(blocks[at]):
                    return BlockPlace(item, at)
                at += step
            item += step
            at = 0 if step > 0 else len(self._blocks(item)) - 1
        return None


def _same(before: Outline, now: Outline) -> bool:
    return now == (before if before.size != UNKNOWN else before._replace(size=now.size))


def _shorten(laid: dict[int, LaidMessage]) -> None:
    while len(laid) > KEPT:
        laid.pop(next(iter(laid)))


def _stands(block: Block) -> bool:
    return block.key not in _STILL


def estimates(outlines: Iterable[Outline], width: int) -> list[int]:
    """About how many lines each message will take."""
    width, most = max(width, 1), 2 + CAP
    # All in one go: of 35,000 messages, a call for each would take most of the time.
    return [
        1
        if one.role == "tool"
        else 2
        if one.unsaid
        else 3
        if one.role == "system"
        else min(2 + (one.size + width - 1) // width, most)
        for one in outlines
    ]

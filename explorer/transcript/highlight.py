"""Matches highlighted in painted lines.

What is looked for may have been wrapped: the lines of a block are looked at as one text, and such
a match is highlighted on both sides of the break.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from explorer.errors import ExplorerError
from explorer.render.blocks import Block
from explorer.render.lines import MATCH, Line, line_text, restyled
from explorer.search.pattern import Pattern, hurried
from explorer.transcript.document import BlockPlace

HERE = "match-here"
KEPT = 500
"""Blocks whose matches are kept: many more than are visible."""
_MARGIN = " ▎│"
"""What stands before the text of a wrapped line: its indent, and the bars of quotes and code."""

_MARKS = r"[*_`~]+"


class Match(NamedTuple):
    """One match in a conversation."""

    item: int
    """The message that it is in."""
    key: str
    """The name of its block."""
    number: int = 0
    """The match index within that block."""


class Highlight(NamedTuple):
    """A part of a line that belongs to a match."""

    start: int
    end: int
    number: int
    """The match index within the block."""


def goes_across(finder: Pattern) -> bool:
    """Whether what is looked for may go over the end of a line: words with a space between them.
    Nobody can tell by looking where a line was wrapped and where it ends."""
    words = finder.text.strip()
    return " " in words and words == finder.text and not words.startswith("/")


def as_seen(text: str, finder: Pattern, is_prose: bool) -> str:
    """A stored text as it is to be looked through: in one line for what goes across lines, and
    without the marks of Markdown, unless these are looked for."""
    if not goes_across(finder):
        return text
    text = re.sub(r"\n[ \t]*", " ", text)
    return text if not is_prose or re.search(_MARKS, finder.text) else re.sub(_MARKS, "", text)


def matches_in(lines: Sequence[Line], finder: Pattern) -> tuple[tuple[Highlight, ...], ...]:
    """For each line of a block, what of it matches. Raises for an expression that takes too long to
    be painted."""
    across = goes_across(finder)
    texts = list(map(line_text, lines))
    margins = [len(text) - len(text.lstrip(_MARGIN)) if across else 0 for text in texts]
    kept = [text[margin:] for text, margin in zip(texts, margins, strict=True)]
    begins, offset = [], 0
    for text in kept:
        begins.append(offset)
        offset += len(text) + 1
    found: list[list[Highlight]] = [[] for _ in lines]
    with hurried():
        for index, (start, end) in enumerate(finder.spans((" " if across else "\n").join(kept))):
            at = bisect_right(begins, start) - 1
            while at < len(kept) and begins[at] < end:
                first, last = max(start - begins[at], 0), min(end - begins[at], len(kept[at]))
                if first < last:
                    found[at].append(Highlight(first + margins[at], last + margins[at], index))
                at += 1
    return tuple(map(tuple, found))


def marked(line: Line, found: Sequence[Highlight], here: int | None = None) -> Line:
    """The line with its matches highlighted, the one with the index `here` more than the others."""
    return restyled(line, [(*one[:2], HERE if one.number == here else MATCH) for one in found])


class Highlights:
    """What is highlighted in a transcript, and the one match that the reader was led to."""

    def __init__(self) -> None:
        self.finder: Pattern | None = None
        self.here: tuple[BlockPlace, int] | None = None
        """(block, match index in it) where a step has led."""
        self._known: dict[BlockPlace, tuple[Block, tuple[tuple[Highlight, ...], ...]]] = {}
        self._too_slow = False
        """What is looked for kept the screen waiting: it is highlighted nowhere any more."""

    def use(self, finder: Pattern | None) -> None:
        """Look for something else, or for nothing."""
        self.finder, self.here = finder, None
        self._too_slow = False
        self._known.clear()

    def of(self, place: BlockPlace, block: Block) -> tuple[tuple[Highlight, ...], ...]:
        """What is highlighted in each line of a block."""
        known = self._known.get(place)
        if known is not None and known[0] is block:
            return known[1]
        if len(self._known) >= KEPT:
            self._known.clear()
        found: tuple[tuple[Highlight, ...], ...] = ((),) * len(block.lines)
        if self.finder is not None and not self._too_slow:
            try:
                found = matches_in(block.lines, self.finder)
            except ExplorerError:
                self._too_slow = True
        self._known[place] = block, found
        return found

    def painted(self, place: BlockPlace, block: Block, line: int) -> Line:
        """A line of a block with its matches."""
        here = self.here[1] if self.here is not None and self.here[0] == place else None
        return marked(block.lines[line], self.of(place, block)[line], here)

    def lead_to(self, place: BlockPlace, block: Block, index: int) -> int:
        """The line of a match in a block. One that is not shown lies behind what the cap left out,
        which the last line says."""
        lines: dict[int, int] = {}
        for at, line in enumerate(self.of(place, block)):
            for one in line:
                lines.setdefault(one.number, at)
        if index not in lines and not block.opens_alone:
            index = max(lines, default=0)
        self.here = place, index
        return lines.get(index, len(block.lines) - 1 if block.opens_alone else 0)

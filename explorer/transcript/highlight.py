"""Matches lit in painted lines.

What is looked for may have been wrapped: the lines of a block are looked at as one text, and such
a match is lit on both sides of the break.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from explorer.errors import ExplorerError
from explorer.render.blocks import Block
from explorer.render.lines import MATCH, Line, Span, line_text
from explorer.search.pattern import Pattern, hurried
from explorer.transcript.document import Place

HERE = "match-here"
KEPT = 500
"""Blocks whose matches are kept: many more than are in sight."""
_MARGIN = " ▎│"
"""What stands before the text of a wrapped line: its indent, and the bars of quotes and code."""

_MARKS = r"[*_`~]+"


class Lit(NamedTuple):
    """A piece of a line that belongs to a match."""

    start: int
    end: int
    number: int
    """The how manieth match of its block, from 0."""


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


def matches_in(lines: Sequence[Line], finder: Pattern) -> tuple[tuple[Lit, ...], ...]:
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
    found: list[list[Lit]] = [[] for _ in lines]
    with hurried():
        for number, (start, end) in enumerate(finder.spans((" " if across else "\n").join(kept))):
            at = bisect_right(begins, start) - 1
            while at < len(kept) and begins[at] < end:
                first, last = max(start - begins[at], 0), min(end - begins[at], len(kept[at]))
                if first < last:
                    found[at].append(Lit(first + margins[at], last + margins[at], number))
                at += 1
    return tuple(map(tuple, found))


def marked(line: Line, places: Sequence[Lit], here: int | None = None) -> Line:
    """The line with its matches lit, the one numbered `here` more than the others."""
    if not places:
        return line
    made: list[Span] = []
    offset = 0
    for text, style in line:
        at = 0
        for start, end, number in places:
            first, last = max(start - offset, at), min(end - offset, len(text))
            if first >= last:
                continue
            made += [(text[at:first], style), (text[first:last], HERE if number == here else MATCH)]
            at = last
        made.append((text[at:], style))
        offset += len(text)
    return tuple(span for span in made if span[0])


class Lights:
    """What is lit in a transcript, and the one match that the reader was led to."""

    def __init__(self) -> None:
        self.finder: Pattern | None = None
        self.here: tuple[Place, int] | None = None
        """(block, the how manieth match in it) where a step has led."""
        self._known: dict[Place, tuple[Block, tuple[tuple[Lit, ...], ...]]] = {}
        self._too_slow = False
        """What is looked for kept the screen waiting: it is lit nowhere any more."""

    def use(self, finder: Pattern | None) -> None:
        """Look for something else, or for nothing."""
        self.finder, self.here = finder, None
        self._too_slow = False
        self._known.clear()

    def of(self, place: Place, block: Block) -> tuple[tuple[Lit, ...], ...]:
        """What is lit of each line of a block."""
        known = self._known.get(place)
        if known is not None and known[0] is block:
            return known[1]
        if len(self._known) >= KEPT:
            self._known.clear()
        found: tuple[tuple[Lit, ...], ...] = ((),) * len(block.lines)
        if self.finder is not None and not self._too_slow:
            try:
                found = matches_in(block.lines, self.finder)
            except ExplorerError:
                self._too_slow = True
        self._known[place] = block, found
        return found

    def painted(self, place: Place, block: Block, line: int) -> Line:
        """A line of a block with its matches."""
        here = self.here[1] if self.here is not None and self.here[0] == place else None
        return marked(block.lines[line], self.of(place, block)[line], here)

    def lead_to(self, place: Place, block: Block, number: int) -> int:
        """The line of a match in a block. One that is not shown lies behind what the cap left out,
        which the last line says."""
        lines = self.of(place, block)
        numbers = [lit.number for line in lines for lit in line]
        hidden = number not in numbers
        if hidden and block.opens_alone:
            self.here = place, number
            return len(block.lines) - 1
        if hidden:
            number = max(numbers, default=0)
        self.here = place, number
        shown = (at for at, line in enumerate(lines) if any(lit.number == number for lit in line))
        return next(shown, 0)

"""Text of a transcript that the mouse was drawn over: lines and cells, as they are painted.

Points are told by message and line within it, so that what is laid out above does not move them. A
character that is two cells wide is taken whole, and so is a letter with its accents.
"""

from collections.abc import Iterator
from typing import NamedTuple

from explorer.render.clean import cell_width, cut
from explorer.render.lines import Line, line_text, restyled
from explorer.transcript.document import Document

SELECTED = "selected"
"""The style of what is selected."""
_BARS = ("│ ", "▎ ")
"""What is painted before a line of code or of a quote: not part of the text."""


class Point(NamedTuple):
    """A cell of a transcript."""

    item: int
    line: int
    """Within the message."""
    cell: int


class TextSelection(NamedTuple):
    """From one cell to another, both included, in either direction."""

    start: Point
    end: Point

    def cells(self, item: int, line: int) -> tuple[int, int | None] | None:
        """(first, last) cell of a line that is selected, None for its end; None where nothing of
        the line is."""
        first, last = sorted(self)
        if not first[:2] <= (item, line) <= last[:2]:
            return None
        begin = first.cell if (item, line) == first[:2] else 0
        return begin, last.cell if (item, line) == last[:2] else None

    def painted(self, line: Line, item: int, number: int) -> Line:
        """A line with what is selected of it."""
        cells = self.cells(item, number)
        if cells is None:
            return line
        return restyled(line, [(*_letters(line_text(line), *cells), SELECTED)])

    def text(self, document: Document) -> str:
        """What is selected, a line each, without the spaces at their ends."""
        return "\n".join(piece.rstrip() for piece in self._pieces(document)).strip("\n")

    def taken(self, document: Document) -> tuple[int, int]:
        """(messages whose text can be taken, all that are selected): those far from the screen are
        not kept laid out."""
        first, last = sorted(self)
        items = range(first.item, min(last.item + 1, len(document)))
        return sum(document.laid(item) is not None for item in items), len(items)

    def _pieces(self, document: Document) -> Iterator[str]:
        first, last = sorted(self)
        if last.item >= len(document):
            # Deleted in between.
            return
        for number in range(document.line_of(first[:2]), document.line_of(last[:2]) + 1):
            cells = self.cells(*document.anchor(number))
            line, _ = document.line(number)
            if line is None:
                continue
            if cells is None or not line:
                yield ""
                continue
            text = line_text(line)
            start, end = _letters(text, *cells)
            yield text[max(start, _margin(line)) : end]


def _letters(text: str, first: int, last: int | None) -> tuple[int, int]:
    """(start, end) of the characters on these cells."""
    start = cut(text, max(first, 0))
    if last is None:
        return start, len(text)
    end = cut(text, max(last + 1, 0))
    if end < len(text) and cell_width(text[:end]) <= last:
        # The second half of a wide one.
        end = cut(text, last + 2)
    return start, end


def _margin(line: Line) -> int:
    """Characters before the text of a line of code or of a quote."""
    found = at = 0
    for text, _ in line:
        at += len(text)
        if text in _BARS:
            found = at
        elif text.strip():
            break
    return found

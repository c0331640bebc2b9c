"""Clean text broken into lines of a number of terminal cells.

Wide characters count two, words stay whole where they fit, and a wrapped line goes on under the
text of its bullet. Lines are made one by one, so that a cell of many megabytes costs no more
than the lines that are wanted of it.
"""

import re
from collections.abc import Iterator

from explorer.render.clean import CLUSTER, cell_width, cut

_LEAD = r" *(?:[-*+•▸] +|\d{1,3}[.)] +|> ?)*"
_WIDE = "\u2e80-\U0003ffff"
_PIECE = rf"\s+|[^\s{_WIDE}]+|{CLUSTER}"
"""White space, a word, or one of the characters between which a line may break."""
DEEPEST = 12
"""Cells of hanging indent at most: a narrow pane must keep room for words."""


def wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of clean text at this width; an empty line for each empty line."""
    width = max(width, 1)
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        yield from _paragraph(text[start:end], width)
        start = end + 1


def take(text: str, width: int, limit: int) -> tuple[list[str], int]:
    """(the first `limit` lines, about how many more there are)."""
    lines: list[str] = []
    used = 0
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        # No more of a line without a break than could be shown.
        paragraph = text[start : min(end, start + (limit + 1) * width)]
        for line in _paragraph(paragraph, max(width, 1)):
            if len(lines) == limit:
                return lines, _rest(text, used, width)
            lines.append(line)
            used = start
        start = end + 1
        used = start
    return lines, 0


def _rest(text: str, used: int, width: int) -> int:
    newlines = text.count("\n", used)
    return max(newlines + 1, (len(text) - used) // max(width, 1))


def _paragraph(line: str, width: int) -> Iterator[str]:
    if len(line) <= width and (line.isascii() or cell_width(line) <= width):
        yield line
        return
    lead = re.match(_LEAD, line)
    hang = " " * min(lead.end() if lead else 0, DEEPEST, width // 2)
    yield from (_ascii if line.isascii() else _cells)(line, width, hang)


def _ascii(line: str, width: int, hang: str) -> Iterator[str]:
    at, indent = 0, ""
    while len(line) - at > width - len(indent):
        room = width - len(indent)
        cut = line.rfind(" ", at + 1, at + room + 1)
        if cut <= at or not line[at:cut].strip():
            cut = at + room
        yield indent + line[at:cut].rstrip()
        at = cut
        while at < len(line) and line[at] == " ":
            at += 1
        indent = hang
    if at < len(line):
        yield indent + line[at:]


def _cells(line: str, width: int, hang: str) -> Iterator[str]:
    """As above, counting cells; breaks between wide characters too, which know no spaces."""
    current, used, indent = "", 0, ""
    for found in re.finditer(_PIECE, line):
        piece = found[0]
        size = cell_width(piece)
        if used + size > width - len(indent):
            if current.strip():
                yield indent + current.rstrip()
                current, used, indent = "", 0, hang
                if piece.isspace():
                    continue
            else:
                # A word that does not fit behind its own indentation is broken there.
                piece, size = current + piece, used + size
                current, used = "", 0
        while size > width - len(indent) and len(piece) > 1:
            head = piece[: cut(piece, width - len(indent)) or 1]
            yield indent + head
            indent = hang
            piece = piece[len(head) :]
            # No more is measured than tells whether it fits: a word may be a megabyte.
            size = cell_width(piece[: 4 * width])
        current += piece
        used += size
    if current.strip():
        yield indent + current.rstrip()

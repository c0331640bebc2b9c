"""Painted text without colours: lines of spans, each with the name of a style, wrapped to a width.

Made by worker threads, painted by widgets, which alone know what a style looks like in the current
theme. Wide characters count two, words stay whole where they fit, and a wrapped line is indented
like the text of its bullet. Lines are made one by one, so that a cell of many megabytes costs no
more than the lines that are wanted of it.
"""

import re
from collections.abc import Iterator, Sequence

from explorer.render.clean import CLUSTER, ELLIPSIS, cell_width, clean, cut

Span = tuple[str, str]
"""(clean text, style)."""
Line = tuple[Span, ...]
MATCH = "match"
"""The style of what was found."""


def line_text(line: Line) -> str:
    return "".join(text for text, _ in line)


def line_width(line: Line) -> int:
    return sum(cell_width(text) for text, _ in line)


def cut_line(line: Line, width: int) -> Line:
    """The line, cut with an ellipsis so that it takes at most so many cells."""
    if line_width(line) <= width:
        return line
    kept: list[Span] = []
    room = width - 1
    for text, style in line:
        size = cell_width(text)
        if size > room:
            shown = text[: cut(text, room)] + ELLIPSIS
            return (*kept, (shown, style)) if room >= 0 else ()
        kept.append((text, style))
        room -= size
    return tuple(kept)


def restyled(line: Line, places: Sequence[tuple[int, int, str]]) -> Line:
    """The line with these parts of it, (start, end, style) from left to right, in other styles."""
    made: list[Span] = []
    offset = 0
    for text, style in line:
        at = 0
        for start, end, other in places:
            first, last = max(start - offset, at), min(end - offset, len(text))
            if first < last:
                made += [(text[at:first], style), (text[first:last], other)]
                at = last
        made.append((text[at:], style))
        offset += len(text)
    return tuple(span for span in made if span[0])


def settled(line: Line, style: str) -> Line:
    """The line, if its spans may stand side by side: taken apart or put together, characters can
    join to what is no longer clean or has another width. Such text has one style."""
    text = line_text(line)
    if text.isascii():
        return line
    apart = all(clean(part) == part for part, _ in line) and line_width(line) == cell_width(text)
    safe = clean(text)
    return line if apart and safe == text else ((safe, style),)


_LEAD = r" *(?:[-*+•▸] +|\d{1,3}[.)] +|> ?)*"
_WIDE = "\u2e80-\U0003ffff"
_PIECE = rf"\s+|[^\s\u200d{_WIDE}]{{1,2000}}(?!\u200d)|{CLUSTER}"
"""White space, a word (of a megabyte no more than a line needs), or one of the characters between
which a line may break."""
_NOT_NARROW = (
    r"[^ -~\xa1-\xac\xae-\u02ff\u0391-\u03a1\u03a3-\u0482\u048a-\u052f"
    r"\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2319\u2460-\u25fc]"
)
"""What may take more or less than one cell. Most text has none of it, and is counted quickly."""
DEEPEST = 12
"""Cells of hanging indent at most: a narrow pane must keep room for words."""


def wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of clean text at this width; an empty line for each empty line."""
    for first, last, indent in line_breaks(text, width):
        yield " " * indent + text[first:last]


def line_breaks(text: str, width: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, cells of hanging indent) of each line of clean text at this width."""
    width = max(width, 1)
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        for first, last, indent in breaks(text[start:end], width):
            yield start + first, start + last, indent
        start = end + 1


def take(text: str, width: int, limit: int) -> tuple[list[str], int]:
    """(the first `limit` lines, about how many more there are)."""
    lines: list[str] = []
    for first, last, indent in line_breaks(text, width):
        if len(lines) == limit:
            left = len(text) - first
            return lines, max(text.count("\n", first) + 1, left // max(width, 1))
        lines.append(" " * indent + text[first:last])
    return lines, 0


def beginning(text: str, width: int, limit: int) -> tuple[str, int]:
    """(what of a text is enough for `limit` lines, about how many lines follow it)."""
    # Three letters for each cell leave room for colours and marks, which take none.
    enough = 3 * limit * (width + 1)
    if len(text) <= enough:
        return text, 0
    return text[:enough], text.count("\n", enough) or (len(text) - enough) // max(width, 1) or 1


def wrapped_line(line: Line, width: int) -> Iterator[Line]:
    """A line of spans at this width; what goes over a line end keeps its style on both sides."""
    text = line_text(line)
    number = offset = 0
    for start, end, indent in breaks(text, width):
        spans: list[Span] = [(" " * indent, "text")] if indent else []
        while start < end:
            part, style = line[number]
            if start >= offset + len(part):
                number, offset = number + 1, offset + len(part)
                continue
            piece = part[start - offset : end - offset]
            spans.append((piece, style))
            start += len(piece)
        yield tuple(spans)


def breaks(line: str, width: int) -> Iterator[tuple[int, int, int]]:
    """(start, end, cells of hanging indent) of each line that a clean paragraph makes."""
    if len(line) <= width and (line.isascii() or cell_width(line) <= width):
        yield 0, len(line), 0
        return
    lead = re.match(_LEAD, line)
    hang = min(lead.end() if lead else 0, DEEPEST, width // 2 if width > 2 else 0)
    narrow = line.isascii() or not re.search(_NOT_NARROW, line)
    yield from (_narrow if narrow else _cells)(line, width, hang)


def _narrow(line: str, width: int, hang: int) -> Iterator[tuple[int, int, int]]:
    at = indent = 0
    while len(line) - at > width - indent:
        room = width - indent
        cut = line.rfind(" ", at + 1, at + room + 1)
        if cut <= at or not line[at:cut].strip():
            cut = at + room
        yield at, at + len(line[at:cut].rstrip()), indent
        at = cut
        while at < len(line) and line[at] == " ":
            at += 1
        indent = hang
    if at < len(line):
        yield at, len(line), indent


def _cells(line: str, width: int, hang: int) -> Iterator[tuple[int, int, int]]:
    """As above, counting cells; breaks between wide characters too, which know no spaces."""
    start = end = used = indent = 0
    for found in re.finditer(_PIECE, line):
        at, stop = found.span()
        size = cell_width(found[0])
        if used + size > width - indent:
            if end > start:
                yield start, end, indent
                indent = hang
            used = 0
            if found[0].isspace():
                start = stop
                continue
            while size > width - indent and stop - at > 1:
                # No more is looked at than can fit: a word may be a megabyte.
                head = at + (cut(line[at : min(stop, at + 4 * width)], width - indent) or 1)
                yield at, head, indent
                size -= cell_width(line[at:head])
                at, indent = head, hang
            start = at
        used += size
        if not found[0].isspace():
            end = stop
    if end > start or not end:
        yield start, end, indent

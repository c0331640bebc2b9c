"""Painted text without colours: lines of spans, each with the name of a style.

Made by worker threads, painted by widgets, which alone know what a style looks like in the theme
of the moment.
"""

from collections.abc import Sequence

from explorer.render.clean import ELLIPSIS, cell_width, clean, cut

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

"""Painted text without colours: lines of spans, each with the name of a style.

Made by worker threads, painted by widgets, which alone know what a style looks like in the theme
of the moment.
"""

from collections.abc import Iterable

from explorer.render.clean import ELLIPSIS, cell_width, clean, cut

Span = tuple[str, str]
"""(clean text, style)."""
Line = tuple[Span, ...]
MATCH = "match"
"""The style of what was looked for."""


def line_text(line: Line) -> str:
    return "".join(text for text, _ in line)


def lit(text: str, spans: Iterable[tuple[int, int]], style: str) -> Line:
    """A text with what stands in these places lit."""
    pieces: list[Span] = []
    at = 0
    for start, end in spans:
        pieces += [(text[at:start], style), (text[start:end], MATCH)]
        at = end
    return tuple(piece for piece in (*pieces, (text[at:], style)) if piece[0])


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


def settled(line: Line, style: str) -> Line:
    """The line, if its spans may stand side by side: taken apart or put together, characters can
    join to what is no longer clean or has another width. Such text has one style."""
    text = "".join(part for part, _ in line)
    if text.isascii():
        return line
    apart = all(clean(part) == part for part, _ in line) and line_width(line) == cell_width(text)
    safe = clean(text)
    return line if apart and safe == text else ((safe, style),)

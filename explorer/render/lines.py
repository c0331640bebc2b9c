"""Painted text without colours: lines of spans, each with the name of a style.

Made by worker threads, painted by widgets, which alone know what a style looks like in the theme
of the moment.
"""

from explorer.render.clean import cell_width, fit

Span = tuple[str, str]
"""(clean text, style)."""
Line = tuple[Span, ...]


def line_width(line: Line) -> int:
    return sum(cell_width(text) for text, _ in line)


def cut_line(line: Line, width: int) -> Line:
    """The line, cut so that it takes at most so many cells."""
    kept: list[Span] = []
    for text, style in line:
        shown = fit(text, width)
        width -= cell_width(shown)
        if shown:
            kept.append((shown, style))
        if shown != text:
            break
    return tuple(kept)

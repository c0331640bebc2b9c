"""Matches lit in a painted line."""

from explorer.errors import ExplorerError
from explorer.render.lines import Line, Span
from explorer.search.pattern import Pattern

MATCH = "match"
HERE = "match-here"


def line_text(line: Line) -> str:
    return "".join(text for text, _ in line)


def matches_in(line: Line, finder: Pattern) -> list[tuple[int, int]]:
    """Where a line matches; nowhere for an expression that takes too long on it."""
    try:
        return list(finder.spans(line_text(line)))
    except ExplorerError:
        return []


def marked(line: Line, finder: Pattern, here: int | None = None) -> Line:
    """The line with its matches lit, the one numbered `here` more than the others."""
    places = matches_in(line, finder)
    if not places:
        return line
    made: list[Span] = []
    offset = 0
    for text, style in line:
        at = 0
        for number, (start, end) in enumerate(places):
            first, last = max(start - offset, at), min(end - offset, len(text))
            if first >= last:
                continue
            made += [(text[at:first], style), (text[first:last], HERE if number == here else MATCH)]
            at = last
        made.append((text[at:], style))
        offset += len(text)
    return tuple(span for span in made if span[0])

"""A table as lines: columns as wide as they need, or as the pane allows."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorer.render.clean import ELLIPSIS
from explorer.render.lines import Line, Span, cut_line, line_width

LEAST = 3
"""Cells of a column that is too wide; where that is too much for all, the last are left out."""
_BETWEEN: Span = (" │ ", "dim")
_BESIDE = len(_BETWEEN[0])
_MORE: tuple[Span, ...] = (_BETWEEN, (ELLIPSIS, "dim"))


class Table(NamedTuple):
    """The head, a rule and the rows."""

    lines: list[Line]
    cut: bool
    """Whether a cell or a column is not shown whole."""


def most_columns(width: int) -> int:
    """More columns than can ever be shown: the others need not be looked at."""
    return width // (1 + _BESIDE) + 2


def table_lines(rows: Sequence[Sequence[Line]], aligns: Sequence[str], width: int) -> Table:
    """A table in so many cells. The first row is the head; all have the same number of cells, of
    which there may be fewer than alignments (left, right, center or nothing)."""
    sizes = [[line_width(cell) for cell in row] for row in rows]
    needs = [max(1, *column) for column in zip(*sizes, strict=True)]
    widths = _widths(needs, len(aligns), width)
    left_out = len(widths) < len(aligns)
    lines: list[Line] = []
    for row, row_sizes in zip(rows, sizes, strict=True):
        spans: list[Span] = []
        for cell, size, room, align in zip(row, row_sizes, widths, aligns, strict=False):
            if spans:
                spans.append(_BETWEEN)
            if size > room:
                cell = cut_line(cell, room)
                size = line_width(cell)
            spans += cell if size == room else _aligned(cell, room - size, align)
        lines.append(tuple(_shown([*spans, *_MORE] if left_out else spans)))
    rule = "─┼─".join("─" * room for room in widths)
    lines.insert(1, ((rule + "─┼──" * left_out, "dim"),))
    cut = left_out or any(need > room for need, room in zip(needs, widths, strict=True))
    return Table([cut_line(line, width) for line in lines], cut)


def _widths(needs: list[int], columns: int, width: int) -> list[int]:
    """The cells of each column that is shown."""
    least = [min(need, LEAST) + _BESIDE for need in needs]
    if len(needs) == columns and sum(least) - _BESIDE <= width:
        return _shared(needs, width - _BESIDE * (columns - 1))
    count, used = 0, len(ELLIPSIS)
    while count < len(needs) and used + least[count] <= width:
        used += least[count]
        count += 1
    shown = needs[: max(count, 1)]
    return _shared(shown, max(width - _BESIDE * len(shown) - len(ELLIPSIS), 1))


def _shared(needs: list[int], room: int) -> list[int]:
    """The room divided: narrow columns get what they need, the others the same each."""
    left = room
    widths = list(needs)
    for number, (need, column) in enumerate(sorted((need, at) for at, need in enumerate(needs))):
        widths[column] = max(min(need, left // (len(needs) - number)), 1)
        left -= widths[column]
    return widths


def _aligned(cell: Line, free: int, align: str) -> list[Span]:
    before = {"right": free, "center": free // 2}.get(align, 0)
    return [(" " * before, "text"), *cell, (" " * (free - before), "text")]


def _shown(spans: list[Span]) -> Iterator[Span]:
    """The spans without empty ones and without blanks at the end."""
    while spans and not spans[-1][0].strip():
        spans.pop()
    yield from (span for span in spans if span[0])

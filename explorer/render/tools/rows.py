"""Lines of a body: rows that are wrapped where there is room, and cut where it should be brief.

A row is one line of stored text with what stands before and behind it: a line number, the sign of
a diff, a key. Text is split, cleaned and wrapped only as far as it is shown.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import length_hint
from typing import NamedTuple

from explorer.render.clean import clean
from explorer.render.figures import plural, size
from explorer.render.lines import Line, beginning, cut_line, line_width, wrapped

COUNTED = 1000
"""Rows beyond the last shown that are counted."""
LONGEST = 4000
"""Letters of one text that are shown."""
BAR: Line = (("│ ", "dim"),)
"""Stands before every line of a program or a file, so that it is told from what is around it."""


class TextRow(NamedTuple):
    """A line of stored text; `text` is cleaned when it is drawn, the rest is clean already."""

    lead: Line
    text: str
    style: str
    tail: Line = ()
    rest: int = 0
    """Letters of it that are left out."""


class Room(NamedTuple):
    """How much may be drawn."""

    width: int
    lines: int
    brief: bool = False
    """Show the ends, one line for each row."""


Drawn = tuple[list[Line], int]
"""(lines, about how many more there are)."""
Draw = Callable[[Room], Drawn]
Look = Callable[[str], TextRow]
"""What becomes of one line of text."""


def plain(style: str, lead: Line = ()) -> Look:
    return lambda line: TextRow(lead, line, style)


def long_row(lead: Line, text: str, style: str) -> TextRow:
    """Text of many lines, as far as a pane has room for it."""
    rest = max(len(text) - LONGEST, 0)
    tail: Line = ((f" … {size(rest)} more", "dim"),) if rest else ()
    return TextRow(lead, text[:LONGEST].strip("\r\n"), style, tail, rest)


def draw_text(text: str, look: Look, room: Room) -> Drawn:
    """Text of any length: its beginning, or briefly its first and last lines."""
    text = text.strip("\r\n")
    if not text:
        return [], 0
    if room.brief:
        return _ends(text, look, room), 0
    return _beginning(text, look, room)


def draw_rows(rows: Iterable[TextRow], room: Room, ends: bool = False) -> Drawn:
    """Rows that were made of something else; briefly the first, or with `ends` also the last."""
    rows = iter(rows)
    if not room.brief:
        lines, more = _filled(rows, room)
        return lines, more + sum(1 for _ in islice(rows, COUNTED))
    listed = list(islice(rows, COUNTED))
    lines, more = _filled(iter(listed), room)
    if not more:
        return lines, 0
    first = room.lines // 2 if ends else room.lines
    last = room.lines - first
    between = len(listed) - room.lines
    first += between == 1
    return _shortened(listed[:first], between, listed[max(len(listed) - last, first) :], room), 0


def hung(row: TextRow, width: int) -> Iterator[Line]:
    """The row wrapped: further lines go on under its text, and a bar goes on beside them."""
    lead = cut_line(row.lead, width // 2)
    wide = line_width(lead)
    room = width - wide
    tail = line_width(row.tail)
    pieces = wrapped(clean(row.text), room - tail if tail < room // 2 else room)
    piece = next(pieces, "")
    for following in pieces:
        yield (*lead, (piece, row.style))
        piece = following
        if lead != BAR:
            lead = ((" " * wide, "text"),) if wide else ()
    last = (*lead, (piece, row.style))
    if line_width(last) + tail <= width:
        yield (*last, *row.tail)
        return
    yield last
    yield cut_line((*lead, *row.tail), width)


def _beginning(text: str, look: Look, room: Room) -> Drawn:
    shown, rest = beginning(text, room.width, room.lines)
    raw = iter(shown.split("\n"))
    lines, more = _filled((_bounded(line, look, room) for line in raw), room)
    return lines, more + rest + length_hint(raw)


def _bounded(line: str, look: Look, room: Room) -> TextRow:
    """A line, no more of it than can be shown."""
    most = (room.lines + 1) * room.width
    return look(line[:most])._replace(rest=max(len(line) - most, 0))


def _ends(text: str, look: Look, room: Room) -> list[Line]:
    lines, more = _beginning(text, look, room)
    if not more:
        return lines
    between = text.count("\n") + 1 - room.lines
    if between <= 0:
        return [*lines, left_out(more, room.width)]
    first = room.lines // 2
    last = room.lines - first
    first += between == 1
    # A line without end is looked at only as far as it can be shown.
    beginning = [look(line[: 4 * room.width]) for line in text.split("\n", first)[:first]]
    end = [look(line[: 4 * room.width]) for line in text.rsplit("\n", last)[1:]]
    return _shortened(beginning, between, end, room)


def _filled(rows: Iterator[TextRow], room: Room) -> Drawn:
    """Lines, and how many more the rows have that were taken; the others are left in `rows`."""
    lines: list[Line] = []
    more = 0
    for row in rows:
        before = len(lines)
        for line in hung(row, room.width):
            if len(lines) == room.lines:
                return lines, more + max(_height(row, room.width) - len(lines) + before, 1)
            lines.append(line)
        more += -(-row.rest // room.width)
    return lines, more


def _height(row: TextRow, width: int) -> int:
    """About how many lines a row takes."""
    return max(row.text.count("\n") + 1, (len(row.text) + row.rest) // width)


def _shortened(first: list[TextRow], between: int, last: list[TextRow], room: Room) -> list[Line]:
    """The rows cut, with word of what is left out between them; of a single row there is none,
    since it would take the place of that row."""
    gap = [left_out(between, room.width)] if between > 1 else []
    rows = [[_cut(row, room.width) for row in part] for part in (first, last)]
    return [*rows[0], *gap, *rows[1]]


def _cut(row: TextRow, width: int) -> Line:
    text = clean(row.text[: 4 * width]).replace("\n", " ")
    return cut_line((*row.lead, (text, row.style), *row.tail), width)


def left_out(count: int, width: int) -> Line:
    return cut_line(((f"… {plural(count, 'more line')}", "dim"),), width)

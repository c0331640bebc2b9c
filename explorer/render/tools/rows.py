"""Lines of a body: rows that are wrapped where there is room, and cut where it should be brief.

A row is one line of stored text with what stands before and behind it: a line number, the sign of
a diff, a key. Text is split, cleaned and wrapped only as far as it is shown.

JSON is as people read it: one thing a line, keys visible, punctuation quiet. It is walked without
recursion and only as far as it is shown. Short objects and lists stay on one line; text of several
lines is broken where it breaks; what is no text is a placeholder.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from operator import length_hint
from typing import NamedTuple

from explorer.render.clean import clean, clean_line
from explorer.render.figures import plural, size
from explorer.render.lines import Line, Span, beginning, cut_line, line_width, wrapped
from explorer.render.tools.results import placeholder

COUNTED = 1000
"""Rows beyond the last shown that are counted."""
LONGEST = 4000
"""Letters of one text that are shown."""
FEW = 8
"""Things of an object or a list that may share a line."""
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
_Entry = tuple[str | None, object, str]
"""(key, value, what follows) of something in JSON."""


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
    shown, rest = beginning(text, room.width, room.lines)
    raw = iter(shown.split("\n"))
    # A line without end is looked at only as far as it can be shown.
    most = (room.lines + 1) * room.width
    rows = (look(line[:most])._replace(rest=max(len(line) - most, 0)) for line in raw)
    lines, more = _filled(rows, room)
    more += rest + length_hint(raw)
    if not more or not room.brief:
        return lines, more
    between = text.count("\n") + 1 - room.lines
    if between <= 0:
        return [*lines, left_out(more, room.width)], 0
    first = room.lines // 2
    last = room.lines - first
    first += between == 1
    start = [look(line[: 4 * room.width]) for line in text.split("\n", first)[:first]]
    end = [look(line[: 4 * room.width]) for line in text.rsplit("\n", last)[1:]]
    return _shortened(start, between, end, room), 0


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


def _filled(rows: Iterator[TextRow], room: Room) -> Drawn:
    """Lines, and how many more the rows have that were taken; the others are left in `rows`."""
    lines: list[Line] = []
    more = 0
    for row in rows:
        before = len(lines)
        for line in hung(row, room.width):
            if len(lines) == room.lines:
                letters = len(row.text) + row.rest
                height = max(row.text.count("\n") + 1, letters // room.width)
                return lines, more + max(height - len(lines) + before, 1)
            lines.append(line)
        more += -(-row.rest // room.width)
    return lines, more


def _shortened(first: list[TextRow], between: int, last: list[TextRow], room: Room) -> list[Line]:
    """The rows cut, with a line for those left out between them; not for a single row, since the
    line would take its place."""
    gap = [left_out(between, room.width)] if between > 1 else []
    rows = [[_cut(row, room.width) for row in part] for part in (first, last)]
    return [*rows[0], *gap, *rows[1]]


def _cut(row: TextRow, width: int) -> Line:
    text = clean(row.text[: 4 * width]).replace("\n", " ")
    return cut_line((*row.lead, (text, row.style), *row.tail), width)


def left_out(count: int, width: int) -> Line:
    return cut_line(((f"… {plural(count, 'more line')}", "dim"),), width)


def json_rows(value: object, width: int) -> Iterator[TextRow]:
    """The value with its brackets."""
    return _walk(iter([(None, value, "")]), width, bare=False)


def field_rows(fields: Mapping[str, object], width: int) -> Iterator[TextRow]:
    """The fields of an object as `name: value`, without brackets round them all."""
    return _walk(((key, value, "") for key, value in fields.items()), width, bare=True)


def json_line(value: object, limit: int) -> str:
    """The beginning of the value in one line."""
    words: list[str] = []
    for row in json_rows(value, 10_000):
        words.append(_flat(row).strip())
        if sum(map(len, words)) > limit:
            break
    return " ".join(words)[: limit + 1]


def json_text(value: object) -> str:
    """The value as JSON of many lines, whole."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        # Nested deeper than Python calls itself; the walk is not, but it cuts very long texts.
        return "\n".join(map(_flat, json_rows(value, 10_000)))


def _flat(row: TextRow) -> str:
    return "".join(text for text, _ in (*row.lead, (row.text, ""), *row.tail))


def _walk(entries: Iterator[_Entry], width: int, bare: bool) -> Iterator[TextRow]:
    stack = [(entries, "")]
    while stack:
        depth = len(stack) - 1
        entry = next(stack[-1][0], None)
        if entry is None:
            end = stack.pop()[1]
            if end:
                yield TextRow(_indent(depth - 1, width), end, "dim")
            continue
        key, value, comma = entry
        lead = _indent(depth, width)
        if key is not None:
            lead += _key(key, quote=bool(depth) or not bare)
            if line_width(lead) > width // 2:
                yield TextRow(_indent(depth, width), key[:200], "key", ((":", "dim"),))
                lead = _indent(depth + 1, width)
        short = _short(value, width - line_width(lead) - len(comma))
        if short is not None:
            yield TextRow(lead, "", "text", (*short, (comma, "dim")))
        elif isinstance(value, dict | list):
            start, end = "{}" if isinstance(value, dict) else "[]"
            yield TextRow(lead, start, "dim")
            stack.append((_entries(value), end + comma))
        else:
            yield _scalar(lead, value, comma, quote=bool(depth) or not bare)


def _entries(value: dict[str, object] | list[object]) -> Iterator[_Entry]:
    pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for number, (key, item) in enumerate(pairs, 1):
        yield key, item, "," if number < len(value) else ""


def _indent(depth: int, width: int) -> Line:
    cells = min(2 * depth, width // 3)
    return ((" " * cells, "text"),) if cells else ()


def _key(key: str, quote: bool) -> Line:
    name = (clean_line(key, 200), "key")
    return (('"', "dim"), name, ('": ', "dim")) if quote else (name, (": ", "dim"))


def _scalar(lead: Line, value: object, comma: str, quote: bool) -> TextRow:
    if not isinstance(value, str):
        return TextRow(lead, _word(value), "code", ((comma, "dim"),) if comma else ())
    hidden = placeholder(value)
    if hidden:
        return TextRow(lead, hidden, "dim", ((comma, "dim"),) if comma else ())
    mark = '"' if quote else ""
    rest = max(len(value) - LONGEST, 0)
    more = f" … {size(rest)} more" if rest else ""
    tail: Line = ((mark + more + comma, "dim"),) if mark or more or comma else ()
    return TextRow((*lead, (mark, "dim")) if mark else lead, value[:LONGEST], "output", tail, rest)


def _short(value: object, room: int, deeper: int = 1) -> Line | None:
    """A list or an object of few small things as one line, if it fits."""
    if not isinstance(value, dict | list) or len(value) > FEW:
        return None
    spans: list[Span] = []
    for key, item, comma in _entries(value):
        if key is not None:
            spans += _key(key, quote=True)
        inner = _short_item(item, room, deeper)
        if inner is None:
            return None
        spans += inner
        spans += [(f"{comma} ", "dim")] if comma else []
    start, end = "{}" if isinstance(value, dict) else "[]"
    line = ((start, "dim"), *spans, (end, "dim"))
    return line if line_width(line) <= room else None


def _short_item(item: object, room: int, deeper: int) -> Line | None:
    if isinstance(item, dict | list) and item:
        return _short(item, room, deeper - 1) if deeper else None
    if not isinstance(item, str):
        return ((_word(item), "code"),)
    if len(item) > room or "\n" in clean(item):
        return None
    return (('"', "dim"), (clean(item), "output"), ('"', "dim"))


def _word(value: object) -> str:
    """A number, true, false, null, an empty list or object."""
    return clean_line(json.dumps(value), 400)

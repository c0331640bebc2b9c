"""JSON as people read it: one thing a line, keys visible, punctuation quiet.

Walked without recursion and only as far as it is shown. Short objects and lists stay on one line;
text of several lines is broken where it breaks; what is no text is a placeholder.
"""

import json
from collections.abc import Iterator, Mapping

from explorer.render.clean import clean, clean_line
from explorer.render.figures import size
from explorer.render.lines import Line, Span, line_width
from explorer.render.tools.results import placeholder
from explorer.render.tools.rows import LONGEST, TextRow

FEW = 8
"""Things that may share a line."""

_Entry = tuple[str | None, object, str]
"""(key, value, what follows)."""


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

"""What people and agents write, as lines: fences, headings and emphasis shown, words wrapped."""

import re
from collections.abc import Iterator

from explorer.render.clean import clean
from explorer.render.lines import Line, Span
from explorer.render.wrap import take, wrapped

_INLINE = r"(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(?=\S)(.+?)(?<=\S)\*\*"
_FENCE = ("```", "~~~")


def prose_lines(text: str, width: int, limit: int) -> tuple[list[Line], int]:
    """(at most `limit` styled lines, about how many more)."""
    shown, rest = _beginning(text, width, limit)
    kept: list[Line] = []
    for line in _styled(shown, width):
        if len(kept) == limit:
            return kept, max(shown.count("\n") + 1 - limit, 1) + rest
        kept.append(line)
    return kept, rest


def plain_lines(text: str, width: int, limit: int, style: str) -> tuple[list[Line], int]:
    """The same for text that is no prose: output, arguments, thoughts."""
    shown, rest = _beginning(text, width, limit)
    lines, more = take(shown, width, limit)
    return [((line, style),) for line in lines], more + rest


def _beginning(text: str, width: int, limit: int) -> tuple[str, int]:
    """(clean text that is long enough for `limit` lines, about how many lines follow it): a cell
    of many megabytes costs no more than what is shown of it."""
    text = text.strip("\n")
    enough = 3 * limit * (width + 1)
    if len(text) <= enough:
        return clean(text), 0
    rest = text.count("\n", enough) or (len(text) - enough) // max(width, 1)
    return clean(text[:enough]), max(rest, 1)


def _styled(text: str, width: int) -> Iterator[Line]:
    fence = ""
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        start = end + 1
        mark = line.lstrip()[:3]
        if fence:
            if mark == fence and not line.strip(" `~"):
                fence = ""
                continue
            for piece in wrapped(line, width - 2):
                yield (("│ ", "dim"), (piece, "code"))
        elif mark in _FENCE:
            fence = mark
            language = line.strip(" `~")
            if language:
                yield (("│ ", "dim"), (language, "dim"))
        elif re.match(r"#{1,6} ", line):
            for piece in wrapped(line.lstrip("# "), width):
                yield ((piece, "heading"),)
        else:
            for piece in wrapped(line, width):
                yield _inline(piece)


def _inline(line: str) -> Line:
    """Code and strong words of one wrapped line, without their marks."""
    if "`" not in line and "**" not in line:
        return ((line, "text"),)
    spans: list[Span] = []
    at = 0
    for found in re.finditer(_INLINE, line):
        spans.append((line[at : found.start()], "text"))
        spans.append((found[2], "code") if found[2] else (found[3], "strong"))
        at = found.end()
    spans.append((line[at:], "text"))
    return tuple(span for span in spans if span[0])

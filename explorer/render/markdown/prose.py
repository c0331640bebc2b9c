"""What people and agents write, as lines. Only as much of a text is looked at as can be shown: a
cell of many megabytes costs no more than its beginning."""

import re
from itertools import islice
from typing import NamedTuple

from explorer.render.clean import clean
from explorer.render.lines import Line, beginning, take

_MARKUP = (
    r"[*_`#>|~<\[\\]|://"  # anywhere
    r"|^(?: |[-+=]|\d{1,9}[.)])"  # where a line begins
    r"|\n *\n *\n"
)
"""What only Markdown lays out in another way than plain text."""


class Prose(NamedTuple):
    """The beginning of a text."""

    lines: list[Line]
    more: int
    """About how many lines follow."""
    cut: bool = False
    """Whether a line of code or a table was wider than the pane."""


def prose_lines(text: str, width: int, limit: int) -> Prose:
    """At most `limit` lines of Markdown."""
    width = max(width, 4)
    text = text.strip("\n")
    shown, whole = _enough(text, width, limit)
    if not re.search(_MARKUP, shown, re.MULTILINE):
        return Prose(*plain_lines(text, width, limit, "text"))
    # Late: 40 ms for the parser, in the thread that lays out.
    from explorer.render.markdown.blocks import Markdown

    markdown = Markdown(shown, width, limit)
    drawn = markdown.lines()
    lines: list[Line] = []
    at: list[int] = []
    for line in islice(drawn, limit):
        lines.append(line)
        at.append(markdown.at)
    if next(drawn, None) is None and whole:
        return Prose(lines, 0, markdown.cut)
    left = text.split("\n", markdown.at)[-1]
    # Of the line that is being drawn some may be shown already.
    wrapped = len(left) // width - at.count(markdown.at)
    return Prose(lines, max(left.count("\n") + 1, wrapped), markdown.cut)


def _enough(text: str, width: int, limit: int) -> tuple[str, bool]:
    """(clean text that should do for `limit` lines, whether it is all): marks take no room, and
    several blank lines are shown as one."""
    most = limit * (width + 1) * 5 // 4
    shown = clean(text[:most])
    end = -1
    for _ in range(3 * limit):
        end = shown.find("\n", end + 1)
        if end < 0:
            break
    end = min(most, len(shown)) if end < 0 else min(most, end)
    return shown[:end], len(text) <= most and len(shown) <= end


def plain_lines(text: str, width: int, limit: int, style: str) -> tuple[list[Line], int]:
    """The same for text that is no prose: output, arguments, thoughts."""
    shown, rest = beginning(text.strip("\n"), width, limit)
    lines, more = take(clean(shown), width, limit)
    return [((line, style),) for line in lines], more + rest

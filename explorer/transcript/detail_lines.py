"""The details of a session as lines: labels at the left, values wrapped beside them.

Nothing but empty lines is left out: what is too long goes on below.
"""

import re
from collections.abc import Iterator

from explorer.render.clean import cell_width, clean, clean_line, pad
from explorer.render.lines import Line, wrapped
from explorer.stores.base import Details

LABEL = 16
"""Cells of the column of labels; a longer one has a line of its own."""
INDENT = 2
GAP = 2
NARROW = 44
"""Below this many cells every label has a line of its own."""


def detail_lines(details: Details, width: int) -> list[Line]:
    """All sections, for a pane of this width."""
    lines: list[Line] = []
    for section in details.sections:
        if lines:
            lines.append(())
        lines.append(((clean_line(section.title), "heading"),))
        for label, value in section.rows:
            lines += _row(clean_line(label), _tight(clean(value)), width)
    return lines


def _tight(text: str) -> str:
    """Without empty lines at its ends, and never two of them together."""
    return re.sub(r"\n\s*\n", "\n\n", text.strip("\n"))


def _row(label: str, value: str, width: int) -> Iterator[Line]:
    beside = width >= NARROW
    left = INDENT + LABEL + GAP if beside else 2 * INDENT
    head = " " * left
    if beside and cell_width(label) <= LABEL:
        head = f"{' ' * INDENT}{pad(label, LABEL)}{' ' * GAP}"
    else:
        for line in wrapped(label, width - INDENT):
            yield ((" " * INDENT + line, "dim"),)
    for line in wrapped(value, width - left):
        yield ((head, "dim"), (line, "text"))
        head = " " * left

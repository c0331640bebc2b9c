"""Keys or marks and what they mean, in two columns that stay apart also where words wrap."""

from collections.abc import Iterable

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from explorer.render.clean import cell_width
from explorer.render.lines import wrapped

LEFT = 14
"""Cells of the left column."""
STACKED = 36
"""Below this width the words stand below their key."""


class KeyTable(Widget):
    """Takes clean text."""

    DEFAULT_CSS = "KeyTable { height: auto; }"

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self._rows = tuple(rows)

    def render(self) -> Content:
        lines = [
            Content.assemble((key, "bold $accent"), words) for key, words in self._lines(self.size)
        ]
        return Content("\n").join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(Size(width, 0)))

    def _lines(self, size: Size) -> list[tuple[str, str]]:
        """(what stands in the left column, words) of each line."""
        found = []
        below = size.width < STACKED
        indent = 4 if below else LEFT
        for key, words in self._rows:
            head = f"  {key}"
            head += " " * (indent - cell_width(head))
            first, *rest = wrapped(words, size.width - indent)
            if below:
                found.append((head, ""))
                rest.insert(0, first)
            else:
                found.append((head, first))
            found += [(" " * indent, line) for line in rest]
        return found

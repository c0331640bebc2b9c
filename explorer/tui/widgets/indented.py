"""Text whose long lines are wrapped below their own beginning, not at the border."""

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

HANG = 2
"""Cells by which what is wrapped is further in than the line that it belongs to."""


class Indented(Visual):
    """Lines that keep their indent at every width."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self._content.get_optimal_width(rules, container_width)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return len(self._wrapped(width))

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        lines = Content("\n").join(self._wrapped(width))
        return lines.render_strips(width, height, style, options)

    def _wrapped(self, width: int) -> list[Content]:
        found: list[Content] = []
        for line in self._content.split(allow_blank=True):
            if line.cell_length <= width:
                found.append(line)
                continue
            indent = len(line.plain) - len(line.plain.lstrip(" "))
            hang = min(indent + HANG, max(width - 1, 0) // 2)
            first = line.wrap(width)[0]
            rest = line[len(first) :]
            rest = rest[len(rest.plain) - len(rest.plain.lstrip(" ")) :]
            found += [first, *(one.pad_left(hang) for one in rest.wrap(width - hang))]
        return found

"""What somebody who starts without a state file sees above the demo, until it is dismissed."""

from collections.abc import Sequence

from textual.content import Content
from textual.widget import Widget

from explorer.render.clean import cell_width, pad
from explorer.tui import words
from explorer.tui.key_bindings import keymap_of

NAMES = 13
"""Cells of the names at the left."""


class Welcome(Widget):
    """A few lines that the key that steps back, or a click, removes."""

    def __init__(self, looked: Sequence[str], left: str = "") -> None:
        """`looked` is clean text: where there was no state file; `left` is what is there of one."""
        super().__init__(id="welcome")
        self._looked = looked
        self._left = left

    def render(self) -> Content:
        keymap, width = keymap_of(self.app), self.content_size.width
        keys = [keymap.key(name) for name in ("read", "search", "help", "find-lost")]
        hide = f"{keymap.key('clear-selection')} hides this"
        told = words.welcome(self._looked, self._left, *keys)
        ends = [("", "")] * (len(told) - 1) + [(hide, "$dim")]
        lines = []
        for (name, said), end in zip(told, ends, strict=True):
            text = pad(said, max(width - NAMES - cell_width(end[0]), 1))
            lines.append(Content.assemble((pad(name, NAMES), "bold $accent"), text, end))
        return Content("\n").join(lines)

    def on_click(self) -> None:
        self.remove()

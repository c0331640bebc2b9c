"""The one-line bars: what this file is, above; which keys do what, below."""

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from explorer.render.clean import cell_width, fit, fit_end
from explorer.tui.actions import footer


class TopBar(Widget):
    """The name of the app, the file, and how it is."""

    file = reactive("", layout=False)
    """Clean text: where the state file is."""
    facts = reactive("", layout=False)
    """Clean text: counts and size."""
    state = reactive("", layout=False)
    """Clean text: a word on the state of the file."""

    def render(self) -> Content:
        width = self.size.width
        name = " Session Explorer  "
        right = f"  {self.state} " if self.state else ""
        left = f" {self.facts}" if self.facts else ""
        room = width - cell_width(name) - cell_width(right)
        cut = fit_end if "/" in self.file else fit
        shown = cut(self.file, max(room - cell_width(left) - 2, min(room, 12)))
        middle = fit(f"{shown}  {left}", max(room, 0))
        gap = " " * max(room - cell_width(middle), 0)
        return Content.assemble((name, "bold $accent"), middle, gap, (right, "$warning"))


class KeyBar(Widget):
    """The keys of what has the focus, as many as fit."""

    scope = reactive("list", layout=False)
    offers: reactive[tuple[str, ...]] = reactive((), layout=False)
    """Clean text: what could be typed next; the first one is what the key puts in."""

    def render(self) -> Content:
        parts: list[tuple[str, str]] = []
        if self.offers and self.scope == "search":
            first, *others = self.offers
            rest = "   ".join(["", *others])
            return Content.assemble((" tab ", "bold $accent"), (first, "bold"), (rest, "$dim"))
        for key, label in footer(self.scope, self.size.width):
            parts += [(f" {key} ", "bold $accent"), (f"{label} ", "$dim")]
        return Content.assemble(*parts)

"""The filters that are on, and what was understood of a search, as chips: nobody need wonder why a
session is not listed."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from explorer.browse.list_words import Chip
from explorer.render.clean import cell_width, fit

OFF = " ✕"
HINT = 'words · "a phrase" · prefix* · one OR other · NOT this · source: is: … · tab completes'
"""How a search may be written, where nothing of it has been understood yet."""


class ChipBar(Widget):
    """A line of chips; a click takes one off. Not there while there is none, unless somebody may be
    about to make one: a line that came and went between two letters would move everything."""

    chips: reactive[Sequence[Chip]] = reactive((), layout=False)
    """Clean text, the first one first."""
    expecting = reactive(False, layout=False)
    """A search is being typed."""

    @dataclass
    class Removed(Message):
        """Somebody wants a filter taken off."""

        name: str

    def watch_chips(self) -> None:
        self.display = bool(self.chips) or self.expecting

    def watch_expecting(self) -> None:
        self.watch_chips()

    def render(self) -> Content:
        if not self.chips:
            return Content.styled(f" {fit(HINT, max(self.size.width - 2, 1))}", "$dim")
        left = len(self.chips) - len(self._places())
        parts: list[str | tuple[str, str]] = [(f" {left} more and " if left else " ", "$dim")]
        for name, words, _ in self._places():
            look = "$foreground on $panel" if name else "$accent on $panel"
            parts += [(f" {words}{OFF if name else ''} ", look), " "]
        return Content.assemble(*parts)

    def on_click(self, event: Click) -> None:
        for name, words, start in self._places():
            if name and start <= event.x < start + _wide(name, words):
                self.post_message(self.Removed(name))

    def _places(self) -> list[tuple[str, str, int]]:
        """(name, words, first column) of the chips that fit: where not all do, the last ones,
        since the last one is what a key takes off."""
        shown: list[Chip] = []
        room = self.size.width - 1
        for at, (name, words) in enumerate(reversed(self.chips)):
            cut = fit(words, max(self.size.width - 20, 4))
            beside = 0 if at + 1 == len(self.chips) else len("99 more and ")
            wide = _wide(name, cut)
            if shown and wide + 1 + beside > room:
                break
            shown.insert(0, Chip(name, cut))
            room -= wide + 1
        left = len(self.chips) - len(shown)
        column = len(f" {left} more and ") if left else 1
        found = []
        for name, words in shown:
            found.append((name, words, column))
            column += _wide(name, words) + 1
        return found


def _wide(name: str, words: str) -> int:
    return cell_width(words) + 2 + (len(OFF) if name else 0)

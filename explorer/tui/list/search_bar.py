"""The search bar: a line to type into, and its result; below it the parts of the search and the
active filters, as chips, which tell why a session is not listed."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import getters
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import Click
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.widget import Widget
from textual.widgets import Static

from explorer.browse.words import Chip
from explorer.render.clean import cell_width, fit
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.widgets.fields import TextField
from explorer.tui.words import SEARCH_HINT

KEPT = 50
"""Searches that are remembered."""
OFF = " ✕"
HINTS = ('"a phrase"', "source:cli", "a OR b", "NOT c", "prefix*")
"""How a search may be written, as many as fit."""


class SearchInput(TextField):
    """Takes the letters; leaves the arrows to the results."""

    BINDINGS = bindings("search")

    # A longer text changes nothing around it: laid out anew, the screen would be painted whole.
    virtual_size = Reactive(Size(0, 0), layout=False)

    @dataclass
    class LeaveWanted(Message):
        """Escape in an empty bar, or on to the results."""

    @dataclass
    class Stepped(Message):
        """On through the results, or back."""

        rows: int = 0
        pages: int = 0

    def clear(self) -> None:
        if isinstance(self.parent, SearchBar):
            self.parent.remember(self.value)
        super().clear()

    def action_clear(self) -> None:
        if self.value:
            self.clear()
        else:
            self.post_message(self.LeaveWanted())

    def action_step(self, rows: int) -> None:
        """Through the results; in an empty bar, up recalls earlier searches."""
        bar = self.parent
        if isinstance(bar, SearchBar) and bar.recall(-rows, self.value):
            return
        self.post_message(self.Stepped(rows))

    async def action_complete(self) -> None:
        """Finish the name of a field or its value."""
        await self.run_action("screen.complete")

    def action_page(self, pages: int) -> None:
        self.post_message(self.Stepped(pages=pages))


class Outcome(Widget):
    """What the search found, at the right of the bar; before that, how one may be written: there
    is room for it, where a line below the bar would push everything down."""

    words = reactive("", layout=False)
    hinting = reactive(False, layout=False)
    """The bar has the focus, and nothing is typed."""

    def render(self) -> Content:
        room = max(self.size.width, 1)
        return Content(fit(self.words or (self._hint(room) if self.hinting else ""), room))

    def _hint(self, room: int) -> str:
        keymap = keymap_of(self.app)
        hint = f"{keymap.key('help', typing=True)} search language"
        for more in (f"{keymap.key('search-complete')} completes", *HINTS):
            if cell_width(f"{hint} · {more}") <= room:
                hint = f"{hint} · {more}"
        return hint


class SearchBar(Horizontal):
    """The bar as a whole."""

    input = getters.query_one(SearchInput)

    def compose(self) -> ComposeResult:
        yield Static(Content("/"), id="slash")
        yield SearchInput(placeholder=SEARCH_HINT, id="query", compact=True)
        yield Outcome(id="outcome")

    def on_mount(self) -> None:
        self.history: list[str] = []
        """What was searched for, the newest last."""
        self._recalled: int | None = None

    def remember(self, text: str) -> None:
        """Keep a search for later."""
        self._recalled = None
        if text.strip():
            others = [one for one in self.history if one != text]
            self.history = [*others, text][-KEPT:]

    def recall(self, step: int, value: str) -> bool:
        """Put an earlier search into an empty bar, and from there the ones before and after it;
        False where another text was typed."""
        at = self._recalled
        if at is None or value != self.history[at]:
            if value or step < 0 or not self.history:
                self._recalled = None
                return False
            at = len(self.history)
        at = max(at - step, 0)
        self._recalled = at if at < len(self.history) else None
        self.input.value = self.history[at] if at < len(self.history) else ""
        self.input.cursor_position = len(self.input.value)
        return True

    def say(self, words: str) -> None:
        self.query_one(Outcome).words = words

    def hint(self, on: bool) -> None:
        """Say how a search may be written, or no longer."""
        self.query_one(Outcome).hinting = on


class ChipBar(Widget):
    """A line of chips; a click removes one. The line is there also without chips where there is
    room for it: one that came and went would move everything, between two letters or when the bar
    gets the focus. On a short terminal it comes with the first chip, and stays while a search is
    typed."""

    chips: reactive[Sequence[Chip]] = reactive((), layout=False)
    """Clean text, the first one first."""
    hints: reactive[Sequence[str]] = reactive((), layout=False)
    """Clean text: how what was typed could be corrected."""
    typing = reactive(False, layout=False)
    """A search is being typed."""
    roomy = reactive(False, layout=False)
    """The line is there also without chips."""

    @dataclass
    class Removed(Message):
        """A filter is to be removed."""

        name: str

    @property
    def _all(self) -> list[Chip]:
        return [*self.chips, *(Chip("", hint) for hint in self.hints)]

    def watch_chips(self) -> None:
        stays = self.roomy or (self.display and self.typing)
        self.display = bool(self.chips or self.hints) or stays

    def watch_hints(self) -> None:
        self.watch_chips()

    def watch_typing(self) -> None:
        self.watch_chips()

    def watch_roomy(self) -> None:
        self.watch_chips()

    def render(self) -> Content:
        left = len(self._all) - len(self._places())
        parts: list[str | tuple[str, str]] = [(_more(left), "$dim")]
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
        since the last one is what a key removes."""
        shown: list[Chip] = []
        chips = self._all
        room = self.size.width - 1
        for at, (name, words) in enumerate(reversed(chips)):
            cut = fit(words, max(self.size.width - 20, 4))
            beside = 0 if at + 1 == len(chips) else len(_more(99))
            wide = _wide(name, cut)
            if shown and wide + 1 + beside > room:
                break
            shown.insert(0, Chip(name, cut))
            room -= wide + 1
        left = len(chips) - len(shown)
        column = len(_more(left))
        found = []
        for name, words in shown:
            found.append((name, words, column))
            column += _wide(name, words) + 1
        return found


def _more(chips: int) -> str:
    """What comes before the chips: how many others there is no room for."""
    return f" {chips} more · " if chips else " "


def _wide(name: str, words: str) -> int:
    return cell_width(words) + 2 + (len(OFF) if name else 0)

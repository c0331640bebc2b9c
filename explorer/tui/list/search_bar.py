"""The search bar: a line to type into, and what came of it."""

from dataclasses import dataclass
from typing import Protocol

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.widget import Widget
from textual.widgets import Static

from explorer.render.clean import fit
from explorer.tui.key_bindings import bindings
from explorer.tui.widgets.field import TextField

KEPT = 50
"""Searches that are remembered."""


class Offers(Protocol):
    """Knows what could be typed next."""

    def typed(self) -> None: ...

    def take(self) -> bool:
        """Put the first of it in; False where there is nothing."""
        ...


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
        """Finish the name of a field or its value; where there is none, on to the other pane."""
        bar = self.parent
        if not (isinstance(bar, SearchBar) and bar.offering and bar.offering.take()):
            await self.run_action("screen.pane")

    def action_page(self, pages: int) -> None:
        self.post_message(self.Stepped(pages=pages))


class Outcome(Widget):
    """What the search found, at the right of the bar."""

    words = reactive("", layout=False)

    def render(self) -> Content:
        return Content(fit(self.words, max(self.size.width, 1)))


class SearchBar(Horizontal):
    """The bar as a whole."""

    def compose(self) -> ComposeResult:
        yield Static(Content("/"), id="slash")
        yield SearchInput(placeholder="search all sessions", id="query", compact=True)
        yield Outcome(id="outcome")

    def on_mount(self) -> None:
        self.history: list[str] = []
        """What was searched for, the newest last."""
        self._recalled: int | None = None
        self.offering: Offers | None = None

    def on_input_changed(self) -> None:
        if self.offering:
            self.offering.typed()

    def remember(self, text: str) -> None:
        """Keep a search for later."""
        self._recalled = None
        if text.strip():
            others = [one for one in self.history if one != text]
            self.history = [*others, text][-KEPT:]

    def recall(self, step: int, value: str) -> bool:
        """Put an earlier search into an empty bar, and from there the ones before and after it;
        False where somebody has typed something else."""
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

    @property
    def input(self) -> SearchInput:
        return self.query_one(SearchInput)

    def say(self, words: str) -> None:
        self.query_one(Outcome).words = words

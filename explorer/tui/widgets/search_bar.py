"""The search bar: a line to type into, and what came of it."""

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Input, Static

from explorer.tui.actions import bindings


class SearchInput(Input):
    """Takes the letters; leaves the arrows to the results."""

    BINDINGS = bindings("search")

    @dataclass
    class LeaveWanted(Message):
        """Escape in an empty bar, or on to the results."""

    def action_clear(self) -> None:
        if self.value:
            self.value = ""
        else:
            self.post_message(self.LeaveWanted())

    def action_results(self) -> None:
        self.post_message(self.LeaveWanted())


class Outcome(Widget):
    """What the search found, at the right of the bar."""

    words = reactive("", layout=True)

    def get_content_width(self, *_: object) -> int:
        return len(self.words)

    def render(self) -> Content:
        return Content(self.words)


class SearchBar(Horizontal):
    """The bar as a whole."""

    def compose(self) -> ComposeResult:
        yield Static(Content("/"), id="slash")
        yield SearchInput(placeholder="search all sessions", id="query", compact=True)
        yield Outcome(id="outcome")

    @property
    def input(self) -> SearchInput:
        return self.query_one(SearchInput)

    def say(self, words: str) -> None:
        self.query_one(Outcome).words = words

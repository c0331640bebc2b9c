"""The find bar: what to find in a text, and how many matches there are."""

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from explorer.render.clean import cell_width, clean_line
from explorer.tui.key_bindings import bindings
from explorer.tui.widgets.fields import TextField

ROOM = 22
"""Cells that are always free for the result, as in the style sheet."""


class FindInput(TextField):
    """Takes the letters; the arrows step through the matches."""

    BINDINGS = bindings("find")

    def action_leave(self) -> None:
        self.post_message(FindBar.Closed())

    def action_step(self, step: int) -> None:
        self.post_message(FindBar.StepWanted(step))


class FindBar(Horizontal):
    """A line below a text. It can be told words from the moment it is made: what is found may come
    before it is drawn."""

    @dataclass
    class Typed(Message):
        """The text to find has changed."""

        text: str

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, FindBar.Typed)

    @dataclass
    class StepWanted(Message):
        """On to the next match, or back."""

        step: int

    @dataclass
    class Entered(Message):
        """Typing is done: back to the text, at the match."""

    @dataclass
    class Closed(Message):
        """The find is over."""

    @dataclass
    class Told(Message):
        """The result, in words for the bar."""

        words: str

    _said = ""

    def __init__(self) -> None:
        super().__init__(id="find")
        self.input = FindInput(placeholder="text or /regex/", id="find-text", compact=True)
        self._words = Static(id="find-words")

    def compose(self) -> ComposeResult:
        yield Static(Content("find"), id="find-label")
        yield self.input
        yield self._words

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Entered())

    def say(self, words: str) -> None:
        """Which match this is, how many there are, or what is wrong with the pattern."""
        words = clean_line(words, 200)
        # The place for a number is kept free: a layout with each would slow the search down.
        wide = max(cell_width(words), cell_width(self._said)) > ROOM
        self._said = words
        self._words.update(Content(words), layout=wide)

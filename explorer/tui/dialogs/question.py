"""A question with two answers; the harmless one is chosen until somebody says otherwise."""

from collections.abc import Callable
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings


class Instead(NamedTuple):
    """Another answer than yes or no."""

    words: str
    do: Callable[[], None]


class Question(Dialog[bool]):
    """True for yes. Takes clean text."""

    BINDINGS = bindings("question")

    def __init__(
        self,
        title: str,
        text: str,
        yes: str,
        no: str = "Cancel",
        instead: "Instead | None" = None,
    ) -> None:
        """`instead` is something else that can be done."""
        super().__init__()
        self._instead = instead
        self._title = title
        self._text = text
        self._yes = yes
        self._no = no

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield Static(Content(self._title), id="question-title")
            if self._text:
                yield Static(Content(self._text), id="question-text")
            with Horizontal(id="answers"):
                yield Button(Content(self._no), id="no", compact=True)
                if self._instead is not None:
                    yield Button(Content(self._instead.words), id="instead", compact=True)
                yield Button(Content(self._yes), id="yes", compact=True)

    def on_mount(self) -> None:
        self.set_focus(self.query_one("#no"))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")
        if event.button.id == "instead" and self._instead is not None:
            self.app.call_later(self._instead.do)

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)

    def action_other(self) -> None:
        self.focus_next()

"""A line to type, checked while it is typed."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings
from explorer.tui.widgets.field import TextField


class Prompt(Dialog[str]):
    """What was typed, or nothing. Takes clean text."""

    BINDINGS = bindings("prompt")

    def __init__(self, title: str, value: str, check: Callable[[str], tuple[bool, str]]) -> None:
        """`check` says whether a text will do, and a word about it."""
        super().__init__()
        self._title = title
        self._value = value
        self._check = check

    def compose(self) -> ComposeResult:
        with Vertical(id="prompt"):
            yield TextField(self._value, id="prompt-text", compact=True)
            yield Static(id="prompt-words")

    def on_mount(self) -> None:
        self.query_one("#prompt").border_title = Content(self._title)
        self._say(self._value)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._say(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        if self._check(event.value)[0]:
            self.dismiss(event.value)

    def _say(self, value: str) -> None:
        good, words = self._check(value)
        said = self.query_one("#prompt-words", Static)
        said.set_class(not good, "-wrong")
        said.update(Content(words))

"""The dialog for a line of text. Takes clean text."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings
from explorer.tui.widgets.fields import TextField


class Prompt(Dialog[str]):
    """A line to type, checked while it is typed: what was typed, or nothing."""

    BINDINGS = bindings("prompt")
    SCOPE = "prompt"

    def __init__(
        self,
        title: str,
        value: str,
        check: Callable[[str], tuple[bool, str]],
        placeholder: str = "",
    ) -> None:
        """`check` says whether a text is valid, and a hint about it."""
        super().__init__()
        self._title = title
        self._value = value
        self._check = check
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        with Vertical(id="prompt"):
            yield TextField(self._value, self._placeholder, id="prompt-text", compact=True)
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

"""One of a few things, chosen with the arrows or the mouse."""

from collections.abc import Sequence
from typing import TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.widgets.options import Options

T = TypeVar("T")


class Choice(Dialog[T]):
    """What was chosen, or nothing. Takes clean text."""

    BINDINGS = bindings("choice")

    def __init__(
        self,
        title: str,
        options: Sequence[tuple[T, str]],
        chosen: T,
        enter: str = "choose",
    ) -> None:
        """`options` are (value, words); `enter` says what enter does."""
        super().__init__()
        self._enter = enter
        self._title = title
        self._options = options
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        yield Options(*(Option(Content(words)) for _, words in self._options), id="choice")

    def on_mount(self) -> None:
        choices = self.query_one(OptionList)
        choices.border_title = Content(self._title)
        choices.border_subtitle = Content(
            keymap_of(self.app).hint("choice", {"option-take": self._enter})
        )
        values = [value for value, _ in self._options]
        choices.highlighted = values.index(self._chosen)
        self.set_focus(choices)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._options[event.option_index][0])

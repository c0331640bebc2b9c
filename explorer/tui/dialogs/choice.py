"""One of a few things, chosen with the arrows or the mouse."""

from collections.abc import Sequence
from typing import TypeVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.tui.dialogs.base import Dialog
from explorer.tui.widgets.options import Options

T = TypeVar("T")


class Choice(Dialog[T]):
    """What was chosen, or nothing. Takes clean text."""

    BINDINGS = [Binding("escape,q", "dismiss", show=False)]

    def __init__(
        self,
        title: str,
        options: Sequence[tuple[T, str]],
        chosen: T,
        keys: str = "enter chooses · esc closes",
    ) -> None:
        """`options` are (value, words); `keys` says what can be done."""
        super().__init__()
        self._keys = keys
        self._title = title
        self._options = options
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        yield Options(*(Option(Content(words)) for _, words in self._options), id="choice")

    def on_mount(self) -> None:
        choices = self.query_one(OptionList)
        choices.border_title = Content(self._title)
        choices.border_subtitle = Content(self._keys)
        values = [value for value, _ in self._options]
        choices.highlighted = values.index(self._chosen)
        self.set_focus(choices)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._options[event.option_index][0])

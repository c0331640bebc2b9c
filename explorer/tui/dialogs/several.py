"""Any number of a few things, marked with the space bar or the mouse."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.widgets.options import Options

T = TypeVar("T")


class Several(Dialog[frozenset[T]]):
    """What was marked; without marks, what the cursor is on. The first line stands for none of
    them. Takes clean text."""

    BINDINGS = bindings("several")

    def __init__(
        self, title: str, any_: str, options: Sequence[tuple[T, str]], marked: Iterable[T]
    ) -> None:
        """`options` are (value, words), `any_` says what it is not to choose."""
        super().__init__()
        self._title = title
        self._options: list[tuple[T | None, str]] = [(None, any_), *options]
        self._marked = set(marked)

    def compose(self) -> ComposeResult:
        yield Options(*map(Option, map(self._line, range(len(self._options)))), id="choice")

    def on_mount(self) -> None:
        choices = self.query_one(OptionList)
        choices.border_title = Content(self._title)
        choices.border_subtitle = Content(
            keymap_of(self.app).hint("several", {"option-take": "apply"})
        )
        marked = (at for at, (value, _) in enumerate(self._options) if value in self._marked)
        choices.highlighted = next(marked, 0)
        self.set_focus(choices)

    def _line(self, at: int) -> Content:
        value, words = self._options[at]
        on = not self._marked if value is None else value in self._marked
        sign = "[x]" if on else "[ ]"
        return Content.assemble((sign, "$success" if on else "$dim"), f" {words}")

    def action_mark(self) -> None:
        choices = self.query_one(OptionList)
        if choices.highlighted is None:
            return
        value, _ = self._options[choices.highlighted]
        self._marked = set() if value is None else self._marked ^ {value}
        for at in range(len(self._options)):
            choices.replace_option_prompt_at_index(at, self._line(at))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        value, _ = self._options[event.option_index]
        self.dismiss(frozenset() if value is None else frozenset(self._marked or {value}))

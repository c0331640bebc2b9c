"""Dialogs to choose in: one of a list, or several. Take clean text."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ScreenResultType
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from explorer.tui.dialogs.base import Dialog
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.widgets.fields import CheckBoxes, Options
from explorer.tui.words import ALREADY_CHOSEN

T = TypeVar("T")

LEAST_WIDTH = 44
"""Cells of a list to choose from."""
BESIDE_HINT = 6
"""Cells of a border beside the hint in it."""


class OptionsDialog(Dialog[ScreenResultType]):
    """A list to choose from, with the arrows or the mouse."""

    BINDINGS = bindings("choice")
    SCOPE = "choice"
    LIST = Options

    def __init__(self, title: str, enter: str, lines: Iterable[Content], highlighted: int) -> None:
        """`enter` says what enter does, `highlighted` is the line under the cursor."""
        super().__init__()
        self._list = self.LIST(*map(Option, lines), id="choice")
        self._list.border_title = Content(title)
        self._enter = enter
        self._highlighted = highlighted

    def compose(self) -> ComposeResult:
        yield self._list

    def on_mount(self) -> None:
        hint = keymap_of(self.app).hint(self.SCOPE, {"option-take": self._enter})
        self._list.border_subtitle = Content(hint)
        self._list.styles.min_width = max(LEAST_WIDTH, cell_len(hint) + BESIDE_HINT)
        self._list.highlighted = self._highlighted
        self.set_focus(self._list)


class Choice(OptionsDialog[T]):
    """One of several options: the chosen one, or nothing."""

    def __init__(
        self,
        title: str,
        options: Sequence[tuple[T, str]],
        chosen: T,
        enter: str = "choose",
    ) -> None:
        """`options` are (value, words)."""
        self._values = [value for value, _ in options]
        lines = (Content(words) for _, words in options)
        super().__init__(title, enter, lines, self._values.index(chosen))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._values[event.option_index])


class Several(OptionsDialog[frozenset[T]]):
    """Any number of options: those that are checked, else the one under the cursor. The first line
    stands for none of them."""

    BINDINGS = bindings("several")
    SCOPE = "several"
    LIST = CheckBoxes

    def __init__(
        self, title: str, any_: str, options: Sequence[tuple[T, str]], marked: Iterable[T]
    ) -> None:
        """`options` are (value, words), `any_` is the line for none of them."""
        self._options: list[tuple[T | None, str]] = [(None, any_), *options]
        self._marked = set(marked)
        places = (at for at, (value, _) in enumerate(self._options) if value in self._marked)
        lines = map(self._line, range(len(self._options)))
        super().__init__(title, "apply", lines, next(places, 0))

    def _line(self, at: int) -> Content:
        value, words = self._options[at]
        on = not self._marked if value is None else value in self._marked
        sign = "[x]" if on else "[ ]"
        return Content.assemble((sign, "$success" if on else "$dim"), f" {words}")

    @on(CheckBoxes.Clicked)
    def action_mark(self) -> None:
        if self._list.highlighted is None:
            return
        value, _ = self._options[self._list.highlighted]
        if value is None and not self._marked:
            hint(self, ALREADY_CHOSEN)
        self._marked = set() if value is None else self._marked ^ {value}
        for at in range(len(self._options)):
            self._list.replace_option_prompt_at_index(at, self._line(at))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        value, _ = self._options[event.option_index]
        self.dismiss(frozenset() if value is None else frozenset(self._marked or {value}))

"""Screens that open over others, and close only themselves.

Textual closes whatever is on top. A dialog that is closed twice would close the screen below it,
and one with another screen on top of it would stay.
"""

from collections.abc import Callable
from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen, ScreenResultType
from textual.widget import Widget

from explorer.tui.key_bindings import bindings
from explorer.tui.themes import style

T = TypeVar("T")


class Closing(Screen[ScreenResultType]):
    """A screen that is opened over another one."""

    BINDINGS = bindings("dialogs")
    SCOPE = ""
    """Whose keys act in it, where the focus does not say."""

    _leaving = False

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def cancel(self) -> None:
        """Close it without an answer: control+c."""
        self.dismiss()

    def leave(self) -> None:
        """Close it from elsewhere: now, or when the screens over it have closed."""
        self._leaving = True
        self.dismiss()

    def on_screen_resume(self) -> None:
        if self._leaving:
            self.dismiss()


class Dialog(ModalScreen[ScreenResultType], Closing[ScreenResultType]):
    """The same, with the screen below still visible."""

    CSS_PATH = style("dialogs")


def ask_for(at: Widget, dialog: Dialog[T], then: Callable[[T], None]) -> None:
    """Open a dialog, and continue with its answer, if there is one."""
    at.app.push_screen(dialog, lambda answer: None if answer is None else then(answer))

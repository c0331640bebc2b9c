"""The dialog about a file that cannot be read."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from explorer.errors import ExitCode, StoreError
from explorer.render.clean import clean, clean_line
from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of


class ProblemScreen(Dialog[bool]):
    """Why a file cannot be read, and what to do; True to try again."""

    BINDINGS = bindings("problem")
    SCOPE = "problem"

    def __init__(self, error: StoreError) -> None:
        super().__init__()
        self._error = error

    def compose(self) -> ComposeResult:
        with Vertical(id="problem"):
            yield Static(Content(clean_line(self._error.title)), id="problem-title")
            yield Static(Content(clean(self._error.message)), id="problem-message")
            yield Static(Content(keymap_of(self.app).hint("problem")), id="problem-keys")

    def on_mount(self) -> None:
        # Without the focus it would get no keys.
        self.focus()

    def cancel(self) -> None:
        """There is nothing behind it."""
        self.app.exit(return_code=int(ExitCode.INTERRUPTED))

    def action_leave(self) -> None:
        self.app.exit(return_code=int(self._error.exit_code))

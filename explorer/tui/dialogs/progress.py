"""The dialog that shows how far a change is, and may stop it."""

import time

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from explorer.cancel import CancelToken
from explorer.render.figures import count, duration, plural
from explorer.stores.edits.plans import WAITING_WORDS, Progress
from explorer.tui.dialogs.base import Dialog
from explorer.tui.hints import hint
from explorer.tui.key_bindings import bindings, keymap_of
from explorer.tui.words import CANNOT_STOP, STARTING, STOPPING, pace

BAR = 40
"""Cells of the progress bar."""


class ProgressDialog(Dialog[None]):
    """Closed by its caller. Takes clean text.

    It opens by itself, so no key stops the work that may be meant for the screen below."""

    AUTO_FOCUS = ""
    BINDINGS = bindings("progress")
    SCOPE = "progress"

    def __init__(self, title: str, stop: CancelToken | None) -> None:
        """`stop` is cancelled to end the work early; None where that is not possible."""
        super().__init__()
        self._title = title
        self._stop = stop
        self._begun = time.monotonic()
        # Made here: progress may come before they are on the screen, or after.
        self._bar = Static(Content(""), id="progress-bar")
        self._said = Static(Content(STARTING), id="question-text")

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield Static(Content(self._title), id="question-title")
            yield self._bar
            yield self._said
            if self._stop is not None:
                with Horizontal(id="answers"):
                    key = keymap_of(self.app).key("progress-stop")
                    yield Button(Content(f"Stop ({key})"), id="stop", compact=True)

    def show(self, progress: Progress) -> None:
        if progress.waiting:
            self.say(WAITING_WORDS)
            return
        self._bar.update(Content(_bar(progress)))
        self._said.update(Content(_words(progress, time.monotonic() - self._begun)))

    def say(self, words: str) -> None:
        """Say what it waits for."""
        self._said.update(Content(words))

    def cancel(self) -> None:
        """Cancel the work, which closes the dialog when it ends."""
        self.action_stop()

    @on(Button.Pressed)
    def action_stop(self) -> None:
        if self._stop is not None:
            self._stop.cancel()
            self._said.update(Content(STOPPING))
        else:
            hint(self, CANNOT_STOP)


def _share(progress: Progress) -> float:
    if progress.of_messages:
        return progress.messages / progress.of_messages
    return progress.sessions / progress.of_sessions if progress.of_sessions else 1.0


def _bar(progress: Progress) -> str:
    full = round(min(_share(progress), 1.0) * BAR)
    return "█" * full + "░" * (BAR - full) + f" {_share(progress):.0%}"


def _words(progress: Progress, seconds: float) -> str:
    sessions = f"{count(progress.sessions)} of {plural(progress.of_sessions, 'session')}"
    messages = f" · {count(progress.messages)} of {plural(progress.of_messages, 'message')}"
    words = sessions + messages * bool(progress.of_messages)
    share = _share(progress)
    if seconds < 1 or not share:
        return words
    left = seconds / share - seconds
    return f"{words}\n{pace(progress.messages / seconds, duration(left))}"

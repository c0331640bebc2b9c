"""A long edit under way: how far it is, how fast, how long it will take, and a way to stop it."""

import time

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from explorer.cancel import CancelToken
from explorer.render.figures import count, duration
from explorer.stores.edits.plans import WAITING_WORDS, Progress
from explorer.tui.dialogs.base import Dialog
from explorer.tui.key_bindings import bindings, keymap_of

BAR = 40


class ProgressDialog(Dialog[None]):
    """Closed by whoever opened it. Takes clean text.

    It opens by itself, so no key stops the work that may have been meant for what lies below."""

    AUTO_FOCUS = ""
    BINDINGS = bindings("progress")

    def __init__(self, title: str, stop: CancelToken | None) -> None:
        """`stop` is cancelled to end the work early; None where that is not possible."""
        super().__init__()
        self._title = title
        self._stop = stop
        self._begun = time.monotonic()
        # Made here: what is told before they are on the screen, or after, does no harm.
        self._bar = Static(Content(""), id="progress-bar")
        self._said = Static(Content("Beginning …"), id="question-text")

    def compose(self) -> ComposeResult:
        with Vertical(id="question"):
            yield Static(Content(self._title), id="question-title")
            yield self._bar
            yield self._said
            if self._stop is not None:
                with Horizontal(id="answers"):
                    yield Button(
                        Content(f"Stop ({keymap_of(self.app).key('progress-stop')})"),
                        id="stop",
                        compact=True,
                    )

    def show(self, progress: Progress) -> None:
        if progress.waiting:
            self._said.update(Content(WAITING_WORDS))
            return
        self._bar.update(Content(_bar(progress)))
        self._said.update(Content(_words(progress, time.monotonic() - self._begun)))

    def cancel(self) -> None:
        """The work is what is cancelled; it closes the dialog when it has come to its end."""
        self.action_stop()

    @on(Button.Pressed)
    def action_stop(self) -> None:
        if self._stop is not None:
            self._stop.cancel()
            self._said.update(Content("Stopping …"))


def _share(progress: Progress) -> float:
    if progress.of_messages:
        return progress.messages / progress.of_messages
    return progress.sessions / progress.of_sessions if progress.of_sessions else 1.0


def _bar(progress: Progress) -> str:
    full = round(min(_share(progress), 1.0) * BAR)
    return "█" * full + "░" * (BAR - full) + f" {_share(progress):.0%}"


def _words(progress: Progress, seconds: float) -> str:
    sessions = f"{count(progress.sessions)} of {count(progress.of_sessions)} sessions"
    messages = f"{count(progress.messages)} of {count(progress.of_messages)} messages"
    words = f"{sessions} · {messages}"
    share = _share(progress)
    if seconds < 1 or not share:
        return words
    speed = progress.messages / seconds
    left = seconds / share - seconds
    return f"{words}\n{count(round(speed))} messages a second · {duration(left)} left"

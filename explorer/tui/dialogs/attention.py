"""Where the user is, and whether a question that comes late may open there.

It must not while the user types elsewhere, or has gone on with other keys: a "y" that was meant for
the search bar would answer it. The progress of a change does not count: it opens by itself.
"""

import time
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from textual.app import App
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from explorer.tui.dialogs.progress import ProgressDialog
from explorer.tui.words import MOVED_ON

LATE = 0.4
"""Seconds after which a key is not meant for the question that was asked for before it."""

SELECTS = ("select", "select-all", "invert-selection")
"""Keys that leave alone what a question is about, as those that move do."""


class Presses(NamedTuple):
    """What an app has been told by keys and the mouse."""

    number: int = 0
    acts: int = 0
    """How many keys did more than move."""
    at: float = 0.0
    """When the last one came, in the time of events."""


_presses: "WeakKeyDictionary[App[Any], Presses]" = WeakKeyDictionary()


def pressed(app: App[Any]) -> Presses:
    """What it has been told so far."""
    return _presses.get(app, Presses())


def note_press(app: App[Any], at: float) -> None:
    before = pressed(app)
    _presses[app] = before._replace(number=before.number + 1, at=at)


def note_act(app: App[Any]) -> None:
    """The key that was pressed does more than move."""
    before = pressed(app)
    _presses[app] = before._replace(acts=before.acts + 1)


class FocusPlace(NamedTuple):
    """What takes the keys, and what has been typed into it."""

    screen: Screen[object]
    focused: Widget | None
    typed: str
    presses: Presses
    """Those that there had been."""
    at: float
    """When that was, in seconds."""

    def has_moved_on(self, now: "FocusPlace") -> bool:
        """Whether other keys have acted since, or were pressed long enough ago."""
        if now.presses.acts != self.presses.acts:
            return True
        return now.presses != self.presses and now.at - self.at > LATE


def place(app: App[object]) -> FocusPlace:
    """Where the user is now."""
    screen = next(one for one in reversed(app.screen_stack) if not isinstance(one, ProgressDialog))
    focused = screen.focused
    typed = focused.value if isinstance(focused, Input) else ""
    return FocusPlace(screen, focused, typed, pressed(app), time.monotonic())


def still_at(app: App[object], before: FocusPlace) -> bool:
    """Whether the user is still there. A terminal in the background has no focus, and no typing."""
    now = place(app)
    if now.screen is not before.screen or before.has_moved_on(now):
        return False
    return now.focused is None or (now.focused, now.typed) == (before.focused, before.typed)


def may_ask(screen: Screen[None], before: FocusPlace) -> bool:
    """Whether a question that was asked for there may still open; if not, the user is told."""
    here = still_at(screen.app, before)
    if not here:
        screen.notify(MOVED_ON, severity="warning", markup=False)
    return here


def is_typing(app: App[object]) -> bool:
    """The user types, or has a dialog to answer: another one would take the keys."""
    here = place(app)
    return isinstance(here.focused, Input) or isinstance(here.screen, ModalScreen)

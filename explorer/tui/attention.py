"""Where somebody is while something is being found out for them.

A question that comes late must not open under the fingers of somebody who types elsewhere by then:
a "y" that was meant for the search bar would answer it. How far an edit is does not count, since
nobody went there.
"""

from typing import NamedTuple

from textual.app import App
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input

from explorer.tui.dialogs.progress import ProgressDialog

GONE_ON = "You went on meanwhile: nothing was done. Ask again."


class FocusPlace(NamedTuple):
    """What takes the keys, and what has been typed into it."""

    screen: Screen[object]
    focused: Widget | None
    typed: str


def place(app: App[object]) -> FocusPlace:
    """Where somebody is now."""
    screen = next(one for one in reversed(app.screen_stack) if not isinstance(one, ProgressDialog))
    focused = screen.focused
    return FocusPlace(screen, focused, focused.value if isinstance(focused, Input) else "")


def still_at(app: App[object], before: FocusPlace) -> bool:
    """Whether nobody has gone on. A terminal in the background has no focus: nobody types."""
    now = place(app)
    return now == before or (now.screen is before.screen and now.focused is None)


def may_ask(screen: Screen[None], before: FocusPlace) -> bool:
    """Whether a question may open that was asked for there; if not, that is said."""
    here = still_at(screen.app, before)
    if not here:
        screen.notify(GONE_ON, severity="warning", markup=False)
    return here


def is_typing(app: App[object]) -> bool:
    """Somebody types, or has a dialog to answer: another one would take their keys."""
    here = place(app)
    return isinstance(here.focused, Input) or isinstance(here.screen, ModalScreen)

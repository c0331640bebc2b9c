"""Short hints: why a key did nothing; and how long notifications are shown.

A key that is held down says it once, not thirty times, and other keys change the words of the hint
that is there: several would cover what is being looked at. Textual's own way to replace a
notification leaves its frame behind, and one that goes before it was drawn is waited for without
end: a hundred keys would bring the app to a halt.
"""

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from textual.app import App
from textual.notifications import Notification, Notifications
from textual.widget import Widget
from textual.widgets._toast import Toast

READABLE = 3.0
"""Seconds that a hint must still have on the screen to be given other words."""
TOO_LATE = 1.0
"""Seconds before its end from which a notification is not drawn any more."""

_last: "WeakKeyDictionary[App[object], Notification]" = WeakKeyDictionary()
"""The hint that each app gave last."""


class ShownInTime(Notifications):
    """Notifications without those that are about to end.

    Every screen that opens draws them anew, each with a timer for the rest of its time. Where that
    is over by the time the timer is made, Textual counts backwards without end, and the app hangs.
    """

    def __iter__(self) -> Iterator[Notification]:
        return iter([note for note in super().__iter__() if note.time_left > TOO_LATE])


def hint(at: Widget, words: str) -> None:
    """Say something in clean text, unless that is on the screen already."""
    app = at.app
    if any(note.message == words for note in iter(app._notifications)):
        return
    last = _last.get(app)
    if last is not None and last in app._notifications and last.time_left > READABLE:
        last.message = words
        for toast in app.screen.query(Toast):
            if toast._notification is last:
                toast.refresh(layout=True)
        return
    # At once, where notify() would post a message: the next key may come before that arrives.
    _last[app] = Notification(words, timeout=app.NOTIFICATION_TIMEOUT, markup=False)
    app._notifications.add(_last[app])
    app._refresh_notifications()


def take_back(app: App[object]) -> None:
    """Remove what was said before: it is no longer so."""
    for toast in app.screen.query(Toast):
        if toast.is_mounted:
            toast._expire()
    app._notifications.clear()
    _last.pop(app, None)

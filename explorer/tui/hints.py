"""Short hints: why a key did nothing. A key that is held down says it once, not thirty times."""

from weakref import WeakKeyDictionary

from textual.app import App
from textual.widget import Widget

_last: "WeakKeyDictionary[App[object], str]" = WeakKeyDictionary()
"""What each app said last."""


def hint(at: Widget, words: str) -> None:
    """Say something in clean text, unless that is on the screen already. The hint before it goes:
    several of them would cover what is being looked at."""
    app = at.app
    # Not list(): that asks for their number, which drops expired ones while it goes through them.
    notes = [*iter(app._notifications)]
    if any(note.message == words for note in notes):
        return
    for note in notes:
        if note.message == _last.get(app):
            app._unnotify(note)
    _last[app] = words
    at.notify(words, markup=False)

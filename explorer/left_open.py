"""What was open when the app crashed, for the next start to offer: a search, and a session.

It is kept in our notes about the state file, and not trusted when it is read: a wrong shape counts
as nothing, and text is cut and only ever searched for or looked up.
"""

import json
from typing import NamedTuple

from explorer.errors import ExplorerError
from explorer.stores.ours.notes import Notes

LEFT_CHOICE = "left-open"
"""The name under which our notes keep it."""
LONGEST = 200


class LeftOpen(NamedTuple):
    """Where the user was."""

    query: str = ""
    session: str = ""
    """Its id."""
    place: str = ""
    """The name of its file, where several were listed."""

    def __bool__(self) -> bool:
        return bool(self.query or self.session)


def keep(notes: Notes, left: LeftOpen) -> None:
    notes.choose(LEFT_CHOICE, json.dumps(left._asdict()))


def take(notes: Notes) -> LeftOpen:
    """What was open, once: what crashed the app must not do so at every start."""
    try:
        stored = notes.choice(LEFT_CHOICE)
        if stored:
            notes.choose(LEFT_CHOICE, "")
    except ExplorerError:
        # If it cannot be forgotten it is not offered: it would be at every start.
        return LeftOpen()
    return understood(stored or "")


def understood(stored: str) -> LeftOpen:
    try:
        found = json.loads(stored[:10_000])
    except (ValueError, RecursionError):
        return LeftOpen()
    if not isinstance(found, dict):
        return LeftOpen()
    return LeftOpen(*(_text(found.get(name)) for name in LeftOpen._fields))


def _text(value: object) -> str:
    return value[:LONGEST] if isinstance(value, str) else ""

"""A session as an edit sees it."""

from collections.abc import Mapping
from typing import NamedTuple

from explorer.model import State, state_of
from explorer.stores.sqlite import cells

RESET_CHILD = "reset"
"""The kind of a session with which a chat began anew."""
APART = ("branch", RESET_CHILD)
"""Children that are conversations of their own."""


class Subject(NamedTuple):
    """One row of the sessions."""

    row: int
    id: str
    sound: bool
    """The id is text that finds the row again; else nothing is done to it."""
    title: str | None
    source: str
    parent: str | None
    last_active: float | None
    ended: bool
    end_reason: str
    archived: bool
    kind: str
    along: bool = False
    """It says of itself that it goes when its parent goes."""
    hidden: bool = False
    pinned: bool = False
    swept: bool = False
    """The agent archived it by itself, and takes that back when it is used again."""


class Size(NamedTuple):
    """How much there is of a session."""

    messages: int
    bytes: int


def sound_id(type_: object, id_: str) -> bool:
    """Whether an id, with its storage class, is text that finds its row again."""
    return cells.words(type_) == "text" and "\ufffd" not in id_


def state(subject: Subject, leases: Mapping[str, float], now: float) -> State:
    """Whether somebody may be writing it."""
    return state_of(
        last_active=subject.last_active,
        ended=subject.ended,
        held_until=leases.get(subject.id, 0.0),
        now=now,
    )

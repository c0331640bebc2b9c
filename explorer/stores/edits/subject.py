"""A session as an edit sees it."""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from explorer.model import RUNNING_WITHIN, State
from explorer.stores.sqlite import cells
from explorer.stores.sqlite.images import Cell

RESET_CHILD = "reset"
"""The kind of a session with which a chat began anew."""
APART = ("branch", RESET_CHILD)
"""Children that are conversations of their own."""


SHORT = 60
"""Characters of the first words that stand for a title."""


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


def row_number(cell: object) -> int:
    """The number of a row, which may be less than zero."""
    assert isinstance(cell, int)
    return cell


def in_order(messages: Iterable[Mapping[str, Cell]], column: str) -> list[Mapping[str, Cell]]:
    """Messages by what orders them; one that is cut off before it says is the last."""

    def place(message: Mapping[str, Cell]) -> float:
        found = cells.number(message.get(column))
        return math.inf if found is None else found

    return sorted(messages, key=place)


def state(subject: Subject, leases: Mapping[str, float], now: float) -> State:
    """Whether somebody may be writing it."""
    if leases.get(subject.id, 0.0) > now:
        return State.RUNNING
    if subject.ended:
        return State.ENDED
    recent = subject.last_active is not None and now - subject.last_active < RUNNING_WITHIN
    return State.RUNNING if recent else State.OPEN


def called(title: str | None, words: str, id_: str) -> str:
    """What the list calls a session; its id where it has neither title nor words."""
    return title or (f"{words[:SHORT]}…" if len(words) > SHORT else words) or id_

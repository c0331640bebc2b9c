"""Looking for texts in messages: what a store is asked, and what it answers.

A store gives candidates: every message that may hold what is wanted, newest first, and of each
whether that is certain. What is not certain (text inside JSON, pictures beside text, thoughts in
their many places) is read and decided by who asked, on the text as a person would see it.
"""

from collections.abc import Sequence
from typing import NamedTuple

Group = tuple[str, ...]
"""Texts of which one must be there."""


class Needles(NamedTuple):
    """What a message must hold: one text of every group, without regard to case."""

    groups: tuple[Group, ...] = ()
    rewound: bool = False
    """Messages that were taken back count too."""
    sure: tuple[Group, ...] = ()
    """What in plain content makes it certain: one text of every group."""


class Candidate(NamedTuple):
    """A message that may hold what is wanted."""

    message_id: int
    session_key: int | None
    """None for a message whose session row is gone."""
    session_id: str
    certain: bool
    at: float
    """The greater the newer, among all messages of the store."""


class Indexed(NamedTuple):
    """What a search table knows."""

    table: str = ""
    """Its name; empty where none could tell."""
    found: Sequence[Candidate] = ()
    """The newest candidates."""
    trouble: str = ""
    """Why none could tell although one should: it is missing, stale or broken."""


class Stretch(NamedTuple):
    """What was found in some of the messages, newest first."""

    found: Sequence[Candidate]
    below: int | None
    """Where to go on; None at the end."""
    done: float
    """How much of the file has been looked at, from 0 to 1."""

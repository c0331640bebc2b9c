"""What a message says, piece by piece: what somebody said, and what is folded beside it.

Drawing, finding, copying and exporting all take the pieces from here, so that a match is counted
where it is seen.
"""

from typing import NamedTuple

from explorer.model import Message
from explorer.render.turns import SUMMARY, turn


class Passage(NamedTuple):
    """A piece of what a message says."""

    key: str
    """The name of its block."""
    text: str
    label: str = ""
    """What it is where nobody said it, and it is folded: a summary, a skill, a notice."""


def passages(message: Message) -> tuple[Passage, ...]:
    """What a message says, piece by piece: as a rule all of it is one that somebody said."""
    text = message.text
    if message.notice:
        return (Passage("text", text, message.notice),)
    if not text.strip():
        return ()
    if message.role == "system":
        note = turn(text).is_summary and message.id >= 0
        return (Passage("text", text, SUMMARY if note else "system prompt"),)
    found = turn(text, message.summary)
    if not found.label:
        return (Passage("text", text),)
    if not found.said:
        return (Passage("text", text, found.label),)
    said, made = Passage("text", found.said), Passage("made", found.made, found.label)
    above = found.is_summary and text.startswith(found.made)
    return (made, said) if above else (said, made)

"""What the other store is asked for in a search: text that is stored, which is not all that is
shown. A word that may be part of a mark is in no message, so every message may hold it."""

import re

from explorer.stores.base import Needles

_WORDS = re.compile(r"[^\W_]+")
_MARKS = ("user_", "chat_")
_HEX = "[0-9a-f]"


def findable(needles: Needles) -> Needles:
    """The groups that a mark cannot satisfy, with nothing certain: those can be left to the
    other store; for the rest it gives every message."""
    groups = tuple(group for group in needles.groups if not any(map(may_be_mark, group)))
    return needles._replace(groups=groups, sure=())


def may_be_mark(text: str) -> bool:
    """Whether some of a text may be in a mark, or be a whole one: marks stand between signs that
    are no letters."""
    runs = [found[0].lower() for found in _WORDS.finditer(text)]
    last = len(runs) - 1
    return (
        not runs
        or "_" in text
        or any(_is_part(run, at > 0, at < last) for at, run in enumerate(runs))
    )


def _is_part(run: str, first: bool, last: bool) -> bool:
    """Whether a word can be in a mark: with `first` only at its beginning, with `last` only at its
    end, where more of the text comes before or after it."""
    return any(re.fullmatch(_where(front, first, last), run) for front in _MARKS)


def _where(front: str, first: bool, last: bool) -> str:
    """What parts of a mark look like."""
    if first and last:
        return f"{front}{_HEX}{{12}}"
    ends = "|".join(front[at:] for at in range(len(front) + 1))
    begins = "|".join(front[:at] for at in range(1, len(front)))
    if first:
        return f"{begins}|{front}{_HEX}{{0,12}}"
    if last:
        return f"(?:{ends}){_HEX}{{1,12}}"
    inside = "|".join(front[at:to] for at in range(len(front)) for to in range(at + 1, 6))
    return f"{inside}|(?:{ends}){_HEX}{{0,12}}"

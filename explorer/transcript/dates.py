"""The message of a moment: where a transcript goes for a date.

The times of messages are what agents stored: some are missing, and clocks step back or forward. So
the earliest message from the moment on is taken by its time, wherever it stands.
"""

from collections.abc import Sequence
from typing import NamedTuple

from explorer.model import Outline


class Landing(NamedTuple):
    """Where a moment leads."""

    item: int
    time: float
    """Of that message."""
    is_before: bool = False
    """All messages are before the moment: this is the newest."""
    is_first: bool = False
    """All messages are after it: this is the oldest."""


def landing(outlines: Sequence[Outline], moment: float) -> Landing | None:
    """The first message at or after a moment, else the newest one; None where no message has a
    time."""
    timed = [(one.timestamp, at) for at, one in enumerate(outlines) if one.timestamp is not None]
    if not timed:
        return None
    later = [one for one in timed if one[0] >= moment]
    if not later:
        time, at = max(timed)
        return Landing(at, time, is_before=True)
    time, at = min(later)
    return Landing(at, time, is_first=len(later) == len(timed) and time > moment)

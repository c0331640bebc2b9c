"""What stands between messages: another part of the conversation, another day, a long pause."""

from collections.abc import Iterable, Sequence
from datetime import timedelta, tzinfo
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.model import Message, MessageState, Outline
from explorer.render.figures import duration, full_day, local_time, plural
from explorer.stores.base import Store
from explorer.stores.resolve import same

PAUSE = 3600.0
"""Seconds of silence that are worth a line."""
LOOK_BACK = 60
"""Messages on either side of a seam that are compared."""
SUMMARY = 2
"""Messages that may stand before the repeated ones: the summary, and what the agent said to it."""


class Seam(NamedTuple):
    """A line between two messages."""

    words: str
    style: str


def pauses(outlines: Iterable[Outline], tz: tzinfo | None = None) -> dict[int, Seam]:
    """The day above the first message of each day, and how long it was silent within one."""
    found: dict[int, Seam] = {}
    day_ends = before = float("-inf")
    for outline in outlines:
        time = outline.timestamp
        if time is None or time < before:
            # A clock that steps back is no other day.
            continue
        if time >= day_ends:
            then = local_time(time, tz)
            if then is None:
                continue
            midnight = then.replace(hour=0, minute=0, second=0, microsecond=0)
            day_ends = (midnight + timedelta(days=1)).timestamp()
            found[outline.id] = Seam(full_day(time, tz), "dim")
        elif time - before >= PAUSE and outline.role == "user":
            found[outline.id] = Seam(f"{duration(time - before)} later", "dim")
        before = time
    return found


def part_seams(number: int, parts: int, before: int, left_out: int) -> list[Seam]:
    """Where a conversation was compressed and goes on in another part."""
    words = f"part {number} of {parts} · compressed here, {_messages(before)} summarised"
    repeats = Seam(f"{_messages(left_out)} of the part before repeated, shown once", "seam")
    return [Seam(words, "seam"), *([repeats] if left_out else [])]


def compaction_seams(outlines: Sequence[Outline]) -> dict[int, Seam]:
    """Where messages were compressed in place: above the first one after them."""
    found: dict[int, Seam] = {}
    compacted = 0
    for outline in outlines:
        if outline.state is MessageState.COMPACTED:
            compacted += 1
        elif compacted:
            words = f"compressed here, {_messages(compacted)} summarised"
            found[outline.id] = Seam(words, "seam")
            compacted = 0
    return found


def repeated(
    store: Store, before: Sequence[Outline], after: Sequence[Outline], token: CancelToken
) -> frozenset[int]:
    """The messages at the beginning of a part that the part before it ends with: agents copy the
    last ones over. In their order, up to the first that is new; a summary before them is none."""
    old, new = before[-LOOK_BACK:], after[:LOOK_BACK]
    shapes = set(map(_shape, old))
    if not any(_shape(outline) in shapes for outline in new[: SUMMARY + 1]):
        return frozenset()
    earlier = _bodies(store, old, token)
    found: list[int] = []
    place = 0
    for at, message in enumerate(_bodies(store, new, token)):
        matches = (i for i in range(place, len(earlier)) if same(earlier[i], message))
        match = next(matches, None)
        if match is not None:
            found.append(message.id)
            place = match + 1
        elif found or at >= SUMMARY:
            break
    return frozenset(found)


def _shape(outline: Outline) -> tuple[str, int, bool]:
    """What two copies of a message have in common before their text is read."""
    return outline.role, outline.size, outline.calls


def _bodies(store: Store, outlines: Sequence[Outline], token: CancelToken) -> list[Message]:
    key = outlines[0].session_key
    return store.messages(key, [outline.id for outline in outlines], token)


def _messages(number: int) -> str:
    return plural(number, "message")

"""The search of a library: candidates of all its stores, by time.

A store numbers its messages as it likes, so that only their times tell which of two stores has the
newer one.
"""

import math
from collections.abc import Callable, Mapping

from explorer.cancel import CancelToken
from explorer.stores.base import Candidate, Indexed, Needles, Stretch
from explorer.stores.library.members import Member, Members


def indexed(
    members: Members, needles: Needles, limit: int, below: object, token: CancelToken | None
) -> Indexed:
    """The newest of what the tables of all stores know, by the time of the message. What is cut
    off here comes with the scan."""
    places = _places(below)
    found = members.ask(
        lambda one: one.store.indexed(needles, limit, places.get(one.number), token),
        _asked(members, below),
    )
    every = [hit for member, one in found for hit in member.candidates(one.found)]
    every.sort(key=lambda hit: (-hit.at, -hit.message_id))
    left = tuple((one.number, told.below) for one, told in found if told.below is not None)
    return Indexed(
        table=next((one.table for _, one in found if one.table), ""),
        found=every[:limit],
        trouble=next((one.trouble for _, one in found if one.trouble), ""),
        below=left or None,
    )


def ranked(
    members: Members, needles: Needles, most: int, token: CancelToken | None
) -> Mapping[int, float]:
    found = members.ask(lambda member: member.store.ranked(needles, most, token))
    return {member.outer(id_): score for member, scores in found for id_, score in scores.items()}


def message_key(members: Members, found: Candidate) -> int:
    return members.ring.outer(found.store)(found.message_id)


def scanned(
    members: Members, needles: Needles, below: object, token: CancelToken | None
) -> Stretch:
    """A stretch of every store that is not at its end."""
    places, asked = _places(below), _asked(members, below)
    found = members.ask(
        lambda one: one.store.scanned(needles, places.get(one.number), token), asked
    )
    left = tuple((one.number, told.below) for one, told in found if told.below is not None)
    ended = len(members.all) - len(asked)
    return Stretch(
        found=[hit for member, told in found for hit in member.candidates(told.found)],
        below=left or None,
        done=(ended + sum(told.done for _, told in found)) / len(members.all),
    )


def newest_below(members: Members, token: CancelToken | None) -> Callable[[object], float]:
    found = members.ask(lambda member: member.store.newest_below(token))
    known = {member.number: newest for member, newest in found}

    def below(mark: object) -> float:
        times = (known[number](at) for number, at in _places(mark).items() if number in known)
        return max(times, default=-math.inf)

    return below


def _asked(members: Members, below: object) -> list[Member]:
    """The stores that are not at their end."""
    places = _places(below)
    return [one for one in members.readable if below is None or one.number in places]


def _places(below: object) -> dict[int, object]:
    """Where to continue in each store."""
    return dict(below) if isinstance(below, tuple) else {}

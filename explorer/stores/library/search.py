"""The search of a library: candidates of all its stores, by time.

A store numbers its messages as it likes, so that only their times tell which of two stores has the
newer one.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from explorer.cancel import CancelToken
from explorer.errors import StoreError
from explorer.stores.base import Candidate, Indexed, Needles, Stretch
from explorer.stores.library.member import Member
from explorer.stores.library.members import Members

MARGIN = 2
"""Candidates that each store is asked for beyond its share of a page. Each takes longer to find
than to ask the few stores again that may have more."""


def indexed(
    members: Members, needles: Needles, limit: int, below: object, token: CancelToken | None
) -> Indexed:
    """The newest of what the tables of all stores know, by the time of the message: the share of
    each, then more of those that may have more of the page. What is cut off here comes with the
    scan."""
    places, asked = _places(below), _asked(members, below)
    # One letter later, most of a page comes from the same stores as before.
    shares = members.shares or dict.fromkeys(range(len(members.all)), limit // max(len(asked), 1))

    def read(one: Member) -> Indexed:
        few = min(limit, shares.get(one.number, 0) + MARGIN)
        return one.store.indexed(needles, few, places.get(one.number), token)

    def read_on(one: Member) -> Indexed:
        more = one.store.indexed(needles, longer[one], told[one].below, token)
        return more._replace(found=[*told[one].found, *more.found])

    told = dict(members.ask(read, asked))
    longer = _longer(told, limit)
    if longer:
        # Those that cannot be read any more keep what they gave.
        with suppress(StoreError):
            told |= members.ask(read_on, longer)
    every = [hit for one, own in told.items() for hit in one.candidates(own.found)]
    every.sort(key=lambda hit: (-hit.at, -hit.message_id))
    members.shares = Counter(hit.store for hit in every[:limit]) if len(every) >= limit else {}
    left = tuple((one.number, own.below) for one, own in told.items() if own.below is not None)
    return Indexed(
        table=next((own.table for own in told.values() if own.table), ""),
        found=every[:limit],
        trouble=next((own.trouble for own in told.values() if own.trouble), ""),
        below=left or None,
    )


def _longer(told: Mapping[Member, Indexed], limit: int) -> dict[Member, int]:
    """How many more of the newest `limit` each store may have: as many as there is room for after
    the oldest that it gave."""
    times = sorted(-hit.at for own in told.values() for hit in own.found)
    room = {
        one: limit - bisect_right(times, max((-hit.at for hit in own.found), default=-math.inf))
        for one, own in told.items()
        if own.below is not None
    }
    return {one: more for one, more in room.items() if more > 0}


def ranked(
    members: Members, needles: Needles, most: int, token: CancelToken | None
) -> Mapping[int, float]:
    found = members.ask(lambda member: member.store.ranked(needles, most, token))
    return {member.outer(id_): score for member, scores in found for id_, score in scores.items()}


def message_key(members: Members, found: Candidate) -> int:
    return members.all[found.store].outer(found.message_id)


class ScanPlace(NamedTuple):
    """How far a store has been scanned."""

    number: int
    place: object = None
    """Where to continue, in the store's own terms; None before the first stretch."""
    done: float = 0.0


def scanned(
    members: Members, needles: Needles, below: object, token: CancelToken | None
) -> Stretch:
    """A stretch of the store that is furthest from its end: a stretch of each would keep the first
    hits waiting for all of them. At first, the one that was written to last."""
    every = _begun(members) if below is None else _scan_places(below)
    if not every:
        return Stretch((), None, 1.0)
    at = min(range(len(every)), key=lambda at: every[at].done)
    member, others = members.all[every[at].number], [*every[:at], *every[at + 1 :]]
    try:
        [(_, told)] = members.ask(
            lambda one: one.store.scanned(needles, every[at].place, token), [member]
        )
    except StoreError:
        if not others:
            raise
        told = Stretch((), None, 1.0)
    if told.below is not None:
        others.append(ScanPlace(member.number, told.below, told.done))
    ended = len(members.all) - len(others)
    return Stretch(
        found=member.candidates(told.found),
        below=tuple(others) or None,
        done=(ended + sum(one.done for one in others)) / len(members.all),
    )


def _begun(members: Members) -> list[ScanPlace]:
    return [
        ScanPlace(one.number)
        for one in sorted(members.readable, key=lambda one: one.written, reverse=True)
    ]


def _scan_places(below: object) -> list[ScanPlace]:
    return [one for one in below if isinstance(one, ScanPlace)] if isinstance(below, tuple) else []


def newest_below(members: Members, token: CancelToken | None) -> Callable[[object], float]:
    found = members.ask(lambda member: member.store.newest_below(token))
    known = {member.number: newest for member, newest in found}

    def below(mark: object) -> float:
        times = (
            math.inf if one.place is None else known[one.number](one.place)
            for one in _scan_places(mark)
            if one.number in known
        )
        return max(times, default=-math.inf)

    return below


def _asked(members: Members, below: object) -> list[Member]:
    """The stores that are not at their end."""
    places = _places(below)
    return [one for one in members.readable if below is None or one.number in places]


def _places(below: object) -> dict[int, object]:
    """Where to continue in each store."""
    return dict(below) if isinstance(below, tuple) else {}

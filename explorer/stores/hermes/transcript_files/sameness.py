"""Whether a file and the state file hold the same message, and where the others belong.

Messages are equal by role, text and calls; spaces do not count, since Hermes trims some copies. The
order decides which of several equal ones is meant: what occurs once on both sides is matched first,
then what lies between, from the end, because a state file that lacks something mostly has the later
half. No step compares every message with every other: 33,000 take a fraction of a second.
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import NamedTuple

from explorer.model import Message

DEEPEST = 4
"""How often what lies between matches is looked at for something that occurs once."""
MOST_READ = 1000
"""Messages of either side that are read to tell copies."""
MOST_COMPARED = 20_000
"""Pairs of a redacted message and one that it may be a copy of."""
NEAR = 8
"""Equal messages in another order among which one is looked for."""
SAME_TURN = 600.0
"""Seconds between two records of one message."""
_LOOKED_AT = 20_000
"""Characters of a text that are compared with a redacted one."""
_MASKS = re.compile(r"\*{3,}|\.\.\.|…|\[REDACTED[^\]]{0,40}\]")
"""What Hermes puts in the place of a secret."""
_ALIKE = 0.7
"""The part of the words that a copy has in common with what it is of."""


def mark_of(message: Message) -> int:
    """A number that is equal for messages that say the same."""
    calls = tuple((call.name, repr(call.arguments)) for call in message.tool_calls)
    text = " ".join(message.text.split())
    # Of results without text only the call tells one from another.
    return hash((message.role, text, calls, None if text or calls else message.tool_call_id))


class Told(NamedTuple):
    """A message of either side."""

    id: int
    mark: int
    role: str
    timestamp: float | None = None


Alike = Callable[[Told, Told], bool]
"""Whether the first may be a copy of the second."""
Compare = Callable[[Sequence[Told], Sequence[Told]], Alike]
"""Makes ready to compare what a file and the state file have left."""


def combined(
    held: Sequence[Told], told: Sequence[Told], copies: Compare | None = None
) -> tuple[Told, ...]:
    """`held`, with the messages of a file that are not among them, each at its place. Every one of
    `held` is there once, in its order. With `copies`, messages between two that match may be
    copies that are not quite equal."""
    pairs = matches([one.mark for one in told], [one.mark for one in held])
    if copies is not None:
        pairs |= _copied(held, told, pairs, copies)
    known = pairs.keys() | _elsewhere(held, told, pairs)
    known |= _written_again(told, known)
    ends = _next_matches(pairs, len(told), len(held))
    added: list[list[Told]] = [[] for _ in range(len(held) + 1)]
    place = 0
    for at, one in enumerate(told):
        place = max(place, pairs.get(at, -1) + 1)
        if at not in known:
            place = _place_of(one, held, place, ends[at])
            added[place].append(one)
    return tuple(_joined(held, added))


def _elsewhere(
    held: Sequence[Told], told: Sequence[Told], pairs: Mapping[int, int]
) -> frozenset[int]:
    """Messages of a file that are held too, in another order: the only one of its kind on both
    sides, or one from about the same time. Of two that only look alike, both are shown."""
    mine = Counter(one.mark for one in told)
    taken = set(pairs.values())
    spare: dict[int, list[Told]] = defaultdict(list)
    for at, one in enumerate(held):
        if at not in taken:
            spare[one.mark].append(one)
    found = set()
    for at in reversed(range(len(told))):
        left = spare[told[at].mark] if at not in pairs else []
        for number, one in enumerate(left[-NEAR:]):
            if (left == [one] and mine[one.mark] == 1) or _about_then(one, told[at]):
                del left[max(len(left) - NEAR, 0) + number]
                found.add(at)
                break
    return frozenset(found)


def _about_then(one: Told, other: Told) -> bool:
    if one.timestamp is None or other.timestamp is None:
        return False
    return abs(one.timestamp - other.timestamp) < SAME_TURN


def _written_again(told: Sequence[Told], known: AbstractSet[int]) -> frozenset[int]:
    """Messages in a row with an equal one that is held: early gateways wrote each several times."""
    found: list[int] = []
    for _, run in groupby(range(len(told)), key=lambda at: told[at].mark):
        places = list(run)
        if len(places) > 1 and not known.isdisjoint(places):
            found += places
    return frozenset(found)


def _joined(held: Sequence[Told], added: Sequence[Sequence[Told]]) -> Iterator[Told]:
    for before, one in zip(added, held, strict=False):
        yield from before
        yield one
    yield from added[-1]


def _next_matches(pairs: Mapping[int, int], size: int, end: int) -> list[int]:
    """For each message of a file, the place of the next one that is held."""
    found = [end] * size
    for at in reversed(range(size)):
        end = found[at] = pairs.get(at, end)
    return found


def _place_of(one: Told, held: Sequence[Told], place: int, end: int) -> int:
    """Behind what is certainly older, of what lies before the next match."""
    while place < end:
        time = held[place].timestamp
        if time is None or one.timestamp is None or time >= one.timestamp:
            break
        place += 1
    return place


def matches(told: Sequence[int], held: Sequence[int]) -> dict[int, int]:
    """Which of `held` each one of `told` is, in the order of both; those that are none are
    missing."""
    found: dict[int, int] = {}
    open_ = [(0, len(told), 0, len(held), 0)]
    while open_:
        first, last, low, high, depth = open_.pop()
        while first < last and low < high and told[last - 1] == held[high - 1]:
            last, high = last - 1, high - 1
            found[last] = high
        while first < last and low < high and told[first] == held[low]:
            found[first] = low
            first, low = first + 1, low + 1
        if first >= last or low >= high:
            continue
        anchors = _unique(told, held, (first, last), (low, high)) if depth < DEEPEST else []
        if not anchors:
            found |= _greedy(told, held, (first, last), (low, high))
            continue
        found |= anchors
        for (a, x), (b, y) in zip(
            [(first - 1, low - 1), *anchors], [*anchors, (last, high)], strict=True
        ):
            open_.append((a + 1, b, x + 1, y, depth + 1))
    return dict(sorted(found.items()))


Span = tuple[int, int]


def _unique(
    told: Sequence[int], held: Sequence[int], mine: Span, theirs: Span
) -> list[tuple[int, int]]:
    """What occurs once in both spans, as much of it as is in one order: the longest rising
    sequence."""
    mine_once = {mark for mark, times in Counter(told[slice(*mine)]).items() if times == 1}
    times = Counter(mark for mark in held[slice(*theirs)] if mark in mine_once)
    there = {held[at]: at for at in range(*theirs) if times[held[at]] == 1}
    pairs = [(at, there[told[at]]) for at in range(*mine) if told[at] in there]
    tops: list[int] = []
    ends: list[int] = []
    links: list[int] = []
    for number, (_, place) in enumerate(pairs):
        at = bisect_left(tops, place)
        links.append(ends[at - 1] if at else -1)
        tops[at : at + 1] = [place]
        ends[at : at + 1] = [number]
    chain = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = links[number]
    return chain[::-1]


def _greedy(told: Sequence[int], held: Sequence[int], mine: Span, theirs: Span) -> dict[int, int]:
    """What is left, from the end: each with the last one before that is equal."""
    places: dict[int, list[int]] = defaultdict(list)
    for at in range(*theirs):
        places[held[at]].append(at)
    found = {}
    limit = theirs[1]
    for at in reversed(range(*mine)):
        equal = places.get(told[at], [])
        before = bisect_left(equal, limit)
        if before:
            limit = found[at] = equal[before - 1]
    return found


def _copied(
    held: Sequence[Told], told: Sequence[Told], pairs: Mapping[int, int], copies: Compare
) -> dict[int, int]:
    """More matches: between two of them, messages that are alike, in order."""
    taken = set(pairs.values())
    mine = [one for at, one in enumerate(told) if at not in pairs][:MOST_READ]
    theirs = [one for at, one in enumerate(held) if at not in taken][:MOST_READ]
    if not mine or not theirs:
        return {}
    alike = copies(mine, theirs)
    found: dict[int, int] = {}
    left = MOST_COMPARED
    ends = _next_matches(pairs, len(told), len(held))
    place = 0
    for at, one in enumerate(told):
        place = max(place, pairs.get(at, -1) + 1)
        for candidate in range(place, ends[at]) if at not in pairs else ():
            if held[candidate].role == one.role:
                left -= 1
                if left >= 0 and alike(one, held[candidate]):
                    found[at] = candidate
                    place = candidate + 1
                    break
        if left < 0:
            break
    return found


def is_copy(copy: Message, of: Message) -> bool:
    """Whether a message may be another one without its secrets."""
    if copy.tool_call_id and copy.tool_call_id == of.tool_call_id:
        return True
    ids = [call.id for call in copy.tool_calls if call.id]
    if ids and ids == [call.id for call in of.tool_calls]:
        return True
    text, other = (" ".join(one.text[:_LOOKED_AT].split()) for one in (copy, of))
    if len(copy.tool_calls) != len(of.tool_calls):
        return False
    pieces = [piece.strip() for piece in _MASKS.split(text)]
    if len(pieces) > 1 and _in_order(pieces, other):
        return True
    words, others = Counter(text.split()), Counter(other.split())
    shared = (words & others).total()
    return shared > _ALIKE * max(words.total(), others.total(), 1)


def _in_order(pieces: Sequence[str], text: str) -> bool:
    at = 0
    for piece in pieces:
        at = text.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True

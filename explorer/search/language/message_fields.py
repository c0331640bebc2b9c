"""What the fields of a query ask of single messages, and where its words may stand in them.

These are role, tool and has; and days, where messages are looked for: then they are about each
message's own time. Values rather than a predicate alone, so that a store can do most of it in SQL.
"""

import math
import re
from collections.abc import Iterable
from datetime import tzinfo
from typing import NamedTuple

from explorer.model import Message
from explorer.search.language.dates import Period
from explorer.search.language.query import Field, Query
from explorer.search.language.vocabulary import FIELDS, PLACE_FIELD, TIME_FIELDS, period

_IMAGE = re.compile(r"^\[image(?: .*)?\]$", re.MULTILINE)
"""What stands in a text for a picture."""


class OneOf(NamedTuple):
    """Names, in small letters, of which one must fit, or none."""

    names: frozenset[str]
    negated: bool = False


class MessageTest(NamedTuple):
    """What must be so of a message, and where the words may stand in it."""

    roles: tuple[OneOf, ...] = ()
    tools: tuple[OneOf, ...] = ()
    """Parts of the names of tools that it calls, or whose answer it is."""
    has: tuple[OneOf, ...] = ()
    since: float = -math.inf
    until: float = math.inf
    """Not included; a message without a time is never in time."""
    outside: tuple[Period, ...] = ()
    """Times that are left out."""
    places: frozenset[str] = frozenset(FIELDS[PLACE_FIELD].offers)

    @property
    def idle(self) -> bool:
        """Whether every message passes."""
        return self._replace(places=MessageTest().places) == MessageTest()

    @property
    def asks_titles(self) -> bool:
        """Whether a title may be what is meant: nobody speaks it, and it calls no tool."""
        return "title" in self.places and not (self.roles or self.tools or self.has)

    def passes(self, message: Message) -> bool:
        return (
            self.in_time(message.timestamp)
            and all((message.role.casefold() in one.names) != one.negated for one in self.roles)
            and all(_fits(_tools(message), one) for one in self.tools)
            and all(_carried(message).isdisjoint(one.names) == one.negated for one in self.has)
        )

    def in_time(self, time: float | None) -> bool:
        if self.since == -math.inf and self.until == math.inf and not self.outside:
            return True
        if time is None or not self.since <= time < self.until:
            return False
        return not any(start <= time < end for start, end in self.outside)


def message_test(query: Query, now: float, tz: tzinfo | None = None) -> MessageTest:
    """What a query asks of messages."""
    fields = query.fields

    def named(name: str) -> tuple[OneOf, ...]:
        return tuple(
            OneOf(frozenset(value.casefold() for value in field.any_of), field.negated)
            for field in fields
            if field.name == name
        )

    test = MessageTest(named("role"), named("tool"), named("has"), places=_places(fields))
    for field in fields:
        if field.name in TIME_FIELDS and query.asks_messages:
            test = _timed(test, field, now, tz)
    return test


def _timed(test: MessageTest, field: Field, now: float, tz: tzinfo | None) -> MessageTest:
    start, end = period(field.name, field.value, now, tz)
    if field.negated and field.name == "on":
        return test._replace(outside=(*test.outside, Period(start, end)))
    if field.negated:
        # The other side: an end of each of these is open.
        start, end = (end, math.inf) if field.name == "before" else (-math.inf, start)
    return test._replace(since=max(test.since, start), until=min(test.until, end))


def _places(fields: Iterable[Field]) -> frozenset[str]:
    """Several fields add up: who types in:content in:tools means either."""
    chosen: set[str] = set()
    left_out: set[str] = set()
    for field in fields:
        if field.name == PLACE_FIELD:
            (left_out if field.negated else chosen).update(field.any_of)
    return frozenset((chosen or MessageTest().places) - left_out)


def _fits(names: Iterable[str], one: OneOf) -> bool:
    return any(asked in name for name in names for asked in one.names) != one.negated


def _tools(message: Message) -> list[str]:
    called = [call.name.casefold() for call in message.tool_calls]
    return [*called, message.tool_name.casefold()] if message.tool_name else called


def _carried(message: Message) -> set[str]:
    carried = set()
    if message.tool_calls or message.role == "tool":
        carried.add("tools")
    if message.reasoning or message.opaque_reasoning:
        carried.add("reasoning")
    if "[image" in message.text and _IMAGE.search(message.text):
        carried.add("image")
    return carried

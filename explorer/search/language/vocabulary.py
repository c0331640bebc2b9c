"""The fields of the search bar: their names, what each takes and what it is about; and how people
type days and spans (2026-03-01, 2026-03, today, yesterday, 7d, 12h) and amounts.

One table, so that reading a field, judging it, completing it and explaining it cannot disagree.
"""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Literal, NamedTuple

from explorer.search.words import NOT_A_DATE, NOT_A_NUMBER, unknown_value

MINUTE = 60.0
_SPANS = {"h": 3600, "d": 86400, "w": 7 * 86400, "m": 30 * 86400, "y": 365 * 86400}
_SPAN = r"(\d{1,5})\s?([hdwmy])"
_TIME = r"(?:(\S.*?)(?:\s+|t))?(\d{1,2}):(\d{2})"
_DATE = r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?"


class Period(NamedTuple):
    """From one moment up to, not including, another."""

    start: float
    end: float

    @property
    def is_moment(self) -> bool:
        """Shorter than any date."""
        return self.end - self.start <= MINUTE


def span(text: str, now: float, tz: tzinfo | None = None) -> Period | None:
    """A day, a month, a year, or from so long ago till now, as typed; None where it is not
    clear."""
    words = text.strip().lower()
    found = re.fullmatch(_SPAN, words)
    if found:
        return Period(now - int(found[1]) * _SPANS[found[2]], now)
    here = datetime.fromtimestamp(now, tz)
    # The first of two: in an hour that comes twice, `here` would be the second one.
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    days = {"today": 0, "yesterday": 1}.get(words)
    if days is not None:
        start = midnight - timedelta(days=days)
        return _whole_day(start)
    found = re.fullmatch(_DATE, words)
    return _dated(midnight, *found.groups()) if found else None


def date_typed(
    text: str, now: float, day: float | None = None, tz: tzinfo | None = None
) -> Period | None:
    """Where to go to, as typed: a day, a month or a year; or the minute so long ago, or of a time
    of day (14:30, yesterday 14:00, 2026-03-01 9:15), which by itself is on the day of `day`, or
    today. None where it is not clear."""
    words = text.strip().lower()
    found = re.fullmatch(_TIME, words)
    if found is None:
        period = span(words, now, tz)
        return _minute(period.start) if period and re.fullmatch(_SPAN, words) else period
    date, hour, minute = found.groups()
    on = span(date, now, tz) if date else Period(now if day is None else day, now)
    if on is None:
        return None
    try:
        then = datetime.fromtimestamp(on.start, tz)
        at = then.replace(hour=int(hour), minute=int(minute), second=0, microsecond=0, fold=0)
        return _minute(at.timestamp())
    except (ValueError, OverflowError, OSError):
        return None


def _minute(start: float) -> Period:
    return Period(start, start + MINUTE)


def _dated(like: datetime, year: str, month: str | None, day: str | None) -> Period | None:
    try:
        start = like.replace(year=int(year), month=int(month or 1), day=int(day or 1))
        if day:
            return _whole_day(start)
        after = start.replace(day=1) + timedelta(days=32 if month else 366)
        end = after.replace(day=1) if month else start.replace(year=start.year + 1)
        return Period(start.timestamp(), end.timestamp())
    except (ValueError, OverflowError, OSError):
        return None


def _whole_day(start: datetime) -> Period:
    """To the next midnight, also where the clocks are put forward in between."""
    return Period(start.timestamp(), (start + timedelta(days=1)).timestamp())


class FieldKind(NamedTuple):
    """What there is to know of a field."""

    takes: Literal["text", "choice", "day", "amount"]
    words: str
    example: str
    offers: Mapping[str, str] = {}
    """Values and what they mean: all there are for a choice, else some worth offering."""


_BEFORE = {
    "today": "before today",
    "yesterday": "before yesterday",
    "7d": "more than 7 days ago",
    "30d": "more than 30 days ago",
    "1y": "more than a year ago",
}
_LATELY = {"7d": "in the last 7 days", "30d": "in the last 30 days", "1y": "in the last year"}
_AFTER = {"today": "since midnight", "yesterday": "since yesterday"} | _LATELY
_ON = {"today": "all of today", "yesterday": "all of yesterday"} | _LATELY

FIELDS: Mapping[str, FieldKind] = {
    "source": FieldKind(
        "text", "where the session was started: cli, telegram, cron", "source:telegram,slack"
    ),
    "platform": FieldKind(
        "text", "messaging platform of the chat: telegram, slack", "platform:telegram"
    ),
    "chat": FieldKind("text", "chat of the gateway: a person, group or topic", "chat:ada"),
    "profile": FieldKind(
        "text", "profile of the state file, or the one the session belongs to", "profile:work"
    ),
    "model": FieldKind("text", "model name, or part of it", "model:opus"),
    "title": FieldKind("text", "words in the title", 'title:"trip to kyoto"'),
    "id": FieldKind("text", "session id, or part of it", "id:20261103_14"),
    "workspace": FieldKind("text", "working folder, or part of its path", "workspace:parcel-api"),
    "kind": FieldKind(
        "choice",
        "how the session started",
        "kind:branch",
        {
            "root": "on its own",
            "branch": "as a branch of another session",
            "subagent": "by a subagent",
            "continuation": "continued after compression",
        },
    ),
    "is": FieldKind(
        "choice",
        "state of the session",
        "is:archived",
        {
            "archived": "hidden from the list, still searched",
            "open": "never ended, and not running",
            "running": "in use by an agent now",
            "empty": "no messages",
            "hidden": "hidden by its agent",
            "unread": "with messages you have not read in your agent",
            "pinned": "pinned by you",
            "expiring": "about to be deleted or archived by Hermes",
        },
    ),
    "messages": FieldKind("amount", "number of messages", "messages:>20", {">20": "more than 20"}),
    "cost": FieldKind("amount", "cost in dollars", "cost:0.50..2", {">1": "more than $1"}),
    "tokens": FieldKind("amount", "number of tokens", "tokens:>10k", {">10k": "more than 10,000"}),
    "before": FieldKind(
        "day", "before a date, or longer ago (7d, 8w, 6m, 1y)", "before:2026-10-01", _BEFORE
    ),
    "after": FieldKind("day", "since a date, or in the last 7d, 8w, 6m, 1y", "after:7d", _AFTER),
    "on": FieldKind("day", "on a day, or in a month or year", "on:2026-10", _ON),
    "role": FieldKind(
        "text",
        "who wrote the message",
        "role:user docker",
        {
            "user": "you",
            "assistant": "the agent",
            "tool": "tool results",
            "system": "instructions to the agent",
        },
    ),
    "tool": FieldKind("text", "tool that was called, or part of its name", "tool:terminal"),
    "has": FieldKind(
        "choice",
        "what the message contains",
        "has:image",
        {
            "tools": "tool calls or results",
            "reasoning": "reasoning of the model",
            "image": "an image",
        },
    ),
    "in": FieldKind(
        "choice",
        "where to search",
        "in:reasoning cache",
        {
            "content": "message text",
            "tools": "tool calls",
            "reasoning": "reasoning of the model",
            "title": "titles",
        },
    ),
}

MESSAGE_FIELDS = frozenset({"role", "tool", "has"})
"""About single messages, so that messages are looked for even without words."""
TIME_FIELDS = frozenset({"before", "after", "on"})
"""About messages where those are looked for, else about the last activity of sessions."""
PLACE_FIELD = "in"
"""About the words themselves."""
PROFILE_FIELD = "profile"
"""Worth offering only where there are several."""
SESSION_FIELDS = frozenset(FIELDS) - MESSAGE_FIELDS - TIME_FIELDS - {PLACE_FIELD}


def takes_several(name: str) -> bool:
    """Whether the field takes values between commas, of which one must fit."""
    return FIELDS[name].takes in ("text", "choice")


def trouble(name: str, values: Sequence[str], now: float, tz: tzinfo | None) -> str:
    """Why the field cannot take these values, in words; empty where it can."""
    about = FIELDS[name]
    if about.takes == "choice" and any(value.lower() not in about.offers for value in values):
        return unknown_value(about.offers)
    if about.takes == "day" and span(values[0], now, tz) is None:
        return NOT_A_DATE
    if about.takes == "amount" and amount(values[0]) is None:
        return NOT_A_NUMBER
    return ""


def period(name: str, value: str, now: float, tz: tzinfo | None) -> Period:
    """From when to when: before a day, since a day, or on it."""
    found = span(value, now, tz)
    assert found, "a field without a date is text"
    if name == "before":
        return Period(-math.inf, found.start)
    return Period(found.start, math.inf) if name == "after" else found


class Amount(NamedTuple):
    """A comparison with a number, or a range."""

    sign: str
    """One of > >= < <= = and .. for a range."""
    first: str
    """The number as it was typed."""
    last: str = ""

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest that fit."""
        number = _number(self.first)
        if self.sign == "..":
            return number, _number(self.last)
        least = {">": math.nextafter(number, math.inf), ">=": number, "=": number}
        most = {"<": math.nextafter(number, -math.inf), "<=": number, "=": number}
        return least.get(self.sign, -math.inf), most.get(self.sign, math.inf)


_NUMBER = r"\$?((?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?[km]?)"
_COMPARED = re.compile(rf"(>=|<=|>|<|=)?{_NUMBER}")
_RANGE = re.compile(rf"{_NUMBER}\.\.{_NUMBER}")
_SCALE = {"k": 1e3, "m": 1e6}


def amount(text: str) -> Amount | None:
    """The comparison in >20, >=20, <20, <=20, =20, 20 or 10..20; 10k and 1.5m are numbers
    too. None where it is none of these."""
    words = text.strip().lower()
    found = _RANGE.fullmatch(words)
    if found:
        first, last = sorted(found.groups(), key=_number)
        return Amount("..", first, last)
    found = _COMPARED.fullmatch(words)
    return Amount(found[1] or "=", found[2]) if found else None


def _number(words: str) -> float:
    scale = _SCALE.get(words[-1], 1.0)
    return float(words.rstrip("km").replace(",", "")) * scale

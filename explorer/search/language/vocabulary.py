"""The fields of the search bar: their names, what each takes, and in words what it is about; and
how people type days and spans (2026-03-01, 2026-03, today, yesterday, 7d, 12h) and amounts.

One table, so that reading a field, judging it, completing it and explaining it cannot disagree.
"""

import math
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Literal, NamedTuple

_SPANS = {"h": 3600, "d": 86400, "w": 7 * 86400, "m": 30 * 86400, "y": 365 * 86400}
_SPAN = r"(\d{1,5})\s?([hdwmy])"
_DATE = r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?"


class Period(NamedTuple):
    """From one moment up to, not including, another."""

    start: float
    end: float


def span(text: str, now: float, tz: tzinfo | None = None) -> Period | None:
    """What somebody means: a day, a month, a year, or from so long ago till now; None where it
    is not clear."""
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
    offers: Mapping[str, str] = {}
    """Values and what they mean: all there are for a choice, else some worth offering."""


_DAYS = {
    "today": "since midnight",
    "yesterday": "the day before",
    "7d": "7 days",
    "30d": "30 days",
    "1y": "a year",
}

FIELDS: Mapping[str, FieldKind] = {
    "source": FieldKind("text", "where it was started: cli, telegram, cron"),
    "model": FieldKind("text", "the model, or a part of its name"),
    "title": FieldKind("text", "words of the title"),
    "id": FieldKind("text", "the id of the session, or a part of it"),
    "workspace": FieldKind("text", "the folder it worked in, or a part of it"),
    "kind": FieldKind(
        "choice",
        "how the session came to be",
        {
            "root": "begun by itself",
            "branch": "branched off another",
            "subagent": "left by a subagent",
            "continuation": "continued after a compression",
        },
    ),
    "is": FieldKind(
        "choice",
        "how the session is now",
        {
            "archived": "hidden from the list, but kept",
            "open": "not ended, and nobody is writing it",
            "running": "somebody is writing it",
            "empty": "without messages",
            "hidden": "kept out of lists by its agent",
            "unread": "with something you have not read in your agent",
            "pinned": "pinned by you",
            "expiring": "about to be deleted or archived by Hermes",
        },
    ),
    "messages": FieldKind("amount", "how many messages", {">20": "more than 20"}),
    "cost": FieldKind("amount", "what it cost, in dollars", {">1": "more than $1"}),
    "tokens": FieldKind("amount", "how many tokens", {">10k": "more than 10,000"}),
    "before": FieldKind("day", "earlier than a day, or than so long ago", _DAYS),
    "after": FieldKind("day", "since a day, or in the last so many days", _DAYS),
    "on": FieldKind("day", "on one day, in one month or year", _DAYS),
    "role": FieldKind(
        "text",
        "who speaks",
        {
            "user": "you",
            "assistant": "the agent",
            "tool": "what tools answered",
            "system": "what the agent was told",
        },
    ),
    "tool": FieldKind("text", "the tool that is called or answers"),
    "has": FieldKind(
        "choice",
        "what the message carries",
        {
            "tools": "calls of tools, or their answers",
            "reasoning": "what the model thought",
            "image": "a picture",
        },
    ),
    "in": FieldKind(
        "choice",
        "where the words stand",
        {
            "content": "in what was said",
            "tools": "in calls of tools",
            "reasoning": "in what the model thought",
            "title": "in the title",
        },
    ),
}

MESSAGE_FIELDS = frozenset({"role", "tool", "has"})
"""About single messages, so that messages are looked for even without words."""
TIME_FIELDS = frozenset({"before", "after", "on"})
"""About messages where those are looked for, else about the last activity of sessions."""
PLACE_FIELD = "in"
"""About the words themselves."""
SESSION_FIELDS = frozenset(FIELDS) - MESSAGE_FIELDS - TIME_FIELDS - {PLACE_FIELD}


def takes_several(name: str) -> bool:
    """Whether the field takes values between commas, of which one must fit."""
    return FIELDS[name].takes in ("text", "choice")


def trouble(name: str, values: Sequence[str], now: float, tz: tzinfo | None) -> str:
    """Why the field cannot take these values, in words; empty where it can."""
    about = FIELDS[name]
    if about.takes == "choice" and any(value.lower() not in about.offers for value in values):
        *others, last = about.offers
        return f"is none of {', '.join(others)} and {last}"
    if about.takes == "day" and span(values[0], now, tz) is None:
        return "is no day"
    if about.takes == "amount" and amount(values[0]) is None:
        return "is no number"
    return ""


def period(name: str, value: str, now: float, tz: tzinfo | None) -> Period:
    """From when to when: before a day, since a day, or on it."""
    found = span(value, now, tz)
    assert found, "only what is a day is a field"
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
    """What somebody means by >20, >=20, <20, <=20, =20, 20 or 10..20; 10k and 1.5m are numbers
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

"""Days and spans as people type them: 2026-03-01, 2026-03, today, yesterday, 7d, 12h."""

import re
from datetime import datetime, timedelta, tzinfo
from typing import NamedTuple

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
        return Period(start.timestamp(), _later(start, days=1))
    found = re.fullmatch(_DATE, words)
    return _dated(midnight, *found.groups()) if found else None


def _dated(like: datetime, year: str, month: str | None, day: str | None) -> Period | None:
    try:
        start = like.replace(year=int(year), month=int(month or 1), day=int(day or 1))
        if day:
            return Period(start.timestamp(), _later(start, days=1))
        after = start.replace(day=1) + timedelta(days=32 if month else 366)
        end = after.replace(day=1) if month else start.replace(year=start.year + 1)
        return Period(start.timestamp(), end.timestamp())
    except (ValueError, OverflowError, OSError):
        return None


def _later(start: datetime, days: int) -> float:
    """Midnight some days on, also where the clocks are put forward in between."""
    return (start + timedelta(days=days)).timestamp()

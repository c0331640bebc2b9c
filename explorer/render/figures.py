"""Sizes, counts, costs, times and durations as people write them.

No number is rounded into a unit it has outgrown: 999,999 bytes are "1.0 MB", not "1000.0 kB".
Stored times are not to be trusted: they come as None, NaN, infinity, milliseconds or text. All go
through `local_time`; what is no time shows as "?". The names are English whatever the locale, and
now and the time zone come from the caller (None is the local zone).
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo


def size(count_of_bytes: int) -> str:
    """Bytes in decimal units, as disks are sold: 512 B, 2.1 MB."""
    if abs(count_of_bytes) < 1000:
        return f"{count_of_bytes} B"
    value = float(count_of_bytes)
    for unit in ("kB", "MB", "GB", "TB", "PB"):
        value /= 1000
        if round(abs(value), 1) < 1000:
            return f"{value:.1f} {unit}"
    return f"{value:,.0f} PB"


def count(n: int) -> str:
    """The exact number with thousands separators: 1,284."""
    return f"{n:,}"


def rounded(n: int) -> str:
    """A large number in three digits at most: 950, 1.2k, 340k, 1.2M."""
    value = float(n)
    for unit in ("", "k", "M", "G"):
        if round(abs(value)) < 1000 or unit == "G":
            break
        value /= 1000
    return f"{value:.1f}{unit}" if unit and abs(value) < 9.95 else f"{value:,.0f}{unit}"


def cents(usd: float) -> str:
    """US dollars in whole cents, which stand below each other: $0.42, $1,204.00, <$0.01."""
    return "<$0.01" if 0 < usd < 0.005 else f"${usd:,.2f}"


def exact_cost(usd: float) -> str:
    """US dollars to a hundredth of a cent, but not less than to a cent: $0.0039, $1.50."""
    if 0 < usd < 0.0001:
        return "<$0.0001"
    whole, _, part = f"{usd:,.4f}".partition(".")
    return f"${whole}.{part.rstrip('0'):0<2}"


def tokens(read: int | None, written: int | None) -> int | None:
    """Both counts of tokens together, or the one that is known."""
    known = [one for one in (read, written) if one is not None]
    return sum(known) if known else None


def plural(n: int, noun: str, many: str | None = None) -> str:
    """The number with its noun: 1 session, 3,000 sessions; `many` where an s is not enough."""
    return f"{count(n)} {noun if n == 1 else many or noun + 's'}"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them: “one, two and three”; nothing of none."""
    *others, last = names or [""]
    return f"{', '.join(others)} and {last}" if others else last


UNKNOWN = "?"
SKEW = 300.0
"""Seconds into the future that are put down to another clock, not to the future."""

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MINUTE = 60
_HOUR = 3600
_DAY = 86_400
_UNITS = ((_DAY, "d", _HOUR, "h"), (_HOUR, "h", _MINUTE, "m"), (_MINUTE, "m", 1, "s"))
"""(seconds, name) of a unit and of the next smaller one."""
_FOREVER = 1e11
"""Three thousand years: whatever lasted longer was never measured."""
_SAME_YEAR_DAYS = 300
"""A day and month alone are clear up to here, even across New Year."""


def local_time(ts: float | None, tz: tzinfo | None = None) -> datetime | None:
    """The moment in the zone, or None where the stored value is no time since 1970."""
    try:
        if ts is None or ts < 0:
            return None
        return datetime.fromtimestamp(ts, tz)
    except (ValueError, OverflowError, OSError, TypeError):
        return None


def ago(ts: float | None, now: float, tz: tzinfo | None = None) -> str:
    """How long ago, in at most ten characters: now, 2m, 3h, yesterday, Tue, 12 Mar, 2024-11-02.

    A weekday is one of the last six days, so that it never means today's name a week before.
    """
    then, today = local_time(ts, tz), local_time(now, tz)
    if ts is None or then is None or today is None:
        return UNKNOWN
    passed = now - ts
    days = (today.date() - then.date()).days
    if passed < -SKEW:
        return f"{then:%Y-%m-%d}"
    if passed < _MINUTE:
        return "now"
    if passed < _HOUR:
        return f"{int(passed // _MINUTE)}m"
    if days == 0 or passed < 12 * _HOUR:
        return f"{int(passed // _HOUR)}h"
    if days == 1:
        return "yesterday"
    if days <= 6:
        return _WEEKDAYS[then.weekday()][:3]
    if then.year == today.year or days <= _SAME_YEAR_DAYS:
        return f"{then.day} {_MONTHS[then.month - 1][:3]}"
    return f"{then:%Y-%m-%d}"


def ago_in_short(ts: float | None, now: float, tz: tzinfo | None = None) -> str:
    """As `ago` in at most eight characters: yesterday is a weekday, and another year has no day."""
    said = ago(ts, now, tz)
    then = local_time(ts, tz)
    if then is None or len(said) < 9:
        return said
    if said == "yesterday":
        return _WEEKDAYS[then.weekday()][:3]
    return f"{_MONTHS[then.month - 1][:3]} {then.year}"


def date_and_time(ts: float | None, now: float, tz: tzinfo | None = None) -> str:
    """When, to the minute: 14:02 today, else 12 Mar 14:02, and of other years the day alone."""
    then, today = local_time(ts, tz), local_time(now, tz)
    if then is None or today is None:
        return UNKNOWN
    if then.date() == today.date():
        return f"{then:%H:%M}"
    if then.year != today.year:
        return f"{then:%Y-%m-%d}"
    return f"{then.day} {_MONTHS[then.month - 1][:3]} {then:%H:%M}"


def when(ts: float | None, now: float, tz: tzinfo | None = None) -> str:
    """As `ago`, for a sentence: just now, 2 min ago, 3 h ago, yesterday, Tue, 12 Mar."""
    short = ago(ts, now, tz)
    if short == "now":
        return "just now"
    if not short[:-1].isdigit() or short[-1] not in "mh":
        return short
    return f"{short[:-1]} {'min' if short[-1] == 'm' else 'h'} ago"


def exact(ts: float | None, tz: tzinfo | None = None) -> str:
    """Date and time to the second: 2026-03-12 14:02:33."""
    then = local_time(ts, tz)
    return UNKNOWN if then is None else f"{then:%Y-%m-%d %H:%M:%S}"


def clock(ts: float | None, tz: tzinfo | None = None) -> str:
    """The time of day: 14:02."""
    then = local_time(ts, tz)
    return UNKNOWN if then is None else f"{then:%H:%M}"


def full_day(ts: float | None, tz: tzinfo | None = None) -> str:
    """The day in full: Tuesday 12 March 2026."""
    then = local_time(ts, tz)
    if then is None:
        return UNKNOWN
    return f"{_WEEKDAYS[then.weekday()]} {then.day} {_MONTHS[then.month - 1]} {then.year}"


def short_day(ts: float | None, tz: tzinfo | None = None) -> str:
    """The day with its year: 3 Dec 2026."""
    then = local_time(ts, tz)
    return UNKNOWN if then is None else f"{then.day} {_MONTHS[then.month - 1][:3]} {then.year}"


def day_heading(ts: float | None, now: float, tz: tzinfo | None = None) -> str:
    """The group in a list from new to old: Today, Yesterday, This week, Last week, then months.

    A week begins on Monday; a month of another year is named with it. Days to come have a group
    of their own, since their month would come twice in the list.
    """
    then, today = local_time(ts, tz), local_time(now, tz)
    if then is None or today is None:
        return UNKNOWN
    day, this_day = then.date(), today.date()
    if day > this_day:
        return "In the future"
    if day == this_day:
        return "Today"
    if day == this_day - timedelta(days=1):
        return "Yesterday"
    monday = this_day - timedelta(days=this_day.weekday())
    if day >= monday:
        return "This week"
    if day >= monday - timedelta(days=7):
        return "Last week"
    month = _MONTHS[day.month - 1]
    return month if day.year == this_day.year else f"{month} {day.year}"


def iso_utc(ts: float | None) -> str | None:
    """ISO 8601 in UTC, with milliseconds only where there are some; None where unknown."""
    then = local_time(ts, UTC)
    if then is None:
        return None
    precision = "milliseconds" if then.microsecond >= 1000 else "seconds"
    return then.replace(tzinfo=None).isoformat(timespec=precision) + "Z"


def duration(seconds: float | None) -> str:
    """A length of time in its two largest units: 48 ms, 2.1 s, 3 m 12 s, 2 h 5 m, 3 d 4 h."""
    if seconds is None or not 0 <= seconds < _FOREVER:
        return UNKNOWN
    thousandths, tenths, whole = round(seconds * 1000), round(seconds * 10), round(seconds)
    if thousandths < 1000:
        return f"{thousandths} ms"
    if tenths < 600:
        return f"{tenths / 10:.1f} s"
    large, name, small, small_name = next(unit for unit in _UNITS if whole >= unit[0])
    many, rest = divmod(whole, large)
    few = rest // small
    return f"{many} {name} {few} {small_name}" if few else f"{many} {name}"

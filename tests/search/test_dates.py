"""Days and spans as people type them."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.search.language.vocabulary import Period, span

BERLIN = ZoneInfo("Europe/Berlin")
HAVANA = ZoneInfo("America/Havana")
SANTIAGO = ZoneInfo("America/Santiago")
ZONES = (UTC, BERLIN, HAVANA, SANTIAGO, ZoneInfo("Asia/Kolkata"), ZoneInfo("Pacific/Apia"))
"""Half hours, midnights that come twice or never, a day that was left out."""

NOW = datetime(2026, 9, 21, 15, 6, tzinfo=UTC).timestamp()
HOUR = 3600.0
DAY = 24 * HOUR


def _at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, tz: tzinfo = UTC) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=tz).timestamp()


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("2026-03-01", (2026, 3, 1), (2026, 3, 2)),
        ("2026-3-1", (2026, 3, 1), (2026, 3, 2)),
        ("2024-02-29", (2024, 2, 29), (2024, 3, 1)),
        ("2026-12-31", (2026, 12, 31), (2027, 1, 1)),
        ("2026-02", (2026, 2, 1), (2026, 3, 1)),
        ("2026-12", (2026, 12, 1), (2027, 1, 1)),
        ("2026", (2026, 1, 1), (2027, 1, 1)),
        ("2024", (2024, 1, 1), (2025, 1, 1)),
        ("today", (2026, 9, 21), (2026, 9, 22)),
        ("yesterday", (2026, 9, 20), (2026, 9, 21)),
    ],
)
def test_a_day_a_month_or_a_year_reaches_from_its_first_midnight_to_the_next(
    words: str, start: tuple[int, int, int], end: tuple[int, int, int]
) -> None:
    assert span(words, NOW, UTC) == Period(_at(*start), _at(*end))


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("12h", 12 * HOUR),
        ("7d", 7 * DAY),
        ("2w", 14 * DAY),
        ("3m", 90 * DAY),
        ("1y", 365 * DAY),
        ("0d", 0.0),
        ("7 d", 7 * DAY),
    ],
)
def test_a_span_is_so_long_ago_till_now(words: str, seconds: float) -> None:
    assert span(words, NOW, UTC) == Period(NOW - seconds, NOW)


@pytest.mark.parametrize("words", ["TODAY", "  today ", "Yesterday\n", " 7D", "2026-03-01 "])
def test_capitals_and_blanks_around_do_not_matter(words: str) -> None:
    assert span(words, NOW, UTC) == span(words.strip().lower(), NOW, UTC)
    assert span(words, NOW, UTC) is not None


@pytest.mark.parametrize(
    "words",
    [
        *("", " ", "soon", "7", "d", "30s", "-7d", "7 dd", "7dd", "1.5d", "123456d", "tomorrow"),
        *("2026-13", "2026-00", "2026-02-30", "2025-02-29", "2026-03-", "2026-", "26-03-01"),
        *("0000", "0000-01-01", "9999-12-31", "2026-03-01 12:00", "2026/03/01", "202603"),
    ],
)
def test_what_is_not_clear_is_no_span(words: str) -> None:
    assert span(words, NOW, UTC) is None


@pytest.mark.parametrize(
    ("day", "hours"),
    [((2026, 3, 29), 23), ((2026, 10, 25), 25), ((2026, 6, 1), 24)],
)
def test_a_day_on_which_the_clocks_change_has_the_hours_it_had(
    day: tuple[int, int, int], hours: int
) -> None:
    year, month, number = day
    midnight = _at(*day, tz=BERLIN)
    assert span(f"{year}-{month}-{number}", NOW, BERLIN) == Period(
        midnight, midnight + hours * HOUR
    )
    evening = _at(*day, 22, tz=BERLIN)
    assert span("today", evening, BERLIN) == Period(midnight, midnight + hours * HOUR)
    assert span("yesterday", evening + DAY, BERLIN) == Period(midnight, midnight + hours * HOUR)


def test_the_day_belongs_to_the_zone() -> None:
    late = _at(2026, 9, 21, 23, 30)
    assert span("today", late, BERLIN) == Period(
        _at(2026, 9, 22, tz=BERLIN), _at(2026, 9, 23, tz=BERLIN)
    )


times = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)).map(
    lambda time: time.replace(tzinfo=UTC).timestamp()
)
half_past_the_second_midnight = datetime(2026, 11, 1, 0, 30, tzinfo=HAVANA, fold=1).timestamp()


@given(times, st.sampled_from(ZONES))
@example(half_past_the_second_midnight, HAVANA)
def test_now_is_today_and_yesterday_ends_where_today_begins(now: float, tz: tzinfo) -> None:
    today, yesterday = span("today", now, tz), span("yesterday", now, tz)
    assert today is not None
    assert yesterday is not None
    assert today.start <= now < today.end
    assert yesterday.end == today.start


@given(times, st.sampled_from(ZONES), st.dates(date(1971, 1, 1)))
@example(half_past_the_second_midnight, SANTIAGO, date(2026, 9, 6))
@example(half_past_the_second_midnight, HAVANA, date(2026, 3, 8))
def test_a_day_does_not_depend_on_when_it_is_asked_for(now: float, tz: tzinfo, day: date) -> None:
    assert span(day.isoformat(), now, tz) == span(day.isoformat(), NOW, tz)


@given(st.dates(date(1971, 1, 1), date(2100, 1, 1)), st.sampled_from(ZONES))
def test_the_days_of_a_month_fill_it(first: date, tz: tzinfo) -> None:
    month = span(f"{first:%Y-%m}", NOW, tz)
    assert month is not None
    day = first.replace(day=1)
    at = month.start
    while day.month == first.month:
        found = span(day.isoformat(), NOW, tz)
        assert found is not None
        assert found.start == at
        at, day = found.end, day + timedelta(days=1)
    assert at == month.end


typed = st.one_of(
    st.text(),
    st.from_regex(r"\s*\d{1,6}\s?[hdwmyHDWMY]?\s*", fullmatch=True),
    st.from_regex(r"\d{4}(-\d{1,2}){0,2}", fullmatch=True),
)


@given(typed, times, st.sampled_from((*ZONES, None)))
def test_whatever_is_typed_nothing_breaks_and_a_span_goes_forward(
    words: str, now: float, tz: tzinfo | None
) -> None:
    found = span(words, now, tz)
    assert found is None or found.start <= found.end

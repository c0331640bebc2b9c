"""Times as people say them, and stored values that are no times."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from math import inf, nan
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render.figures import (
    UNKNOWN,
    ago,
    ago_in_short,
    clock,
    date_and_time,
    day_heading,
    duration,
    exact,
    iso_utc,
    local_time,
    when,
)

NOW = datetime(2026, 3, 12, 14, 2, 33, tzinfo=UTC).timestamp()  # a Thursday
HOUR = 3600.0
DAY = 24 * HOUR
NO_TIMES = [None, nan, inf, -inf, 1e18, 1.7e12, 10**400, -1.0, -1e12, "2026", b"x"]
ANY_NUMBER = st.none() | st.floats() | st.integers()


def at(year: int, month: int, day: int, hour: int = 12, minute: int = 0) -> float:
    return datetime(year, month, day, hour, minute, tzinfo=UTC).timestamp()


@pytest.mark.parametrize("ts", NO_TIMES, ids=lambda ts: str(ts)[:12])
def test_what_is_no_time_shows_as_unknown(ts: float | None) -> None:
    assert local_time(ts, UTC) is None
    assert ago(ts, NOW, UTC) == UNKNOWN
    assert exact(ts, UTC) == UNKNOWN
    assert clock(ts, UTC) == UNKNOWN
    assert day_heading(ts, NOW, UTC) == UNKNOWN
    assert iso_utc(ts) is None


@given(ANY_NUMBER, ANY_NUMBER)
def test_no_number_breaks_a_column_of_ten_characters(ts: float | None, now: float | None) -> None:
    assert len(ago(ts, NOW, UTC)) <= 10
    assert len(ago(NOW, NOW if now is None else now, UTC)) <= 10
    assert len(ago_in_short(ts, NOW, UTC)) <= 8
    assert len(date_and_time(ts, NOW, UTC)) <= 12
    assert exact(ts)
    assert clock(ts)
    assert day_heading(ts, NOW)
    assert duration(ts)


@pytest.mark.parametrize(
    ("ts", "shown"),
    [
        pytest.param(NOW, "now", id="this second"),
        pytest.param(NOW - 59, "now", id="under a minute"),
        pytest.param(NOW + 120, "now", id="another clock runs ahead"),
        pytest.param(NOW + 2 * DAY, "2026-03-14", id="the future"),
        pytest.param(NOW - 60, "1m", id="a minute"),
        pytest.param(NOW - 59 * 60 - 59, "59m", id="under an hour"),
        pytest.param(NOW - HOUR, "1h", id="an hour"),
        pytest.param(at(2026, 3, 12, 0, 0), "14h", id="the first minute of today"),
        pytest.param(at(2026, 3, 11, 23, 0), "yesterday", id="late yesterday"),
        pytest.param(at(2026, 3, 11, 0, 0), "yesterday", id="early yesterday"),
        pytest.param(at(2026, 3, 10), "Tue", id="two days"),
        pytest.param(at(2026, 3, 6), "Fri", id="six days"),
        pytest.param(at(2026, 3, 5), "5 Mar", id="seven days, the same weekday"),
        pytest.param(at(2026, 1, 1), "1 Jan", id="this year"),
        pytest.param(at(2025, 5, 20), "20 May", id="last year, but clear"),
        pytest.param(at(2025, 3, 20), "2025-03-20", id="nearly a year"),
        pytest.param(at(2024, 11, 2), "2024-11-02", id="long ago"),
    ],
)
def test_age_is_said_in_the_shortest_clear_way(ts: float, shown: str) -> None:
    assert ago(ts, NOW, UTC) == shown


@pytest.mark.parametrize(
    ("ts", "shown"),
    [
        (NOW - 5, "just now"),
        (NOW - 11 * 60, "11 min ago"),
        (NOW - 3 * HOUR, "3 h ago"),
        (NOW - DAY, "yesterday"),
        (at(2026, 3, 10), "Tue"),
        (at(2026, 3, 5), "5 Mar"),
        (at(2024, 11, 2), "2024-11-02"),
        (None, UNKNOWN),
    ],
)
def test_in_a_sentence_the_units_are_spelt_out(ts: float | None, shown: str) -> None:
    assert when(ts, NOW, UTC) == shown


def test_last_evening_is_hours_ago_shortly_after_midnight() -> None:
    assert ago(at(2026, 3, 11, 22), at(2026, 3, 12, 1), UTC) == "3h"


def test_the_day_depends_on_the_zone() -> None:
    east = timezone(timedelta(hours=9))
    late = at(2026, 3, 12, 16)
    assert day_heading(late, at(2026, 3, 12, 20), east) == "Today"
    assert day_heading(at(2026, 3, 12, 14), at(2026, 3, 12, 20), east) == "Yesterday"
    assert day_heading(at(2026, 3, 12, 14), at(2026, 3, 12, 20), UTC) == "Today"
    assert exact(late, east) == "2026-03-13 01:00:00"


@pytest.mark.parametrize(
    ("ts", "heading"),
    [
        pytest.param(NOW + 2 * DAY, "In the future", id="future"),
        pytest.param(at(2026, 3, 12, 23, 59), "Today", id="today"),
        pytest.param(at(2026, 3, 11, 0, 0), "Yesterday", id="yesterday"),
        pytest.param(at(2026, 3, 9, 0, 0), "This week", id="Monday"),
        pytest.param(at(2026, 3, 8), "Last week", id="Sunday before"),
        pytest.param(at(2026, 3, 2), "Last week", id="Monday before"),
        pytest.param(at(2026, 3, 1), "March", id="this month"),
        pytest.param(at(2026, 1, 31), "January", id="this year"),
        pytest.param(at(2025, 10, 31), "October 2025", id="last year"),
    ],
)
def test_days_are_grouped_as_people_remember_them(ts: float, heading: str) -> None:
    assert day_heading(ts, NOW, UTC) == heading


@given(st.lists(st.floats(0, NOW + 40 * DAY), max_size=40))
def test_no_heading_comes_twice_in_a_list_from_new_to_old(times: list[float]) -> None:
    headings = [day_heading(ts, NOW, UTC) for ts in sorted(times, reverse=True)]
    runs = [name for at, name in enumerate(headings) if at == 0 or headings[at - 1] != name]
    assert len(runs) == len(set(runs))


def test_exact_times_and_clocks_are_padded() -> None:
    ts = at(2026, 3, 2, 4, 5)
    assert exact(ts, UTC) == "2026-03-02 04:05:00"
    assert clock(ts, UTC) == "04:05"


def test_a_time_that_the_clock_change_repeats_is_shown() -> None:
    berlin: tzinfo = ZoneInfo("Europe/Berlin")
    assert exact(at(2026, 10, 25, 0, 30), berlin) == "2026-10-25 02:30:00"
    assert exact(at(2026, 10, 25, 1, 30), berlin) == "2026-10-25 02:30:00"


def test_iso_times_have_milliseconds_only_when_there_are_some() -> None:
    assert iso_utc(NOW) == "2026-03-12T14:02:33Z"
    assert iso_utc(NOW + 0.12) == "2026-03-12T14:02:33.120Z"
    assert iso_utc(NOW + 0.0004) == "2026-03-12T14:02:33Z"
    assert iso_utc(0) == "1970-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 ms"),
        (0.048, "48 ms"),
        (0.9996, "1.0 s"),
        (2.1, "2.1 s"),
        (59.94, "59.9 s"),
        (59.96, "1 m"),
        (192, "3 m 12 s"),
        (3599.6, "1 h"),
        (7500, "2 h 5 m"),
        (3 * DAY + 4 * HOUR, "3 d 4 h"),
        (None, UNKNOWN),
        (nan, UNKNOWN),
        (inf, UNKNOWN),
        (-1, UNKNOWN),
        (1e18, UNKNOWN),
    ],
)
def test_durations_have_at_most_two_units(seconds: float | None, shown: str) -> None:
    assert duration(seconds) == shown


def test_a_time_can_be_said_in_eight_characters() -> None:
    times = (NOW - 60, NOW - DAY, NOW - 30 * DAY, at(2024, 11, 2), NOW + 2 * DAY)
    short = [ago_in_short(time, NOW, UTC) for time in times]
    assert short == ["1m", "Wed", "10 Feb", "Nov 2024", "Mar 2026"]


def test_a_time_can_be_a_day_and_an_hour() -> None:
    times = (NOW - 60, NOW - DAY, at(2024, 11, 2), None)
    assert [date_and_time(time, NOW, UTC) for time in times] == [
        "14:01",
        "11 Mar 14:02",
        "2024-11-02",
        "?",
    ]

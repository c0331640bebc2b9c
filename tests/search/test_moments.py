"""Moments as people type them, and the message that each leads to."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.model import Outline
from explorer.search.language.vocabulary import date_typed, span
from explorer.transcript.dates import Landing, landing

NOW = datetime(2026, 9, 21, 15, 30, tzinfo=UTC).timestamp()
THEN = datetime(2026, 3, 1, 8, 0, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("typed", "moment"),
    [
        ("14:30", "2026-03-01 14:30"),
        ("9:05", "2026-03-01 09:05"),
        ("today 14:30", "2026-09-21 14:30"),
        ("Yesterday 14:00", "2026-09-20 14:00"),
        ("2026-02-03 7:15", "2026-02-03 07:15"),
        ("2026-02-03T07:15", "2026-02-03 07:15"),
        ("2026-02", "2026-02-01 00:00"),
        ("yesterday", "2026-09-20 00:00"),
        ("12h", "2026-09-21 03:30"),
    ],
)
def test_a_moment_is_a_date_a_time_or_both(typed: str, moment: str) -> None:
    found = date_typed(typed, NOW, THEN, UTC)
    assert found is not None
    assert f"{datetime.fromtimestamp(found.start, UTC):%Y-%m-%d %H:%M}" == moment


@pytest.mark.parametrize(
    "typed", ["", " ", "25:00", "12:60", "soon", "soon 14:00", "14:3", "@", "٣:٠٠x"]
)
def test_anything_else_is_none(typed: str) -> None:
    assert date_typed(typed, NOW, THEN, UTC) is None


@given(st.text(max_size=30))
def test_whatever_is_typed_is_a_moment_or_none(typed: str) -> None:
    found = date_typed(typed, NOW, None, UTC)
    known = span(typed, NOW, UTC)
    assert known is None or (found is not None and found.start == known.start)


def _outlines(times: list[float | None]) -> list[Outline]:
    return [Outline(number, 1, "user", time, 1) for number, time in enumerate(times)]


@pytest.mark.parametrize(
    ("times", "moment", "found"),
    [
        ([1, 2, 3], 2, Landing(1, 2)),
        ([1, 2, 3], 2.5, Landing(2, 3)),
        ([1, 2, 3], 9, Landing(2, 3, is_before=True)),
        ([5, 6], 2, Landing(0, 5, is_first=True)),
        ([5, 6], 5, Landing(0, 5)),
        ([None, None], 2, None),
        ([], 2, None),
        # A clock that was far ahead once, and one that steps back.
        ([1, 900, 2, 3, None], 2, Landing(2, 2)),
        ([5, 6, 3, 4], 4, Landing(3, 4)),
    ],
)
def test_a_moment_leads_to_the_first_message_from_then_on(
    times: list[float | None], moment: float, found: Landing | None
) -> None:
    assert landing(_outlines(times), moment) == found

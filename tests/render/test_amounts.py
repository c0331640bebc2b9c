"""Numbers short enough for a column."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render.amounts import cost, count, exact_cost, plural, short_count, size


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (2_100_000, "2.1 MB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (421_000_000_000, "421.0 GB"),
        (5 * 10**15, "5.0 PB"),
        (2**63, "9,223 PB"),
    ],
)
def test_sizes_use_decimal_units(n: int, shown: str) -> None:
    assert size(n) == shown


def test_counts_are_exact_and_grouped() -> None:
    assert [count(0), count(1284), count(-1_000_000)] == ["0", "1,284", "-1,000,000"]


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.0k"),
        (12_345, "12.3k"),
        (99_949, "99.9k"),
        (99_960, "100k"),
        (128_000, "128k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (4_500_000, "4.5M"),
        (2_000_000_000, "2.0B"),
        (-12_345, "-12.3k"),
    ],
)
def test_short_counts_round_to_their_unit(n: int, shown: str) -> None:
    assert short_count(n) == shown


@given(st.integers(0, 10**15 - 10**12))
def test_a_short_count_has_at_most_five_characters(n: int) -> None:
    assert len(short_count(n)) <= 5


@pytest.mark.parametrize(
    ("usd", "status", "shown"),
    [
        pytest.param(0.42, "actual", "$0.42", id="cents"),
        pytest.param(12.3, "estimated", "$12.30", id="dollars"),
        pytest.param(1240.0, None, "$1,240.00", id="thousands"),
        pytest.param(0.004, "actual", "<$0.01", id="under a cent"),
        pytest.param(0.0, "actual", "$0.00", id="free"),
        pytest.param(0.0, "unknown", "-", id="zero for want of a price"),
        pytest.param(0.0, "included", "-", id="zero for a flat rate"),
        pytest.param(0.0, None, "-", id="zero without a status"),
        pytest.param(None, "actual", "-", id="none"),
        pytest.param(nan, "actual", "-", id="not a number"),
        pytest.param(inf, "actual", "-", id="infinite"),
        pytest.param(-1.0, "actual", "-", id="negative"),
    ],
)
def test_a_cost_is_shown_only_when_it_is_known(
    usd: float | None, status: str | None, shown: str
) -> None:
    assert cost(usd, status) == shown


def test_one_is_singular_and_everything_else_plural() -> None:
    assert plural(1, "session") == "1 session"
    assert plural(0, "session") == "0 sessions"
    assert plural(3000, "session") == "3,000 sessions"
    assert plural(2, "match", "matches") == "2 matches"


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0.0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0039, "$0.0039"),
        (0.42, "$0.42"),
        (1.005, "$1.005"),
        (1240, "$1,240.00"),
    ],
)
def test_an_exact_cost_has_cents_and_what_is_behind_them(usd: float, shown: str) -> None:
    assert exact_cost(usd) == shown

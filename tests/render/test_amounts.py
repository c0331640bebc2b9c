"""Sizes, counts and costs in words."""

import pytest

from explorer.render.figures import cents, count, exact_cost, plural, rounded, size


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


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (0, "0"),
        (950, "950"),
        (1_200, "1.2k"),
        (9_960, "10k"),
        (999_600, "1.0M"),
        (10**13, "10,000G"),
    ],
)
def test_large_numbers_can_be_said_in_three_digits(n: int, shown: str) -> None:
    assert rounded(n) == shown


def test_costs_in_cents_stand_below_each_other() -> None:
    assert [cents(one) for one in (0.0, 0.004, 0.425, 1204.0)] == [
        "$0.00",
        "<$0.01",
        "$0.42",
        "$1,204.00",
    ]

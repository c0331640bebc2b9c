"""What the fields of the search bar take."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.search.language.vocabulary import (
    FIELDS,
    MESSAGE_FIELDS,
    PLACE_FIELD,
    SESSION_FIELDS,
    TIME_FIELDS,
    amount,
    trouble,
)
from tests.factories import NOW


def _fits(text: str, number: float) -> bool:
    found = amount(text)
    assert found is not None
    least, most = found.bounds
    return least <= number <= most


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (">20", (20.000001, 21, 1e9), (20, 0)),
        (">=20", (20, 21), (19.999999,)),
        ("<20", (0, 19.999999), (20, 21)),
        ("<=20", (0, 20), (20.000001,)),
        ("=20", (20,), (19, 21)),
        ("20", (20,), (19, 21)),
        ("10..20", (10, 15, 20), (9, 21)),
        ("20..10", (10, 15, 20), (9, 21)),
        ("10k", (10_000,), (10,)),
        (">1.5M", (1_500_001,), (1_500_000,)),
        ("1k..1m", (1000, 1e6), (999, 1_000_001)),
        ("1,000", (1000,), (1,)),
        (">12,345.5", (12_346,), (12_345,)),
        ("$0.50", (0.5,), (0.4,)),
        ("$1..$2", (1.5,), (2.1,)),
        (" 20 ", (20,), (2,)),
        (">0", (1e-300,), (0,)),
        ("9" * 400, (math.inf,), (1e300,)),
    ],
)
def test_a_number_is_compared(
    text: str, inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    assert all(_fits(text, number) for number in inside)
    assert not any(_fits(text, number) for number in outside)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        ">",
        "..",
        "1..",
        "..2",
        "1...2",
        "-1",
        "+1",
        "1e3",
        "1,00",
        ",1",
        "1k5",
        "=>1",
        "½",
    ],
)
def test_what_is_no_number_is_none(text: str) -> None:
    assert amount(text) is None


@given(st.text(st.sampled_from("0123456789.,km$<>= "), max_size=30))
def test_any_text_is_a_number_or_none(text: str) -> None:
    found = amount(text)
    if found:
        least, most = found.bounds
        assert least <= most


def test_every_field_is_about_one_thing() -> None:
    sets = (SESSION_FIELDS, MESSAGE_FIELDS, TIME_FIELDS, frozenset({PLACE_FIELD}))
    assert sum(map(len, sets)) == len(FIELDS)
    assert frozenset().union(*sets) == frozenset(FIELDS)


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_takes_what_it_offers(name: str) -> None:
    assert all(trouble(name, (value,), NOW, None) == "" for value in FIELDS[name].offers)

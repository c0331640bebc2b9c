"""What somebody types, as terms."""

import pytest

from explorer.search.query import LONGEST, parse


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("docker", ("docker",)),
        ("docker arm64", ("docker", "arm64")),
        ("  docker\t\narm64  ", ("docker", "arm64")),
        ('"no space left"', ("no space left",)),
        ('disk "no space left" now', ("disk", "no space left", "now")),
        ('"never closed', ("never closed",)),
        ("it's", ("it's",)),
        ("foo(", ("foo(",)),
        ("C++", ("C++",)),
        ("AND OR NOT", ("AND", "OR", "NOT")),
        ("*", ("*",)),
        ('a"b', ('a"b',)),
        ('""', ()),
        ('"', ()),
        ('" "', ()),
        ("", ()),
        (" \t", ()),
    ],
)
def test_text_is_split_into_terms(text: str, terms: tuple[str, ...]) -> None:
    query = parse(text)
    assert query.terms == terms
    assert query.text == text


@pytest.mark.parametrize(
    ("text", "unfinished"),
    [
        ("dock", True),
        ("docker arm", True),
        ("docker ", False),
        ('"no space', False),
        ('"no space" le', True),
        ("", False),
    ],
)
def test_the_last_word_may_still_be_growing(text: str, unfinished: bool) -> None:
    assert parse(text).unfinished is unfinished


def test_a_novel_is_not_searched_for() -> None:
    query = parse("word " * 10_000)
    assert sum(map(len, query.terms)) <= LONGEST
    assert set(query.terms) == {"word"}

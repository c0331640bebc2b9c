"""The few words around a match, and the places of the match in them."""

import pytest

from explorer.search.excerpt import WIDTH, excerpt, fold, marks

TEXTS = [
    ("Fix the docker build on arm64", ["docker", "arm64"]),
    ("x" * 500 + " Docker " + "y" * 500, ["docker"]),
    ("no\n  space\tleft on device", ["no space left"]),
    ("İstanbul straße ẞ", ["straße"]),
    ("aaaa", ["aa", "a"]),
    ("大别山项目的进度", ["项目"]),
    ("nothing of it", ["missing"]),
    ("", ["x"]),
    ("x", []),
    ("🎉 " * 400 + "needle", ["needle"]),
    ("\n" * 5_000 + "needle" + "\n" * 5_000, ["needle"]),
]


@pytest.mark.parametrize(("text", "terms"), TEXTS)
def test_marks_fit_the_line_they_come_with(text: str, terms: list[str]) -> None:
    line, places = excerpt(text, terms)
    assert len(line) <= WIDTH + 2
    assert "\n" not in line
    end = 0
    for begin, stop in places:
        assert end <= begin < stop <= len(line)
        assert fold(line[begin:stop]) in [fold(term) for term in terms]
        end = stop


@pytest.mark.parametrize(
    ("text", "terms"), [each for each in TEXTS if each[0] and each[1] not in ([], ["missing"])]
)
def test_a_match_is_in_sight(text: str, terms: list[str]) -> None:
    assert excerpt(text, terms)[1]


def test_text_left_out_is_marked_by_an_ellipsis() -> None:
    line, _ = excerpt("a " * 300 + "needle" + " b" * 300, ["needle"])
    assert line.startswith("…a")
    assert line.endswith("…")
    assert excerpt("short needle", ["needle"])[0] == "short needle"


def test_every_place_is_marked_once_without_overlaps() -> None:
    assert marks("one two one", ["one", "two", "ne t"]) == ((0, 3), (4, 7), (8, 11))


def test_case_is_ignored_beyond_ascii() -> None:
    assert marks("ÜBER Größe", ["über", "GRÖSSE", "größe"]) == ((0, 4), (5, 10))


def test_folding_keeps_the_length() -> None:
    for text in ("İİ", "ẞß", "ŉ", "ΑΣ", "plain"):
        assert len(fold(text)) == len(text)

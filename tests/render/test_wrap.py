"""Breaking text into lines: nothing too wide, nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render.clean import cell_width, clean
from explorer.render.wrap import take, wrapped
from tests.hostile import HOSTILE


@given(st.text(max_size=300), st.integers(4, 60))
def test_no_line_is_wider_than_the_pane(text: str, width: int) -> None:
    for line in wrapped(clean(text), width):
        assert cell_width(line) <= width
        assert "\n" not in line


@given(st.text(alphabet="ab 日本\n-1.", max_size=200), st.integers(4, 40))
def test_wrapping_loses_no_letter(text: str, width: int) -> None:
    letters = "".join(clean(text).split())
    assert "".join("".join(wrapped(clean(text), width)).split()) == letters


@given(st.text(max_size=400), st.integers(4, 40), st.integers(1, 12))
def test_the_first_lines_are_the_same_when_only_they_are_wanted(
    text: str, width: int, limit: int
) -> None:
    whole = list(wrapped(clean(text), width))
    some, more = take(clean(text), width, limit)
    assert some == whole[:limit]
    assert (more > 0) == (len(whole) > limit)


def test_words_stay_whole_and_a_bullet_goes_on_under_its_text() -> None:
    assert list(wrapped("- one two three four", 11)) == ["- one two", "  three", "  four"]
    assert list(wrapped("the quick brown fox", 10)) == ["the quick", "brown fox"]


def test_a_word_that_does_not_fit_behind_its_indentation_is_broken() -> None:
    assert list(wrapped("    日本語abc", 9)) == ["    日本", "    語abc"]
    assert list(wrapped("    000é", 7)) == ["    000", "   é"]


def test_empty_lines_are_kept() -> None:
    assert list(wrapped("a\n\nb", 10)) == ["a", "", "b"]


@pytest.mark.parametrize(("name", "text"), HOSTILE)
def test_hostile_text_is_wrapped_too(name: str, text: str) -> None:
    lines, _ = take(clean(text), 40, 200)
    assert all(cell_width(line) <= 40 for line in lines), name


def test_a_huge_line_costs_no_more_than_what_is_wanted_of_it() -> None:
    lines, more = take("x" * 3_000_000, 80, 5)
    assert [len(line) for line in lines] == [80] * 5
    assert more > 30_000

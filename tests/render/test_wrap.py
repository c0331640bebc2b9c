"""Breaking text into lines: nothing too wide, nothing lost."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.render.clean import cell_width, clean
from explorer.render.lines import Line, cut_line, line_width, take, wrapped, wrapped_line
from tests.hostile import HOSTILE


@given(st.text(max_size=300), st.integers(4, 60))
@example("   ééé", 4)
def test_no_line_is_wider_than_the_pane(text: str, width: int) -> None:
    for line in wrapped(clean(text), width):
        assert cell_width(line) <= width
        assert "\n" not in line


@given(st.text(alphabet="ab 日本\n-1.", max_size=200), st.integers(4, 40))
def test_wrapping_loses_no_letter(text: str, width: int) -> None:
    letters = "".join(clean(text).split())
    assert "".join("".join(wrapped(clean(text), width)).split()) == letters


@given(st.text(max_size=400), st.integers(4, 40), st.integers(1, 12))
@example("0000    0", 4, 1)
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


def test_a_line_of_blanks_is_one_empty_line() -> None:
    assert list(wrapped(" " * 50, 10)) == [""]
    assert list(wrapped("\u3000" * 50, 10)) == [""]


def test_an_emoji_of_several_is_not_taken_apart() -> None:
    heart = "❤\u200d🔥"
    assert list(wrapped(f"aa{heart}", 2)) == ["aa", heart]


def test_a_style_goes_over_the_end_of_a_line() -> None:
    line = (("go ", "text"), ("very far away", "strong"), (" now", "text"))
    assert list(wrapped_line(line, 8)) == [
        (("go ", "text"), ("very", "strong")),
        (("far away", "strong"),),
        (("now", "text"),),
    ]


spans = st.tuples(st.text(alphabet="ab -日é", max_size=12), st.sampled_from(["text", "strong"]))


@given(st.lists(spans, max_size=12).map(tuple), st.integers(4, 30))
def test_spans_are_wrapped_like_the_text_they_make(line: Line, width: int) -> None:
    text = "".join(part for part, _ in line)
    made = ["".join(part for part, _ in one) for one in wrapped_line(line, width)]
    assert made == list(wrapped(text, width))


@given(st.lists(spans, max_size=12).map(tuple), st.integers(0, 30))
def test_a_line_that_was_cut_says_so(line: Line, width: int) -> None:
    shown = cut_line(line, width)
    assert line_width(shown) <= width
    if line_width(line) > width > 0:
        assert shown[-1][0].endswith("…")
    elif width:
        assert shown == line


@pytest.mark.parametrize(("name", "text"), HOSTILE)
def test_hostile_text_is_wrapped_too(name: str, text: str) -> None:
    lines, _ = take(clean(text), 40, 200)
    assert all(cell_width(line) <= 40 for line in lines), name


def test_a_huge_line_costs_no_more_than_what_is_wanted_of_it() -> None:
    lines, more = take("x" * 3_000_000, 80, 5)
    assert [len(line) for line in lines] == [80] * 5
    assert more > 30_000

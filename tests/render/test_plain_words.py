"""Words without the signs of Markdown around them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render.lines import line_text
from explorer.render.plain_words import plain, plain_line, signs


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Dry run: **1,198** labels", "Dry run: 1,198 labels"),
        ("use `docker compose` now", "use docker compose now"),
        ("Here: ```python print('hi') ```", "Here: print('hi') "),
        ("*Yesterday:* shipped", "Yesterday: shipped"),
        ("**bold and *both* here**", "bold and both here"),
        ("__very important__ and _so_ ~~gone~~", "very important and so gone"),
        ("see [the docs](https://x.example/a_(b)) and ![a cat](c.png)", "see the docs and a cat"),
        ("# Plan", "Plan"),
        ("Done. ## Next steps", "Done. Next steps"),
        ("one\n### two\n> three\n- [x] four", "one\ntwo\nthree\nfour"),
        ("| a | b | |---|:--:| | 1 | 2 |", "| a | b |  | 1 | 2 |"),
        ("`**not bold**` but **bold**", "**not bold** but bold"),
        # What only looks like it.
        *((same, same) for same in ("2**3 and 4 * 5 * 6", "def f(*args, **kwargs)", "**", "`")),
        *((same, same) for same in ("snake_case_name", "__init__ of __main__", "C# and issue #5")),
        *((same, same) for same in ("a < b > c", "array[0](x", "~/.config ~user", "5 - 3 - 1")),
        ("cut **in the mid", "cut **in the mid"),
    ],
)
def test_signs_are_taken_out_and_words_never(stored: str, shown: str) -> None:
    assert plain(stored) == shown


def test_a_match_stays_on_its_letters_and_a_sign_that_was_searched_for_stays() -> None:
    line = (("a **", "text"), ("bold", "match"), ("** `b`", "text"))
    assert plain_line(line) == (("a ", "text"), ("bold", "match"), (" ", "text"), ("b", "text"))
    assert line_text(plain_line(line, [(2, 4)])) == "a **bold b"


@given(st.text(alphabet="ab *_`~[]()!#>|-\n", max_size=80))
def test_any_text_can_be_read_and_no_letter_is_lost(text: str) -> None:
    places = signs(text)
    assert all(start < end for start, end in places)
    assert all(a[1] <= b[0] for a, b in pairwise(places))
    words = [letter for letter in plain(text) if letter in "ab"]
    if "](" not in text and "```" not in text:
        assert words == [letter for letter in text if letter in "ab"]

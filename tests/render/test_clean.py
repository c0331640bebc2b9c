"""What may and may not reach a screen, and how wide it is there."""

import re
import sys
import unicodedata
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from explorer.render import clean as module
from explorer.render.clean import (
    BROKEN,
    HIDDEN,
    MOST_MARKS,
    cell_width,
    clean,
    clean_line,
    fit,
    fit_end,
    for_clipboard,
    pad,
)
from tests.hostile import HOSTILE, MARKUP, SCRIPTS

FORBIDDEN = {
    *range(0x0A),
    *range(0x0B, 0x20),
    *range(0x7F, 0xA0),
    *(0x00AD, 0x061C, 0x115F, 0x180E, 0x200B, 0x200C, 0x200E, 0x200F, 0x3164, 0xFEFF, 0xFFA0),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    *range(0xD800, 0xE000),
    *range(0xFDD0, 0xFDF0),
    *range(0xFFF9, 0xFFFD),
    *range(0xE0000, 0xE0080),
    *(plane + end for plane in range(0, 0x110000, 0x10000) for end in (0xFFFE, 0xFFFF)),
}
"""Stated again, by hand, so that a slip in the patterns does not excuse itself."""

# Random text alone seldom meets itself: this mixes in what acts on its neighbours.
PIECES = st.sampled_from(
    [
        *("\x1b", "\x1b[", "\x1b[31m", "[0m", "m", "\r", "\n", "\t", "\v", " ", "\u3000", "a", "1"),
        *("\u200d", "\ufe0f", "\ufe0e", "\U000e0101", "\u0301", "\u0301" * 9, "\u20e3", "\u0897"),
        *("\U0001f469", "\u2764", "\U0001f3fb", "\U0001f1e9", "\u1100", "\u1161", "\u1161" * 9),
        *("字", "ก", "ำ", "क", "्", "ा", "\u200b", "\u202e", "\ud83d", "\ude00", "\0", "\x9b"),
    ]
)
ANY_CHARACTER = st.characters(exclude_categories=())
ANY_TEXT = st.lists(PIECES | ANY_CHARACTER, max_size=60).map("".join)
each_hostile = pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in HOSTILE])


def longest_pile(text: str) -> int:
    """The most characters without width in a row."""
    longest = pile = 0
    for char in text:
        pile = 0 if char == "\n" or get_character_cell_size(char) else pile + 1
        longest = max(longest, pile)
    return longest


@given(ANY_TEXT)
def test_nothing_forbidden_is_left_of_any_text(text: str) -> None:
    assert not FORBIDDEN.intersection(map(ord, clean(text)))


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)
    assert clean_line(clean_line(text)) == clean_line(text)
    assert clean_line(clean_line(text, 20), 20) == clean_line(text, 20)


@given(ANY_TEXT)
def test_no_cell_holds_more_than_eight_marks(text: str) -> None:
    assert longest_pile(clean(text)) <= MOST_MARKS


@given(ANY_TEXT)
def test_what_is_clean_can_be_written_as_utf_8(text: str) -> None:
    assert clean(text).encode().decode() == clean(text)


@each_hostile
def test_hostile_text_becomes_harmless(text: str) -> None:
    shown = clean(text)
    assert not FORBIDDEN.intersection(map(ord, shown))
    assert clean(shown) == shown
    assert longest_pile(shown) <= MOST_MARKS


@each_hostile
def test_hostile_text_fits_one_line_of_known_width(text: str) -> None:
    line = clean_line(text, 200)
    assert len(line) <= 200
    assert len(line.splitlines()) <= 1
    assert cell_len(pad(line, 30)) == 30


@pytest.mark.parametrize("text", [pytest.param(t, id=name) for name, t in [*MARKUP, *SCRIPTS]])
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text.replace("\ufe0f", "")


def test_every_forbidden_character_gets_a_symbol_of_one_cell() -> None:
    spaces_and_breaks = {0x09, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029}
    symbols = [clean(chr(code)) for code in FORBIDDEN - spaces_and_breaks]
    assert {(len(symbol), cell_len(symbol)) for symbol in symbols} == {(1, 1)}
    assert not FORBIDDEN.intersection(map(ord, symbols))


def test_every_mark_is_in_a_block_that_is_searched_for_stacks() -> None:
    searched = re.compile(module._STACK)
    missing = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Mn", "Me", "Mc")
        and not searched.fullmatch(chr(code) * 9)
    ]
    assert missing == []


def test_no_assigned_character_with_a_shape_is_forbidden() -> None:
    forbidden = re.compile(module._FORBIDDEN)
    hidden = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if forbidden.fullmatch(chr(code)) and unicodedata.category(chr(code))[0] not in "CZ"
    ]
    blanks = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\ufffc"
    assert set(hidden) <= set(blanks) | set(map(chr, range(0x13440, 0x13456)))


def test_controls_become_control_pictures() -> None:
    assert clean("\0\x07\b\x1b\x7f") == "\u2400\u2407\u2408\u241b\u2421"


def test_format_characters_become_dots_and_broken_ones_replacement_characters() -> None:
    assert clean("\u200b\u202e\U000e0041") == HIDDEN * 3
    assert clean("\x9b\ud800\uffff") == BROKEN * 3


def test_colours_vanish_and_other_escapes_show() -> None:
    assert clean("\x1b[1;31mred\x1b[m \x1b[2J\x1b]0;t\x07") == "red \u241b[2J\u241b]0;t\u2407"


def test_removing_a_colour_never_completes_another_escape() -> None:
    assert clean("\x1b\x1b[0m[31m") == "\u241b[31m"


def test_all_line_breaks_become_newlines() -> None:
    assert clean("a\r\nb\rc\vd\fe\u2028f\u2029g\x85h\n") == "a\nb\nc\nd\ne\nf\ng\nh\n"


def test_tabs_reach_the_next_fourth_column_of_their_line() -> None:
    assert clean("a\tb\n\tc\rabcd\te") == "a   b\n    c\nabcd    e"


def test_marks_beyond_eight_collapse_into_one_symbol() -> None:
    assert clean("e" + "\u0301" * 20_000 + "x") == "e" + "\u0301" * 8 + HIDDEN + "x"


def test_eight_marks_are_allowed_on_every_base() -> None:
    text = ("e" + "\u0301" * 8) * 3
    assert clean(text) == text


def test_an_emoji_has_at_most_eight_joins() -> None:
    woman = "\U0001f469"
    assert clean("\u200d".join(woman * 10)) == "\u200d".join(woman * 9) + HIDDEN + woman


def test_a_joiner_between_letters_is_shown() -> None:
    assert clean("pass\u200dword") == f"pass{HIDDEN}word"


def test_a_second_variation_selector_is_shown() -> None:
    assert clean("\u2764\ufe0f\ufe0f\U000e0100x") == f"\u2764{HIDDEN}x"


def test_a_sign_is_as_wide_with_an_emoji_selector_as_without() -> None:
    """Terminals disagree about the selector; without it all count alike."""
    assert clean("\u2764\ufe0f 1\ufe0f\u20e3") == "\u2764 1\u20e3"


def test_an_emoji_selector_after_a_letter_is_shown() -> None:
    assert clean("a\ufe0f") == f"a{HIDDEN}"


def test_plain_text_is_returned_itself() -> None:
    for text in ("plain\ntext", "天地玄黄\u3000宇宙", "naïve\u00a0café"):
        assert clean(text) is text


def test_a_line_has_single_spaces_and_no_edges() -> None:
    assert clean_line("\n a\t\tb\r\n\u3000c\u00a0 ") == "a b c"


def test_a_cut_line_ends_in_an_ellipsis_within_the_limit() -> None:
    assert clean_line("abcdef", 6) == "abcdef"
    assert clean_line("abcdefg", 6) == "abcde…"
    assert clean_line("abcd efg", 6) == "abcd…"
    assert clean_line("abc", 0) == ""


def test_a_cut_line_does_not_end_in_a_joiner() -> None:
    assert clean_line("ab\U0001f469\u200d\U0001f469\u200d\U0001f469", 5) == "ab\U0001f469…"


def test_a_limited_line_reads_only_the_start_of_a_huge_text() -> None:
    huge = "\x1b]x\ny\u202e" * 5_000_000
    before = perf_counter()
    assert len(clean_line(huge, 200)) == 200
    # Cleaning it all takes seconds; the start takes less than a millisecond.
    assert perf_counter() - before < 0.5


def test_a_limited_line_of_blanks_without_end_says_that_there_is_more() -> None:
    assert clean_line("\n" * 100_000, 50) == "…"


@given(ANY_TEXT)
def test_width_is_what_rich_says(text: str) -> None:
    assert cell_width(text) == cell_len(text)
    assert cell_width(clean(text)) == cell_len(clean(text))


@given(ANY_TEXT, st.integers(-2, 40))
def test_fitted_text_never_exceeds_its_cells(text: str, cells: int) -> None:
    line = clean_line(text)
    fitted = fit(line, cells)
    assert cell_len(fitted) <= max(cells, 0)
    assert fitted == line or fitted == "" or line.startswith(fitted.removesuffix("…"))


@given(ANY_TEXT, st.integers(-2, 40))
def test_text_fitted_at_its_end_never_exceeds_its_cells(text: str, cells: int) -> None:
    line = clean_line(text)
    fitted = fit_end(line, cells)
    assert cell_len(fitted) <= max(cells, 0)
    assert fitted == line or line.endswith(fitted.removeprefix("…"))
    assert clean(fitted) == fitted


@given(ANY_TEXT, st.integers(0, 40))
def test_padded_text_has_exactly_its_cells(text: str, cells: int) -> None:
    assert cell_len(pad(clean_line(text), cells)) == cells


@given(ANY_TEXT, st.integers(0, 40))
def test_fitted_and_padded_text_stays_clean(text: str, cells: int) -> None:
    padded = pad(clean_line(text), cells)
    assert clean(padded) == padded


@pytest.mark.parametrize(
    ("text", "cells", "fitted"),
    [
        pytest.param("abc", 3, "abc", id="fits"),
        pytest.param("abcd", 3, "ab…", id="letters"),
        pytest.param("字字字", 5, "字字…", id="wide"),
        pytest.param("字字字", 4, "字…", id="half a wide one"),
        pytest.param("字", 1, "…", id="no room for the wide one"),
        pytest.param("e\u0301e\u0301e\u0301", 2, "e\u0301…", id="marks stay with their letter"),
        pytest.param("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 2, "…", id="half a flag"),
        pytest.param(
            "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 3, "\U0001f1e9\U0001f1ea…", id="flag"
        ),
        pytest.param("1\ufe0f\u20e3xy", 2, "…", id="keycap"),
        pytest.param(
            "\U0001f468\u200d\U0001f469xyz", 3, "\U0001f468\u200d\U0001f469…", id="family"
        ),
        pytest.param("\u1112\u1161\u11ab\u1100\u1173", 3, "\u1112\u1161\u11ab…", id="jamo"),
        pytest.param("anything", 0, "", id="no cells"),
        pytest.param("字", 0, "", id="no cells for a wide one"),
    ],
)
def test_text_is_cut_between_graphemes(text: str, cells: int, fitted: str) -> None:
    assert fit(text, cells) == fitted


@pytest.mark.parametrize(
    ("text", "cells", "fitted"),
    [
        pytest.param("~/a/state.db", 12, "~/a/state.db", id="fits"),
        pytest.param("~/a/state.db", 9, "…state.db", id="letters"),
        pytest.param("字字字", 4, "…字", id="half a wide one"),
        pytest.param("e\u0301e\u0301e\u0301", 2, "…e\u0301", id="marks stay with their letter"),
        pytest.param("anything", 1, "…", id="one cell"),
        pytest.param("anything", 0, "", id="no cells"),
    ],
)
def test_a_path_is_cut_at_its_front(text: str, cells: int, fitted: str) -> None:
    assert fit_end(text, cells) == fitted


def test_padding_fills_with_spaces() -> None:
    assert pad("字", 5) == "字   "


@given(ANY_TEXT)
def test_what_is_copied_can_be_pasted_safely(text: str) -> None:
    copied = for_clipboard(text)
    assert copied.encode().decode() == copied
    unsafe = {*range(9), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F)}
    assert not unsafe.intersection(map(ord, copied))


def test_copied_text_keeps_tabs_lines_and_invisible_letters() -> None:
    assert for_clipboard("\x1b[31ma\tb\r\nc\u200b\x07") == "a\tb\nc\u200b"

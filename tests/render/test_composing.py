"""Letters as one sign or as several: found either way, and nothing else with them."""

import re
import sys
from typing import Literal
from unicodedata import combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render.letters import Sought, expression, fold, folded, in_any_case, letters, written

Form = Literal["NFC", "NFD"]
WORDS = (
    *("café", "Ångström", "naïve", "Việt", "tiếng", "ĐƯỜNG", "ёлка", "Йод", "Άθήνα", "ΐ", "ᾷ"),
    *("한국어", "하", "검색", "がぎ", "プログラム", "İstanbul", "ज़रूर", "ভালো", "≠", "שׁלום", "ẖ"),
)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("other", ["NFC", "NFD"])
def test_a_word_is_found_however_it_is_composed(word: str, form: Form, other: Form) -> None:
    typed, stored = normalize(form, word), normalize(other, word)
    text = f"ein {stored}! {stored.upper()}"
    sought = Sought(typed)
    assert sought.is_in(fold(text))
    start, end = next(sought.spans(fold(text)))
    assert text[start:end] == stored


def test_letters_of_several_accents_are_found_in_every_order_and_half_composed() -> None:
    for way in ("\u1ec7", "e\u0323\u0302", "e\u0302\u0323", "\u1eb9\u0302", "\u00ea\u0323"):
        assert set(written(way)) == set(written("\u1ec7"))
        assert Sought(way).is_in("vi\u1ec7t")
    assert set(written("\ud55c")) == {"\ud55c", "\ud558\u11ab", "\u1112\u1161\u11ab"}


OTHERS = (
    *(("fi", "ﬁ"), ("ﬁ", "fi"), ("k", "\u212a"), ("\u212a", "k"), ("σ", "ς"), ("ς", "Σ")),
    *(("istanbul", "İstanbul"), ("ı", "i"), ("ss", "ß"), ("①", "1"), ("e", "é"), ("cafe", "café")),
    *(("é", "e"), ("é", "ê"), ("하", "한"), ("か", "が"), ("2", "²"), ("Å", "A"), ("豈", "\uf900")),
)


@pytest.mark.parametrize(("typed", "stored"), OTHERS)
def test_what_only_looks_or_means_alike_stays_apart(typed: str, stored: str) -> None:
    assert not Sought(typed).is_in(fold(stored))


def test_what_was_found_before_is_found_still() -> None:
    assert Sought("cafe").is_in("cafe\u0301")
    assert Sought("\u0301").is_in("cafe\u0301")
    assert Sought("\u2126").is_in(fold("Ω"))


def test_ascii_is_written_in_one_way() -> None:
    for code in range(128):
        letter = chr(code)
        assert written(letter) == (letter,)
        assert set(in_any_case(letter)) == {letter.lower(), letter.upper()}
    assert expression("a.b*C", folded) == re.escape("a.b*c")
    assert Sought("Docker").expression is None


def test_every_sign_that_can_be_taken_apart_is_found_by_its_parts() -> None:
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        apart = "" if 0xD800 <= code < 0xE000 else normalize("NFD", sign)
        if len(apart) > 1 and not combining(apart[0]):
            assert sign in written(apart)
            assert apart in written(sign)


@given(st.text("aeEé\u00ca\u0301\u0302\u0323 한\u1112\u1161\u11ab\u212aİß", min_size=1, max_size=5))
def test_every_way_to_write_a_text_is_the_same_text(text: str) -> None:
    assert "".join(letters(text)) == text
    for letter in letters(text):
        assert written(letter)[0] == letter
        assert {normalize("NFD", way) for way in written(letter)} == {normalize("NFD", letter)}
        assert set(written(letter)) <= set(in_any_case(letter))
    assert Sought(text).is_in(fold(text))


@given(st.text(min_size=1, max_size=8), st.text(max_size=3))
def test_what_was_typed_is_found_where_it_stands(text: str, before: str) -> None:
    stored = fold(before + text)
    assert any(start <= len(before) < end for start, end in Sought(text).spans(stored))


def test_hundreds_of_accents_take_no_time() -> None:
    assert len(written("e" + "\u0301\u0323\u0316" * 50)) <= 3

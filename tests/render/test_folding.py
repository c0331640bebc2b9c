"""Folding: letter by letter, so that places in a text stay true."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from explorer.render.letters import fold, spellings


def _letter_by_letter(text: str) -> str:
    return "".join(map(fold, text))


def test_every_letter_folds_to_one_letter_of_its_own_kind() -> None:
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        folded = fold(letter)
        assert len(folded) == 1
        assert folded.isascii() == letter.isascii()
        assert folded in (letter, letter.lower())


@given(st.text())
def test_a_text_folds_letter_by_letter(text: str) -> None:
    assert fold(text) == _letter_by_letter(text)


def test_what_depends_on_its_place_in_a_word_does_not_here() -> None:
    for text in ("ΟΔΟΣ", "ΟΔΟΣ ΣΟΦΙΑΣ", "İSTANBUL", "30 \u212a", "straẞe", "部署 ΑΣ"):
        assert fold(text) == _letter_by_letter(text)


def test_all_spellings_of_a_letter_fold_to_the_same() -> None:
    for letter in "aÄжΣé部":
        assert {fold(other) for other in spellings(letter)} == {fold(letter)}

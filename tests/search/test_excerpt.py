"""The few words around a match, and the places of the match in them."""

import pytest

from explorer.render.letters import fold, spellings
from explorer.search.hits import WIDTH, excerpt
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher

TEXTS = [
    ("Fix the docker build on arm64", "docker arm64"),
    ("x" * 500 + " Docker " + "y" * 500, "docker"),
    ("İstanbul straße ẞ", "straße"),
    ("aaaa", "aa a"),
    ("大别山项目的进度", "项目"),
    ("nothing of it", "missing"),
    ("", "x"),
    ("🎉 " * 400 + "needle", "needle"),
    ("\n" * 5_000 + "needle" + "\n" * 5_000, "needle"),
]


def _excerpt(text: str, typed: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    matcher = Matcher(parse(typed, 0.0))
    line = excerpt(text, next((start for start, _ in matcher.spans(text)), 0))
    return line, matcher.spans(line)


@pytest.mark.parametrize(("text", "typed"), TEXTS)
def test_marks_fit_the_line_they_come_with(text: str, typed: str) -> None:
    line, places = _excerpt(text, typed)
    assert len(line) <= WIDTH + 2
    assert "\n" not in line
    end = 0
    for begin, stop in places:
        assert end <= begin < stop <= len(line)
        assert fold(line[begin:stop]) in [fold(term) for term in typed.split()]
        end = stop
    assert places or typed in ("missing", "x")


def test_text_left_out_is_marked_by_an_ellipsis() -> None:
    line, _ = _excerpt("a " * 300 + "needle" + " b" * 300, "needle")
    assert line.startswith("…a")
    assert line.endswith("…")
    assert _excerpt("short needle", "needle")[0] == "short needle"


def test_folding_keeps_the_length_and_knows_all_alphabets() -> None:
    for text in ("İİ", "ẞß", "ŉ", "ΑΣ", "plain", "\u212a"):
        assert len(fold(text)) == len(text)
    assert fold("ÜBER Größe ПРИВЕТ") == "über größe привет"


def test_every_spelling_folds_to_the_same() -> None:
    for letter in "aZéЖßσ大\u212a":
        assert letter in spellings(letter)
        assert {fold(other) for other in spellings(letter)} == {fold(letter)}

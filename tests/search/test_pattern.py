"""What to look for in one text: words, or an expression that can be stopped."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.search import pattern as module
from explorer.search.pattern import BadPattern, count_in, pattern


def spans(typed: str, text: str) -> list[str]:
    finder = pattern(typed)
    assert finder is not None
    return [text[start:end] for start, end in finder.spans(text)]


def test_words_match_whatever_their_case() -> None:
    assert spans("straße", "Straße STRASSE straße") == ["Straße", "straße"]
    assert spans("docker", "Docker docker DOCKER") == ["Docker", "docker", "DOCKER"]


LETTERS = "sSkKiI\u0130\u0131\u017f\u212aß… "


@given(st.text(LETTERS.strip(), min_size=1, max_size=3), st.text(LETTERS))
def test_words_are_found_where_an_expression_would_find_them(typed: str, text: str) -> None:
    flags = 0 if any(map(str.isupper, typed)) else re.IGNORECASE
    assert spans(typed, text) == re.findall(re.escape(typed), text, flags)


@given(st.text("abAß1 ", min_size=1, max_size=2), st.text('abABß1 "\\\n'), st.booleans())
def test_what_is_not_in_json_is_not_in_what_it_holds(typed: str, text: str, plain: bool) -> None:
    finder = pattern(typed)
    if finder is not None and finder.is_not_in(json.dumps({"output": text}, ensure_ascii=plain)):
        assert count_in(finder, text) == 0


def test_letters_written_as_numbers_may_be_anything() -> None:
    finder = pattern("abc")
    assert finder is not None
    assert not finder.is_not_in(r'{"output": "\u0061bc"}')
    assert finder.is_not_in(r'{"output": "ab\nc"}')


def test_a_capital_makes_case_matter() -> None:
    assert spans("Docker", "Docker docker DOCKER") == ["Docker"]
    assert spans("/D\\w+/", "Docker docker DOCKER") == ["Docker", "DOCKER"]
    assert spans("/\\Socker/", "Docker docker") == ["Docker", "docker"]


def test_nothing_is_looked_for_in_nothing() -> None:
    assert pattern("") is None
    assert pattern("  ") is None


def test_an_empty_match_is_none() -> None:
    assert spans("/x*/", "axxb") == ["xx"]


def test_an_expression_that_would_never_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    finder = pattern("/(a|aa)+$/")
    assert finder is not None
    with pytest.raises(BadPattern, match="too long"):
        count_in(finder, "a" * 4000 + "c")


@given(st.text(min_size=1, max_size=20), st.text(max_size=200))
def test_whatever_is_typed_finds_itself_and_never_fails(typed: str, around: str) -> None:
    try:
        finder = pattern(typed)
    except BadPattern:
        assert typed.startswith("/")
        assert typed.endswith("/")
        return
    if finder is not None and not typed.startswith("/"):
        assert count_in(finder, around + typed + around) >= 1

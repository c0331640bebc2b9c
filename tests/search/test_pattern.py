"""What to look for in one text: words, or an expression that can be stopped."""

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.search import pattern as module
from explorer.search.pattern import BadPattern, count_in, hurried, pattern


def spans(typed: str, text: str) -> list[str]:
    finder = pattern(typed)
    assert finder is not None
    return [text[start:end] for start, end in finder.spans(text)]


def test_words_match_whatever_their_case() -> None:
    assert spans("straße", "Straße STRASSE straße") == ["Straße", "straße"]
    assert spans("docker", "Docker docker DOCKER") == ["Docker", "docker", "DOCKER"]


def test_words_match_however_their_letters_are_composed() -> None:
    text = "café cafe\u0301 CAFE\u0301 검색 \u1100\u1165\u11b7\u1109\u1162\u11a8"
    for typed in ("café", "cafe\u0301"):
        assert spans(typed, text) == ["café", "cafe\u0301", "CAFE\u0301"]
    for typed in ("검색", "\u1100\u1165\u11b7\u1109\u1162\u11a8"):
        assert len(spans(typed, text)) == 2
    assert spans("CAFÉ", text) == ["CAFE\u0301"]


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


def test_an_expression_that_fills_the_memory_of_the_engine_is_stopped() -> None:
    finder = pattern("/(?f)(?:aaaaaaaaaa|((?:a|a){2i+1d<=9}){e})*?/")
    assert finder is not None
    with pytest.raises(BadPattern):
        count_in(finder, "hello")


def test_an_expression_that_is_slow_on_every_short_text_is_stopped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.3)
    finder = pattern("/(?:aaaaaaaaaaaaaaaaaaaa){e<=10}$/")
    assert finder is not None
    texts = ["hello docker this is"] * 1000
    with pytest.raises(BadPattern, match="too long"):
        sum(count_in(finder, text) for text in texts)


def test_an_expression_that_was_given_up_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.3)
    finder = pattern("/(a|aa)+$/")
    assert finder is not None
    text = "a" * 4000 + "c"
    with pytest.raises(BadPattern, match="too long"):
        count_in(finder, text)
    began = time.thread_time()
    with pytest.raises(BadPattern, match="too long"):
        count_in(finder, text)
    assert time.thread_time() - began < 0.1


def test_who_paints_waits_for_no_expression() -> None:
    finder = pattern("/(a|aa)+$/")
    assert finder is not None
    began = time.thread_time()
    with hurried(), pytest.raises(BadPattern, match="too long"):
        count_in(finder, "a" * 4000 + "c")
    assert time.thread_time() - began < 1
    # Elsewhere it is as good as before.
    assert count_in(finder, "aa a") == 1


def test_an_expression_that_is_quick_may_look_through_everything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    finder = pattern("/hel+o|d[aeo]cker/")
    assert finder is not None
    began = time.thread_time()
    while time.thread_time() - began < 0.5:
        assert count_in(finder, "hello docker " * 50) == 100


@pytest.mark.parametrize(
    "typed",
    [
        "/a{99999999}/",
        "/(?:ab){9999999}/",
        "/(a{1000}){1000}/",
        "/((((^{99}){99}){99}) {99})/",
        "/x{99999999,}/",
        f"/x{{{'9' * 5000}}}/",
    ],
)
def test_an_expression_that_would_fill_the_memory_is_refused(typed: str) -> None:
    with pytest.raises(BadPattern, match="repeats too many times"):
        pattern(typed)


@pytest.mark.parametrize("typed", ["/(?R)?x/", "/(a(?1)?b)/", "/(?P<n>(?&n)|x)/", "/(?P>n)/"])
def test_an_expression_must_not_call_itself(typed: str) -> None:
    with pytest.raises(BadPattern, match="refers to itself"):
        pattern(typed)


@pytest.mark.parametrize(
    "typed",
    [
        "/\\(\\?R\\)/",
        "/(a)?(?(1)b|c)/",
        "/[0-9a-f]{64}:[0-9a-f]{64}/",
        "/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/",
        "/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/",
        "/.{1000}needle/",
        "/a{1,99999999}/",
    ],
)
def test_expressions_of_everyday_size_are_welcome(typed: str) -> None:
    assert pattern(typed) is not None


@pytest.mark.parametrize(
    "typed",
    [f"/{'(' * 1000}{')' * 1000}/", "/(/", "/a**/", "/[/", "/\\N{x}/", "/(?au)x/", "/a{1i+1d<}/"],
)
def test_what_the_engine_cannot_read_is_told(typed: str) -> None:
    with pytest.raises(BadPattern):
        pattern(typed)


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

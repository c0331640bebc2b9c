"""What is lit of a block, as a person sees it: wrapped, indented and cut into styles."""

import time

import pytest

from explorer.render.blocks import Block
from explorer.render.lines import MATCH, Line
from explorer.search.pattern import pattern
from explorer.transcript.document import BlockPlace
from explorer.transcript.find import HERE, Highlights, as_seen, marked, matches_in


def _lit(lines: list[Line], text: str) -> list[list[str]]:
    finder = pattern(text)
    assert finder is not None
    found = matches_in(lines, finder)
    painted = [marked(line, places) for line, places in zip(lines, found, strict=True)]
    return [[part for part, style in line if style == MATCH] for line in painted]


def _line(*parts: str) -> Line:
    return tuple((part, "text") for part in parts)


def test_words_that_were_wrapped_are_lit_on_both_sides() -> None:
    lines = [_line("  the base image"), _line("  has no variant"), _line("  the base")]
    assert _lit(lines, "image has") == [["image"], ["has"], []]
    assert _lit(lines, "variant the base") == [[], ["variant"], ["the base"]]


def test_bars_of_quotes_and_code_do_not_come_between_words() -> None:
    assert _lit([_line("▎ no such"), _line("▎ thing")], "such thing") == [["such"], ["thing"]]


def test_a_match_may_go_over_several_styles() -> None:
    assert _lit([_line("has ", "no", " variant")], "has no v") == [["has ", "no", " v"]]


def test_an_expression_ends_with_its_line() -> None:
    lines = [_line("needle 7"), _line("needle 8")]
    assert _lit(lines, r"/needle \d$/") == [["needle 7"], ["needle 8"]]
    assert _lit(lines, r"/7 needle/") == [[], []]


def test_an_indent_that_is_looked_for_is_found() -> None:
    assert _lit([_line("x"), _line("    return")], "    ret") == [[], ["    ret"]]


def test_the_match_that_one_is_at_is_told_by_its_number() -> None:
    line, finder = _line("a b a b"), pattern("a")
    assert finder is not None
    painted = marked(line, matches_in([line], finder)[0], 1)
    assert [(part, style) for part, style in painted if style != "text"] == [
        ("a", MATCH),
        ("a", HERE),
    ]


@pytest.mark.parametrize(
    ("stored", "text", "seen"),
    [
        ("no **arm64** variant", "arm64 variant", "no arm64 variant"),
        ("no\n  such", "no such", "no such"),
        ("no **arm64** variant", "**arm64** v", "no **arm64** variant"),
        ("a **b**\nc", "b", "a **b**\nc"),
        ("a\nb", "/a b/", "a\nb"),
    ],
)
def test_what_is_looked_through_is_what_is_seen(stored: str, text: str, seen: str) -> None:
    finder = pattern(text)
    assert finder is not None
    assert as_seen(stored, finder, is_prose=True) == seen


def test_an_expression_that_takes_long_keeps_the_screen_waiting_once() -> None:
    lights = Highlights()
    lights.use(pattern("/(a|aa)+$/"))
    block = Block("text", (_line("a" * 4000 + "c"),))
    began = time.thread_time()
    assert [lights.of(BlockPlace(item, 0), block) for item in range(20)] == [((),)] * 20
    assert time.thread_time() - began < 1
    # What is looked for next is none the worse for it.
    lights.use(pattern("c"))
    assert lights.of(BlockPlace(0, 0), block)[0]

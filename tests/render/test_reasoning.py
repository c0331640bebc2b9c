"""Reasoning between tags in a text: what is reasoning, and what is only spoken of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render.reasoning import TAGS, split_reasoning, without_reasoning

FENCED = "Write this:\n```xml\n<think>\nhm\n</think>\n```\nDone."
QUOTED = "Put it between `<think>` and `</think>`, then answer."


@pytest.mark.parametrize(
    ("content", "text", "thoughts"),
    [
        ("plain", "plain", []),
        ("<think>hm</think>\nYes.", "Yes.", [(0, "hm")]),
        ("  <thinking>\na\n\nb\n</thinking>Yes.", "Yes.", [(0, "a\n\nb")]),
        ("One.\n<think>y</think>\nTwo.", "One.\n\nTwo.", [(4, "y")]),
        ("One <reasoning>x</reasoning> two", "One two", [(3, "x")]),
        ("<think>a</think>One.\n\n<thought>b</thought>", "One.", [(0, "a"), (4, "b")]),
        ("<think>a</think><think>b</think>So.", "So.", [(0, "a"), (0, "b")]),
        ("<think>cut off", "", [(0, "cut off")]),
        ("Well.\n<think>cut off", "Well.", [(5, "cut off")]),
        ("<think></think>\n\nSo.", "So.", []),
        ("It was in the prompt.\n</think>\n\nSo.", "So.", [(0, "It was in the prompt.")]),
        ("<REASONING_SCRATCHPAD>x</REASONING_SCRATCHPAD>So.", "So.", [(0, "x")]),
        # A tag that is quoted inside of the thought does not end it; a fence left open does not
        # keep it from ending.
        ("<think>end with `</think>` now</think>So.", "So.", [(0, "end with `</think>` now")]),
        ("<think>```py\nx = 1\n</think>So.", "So.", [(0, "```py\nx = 1")]),
    ],
)
def test_reasoning_between_tags_is_taken_out_of_the_text(
    content: str, text: str, thoughts: list[tuple[int, str]]
) -> None:
    assert split_reasoning(content) == (text, tuple(thoughts))
    assert without_reasoning(content) == text


@pytest.mark.parametrize(
    "text",
    [
        "I write <think> in a line",
        "the </think> tag ends it",
        FENCED,
        FENCED.replace("```", "~~~~"),
        "> ```\n> <think>x</think>\n> ```",
        "```\n<think>never closed, nor is the fence</think>",
        QUOTED,
        "``a ` <think>x</think>``",
        "<Thinker>no</Thinker> x<thinks>y</thinks>",
    ],
)
def test_a_tag_that_is_only_spoken_of_stays(text: str) -> None:
    assert split_reasoning(text) == (text, ())


def test_a_quote_before_or_behind_does_not_hide_reasoning() -> None:
    assert without_reasoning(f"{FENCED}\n<think>x</think>\n{QUOTED}") == f"{FENCED}\n\n{QUOTED}"
    assert (
        without_reasoning("one ` tick\n\n<think>x</think>So ` it is") == "one ` tick\n\nSo ` it is"
    )


marks = st.sampled_from(
    [
        *(f"<{sign}{name}>" for name in TAGS for sign in ("", "/")),
        *("`", "``", "```\n", "\n```\n", "~~~\n", "\n", " ", "> ", "word", "\n\n"),
    ]
)


@given(st.lists(marks, max_size=30).map("".join))
def test_nothing_but_tags_and_blanks_is_lost(text: str) -> None:
    found = split_reasoning(text)
    assert [at for at, _ in found.thoughts] == sorted(at for at, _ in found.thoughts)
    assert all(at <= len(found.text) for at, _ in found.thoughts)
    kept = found.text + "".join(thought for _, thought in found.thoughts)
    assert kept.count("word") == text.count("word")
    assert kept.count("`") == text.count("`")


@pytest.mark.parametrize(
    "piece",
    ["x<think>", "</think>", "`</think>` <think>", "`", "<think>`", "a<think>b</think>"],
)
def test_a_text_made_to_keep_us_busy_does_not(piece: str) -> None:
    # Were the work not linear, these would take hours.
    assert len(without_reasoning(piece * (3_000_000 // len(piece)))) <= 3_000_000


def test_fences_that_never_end_are_looked_for_once() -> None:
    # As above: the end of each was looked for in all of the text.
    falling = "".join("`" * length + "a\n" for length in range(2000, 2, -1))
    for fences in ("```a\n" * 400_000, "~~~\n````\n" * 200_000 + "~~~a\n", falling):
        assert split_reasoning(f"<think>{fences}</think>Said.").text == "Said."

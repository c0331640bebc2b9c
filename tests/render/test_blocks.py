"""Messages as blocks: what is folded, what a line says, what is capped."""

from typing import Any

import pytest

from explorer.model import Message, MessageState, ToolCall
from explorer.render.blocks import CAP, Block, Level, View, blocks
from explorer.render.clean import clean
from explorer.render.lines import line_width
from tests.hostile import HOSTILE


def message(role: str = "assistant", text: str = "", **more: Any) -> Message:
    plain = Message(
        id=1,
        session_id="s",
        role=role,
        timestamp=0.0,
        text=text,
        reasoning="",
        opaque_reasoning=False,
        tool_calls=(),
        tool_call_id=None,
        tool_name=None,
        finish_reason=None,
        state=MessageState.LIVE,
    )
    return plain._replace(**more)


def lines(made: tuple[Block, ...]) -> list[str]:
    return ["".join(text for text, _ in line) for block in made for line in block.lines]


CALL = ToolCall("c1", "terminal", {"command": "make all", "timeout": 5})


def test_a_result_is_drawn_with_the_call_it_answers() -> None:
    result = message("tool", '{"output": "a\\nb", "exit_code": 2}', tool_call_id="c1")
    assert lines(blocks(result, View(80), CALL)) == ["▸ terminal  make all  ✗ exit 2 · 2 lines"]


def test_a_call_without_a_result_says_so() -> None:
    made = lines(blocks(message(tool_calls=(CALL,)), View(80)))
    assert "▸ terminal  make all  no result" in made


def test_a_call_whose_result_stands_alone_is_not_drawn_twice() -> None:
    made = lines(blocks(message(tool_calls=(CALL,)), View(80, answered={"c1"})))
    assert not any("terminal" in line for line in made)


def test_unfolded_a_call_shows_its_arguments_and_its_output() -> None:
    result = message("tool", '{"output": "all\\ngood", "exit_code": 0}', tool_call_id="c1")
    made = lines(blocks(result, View(80, level=Level.FULL), CALL))
    assert made == [
        "▾ terminal  make all  ✓ 2 lines",
        "  $ make all",
        "  timeout: 5",
        "  all",
        "  good",
    ]


def test_a_call_that_the_reader_folded_or_unfolded_is_as_he_wants_it_at_every_level() -> None:
    result = message("tool", "all good", tool_call_id="c1")
    for level in Level:
        folded = blocks(result, View(80, level=level, folds={(1, "call"): True}), CALL)
        assert lines(folded) == ["▸ terminal  make all  ✓ 1 line"]
        full = blocks(result, View(80, level=level, folds={(1, "call"): False}), CALL)
        assert lines(full)[1:] == ["  $ make all", "  timeout: 5", "  all good"]


def test_the_levels_go_round() -> None:
    assert Level.FOLDED.next is Level.BRIEF
    assert Level.BRIEF.next is Level.FULL
    assert Level.FULL.next is Level.FOLDED


def test_what_is_brief_counts_as_folded_so_that_unfolding_shows_all() -> None:
    long = message("tool", "\n".join(map(str, range(900))), tool_call_id="c1")
    brief = blocks(long, View(80, level=Level.BRIEF), CALL)[0]
    assert (brief.foldable, brief.folded, brief.more) == (True, True, 0)
    full = blocks(long, View(80, level=Level.FULL), CALL)[0]
    assert (full.foldable, full.folded, full.more) == (True, False, 702)
    assert len(full.lines) == 1 + CAP + 1


def test_what_the_reader_folded_rules_over_what_is_unfolded_for_all() -> None:
    thought = message(reasoning="deep thought")
    assert "  deep thought" in lines(blocks(thought, View(80, unfolded={"reasoning"})))
    folded = View(80, unfolded={"reasoning"}, folds={(1, "reasoning"): True})
    assert "  deep thought" not in lines(blocks(thought, folded))


def test_reasoning_hidden_by_the_provider_is_labelled() -> None:
    made = lines(blocks(message(opaque_reasoning=True), View(80)))
    assert any("reasoning hidden by the provider" in line for line in made)


def test_reasoning_of_which_only_a_summary_can_be_read_says_so() -> None:
    made = lines(blocks(message(opaque_reasoning=True, reasoning="In short."), View(80)))
    assert "▸ reasoning · 2 words · rest hidden by the provider" in made


def test_a_system_prompt_and_a_summary_are_folded() -> None:
    prompt = lines(blocks(message("system", "You are helpful."), View(80)))
    assert "▸ system prompt · 3 words" in prompt
    summary = "[CONTEXT COMPACTION] the user wanted tea"
    assert any(
        "summary of earlier messages" in line
        for line in lines(blocks(message("user", summary), View(80)))
    )


def test_a_long_block_is_capped_and_says_how_much_more_there_is() -> None:
    text = "\n".join(f"line {number}" for number in range(1000))
    made = blocks(message("user", text), View(80))
    body = next(block for block in made if block.key == "text")
    assert body.more == 800
    assert len(body.lines) == CAP + 1
    assert "800 more lines" in body.lines[-1][0][0]


def test_a_block_that_is_wider_than_the_pane_says_so() -> None:
    made = blocks(message("user", "```\n" + "x" * 90 + "\n```"), View(80))
    body = next(block for block in made if block.key == "text")
    assert body.cut
    assert body.opens_alone
    assert body.lines[-1] == (("… cut off at the right · enter: full width", "link"),)
    fits = blocks(message("user", "```\nx\n```"), View(80))
    assert not any(block.opens_alone for block in fits)


def test_a_head_says_who_when_model_and_what_became_of_the_message() -> None:
    head = lines(blocks(message("user", "x"), View(80)))
    assert any(line.startswith("── you · 00:00") for line in head)
    gone = message(state=MessageState.REWOUND, repeats=3)
    assert any(
        "opus · 00:00 · rewound · ×3" in line
        for line in lines(blocks(gone, View(80, model="vendor/opus")))
    )


def test_an_answer_that_was_cut_off_says_so() -> None:
    made = lines(blocks(message(text="and then", finish_reason="length"), View(80)))
    assert "cut off: the answer reached its length limit" in made


def test_code_and_emphasis_are_styled_without_their_marks() -> None:
    made = blocks(message(text="use `make` and **wait**\n```sh\nls\n```"), View(80))
    spans = [span for block in made for line in block.lines for span in line]
    assert ("make", "code") in spans
    assert ("wait", "strong") in spans
    assert ("ls", "code-text") in spans
    assert not any("```" in text for text, _ in spans)


@pytest.mark.parametrize(("name", "text"), HOSTILE)
def test_no_text_breaks_out_of_its_pane(name: str, text: str) -> None:
    odd = message(
        text=text, reasoning=text, tool_calls=(ToolCall(text[:50], text, text),), role=text[:30]
    )
    view = View(50, model=text[:500], unfolded={"reasoning"}, level=Level.FULL)
    for one in (odd, odd._replace(role="tool", tool_name=text), odd._replace(role="assistant")):
        for block in blocks(one, view):
            for line in block.lines:
                assert line_width(line) <= 50, name
                assert all(clean(part) == part for part, _ in line), name

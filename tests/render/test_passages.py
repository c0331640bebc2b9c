"""How what nobody said is drawn: notices, summaries, skills, what is for the model alone."""

from typing import Any

import pytest

from explorer.model import MessageState
from explorer.render.blocks import View, blocks, whole_text
from explorer.render.clean import clean
from explorer.render.lines import line_width
from explorer.render.passages import passages
from tests.hostile import HOSTILE
from tests.render.test_blocks import lines, message
from tests.render.test_turns import ASKED, END, INVOKED, NOTICE

SKILLED = f"{INVOKED}\n\n{ASKED}patch the *blue* net"
CONTINUED = f"{NOTICE}\n\n{END}\n\nGo on, please"
UNFOLDED = View(60, folds={(1, "made"): False, (1, "text"): False})


def _drawn(text: str, view: View = View(60), **more: object) -> list[str]:  # noqa: B008
    return [line for line in lines(blocks(message("user", text, **more), view)) if line]


def test_a_skill_is_the_command_with_its_text_folded() -> None:
    assert _drawn(SKILLED) == [
        "── you · 00:00",
        "/mend — patch the blue net",
        "▸ skill mend · 29 words",
    ]
    unfolded = _drawn(SKILLED, UNFOLDED)
    assert unfolded[2] == "▾ skill mend · 29 words"
    assert "  Mend nets with care." in unfolded


def test_a_summary_is_folded_above_the_question_behind_it() -> None:
    assert _drawn(CONTINUED) == [
        "▸ summary of earlier messages · 43 words",
        "── you · 00:00",
        "Go on, please",
    ]
    assert _drawn(NOTICE) == ["▸ summary of earlier messages · 27 words"]


def test_what_is_marked_as_a_summary_is_folded_whatever_it_looks_like() -> None:
    assert _drawn("## Goal\nowls", summary=True) == ["▸ summary of earlier messages · 3 words"]


def test_a_notice_is_one_quiet_line_that_unfolds_to_its_text() -> None:
    told: dict[str, Any] = {"notice": "Model changed from a to b", "display": "model_switch"}
    assert _drawn("[switched to b]", **told) == ["▸ Model changed from a to b · 00:00"]
    assert _drawn("[switched to b]", UNFOLDED, **told)[1:] == ["  [switched to b]"]
    assert _drawn("", **told) == ["· Model changed from a to b · 00:00"]
    long: dict[str, Any] = {"notice": "Notice: " + "word " * 100}
    (line,) = _drawn("x", **long)
    assert line.endswith("… · 00:00")
    assert len(line) <= 60


def test_messages_for_the_model_only_are_labelled_and_dim() -> None:
    made = blocks(message("user", "scaffold", unseen=True), View(60))
    assert "── you · 00:00 · for the model only" in lines(made)
    assert {style for block in made for line in block.lines for _, style in line} <= {"dim", "text"}
    assert _drawn(NOTICE, unseen=True)[0].endswith("words · for the model only")
    (line,) = _drawn("x", notice="Model changed", unseen=True)
    assert line.endswith("for the model only")


def test_copies_and_reactions_are_told_in_the_head() -> None:
    head = _drawn("hello", repeats=3, reactions=("👍", "🎉"), state=MessageState.COMPACTED)[0]
    assert head == "── you · 00:00 · compressed · ×3 · 👍 · 🎉"


@pytest.mark.parametrize("text", [SKILLED, CONTINUED, NOTICE, "hello"])
def test_every_block_stands_for_its_own_piece(text: str) -> None:
    told = message("user", text)
    for one in passages(told):
        assert whole_text(told, one.key, None) == one.text


@pytest.mark.parametrize(("name", "text"), HOSTILE, ids=[name for name, _ in HOSTILE])
def test_no_stored_text_breaks_a_notice_or_the_name_of_a_skill(name: str, text: str) -> None:
    short = text[:2000]
    skill = f'[IMPORTANT: The user has invoked the "{short}" skill, …]\nbody\n{ASKED}{short}'
    for told in (
        message("user", "x", notice=short or "x", reactions=(short,)),
        message("user", skill, unseen=True),
        message("user", skill, reactions=(short,)),
    ):
        for view in (View(44), UNFOLDED._replace(width=44)):
            for block in blocks(told, view):
                for line in block.lines:
                    said = "".join(part for part, _ in line)
                    assert clean(said) == said
                    assert "\n" not in said
                    assert line_width(line) <= 44

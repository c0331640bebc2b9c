"""What was said in a turn, and what the agent put around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.render.passages import SUMMARY, Turn, begins_as_made, turn
from tests.hostile import HOSTILE

NOTICE = (
    "[CONTEXT COMPACTION — REFERENCE ONLY] Earlier turns were compacted into the summary below."
    " Do NOT answer questions mentioned in this summary:\n\n## Goal\nKeep the light burning."
)
END = "--- END OF CONTEXT SUMMARY — respond to the message below, not the summary above ---"
OLDER = "[PRIOR CONTEXT — for reference only; not a new message]"
BELOW = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
INVOKED = (
    '[IMPORTANT: The user has invoked the "mend" skill, indicating they want you to follow its'
    " instructions. The full skill content is loaded below.]\n\n# Mend\nMend nets with care."
)
ASKED = "The user has provided the following instruction alongside the skill invocation: "
BUNDLE = (
    '[IMPORTANT: The user has invoked the "/clean /work" skill bundle, loading 2 skills together.'
    " Treat every skill below as active guidance for this turn.]\n\nBundle: /clean /work\n"
    "Skills loaded: clean, work"
)
LOADED = (
    '[IMPORTANT: The "ops" skill is auto-loaded. Follow its instructions for this session.]\n\n'
    "# Ops\nResolve any relative paths, then run them with the terminal tool using the absolute"
    " path."
)


@pytest.mark.parametrize(
    ("text", "said", "label"),
    [
        ("hello", "hello", ""),
        ("[todo] buy milk", "[todo] buy milk", ""),
        ("the [CONTEXT COMPACTION] notice is odd", "the [CONTEXT COMPACTION] notice is odd", ""),
        (f"I saw {BELOW} in a log", f"I saw {BELOW} in a log", ""),
        (NOTICE, "", SUMMARY),
        ("[CONTEXT SUMMARY]: birds", "", SUMMARY),
        (f"{NOTICE}\n\n{END}\n\nGo on,\nplease ", "Go on,\nplease", SUMMARY),
        (f"{NOTICE}\n\n{END}\n\n", "", SUMMARY),
        (f"{OLDER}\nwhat about owls?\n\n{BELOW}\n{NOTICE}", "what about owls?", SUMMARY),
        (f"what about owls?\n{BELOW}\n{NOTICE}\n{END}", "what about owls?", SUMMARY),
        (f"{OLDER}\nwhat about owls?", "what about owls?", SUMMARY),
        (INVOKED, "/mend", "skill mend"),
        (f"{INVOKED}\n\n{ASKED}patch the\nblue net", "/mend — patch the\nblue net", "skill mend"),
        (f"{INVOKED}\n\n{ASKED} ", "/mend", "skill mend"),
        (f"{INVOKED}\n\n{ASKED}patch\n\n[Runtime note: x]", "/mend — patch", "skill mend"),
        (f"{INVOKED}\nSays: {ASKED}x\n\n{ASKED}patch", "/mend — patch", "skill mend"),
        (INVOKED.replace("IMPORTANT", "SYSTEM"), "/mend", "skill mend"),
        (BUNDLE, "/clean /work", "skill /clean /work"),
        (
            f"{BUNDLE}\n\nUser instruction: tidy up\n\n[Loaded as part of the x]\n{ASKED}y",
            "/clean /work — tidy up",
            "skill /clean /work",
        ),
        (f"{LOADED}\n\nrestart the server", "restart the server", "skill ops"),
        (LOADED, "/ops", "skill ops"),
        (LOADED[:90], "/ops", "skill ops"),
    ],
)
def test_what_a_person_said_is_told_from_what_the_agent_made(
    text: str, said: str, label: str
) -> None:
    found = turn(text)
    assert (found.said, found.label) == (said, label)
    assert bool(found.made) == bool(label)
    assert found.is_summary == (label == SUMMARY)
    assert found.names_skill == label.startswith("skill")


def test_a_text_that_is_marked_as_a_summary_is_one_whatever_it_looks_like() -> None:
    assert turn("## Goal\nowls", summary=True) == Turn("", "## Goal\nowls", SUMMARY)
    assert turn(f"## Goal\n{END}\nand now?", summary=True).said == "and now?"


def test_the_skills_text_is_kept_without_the_instruction() -> None:
    made = turn(f"{INVOKED}\n\n{ASKED}patch\n\n[Runtime note: x]").made
    assert "Mend nets with care." in made
    assert made.endswith("[Runtime note: x]")
    assert "patch" not in made


def test_only_a_beginning_is_needed_to_know_that_words_come_later() -> None:
    assert begins_as_made(NOTICE)
    assert begins_as_made(INVOKED[:120])
    assert begins_as_made(LOADED[:80])
    assert not begins_as_made("[todo] mend the net")


PIECES = (
    *(text for _, text in HOSTILE if len(text) < 500),
    *(NOTICE, END, OLDER, BELOW, INVOKED, ASKED, BUNDLE, LOADED, "\n", "quokka", "\0", '"'),
)
TEXTS = st.lists(st.integers(0, len(PIECES) - 1), max_size=8).map(
    lambda numbers: "".join(PIECES[number] for number in numbers)
)


@given(TEXTS, st.booleans())
def test_no_text_is_too_odd_and_no_word_is_lost(text: str, summary: bool) -> None:
    found = turn(text, summary)
    assert f"{found.said}\n{found.made}".count("quokka") == text.count("quokka")
    assert found.made or not found.label or not text
    assert found.label or found.said == text

"""What one row of the list shows: names, times and marks, in the room that there is."""

import pytest

from explorer.browse.row_lines import marks_of, row_lines
from explorer.model import Kind, Session, State
from explorer.render.clean import cell_width
from explorer.tui.words import MARKS
from tests.tui.driving import NOW

DAY = 86_400.0
PLAIN = Session(
    key=1,
    id="one",
    source="telegram",
    kind=Kind.ROOT,
    state=State.ENDED,
    title="Trip to Kyoto",
    preview="find me a ryokan",
    last_reply="Booked for two.",
    last_active=NOW - 120,
    message_count=2,
    model=None,
    started_at=NOW - 200,
    ended_at=NOW - 100,
    end_reason="cli_close",
    tool_call_count=0,
    parent_id=None,
    root_id="one",
    tip_id="one",
    parts=1,
    archived=False,
    profile=None,
    workspace=None,
    git_branch=None,
    input_tokens=None,
    output_tokens=None,
    cost_usd=None,
    cost_status=None,
)


def _texts(session: Session, width: int, fate: str = "", **how: bool) -> list[str]:
    lines = row_lines(session, width, True, NOW, fate=fate, **how)  # type: ignore[arg-type]
    return ["".join(text for text, _ in line) for line in lines]


@pytest.mark.parametrize(
    ("change", "mark"),
    [
        ({}, ""),
        ({"state": State.RUNNING}, "●"),
        ({"state": State.OPEN}, "○"),
        ({"state": State.OPEN, "broken_off": True}, "✗"),
        ({"state": State.RUNNING, "broken_off": True}, "●"),
        ({"parts": 3}, "↪3"),
        ({"kind": Kind.BRANCH}, "⌥"),
        ({"kind": Kind.SUBAGENT}, "↳"),
        ({"subagents": 3}, "↳3"),
        ({"archived": True}, "▣"),
        ({"restored": True}, "◇"),
        ({"hidden": True}, "⊘"),
        ({"unread": True}, "✱"),
        ({"unread": True, "state": State.RUNNING, "hidden": True}, "✱ ● ⊘"),
        ({"state": State.OPEN, "parts": 3, "subagents": 2, "archived": True}, "○ ↪3 ↳2 ▣"),
    ],
)
def test_what_is_special_has_a_mark(change: dict[str, object], mark: str) -> None:
    session = PLAIN._replace(**change)  # type: ignore[arg-type]
    assert " ".join(marks_of(session)) == mark
    assert f"{mark} " in _texts(session, 80)[0]


def test_every_mark_is_explained_in_help() -> None:
    explained = {sign[0] for sign, _ in MARKS}
    shown = {"★", "◌", "◷"}
    for state in State:
        for kind in Kind:
            for broken in (False, True):
                session = PLAIN._replace(
                    state=state,
                    kind=kind,
                    broken_off=broken,
                    parts=3,
                    subagents=3,
                    archived=True,
                    restored=True,
                    hidden=True,
                    unread=True,
                )
                shown |= {mark[0] for mark in marks_of(session)}
    assert shown == explained


def test_what_is_pinned_and_what_is_listed_although_hidden_is_marked() -> None:
    assert "★ ◌" in _texts(PLAIN, 80, pinned=True, excepted=True)[0]


def test_what_is_about_to_be_deleted_is_marked() -> None:
    assert "★ ◷? " in _texts(PLAIN, 80, pinned=True, fate="◷?")[0]
    assert "◷" not in "".join(_texts(PLAIN, 80))


@pytest.mark.parametrize("width", [30, 45, 60, 80, 120])
def test_marks_and_sources_stand_below_each_other_whatever_the_time(width: int) -> None:
    ages = (10.0, 120.0, 7_200.0, DAY, 5 * DAY, 60 * DAY, 700 * DAY)
    rows = [
        _texts(PLAIN._replace(last_active=NOW - age, state=State.OPEN), width)[0] for age in ages
    ]
    assert len({row.index("○") for row in rows}) == 1
    assert len({row.find("telegram") for row in rows}) == 1
    assert {cell_width(row.rstrip()) <= width for row in rows} == {True}


@pytest.mark.parametrize("width", range(8, 140, 3))
def test_a_row_is_never_wider_than_its_list(width: int) -> None:
    wide = PLAIN._replace(title="日本語の練習" * 9, preview="👩‍💻 " * 50, last_reply="ok " * 90)
    for session in (PLAIN, wide):
        assert all(cell_width(text) <= max(width, 12) for text in _texts(session, width))


@pytest.mark.parametrize(
    ("width", "there", "gone"),
    [
        (80, ["Trip to Kyoto", "2m", "telegram", "○"], []),
        (34, ["Trip to Kyoto", "2m", "○"], ["telegram"]),
        (15, ["Trip to", "2m", "○"], ["telegram"]),
    ],
)
def test_the_source_yields_first_and_the_title_never(
    width: int, there: list[str], gone: list[str]
) -> None:
    text = _texts(PLAIN._replace(state=State.OPEN), width)[0]
    assert all(word in text for word in there)
    assert not any(word in text for word in gone)


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Dry run: **1,198** labels", "Dry run: 1,198 labels"),
        ("use `docker compose` now", "use docker compose now"),
        ("Here: ```python print('hi') ```", "Here: print('hi')"),
        ("*Yesterday:* shipped", "Yesterday: shipped"),
        ("2**3 and 4 * 5 * 6", "2**3 and 4 * 5 * 6"),
        ("def f(*args, **kwargs)", "def f(*args, **kwargs)"),
        ("**", "**"),
        ("`", "`"),
    ],
)
def test_words_are_shown_without_the_signs_of_markdown(stored: str, shown: str) -> None:
    assert _texts(PLAIN._replace(preview="", last_reply=stored), 80)[1].rstrip() == shown
    untitled = PLAIN._replace(title=None, preview=stored)
    assert _texts(untitled, 80)[0].startswith(shown)


def test_a_title_is_shown_as_it_is() -> None:
    assert _texts(PLAIN._replace(title="**bold** `code`"), 80)[0].startswith("**bold** `code`")

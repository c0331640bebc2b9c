"""What one row of the list shows: names, times and marks, in the room that there is."""

from datetime import datetime

import pytest

from explorer.browse.row_cache import KnownRows
from explorer.browse.row_columns import ColumnChoice, RowShape, shaped
from explorer.browse.row_lines import marks_of, row_lines
from explorer.browse.words import profile_in
from explorer.model import Kind, ListColumn, Session, Sort, State
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
    shape = shaped([session], RowShape(width), NOW)
    lines = row_lines(session, shape, True, NOW, fate=fate, **how)  # type: ignore[arg-type]
    return ["".join(text for text, _ in line) for line in lines]


def _page(sessions: list[Session], width: int, **choice: object) -> list[str]:
    """The first lines of rows that are visible together."""
    wanted = ColumnChoice(**choice)  # type: ignore[arg-type]
    shape = shaped(sessions, RowShape(width, wanted), NOW)
    return ["".join(text for text, _ in row_lines(one, shape, False, NOW)[0]) for one in sessions]


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
    rows = _page([PLAIN._replace(last_active=NOW - age, state=State.OPEN) for age in ages], width)
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


def test_a_row_without_a_title_does_not_say_the_same_words_twice() -> None:
    long = "first words " * 4 + "and some more, and the last ones"
    untitled = PLAIN._replace(title=None, preview=long)
    assert _texts(untitled, 60)[1].rstrip() == "Booked for two."
    first, second = _texts(untitled._replace(last_reply=""), 60)
    assert first.startswith("first words")
    assert second.startswith("…")
    assert second.rstrip().endswith("and the last ones")
    assert _texts(untitled._replace(preview="Hi", last_reply=""), 60)[1].rstrip() == "no answer"
    answer = PLAIN._replace(title=None, preview="", last_reply="Only this.")
    assert _texts(answer, 60)[0].startswith("Only this.")
    assert "Only this." not in _texts(answer, 60)[1]
    cut = PLAIN._replace(title="find me a ryo…")
    assert _texts(cut, 60)[1].rstrip() == "Booked for two.", "a title made of the first words"


def test_a_title_is_shown_as_it_is() -> None:
    assert _texts(PLAIN._replace(title="**bold** `code`"), 80)[0].startswith("**bold** `code`")


@pytest.mark.parametrize(("width", "title"), [(40, 27), (49, 36), (67, 54), (75, 56)])
def test_the_title_has_all_the_room_that_the_visible_rows_leave(width: int, title: int) -> None:
    """At 100, 120, 160 and 80 columns, where it had 20, 29, 47 and 51 cells."""
    long = PLAIN._replace(title="x" * 99, last_active=NOW - DAY)
    other = PLAIN._replace(title="y" * 99, source="cli")
    shown = _page([long, other], width)
    assert [row.index("…") + 1 for row in shown] == [title, title]
    alone = _page([other], width)[0]
    assert alone.index("…") + 1 > title, "what is not visible takes no room"


RICH = PLAIN._replace(
    message_count=1204,
    input_tokens=1_150_000,
    output_tokens=50_000,
    cost_usd=0.4249,
    model="anthropic/claude-opus-4.5",
    workspace="/home/ada/code/infra/",
)


@pytest.mark.parametrize(
    ("sort", "narrow", "roomy"),
    [
        (Sort.MESSAGES, "1,204", "1,204 msgs"),
        (Sort.TOKENS, "1.2M", "1.2M tokens"),
        (Sort.COST, "$0.42", "$0.42"),
        (Sort.STARTED, "3m", "3m"),
    ],
)
def test_what_the_list_is_sorted_by_is_in_its_rows(sort: Sort, narrow: str, roomy: str) -> None:
    for width, said in ((30, narrow), (49, narrow), (75, roomy), (120, roomy)):
        assert f" {said} " in _page([RICH], width, sort=sort)[0] + " "
    assert " 1.2M" not in _page([RICH], 49)[0]


def test_figures_are_aligned_at_the_right_and_unknown_ones_say_so() -> None:
    rich = [RICH, RICH._replace(cost_usd=None), RICH._replace(cost_usd=1204.5)]
    shown = _page([*rich, RICH._replace(cost_usd=0.0001)], 60, sort=Sort.COST)
    ends = {
        row.index(said) + len(said)
        for row, said in zip(shown, ("$0.42", " ?", "$1,204.50", "<$0.01"), strict=True)
    }
    assert len(ends) == 1


def test_a_wide_list_shows_messages_workspace_and_model_as_room_allows() -> None:
    assert "1,204" not in _page([RICH], 75)[0]
    assert _page([RICH], 85)[0].split()[3:] == ["1,204", "msgs", "infra", "2m", "telegram"]
    wide = _page([RICH], 110)[0]
    assert wide.split()[3:] == ["1,204", "msgs", "infra", "claude-opus-4.5", "2m", "telegram"]
    assert "claude" not in _page([PLAIN], 110)[0], "a column of nothing takes no room"


def test_the_columns_that_the_user_has_set_are_shown_in_their_order() -> None:
    columns = (ListColumn.SOURCE, ListColumn.COST, ListColumn.TIME)
    assert _page([RICH], 60, chosen=columns)[0].split()[3:] == ["telegram", "$0.42", "2m"]
    assert _page([RICH], 30, chosen=columns)[0].split()[3:] == ["telegram", "2m"]
    sorted_by = _page([RICH], 60, chosen=columns, sort=Sort.TOKENS)[0].split()[3:]
    assert sorted_by == ["1.2M", "telegram", "$0.42", "2m"]
    assert _page([RICH], 60, chosen=())[0].split() == ["Trip", "to", "Kyoto"]


@pytest.mark.parametrize("width", [24, 40, 67, 85, 120])
def test_wide_characters_emoji_and_right_to_left_text_keep_the_columns(width: int) -> None:
    sources = ("telegram", "電報", "📨 mail", "בוט")
    names = ("plain", "日本語の練習" * 20, "👩‍💻 deploy 🚀" * 12, "שלום עולם " * 15)
    rows = [
        RICH._replace(title=name, source=source, workspace=f"/w/{source}", state=State.OPEN)
        for name, source in zip(names, sources, strict=True)
    ]
    shown = _page(rows, width)
    assert {cell_width(row) for row in shown} == {width}
    assert len({cell_width(row[: row.index("○")]) for row in shown}) == 1


def test_columns_only_grow_while_the_same_list_is_scrolled() -> None:
    known, choice = KnownRows(), ColumnChoice()
    known.add({1: PLAIN, 2: PLAIN._replace(last_active=NOW - 700 * DAY)}, {})
    short = known.lay_out([1], 49, choice, NOW)
    assert known.lay_out([1, 2], 49, choice, NOW) != short
    assert known.lay_out([1], 49, choice, NOW) == known.lay_out([2], 49, choice, NOW)
    assert known.lay_out([1], 60, choice, NOW).cells == short.cells, "another width begins anew"


def test_a_time_can_be_a_day_and_an_hour() -> None:
    at = datetime.fromtimestamp(NOW - 3 * DAY)
    shown = _page([PLAIN._replace(last_active=NOW - 3 * DAY), PLAIN], 60, absolute=True)
    assert f" {at.day} Sep {at:%H:%M} " in shown[0]
    assert f" {datetime.fromtimestamp(NOW - 120):%H:%M} " in shown[1]


@pytest.mark.parametrize("width", [30, 40, 48, 60, 100])
def test_rows_of_profiles_with_long_names_are_told_apart(width: int) -> None:
    names = ("customer-support-berlin", "customer-support-paris")
    rows = [PLAIN._replace(place=name) for name in names]
    shape = shaped(rows, RowShape(width, ColumnChoice(profiles=True)), NOW)
    first, second = (str(row_lines(row, shape, False, NOW)[0]) for row in rows)
    assert first != second
    assert "Trip" in first


def test_a_long_name_of_a_profile_keeps_its_beginning_and_its_end() -> None:
    row = PLAIN._replace(place=f"customer-{'x' * 50}-2")
    shape = shaped([row], RowShape(52, ColumnChoice(profiles=True)), NOW)
    line = "".join(text for text, _ in row_lines(row, shape, False, NOW)[0])
    assert " custome" in line
    assert "x-2" in line
    assert line.count("…") == 1


OWNED = PLAIN._replace(place="default", profile="default", owner="coder")


@pytest.mark.parametrize("width", [42, 46, 58, 78, 120])
def test_the_owner_and_the_file_of_a_session_are_whole_where_titles_leave_room(width: int) -> None:
    rows = [OWNED, PLAIN._replace(place="coder", profile="coder")]
    owned, plain = _page(rows, width, profiles=True)
    assert "coder, in default" in owned
    assert owned.index("coder, in") == plain.index("coder")
    assert "Trip to Kyoto" in owned


@pytest.mark.parametrize("width", range(36, 42))
def test_in_little_room_both_names_are_cut_and_not_what_stands_between_them(width: int) -> None:
    (row,) = _page([OWNED], width, profiles=True)
    owner, _, file = row.rstrip().partition(", in ")
    assert owner.endswith(("coder", "c…er", "c…r"))
    assert file[0] == "d"
    assert file[-1] == "t"
    assert cell_width(row) == width


def test_long_names_of_owner_and_file_share_the_room() -> None:
    long = OWNED._replace(place="the-archive-of-the-laptop", owner="gardening-department")
    assert profile_in(long, 28) == "garde…tment, in the-a…laptop"
    assert profile_in(long._replace(owner="me"), 28) == "me, in the-archiv…the-laptop"
    assert profile_in(long._replace(owner=None), 11) == "the-a…aptop"

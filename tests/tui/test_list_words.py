"""The sentences of the list: its border, and what an empty list says."""

import re

import pytest

from explorer.browse.arrangement import Arranged, Found, Wish
from explorer.browse.words import ListKeys, border, in_place_of_rows
from explorer.model import Hidden
from explorer.search.engine import SearchResult
from explorer.search.filters import Filters
from explorer.search.language.query import parse

KEYS = ListKeys(show_hidden=".", remove_filter="⌫", clear_search="esc")
MANY = {Hidden.EMPTY: 13, Hidden.CRON: 40, Hidden.TOOL: 3, Hidden.ARCHIVED: 5}


def _found(hidden: dict[Hidden, int], listed: int, sessions: bool = False) -> Arranged:
    found = Found(SearchResult(parse("zzz", 0.0)), 0, 0.1, sessions=sessions)
    return Arranged((), (), hidden, listed, found=found)


@pytest.mark.parametrize(
    ("hidden", "room", "said"),
    [
        ({}, 80, "43 listed"),
        (
            MANY | {Hidden.CONTINUATION: 2},
            90,
            "43 listed · hidden: 40 cron, 13 empty, 5 archived, 3 tool (. shows) · 2 parts folded",
        ),
        (MANY, 70, "43 listed · hidden: 40 cron, 13 empty, 5 archived, 3 tool (. shows)"),
        (MANY, 60, "43 listed · hidden: 40 cron, 13 empty, 5 archived, 3 tool"),
        (MANY, 48, "43 listed · hidden: 40 cron, 13 empty, 8 other"),
        (MANY, 36, "43 listed · 40 cron, 21 other"),
        (MANY, 28, "43 listed · 61 hidden"),
        (MANY, 20, "43 · 61 hidden"),
        (MANY, 16, "43 · 61 hidden"),
        (MANY, 10, "43 of 104"),
        (
            MANY | {Hidden.CONTINUATION: 2, Hidden.FILTERED: 7},
            82,
            "43 listed · hidden: 40 cron, 13 empty, 5 archived, 3 tool · 7 filtered · 2 folded",
        ),
        (MANY | {Hidden.CONTINUATION: 2}, 52, "43 listed · 40 cron, 13 empty, 8 other · 2 folded"),
        (
            {Hidden.CRON: 28_310, Hidden.SUBAGENT: 6_120, Hidden.TOOL: 4_366},
            52,
            "43 listed · 28,310 cron, 6,120 subagent, 4,366 tool",
        ),
        (
            {Hidden.CONTINUATION: 2},
            80,
            "43 listed · 2 earlier parts folded into their conversations",
        ),
        ({Hidden.CONTINUATION: 1}, 80, "43 listed · 1 earlier part folded into its conversation"),
        ({Hidden.CONTINUATION: 2}, 40, "43 listed · 2 parts folded"),
        ({Hidden.FILTERED: 9}, 80, "43 listed · 9 filtered out"),
        (
            {Hidden.FILTERED: 9, Hidden.CRON: 2},
            80,
            "43 listed · hidden: 2 cron (. shows) · 9 filtered out",
        ),
    ],
)
def test_the_border_counts_what_is_hidden_in_the_room_there_is(
    hidden: dict[Hidden, int], room: int, said: str
) -> None:
    assert border(Arranged((), (), hidden, 43), room, ".") == said


@pytest.mark.parametrize("folded", [0, 2])
@pytest.mark.parametrize("filtered", [0, 1_200])
@pytest.mark.parametrize("classes", [{}, MANY, {Hidden.CRON: 48_000}])
def test_the_numbers_of_every_form_add_up(
    classes: dict[Hidden, int], filtered: int, folded: int
) -> None:
    hidden = {**classes, Hidden.FILTERED: filtered, Hidden.CONTINUATION: folded}
    total = 43 + sum(hidden.values())
    forms = {border(Arranged((), (), hidden, 43), room, ".") for room in range(16, 160)}
    for form in forms:
        numbers = [int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", form)]
        assert sum(numbers) == total or f" of {total:,}" in form, form


@pytest.mark.parametrize(
    ("sessions", "room", "said"),
    [
        (
            False,
            80,
            "14 listed · 7 more hits in subagent and empty sessions · ctrl+o includes them",
        ),
        (False, 72, "14 listed · 7 more hits in subagent and empty sessions (ctrl+o shows)"),
        (True, 62, "7 more matches in subagent and empty sessions (ctrl+o shows)"),
        (False, 46, "7 more hits in hidden sessions (ctrl+o shows)"),
        (False, 40, "7 more hits hidden (ctrl+o shows)"),
        (False, 20, "7 more hits hidden"),
    ],
)
def test_the_border_counts_hits_in_hidden_sessions_in_the_room_there_is(
    sessions: bool, room: int, said: str
) -> None:
    hidden = {Hidden.EMPTY: 1, Hidden.SUBAGENT: 6}
    assert border(_found(hidden, 14, sessions), room, "ctrl+o") == said


@pytest.mark.parametrize(
    ("hidden", "said"),
    [
        ({}, "No matches for “zzz”. Try fewer words, or esc to clear."),
        (
            {Hidden.CRON: 40},
            "No visible session matches. 40 hits in hidden cron sessions: press . to include them.",
        ),
        (
            {Hidden.FILTERED: 1},
            "No visible session matches. 1 hit filtered out. Remove a filter to see more.",
        ),
    ],
)
def test_an_empty_result_says_what_to_do(hidden: dict[Hidden, int], said: str) -> None:
    assert in_place_of_rows(_found(hidden, 0), Wish(), 50, KEYS) == said


def test_an_empty_list_says_why_it_is_empty() -> None:
    nothing = Arranged((), (), {}, 0)
    unread = Wish(filters=Filters(unread=True))
    assert in_place_of_rows(nothing, Wish(), 0, KEYS).startswith("No sessions yet.")
    said = "All sessions are hidden. Press . to show them."
    assert in_place_of_rows(nothing, Wish(), 3, KEYS) == said
    said = "No session matches these filters. Press ⌫ to remove the last one."
    assert in_place_of_rows(nothing, unread, 3, KEYS) == said

"""What is printed below a list and below the hits of a search."""

from explorer.commands.words import list_summary, search_summary, unknown_source
from explorer.model import Hidden


def test_a_list_says_how_much_it_shows_and_what_is_hidden() -> None:
    hidden = {Hidden.CRON: 1_500, Hidden.HIDDEN: 2, Hidden.CONTINUATION: 7}
    assert list_summary(53, 53, {}) == "53 sessions"
    assert list_summary(1, 53, hidden) == (
        "1 of 53 sessions (--limit 0 lists all) · hidden: 1,500 cron, 2 agent-hidden"
        " · 7 earlier parts folded into conversations (--all includes them)"
    )


def test_an_empty_list_says_whether_a_filter_is_the_reason() -> None:
    assert list_summary(0, 0, {}) == "No sessions"
    assert list_summary(0, 0, {Hidden.EMPTY: 1}) == (
        "No sessions · hidden: 1 empty (--all includes them)"
    )
    assert list_summary(0, 0, {Hidden.FILTERED: 81}) == "No session matches · 81 filtered out"


def test_a_search_counts_hits_in_hidden_sessions() -> None:
    assert search_summary("owl", 1, 11, (), {Hidden.TOOL: 1}) == (
        "1 of 11 hits (--limit 0 lists all)"
        " · 1 more hit in hidden tool sessions (--all includes them)"
    )
    assert search_summary("owl", 0, 0, (), {Hidden.TOOL: 1, Hidden.CRON: 28}) == (
        "No matches for “owl” · 29 hits in hidden sessions: 1 tool, 28 cron (--all includes them)"
    )


def test_an_empty_search_repeats_what_was_searched_and_what_was_not_understood() -> None:
    words = search_summary("owl\n x:y", 0, 0, ("a note",), {})
    assert words == "No matches for “owl x:y” · a note"


def test_an_unknown_source_names_the_closest_ones() -> None:
    known = ["cli", "telegram", "cron"]
    assert unknown_source("telegrm", known) == (
        "No source 'telegrm' in this file. Closest: telegram."
    )
    assert unknown_source("x", known) == "No source 'x' in this file. Sources: cli, cron, telegram."

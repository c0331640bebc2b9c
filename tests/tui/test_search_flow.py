"""The flow of a search: what stays in sight, what is said, what is lit, and where keys lead."""

from pathlib import Path
from typing import Any

import pytest
from rich.segment import Segment

from explorer.model import KeySetting
from explorer.settings import Config
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.store import HermesStore
from explorer.tui.list.search_bar import ChipBar
from explorer.tui.list.session_list import SessionList
from explorer.tui.reading.block_screen import LongText
from explorer.tui.reading.find_bar import FindBar
from explorer.tui.screens.main import MainScreen
from explorer.tui.widgets.bars import KeyBar
from explorer.tui.widgets.painted import PaintedView
from tests.factories import altered, talk
from tests.search.test_spoilt_tables import drop_triggers
from tests.tui.driving import NOW, Driver, Held, opened


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        talk(state, "short", "owl owl", at=NOW - 900, title="In short")
        talk(state, "named", "nothing", "an owl", at=NOW - 800, title="Owl house")
        talk(state, "long", "word " * 60 + "owl", at=NOW - 700, title="At length")
        talk(state, "gull", "a gull", at=NOW - 600, title="By the sea", source="telegram")
        state.create_session("thought", "cli", started_at=NOW - 500, title="Quiet")
        state.append_message("thought", "user", "hm?", timestamp=NOW - 490)
        state.append_message(
            "thought", "assistant", "Yes.", reasoning="a heron, surely", timestamp=NOW - 480
        )
        talk(state, "job", "a gull again", source="cron", at=NOW - 400, title="Tide table")
        talk(state, "tool", "gull, gull", source="tool", at=NOW - 300)
    return path


async def _search(driver: Driver, text: str) -> None:
    await driver.press("slash")
    driver.main.search_bar.input.value = text
    await driver.settle()


def _chips(driver: Driver) -> list[str]:
    return [chip.words for chip in driver.main.query_one(ChipBar).chips]


def _is_stale(driver: Driver) -> bool:
    return driver.main.sessions.stale


def _segments(view: PaintedView, text: str) -> list[Segment]:
    lines = (view.render_line(y) for y in range(view.size.height))
    return [segment for line in lines for segment in line if segment.text == text]


async def test_old_results_stay_dimmed_until_new_ones_come(
    birds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(birds) as driver:
        await _search(driver, "owl")
        sessions, before = driver.main.sessions, driver.listed()
        lit = _segments(sessions, "owl")
        assert lit
        held = Held(monkeypatch, HermesStore, "indexed")
        driver.main.search_bar.input.value = "gull"
        await held.holds(driver)
        await driver.until_seen(lambda: _is_stale(driver))
        assert driver.listed() == before
        assert "owl" in driver.screen()
        assert all(s.style != lit[0].style for s in _segments(sessions, "owl"))
        held.let_go()
        await driver.settle()
        assert not _is_stale(driver)
        assert driver.listed() == ["By the sea"]


async def test_hits_in_hidden_sessions_are_counted_with_the_key_that_shows_them(
    birds: Path,
) -> None:
    async with opened(birds, size=(200, 40)) as driver:
        await _search(driver, "gull")
        said = "1 listed · 2 more hits in tool and cron sessions"
        assert driver.counted() == f"{said} · ctrl+o includes them"
        driver.main.set_focus(driver.main.sessions)
        await driver.settle()
        assert driver.counted() == f"{said} · . includes them", "a dot is a key in the list"
        await driver.press("full_stop")
        assert len(driver.listed()) == 3


async def test_hidden_sessions_can_be_included_while_typing(birds: Path) -> None:
    async with opened(birds) as driver:
        await _search(driver, "gull")
        assert driver.listed() == ["By the sea"]
        await driver.press("ctrl+o")
        assert len(driver.listed()) == 3
        assert driver.main.search_bar.input.value == "gull"
        assert driver.main.search_bar.input.has_focus
        await driver.press("ctrl+o")
        assert driver.listed() == ["By the sea"]


async def test_the_list_names_the_users_own_key(birds: Path) -> None:
    own = Config(keys=(KeySetting("search-hidden", "f6"), KeySetting("show-hidden", "H")))
    async with opened(birds, config=own) as driver:
        await _search(driver, "tide")
        assert "press F6 to include them" in driver.main.sessions.note
        driver.main.set_focus(driver.main.sessions)
        await driver.settle()
        assert "press H to include them" in driver.main.sessions.note


async def test_enter_opens_the_folded_block_with_the_match_lit(birds: Path) -> None:
    async with opened(birds) as driver:
        await _search(driver, "heron")
        assert driver.listed() == ["Quiet"]
        await driver.press("enter")
        transcript = driver.main.transcript
        _, block = transcript.here()
        assert block is not None
        assert block.key == "reasoning"
        (lit,) = _segments(transcript, "heron")
        (beside,) = _segments(transcript, ", surely")
        assert lit.style is not None
        assert beside.style is not None
        assert lit.style.bgcolor != beside.style.bgcolor


async def test_n_continues_in_the_next_session_also_from_the_list(birds: Path) -> None:
    async with opened(birds) as driver:
        await _search(driver, "owl")
        titles = driver.listed()
        assert titles == ["Owl house", "At length", "In short"]
        await driver.press("enter")
        sessions = driver.main.sessions
        for title in titles[1:]:
            await driver.press("n")
            assert sessions.current is not None
            assert sessions.current.title == title
        driver.main.set_focus(sessions)
        await driver.press("N")
        assert sessions.current is not None
        assert sessions.current.title == "At length"


async def test_what_is_found_can_come_best_first(birds: Path) -> None:
    async with opened(birds) as driver:
        await _search(driver, "owl")
        assert "In the text, newest first" in driver.screen()
        driver.main.set_focus(driver.main.sessions)
        await driver.press("s", "down", "enter")
        assert driver.listed() == ["Owl house", "In short", "At length"]
        assert "In the text, best first" in driver.screen()


async def test_a_match_in_a_title_is_lit(birds: Path) -> None:
    async with opened(birds) as driver:
        await _search(driver, "house")
        assert _segments(driver.main.sessions, "house")


async def test_chips_show_what_was_understood_while_typing(birds: Path) -> None:
    async with opened(birds) as driver:
        await _search(driver, 'owl source:cli -role:tool NOT "the sea"')
        assert _chips(driver) == ["without “the sea”", "source is cli", "role is not tool"]
        await _search(driver, "owl before:tomorow")
        reason = "is not a date (try 2026-10-01, 3d, yesterday)"
        assert _chips(driver) == [f"“before:tomorow” {reason}: searched as plain text"]
        await driver.press("escape")
        assert _chips(driver) == []


async def test_a_chip_says_why_a_search_is_slow(birds: Path) -> None:
    with altered(birds) as db:
        drop_triggers(db)
    async with opened(birds) as driver:
        await _search(driver, "owl")
        assert len(driver.listed()) == 3
        assert "slow search: the search table is not kept up to date" in driver.screen()


async def test_tab_completes_names_and_values_and_else_changes_the_pane(birds: Path) -> None:
    async with opened(birds) as driver:
        await driver.press("slash")
        await driver.type("so")
        keys, field = driver.main.query_one(KeyBar), driver.main.search_bar.input
        assert keys.offers[0] == "source:"
        await driver.press("tab")
        assert field.value == "source:"
        assert {"cli", "cron", "telegram"} <= set(keys.offers)
        await driver.type("te")
        await driver.press("tab")
        assert field.value == "source:telegram"
        assert driver.listed() == ["By the sea"]
        await driver.press("tab")
        assert driver.focus() == "transcript"


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("owl in:title", ["Owl house"]),
        ("owl in:content", ["Owl house", "At length", "In short"]),
        ("house in:content", []),
        ("hous*", ["Owl house"]),
        ("ouse*", []),
        ("/^owl h/", ["Owl house"]),
        ("house role:user", []),
        ("house before:2020", []),
        ("house NOT owl", []),
    ],
)
async def test_titles_are_searched_as_the_language_says(
    birds: Path, text: str, titles: list[str]
) -> None:
    async with opened(birds) as driver:
        await _search(driver, text)
        assert sorted(driver.listed()) == sorted(titles)


async def test_a_letter_that_changes_the_results_lays_nothing_out(
    birds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Laying out paints the whole screen; what a key changes is a list and a line of words."""
    async with opened(birds) as driver:
        await driver.press("slash")
        await driver.type("owl")
        layouts: list[str] = []
        plain = MainScreen._refresh_layout

        def noted(screen: MainScreen, *arguments: Any, **named: Any) -> None:
            layouts.append(driver.main.search_bar.input.value)
            plain(screen, *arguments, **named)

        monkeypatch.setattr(MainScreen, "_refresh_layout", noted)
        await driver.type(" h")
        assert driver.main.sessions.arranged.found is not None
        assert driver.main.sessions.arranged.found.result.query.text == "owl h"
        await driver.press("asterisk")
        assert [chip.words for chip in driver.main.query_one(ChipBar).chips] == ["h…"]
        assert layouts == []


async def test_the_first_rows_come_with_the_results(
    birds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of dots that is filled a moment later would be painted twice."""
    async with opened(birds) as driver:
        shown: list[bool] = []
        plain = SessionList.show

        def noted(sessions: SessionList, *arguments: Any) -> None:
            plain(sessions, *arguments)
            if sessions.arranged.found:
                shown.append(not sessions.known.missing(sessions.in_sight()))

        monkeypatch.setattr(SessionList, "show", noted)
        await _search(driver, "owl")
        assert shown
        assert all(shown)


async def test_the_cursor_goes_to_the_first_result_until_the_user_moves_it(birds: Path) -> None:
    async with opened(birds) as driver:
        sessions = driver.main.sessions
        await driver.press("end")
        assert sessions.current is not None
        assert sessions.current.title == "In short"
        await _search(driver, "owl")
        assert sessions.cursor_row == sessions.order[0]
        await driver.press("down", "down")
        chosen = sessions.cursor_row
        assert chosen == sessions.order[2]
        await driver.press("backspace")
        assert sessions.cursor_row == chosen
        await driver.press("escape")
        assert sessions.current is not None
        assert sessions.current.title == "In short"


async def test_an_empty_bar_says_how_a_search_may_be_written_and_moves_nothing(
    birds: Path,
) -> None:
    async with opened(birds) as driver:
        sessions = driver.main.sessions
        top = sessions.region.y
        await driver.press("slash")
        assert 'F1 search language · tab completes · "a phrase"' in driver.screen()
        assert sessions.region.y == top
        await driver.type("gull")
        assert "F1 search language" not in driver.screen()
        assert sessions.region.y == top, "a plain word needs no explanation"
        await driver.type(" source:")
        assert sessions.region.y == top
        await driver.press("escape", "escape")
        assert sessions.region.y == top
    async with opened(birds, size=(80, 20)) as driver:
        top = driver.main.sessions.region.y
        await driver.press("slash")
        await driver.type("gull")
        assert driver.main.sessions.region.y == top, "nothing to explain, no line for it"
        await driver.type(" source:")
        await driver.press(*["backspace"] * len(" source:"))
        assert driver.main.sessions.region.y == top + 1, "a line that came while typing stays"


async def test_a_field_without_a_value_leaves_the_list_alone_and_is_explained(
    birds: Path,
) -> None:
    async with opened(birds) as driver:
        before = driver.listed()
        await _search(driver, "source:")
        assert driver.listed() == before
        assert _chips(driver) == ["“source:” needs a value, such as source:telegram,slack"]
        assert "telegram" in driver.screen().splitlines()[-1], "values of this file"
        await driver.type("telegram")
        assert driver.listed() == ["By the sea"]
        await _search(driver, "gull before:")
        assert driver.listed() == ["By the sea"]


async def test_a_misspelt_field_or_value_is_corrected_with_tab(birds: Path) -> None:
    async with opened(birds) as driver:
        bar = driver.main.search_bar.input
        await _search(driver, "gull sorce:telegramm")
        assert "“sorce:telegramm” is not a field (did you mean source:?)" in _chips(driver)[0]
        assert "tab corrects it: source:" in driver.screen()
        await driver.press("tab")
        assert bar.value == "gull source:telegramm"
        assert "no session has source “telegramm” · tab corrects it: telegram" in driver.screen()
        await driver.press("tab")
        assert bar.value == "gull source:telegram"
        assert driver.listed() == ["By the sea"]
        await _search(driver, "gull -sea")
        assert "“-sea” excludes nothing (use NOT sea): searched as plain text" in _chips(driver)
        await driver.press("tab")
        assert bar.value == "gull NOT sea"


async def test_what_was_found_is_shown_on_a_short_terminal_too(birds: Path) -> None:
    async with opened(birds, size=(80, 20)) as driver:
        await _search(driver, "heron")
        assert "reasoning: a heron, surely" in driver.screen()
        await driver.press("escape")
        assert "hm?" not in driver.screen()


@pytest.mark.parametrize("text", ["zebrafinch", "zebrafinch sings", "/zebra.inch/ role:assistant"])
async def test_a_match_far_down_in_a_long_message_is_opened_and_lit(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "state.db"
    held = {900: "here a zebrafinch sings", 1100: "zebrafinch again"}
    paragraphs = [held.get(number, f"paragraph {number}") for number in range(1200)]
    with StateFile.create(path) as state:
        talk(state, "long", "hello", "\n\n".join(paragraphs), at=NOW - 900, title="Long")
    async with opened(path) as driver:
        await _search(driver, text)
        await driver.press("enter")
        assert "more lines" in driver.screen()
        await driver.press("enter")
        view = driver.app.screen.query_one(LongText)
        assert "here a zebrafinch sings" in driver.screen()
        here = view._style("match-here", False)
        strips = [view.render_line(y) for y in range(view.size.height)]
        lit = [segment.text for strip in strips for segment in strip if segment.style == here]
        assert lit == ["zebrafinch"]
        assert not driver.app.screen.query_one(FindBar).display
        await driver.press("n")
        if text != "zebrafinch sings":
            assert "zebrafinch again" in driver.screen()
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1


async def test_hidden_sessions_are_included_until_the_search_is_cleared(demo: Path) -> None:
    async with opened(demo) as driver:
        before = list(driver.main.sessions.order)
        await driver.press("slash")
        await driver.type("docker")
        found = len(driver.main.sessions.order)
        await driver.press("ctrl+o")
        assert len(driver.main.sessions.order) > found
        await driver.press("escape")
        assert driver.main.sessions.order == before
        assert "hidden sessions" not in driver.screen()

"""Selecting sessions, with keys and with the mouse; they stay selected whatever the list does."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.browse.arrangement import Arranged
from explorer.browse.cursor import Selection
from explorer.browse.headings import Group
from explorer.browse.words import selected
from explorer.model import Hidden
from explorer.stores.hermes.create.state_file import StateFile
from tests.factories import altered, insert, say, talk
from tests.tui.driving import NOW, Driver, opened

HOUR = 3600.0
NAMES = ("ant", "bee", "cat", "dog", "eel", "fox")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Six sessions, the newest first by name; those of a phone are cat and fox."""
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        for number, name in enumerate(NAMES):
            source = "telegram" if name in ("cat", "fox") else "cli"
            talk(state, name, f"I am {name}", source=source, at=NOW - number * HOUR, title=name)
        talk(state, "job", "tick", source="cron", at=NOW - 30, title="job")
    return file


def _selected(driver: Driver) -> list[str]:
    """The titles of the selected sessions, as the marks beside them say."""
    return [line[3:].split()[0] for line in driver.screen().splitlines() if line[2:3] == "✓"]


def _title(driver: Driver) -> str:
    return str(driver.main.sessions.border_title)


async def test_space_selects_and_goes_on_and_once_more_takes_it_back(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("space", "space")
        assert _selected(driver) == ["ant", "bee"]
        assert _title(driver) == "2 selected · Sessions · by last active"
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "cat"
        await driver.press("k", "space")
        assert _selected(driver) == ["ant"]
        await driver.press("g", "space")
        assert _selected(driver) == []
        assert _title(driver) == "Sessions · by last active"


async def test_space_on_the_last_row_stays_there(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("G", "space")
        assert _selected(driver) == ["fox"]
        await driver.press("space")
        assert _selected(driver) == []


async def test_a_range_grows_and_shrinks_with_the_shift_key(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j", "shift+down")
        assert _selected(driver) == ["bee", "cat"]
        await driver.press("shift+down")
        assert _selected(driver) == ["bee", "cat", "dog"]
        await driver.press("shift+up")
        assert _selected(driver) == ["bee", "cat"]
        await driver.press("shift+up", "shift+up")
        assert _selected(driver) == ["ant", "bee"], "through where it was begun, and beyond"


async def test_a_range_stops_at_the_ends_of_the_list(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("shift+up")
        assert _selected(driver) == ["ant"]
        await driver.press(*["shift+down"] * 9)
        assert _selected(driver) == list(NAMES)


async def test_a_range_leaves_alone_what_was_selected_before(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j", "j", "space", "g", "shift+down", "shift+down", "shift+down")
        assert _selected(driver) == ["ant", "bee", "cat", "dog"]
        await driver.press("shift+up", "shift+up", "shift+up")
        assert _selected(driver) == ["ant", "cat"]


async def test_after_moving_on_another_range_is_begun(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("shift+down", "j", "j", "shift+down")
        assert _selected(driver) == ["ant", "bee", "dog", "eel"]
        await driver.press("shift+up")
        assert _selected(driver) == ["ant", "bee", "dog"]


async def test_the_star_inverts_what_is_listed(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("space", "space", "asterisk")
        assert _selected(driver) == ["cat", "dog", "eel", "fox"]
        await driver.press("asterisk")
        assert _selected(driver) == ["ant", "bee"]


async def test_all_that_is_listed_can_be_selected(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j", "ctrl+a")
        assert _selected(driver) == list(NAMES)
        assert "6 selected ·" in _title(driver)
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "bee"
        await driver.press("full_stop")
        assert "6 selected ·" in _title(driver), "what was not listed is not selected"


async def test_what_a_filter_takes_out_of_sight_stays_selected_and_is_counted(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("space", "space", "space")
        driver.main._lister.wish_for(
            driver.main._lister.wish._replace(
                filters=driver.main._lister.wish.filters._replace(sources=frozenset({"telegram"}))
            )
        )
        await driver.settle()
        assert _selected(driver) == ["cat"]
        assert "3 selected, 2 not shown · " in _title(driver)
        await driver.press("asterisk")
        assert _selected(driver) == ["fox"]
        assert "3 selected, 2 not shown · " in _title(driver), "inverted is what is shown"
        await driver.press("backspace")
        assert _selected(driver) == ["ant", "bee", "fox"]


async def test_a_selection_survives_every_order(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j", "space", "j", "space")
        assert _selected(driver) == ["bee", "dog"]
        for _ in range(7):
            await driver.press("s", "j", "enter")
            assert sorted(_selected(driver)) == ["bee", "dog"]
            assert "2 selected ·" in _title(driver)
        await driver.press("s", "enter")
        assert sorted(_selected(driver)) == ["bee", "dog"]


async def test_a_selection_survives_a_search_and_the_search_adds_to_it(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("space", "slash")
        await driver.type("eel")
        await driver.press("enter", "escape")
        assert "1 selected, 1 not shown · Search results" in _title(driver)
        await driver.press("space")
        assert "2 selected, 1 not shown · Search results" in _title(driver)
        await driver.press("escape")
        assert _selected(driver) == ["ant", "eel"]
        assert "2 selected ·" in _title(driver)


async def test_a_selection_survives_what_the_agent_writes(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j", "space", "G", "space")
        with altered(path) as db:
            insert(db, "sessions", id="new", source="cli", started_at=NOW, title="new")
            say(db, "new", timestamp=NOW + 1)
            say(db, "fox", timestamp=NOW + 2)
        await driver.until(lambda: driver.listed()[0] == "fox")
        assert driver.listed()[:3] == ["fox", "new", "ant"]
        assert _selected(driver) == ["fox", "bee"]


async def test_a_range_goes_on_from_where_it_was_begun_also_if_rows_came_in_between(
    path: Path,
) -> None:
    async with opened(path) as driver:
        await driver.press("j", "shift+down")
        assert _selected(driver) == ["bee", "cat"]
        with altered(path) as db:
            say(db, "fox", timestamp=NOW + 2)
        await driver.until(lambda: driver.listed()[0] == "fox")
        await driver.press("shift+down")
        assert _selected(driver) == ["bee", "cat", "dog"]


async def test_escape_leaves_the_search_first_and_the_selection_last(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("space", "slash")
        await driver.type("eel")
        await driver.press("enter", "escape", "escape")
        assert driver.listed() == list(NAMES)
        assert (driver.current(), _selected(driver)) == ("eel", ["ant"])
        await driver.press("escape")
        assert (driver.current(), _selected(driver)) == ("bee", ["ant"])
        await driver.press("escape")
        assert _selected(driver) == []
        assert _title(driver) == "Sessions · by last active"
        await driver.press("escape")
        assert driver.app.is_running
        assert driver.listed() == list(NAMES)


async def test_escape_in_the_search_bar_never_takes_the_selection(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("space", "slash")
        await driver.type("eel")
        await driver.press("escape", "escape")
        assert driver.main.focused is driver.main.sessions
        assert _selected(driver) == ["ant"]


async def test_the_keys_of_a_selection_do_nothing_in_an_empty_list(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with StateFile.create(file):
        pass
    async with opened(file) as driver:
        await driver.press("space", "shift+down", "shift+up", "asterisk", "ctrl+a", "escape", "m")
        await driver.press("z", "right_curly_bracket", "left_curly_bracket", "backspace")
        await driver.pilot.click("#list", offset=(10, 1), times=2)
        await driver.settle()
        assert len(driver.main.sessions.selection) == 0
        assert "No sessions yet" in driver.screen()


async def test_a_hundred_thousand_rows_can_be_selected(path: Path) -> None:
    async with opened(path) as driver:
        order = range(1, 100_001)
        groups = (Group(0, "One"), Group(50_000, "Two"))
        driver.main.sessions.show(Arranged(order, groups, {Hidden.CRON: 1}, len(order)))
        await driver.press("ctrl+a")
        assert "100,000 selected · " in _title(driver)
        await driver.press("G", "space")
        assert "99,999 selected · " in _title(driver)
        await driver.press("asterisk")
        assert "1 selected · " in _title(driver)
        assert driver.main.sessions.selection.keys == {100_000}
        await driver.press("escape", "right_curly_bracket", "left_curly_bracket")
        assert driver.main.sessions.cursor_row == 50_001
        await driver.press("shift+down")
        assert driver.main.sessions.selection.keys == {50_001, 50_002}


def _line(driver: Driver, text: str) -> int:
    """The line of the list, its border counted, on which a text stands."""
    top = driver.main.sessions.region.y
    lines = [line[:52] for line in driver.screen().splitlines()]
    return next(at for at, line in enumerate(lines) if text in line) - top


async def _click(
    driver: Driver, text: str, *, control: bool = False, shift: bool = False, times: int = 1
) -> None:
    await driver.pilot.click(
        "#list", offset=(10, _line(driver, text)), control=control, shift=shift, times=times
    )
    await driver.settle()


async def test_control_and_a_click_select_one(path: Path) -> None:
    async with opened(path) as driver:
        await _click(driver, "bee", control=True)
        await _click(driver, "I am dog", control=True)
        assert _selected(driver) == ["bee", "dog"]
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "dog"
        await _click(driver, "bee", control=True)
        assert _selected(driver) == ["dog"]
        assert driver.main.focused is driver.main.sessions


async def test_shift_and_a_click_select_up_to_there(path: Path) -> None:
    async with opened(path) as driver:
        await _click(driver, "cat")
        assert _selected(driver) == []
        await _click(driver, "eel", shift=True)
        assert _selected(driver) == ["cat", "dog", "eel"]
        await _click(driver, "ant", shift=True)
        assert _selected(driver) == ["ant", "bee", "cat"], "from where it was begun"


async def test_a_click_on_a_heading_leads_to_its_first_row(demo: Path) -> None:
    async with opened(demo) as driver:
        await _click(driver, "Yesterday ")
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "Rates: partial index instead"
        assert len(driver.main.sessions.selection) == 0


async def test_a_double_click_on_a_heading_selects_all_below_it(demo: Path) -> None:
    async with opened(demo) as driver:
        await _click(driver, "Yesterday ", times=2)
        rows = [driver.main.sessions.row(key) for key in driver.main.sessions.selection.keys]
        assert len(rows) == 6
        assert {int((row.last_active or 0) // 86_400) for row in rows if row} == {
            int(NOW // 86_400) - 1
        }
        assert driver.main.focused is driver.main.sessions


async def test_the_heading_that_stays_at_the_top_can_be_clicked_too(demo: Path) -> None:
    async with opened(demo) as driver:
        sessions = driver.main.sessions
        await driver.press(*["j"] * 30)
        title = driver.screen().splitlines()[4][1:50].strip()
        groups = {group.title: group.first for group in sessions.arranged.groups}
        first = groups[title]
        last = min(place for place in groups.values() if place > first)
        assert sessions.scroll_offset.y > sessions._index.top(first), "the row is out of sight"
        await driver.pilot.click("#list", offset=(10, 1), times=2)
        await driver.settle()
        assert sessions.cursor_row == sessions.order[first]
        assert sessions.selection.keys == set(sessions.order[first:last])


async def test_a_click_below_the_last_row_does_nothing(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j")
        held = driver.main.sessions.cursor_row
        await driver.pilot.click("#list", offset=(10, 30), control=True)
        await driver.settle()
        assert driver.main.sessions.cursor_row == held
        assert _selected(driver) == []


orders = st.lists(st.integers(-20, 20), min_size=1, max_size=20, unique=True)


@given(orders, st.data())
def test_a_range_is_what_was_selected_and_what_lies_between(
    order: list[int], data: st.DataObject
) -> None:
    places = st.integers(0, len(order) - 1)
    selection = Selection()
    before = data.draw(st.sets(st.integers(-25, 25)))
    selection.add(sorted(before))
    start = data.draw(places)
    here = start
    for to in data.draw(st.lists(places, min_size=1, max_size=6)):
        selection.extend(order, here, to)
        here = to
        first, last = sorted((start, to))
        assert selection.keys == before | set(order[first : last + 1])
    selection.rest()
    kept = set(selection.keys)
    selection.extend(order, here, here)
    assert selection.keys == kept | {order[here]}


@given(st.sets(st.integers(0, 30)), orders)
def test_what_is_not_shown_is_counted_apart(chosen: set[int], shown: list[int]) -> None:
    selection = Selection()
    selection.add(sorted(chosen))
    said = selected(len(selection), selection.missing_in(shown))
    missing = len(chosen - set(shown))
    assert bool(said) == bool(chosen)
    if chosen:
        assert said == f"{len(chosen)} selected" + (f", {missing} not shown" if missing else "")

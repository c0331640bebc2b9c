"""The list pane: what it shows, where the cursor is, what it reads."""

from pathlib import Path

import pytest
from textual.events import MouseScrollDown, MouseScrollUp
from textual.message import Message

from bench.generate import NOW as GENERATED_NOW
from bench.generate import Recipe, build
from explorer.browse.arrangement import SORTS
from explorer.model import Hidden, Sort
from explorer.render.figures import cents, count, rounded
from explorer.stores.hermes.store import HermesStore
from explorer.stores.sort_order import ordered, values_of
from tests.tui.driving import NOW, opened


async def test_the_first_row_is_the_session_used_last_and_its_transcript_is_open(
    demo: Path,
) -> None:
    async with opened(demo) as driver:
        screen = driver.screen()
        assert "Today" in screen
        assert driver.main.sessions.cursor_row == driver.main.sessions.order[0]
        row = driver.main.sessions.row(driver.main.sessions.order[0])
        assert row is not None
        assert row.title == "Fix docker deployment"
        assert "why does the build fail on arm64?" in screen


async def test_moving_the_cursor_shows_that_sessions_transcript(demo: Path) -> None:
    async with opened(demo) as driver:
        before = driver.screen()
        await driver.press("j", "j")
        row = driver.main.sessions.row(driver.main.sessions.cursor_row or 0)
        assert row is not None
        assert row.title is not None
        title = str(driver.main.transcript.border_title)
        assert row.title in title
        assert driver.screen() != before


async def test_home_and_end_go_to_the_first_and_the_last_session(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("G")
        assert driver.main.sessions.cursor_row == driver.main.sessions.order[-1]
        last = driver.main.sessions.row(driver.main.sessions.order[-1])
        assert last is not None
        assert (last.title or last.preview)[:12] in driver.screen()
        await driver.press("g")
        assert driver.main.sessions.cursor_row == driver.main.sessions.order[0]
        assert "Today" in driver.screen()


async def test_the_border_counts_what_is_shown_and_what_is_hidden(demo: Path) -> None:
    async with opened(demo, size=(200, 50)) as driver:
        catalog = HermesStore(driver.main.file.opened.store._file).catalog()  # type: ignore
        listed, hidden = catalog.select()
        said = str(driver.main.sessions.border_subtitle)
        assert f"{len(listed)} listed" in said
        assert f"{hidden[Hidden.CRON]} cron" in said
        assert f"{hidden[Hidden.SUBAGENT]} subagent" in said


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 160, 200])
async def test_the_border_names_as_many_classes_as_there_is_room_for(
    demo: Path, width: int
) -> None:
    async with opened(demo, size=(width, 30)) as driver:
        said = driver.counted()
        assert said in driver.screen(), "nothing of it is cut off"
        for narrower in (200, 120, 40):
            await driver.resize(narrower, 30)
            assert driver.counted() in driver.screen(), "nor after the window has changed"
        await driver.resize(120, 30)
        assert "53 listed · hidden: 15 cron, 13 other · 7 folded" in driver.screen()


async def test_one_key_shows_all_that_is_hidden_and_the_same_key_hides_it_again(
    demo: Path,
) -> None:
    async with opened(demo) as driver:
        few = len(driver.main.sessions.order)
        await driver.press("full_stop")
        assert len(driver.main.sessions.order) > few
        await driver.press("full_stop")
        assert len(driver.main.sessions.order) == few


async def test_what_the_list_is_sorted_by_is_seen_in_its_rows(demo: Path) -> None:
    async with opened(demo) as driver:
        for sort in (Sort.MESSAGES, Sort.TOKENS, Sort.COST):
            driver.main._choosing()._sorted(sort)
            await driver.settle()
            row = driver.main.sessions.current
            assert row is not None
            line = next(line for line in driver.screen().splitlines() if line.startswith("│▌"))
            tokens = rounded((row.input_tokens or 0) + (row.output_tokens or 0))
            said = {Sort.MESSAGES: count(row.message_count), Sort.TOKENS: tokens}
            assert f" {said.get(sort, cents(row.cost_usd or 0))} " in line[:55]
        await driver.resize(200, 50)
        lines = [line[:90] for line in driver.screen().splitlines() if " msgs " in line[:90]]
        assert len(lines) > 10
        assert len({line.index(" msgs ") for line in lines}) == 1


async def test_the_cursor_stays_on_its_session_when_others_appear_around_it(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press(*["j"] * 12)
        held = driver.main.sessions.cursor_row
        await driver.press("full_stop")
        assert driver.main.sessions.cursor_row == held
        row = driver.main.sessions.row(held or 0)
        assert row is not None
        assert (row.title or row.preview)[:12] in driver.screen()


async def test_rows_are_one_line_or_two_and_the_cursor_stays(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("j", "j", "j")
        held = driver.main.sessions.cursor_row
        tall = driver.main.sessions.virtual_size.height
        await driver.press("v")
        assert driver.main.sessions.virtual_size.height < tall
        assert driver.main.sessions.cursor_row == held
        await driver.press("v")
        assert driver.main.sessions.virtual_size.height == tall


@pytest.mark.parametrize(("rows", "comfortable"), [(24, False), (40, True)])
async def test_a_short_terminal_starts_with_compact_rows(
    demo: Path, rows: int, comfortable: bool
) -> None:
    async with opened(demo, size=(100, rows)) as driver:
        assert driver.main.sessions.comfortable is comfortable


async def test_only_rows_near_the_screen_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = build(Recipe(sessions=3000, messages=6500, trigram=False), tmp_path)
    read: list[int] = []
    sessions = HermesStore.sessions

    def counted(self: HermesStore, units: object, *rest: object) -> object:
        read.append(len(units))  # type: ignore
        return sessions(self, units, *rest)  # type: ignore

    monkeypatch.setattr(HermesStore, "sessions", counted)
    async with opened(path, now=GENERATED_NOW) as driver:
        assert len(driver.main.sessions.order) > 1000
        assert sum(read) < 150
        read.clear()
        await driver.press("G")
        last = driver.main.sessions.row(driver.main.sessions.order[-1])
        assert last is not None
        assert 0 < sum(read) < 150


async def test_the_exact_order_is_the_one_a_full_sort_gives(tmp_path: Path) -> None:
    path = build(Recipe(sessions=400, messages=1200, trigram=False, noise=0.9), tmp_path)
    async with opened(path, now=GENERATED_NOW) as driver:
        assert driver.main.file.opened is not None
        catalog = driver.main.file.opened.store.catalog()
        listed, _ = catalog.select()
        assert list(driver.main.sessions.order) == catalog.by_last_active(listed)


async def test_a_click_chooses_a_session_and_a_second_one_reads_it(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.pilot.click("#list", offset=(10, 5))
        await driver.settle()
        assert driver.main.sessions.cursor_row == driver.main.sessions.order[1]
        await driver.pilot.click("#list", offset=(10, 5), times=2)
        await driver.settle()
        assert driver.main.focused is driver.main.transcript


async def test_the_wheel_scrolls_the_list_and_leaves_the_cursor_on_its_session(
    demo: Path,
) -> None:
    async with opened(demo) as driver:
        sessions = driver.main.sessions
        held, title = sessions.cursor_row, str(driver.main.transcript.border_title)
        for _ in range(8):
            sessions.post_message(_wheel(MouseScrollDown))
        await driver.settle()
        assert sessions.scroll_offset.y > 0
        assert sessions.row(sessions.in_sight()[-1]) is not None, "what came into sight was read"
        assert sessions.cursor_row == held
        assert str(driver.main.transcript.border_title) == title
        for _ in range(8):
            sessions.post_message(_wheel(MouseScrollUp))
        await driver.settle()
        assert sessions.scroll_offset.y == 0


def _wheel(turn: type[MouseScrollDown] | type[MouseScrollUp]) -> Message:
    return turn(
        widget=None,
        x=5,
        y=5,
        delta_x=0,
        delta_y=1,
        button=0,
        shift=False,
        meta=False,
        ctrl=False,
    )


async def test_an_empty_store_says_so_and_what_to_do(tmp_path: Path) -> None:
    from explorer.stores.hermes.create.state_file import StateFile

    path = tmp_path / "state.db"
    with StateFile.create(path):
        pass
    async with opened(path) as driver:
        assert "No sessions yet" in driver.screen()
        assert driver.counted() == "0 listed", "all of it is known"
        await driver.press("j", "enter", "escape", "G")


async def test_when_all_are_hidden_the_list_says_how_to_see_them(tmp_path: Path) -> None:
    from explorer.stores.hermes.create.state_file import StateFile

    path = tmp_path / "state.db"
    with StateFile.create(path) as state:
        state.create_session("cron_job_1", "cron", started_at=NOW - 60)
        state.append_message("cron_job_1", "user", "tick", timestamp=NOW - 60)
    async with opened(path) as driver:
        assert "All sessions are hidden. Press . to show them." in driver.screen()
        assert "1 cron" in driver.screen()
        await driver.press("full_stop")
        assert "tick" in driver.screen()


async def test_the_heading_of_what_is_at_the_top_stays_in_sight(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press(*["j"] * 14)
        await driver.press("pagedown")
        top = driver.screen().splitlines()[4]
        row = driver.main.sessions.in_sight()[0]
        assert driver.main.sessions.row(row) is not None
        assert top[1:50].strip(" ▌") in ("Today", "Yesterday", "Last week", "September", "August")
        await driver.press(*["k"] * 8)
        key = driver.main.sessions.cursor_row
        chosen = driver.main.sessions.row(key or 0)
        assert chosen is not None
        assert (chosen.title or chosen.preview)[:12] in driver.screen()


@pytest.mark.parametrize("sort", list(Sort))
async def test_the_order_can_be_chosen_and_turned_round(demo: Path, sort: Sort) -> None:
    async with opened(demo) as driver:
        held = driver.main.sessions.cursor_row
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        catalog = store.catalog()
        listed, _ = catalog.select()
        wanted = ordered(catalog, listed, sort, values_of(store, sort))
        if sort is not Sort.ACTIVE:
            driver.main._choosing()._sorted(sort)
            await driver.settle()
        assert list(driver.main.sessions.order) == wanted
        assert SORTS[sort] in str(driver.main.sessions.border_title)
        assert driver.main.sessions.cursor_row == held
        driver.main._choosing()._sorted(sort)
        await driver.settle()
        assert list(driver.main.sessions.order) == wanted[::-1]


async def test_s_opens_the_orders_and_enter_takes_one(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("s")
        assert "By cost" in driver.screen()
        await driver.press("j", "enter")
        assert "by start" in str(driver.main.sessions.border_title)
        await driver.press("s", "escape")
        assert "by start" in str(driver.main.sessions.border_title)


async def test_braces_go_from_heading_to_heading(demo: Path) -> None:
    async with opened(demo) as driver:
        sessions = driver.main.sessions
        firsts = [sessions.order[group.first] for group in sessions.arranged.groups]
        assert len(firsts) > 5
        passed = []
        for _ in firsts[1:]:
            await driver.press("right_curly_bracket")
            passed.append(sessions.cursor_row)
            assert driver.screen().splitlines()[4][1:30].strip(), "its heading is in sight"
        assert passed == firsts[1:]
        await driver.press("right_curly_bracket")
        assert sessions.cursor_row == sessions.order[-1]
        passed = []
        wanted = [first for first in reversed(firsts) if first != sessions.order[-1]]
        for _ in wanted:
            await driver.press("left_curly_bracket")
            passed.append(sessions.cursor_row)
        assert passed == wanted
        await driver.press("left_curly_bracket")
        assert sessions.cursor_row == sessions.order[0]


async def test_without_headings_braces_go_to_the_ends(demo: Path) -> None:
    async with opened(demo) as driver:
        driver.main._choosing()._sorted(Sort.TITLE)
        await driver.settle()
        await driver.press("right_curly_bracket")
        assert driver.main.sessions.cursor_row == driver.main.sessions.order[-1]
        await driver.press("left_curly_bracket")
        assert driver.main.sessions.cursor_row == driver.main.sessions.order[0]

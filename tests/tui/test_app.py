"""The app around the panes: search, help, palette, themes, sizes, problems."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from explorer.browse.first_read import Opening, Start
from explorer.demo import write_demo
from explorer.keys.actions import ACTIONS
from explorer.search.language.vocabulary import FIELDS
from explorer.tui.app import ExplorerApp
from explorer.tui.dialogs.problem import ProblemScreen
from explorer.tui.screens.help import HelpScreen, PageTabs
from explorer.tui.words import file_state, without_file
from tests.tui.driving import NOW, Driver, opened


async def test_typing_lists_the_sessions_that_hold_the_words(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("slash")
        await driver.type("docker")
        screen = driver.screen()
        assert "In the title" in screen
        assert "Fix docker deployment" in screen
        assert "hits and" in screen
        assert len(driver.main.sessions.order) < 10


async def test_letters_never_act_while_typing(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("slash")
        await driver.type("q?v.")
        assert driver.main.search_bar.input.value == "q?v."
        assert len(driver.app.screen_stack) == 1


async def test_a_slash_can_be_searched_for(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("slash")
        await driver.type("a")
        await driver.press("slash")
        assert driver.main.search_bar.input.value == "a/"


async def test_escape_clears_the_search_then_leaves_it(demo: Path) -> None:
    async with opened(demo) as driver:
        all_of_them = len(driver.main.sessions.order)
        await driver.press("slash")
        await driver.type("docker")
        await driver.press("escape")
        assert driver.main.search_bar.input.value == ""
        assert len(driver.main.sessions.order) == all_of_them
        await driver.press("escape")
        assert driver.main.focused is driver.main.sessions


@pytest.mark.parametrize("query", ['"', "foo(", "AND", "*", "it's", "C++", "a" * 500, "[/b]"])
async def test_any_text_can_be_searched_for(demo: Path, query: str) -> None:
    async with opened(demo) as driver:
        await driver.press("slash")
        driver.main.search_bar.input.value = query
        await driver.settle()
        assert "Search results" in driver.screen()


async def test_a_search_without_hits_says_so(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("slash")
        await driver.type("xyzzyplugh")
        assert "No matches for" in driver.screen()


async def test_help_names_every_key_mark_and_field(demo: Path) -> None:
    async with opened(demo, size=(108, 260)) as driver:
        await driver.press("question_mark")
        assert isinstance(driver.app.screen, HelpScreen)
        first = driver.screen()
        assert first.index("In the list") < first.index("archived: hidden by default")
        assert "In the transcript" not in first
        pages = first
        for _ in range(3):
            await driver.press("tab")
            pages += driver.screen()
        for action in ACTIONS:
            assert action.help in pages, action.id
        for name, kind in FIELDS.items():
            assert f" {name}: " in pages
            assert f"example: {kind.example}" in pages
        await driver.press("tab")
        assert driver.screen() == first, "from the last page on to the first"
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1


@pytest.mark.parametrize("width", [120, 60, 34])
async def test_wrapped_help_continues_below_the_words(demo: Path, width: int) -> None:
    async with opened(demo, size=(width, 260)) as driver:
        await driver.press("question_mark")
        lines = driver.screen().splitlines()
        first = next(
            row
            for row, line in enumerate(lines)
            if "hidden by" in line and "◇" in "".join(lines[row - 1 : row + 1])
        )
        last = next(row for row, line in enumerate(lines) if "not lost" in line)
        assert last > first
        column = lines[first].index("hidden by")
        for line in lines[first : last + 1]:
            assert line[column - 2 : column] == "  "
            assert line[column] != " ", "in the same column"


@pytest.mark.parametrize("size", [(20, 5), (30, 6), (40, 7)])
async def test_on_a_tiny_terminal_a_session_is_in_sight(demo: Path, size: tuple[int, int]) -> None:
    async with opened(demo, size=size) as driver:
        assert "▌ Fix doc" in driver.screen()
        await driver.press("j")
        assert "▌ Review" in driver.screen()
        await driver.press("enter")
        assert "message 1 of 8" in driver.screen(), "and can be read"
        await driver.press("escape", "slash", *"kyoto")
        assert "kyoto" in driver.screen()
        assert "▌ Trip" in driver.screen()


async def test_help_opens_while_typing_too(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("slash", "f1")
        assert isinstance(driver.app.screen, HelpScreen)
        assert "where the session was started" in driver.screen()
        assert "example: source:telegram,slack" in driver.screen()
        await driver.pilot.click(PageTabs, offset=(20, 0))
        await driver.settle()
        assert "In the list" in driver.screen(), "a click on the name of a page opens it"


async def test_the_palette_performs_what_the_focused_pane_can_do(demo: Path) -> None:
    async with opened(demo) as driver:
        tall = driver.main.sessions.virtual_size.height
        await driver.press("ctrl+p")
        await driver.type("compact")
        await driver.press("enter")
        assert driver.main.sessions.virtual_size.height < tall


async def test_the_theme_changes_and_the_view_stays(demo: Path) -> None:
    async with opened(demo) as driver:
        # Without the top line, which says how long ago the file was written.
        before, look = driver.screen().splitlines()[1:], driver.app.theme
        style = driver.main.sessions.rich_style
        await driver.press("ctrl+t")
        assert driver.app.theme != look
        assert driver.screen().splitlines()[1:] == before
        assert driver.main.sessions.rich_style != style


async def test_a_narrow_terminal_shows_one_pane_at_a_time(demo: Path) -> None:
    async with opened(demo, size=(80, 24)) as driver:
        assert "Sessions" in driver.screen()
        assert "message 1 of" not in driver.screen()
        await driver.press("enter")
        assert "message 1 of" in driver.screen()
        assert "by last active" not in driver.screen()
        await driver.press("escape")
        assert "by last active" in driver.screen()


@pytest.mark.parametrize("size", [(20, 5), (10, 3), (300, 90), (40, 12)])
async def test_any_size_of_terminal_is_survived(demo: Path, size: tuple[int, int]) -> None:
    async with opened(demo, size=size) as driver:
        await driver.press("j", "enter", "G", "g", "o", "escape", "slash", "a", "escape")
        await driver.resize(120, 40)
        assert "Today" in driver.screen()


async def test_tab_goes_to_the_other_pane_and_back(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("tab")
        assert driver.main.transcript.has_focus
        await driver.press("tab")
        assert driver.main.sessions.has_focus


async def test_the_footer_shows_the_keys_of_what_has_the_focus(demo: Path) -> None:
    async with opened(demo) as driver:
        assert "enter Read" in driver.screen().splitlines()[-1]
        await driver.press("enter")
        assert "enter Expand" in driver.screen().splitlines()[-1]
        await driver.press("slash")
        assert " q Quit" not in driver.screen().splitlines()[-1]


async def test_the_top_bar_says_what_the_file_is(demo: Path) -> None:
    async with opened(demo, size=(200, 40)) as driver:
        top = driver.screen().splitlines()[0]
        assert "state.db" in top
        assert "88 sessions" in top


@pytest.mark.parametrize(
    ("age", "live", "shown"),
    [
        (13, False, "written 13 s ago"),
        (13, True, "live · written 13 s ago"),
        (11 * 60, True, "idle · last written 11 min ago"),
    ],
)
def test_a_file_is_live_only_if_an_agent_seems_to_have_it_open(
    age: int, live: bool, shown: str
) -> None:
    assert file_state(NOW - age, NOW, live) == shown


async def test_a_narrow_top_bar_leaves_numbers_out_instead_of_cutting_them(demo: Path) -> None:
    async with opened(demo, size=(80, 24)) as driver:
        driver.main.top.file = "Demo data"
        driver.main.top.state = without_file("~/.hermes/state.db")
        await driver.settle()
        top = driver.screen().splitlines()[0]
        assert (
            top == " Session Explorer  Demo data  no ~/.hermes/state.db · open yours with --db PATH"
        )


async def test_of_a_long_path_the_top_bar_keeps_the_name_of_the_file(
    demo: Path, tmp_path: Path
) -> None:
    deep = tmp_path / "a folder with a long name" / "and another one inside of it"
    deep.mkdir(parents=True)
    shutil.copy(demo, deep / "state.db")
    async with opened(deep / "state.db", size=(80, 24)) as driver:
        assert "…" in driver.screen().splitlines()[0]
        assert "state.db" in driver.screen().splitlines()[0]


async def test_a_missing_file_is_met_with_advice_and_can_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    async with opened(path) as driver:
        assert isinstance(driver.app.screen, ProblemScreen)
        assert "No such file" in driver.screen()
        write_demo(path, NOW)
        await driver.press("r")
        assert "Fix docker deployment" in driver.screen()


@pytest.mark.parametrize(
    ("content", "title", "code"),
    [
        (b"", "Empty file", 5),
        (b"just some text\n", "Not a database", 5),
        (bytes(range(256)) * 16, "Encrypted, or not a database", 5),
    ],
)
async def test_leaving_a_file_that_cannot_be_read_gives_the_exit_code_of_the_problem(
    tmp_path: Path, content: bytes, title: str, code: int
) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)
    async with opened(path) as driver:
        assert title in driver.screen()
        await driver.pilot.press("q")
        await driver.pilot.pause()
    assert driver.app.return_code == code


async def test_a_file_that_disappears_keeps_the_last_view_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    write_demo(path, NOW)
    async with opened(path) as driver:
        path.unlink()
        await driver.press("j")
        screen = driver.screen()
        assert "No such file" in screen
        assert "Trip to Kyoto" in screen


async def test_nothing_stored_is_taken_for_markup(tmp_path: Path) -> None:
    from explorer.stores.hermes.create.state_file import StateFile

    path = tmp_path / "state.db"
    title = "[@click=app.quit]x[/] [/usr/bin] arr[0]"
    with StateFile.create(path) as state:
        state.create_session("s1", "cli", started_at=NOW - 60, title=title)
        state.append_message("s1", "user", "see [/b] and [bold]this[/]", timestamp=NOW - 50)
    async with opened(path, size=(200, 50)) as driver:
        screen = driver.screen()
        assert screen.count(title) == 2, "in the list and above the transcript"
        assert "see [/b] and [bold]this[/]" in screen
        await driver.pilot.click("#list", offset=(5, 2))
        await driver.settle()
        assert driver.app.is_running


async def test_a_locked_file_says_that_it_is_busy_and_opens_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    write_demo(path, NOW)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA journal_mode=DELETE")
    holder.execute("BEGIN EXCLUSIVE")
    app = ExplorerApp(Start(Opening(path, NOW), lambda: NOW))
    async with app.run_test(size=(120, 40)) as pilot:
        driver = Driver(app, pilot)
        while "Trying again" not in driver.screen():
            await pilot.pause(0.05)
        holder.execute("ROLLBACK")
        holder.close()
        await driver.settle()
        assert "Fix docker deployment" in driver.screen()

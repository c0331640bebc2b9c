"""Pruning from the app: rules, what would go, what stays, and one undo for all of it."""

from pathlib import Path

import pytest
from textual.widgets import Input

from explorer.model import Hidden
from explorer.resume import Command
from explorer.stores.hermes.create.state_file import StateFile
from explorer.tui import agent_commands as reclaiming
from explorer.tui.dialogs import attention
from explorer.tui.dialogs.questions import Question
from explorer.tui.edits import prune_screen as prune
from explorer.tui.edits.prune_screen import PruneScreen, RuleList
from explorer.tui.reading.reading_pane import ReadScreen
from tests.edits.states import dump
from tests.factories import altered, go_on, rows, talk
from tests.tui.driving import NOW, Driver, Held, opened

DAY = 86_400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "now", "hello", at=NOW - DAY, title="now", end="cli_close")
        for number in range(3):
            at = NOW - (100 + number) * DAY
            talk(state, f"old{number}", f"words {number}", at=at, title=f"old {number}", end="done")
        talk(state, "open", "hello", at=NOW - 120 * DAY, title="open")
        talk(state, "chat", "hello", at=NOW - 5 * DAY, source="telegram", title="chat", end="done")
        talk(state, "void", at=NOW - 4 * DAY, title="void", end="done")
    return file


async def _prune(driver: Driver, *keys: str) -> PruneScreen:
    await driver.press("p")
    screen = driver.app.screen
    assert isinstance(screen, PruneScreen)
    for key in keys:
        await driver.press(key)
    return screen


OLD = ("j", "j", "j", "enter")
"""From the first preset to the one of everything older than 90 days."""


async def test_presets_show_what_is_removed_and_why_others_are_kept(
    path: Path, trash: Path
) -> None:
    async with opened(path, trash=trash) as driver:
        await _prune(driver)
        assert "Will be removed: 1 session" in driver.screen()
        await driver.press(*OLD)
        screen = driver.screen()
        assert "Will be removed: 3 sessions" in screen
        assert "3 sessions, 3 messages" in screen
        assert "1 never ended · enter to include" in screen
        assert "By month last active" in screen


async def test_delete_asks_with_the_numbers_and_one_undo_brings_all_back(
    path: Path, trash: Path
) -> None:
    before = dump(path)
    async with opened(path, trash=trash) as driver:
        await _prune(driver, *OLD)
        await driver.press("d")
        assert isinstance(driver.app.screen, Question)
        assert "Delete 3 sessions?" in driver.screen()
        assert driver.focus() == "no"
        await driver.press("y")
        assert "Deleted 3 sessions" in driver.said()
        assert "No session matches these rules." in driver.screen()
        await driver.press("escape")
        assert sorted(driver.listed()) == ["chat", "now", "open"]
        await driver.press("u")
        await driver.press("y")
    assert dump(path) == before


async def test_undo_works_where_the_prune_was_done(path: Path, trash: Path) -> None:
    before = dump(path)
    async with opened(path, trash=trash) as driver:
        await _prune(driver, *OLD)
        await driver.press("d")
        await driver.press("y")
        assert "Will be removed: 0 sessions" in driver.screen()
        await driver.press("u")
        assert "Restore 3 sessions?" in driver.screen()
        await driver.press("y")
        assert "Will be removed: 3 sessions" in driver.screen()
    assert dump(path) == before


async def test_cancel_is_the_default(path: Path, trash: Path) -> None:
    before = dump(path)
    async with opened(path, trash=trash) as driver:
        await _prune(driver, *OLD)
        await driver.press("d")
        await driver.press("enter")
        assert isinstance(driver.app.screen, PruneScreen), "the rules are still there"
    assert dump(path) == before


async def test_space_keeps_one_and_enter_reads_it(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await _prune(driver, *OLD)
        await driver.press("tab")
        await driver.press("enter")
        assert isinstance(driver.app.screen, ReadScreen)
        assert "words 0" in driver.screen()
        footer = driver.screen().splitlines()[-1]
        assert "Details" not in footer, "only what can be done here"
        await driver.press("i")
        assert "go back to the list first" in driver.said()
        await driver.press("slash", "slash")
        assert driver.app.screen.query_one(Input).value == "/", "and can be typed there"
        await driver.press("escape")
        await driver.press("escape")
        await driver.press("space")
        assert "Will be removed: 2 sessions" in driver.screen()
        assert "1 kept by you" in driver.screen()
        await driver.press("d")
        assert "Delete 2 sessions?" in driver.screen()
        await driver.press("y")
        assert "1 kept by you" in driver.screen(), "also when it is done again"
        left = {str(id_) for (id_,) in rows(path, "SELECT id FROM sessions")}
        assert left == {"now", "open", "chat", "void", "old0"}


async def test_keeping_is_a_word_and_outlasts_everything_but_being_taken_back(
    path: Path, trash: Path
) -> None:
    with altered(path) as db:
        go_on(db, "old1", "old1b", at=NOW - 100.5 * DAY)
        db.execute("UPDATE sessions SET title = 'goes on', ended_at = 1 WHERE id = 'old1b'")
    async with opened(path, trash=trash) as driver:
        screen = await _prune(driver, *OLD)
        assert "Will be removed: 3 conversations (4 sessions)" in driver.screen()
        assert "3 conversations (4 sessions), 3 messages" in driver.screen()
        await driver.press("tab", "j", "space")
        (row,) = (line for line in driver.screen().splitlines() if "goes on" in line)
        assert " kept " in row
        assert "✓" not in driver.screen()
        assert "Will be removed: 2 sessions" in driver.screen()
        assert "2 sessions, 2 messages" in driver.screen()
        assert next(row.value for row in screen.rules._rows if row.kind == "bar") == "2"
        await driver.press("escape")
        assert driver.focus() == "prune-rules"
        await driver.press("k", "k", "k", "enter")
        assert "Will be removed: 1 session" in driver.screen(), "other rules"
        await driver.press("escape")
        assert driver.app.screen is driver.main
        await _prune(driver, *OLD)
        assert "Will be removed: 2 sessions" in driver.screen()
        assert "1 kept by you · enter to include" in driver.screen()
        await driver.press("d")
        assert "Delete 2 sessions?" in driver.screen()
        await driver.press("n", "tab", "x")
        assert "kept" not in driver.screen()
        await driver.press("d")
        assert "Delete 3 conversations (4 sessions)?" in driver.screen()
        await driver.press("y")
        assert "Deleted 3 conversations (4 sessions)" in driver.said()
        await driver.press("u")
        assert "Restore 3 conversations (4 sessions)?" in driver.screen()
        assert driver.screen().count("4 sessions") == 1, "the number is said once"


async def test_the_rules_stay_in_their_lines_and_speak_in_words(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await _prune(driver, *OLD)
        lines = driver.screen().splitlines()
        at = next(at for at, line in enumerate(lines) if "Start from" in line)
        for value in ("any source", "any class", "any number", "none", "no search"):
            assert value in driver.screen()
        await driver.press("k", "enter")
        assert "No session matches these rules." in driver.screen()
        assert "Start from" in driver.screen().splitlines()[at]


async def test_empty_sessions_are_not_named_by_their_ids(path: Path, trash: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET title = NULL WHERE id = 'void'")
    async with opened(path, trash=trash) as driver:
        await _prune(driver, "d")
        assert "Delete an empty session?" in driver.screen()
        assert "void" not in driver.screen()
        await driver.press("y")
        await driver.press("u")
        assert "Restore an empty session?" in driver.screen()


async def test_open_ones_are_included_on_request(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        screen = await _prune(driver, *OLD)
        rules = screen.query_one(RuleList)
        while "never ended ·" not in rules._rows[rules._cursor].words:
            await driver.press("j")
        await driver.press("enter")
        assert "Will be removed: 4 sessions" in driver.screen()


async def test_archiving_instead(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await _prune(driver, *OLD)
        await driver.press("a")
        assert "Archive 3 sessions?" in driver.screen()
        await driver.press("y")
        assert rows(path, "SELECT count(*) FROM sessions WHERE archived") == [(3,)]


async def test_the_selection_of_the_list_can_be_pruned(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.press("g", "space", "space")
        await _prune(driver)
        assert "The 2 selected sessions" in driver.screen()
        assert "Will be removed: 2 sessions" in driver.screen()


async def test_the_value_of_a_rule_can_be_typed(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await _prune(driver, *OLD)
        await driver.press("j", "enter")
        prompt = driver.app.screen.query_one(Input)
        assert prompt.value == "90d"
        prompt.value = "100d"
        await driver.settle()
        assert "Inactive for at least 100 days" in driver.screen()
        await driver.press("enter")
        assert "Will be removed: 2 sessions" in driver.screen()
        await driver.press("enter")
        driver.app.screen.query_one(Input).value = "36h"
        await driver.press("enter")
        assert "36 hours" in driver.screen()
        await driver.press("enter")
        assert driver.app.screen.query_one(Input).value == "36h", "entered again it is the same"


async def test_several_sources_are_marked_with_space(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        screen = await _prune(driver, *OLD)
        rules = screen.query_one(RuleList)
        while rules._rows[rules._cursor].name != "sources":
            await driver.press("j")
        await driver.press("enter")
        assert "[x] Any source" in driver.screen()
        await driver.press("j", "space", "j", "space", "enter")
        assert screen._rules.sources == {"cli", "telegram"}
        assert "cli, telegram" in driver.screen()
        assert "Will be removed: 3 sessions" in driver.screen()
        await driver.press("enter")
        lines = driver.screen().splitlines()
        y = next(at for at, line in enumerate(lines) if "[x] telegram" in line)
        await driver.pilot.click(offset=(lines[y].index("telegram"), y))
        await driver.settle()
        assert "[ ] telegram" in driver.screen(), "a click checks and unchecks"
        await driver.press("enter")
        assert screen._rules.sources == {"cli"}
        await driver.press("enter", "home", "enter")
        assert screen._rules.sources == frozenset(), "the first line takes the rule back"
        await driver.press("j", "enter", "j", "enter")
        assert screen._rules.classes == {Hidden.CRON}, "without a mark, the one under the cursor"
        assert "No session matches these rules." in driver.screen()


async def test_in_a_narrow_terminal_there_is_one_pane_at_a_time(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash, size=(80, 24)) as driver:
        await _prune(driver, *OLD)
        assert "Start from" in driver.screen()
        assert "Will be removed: " not in driver.screen()
        await driver.press("tab")
        assert "Will be removed: 3 sessions" in driver.screen()
        assert "Start from" not in driver.screen()


async def test_a_note_names_what_was_not_understood_of_the_search(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        screen = await _prune(driver, *OLD)
        rules = screen.query_one(RuleList)
        while rules._rows[rules._cursor].name != "query":
            await driver.press("j")
        await driver.press("enter")
        driver.app.screen.query_one(Input).value = "is:bogus"
        await driver.settle()
        assert "“is:bogus” is unknown (use archived" in driver.screen(), "while it is typed"
        await driver.press("enter")
        assert "“is:bogus” is unknown (use archived" in driver.screen(), (
            "and beside what will be removed"
        )
        said = " ".join(row.words for row in rules._rows if row.kind == "words")
        assert "searched as plain text" in said, "over several lines"
        await driver.press("enter")
        driver.app.screen.query_one(Input).value = "x" * 201
        await driver.press("enter")
        assert "At most 200 characters" in driver.screen()


async def test_what_other_rules_took_is_not_deleted_while_it_looks(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        screen = await _prune(driver, *OLD)
        assert "Will be removed: 3 sessions" in driver.screen()
        looking = Held(monkeypatch, prune, "holding")
        screen._set(screen._rules._replace(query="NOT words"))
        await looking.holds(driver)
        screen.action_edit("delete")
        await driver.pilot.pause()
        assert driver.app.screen is screen, "no question about what the old rules took"
        assert "Still applying the rules" in driver.said()
        looking.let_go()
        await driver.settle()
        assert "Will be removed: 0 sessions" in driver.screen()
        screen.action_edit("delete")
        await driver.settle()
        assert "No session matches these rules" in driver.said()


@pytest.mark.parametrize("leaves", [False, True])
async def test_room_is_offered_to_whoever_is_still_there(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch, leaves: bool
) -> None:
    monkeypatch.setattr(attention, "LATE", 0.0)
    command = Command(("agent", "optimize"), {}, None)
    monkeypatch.setattr(reclaiming, "reclaim_commands", lambda *_: [command])
    found = Held(monkeypatch, reclaiming, "reclaim_commands")
    async with opened(path, trash=trash) as driver:
        await _prune(driver, *OLD)
        await driver.press("d")
        await driver.pilot.press("y")
        await found.holds(driver)
        if leaves:
            await driver.pilot.press("escape")
            await driver.until_seen(lambda: driver.app.screen is driver.main)
        found.let_go()
        await driver.settle()
        assert isinstance(driver.app.screen, Question) is not leaves

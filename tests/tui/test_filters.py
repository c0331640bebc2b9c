"""The filter dialog, the chips, and the list behind them."""

import re
from pathlib import Path

import pytest

from explorer.browse.choices import ChoiceRow
from explorer.model import Hidden
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.ours.notes import Notes
from explorer.tui.dialogs.prompt import Prompt
from explorer.tui.list import filter_dialog as filters
from explorer.tui.list.filter_dialog import FilterList, FilterScreen
from tests.factories import altered, insert, say, talk
from tests.tui.driving import NOW, Driver, Held, opened

DAY = 86_400.0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A few sessions that differ in everything one can filter by."""
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "short", "a word", at=NOW - 60, title="Short")
        talk(state, "chat", *["on and on"] * 12, source="telegram", at=NOW - 2 * DAY, title="Chat")
        talk(state, "old", "hello", source="telegram", at=NOW - 60 * DAY, title="Old chat")
        talk(state, "tick", "tick", source="cron", at=NOW - 90, title="Tick")
        talk(state, "gone", "put away", at=NOW - 3 * DAY, title="Put away")
        state.set_archived("gone", True)
        call = {"id": "x", "function": {"name": "terminal", "arguments": "{}"}}
        state.append_message("short", "assistant", "", tool_calls=[call], timestamp=NOW - 50)
    with altered(file) as db:
        db.execute("UPDATE sessions SET model = 'maker/opus' WHERE id = 'chat'")
    return file


def _dialog(driver: Driver) -> FilterList:
    assert isinstance(driver.app.screen, FilterScreen)
    return driver.app.screen.query_one(FilterList)


def _lines(driver: Driver) -> list[str]:
    """The lines of the dialog that are in sight."""
    return re.findall(r"│ +([\[(][ x•][\])] .*?) *[▁▂▃▄▅▆▇█]? *│", driver.screen())


def _number(driver: Driver, words: str) -> int:
    """The number beside a choice."""
    (line,) = (line for line in _lines(driver) if line[4:].startswith(words))
    return int(line.split()[-1])


async def _go_to(driver: Driver, words: str) -> None:
    rows = [row for row in _dialog(driver)._rows if row.can_be_chosen]
    place = [row.words for row in rows].index(words)
    await driver.press_on("home", *["down"] * place)


async def _choose(driver: Driver, *words: str) -> None:
    """Open the dialog, make choices, close it."""
    await driver.press("f")
    for choice in words:
        await _go_to(driver, choice)
        await driver.press("space")
    await driver.press("escape")


def _chips(driver: Driver) -> list[str]:
    """The chips on the screen, in order."""
    return re.findall(r"(?:^| {2})([^ ✕](?:[^ ✕]| (?! ))*) ✕", driver.screen().splitlines()[2])


async def test_f_opens_the_filters_with_what_is_listed_and_escape_closes_them(path: Path) -> None:
    async with opened(path) as driver:
        counted = driver.counted()
        assert counted == "3 listed · hidden: 1 archived, 1 cron (. shows)"
        await driver.press("f")
        assert f"Filters · {counted.removesuffix(' (. shows)')}" in driver.screen(), "the same"
        await driver.press("escape")
        assert len(driver.app.screen_stack) == 1
        assert driver.main.focused is driver.main.sessions


async def test_every_choice_shows_how_many_sessions_it_lists(path: Path) -> None:
    async with opened(path, size=(120, 60)) as driver:
        await driver.press("f")
        numbers = {
            "Archived": 1,
            "Scheduled (cron)": 1,
            "Empty": 0,
            "telegram": 2,
            "cron": 1,
            "cli": 1,
            "Any time": 3,
            "Today": 1,
            "Last 7 days": 2,
            "Older than 30 days": 1,
            "2 or more": 2,
            "10 or more": 1,
            "Only sessions with tool": 1,
            "opus": 1,
            "no model": 2,
        }
        assert {words: _number(driver, words) for words in numbers} == numbers


async def test_classes_that_few_files_have_are_offered_where_there_are_some(path: Path) -> None:
    seldom = ("Kanban tasks", "One-shot runs", "Hidden by the agent")
    async with opened(path) as driver:
        await driver.press("f")
        assert not any(words in driver.screen() for words in seldom)
    with altered(path) as db:
        db.execute("ALTER TABLE sessions ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0")
        db.execute("UPDATE sessions SET hidden = 1 WHERE id = 'chat'")
        for source in ("kanban", "oneshot"):
            insert(db, "sessions", id=source, source=source, started_at=NOW - 70, title=source)
            say(db, source)
    async with opened(path, size=(240, 40)) as driver:
        assert "Chat" not in driver.listed()
        seldom_classes = (Hidden.KANBAN, Hidden.ONESHOT, Hidden.HIDDEN)
        hidden = driver.main.sessions.arranged.hidden
        assert [hidden[name] for name in seldom_classes] == [1, 1, 1]
        said = "hidden: 1 agent-hidden, 1 archived, 1 kanban, 1 oneshot, 1 cron (. shows)"
        assert driver.counted() == f"2 listed · {said}"
        await driver.press("f")
        assert [_number(driver, words) for words in seldom] == [1, 1, 1]
        await _go_to(driver, "Hidden by the agent")
        await driver.press("space", "escape")
        assert "Chat" in driver.listed()
        assert _chips(driver) == ["+ agent-hidden sessions"]
        await driver.press(".", ".")
        await driver.press(".")
        assert {"Chat", "kanban", "oneshot"} <= set(driver.listed())


async def test_unread_can_be_chosen_where_the_agent_keeps_track_of_it(path: Path) -> None:
    async with opened(path, size=(120, 60)) as driver:
        await driver.press("f")
        assert "Only sessions unread in the agent" not in driver.screen()
    with altered(path) as db:
        db.execute("ALTER TABLE sessions ADD COLUMN last_read_at REAL")
        db.execute("UPDATE sessions SET last_read_at = 0 WHERE id = 'chat'")
        db.execute("UPDATE sessions SET last_read_at = ? WHERE id = 'short'", (NOW,))
    async with opened(path, size=(120, 60)) as driver:
        assert driver.screen().count("✱") == 1
        await driver.press("f")
        assert _number(driver, "Only sessions unread in the agent") == 1
        await _go_to(driver, "Only sessions unread in the agent")
        await driver.press("space", "escape")
        assert driver.listed() == ["Chat"]
        assert _chips(driver) == ["unread"]
        await driver.press("backspace")
        assert len(driver.listed()) == 3
        await driver.press("/")
        await driver.type("is:unread")
        assert driver.listed() == ["Chat"]


async def test_the_numbers_follow_what_else_is_chosen(path: Path) -> None:
    async with opened(path, size=(120, 60)) as driver:
        await driver.press("f")
        await _go_to(driver, "telegram")
        await driver.press("space")
        assert "Filters · 2 listed · 3 filtered out" in driver.screen()
        assert _number(driver, "Last 7 days") == 1
        assert _number(driver, "Only sessions with tool") == 0
        assert _number(driver, "cli") == 1, "as if it were chosen instead"


async def test_a_choice_acts_at_once_and_the_same_key_reverts_it(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("f")
        await _go_to(driver, "telegram")
        await driver.press("space")
        assert driver.listed() == ["Chat", "Old chat"]
        await driver.press("enter")
        assert driver.listed() == ["Short", "Chat", "Old chat"]


async def test_a_choice_can_be_clicked(path: Path) -> None:
    async with opened(path, size=(120, 60)) as driver:
        await driver.press("f")
        lines = driver.screen().splitlines()
        (line,) = (at for at, text in enumerate(lines) if "] telegram" in text)
        await driver.pilot.click(offset=(lines[line].index("telegram"), line))
        await driver.settle()
        assert driver.listed() == ["Chat", "Old chat"]
        heading = next(at for at, text in enumerate(lines) if "│  Source" in text)
        await driver.pilot.click(offset=(lines[line].index("telegram"), heading))
        await driver.settle()
        assert driver.listed() == ["Chat", "Old chat"]


async def test_sources_add_up_and_other_filters_narrow(path: Path) -> None:
    async with opened(path) as driver:
        await _choose(driver, "telegram", "cli")
        assert driver.listed() == ["Short", "Chat", "Old chat"]
        await _choose(driver, "Last 7 days")
        assert driver.listed() == ["Short", "Chat"]
        await _choose(driver, "10 or more")
        assert driver.listed() == ["Chat"]
        assert driver.counted() == "1 listed · 4 filtered out"


async def test_the_source_cron_lists_cron(path: Path) -> None:
    async with opened(path) as driver:
        await _choose(driver, "cron")
        assert driver.listed() == ["Tick"]
        assert "tick" in driver.screen()
        assert _chips(driver) == ["cron"]


async def test_a_class_can_be_listed_by_itself(path: Path) -> None:
    async with opened(path) as driver:
        await _choose(driver, "Archived")
        assert driver.listed() == ["Short", "Chat", "Put away", "Old chat"]
        assert _chips(driver) == ["+ archived sessions"]
        assert "1 cron" in driver.counted()


@pytest.mark.parametrize(
    ("choice", "chip", "titles"),
    [
        ("telegram", "telegram", ["Chat", "Old chat"]),
        ("opus", "opus", ["Chat"]),
        ("no model", "no model", ["Short", "Old chat"]),
        ("Last 7 days", "active in the last 7 days", ["Short", "Chat"]),
        ("Older than 30 days", "last active more than 30 days ago", ["Old chat"]),
        ("Today", "active since today", ["Short"]),
        ("10 or more", "at least 10 messages", ["Chat"]),
        ("Only sessions with tool calls", "with tool calls", ["Short"]),
    ],
)
async def test_an_active_filter_is_a_chip_in_words(
    path: Path, choice: str, chip: str, titles: list[str]
) -> None:
    async with opened(path) as driver:
        assert _chips(driver) == []
        await _choose(driver, choice)
        assert driver.listed() == titles
        assert _chips(driver) == [chip]
        await driver.press("backspace")
        assert driver.listed() == ["Short", "Chat", "Old chat"]
        assert "✕" not in driver.screen()


async def test_a_click_on_a_chip_removes_it(path: Path) -> None:
    async with opened(path) as driver:
        await _choose(driver, "telegram", "10 or more")
        assert driver.listed() == ["Chat"]
        assert _chips(driver) == ["telegram", "at least 10 messages"]
        await driver.pilot.click("#chips", offset=(driver.screen().splitlines()[2].index("✕"), 0))
        await driver.settle()
        assert _chips(driver) == ["at least 10 messages"]
        await driver.pilot.click("#chips", offset=(60, 0))
        await driver.settle()
        assert _chips(driver) == ["at least 10 messages"], "beside the chips is nothing"


async def test_backspace_removes_chips_from_the_right(path: Path) -> None:
    async with opened(path) as driver:
        await _choose(driver, "Only sessions with tool calls", "telegram", "Archived")
        left = _chips(driver)
        assert left == ["+ archived sessions", "telegram", "with tool calls"]
        while left:
            left.pop()
            await driver.press("backspace")
            assert _chips(driver) == left
        await driver.press("backspace")
        assert driver.listed() == ["Short", "Chat", "Old chat"]


async def test_delete_clears_everything_that_was_chosen(path: Path) -> None:
    async with opened(path) as driver:
        await _choose(driver, "telegram", "Archived", "Last 7 days")
        await driver.press("f", "delete")
        assert "Filters · 3 listed" in driver.screen()
        assert "[x]" not in driver.screen()
        await driver.press("escape")
        assert _chips(driver) == []
        assert driver.listed() == ["Short", "Chat", "Old chat"]


async def test_where_not_all_chips_fit_the_last_are_shown_and_others_counted(path: Path) -> None:
    async with opened(path, size=(44, 30)) as driver:
        await _choose(driver, "cron", "telegram", "cli", "Archived", "Empty", "10 or more")
        line = driver.screen().splitlines()[2]
        assert "more · " in line
        assert "at least 10 messages ✕" in line
        await driver.pilot.click("#chips", offset=(line.rindex("✕"), 0))
        await driver.settle()
        assert "10 messages" not in driver.screen()


async def test_a_source_without_a_name_has_a_chip_with_words(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET source = '' WHERE id = 'short'")
    async with opened(path) as driver:
        await _choose(driver, "no source")
        assert driver.listed() == ["Short"]
        assert _chips(driver) == ["no source"]


async def _asked(driver: Driver, which: str, text: str) -> None:
    """Type a day of one's own; the prompt is open at the end if it was not taken."""
    await driver.press("f")
    await _go_to(driver, which)
    await driver.press("space")
    assert isinstance(driver.app.screen, Prompt)
    await driver.press("end", "ctrl+u")
    for letter in text:
        await driver.pilot.press("minus" if letter == "-" else letter)
    await driver.press("enter")


async def test_a_date_can_be_typed(path: Path) -> None:
    async with opened(path) as driver:
        await _asked(driver, "Since …", "2026-09-01")
        assert driver.listed() == ["Short", "Chat"]
        assert "(•) Since 2026-09-01" in driver.screen()
        await driver.press("escape")
        await _asked(driver, "Before …", "yesterday")
        await driver.press("escape")
        assert driver.listed() == ["Chat"]
        assert _chips(driver) == ["active since 2026-09-01", "last active before yesterday"]


async def test_while_a_date_is_typed_its_meaning_is_shown(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("f")
        await _go_to(driver, "Since …")
        await driver.press("space", "7")
        assert "A date (2026-03-01, 2026-03, yesterday)" in driver.screen()
        await driver.press("d")
        assert "Since 2026-09-14 14:13:20" in driver.screen()


@pytest.mark.parametrize("text", ["soon", "2026-13-01", "7"])
async def test_an_unclear_date_is_not_accepted_and_examples_are_shown(
    path: Path, text: str
) -> None:
    async with opened(path) as driver:
        await _asked(driver, "Since …", text)
        assert isinstance(driver.app.screen, Prompt)
        assert "A date (2026-03-01, 2026-03, yesterday)" in driver.screen()
        await driver.press("escape", "escape")
        assert _chips(driver) == []
        assert driver.listed() == ["Short", "Chat", "Old chat"]


async def test_a_typed_date_can_be_changed_and_removed(path: Path) -> None:
    async with opened(path) as driver:
        await _asked(driver, "Since …", "2026-09-01")
        await driver.press("escape")
        await _asked(driver, "Since 2026-09-01", "2026")
        assert driver.listed() == ["Short", "Chat", "Old chat"]
        await driver.press("escape")
        await _asked(driver, "Since 2026", "")
        await driver.press("escape")
        assert _chips(driver) == []


async def test_an_empty_filtered_list_names_the_key_that_removes_a_filter(path: Path) -> None:
    async with opened(path) as driver:
        await _choose(driver, "telegram", "Only sessions with tool calls")
        assert driver.listed() == []
        note = "No session matches these filters. Press ⌫ to remove the last one."
        assert driver.main.sessions.note == note
        assert "No session matches these filters." in driver.screen()
        assert "0 listed" in driver.counted()
        assert "on and on" not in driver.screen(), "no transcript of a session that is not listed"
        await driver.press("backspace")
        assert driver.listed() == ["Chat", "Old chat"]
        assert "on and on" in driver.screen()


async def test_the_cursor_stays_on_its_session_while_filters_come_and_go(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j")
        held = driver.main.sessions.cursor_row
        await _choose(driver, "telegram")
        assert driver.main.sessions.cursor_row == held
        await driver.press("backspace")
        assert driver.main.sessions.cursor_row == held


async def _search(driver: Driver, text: str) -> None:
    """Search, and back to the list."""
    await driver.press("slash")
    await driver.type(text)
    driver.main.set_focus(driver.main.sessions)
    await driver.settle()


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    """Two sessions and a job that speak of the same thing."""
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "a", "cheese", "Cheese!", "more cheese", at=NOW - 100, title="At home")
        talk(state, "b", "cheese", source="telegram", at=NOW - 50, title="On the way")
        talk(state, "c", "cheese", "cheese", source="cron", at=NOW - 10, title="By the clock")
    return file


async def test_a_search_finds_only_what_passes_and_counts_the_rest(talks: Path) -> None:
    async with opened(talks, size=(200, 40)) as driver:
        await _search(driver, "cheese")
        assert driver.listed() == ["On the way", "At home"]
        assert "4 hits in 2 sessions" in driver.screen()
        await driver.press("f")
        await _go_to(driver, "telegram")
        await driver.press("space", "escape")
        assert driver.listed() == ["On the way"]
        assert "1 hit in 1 session" in driver.screen()
        said = "1 listed · 5 more hits filtered out"
        assert driver.counted() == said, "including cron sessions would add none"
        await driver.press("backspace")
        assert driver.listed() == ["On the way", "At home"]


async def test_a_search_that_only_the_filters_leave_empty_says_where_the_hits_are(
    talks: Path,
) -> None:
    async with opened(talks) as driver:
        await _choose(driver, "telegram")
        await _search(driver, "more")
        assert driver.listed() == []
        assert "1 hit filtered out. Remove a filter" in driver.main.sessions.note
        assert _chips(driver) == ["telegram"]


@pytest.mark.parametrize("choice", ["cron", "Scheduled (cron)"])
async def test_a_class_that_is_listed_is_searched_too(talks: Path, choice: str) -> None:
    async with opened(talks) as driver:
        await _choose(driver, choice)
        await _search(driver, "cheese")
        assert "By the clock" in driver.listed()


async def test_titles_are_filtered_as_well(talks: Path) -> None:
    async with opened(talks) as driver:
        await _choose(driver, "telegram")
        await _search(driver, "home")
        assert driver.listed() == []
        assert "1 hit filtered out. Remove a filter" in driver.main.sessions.note


async def test_a_new_session_that_does_not_pass_is_counted_as_filtered(path: Path) -> None:
    async with opened(path, size=(200, 40)) as driver:
        await _choose(driver, "telegram")
        assert "2 listed · 3 filtered out" in driver.counted()
        with altered(path) as db:
            insert(db, "sessions", id="new", source="cli", started_at=NOW, title="Just in")
            say(db, "new", timestamp=NOW)
        await driver.until(lambda: "4 filtered" in driver.counted())
        assert driver.listed() == ["Chat", "Old chat"]
        assert "2 listed · 4 filtered out" in driver.counted()
        with altered(path) as db:
            insert(db, "sessions", id="newer", source="telegram", started_at=NOW, title="For you")
            say(db, "newer", timestamp=NOW)
        await driver.until(lambda: "For you" in driver.listed())
        assert driver.listed() == ["For you", "Chat", "Old chat"]


async def test_a_session_that_grows_past_the_filter_appears(path: Path) -> None:
    async with opened(path) as driver:
        await _choose(driver, "2 or more")
        assert driver.listed() == ["Short", "Chat"]
        with altered(path) as db:
            db.execute("UPDATE sessions SET message_count = 2, model = 'new' WHERE id = 'old'")
            say(db, "old", content="and more", timestamp=NOW)
        await driver.until(lambda: "Old chat" in driver.listed())
        assert driver.listed() == ["Old chat", "Short", "Chat"]


async def test_what_changes_while_the_dialog_counts_is_not_forgotten(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        await _choose(driver, "2 or more")
        held = Held(monkeypatch, filters, "tally")
        await driver.pilot.press("f")
        await held.holds(driver)
        with altered(path) as db:
            db.execute("UPDATE sessions SET message_count = 2 WHERE id = 'old'")
            say(db, "old", content="and more", timestamp=NOW)
        await driver.until_seen(lambda: "Old chat" in driver.listed())
        held.let_go()
        dialog = driver.app.screen
        assert isinstance(dialog, FilterScreen)
        await driver.until(lambda: dialog._counted is driver.main._lister.catalog)
        assert "Filters · 3 listed" in driver.screen()
        await driver.press("escape", "s", "j", "enter")
        assert "Old chat" in driver.listed()


async def test_the_open_dialog_counts_again_when_the_file_has_changed(path: Path) -> None:
    async with opened(path, size=(120, 60)) as driver:
        await driver.press("f")
        assert _number(driver, "telegram") == 2
        with altered(path) as db:
            insert(db, "sessions", id="new", source="telegram", started_at=NOW)
            say(db, "new", timestamp=NOW)
        await driver.until(lambda: "Filters · 4 listed" in driver.screen())
        assert _number(driver, "telegram") == 3


async def test_an_opened_session_is_listed_although_hidden_and_has_a_chip(
    path: Path,
) -> None:
    async with opened(path) as driver:
        await _choose(driver, "telegram")
        for name in ("tick", "short"):
            key = driver.main.file.opened.store.find(name)[0].key  # type: ignore[union-attr]
            driver.main._lister.reveal(key)
            await driver.settle()
            assert driver.main.sessions.cursor_row == key
        assert driver.listed() == ["Short", "Tick", "Chat", "Old chat"]
        marked = [line for line in driver.screen().splitlines() if "◌" in line]
        assert [re.findall("Short|Tick|Chat", line)[0] for line in marked] == ["Short", "Tick"]
        assert _chips(driver) == ["telegram", "+ 2 sessions you opened"]
        assert Hidden.CRON not in driver.counted()
        await driver.press("backspace")
        assert driver.listed() == ["Chat", "Old chat"]
        assert "◌" not in driver.screen()


async def test_an_opened_session_leaves_with_the_next_change_of_filters(path: Path) -> None:
    async with opened(path) as driver:
        key = driver.main.file.opened.store.find("tick")[0].key  # type: ignore[union-attr]
        driver.main._lister.reveal(key)
        await driver.settle()
        assert "Tick" in driver.listed()
        await _choose(driver, "telegram")
        assert "Tick" not in driver.listed()
        assert _chips(driver) == ["telegram"]


async def test_a_choice_counts_pinned_sessions_as_it_lists_them(path: Path, tmp_path: Path) -> None:
    Notes(tmp_path / "notes.db", path).pin(["gone"], on=True)
    async with opened(path, notes=tmp_path / "notes.db", size=(120, 60)) as driver:
        await driver.press("f")
        (line,) = (line for line in _lines(driver) if "Any number" in line)
        assert int(line.split()[-1]) == driver.main.sessions.arranged.listed
        assert "gone" in [
            row.id for row in map(driver.main.sessions.row, driver.main.sessions.order) if row
        ]


def _seen(row: ChoiceRow) -> str:
    """What is visible of a choice in a few columns: of a path its end."""
    return row.words[-3:] if row.kind == "workspace" else row.words[:3]


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 6)])
async def test_on_a_small_terminal_every_choice_can_be_reached_and_seen(
    demo: Path, size: tuple[int, int]
) -> None:
    async with opened(demo, size=size) as driver:
        await driver.press("f")
        dialog = _dialog(driver)
        choices = [row for row in dialog._rows if row.can_be_chosen]
        for row in choices:
            assert _seen(row) in driver.screen(), row
            await driver.press("down")
        assert dialog._rows[dialog._cursor] == choices[-1]
        for row in reversed(choices):
            assert _seen(row) in driver.screen(), row
            await driver.press("up")
        assert dialog._rows[dialog._cursor] == choices[0]


async def test_the_choice_under_the_cursor_stays_in_sight_when_the_numbers_move_it(
    demo: Path,
) -> None:
    async with opened(demo, size=(80, 12)) as driver:
        await driver.press("f")
        await _go_to(driver, "qwen3-coder:30b")
        await driver.press("space")
        await _go_to(driver, "slack")
        before = _dialog(driver)._cursor
        await driver.press("delete")
        assert _dialog(driver)._cursor > before
        assert any("slack" in line for line in _lines(driver))


async def test_letters_narrow_the_filters_and_escape_shows_all_again(demo: Path) -> None:
    async with opened(demo) as driver:
        await driver.press("f")
        every = len(_dialog(driver)._rows)
        await driver.type("qwen")
        assert [row.words for row in _dialog(driver)._rows] == ["Model", "qwen3-coder:30b"]
        assert "Filters: qwen▏" in driver.screen()
        await driver.press("space")
        assert "[x] qwen3-coder:30b" in driver.screen()
        await driver.press("x")
        assert "No filter matches. esc shows all." in driver.screen()
        await driver.press("enter", "backspace")
        assert len(_dialog(driver)._rows) == 2
        await driver.press("space", "escape")
        assert len(_dialog(driver)._rows) == every
        await driver.type("workspace")
        assert {row.kind for row in _dialog(driver)._rows} == {"heading", "workspace"}
        await driver.press("escape", "escape")
        assert len(driver.app.screen_stack) == 1


async def test_only_narrows_the_list_to_the_source_workspace_or_model_of_the_row(
    tmp_path: Path,
) -> None:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        for number, name in enumerate(("ant", "bee", "cat")):
            source = "telegram" if name == "cat" else "cli"
            talk(state, name, "hello", source=source, at=NOW - 60 * number, title=name)
        for number in range(12):
            talk(state, f"more{number}", "hello", at=NOW - 9000 - number, title=f"more {number}")
    with altered(file) as db:
        db.execute("UPDATE sessions SET cwd = '/work/' || id WHERE id LIKE 'more%'")
        db.execute(
            "UPDATE sessions SET cwd = '/work/zoo', model = 'opus' WHERE id IN ('ant', 'cat')"
        )
    async with opened(file) as driver:
        await driver.press("o")
        for words in ("Only source cli", "Only workspace /work/zoo", "Only model opus"):
            assert words in driver.screen()
        await driver.press("down", "enter")
        assert driver.listed() == ["ant", "cat"]
        assert _chips(driver) == ["in zoo"]
        await driver.press("f")
        lines = [row.words for row in _dialog(driver)._rows if row.kind in ("workspace", "stays")]
        assert lines[0] == "/work/zoo", "the most used first"
        assert lines[-1] == "6 more: type to find more"
        await driver.type("more11")
        assert [row.words for row in _dialog(driver)._rows] == ["Workspace", "/work/more11"]
        await driver.press("escape", "escape", "backspace")
        await driver.to("bee")
        await driver.press("o")
        assert "Only workspace" not in driver.screen(), "it has none"
        await driver.press("enter")
        assert _chips(driver) == ["cli"]
        await _search(driver, "zzz")
        await driver.press("o")
        assert "Nothing to filter by" in driver.said()

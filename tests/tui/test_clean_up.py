"""What Hermes is going to do by itself, as the app shows it: marks, top bar, order, filter, key."""

import os
import sqlite3
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from textual.widgets import Static

from explorer.resume import Command as Resumed
from explorer.stores.fates import DAY
from explorer.stores.kinds import open_store
from explorer.stores.ours.notes import Notes
from explorer.tui.dialogs.questions import Question
from explorer.tui.list.filter_dialog import FilterList
from explorer.tui.reading.open_elsewhere import DetailsScreen
from tests.factories import altered, insert, rows, say
from tests.hermes_homes import ON, hermes_home
from tests.standin import StandIn
from tests.tui.driving import NOW, Driver, opened

HOUR = 3600.0
AGES = {"ant": 1, "bee": 60, "cat": 85, "dog": 95, "eel": 200}
"""Days since the last message of each session; all have ended."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A home of Hermes with five sessions; it cleaned up last two days ago."""
    file = hermes_home(tmp_path / "home")
    with altered(file) as db:
        db.execute("DELETE FROM messages")
        db.execute("DELETE FROM sessions")
        db.execute("UPDATE state_meta SET value = ? WHERE key LIKE 'last_auto%'", (NOW - 2 * DAY,))
        for name, days in AGES.items():
            _add(db, name, days)
    return file


def _add(db: sqlite3.Connection, name: str, days: float, **cells: object) -> None:
    at = NOW - days * DAY
    plain: dict[str, object] = {"ended_at": at + 1, "end_reason": "cli_close", "title": name}
    insert(db, "sessions", id=name, source="cli", started_at=at, **(plain | cells))
    say(db, name, content=f"I am {name}", timestamp=at)


def _config(path: Path, text: str) -> None:
    (path.parent / "config.yaml").write_text(text)


def _marked(driver: Driver) -> dict[str, str]:
    """The sign of each row that has one, by its title."""
    lines = [line.split() for line in driver.screen().splitlines() if "◷" in line]
    return {line[1].strip("▌"): next(word for word in line if "◷" in word) for line in lines}


def _top(driver: Driver) -> str:
    return driver.screen().splitlines()[0]


async def test_what_is_about_to_be_deleted_is_marked_and_counted(path: Path) -> None:
    async with opened(path, size=(160, 40)) as driver:
        assert _marked(driver) == {"cat": "◷", "dog": "◷", "eel": "◷"}
        assert "2 sessions will be deleted by Hermes at its next start" in _top(driver)
        assert driver.main.top.warning == (
            "2 sessions will be deleted by Hermes at its next start",
            "Hermes will delete 2 sessions",
            "2 expiring",
        )


async def test_what_the_release_decides_may_be_deleted(path: Path) -> None:
    _config(path, "model: x\n")
    async with opened(path, size=(160, 40)) as driver:
        assert _marked(driver) == {"cat": "◷?", "dog": "◷?", "eel": "◷?"}
        assert "2 sessions may be deleted by Hermes at its next start" in _top(driver)


async def test_before_the_interval_is_over_a_week_is_looked_ahead(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE state_meta SET value = ? WHERE key LIKE 'last_auto%'", (NOW - HOUR,))
    async with opened(path, size=(160, 40)) as driver:
        assert "3 sessions will be deleted by Hermes within 7 days" in _top(driver)


@pytest.mark.parametrize(
    "config", ["sessions: {auto_prune: false}", "sessions: {auto_prune: 'yes'}", "sessions:\n\t- x"]
)
async def test_nothing_is_said_where_nothing_is_known_or_done(path: Path, config: str) -> None:
    _config(path, config)
    async with opened(path) as driver:
        assert _marked(driver) == {}
        assert driver.main.top.warning == ()
        assert "Hermes" not in _top(driver)


async def test_what_is_archived_at_the_next_start_has_a_sign_of_its_own(path: Path) -> None:
    _config(path, "sessions: {auto_prune: false, auto_archive: true, auto_archive_days: 90}")
    async with opened(path) as driver:
        assert _marked(driver) == {"dog": "◷▣", "eel": "◷▣"}
        assert driver.main.top.warning == (), "an archive is no loss"


@pytest.mark.parametrize(
    ("width", "said", "facts"),
    [
        (220, "2 sessions will be deleted by Hermes at its next start", True),
        (120, "Hermes will delete 2 sessions", False),
        (80, "2 expiring", False),
    ],
)
async def test_the_top_bar_says_as_much_as_there_is_room_for(
    path: Path, width: int, said: str, facts: bool
) -> None:
    async with opened(path, size=(width, 24)) as driver:
        driver.main.top.state = "live · written 20 s ago"
        driver.main.top.facts = "12,345 sessions · 1,234,567 messages · 812 MB"
        await driver.settle()
        top = _top(driver)
        assert said in top
        assert ("812 MB" in top) is facts
        assert "state.db" in top
        assert "written 20 s ago" in top


async def test_a_tiny_terminal_keeps_the_state_of_the_file(path: Path) -> None:
    async with opened(path, size=(44, 24)) as driver:
        driver.main.top.state = "idle · last written 11 min ago"
        await driver.settle()
        assert "idle · last written 11 min ago" in _top(driver)


async def test_the_language_knows_what_is_expiring(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("slash")
        await driver.type("is:expiring")
        assert driver.listed() == ["cat", "dog", "eel"]
        await driver.press("escape")
        await driver.type("-is:expiring")
        assert driver.listed() == ["ant", "bee"]


async def test_the_filter_lists_what_is_expiring(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("f")
        filters = driver.app.screen.query_one(FilterList)
        kinds = [row.kind for row in filters._rows if row.can_be_chosen]
        await driver.press_on(*["down"] * kinds.index("expiring"))
        here = filters._rows[filters._cursor]
        assert (here.kind, here.number) == ("expiring", 3)
        await driver.press("space")
        await driver.press("escape")
        assert driver.listed() == ["cat", "dog", "eel"]
        await driver.press("backspace")
        assert driver.listed() == list(AGES)


async def test_an_order_puts_what_goes_first_first(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("s", "end", "enter")
        assert driver.listed() == ["dog", "eel", "cat", "bee", "ant"]
        titles = [group.title for group in driver.main.sessions.arranged.groups]
        assert titles == ["When Hermes next starts", "Within 7 days", "Later"]
        with altered(path) as db:
            say(db, "dog", content="more", timestamp=NOW)
        await driver.until(lambda: driver.listed()[-1] == "dog")
        assert driver.listed() == ["eel", "cat", "bee", "ant", "dog"]


async def test_without_a_clean_up_the_order_is_that_of_the_last_activity(path: Path) -> None:
    _config(path, "sessions: {auto_prune: false}")
    async with opened(path) as driver:
        await driver.press("s", "end", "enter")
        assert driver.listed() == list(AGES)
        assert driver.main.sessions.arranged.groups == ()


async def test_details_say_what_happens_next(path: Path) -> None:
    async with opened(path) as driver:
        await driver.to("bee")
        await driver.press("i")
        assert isinstance(driver.app.screen, DetailsScreen)
        seen = " ".join(driver.screen().split())
        assert "Deleted by Hermes at its next start after 21 Oct 2026, unless pinned." in seen
        assert "Ended sessions are deleted after 90 days without activity." in seen
        await driver.press("escape")
        await driver.to("eel")
        await driver.press("i")
        assert "Deleted by Hermes at its next start, unless pinned." in " ".join(
            driver.screen().split()
        )


async def test_a_session_that_is_used_again_is_marked_no_more(path: Path) -> None:
    async with opened(path, size=(160, 40)) as driver:
        assert "dog" in _marked(driver)
        with altered(path) as db:
            say(db, "dog", content="here I am again", timestamp=NOW)
        await driver.until(lambda: "dog" not in _marked(driver))
        assert _marked(driver) == {"cat": "◷", "eel": "◷"}
        assert "1 session will be deleted by Hermes" in _top(driver)


def _editable(path: Path) -> AbstractAsyncContextManager[Driver]:
    ours = path.parent / "ours"
    return opened(path, notes=ours / "explorer.db", trash=ours / "trash.db")


def _pinned(path: Path) -> set[object]:
    return {id_ for (id_,) in rows(path, "SELECT id FROM sessions WHERE pinned = 1")}


def _question(driver: Driver) -> str:
    assert isinstance(driver.app.screen, Question)
    return "\n".join(str(one.content) for one in driver.app.screen.query(Static))


async def test_k_asks_and_keeps_all_that_would_go(path: Path) -> None:
    async with _editable(path) as driver:
        await driver.press("K")
        said = _question(driver)
        assert "Keep 3 expiring sessions?" in said
        assert said.index("eel · cli") < said.index("cat · cli")
        assert said.index("dog · cli") < said.index("cat · cli"), "what goes first is named first"
        assert "deletes 2 of them at its next start and 1 of them within 7 days" in said
        await driver.press("escape")
        assert _pinned(path) == set()
        await driver.press("K")
        await driver.press("y")
        assert _pinned(path) == {"cat", "dog", "eel"}
        assert _marked(driver) == {}
        assert driver.main.top.warning == ()
        await driver.press("u")
        await driver.press("y")
        assert _pinned(path) == set()
        assert len(_marked(driver)) == 3


async def test_a_pin_in_our_notes_alone_does_not_spare_and_k_makes_it_hermes_own(
    path: Path,
) -> None:
    Notes(path.parent / "ours" / "explorer.db", path).pin(["dog", "cat", "eel"], on=True)
    async with _editable(path) as driver:
        assert len(_marked(driver)) == 3
        await driver.press("K")
        await driver.press("y")
        assert _pinned(path) == {"cat", "dog", "eel"}
        assert _marked(driver) == {}


async def test_a_question_names_some_and_counts_the_rest(path: Path) -> None:
    with altered(path) as db:
        for number in range(20):
            _add(db, f"old{number:02}", 300 + number)
    async with _editable(path) as driver:
        await driver.press("K")
        said = _question(driver)
        assert "Keep 23 expiring sessions?" in said
        assert "and 15 more" in said


async def test_nothing_to_keep_is_said(path: Path) -> None:
    _config(path, "sessions: {auto_prune: false}")
    async with _editable(path) as driver:
        await driver.press("K")
        assert "will not delete any session" in driver.said()
    _config(path, "sessions: {auto_prune: perhaps}")
    async with _editable(path) as driver:
        await driver.press("K")
        assert "sessions.auto_prune is not understood" in driver.said()


async def test_where_a_pin_does_not_help_it_is_said_what_does(tmp_path: Path) -> None:
    path = hermes_home(tmp_path, "hermes-v22", ON)
    async with _editable(path) as driver:
        await driver.press("K")
        assert "too old for pins in Hermes" in driver.said()
        assert "Set sessions.auto_prune: false in" in driver.said()
        assert "config.yaml" in driver.said()


async def test_a_file_that_may_not_be_changed_is_not_asked_about(path: Path) -> None:
    with altered(path) as db:
        db.execute("CREATE TRIGGER odd AFTER UPDATE ON sessions BEGIN SELECT raise(abort, ''); END")
    refused = open_store(path).info().edits["pin"]
    async with _editable(path) as driver:
        await driver.press("K")
        assert refused
        assert refused in driver.said()


@pytest.mark.parametrize("limit", [1, 0])
async def test_a_conversation_too_long_for_hermes_is_asked_about(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    (tmp_path / "agent").mkdir()
    standin = StandIn(tmp_path / "agent")
    monkeypatch.setenv("PATH", f"{standin.bin}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STANDIN_HELP", "usage: hermes [--resume ID] profile")
    _config(path, f"sessions: {{max_resume_messages: {limit}}}")
    with altered(path) as db:
        say(db, "ant", content="more", timestamp=NOW - DAY + 1)
    async with _editable(path) as driver:
        await driver.press("r")
        if limit:
            said = _question(driver)
            assert "Too long for Hermes to resume" in said
            assert "more than 1 message. This conversation has 2." in said
            await driver.press("escape")
            assert driver.app.return_value is None
            await driver.press("r")
            await driver.press("y")
        assert isinstance(driver.app.return_value, Resumed)
        assert driver.app.return_value.arguments[-1] == "--resume=ant"


async def test_a_pin_of_hermes_spares(path: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET pinned = 1 WHERE id = 'dog'")
    async with _editable(path) as driver:
        assert _marked(driver) == {"cat": "◷", "eel": "◷"}
        await driver.to("dog")
        await driver.press("i")
        assert "Kept by Hermes because it is pinned." in driver.screen()

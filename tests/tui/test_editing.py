"""Edits from the app: a plan, Cancel as the default, and the key that takes it back."""

from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from explorer.model import Action, KeySetting
from explorer.settings import Config
from explorer.stores.edits.batches import run_batches
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import Progress
from explorer.stores.hermes.store import HermesStore
from explorer.tui.dialogs.choices import Choice
from explorer.tui.dialogs.questions import Question
from explorer.tui.edits.edit_controller import Rename
from tests.editors import edits_on
from tests.edits.states import dump
from tests.factories import altered, go_on, insert, rows, say
from tests.tui.driving import NAMES, NOW, Held, animals, opened

HOUR = 3600.0
_one_step_at_a_time = partial(run_batches, hold=-1.0, pause=0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The four that have ended, and one at work."""
    path = animals(tmp_path / "state.db")
    with altered(path) as db:
        insert(db, "sessions", id="busy", source="cli", started_at=NOW - 30, title="busy")
        say(db, "busy", content="hello", timestamp=NOW - 29)
    return path


async def test_delete_shows_a_plan_and_enter_cancels(path: Path, trash: Path) -> None:
    before = dump(path)
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("d")
        assert isinstance(driver.app.screen, Question)
        assert "Delete “bee”?" in driver.screen()
        assert "2 messages" in driver.screen()
        assert "30 days" in driver.screen()
        assert driver.focus() == "no"
        await driver.press("enter")
        assert driver.focus() == "list"
    assert dump(path) == before


async def test_delete_and_undo(path: Path, trash: Path) -> None:
    before = dump(path)
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("d")
        await driver.press("y")
        assert driver.listed() == ["busy", "ant", "cat", "dog"]
        assert "Deleted “bee” · u to undo" in driver.said()
        assert driver.current() == "cat", "the cursor stays where it was"
        assert rows(path, "SELECT count(*) FROM messages WHERE session_id = 'bee'") == [(0,)]
        await driver.press("u")
        assert "Restore “bee”?" in driver.screen()
        await driver.press("G")
        await driver.press("y")
        assert driver.listed() == ["busy", *NAMES]
        assert driver.current() == "bee", "the cursor goes to what is back"
    assert dump(path) == before


async def test_what_an_undo_brought_back_is_listed_when_a_look_at_the_file_comes_between(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("d")
        await driver.press("y")
        await driver.press("u")
        survey = Held(monkeypatch, HermesStore, "catalog")
        await driver.pilot.press("y")
        await survey.holds(driver)
        driver.main.file.changed()
        survey.let_go()
        await driver.settle()
        assert driver.listed() == ["busy", *NAMES]


async def test_the_cursor_goes_to_what_is_back_when_an_older_look_at_the_file_ends_after_the_undo(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("d")
        await driver.press("y")
        await driver.press("u")
        look = Held(monkeypatch, HermesStore, "changes")
        driver.main.file.changed()
        await look.holds(driver)
        await driver.pilot.press("y")
        await driver.until_seen(lambda: "Restored" in driver.said())
        look.let_go()
        await driver.settle()
        assert driver.listed() == ["busy", *NAMES]
        assert driver.current() == "bee"


async def test_all_that_is_selected_goes_at_once(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("ant")
        await driver.press("space", "space", "d")
        assert "Delete 2 sessions?" in driver.screen()
        await driver.press("y")
        assert driver.listed() == ["busy", "cat", "dog"]
        assert "selected" not in str(driver.main.sessions.border_title)
        await driver.press("G", "u")
        await driver.press("y")
        assert driver.listed() == ["busy", *NAMES]
        assert driver.current() == "ant", "the cursor goes to the first that is back"


async def test_the_cursor_goes_to_a_session_that_came_back_with_its_subagents(
    path: Path, trash: Path
) -> None:
    with altered(path) as db:
        marks = '{"_delegate_from": "bee"}'
        of_bee = {"parent_session_id": "bee", "model_config": marks, "ended_at": NOW - HOUR}
        insert(db, "sessions", id="helper", source="tool", started_at=NOW - HOUR, **of_bee)
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        for key in ("d", "y", "G", "u", "y"):
            await driver.press(key)
        assert driver.current() == "bee"
        assert driver.said().startswith("Restored “bee” and 1 subagent session")


async def test_the_cursor_stays_where_what_is_back_is_not_listed(path: Path, trash: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET archived = 1 WHERE id = 'bee'")
    async with opened(path, trash=trash) as driver:
        await driver.press(".")
        await driver.to("bee")
        for key in ("d", "y", "."):
            await driver.press(key)
        await driver.to("dog")
        await driver.press("u")
        await driver.press("y")
        assert driver.listed() == ["busy", "ant", "cat", "dog"]
        assert driver.current() == "dog"
        assert rows(path, "SELECT count(*) FROM sessions WHERE id = 'bee'") == [(1,)]


async def test_a_running_session_is_not_deleted_and_says_why(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("busy")
        await driver.press("d")
        (told,) = driver.told()
        assert told == "Not deleted: “busy” is running. Stop the agent first."
        assert "busy" in driver.listed()


async def test_a_conversation_of_several_parts_asks_which(path: Path, trash: Path) -> None:
    with altered(path) as db:
        go_on(db, "cat", "cat two", NOW - 2 * HOUR)
        db.execute("UPDATE sessions SET ended_at = 1, end_reason = 'done' WHERE id = 'cat two'")
    async with opened(path, trash=trash) as driver:
        await driver.press("g", "j", "j", "j")
        await driver.press("d")
        assert isinstance(driver.app.screen, Choice)
        assert "The whole conversation (2 parts)" in driver.screen()
        await driver.press("escape")
        await driver.press("d")
        await driver.press("j", "enter")
        await driver.press("y")
        left = sorted(str(id_) for (id_,) in rows(path, "SELECT id FROM sessions"))
        assert left == ["ant", "bee", "busy", "cat", "dog"]
        await driver.press("u")
        await driver.press("y")
        await driver.press("g", "j", "j", "j")
        await driver.press("d")
        await driver.press("enter")
        await driver.press("y")
        left = sorted(str(id_) for (id_,) in rows(path, "SELECT id FROM sessions"))
        assert left == ["ant", "bee", "busy", "dog"]


async def test_rename(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("t")
        assert isinstance(driver.app.screen, Rename)
        await driver.press("end", "ctrl+u")
        await driver.type("honey 蜂")
        assert "7 of 100 characters" in driver.screen()
        await driver.press("enter")
        assert driver.listed()[2] == "honey 蜂"
        await driver.press("u")
        await driver.press("y")
        assert driver.listed()[2] == "bee"


async def test_a_title_that_is_taken_names_its_owner_and_offers_the_next(
    path: Path, trash: Path
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("f2", "end", "ctrl+u")
        await driver.type("cat")
        assert "Already the title of another session: cli, last active " in driver.screen()
        await driver.press("enter")
        assert isinstance(driver.app.screen, Rename), "not taken away from its owner"
        await driver.press("ctrl+n")
        assert driver.app.screen.query_one(Input).value == "cat #2"
        await driver.press("enter")
        assert "cat #2" in driver.listed()


async def test_a_title_that_is_taken_at_the_last_moment_names_its_owner_too(
    path: Path, trash: Path
) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("t", "end", "ctrl+u")
        await driver.type("wasp")
        with altered(path) as db:
            db.execute("UPDATE sessions SET title = 'wasp' WHERE id = 'cat'")
        await driver.press("enter")
        (told,) = driver.told()
        assert told.startswith("Not renamed: “wasp” is already the title of another session: cli, ")
        assert "Free: “wasp #2”." in told


async def test_an_edit_that_waits_for_another_program_says_so(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("explorer.stores.edits.connection.PATIENCE", 120.0)
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("t", "end", "ctrl+u")
        await driver.type("wasp")
        with altered(path) as db:
            db.execute("BEGIN IMMEDIATE")
            await driver.pilot.press("enter")
            await driver.until_seen(lambda: "Waiting for the file" in driver.screen())
        await driver.until(lambda: "wasp" in driver.listed())


async def test_an_undo_that_cannot_be_does_not_ask(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("t", "end", "ctrl+u")
        await driver.type("wasp")
        await driver.press("enter")
        with altered(path) as db:
            db.execute("UPDATE sessions SET title = 'bee' WHERE id = 'cat'")
        await driver.press("u")
        assert driver.app.screen is driver.main
        kept = "“wasp” keeps its title: “bee” is now the title of another session (cli"
        assert kept in driver.said()


async def test_going_to_who_holds_a_title(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("bee")
        await driver.press("t", "end", "ctrl+u")
        await driver.type("dog")
        await driver.press("ctrl+g")
        assert driver.main.sessions.current is not None
        assert driver.main.sessions.current.title == "dog"


async def test_archive_and_back_without_a_question(path: Path, trash: Path) -> None:
    before = dump(path)
    async with opened(path, trash=trash) as driver:
        await driver.to("ant")
        await driver.press("a")
        assert driver.focus() == "list", "no question"
        assert "Archived “ant” · u to undo" in driver.said()
        assert "ant" not in driver.listed()
        assert driver.current() == "bee", "the cursor stays where it was"
        assert "1 archived" in driver.counted()
        await driver.press("full_stop")
        await driver.to("ant")
        await driver.press("a")
        assert "Unarchived “ant”" in driver.said()
        await driver.press("full_stop")
        assert "ant" in driver.listed()
        await driver.press("u", "u")
        assert driver.focus() == "list", "what was just done is undone without a question, too"
        assert "Undone: archived “ant”" in driver.said()
    assert dump(path) == before


async def test_each_of_several_quick_archives_is_done(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("ant")
        await driver.press_on("a", "j", "a", "j", "a")
        assert driver.listed() == ["busy", "dog"]


async def test_an_older_change_is_not_undone_without_a_question(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("ant")
        await driver.press("a")
    async with opened(path, trash=trash) as driver:
        await driver.press("u")
        assert "Undo archiving “ant”?" in driver.screen()


async def test_a_question_has_the_keys_of_the_user_on_its_buttons(path: Path, trash: Path) -> None:
    keys = (KeySetting("answer-yes", "j"),)
    async with opened(path, trash=trash, config=Config(keys=keys)) as driver:
        await driver.to("ant")
        await driver.press("d")
        assert "Cancel  n" in driver.screen()
        assert "Delete  j" in driver.screen()
        await driver.press("j")
        assert "ant" not in driver.listed()


async def test_a_file_that_cannot_be_written_says_so(path: Path, trash: Path) -> None:
    with altered(path) as db:
        db.execute("CREATE TRIGGER odd AFTER DELETE ON messages BEGIN DELETE FROM state_meta; END")
    async with opened(path, trash=trash) as driver:
        await driver.to("ant")
        footer = driver.screen().splitlines()[-1]
        assert "Delete" not in footer, "what will be refused is not offered"
        assert "Rename" in footer
        await driver.press("d")
        assert "The file has an unknown trigger (odd)" in driver.said(), "and the key says why"


async def test_the_trash_can_be_looked_into_and_restored_in_part(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("ant")
        await driver.press("space", "space", "d")
        await driver.press("y")
        driver.main.action_trash()
        await driver.settle()
        screen = driver.screen()
        assert "Deleted 2 sessions" in screen
        assert "ant" in screen
        assert "enter read" not in screen, "not of a whole change"
        shown = driver.app.screen.query_one(OptionList)
        names = [str(shown.get_option_at_index(at).prompt) for at in range(shown.option_count)]
        shown.highlighted = next(at for at, name in enumerate(names) if "bee" in name)
        await driver.settle()
        assert "enter read" in driver.screen()
        await driver.press("enter")
        assert "I am bee" in driver.screen()
        await driver.press("escape")
        await driver.press("r")
        await driver.press("y")
        assert driver.listed() == ["busy", "bee", "cat", "dog"]
        assert driver.said().startswith("Restored “bee”")
        assert "1 of 2 restored" in driver.screen(), "back in the trash"
        at = shown.highlighted
        assert at is not None
        assert "bee" in str(shown.get_option_at_index(at).prompt), "at its place"
        await driver.press("escape")
        await driver.press("u")
        await driver.press("y")
        assert driver.listed() == ["busy", *NAMES]


async def test_what_was_purged_is_gone_for_good(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("ant")
        await driver.press("d")
        await driver.press("y")
        driver.main.action_trash()
        await driver.settle()
        await driver.press("x")
        assert "This cannot be undone." in driver.screen()
        await driver.press("y")
        assert "The trash is empty." in driver.screen(), "back in the trash"
        await driver.press("escape")
        await driver.press("u")
        assert "Nothing to undo" in "".join(driver.told())


async def test_ending_and_clearing_come_from_the_palette(path: Path, trash: Path) -> None:
    with altered(path) as db:
        db.execute("UPDATE sessions SET ended_at = NULL WHERE id = 'ant'")
    async with opened(path, trash=trash) as driver:
        await driver.to("ant")
        driver.main.action_edit("end")
        await driver.settle()
        assert "Marked “ant” as ended · u to undo" in driver.said()
        assert rows(path, "SELECT end_reason FROM sessions WHERE id = 'ant'") == [
            ("explorer_close",)
        ]
        driver.main.action_edit("clear")
        await driver.settle()
        assert "Clear all messages of “ant”?" in driver.screen()
        await driver.press("y")
        assert rows(path, "SELECT count(*) FROM messages WHERE session_id = 'ant'") == [(0,)]
        for key in ("u", "y", "u"):
            await driver.press(key)
        assert rows(path, "SELECT count(*) FROM messages WHERE session_id = 'ant'") == [(2,)]


def _cut_short(path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a crash: the messages of a session are out, the session is still there."""
    editor = edits_on(path, trash, lambda: NOW)
    (key,) = (int(str(row)) for (row,) in rows(path, "SELECT rowid FROM sessions WHERE id = 'bee'"))
    plan = editor.plan(Action.DELETE, [key])

    class Crash(BaseException):
        pass

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr("explorer.stores.edits.delete.DeleteSteps._end", crash)
        patched.setattr("explorer.stores.edits.delete.run_batches", _one_step_at_a_time)
        with pytest.raises(Crash):
            editor.apply(plan)
    assert rows(path, "SELECT count(*) FROM messages WHERE session_id = 'bee'") == [(0,)]


async def test_an_edit_that_was_cut_short_is_found_at_the_next_start(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dump(path)
    _cut_short(path, trash, monkeypatch)
    async with opened(path, trash=trash) as driver:
        assert "Interrupted: Deleted “bee”" in driver.screen()
        await driver.press("j", "enter")
        assert "Done: the interrupted change is undone." in driver.said()
    assert dump(path) == before


async def test_an_edit_that_was_cut_short_is_told_also_to_those_who_press_a_key_first(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cut_short(path, trash, monkeypatch)
    found = Held(monkeypatch, Editor, "after_crash")
    async with opened(path, trash=trash, first=found) as driver:
        await driver.pilot.press("j", "d")
        await driver.until_seen(lambda: isinstance(driver.app.screen, Question))
        found.let_go()
        await driver.settle()
        assert isinstance(driver.app.screen, Question), "an open question stays"
        assert "Interrupted: Deleted “bee”" in "".join(driver.told())


async def test_an_undo_that_cannot_be_offers_the_edit_before_it(path: Path, trash: Path) -> None:
    async with opened(path, trash=trash) as driver:
        await driver.to("dog")
        await driver.press("d")
        await driver.press("y")
        await driver.to("bee")
        await driver.press("t", "ctrl+u")
        await driver.type("wasp")
        await driver.press("enter")
        with altered(path) as db:
            db.execute("UPDATE sessions SET title = 'bee' WHERE id = 'ant'")
        await driver.press("u")
        assert "Cannot undo the last change" in driver.screen()
        assert "The change before it: Deleted “dog”" in driver.screen()
        assert driver.focus() == "no"
        await driver.press("y")
        assert "Restore “dog”?" in driver.screen()
        await driver.press("y")
        assert "dog" in driver.listed()


async def test_what_a_kill_cut_between_two_sessions_is_told_at_the_next_start(
    path: Path, trash: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """Nothing of the edit's own runs after it."""

    def die(progress: Progress) -> None:
        if progress.sessions:
            raise Killed

    before = dump(path)
    editor = edits_on(path, trash, lambda: NOW)
    ended = rows(path, "SELECT rowid FROM sessions WHERE ended_at IS NOT NULL")
    plan = editor.plan(Action.DELETE, [int(str(row)) for (row,) in ended])
    with monkeypatch.context() as patched:
        patched.setattr("explorer.stores.edits.delete.run_batches", _one_step_at_a_time)
        with pytest.raises(Killed):
            editor.apply(plan, progress=die)
    async with opened(path, trash=trash) as driver:
        told = "A change was interrupted: Deleted 1 of 4 sessions. It can be undone."
        assert told in driver.said()
        await driver.press("u")
        await driver.press("y")
    assert dump(path) == before

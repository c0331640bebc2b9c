"""The list beside a writing agent: what is new appears, nothing jumps, nobody is disturbed."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.browse import arrangement as arranging
from explorer.demo import write_demo
from explorer.stores.hermes.create.state_file import StateFile
from explorer.stores.hermes.store import HermesStore
from explorer.stores.sqlite.read_only import ReadOnlyFile
from explorer.tui.reading import transcript_controller as reader
from tests.agents import agent_path
from tests.factories import altered, go_on, talk
from tests.terminal import Terminal
from tests.tui.driving import NOW, Driver, Held, opened

pytestmark = pytest.mark.long

# The agent sleeps between two tries where it finds the file locked. In WAL mode readers lock no
# writer out, so there it tries without any patience; else with that of its own.
WRITER = """
import sys, time
from hermes_state import SessionDB
db = SessionDB()
db._conn.execute(f"PRAGMA journal_mode = {sys.argv[1]}")
if sys.argv[1] == "wal":
    db._conn.execute("PRAGMA busy_timeout = 0")
sleep, waits = time.sleep, []
time.sleep = lambda seconds: (waits.append(seconds), sleep(seconds))
for line in sys.stdin:
    number = line.strip()
    db.create_session(f"live_{number}", "cli")
    db.append_message(f"live_{number}", "user", f"breaking news {number}")
    print(number, "after waiting" if waits else "at once", flush=True)
db.close()
"""


async def _until(driver: Driver, text: str) -> None:
    await driver.until_seen(lambda: text in driver.screen())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "state.db"
    write_demo(file, NOW)
    return file


def _write(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


NEW_SESSION = (
    f"INSERT INTO sessions (id, source, started_at, title) VALUES ('new', 'cli', {NOW}, 'Just in')",
    "INSERT INTO messages (session_id, role, content, timestamp)"
    f" VALUES ('new', 'user', 'hot off the press', {NOW})",
)


async def test_a_new_session_appears_and_the_cursor_stays_on_its_own(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("j", "j", "j")
        held = driver.main.sessions.cursor_row
        shown = str(driver.main.transcript.border_title)
        _write(path, *NEW_SESSION)
        await _until(driver, "Just in")
        await driver.settle()
        assert driver.main.sessions.cursor_row == held
        assert str(driver.main.transcript.border_title) == shown
        assert driver.main.sessions.row(driver.main.sessions.order[0]).title == "Just in"  # type: ignore[union-attr]


async def test_the_view_does_not_jump_when_something_is_added_above_it(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("G")
        lines = driver.screen().splitlines()[4:30]
        _write(path, *NEW_SESSION)
        await driver.until_seen(lambda: len(driver.main.sessions.order) != 53)
        await driver.settle()
        assert [line[:50] for line in driver.screen().splitlines()[4:30]] == [
            line[:50] for line in lines
        ]


async def test_a_new_title_of_a_session_in_sight_is_shown(path: Path) -> None:
    async with opened(path) as driver:
        _write(path, "UPDATE sessions SET title = 'Ship it' WHERE title = 'Fix docker deployment'")
        await _until(driver, "Ship it")


async def test_what_can_be_seen_only_after_the_file_was_written_is_shown(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the agent's disk takes its time between the writing and the end of a commit."""
    _write(path, "PRAGMA journal_mode = DELETE")
    async with opened(path) as driver:
        looks: list[str] = []
        plain = driver.main.file.changed

        def changed() -> None:
            looks.append("")
            plain()

        monkeypatch.setattr(driver.main.file, "changed", changed)
        os.utime(path, (NOW - 100, NOW - 100))
        await driver.until(lambda: bool(looks))
        _write(path, "UPDATE sessions SET title = 'Fix docker deploymenT' WHERE title LIKE 'Fix %'")
        os.utime(path, (NOW - 100, NOW - 100))
        await _until(driver, "Fix docker deploymenT")


async def test_an_old_session_that_is_taken_up_again_moves_to_the_top(path: Path) -> None:
    async with opened(path) as driver:
        old = driver.main.sessions.order[-1]
        _write(
            path,
            "INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'user',"
            f" 'back again', {NOW} FROM sessions WHERE rowid = {old}",
        )
        await driver.until_seen(lambda: driver.main.sessions.order[0] == old)
        await driver.settle()
        assert driver.main.sessions.row(old) is not None


async def test_new_messages_of_the_session_being_read_are_added(path: Path) -> None:
    async with opened(path) as driver:
        await driver.press("enter", "G")
        key = driver.main.sessions.order[0]
        _write(
            path,
            "INSERT INTO messages (session_id, role, content, timestamp) SELECT id, 'assistant',"
            f" 'one more thing', {NOW} FROM sessions WHERE rowid = {key}",
        )
        await _until(driver, "one more thing")


async def test_the_cursor_moves_to_the_new_part_when_its_conversation_is_continued(
    path: Path,
) -> None:
    async with opened(path) as driver:
        await driver.press("j", "j", "j", "j")
        row = driver.main.sessions.current
        assert row is not None
        with altered(path) as db:
            key = go_on(db, row.id, "newer", NOW - 1000, "part the second")
        await driver.until(lambda: key in driver.main.sessions.order)
        assert driver.main.sessions.cursor_row == key
        assert row.key not in driver.main.sessions.order
        assert "↪2" in driver.screen()


async def test_what_is_unfolded_selected_and_asked_for_stays_so_when_it_is_continued(
    tmp_path: Path,
) -> None:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "one", "hello", at=NOW - 900, title="Talk")
        talk(
            state,
            "task",
            "do it",
            at=NOW - 800,
            parent="one",
            source="subagent",
            config={"_delegate_from": "one"},
            title="Task",
        )
        talk(state, "other", "hello", at=NOW - 500, title="Other")
    async with opened(file) as driver:
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        talked, task, other = (store.find(name)[0].key for name in ("one", "task", "other"))
        for key in (talked, task):
            driver.main._lister.reveal(key)
            await driver.settle()
        await driver.press("space", "space", "z")
        assert driver.listed() == ["Other", "Task", "Talk", "Task"]
        assert "2 selected" in str(driver.main.sessions.border_title)
        with altered(file) as db:
            more, further = go_on(db, "one", "two", NOW - 400), go_on(db, "task", "more", NOW - 300)
        await driver.until(lambda: further in driver.main.sessions.order)
        assert list(driver.main.sessions.order) == [further, more, ~talked, ~further, ~more, other]
        assert driver.main.sessions.selection.keys == {more, further}
        assert "2 selected · Sessions" in str(driver.main.sessions.border_title)
        assert driver.main.sessions.cursor_row == more
        assert "+ 1 session you opened" in driver.screen()
        await driver.press("z")
        assert list(driver.main.sessions.order) == [further, more, other]


async def test_what_is_being_read_stays_in_place_when_it_is_continued(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with StateFile.create(file) as state:
        talk(state, "long", *[f"line {number}" for number in range(60)], at=NOW - 900)
        talk(state, "other", "hello", at=NOW - 500)
    async with opened(file) as driver:
        await driver.press("j", "enter", "G", *["k"] * 30)
        before = [line[54:-2] for line in driver.screen().splitlines()[3:-3]]
        with altered(file) as db:
            key = go_on(db, "long", "newer", NOW, "part the second")
        await driver.until(lambda: key in driver.main.sessions.order)
        assert [line[54:-2] for line in driver.screen().splitlines()[3:-3]] == before
        await driver.press("G")
        assert "part the second" in driver.screen()


async def test_what_arrives_while_the_list_is_made_another_way_is_not_lost(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        held = Held(monkeypatch, arranging, "arrange")
        await driver.pilot.press("full_stop")
        await held.holds(driver)
        _write(path, *NEW_SESSION)
        await driver.until_seen(lambda: len(driver.main._lister.catalog or ()) != 88)
        held.let_go()
        await driver.settle()
        assert "Just in" in driver.listed()
        assert "+ hidden sessions" in driver.screen()
        assert driver.counted() == "82 listed · 7 parts folded"


async def test_going_to_a_session_arrives_there_even_if_the_file_changes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        held = Held(monkeypatch, arranging, "arrange")
        store = driver.main.file.opened.store  # type: ignore[union-attr]
        wanted = store.find("Review the retry queue")[0].key
        driver.main._lister.reveal(wanted)
        await held.holds(driver)
        _write(path, *NEW_SESSION)
        await driver.until_seen(lambda: len(driver.main._lister.catalog or ()) != 88)
        held.let_go()
        await driver.settle()
        assert "Just in" in driver.listed()
        assert driver.main.sessions.cursor_row == wanted


async def test_a_survey_that_takes_long_ends_beside_an_agent_that_goes_on_writing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = Held(monkeypatch, HermesStore, "catalog")
    async with opened(path, first=survey) as driver:
        _write(path, *NEW_SESSION)
        for _ in range(5):
            driver.main.file.changed()
            await driver.pilot.pause()
        survey.let_go()
        await driver.settle()
        assert survey.calls == 1, "no change began it anew"
        assert "Just in" in driver.listed()
        assert "54 listed · hidden: " in driver.counted()


async def test_a_long_session_is_read_to_its_end_beside_an_agent_that_goes_on_writing_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        session = driver.main.sessions.current
        assert session is not None
        outline = Held(monkeypatch, reader, "outline")
        for word in ("tick", "tack", "tock"):
            _write(
                path,
                "INSERT INTO messages (session_id, role, content, timestamp)"
                f" VALUES ('{session.id}', 'user', 'the clock says {word}', {NOW})",
            )
            driver.main.file.changed()
            await outline.holds(driver)
            await driver.until_seen(lambda: not driver.main._lanes.busy("catalog"))
        assert outline.calls == 1, "no change began it anew"
        outline.let_go()
        await driver.settle()
        await driver.press("enter", "G")
        assert "the clock says tock" in driver.screen()


async def test_nothing_of_a_file_arrives_in_the_list_of_another(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(path) as driver:
        other = tmp_path / "other.db"
        with StateFile.create(other) as state:
            talk(state, "alone", "hello", at=NOW - 60, title="Alone in another file")
        look = Held(monkeypatch, HermesStore, "changes")
        driver.main.file.changed()
        await look.holds(driver)
        os.replace(other, path)
        driver.main.file.replaced()
        await driver.until_seen(lambda: driver.listed() == ["Alone in another file"])
        look.let_go()
        await driver.settle()
        assert driver.listed() == ["Alone in another file"]
        assert driver.counted() == "1 listed"


async def test_only_what_changed_is_read_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(path) as driver:
        surveys: list[int] = []
        monkeypatch.setattr(HermesStore, "catalog", lambda *_: surveys.append(1))
        _write(path, *NEW_SESSION)
        await _until(driver, "Just in")
        driver.stop_watching()
        await driver.settle()
        assert surveys == []


async def test_what_leaves_no_trace_is_found_once_the_agent_stops_writing(path: Path) -> None:
    """A deleted session, and the numbers in the top bar."""
    async with opened(path) as driver:
        assert "88 sessions" in driver.screen().splitlines()[0]
        _write(path, *NEW_SESSION)
        await _until(driver, "Just in")
        _write(path, "DELETE FROM sessions WHERE title = 'Fix docker deployment'")
        untitled = [
            one.replace("'new'", "'next'").replace("'Just in'", "NULL") for one in NEW_SESSION
        ]
        _write(path, *untitled)
        await driver.until(lambda: "Fix docker deployment" not in driver.listed())
        await driver.until(lambda: "89 sessions" in driver.screen().splitlines()[0])
        assert driver.listed()[:2] == ["hot off the press", "Just in"]


async def test_a_quiet_file_is_left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(path) as driver:
        _write(path, *NEW_SESSION)
        await driver.until(lambda: "89 sessions" in driver.screen().splitlines()[0])
        reads, looks = (
            Held(monkeypatch, ReadOnlyFile, "read"),
            Held(monkeypatch, HermesStore, "look"),
        )
        reads.let_go()
        looks.let_go()
        await driver.until(lambda: looks.calls > 4)
        assert reads.calls == 0


async def test_a_file_that_is_replaced_is_opened_anew(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with StateFile.create(other) as state:
        state.create_session("x", "cli", started_at=NOW - 50, title="From the backup")
        state.append_message("x", "user", "hi", timestamp=NOW - 50)
    async with opened(path) as driver:
        for name in ("-wal", "-shm"):
            Path(f"{path}{name}").unlink(missing_ok=True)
        os.replace(other, path)
        await _until(driver, "From the backup")
        await driver.settle()
        assert len(driver.main.sessions.order) == 1


async def test_nothing_of_a_file_that_was_replaced_is_left(tmp_path: Path) -> None:
    """Rows and selection are known by numbers, which mean other sessions in another file."""
    file, other = tmp_path / "state.db", tmp_path / "other.db"
    for path, name in ((file, "Before"), (other, "After")):
        with StateFile.create(path) as state:
            for number in range(60):
                talk(state, f"s{number}", name, at=NOW - number, title=f"{name} {number}")
    async with opened(file) as driver:
        await driver.press("space", "G", "space", "g")
        assert "2 selected" in str(driver.main.sessions.border_title)
        os.replace(other, file)
        await driver.until(lambda: "After 0" in driver.listed())
        assert "selected" not in str(driver.main.sessions.border_title)
        await driver.press("G")
        assert [title for title in driver.listed() if "Before" in title] == []
        assert "After 59" in driver.listed()
        assert "Before" not in driver.screen()


async def test_a_file_that_vanishes_and_comes_back_recovers_by_itself(path: Path) -> None:
    async with opened(path) as driver:
        away = path.with_suffix(".away")
        path.rename(away)
        await _until(driver, "No such file")
        assert "Fix docker deployment" in driver.screen()
        away.rename(path)
        _write(path, *NEW_SESSION)
        await _until(driver, "Just in")
        await driver.settle()
        assert "No such file" not in driver.screen().splitlines()[0]


async def test_a_locked_file_keeps_the_last_view_and_says_so(path: Path) -> None:
    async with opened(path) as driver:
        _write(path, "PRAGMA journal_mode=DELETE", *NEW_SESSION)
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute("UPDATE sessions SET title = title")
        os.utime(path)
        await _until(driver, "The file is busy")
        assert "Fix docker deployment" in driver.screen()
        holder.execute("ROLLBACK")
        holder.close()
        os.utime(path)
        await _until(driver, "Just in")


@pytest.mark.parametrize("version", ["0.13.0", "0.17.0", "0.19.0"])
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_every_session_of_a_real_agent_appears_and_the_agent_never_fails(
    tmp_path: Path, version: str, journal: str
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    environment = {
        "PYTHONPATH": str(agent_path("hermes-agent", version)),
        "HERMES_HOME": str(home),
        "HOME": str(home),
        "PATH": os.environ["PATH"],
    }
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, journal],
        env=environment,
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert writer.stdin
    assert writer.stdout

    def write(number: int) -> None:
        assert writer.stdin
        assert writer.stdout
        writer.stdin.write(f"{number}\n")
        writer.stdin.flush()
        assert writer.stdout.readline().strip() == f"{number} at once"

    write(0)
    with Terminal(["--db", str(home)], size=(120, 45)) as terminal:
        terminal.until("breaking news 0")
        for number in range(1, 9):
            write(number)
            terminal.press(b"j")
            terminal.until(f"breaking news {number}")
        terminal.press(b"q")
        assert terminal.leave() == 0
    writer.stdin.close()
    assert writer.wait(20) == 0
    writer.stdout.close()

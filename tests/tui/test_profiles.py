"""Several profiles in one list: what is shown, and that everything acts in the file of its row."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from explorer.browse.first_read import Intent, Opening
from explorer.cancel import CancelToken
from explorer.left_open import LeftOpen, keep
from explorer.model import ListColumn
from explorer.settings import Config
from explorer.stores.columns import OWNER, Column, Columns, Unique
from explorer.stores.discover import locate
from explorer.stores.hermes.store import HermesStore
from explorer.stores.library import members
from explorer.stores.open_found import notes_on
from explorer.stores.ours.notes import Notes
from explorer.tui.dialogs.problem import ProblemScreen
from explorer.tui.dialogs.questions import Question
from tests.agents import HERMES, agent_path
from tests.factories import T0, altered, insert, say
from tests.locker import Locker
from tests.mutants.making import replace_index
from tests.profile_homes import five_profiles, profile, profile_file
from tests.standin import StandIn
from tests.terminal import Terminal
from tests.transcript_files.homes import log
from tests.transcript_files.homes import said as said_in_file
from tests.tui.driving import NOW, Driver, opened


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return five_profiles(tmp_path / "hermes", NOW)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two profiles with the same ids and titles."""
    profile(tmp_path / "hermes", "default", NOW)
    profile(tmp_path / "hermes", "coder", NOW, after=1)
    return tmp_path / "hermes"


def places(driver: Driver) -> list[tuple[str | None, str]]:
    """The rows of the list: their titles and profiles."""
    rows = map(driver.main.sessions.row, driver.main.sessions.order)
    return [(row.title, row.place) for row in rows if row]


async def to_coder(driver: Driver) -> None:
    """From the first row to the next one, which has the same id and title in another profile."""
    await driver.press("j")
    row = driver.main.sessions.current
    assert row is not None
    assert (row.id, row.place) == ("ant", "coder")


async def test_all_profiles_are_one_list_by_last_activity(root: Path) -> None:
    with Locker(profile_file(root, "shared")):
        async with opened(root) as driver:
            assert places(driver)[:4] == [
                ("ant", "default"),
                ("ant", "coder"),
                ("bee", "default"),
                ("bee", "coder"),
            ]
            screen = driver.screen()
            assert "6 profiles · 2 unreadable (A)" in screen
            assert "default · ant" in screen, "the head of the transcript"
            assert driver.counted() == "8 listed"


async def test_a_single_file_shows_nothing_about_profiles(tmp_path: Path) -> None:
    async with opened(profile(tmp_path, "default", NOW)) as driver:
        assert "default ·" not in driver.screen()
        await driver.press("A")
        assert "only one state file is open" in driver.said()
        await driver.press("s")
        assert "By profile" not in driver.screen()


async def test_the_details_and_the_transcript_are_those_of_the_row(two: Path) -> None:
    async with opened(two) as driver:
        await to_coder(driver)
        assert "Hi from coder." in driver.screen()
        assert "coder · ant" in driver.screen()
        await driver.press("i")
        assert "Profile coder" in " ".join(driver.screen().split())
        assert "coder/state.db" in driver.screen()


async def test_a_chat_of_another_profile_names_its_owner_and_its_file(two: Path) -> None:
    with altered(profile_file(two, "default")) as db:
        cells = "session_key = 'agent:coder:x', profile_name = 'coder'"
        db.execute(f"UPDATE sessions SET {cells} WHERE id = 'ant'")
    async with opened(two) as driver:
        assert "coder, in default" in driver.screen()
        await driver.press("i")
        said = re.findall(r"(?:Profile|Owner) +\w+", driver.screen())
        assert [" ".join(one.split()) for one in said] == ["Profile default", "Owner coder"]
        await driver.press("escape", "o")
        assert "Only profile default" in driver.screen()
        assert "Only profile coder" in driver.screen()


async def test_only_one_profile_is_listed_and_the_counts_add_up(two: Path) -> None:
    async with opened(two) as driver:
        await to_coder(driver)
        await driver.press("o", "enter")
        assert {place for _, place in places(driver)} == {"coder"}
        assert driver.counted() == "4 listed · 4 filtered out"
        assert "profile coder ✕" in driver.screen()
        await driver.press("backspace")
        assert driver.counted() == "8 listed"


async def test_the_filters_offer_every_profile_with_its_number_of_sessions(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("f")
        said = [" ".join(line.split()) for line in driver.screen().splitlines()]
        for name, number in (("coder", 4), ("default", 4), ("shared", 1), ("quiet", 0)):
            assert any(f"[ ] {name} {number}" in line for line in said), name
        await driver.type("quiet")
        await driver.press("enter")
        assert driver.main.sessions.order == []


async def test_the_list_is_grouped_by_profile(two: Path) -> None:
    async with opened(two) as driver:
        await driver.press("s", *["j"] * 8, "enter")
        groups = [group.title for group in driver.main.sessions.arranged.groups]
        assert groups == ["coder", "default"]
        assert "by profile" in driver.screen()


async def test_columns_that_the_user_chose_may_name_the_profile(two: Path) -> None:
    async with opened(two, config=Config(columns=(ListColumn.PROFILE,))) as driver:
        line = next(line for line in driver.screen().splitlines() if "▌ ant" in line)
        assert line.split("││")[0].rstrip("│ ").endswith("default")
    async with opened(two, config=Config(columns=(ListColumn.TIME,))) as driver:
        line = next(line for line in driver.screen().splitlines() if "▌ ant" in line)
        assert "default" not in line.split("││")[0]


async def test_a_session_is_resumed_in_its_own_profile(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    async with opened(two) as driver:
        monkeypatch.setattr(driver.app, "copy_to_clipboard", copied.append)
        await driver.press("y")
        await to_coder(driver)
        await driver.press("y")
    first, second = copied
    assert "coder" not in first
    assert "-p coder" in second
    assert f"HERMES_HOME={two}" in second


async def test_a_session_of_a_profile_that_is_gone_is_not_resumed(
    two: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    async with opened(two) as driver:
        monkeypatch.setattr(driver.app, "copy_to_clipboard", copied.append)
        await to_coder(driver)
        profile_file(two, "coder").parent.rename(tmp_path / "away")
        for key in ("r", "y"):
            await driver.press(key)
            assert "Cannot resume: No such file" in "".join(driver.told())
            driver.app.clear_notifications()
        assert not driver.app._exit
        assert copied == []


async def test_a_pin_is_of_one_profile_alone(two: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.db"
    async with opened(two, notes=notes) as driver:
        await to_coder(driver)
        await driver.press("m")
        assert places(driver)[:2] == [("ant", "coder"), ("ant", "default")]
        assert "★" in driver.screen()
    assert Notes(notes, profile_file(two, "coder")).pins() == {"ant"}
    assert not Notes(notes, profile_file(two, "default")).pins()
    async with opened(two, notes=notes) as driver:
        assert places(driver)[0] == ("ant", "coder")


async def test_what_was_open_at_a_crash_is_offered_from_its_own_profile(
    two: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.db"
    async with opened(two, notes=notes) as driver:
        await to_coder(driver)
        left = driver.main.open_now()
    assert left == LeftOpen("", "ant", "coder")
    keep(notes_on(locate([str(two)], [], {}, None), notes), left)
    async with opened(two, notes=notes) as driver:
        await driver.until(lambda: isinstance(driver.app.screen, Question))
        await driver.press("y")
        row = driver.main.sessions.current
        assert row is not None
        assert (row.id, row.place) == ("ant", "coder")


async def test_every_profile_says_how_it_is_and_what_to_do(root: Path) -> None:
    with Locker(profile_file(root, "shared")):
        async with opened(root) as driver:
            await driver.pilot.click("#top")
            await driver.settle()
            said = " ".join(driver.screen().split())
            assert "6 profiles · 8 sessions" in said
            assert "default 4 sessions ·" in said
            assert "quiet 0 sessions ·" in said
            assert "fresh No sessions yet" in said
            assert "`hermes -p fresh` makes one" in said
            assert "broken Not a database" in said
            assert "The file has no SQLite header" in said
            assert "shared" in said
            assert "Locked by another program." in said
            await driver.press("enter")
            assert {place for _, place in places(driver)} == {"default"}


async def test_a_profile_that_was_locked_appears_by_itself(root: Path) -> None:
    with Locker(profile_file(root, "shared")) as lock:
        async with opened(root) as driver:
            assert ("eel", "shared") not in places(driver)
            lock.release()
            await driver.until(lambda: ("eel", "shared") in places(driver))
            await driver.until(lambda: "1 unreadable" in driver.screen())


async def test_a_profile_that_gets_its_file_appears_by_itself(root: Path) -> None:
    async with opened(root) as driver:
        profile(root, "fresh", NOW, ids=("fox",))
        await driver.until(lambda: ("fox", "fresh") in places(driver))


async def test_a_deleted_file_keeps_its_rows_and_comes_back(two: Path) -> None:
    file = profile_file(two, "coder")
    kept = file.with_name("kept.db")
    async with opened(two) as driver:
        shutil.move(file, kept)
        await driver.until(lambda: "2 profiles · 1 unreadable" in driver.screen())
        assert places(driver).count(("ant", "coder")) == 1
        with altered(kept) as db:
            db.execute("UPDATE sessions SET title = 'newt' WHERE id = 'ant'")
        shutil.move(kept, file)
        await driver.until(lambda: ("newt", "coder") in places(driver))
        await driver.until(lambda: "unreadable" not in driver.screen())


async def test_a_replaced_file_is_read_anew(two: Path) -> None:
    file = profile_file(two, "coder")
    other = profile(two.parent / "other", "default", NOW, ids=("yak",))
    async with opened(two) as driver:
        other.replace(file)
        await driver.until(lambda: ("yak", "coder") in places(driver))
        assert ("ant", "coder") not in places(driver)
        assert ("ant", "default") in places(driver)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The state files that were opened, by their paths in the root."""
    found: set[str] = set()
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def noting(path: object, *rest: object, **named: object) -> sqlite3.Connection:
        found.add(str(path).partition("?")[0].rpartition("/hermes/")[2])
        return connect(path, *rest, **named)

    monkeypatch.setattr(sqlite3, "connect", noting)
    return found


async def test_no_key_press_asks_a_locked_profile(root: Path, files: set[str]) -> None:
    with Locker(profile_file(root, "shared")):
        async with opened(root) as driver:
            driver.stop_watching()
            await driver.settle()
            files.clear()
            await driver.press("j", "j", "i", "escape", "s", "j", "enter")
            await driver.press("/")
            await driver.type("coder")
            assert "state.db" in files
            assert "profiles/shared/state.db" not in files


def _numbers(driver: Driver) -> str:
    """What the top bar says about sessions and messages."""
    found = re.search(r"[\d,]+ sessions.*? messages", driver.screen().splitlines()[0])
    return found.group() if found else ""


async def test_a_change_in_one_profile_opens_no_other(two: Path, files: set[str]) -> None:
    """Not for its rows, not for those out of sight, the numbers or what an agent will delete."""
    profile(two, "old", NOW, ids=[f"old{number}" for number in range(40)], after=20)
    async with opened(two, size=(160, 24)) as driver:
        before = _numbers(driver)
        files.clear()
        with altered(profile_file(two, "coder")) as db:
            say(db, "dog", role="user", content="Hello again", timestamp=NOW - 5)
        await driver.until(lambda: places(driver)[0] == ("dog", "coder"))
        await driver.until(lambda: _numbers(driver) != before)
    assert files == {"profiles/coder/state.db"}


async def test_the_numbers_agree_with_the_list_after_the_last_write(two: Path) -> None:
    async with opened(two, size=(160, 40)) as driver:
        for id_ in ("fox", "gnu"):
            with altered(profile_file(two, "coder")) as db:
                cells = {"id": id_, "source": "cli", "started_at": NOW - 5}
                insert(db, "sessions", **cells)
                say(db, id_, content="Hello", timestamp=NOW - 5)
        await driver.until(lambda: driver.counted() == "10 listed")
        await driver.until(lambda: _numbers(driver) == "10 sessions · 18 messages")


async def test_a_profile_that_disappears_after_a_write_is_counted_as_last_read(
    two: Path, tmp_path: Path
) -> None:
    async with opened(two, size=(160, 40)) as driver:
        with altered(profile_file(two, "default")) as db:
            say(db, "dog", content="Hello again", timestamp=NOW - 5)
        await driver.until(lambda: places(driver)[0] == ("dog", "default"))
        (two / "profiles" / "coder").rename(tmp_path / "away")
        await driver.until(lambda: _numbers(driver) == "8 sessions (4 as last read) · 9 messages")
        (tmp_path / "away").rename(two / "profiles" / "coder")
        await driver.until(lambda: _numbers(driver) == "8 sessions · 17 messages")


async def test_two_agents_that_write_at_once_are_followed(two: Path) -> None:
    async with opened(two) as driver:
        with (
            closing(sqlite3.connect(profile_file(two, "default"))) as one,
            closing(sqlite3.connect(profile_file(two, "coder"))) as other,
        ):
            for at, (db, id_) in enumerate([(one, "cat"), (other, "dog")] * 2):
                say(db, id_, role="user", content=f"More {at}", timestamp=NOW - 60 + at)
                db.commit()
        wanted = [("dog", "coder"), ("cat", "default")]
        await driver.until(lambda: places(driver)[:2] == wanted)


async def test_a_search_says_which_profile_it_could_not_look_into(root: Path) -> None:
    with Locker(profile_file(root, "shared")):
        async with opened(root) as driver:
            await driver.press("/")
            await driver.type("coder")
            assert "not searched: broken, shared (A)" in driver.screen()
            await driver.type("zzz")
            said = " ".join(driver.screen().replace("│", " ").split())
            assert "Press ctrl+p and choose “Profiles …” to see why." in said
            await driver.press("ctrl+p")
            await driver.type("profiles")
            await driver.press("enter")
            assert "broken" in driver.screen()
            assert "Not a database" in driver.screen()


async def test_a_search_in_one_profile_says_nothing_of_others_that_cannot_be_read(
    root: Path,
) -> None:
    async with opened(root) as driver:
        await driver.press("/")
        await driver.type("profile:coder i")
        assert "not searched" not in driver.screen()
        await driver.press("escape", "/")
        await driver.type("profile:broken i")
        assert "not searched: broken (A)" in driver.screen()


async def _only(driver: Driver, name: str) -> str:
    """Choose a profile that lists nothing: what the list says."""
    await driver.press("A")
    at = next(at for at, one in enumerate(driver.main.file.opening.found) if one.name == name)
    await driver.press("home", *["j"] * at, "enter")
    assert not driver.main.sessions.order
    return driver.main.sessions.note


async def test_an_empty_list_of_one_profile_says_why_it_is_empty(root: Path) -> None:
    with altered(profile_file(root, "shared")) as db:
        db.execute("UPDATE sessions SET source = 'cron'")
    async with opened(root) as driver:
        said = await _only(driver, "broken")
        assert said.startswith("broken: Not a database. The file has no SQLite header.")
        assert "Restore it from a backup" in said
        assert "matches these filters" not in said
        assert said.endswith("Press ⌫ to list all profiles.")
        said = await _only(driver, "quiet")
        assert said == "quiet has no sessions yet. Press ⌫ to list all profiles."
        assert (await _only(driver, "fresh")).startswith("fresh: No sessions yet.")
        assert (await _only(driver, "shared")).startswith("All sessions of shared are hidden.")


async def test_the_filters_do_not_count_what_cannot_be_read(root: Path) -> None:
    async with opened(root) as driver:
        await driver.press("f")
        said = [" ".join(line.split()) for line in driver.screen().splitlines()]
        assert any("[ ] broken unreadable" in line for line in said)
        assert any("[ ] quiet 0" in line for line in said)


async def test_the_numbers_add_up_while_the_file_of_a_profile_is_gone(
    two: Path, tmp_path: Path
) -> None:
    async with opened(two, size=(160, 40)) as driver:
        assert "8 sessions" in driver.screen().splitlines()[0]
        profile_file(two, "coder").rename(tmp_path / "away.db")
        driver.main.file.edited()
        await driver.until(lambda: "(4 as last read)" in driver.screen().splitlines()[0])
        assert "8 sessions (4 as last read)" in driver.screen().splitlines()[0]
        assert driver.counted() == "8 listed"
        await driver.press("A")
        assert "2 profiles · 8 sessions" in driver.screen()
        assert "4 sessions as last read" in driver.screen()
        (tmp_path / "away.db").rename(profile_file(two, "coder"))
        await driver.until(lambda: "as last read" not in driver.screen())


def _owned_by(two: Path, owner: str, *ids: str) -> None:
    """Sessions in the file of `default` that its gateway wrote for another profile."""
    with altered(profile_file(two, "default")) as db:
        for id_ in ids:
            key = f"agent:{owner}:telegram:dm:{id_}"
            db.execute("UPDATE sessions SET session_key = ? WHERE id = ?", (key, id_))


def _lines_of(driver: Driver) -> list[str]:
    """What the dialog of profiles says, line by line."""
    return [" ".join(line.strip(" │").split()) for line in driver.screen().splitlines()]


async def test_the_profiles_say_which_of_their_sessions_are_in_the_files_of_others(
    two: Path,
) -> None:
    _owned_by(two, "coder", "ant", "bee")
    async with opened(two) as driver:
        await driver.press("A")
        assert "2 profiles · 8 sessions" in driver.screen()
        said = _lines_of(driver)
        assert any("default 4 sessions · " in line and "in coder" not in line for line in said)
        assert any("coder 4 sessions · 2 more in default · " in line for line in said)
        with altered(profile_file(two, "default")) as db:
            cells = {"id": "fox", "source": "telegram", "session_key": "agent:coder:telegram:dm:f"}
            insert(db, "sessions", **cells, started_at=NOW - 5)
            say(db, "fox", content="Hello", timestamp=NOW - 5)
        await driver.until(lambda: "coder 4 sessions · 3 more in default" in str(_lines_of(driver)))
        await driver.press("home", "j", "enter")
        assert driver.counted() == "7 listed · 2 filtered out", "as many as the dialog said"


async def test_of_each_session_it_is_read_once_who_owns_it(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str | None, Sequence[int] | None]] = []
    plain = HermesStore.columns_among

    def noting(
        store: HermesStore,
        unique: Unique,
        columns: Collection[Column[object]],
        keys: Sequence[int] | None = None,
        token: CancelToken | None = None,
    ) -> Columns:
        if OWNER in columns:
            asked.append((store.profile, keys))
        return plain(store, unique, columns, keys, token)

    monkeypatch.setattr(HermesStore, "columns_among", noting)
    async with opened(two) as driver:
        await driver.press("A")
        assert sorted(asked, key=str) == [("coder", None), ("default", None)]
        asked.clear()
        with altered(profile_file(two, "coder")) as db:
            cells = {"id": "fox", "source": "cli", "started_at": NOW - 5}
            new = insert(db, "sessions", **cells)
        await driver.until(lambda: "9 sessions" in driver.screen())
        assert asked == [("coder", [new])]


async def test_a_profile_without_a_file_that_has_sessions_in_another_one_is_not_empty(
    two: Path,
) -> None:
    profile_file(two, "fresh")
    _owned_by(two, "fresh", "ant", "bee")
    async with opened(two) as driver:
        await driver.press("A")
        assert any(
            "fresh No sessions in its own file · 2 in default" in line for line in _lines_of(driver)
        )
        await driver.press("home", "j", "j", "enter")
        assert driver.counted() == "2 listed · 6 filtered out"


async def test_the_profiles_count_sessions_as_the_top_bar_does_and_name_the_others(
    two: Path,
) -> None:
    (two / "profiles" / "coder" / "sessions").mkdir()
    for id_ in ("20240101_000000_beef02", "20240102_000000_beef03"):
        log(profile_file(two, "coder"), said_in_file("where is it", at=T0), id_=id_)
    async with opened(two, size=(160, 40)) as driver:
        await driver.until(lambda: driver.counted() == "8 listed · hidden: 2 file-only (. shows)")
        assert _numbers(driver).startswith("8 sessions · ")
        await driver.press("A")
        assert "2 profiles · 8 sessions · 2 file-only" in driver.screen()
        assert any("coder 4 sessions · 2 file-only · " in line for line in _lines_of(driver))


async def test_where_no_profile_can_be_read_each_reason_is_told(tmp_path: Path) -> None:
    root = tmp_path / "hermes"
    profile_file(root, "default").write_bytes(b"nothing" * 100)
    profile_file(root, "coder").write_bytes(b"")
    async with opened(root) as driver:
        assert isinstance(driver.app.screen, ProblemScreen)
        said = driver.screen()
        assert "default: Not a database" in said
        assert "coder: " in said


async def test_a_session_in_a_locked_profile_is_read_when_the_lock_is_released(two: Path) -> None:
    async with opened(two) as driver:
        with Locker(profile_file(two, "coder")) as lock:
            await driver.press("j")
            await driver.until(lambda: "coder: The file is busy" in "".join(driver.told()))
            assert len(driver.told()) == 1
            assert "2 profiles · 1 unreadable (A)" in driver.screen()
            await driver.press("j")
            assert "Hi from default." in driver.screen(), "the others go on"
            await driver.press("k")
            lock.release()
            await driver.until(lambda: "Hi from coder." in driver.screen())


async def test_an_id_that_two_profiles_have_is_printed_with_its_profile(two: Path) -> None:
    with altered(profile_file(two, "default")) as db:
        db.execute("UPDATE sessions SET id = 'only' WHERE id = 'bee'")
        db.execute("UPDATE messages SET session_id = 'only' WHERE session_id = 'bee'")
    for keys, printed in (("j", "coder/ant"), ("jj", "only")):
        async with opened(two, intent=Intent.PRINT) as driver:
            await driver.press(*keys, "enter")
            assert driver.app.return_value == printed


def test_the_editor_and_the_agent_get_the_session_of_the_row(two: Path, tmp_path: Path) -> None:
    editor, agent = tmp_path / "editor", tmp_path / "agent"
    editor.mkdir()
    agent.mkdir()
    reader, hermes = StandIn(editor, "reader"), StandIn(agent, "hermes")
    path = os.pathsep.join((str(reader.bin), str(hermes.bin), os.environ["PATH"]))
    variables = {**reader.environment, "EDITOR": "reader", "VISUAL": "", "PATH": path}
    with Terminal(["--db", str(two)], environment=variables) as terminal:
        terminal.until("8 listed", "message 1 of")
        terminal.press(b"j")
        terminal.until("Hi from coder.", "coder · ant")
        terminal.press(b"E")
        terminal.until(lambda _: len(reader.calls()) == 1)
        terminal.until("coder · ant")
        terminal.press(b"r")
        terminal.leave()
    edited, resumed = reader.calls()
    assert "I am ant of coder" in edited["text"]
    assert resumed["home"] == str(two)
    assert resumed["arguments"] == ["-p", "coder", "--resume=ant"]


WRITER = """
import sys
from hermes_state import SessionDB
db = SessionDB()
for line in sys.stdin:
    name = line.strip()
    db.create_session(name, "cli")
    db.append_message(name, "user", f"breaking news from {name}")
    print(name, flush=True)
db.close()
"""


@contextmanager
def writer(home: Path) -> Iterator[Callable[[str], None]]:
    """The real agent in a profile: writes a session when it is told a name."""
    home.mkdir(parents=True, exist_ok=True)
    folders = {"PYTHONPATH": str(agent_path(*HERMES)), "HERMES_HOME": str(home), "HOME": str(home)}
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER],
        env={**os.environ, **folders},
        cwd=home,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    told, heard = process.stdin, process.stdout

    def write(name: str) -> None:
        told.write(f"{name}\n")
        told.flush()
        assert heard.readline().strip() == name

    try:
        yield write
    finally:
        told.close()
        process.wait(20)
        heard.close()


async def test_an_empty_state_file_is_a_profile_without_sessions_until_its_agent_writes(
    two: Path,
) -> None:
    file = profile_file(two, "blank")
    file.touch()
    async with opened(two, now=time.time()) as driver:
        assert "3 profiles" in driver.screen()
        assert "unreadable" not in driver.screen()
        await driver.press("A")
        assert "blank No sessions yet" in " ".join(driver.screen().split())
        await driver.press("escape")
        with writer(file.parent) as write:
            write("first")
            await driver.until(lambda: (None, "blank") in places(driver))


async def test_two_real_agents_that_write_in_two_profiles_are_followed(tmp_path: Path) -> None:
    root = tmp_path / "hermes"
    with writer(root) as default, writer(root / "profiles" / "coder") as coder:
        default("first")
        coder("second")
        async with opened(root, now=time.time()) as driver:
            for number in range(3):
                default(f"default_{number}")
                coder(f"coder_{number}")
                wanted = [f"coder_{number}", f"default_{number}"]

                def seen(wanted: list[str] = wanted) -> bool:
                    rows = map(driver.main.sessions.row, driver.main.sessions.order[:2])
                    return [row.id for row in rows if row] == wanted

                await driver.until(seen)
            assert driver.counted() == "8 listed"


async def test_what_hermes_will_delete_is_told_of_each_profile(two: Path) -> None:
    (two / "profiles" / "coder" / "config.yaml").write_text("sessions: {auto_prune: true}\n")
    with altered(profile_file(two, "coder")) as db:
        db.execute("UPDATE sessions SET started_at = started_at - ?", (200 * 86400,))
        db.execute("UPDATE sessions SET ended_at = started_at + 5")
        db.execute("UPDATE messages SET timestamp = timestamp - ?", (200 * 86400,))
    async with opened(two) as driver:
        await driver.until(lambda: driver.main.file.foreseeing.outlook is not None)
        outlook = driver.main.file.foreseeing.outlook
        assert outlook is not None
        store = driver.main.file.opened
        assert store is not None
        assert {store.store.place(key) for key in outlook.signs} <= {"coder"}
        assert "Rename" in driver.screen()


async def test_only_the_damaged_profile_is_called_damaged(two: Path) -> None:
    with altered(profile_file(two, "coder")) as db:
        replace_index(db, "sqlite_autoindex_sessions_1", [1, 2])
    async with opened(two) as driver:
        await driver.until(lambda: "coder damaged: lists and counts may be" in driver.screen())
        (told,) = driver.told()
        assert told.startswith("coder: the state file is damaged: ")
        assert "hermes -p coder sessions repair --check-only" in told
        await driver.press("A")
        lines = [line for line in driver.screen().splitlines() if "damaged" in line and "·" in line]
        assert any("coder " in line for line in lines)
        assert not any("default " in line for line in lines)


def test_the_first_rows_do_not_wait_for_a_locked_profile(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(members, "HURRY", 3600.0)
    found = locate([str(root)], [], {}, None)
    with Locker(profile_file(root, "shared")):
        first = Opening(found[0].path, NOW, found=found).wait()
        assert {row.place for row in first.rows} == {"default", "coder"}
        assert "shared" in {one.name for one in first.store.troubles}


async def test_dialogs_about_one_session_name_its_profile(two: Path, trash: Path) -> None:
    async with opened(two, trash=trash) as driver:
        await to_coder(driver)
        await driver.press("L")
        assert "Lineage · coder" in driver.screen()
        await driver.press("escape", "t")
        assert "Rename · coder" in driver.screen()
        await driver.press("escape", "g", "space", "/")
        await driver.type("bee")
        await driver.press("down", "enter", "left", "d")
        assert re.search("under the cursor: “bee” in (default|coder)", driver.screen())


async def test_a_narrow_top_bar_begins_with_what_it_has_room_for(root: Path) -> None:
    async with opened(root, size=(60, 20)) as driver:
        top = driver.screen().splitlines()[0]
        assert not top.strip().startswith("… ")
        assert not top.startswith("   ")
        assert "6 profiles · 1 unreadable (A)" in top

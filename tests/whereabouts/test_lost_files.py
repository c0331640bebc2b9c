"""A state file that is gone, and what is left of its sessions: nothing looks as if there had
never been any."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from explorer.errors import ExitCode
from explorer.stores.newcomers import Newcomers
from tests.conftest import Command
from tests.factories import one_session
from tests.terminal import Terminal
from tests.whereabouts.homes import lost_home

SNAPSHOT = "20260203-040506-pre-update"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of Hermes, in the usual place."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    root = lost_home(tmp_path / ".hermes")
    (root / "state-snapshots" / "before_update").rename(root / "state-snapshots" / SNAPSHOT)
    return root


def _lose(home: Path) -> None:
    for path in home.glob("state.db*"):
        path.unlink()


def _solo(home: Path) -> Path:
    """A home of one profile that lost its file."""
    _lose(home)
    shutil.rmtree(home / "profiles")
    return home


def _lost_profile(root: Path) -> Path:
    home = root / "profiles" / "lostp"
    (home / "sessions").mkdir(parents=True)
    shutil.copytree(root / "state-snapshots", home / "state-snapshots")
    (home / "sessions" / "x.jsonl").write_text('{"role": "user", "content": "a durian"}\n')
    return home


def _places(command: Command, *words: str) -> list[tuple[str, str]]:
    found = command("where", "--json", *words).json["sightings"]
    return [(one["place"], one["profile"]) for one in found]


@pytest.mark.parametrize("variable", [True, False])
def test_a_home_without_its_file_is_searched_all_the_same(
    home: Path, command: Command, monkeypatch: pytest.MonkeyPatch, variable: bool
) -> None:
    if variable:
        monkeypatch.setenv("HERMES_HOME", str(home))
    _solo(home)
    assert _places(command, "huckleberry") == [("snapshot", "default")]
    assert _places(command, "lemon") == [("files", "default")]
    assert _places(command, "--db", str(home), "lemon") == [("files", "default")]
    said = command("where", "zucchini")
    assert said.code == (ExitCode.CANNOT_OPEN if variable else ExitCode.NO_SUCH_SESSION)
    after = said.err.split("Not searched:\n")[1]
    assert "Profile default: State file missing." in after
    assert "2 transcripts. Searched instead: its snapshots and transcripts. To go back" in after
    assert "`session-explorer where`" not in said.err


def test_a_home_without_its_file_says_what_is_left_and_what_to_do(
    home: Path, command: Command
) -> None:
    _solo(home)
    for arguments in (["list"], ["info"], ["--db", home, "list"], ["--profile", "default", "list"]):
        said = command(*arguments)
        assert said.code == ExitCode.CANNOT_OPEN
        assert "State file missing. ~/.hermes/state.db is missing, but its folder has " in said.err
        assert "1 snapshot from 3 Feb 2026 and 2 transcripts." in said.err
        assert "`session-explorer where` searches them." in said.err
        assert f"then copy state-snapshots/{SNAPSHOT}/state.db into that folder." in said.err
        assert "-wal" not in said.err
        assert "no sessions yet" not in said.err.lower()


def test_no_one_is_told_to_go_back_to_an_empty_snapshot(home: Path, command: Command) -> None:
    _solo(home)
    newer = home / "state-snapshots" / "20260301-000000-pre-update"
    newer.mkdir()
    (newer / "state.db").touch()
    said = command("list").err
    assert "1 snapshot from 3 Feb 2026" in said
    assert f"then copy state-snapshots/{SNAPSHOT}/state.db into that folder." in said


def test_a_home_of_which_only_backups_are_left_names_them(home: Path, command: Command) -> None:
    _solo(home)
    for folder in ("sessions", "state-snapshots"):
        shutil.rmtree(home / folder)
    (home / "backups").mkdir()
    (home / "backups" / "pre-update-1.zip").write_bytes(b"PK")
    (home / "state.db.bak").write_bytes(b"huckleberry")
    assert "its folder has 2 backups. `session-explorer where` names them." in command("list").err
    said = command("where", "huckleberry").err
    assert "its folder has 2 backups. Stop the agent, then restore one." in said
    assert "~/.hermes/backups: 1 zip backup, unpack one" in said
    assert "~/.hermes/state.db.bak: backup, open it with --db" in said


def test_a_chat_of_a_lost_file_leads_to_what_is_left_of_its_session(
    home: Path, command: Command
) -> None:
    """Who talked to the agent is in no message: only the route says it."""
    _solo(home)
    entry = {
        "session_id": "filed_1",
        "platform": "telegram",
        "origin": {"chat_type": "dm", "user_name": "Wilhelmina", "chat_id": "77"},
    }
    routes = {"agent:main:telegram:dm:77": entry}
    (home / "sessions" / "sessions.json").write_text(json.dumps(routes))
    [found] = command("where", "--json", "wilhelmina").json["sightings"]
    assert (found["place"], found["id"], found["reasons"]) == ("chats", "filed_1", ["lost"])
    assert "its state file cannot be read" in found["why"]
    program, *typed = shlex.split(found["command"])
    assert (program, typed) == ("session-explorer", ["where", "filed_1"])
    assert ("files", "default") in _places(command, "filed_1")
    assert ("snapshot", "default") not in _places(command, "filed_1")
    (home / "state.db").write_bytes(b"no database at all" * 100)
    assert _places(command, "wilhelmina") == [("chats", "default")]
    (home / "sessions" / "sessions.json").write_text("{")
    said = command("where", "wilhelmina")
    assert said.code == ExitCode.NO_SUCH_SESSION
    assert "  Chats of default: Cannot read " in said.err.split("Not searched:\n")[1]


def test_a_log_that_is_left_is_not_taken_for_that_of_the_copy(home: Path, command: Command) -> None:
    _solo(home)
    (home / "state.db-wal").touch()
    assert "then move the -wal and -shm files away, then copy" in command("list").err


def test_a_profile_that_lost_its_file_is_named_and_searched(home: Path, command: Command) -> None:
    _lost_profile(home)
    said = command("list")
    assert said.code == ExitCode.DONE
    assert said.err.startswith("lostp: State file missing. ~/.hermes/profiles/lostp/state.db is")
    file = "lostp\n  file       ~/.hermes/profiles/lostp/state.db\n"
    assert f"{file}  error      State file missing." in command("info").out
    assert _places(command, "durian") == [("files", "lostp")]
    assert _places(command, "--profile", "lostp", "durian") == [("files", "lostp")]
    assert ("snapshot", "lostp") in _places(command, "huckleberry")
    named = command("--profile", "lostp", "list")
    assert named.code == ExitCode.CANNOT_OPEN
    assert "State file missing." in named.err


def test_the_root_that_lost_its_file_is_named_beside_its_profiles(
    home: Path, command: Command
) -> None:
    _lose(home)
    assert command("list").err.startswith("default: State file missing.")
    assert command("undo", "--dry-run").err.startswith("default: State file missing.")
    assert _places(command, "huckleberry") == [("snapshot", "default")]


def test_a_profile_that_never_had_a_file_is_no_line(home: Path, command: Command) -> None:
    new = home / "profiles" / "new" / "sessions"
    new.mkdir(parents=True)
    (new / "sessions.json").write_text("{}")
    (new / "request_dump_1.json").write_text("{}")
    assert "new" not in command("list").err
    assert "new" not in command("where", "zucchini").err


def test_a_profile_on_a_disk_that_is_gone_is_a_line_until_it_is_back(
    home: Path, command: Command, tmp_path: Path
) -> None:
    disk = tmp_path / "disk" / "work"
    (home / "profiles" / "ext").symlink_to(disk)
    (home / "profiles" / "ext2").mkdir()
    (home / "profiles" / "ext2" / "state.db").symlink_to(disk / "other.db")
    said = command("list")
    assert said.code == ExitCode.DONE
    for name, link in (("ext", "ext"), ("ext2", "ext2/state.db")):
        line = f"{name}: Broken link. ~/.hermes/profiles/{link} leads to {disk}"
        assert line in said.err
        assert f"\n{name}\n" in command("info").out
        alone = command("--profile", name, "list")
        assert (alone.code, "Broken link." in alone.err) == (ExitCode.CANNOT_OPEN, True)
        assert f"Profile {name}: Broken link." in command("where", "zucchini").err
    assert said.err.count("Mount its disk, or correct the link.") == 2
    disk.mkdir(parents=True)
    for name in ("state.db", "other.db"):
        one_session(disk / name, title=f"in {name}")
    listed = command("list").out
    assert "in state.db" in listed
    assert "in other.db" in listed
    assert command("list").err.count("Broken link") == 0


def test_a_link_to_a_disk_that_is_gone_is_noticed_while_the_app_is_open(home: Path) -> None:
    newcomers = Newcomers.of([str(home)], [], {}, None)
    known = newcomers.look([])
    (home / "profiles" / "ext").symlink_to("/nowhere/at/all")
    assert [one.name for one in newcomers.look(known)] == ["ext"]


def test_the_demo_names_what_is_left_and_finds_it(home: Path, tmp_path: Path) -> None:
    _solo(home)
    (home / "profiles" / "new").mkdir(parents=True)
    nothing = {"HERMES_HOME": "", "SESSION_EXPLORER_DB": ""}
    with Terminal([], environment={"HOME": str(tmp_path), **nothing}) as terminal:
        terminal.until("no ~/.hermes/state.db, but 1 snapshot", "message 1 of")
        terminal.until("W finds lost sessions: 1 snapshot and 2 transcripts")
        terminal.press(b"W")
        terminal.until("Type words of the session")
        terminal.press(b"huckleberry\r")
        terminal.until("Only in a snapshot from 3 Feb 2026.")
        terminal.press(b"\x1b")
        terminal.until(lambda text: "Only in a snapshot" not in text)
        terminal.press(b"q")
        terminal.leave()

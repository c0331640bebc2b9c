"""What scripts learn of the agent's own clean-up: in `list`, `show`, `info`, `search`, `resume`."""

import time
from pathlib import Path

import pytest

from explorer.stores.fates import DAY
from tests.conftest import Command
from tests.factories import altered, insert, one_session, rows, say
from tests.hermes_homes import ON, hermes_home
from tests.real_files import unpack

AGES = {"ant": 1.0, "bee": 89.5, "cat": 100.0}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A home of Hermes with three ended sessions, and one that was left open."""
    file = hermes_home(tmp_path / "home")
    now = time.time()
    with altered(file) as db:
        db.execute("DELETE FROM messages")
        db.execute("DELETE FROM sessions")
        db.execute("UPDATE state_meta SET value = ? WHERE key LIKE 'last_auto%'", (now - 2 * DAY,))
        for name, days in AGES.items():
            at = now - days * DAY
            insert(db, "sessions", id=name, source="cli", started_at=at, ended_at=at, title=name)
            say(db, name, timestamp=at)
        insert(db, "sessions", id="open", source="cli", started_at=now - 95 * DAY)
        say(db, "open", timestamp=now - 95 * DAY)
    return file


def _config(path: Path, text: str) -> None:
    (path.parent / "config.yaml").write_text(text)


def test_every_session_of_a_list_has_its_fate(path: Path, command: Command) -> None:
    said = command("list", "--json", "--db", path).json
    fates = {session["id"]: session["fate"] for session in said["sessions"]}
    assert [fates[name]["action"] for name in AGES] == ["delete"] * 3
    assert fates["cat"] | {"at": ""} == {
        "action": "delete",
        "at": "",
        "certain": True,
        "reason": "ended sessions are deleted after 90 days without activity",
        "parts": 1,
    }
    assert fates["open"]["action"] == "end"
    assert fates["cat"]["at"] < fates["bee"]["at"] < fates["ant"]["at"]


def test_one_session_has_its_fate(path: Path, command: Command) -> None:
    _config(path, "model: x\n")
    fate = command("show", "bee", "--json", "--db", path).json["session"]["fate"]
    assert fate["certain"] is False
    assert "sessions.auto_prune is not set" in fate["reason"]
    _config(path, "sessions: {auto_prune: false}")
    assert command("show", "bee", "--json", "--db", path).json["session"]["fate"] is None


def test_a_list_is_sorted_by_what_expires_first(path: Path, command: Command) -> None:
    for form in ([], ["--all"]):
        said = command("list", "--json", "--sort", "expiring", *form, "--db", path).json
        assert [row["id"] for row in said["sessions"]] == ["cat", "bee", "ant", "open"]


def test_a_search_knows_what_is_expiring(path: Path, command: Command) -> None:
    said = command("search", "is:expiring", "--json", "--db", path).json
    assert [hit["session_id"] for hit in said["hits"]] == ["bee", "cat"]


def test_a_prune_knows_what_is_expiring(path: Path, command: Command) -> None:
    said = command("prune", "is:expiring", "--archive", "--dry-run", "--json", "--db", path).json
    assert {one["id"] for one in said["sessions"]} == {"bee", "cat"}


def test_info_has_the_settings_and_the_next_clean_up(path: Path, command: Command) -> None:
    _config(path, "sessions: {auto_prune: true, retention_days: 95, min_interval_hours: '1'}")
    said = command("info", "--json", "--db", path).json["clean_up"]
    assert said["unknown"] == "sessions.min_interval_hours is not understood"
    assert said["next_at"] is None
    _config(path, "sessions: {auto_prune: true, retention_days: 94}")
    said = command("info", "--json", "--db", path).json["clean_up"]
    (mark,) = rows(path, "SELECT value FROM state_meta WHERE key = 'last_auto_prune'")[0]
    assert said["settings"]["retention_days"] == {"value": 94, "given": "set"}
    assert said["settings"]["auto_archive"] == {"value": None, "given": "not set"}
    assert said["path"] == str(path.parent / "config.yaml")
    assert said["certain"] is True
    assert said["retention_days"] == 94
    assert said["next_at"].startswith("20")
    assert float(str(mark)) < time.time() - DAY
    assert said["next_start"] == {"deleted": 1, "archived": 0, "ended": 1}


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (ON, "Hermes deletes ended sessions after 90 days without activity"),
        (ON, "at its next start: 1 session deleted, 1 session marked as ended"),
        ("model: x", "1 session may be deleted"),
        ("sessions: {auto_prune: no, auto_archive: yes}", "archives sessions after 3 days"),
        ("sessions: {auto_prune: no}", "Hermes does not delete or archive sessions by itself"),
        ("sessions: {auto_prune: 1}", "unknown: sessions.auto_prune is not understood"),
        ("sessions:\n\tx", "unknown: config.yaml cannot be read: line 2"),
    ],
)
def test_info_says_it_in_a_line(path: Path, command: Command, config: str, words: str) -> None:
    _config(path, config)
    (line,) = [
        line
        for line in command("info", "--db", path).out.splitlines()
        if line.startswith("clean-up")
    ]
    assert words in line


def test_hostile_settings_reach_no_terminal(path: Path, command: Command) -> None:
    _config(path, 'a: "\\e[31m" \x1b]0;x\x07')
    said = command("info", "--db", path)
    assert "\x1b" not in said.out
    assert "clean-up" in said.out


def test_other_files_have_no_clean_up(tmp_path: Path, command: Command) -> None:
    loop = unpack("power-loop-8.0.0", tmp_path)
    assert command("info", "--json", "--db", loop).json["clean_up"] is None
    assert "clean-up" not in command("info", "--db", loop).out
    listed = command("list", "--json", "--db", loop).json["sessions"]
    assert [session["fate"] for session in listed] == [None] * len(listed)
    copy = one_session(tmp_path / "copy.db")
    assert command("info", "--json", "--db", copy).json["clean_up"]["unknown"]


@pytest.fixture
def long(path: Path) -> Path:
    """A session of more messages than Hermes resumes."""
    with altered(path) as db:
        for number in range(6):
            say(db, "ant", timestamp=time.time() - 9000 + number)
    _config(path, "sessions: {max_resume_messages: 5}")
    return path


def test_resume_says_when_hermes_will_refuse(long: Path, command: Command) -> None:
    said = command("resume", "ant", "--print", "--db", long)
    assert said.code == 0
    assert "Hermes refuses to resume more than 5 messages" in said.err
    assert "This conversation has 7" in said.err
    assert f"set sessions.max_resume_messages: 0 in {long.parent / 'config.yaml'}" in said.err
    assert said.out.strip().endswith("--resume=ant"), "the command alone"
    _config(long, "sessions: {max_resume_messages: 0}")
    assert "refuses" not in command("resume", "ant", "--print", "--db", long).err

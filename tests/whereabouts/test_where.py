"""`where` finds a session wherever it is, says why no list shows it, and what to type."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import ExitCode
from explorer.render.figures import iso_utc
from explorer.stores.hermes.create.state_file import StateFile
from tests.conftest import Command
from tests.factories import T0, altered, go_on, one_session, talk
from tests.gateway_homes import NAMED, gateway_home
from tests.whereabouts.homes import lost_home, snapshot


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of Hermes, in the usual place."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return lost_home(tmp_path / ".hermes")


def _one(command: Command, *words: str) -> dict[str, Any]:
    (found,) = command("where", "--json", *words).json["sightings"]
    assert isinstance(found, dict)
    return found


def _typed(command: Command, line: str) -> str:
    """What the command in a result prints."""
    program, *arguments = shlex.split(line)
    assert program == "session-explorer"
    done = command(*arguments)
    assert done.code == 0, done.err
    return done.out


def test_a_listed_session_is_said_to_be_listed(home: Path, command: Command) -> None:
    found = _one(command, "apricot")
    assert found["why"] == "Listed."
    assert (found["place"], found["profile"], found["id"]) == ("profile", "default", "plain_1")
    assert "apricot" in _typed(command, found["command"])


@pytest.mark.parametrize(
    ("word", "id_", "why"),
    [
        ("blueberry", "cron_1", "Hidden: cron session."),
        ("cranberry", "tool_1", "Hidden: tool session."),
        ("dragonfruit", "arch_1", "Archived."),
        ("elderberry", "part_1", "Folded: part 1 of 2 of its conversation."),
        ("grape", "undone_1", "Only in messages that were rewound."),
        ("jackfruit", "sub_1", "Hidden: subagent session."),
    ],
)
def test_a_session_that_no_list_shows_is_found_with_the_reason(
    home: Path, command: Command, word: str, id_: str, why: str
) -> None:
    found = _one(command, word)
    assert (found["id"], found["why"]) == (id_, why)
    assert word in _typed(command, found["command"])


def test_a_profile_that_was_left_out_is_searched_too(home: Path, command: Command) -> None:
    found = _one(command, "--profile", "play", "jackfruit")
    assert found["reasons"] == ["other_profile", "subagent"]
    assert found["why"] == "In another profile: work. Hidden: subagent session."
    assert "jackfruit" in _typed(command, found["command"])


@pytest.fixture
def chat(home: Path) -> Path:
    """A home whose gateway wrote a chat of `play` into the file of `default`."""
    with altered(home / "state.db") as db:
        db.execute("UPDATE sessions SET session_key = 'agent:play:x:dm:7' WHERE id = 'plain_1'")
    return home


def test_a_chat_in_the_file_of_another_profile_is_said_to_be_of_both(
    chat: Path, command: Command
) -> None:
    assert "  Fruit  plain_1 · play, in default · cli" in command("where", "apricot").out
    asked = ("--profile", "play", "where", "apricot")
    said = command(*asked).out
    assert "  Fruit  plain_1 · play, in default · cli" in said
    assert "    Belongs to play, but is in the file of default. `session-explorer" in said
    assert "plain_1" not in command("--profile", "play", "list").out
    assert "plain_1" in _typed(command, said.split("`")[1])
    assert "apricot" in _typed(command, said.splitlines()[-2].strip())


def test_every_sighting_names_its_state_file_and_whose_it_is(chat: Path, command: Command) -> None:
    default, play = str(chat / "state.db"), str(chat / "profiles" / "play" / "state.db")

    def told(word: str) -> tuple[str, str, str]:
        found = _one(command, word)
        return found["place"], found["store"], found["owner"]

    assert told("apricot") == ("profile", default, "play")
    assert told("kiwi") == ("profile", play, "play")
    assert told("lemon") == ("files", default, "default")
    assert told("huckleberry") == ("snapshot", default, "default")
    for id_ in ("default/plain_1", "play_1"):
        assert command("delete", "--yes", id_).code == 0
    assert told("apricot") == ("trash", default, "play")
    assert "plain_1 · play, in default" in command("where", "apricot").out
    assert told("kiwi") == ("trash", play, "play")


def test_one_id_in_two_profiles_gives_two_sessions(home: Path, command: Command) -> None:
    found = command("where", "--json", "plain_1").json["sightings"]
    assert {one["profile"] for one in found} == {"default", "work"}
    said = [_typed(command, one["command"]) for one in found]
    assert ["apricot" in one for one in said] != ["fig" in one for one in said]


def test_a_title_and_the_beginning_of_an_id_are_found(home: Path, command: Command) -> None:
    assert _one(command, "Put away")["field"] == "title"
    assert _one(command, "play/play_1")["field"] == "id"
    assert _one(command, "UNDONE_")["id"] == "undone_1"


def test_a_deleted_session_is_restored_with_the_command_that_is_named(
    home: Path, command: Command
) -> None:
    assert command("--profile", "play", "delete", "--yes", "play_1").code == 0
    found = _one(command, "kiwi")
    assert found["place"] == "trash"
    assert found["title"] == "Games"
    assert found["why"].startswith("Deleted: in the trash until ")
    _, *arguments = shlex.split(found["command"])
    assert command(*arguments, "--yes").code == 0, found["command"]
    assert _one(command, "kiwi")["why"] == "Listed."


def test_the_trash_of_a_file_that_is_not_open_is_searched(
    home: Path, command: Command, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "old.db"
    other.parent.mkdir()
    other.write_bytes((home / "profiles" / "play" / "state.db").read_bytes())
    command("--db", other, "delete", "--yes", "play_1")
    found = [one for one in command("where", "--json", "kiwi").json["sightings"]]
    assert [one["place"] for one in found] == ["profile", "trash"]
    _, *arguments = shlex.split(found[1]["command"])
    assert command(*arguments, "--yes").code == 0
    assert "kiwi" in command("--db", other, "show", "play_1").out


def test_cleared_messages_are_found_in_the_trash(home: Path, command: Command) -> None:
    command("--profile", "play", "clear", "--yes", "play_1")
    assert _one(command, "kiwi")["why"].startswith("Messages cleared: in the trash until ")


@pytest.mark.parametrize("others", [(), ("plain_1",)])
def test_messages_of_a_session_that_was_deleted_later_come_back_with_what_is_printed(
    home: Path, command: Command, others: tuple[str, ...]
) -> None:
    """With other sessions in the same change, which stay where they are."""
    assert command("clear", "--yes", "arch_1").code == 0
    ids = ["default/arch_1", *(f"default/{one}" for one in others)]
    assert command("delete", "--yes", *ids).code == 0
    found = _one(command, "dragonfruit")
    assert found["why"].endswith("The session itself was deleted later: restore it first.")
    _run(found["command"].replace(" restore ", " restore --yes "))
    assert _one(command, "dragonfruit")["why"] == "Archived."
    assert command("show", "default/plain_1").code == (3 if others else 0)


def test_messages_of_a_session_that_is_gone_are_said_not_to_be_restored(
    home: Path, command: Command
) -> None:
    assert command("clear", "--yes", "arch_1").code == 0
    with altered(home / "state.db") as db:
        db.execute("DELETE FROM sessions WHERE id = 'arch_1'")
    found, copy = command("where", "--json", "dragonfruit").json["sightings"]
    assert copy["place"] == "snapshot", "which is the only way to have it again"
    assert found["reasons"] == ["cleared", "no_session"]
    assert "Only in the trash, to be read there in the app" in found["why"]
    assert found["command"] == ""


def test_a_session_that_only_a_snapshot_has_is_found(home: Path, command: Command) -> None:
    before = sorted((home / "state-snapshots" / "before_update").iterdir())
    found = _one(command, "huckleberry")
    assert (found["place"], found["id"], found["title"]) == ("snapshot", "gone_1", "Gone")
    assert found["why"].startswith("Only in a snapshot from ")
    assert "huckleberry" in _run(found["command"])
    assert sorted((home / "state-snapshots" / "before_update").iterdir()) == before


def test_a_copy_of_a_snapshot_never_replaces_a_file(
    home: Path, command: Command, tmp_path: Path
) -> None:
    """Not even the copy that it made before: it may have been changed since."""
    (tmp_path / "recovered.db").write_text("kept")
    line = _one(command, "huckleberry")["command"]
    copy = tmp_path / "recovered-default-before_update" / "state.db"
    assert str(copy.relative_to(tmp_path)) in line
    assert "huckleberry" in _run(line)
    with altered(copy) as db:
        db.execute("UPDATE messages SET content = 'a changed copy' WHERE content LIKE '%huckle%'")
    again = _one(command, "gone_1")["command"]
    assert again == line
    assert "a changed copy" in _run(again)
    assert (tmp_path / "recovered.db").read_text() == "kept"


def _run(line: str) -> str:
    """What a line prints that is typed into a shell."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    done = subprocess.run(line, shell=True, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_session_in_many_snapshots_is_named_once(home: Path, command: Command) -> None:
    with altered(home / "state.db") as db:
        db.execute("UPDATE messages SET content = 'nothing' WHERE content LIKE '%apricot%'")
    (home / "sessions" / "session_plain_1.json").unlink()
    snapshot(home, "newer")
    old = home / "state-snapshots" / "before_update" / "state.db"
    for number in range(3):
        folder = home / "state-snapshots" / f"copy_{number}"
        folder.mkdir()
        (folder / "state.db").write_bytes(old.read_bytes())
    found = _one(command, "apricot")
    assert found["reasons"] == ["snapshot", "not_the_words"]
    assert "but not these words" in found["why"]
    places = command("where", "--json", "apricot").json["places"]
    assert sum(one["copies"] for one in places) == 3


def test_a_snapshot_with_a_log_is_only_named(home: Path, command: Command) -> None:
    folder = home / "state-snapshots" / "before_update"
    (folder / "state.db-wal").write_bytes(b"")
    assert command("where", "huckleberry").code == 0, "an empty log holds nothing"
    (folder / "state.db-wal").write_bytes(b"some messages")
    done = command("where", "huckleberry")
    assert done.code == ExitCode.NO_SUCH_SESSION
    assert "before_update: snapshot, another file holds part of its messages" in done.err


def test_backups_are_only_named(home: Path, command: Command) -> None:
    (home / "backups").mkdir()
    (home / "backups" / "pre-update-1.zip").write_bytes(b"PK")
    (home / "state.db.bak").write_bytes(b"huckleberry")
    said = command("where", "apricot").err
    assert "backups: 1 zip backup, unpack one" in said
    assert "state.db.bak: backup, open it with --db" in said


def test_opening_a_backup_makes_no_other_backups(home: Path, command: Command) -> None:
    with altered(home / "state.db") as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    backup = home / "state.db.bak"
    backup.write_bytes((home / "state.db").read_bytes())
    assert "apricot" in command("--db", backup, "show", "plain_1").out
    assert sorted(home.glob("state.db.bak*")) != [backup], "SQLite's own, beside it"
    said = command("where", "apricot").err
    assert said.count("backup, open it with --db") == 1


def test_a_session_that_only_a_file_has_is_found(home: Path, command: Command) -> None:
    found = _one(command, "lemon")
    assert (found["place"], found["id"]) == ("files", "filed_1")
    assert found["name"] == "a lemon that the gateway wrote"
    assert found["command"] == "session-explorer show default/filed_1"
    mango = home / "sessions" / "saved" / "hermes_conversation_1.json"
    assert _one(command, "mango")["command"] == f"less {mango}"
    assert _one(command, "filed_1")["field"] == "id"
    assert _one(command, "mango")["path"].endswith("hermes_conversation_1.json")


def test_a_file_with_what_the_state_file_has_is_only_counted(home: Path, command: Command) -> None:
    result = command("where", "--json", "apricot").json
    (files,) = (one for one in result["places"] if one["place"] == "files")
    assert (files["sessions"], files["copies"]) == (0, 1)


def test_nowhere_is_an_exit_code_and_names_all_places(home: Path, command: Command) -> None:
    done = command("where", "zucchini")
    assert done.code == ExitCode.NO_SUCH_SESSION
    assert done.out == ""
    assert done.err.startswith("Nothing in:\n  3 profiles: default, play, work\n")
    for place in ("Chats of default", "Trash", "Files of default", "Snapshot of default, "):
        assert f"\n  {place}" in done.err
    assert "“zucchini” was not found anywhere. Searched 7 places." in done.err


def test_places_of_one_kind_without_the_session_are_one_line(home: Path, command: Command) -> None:
    for day in range(1, 5):
        snapshot(home, f"202601{day:02}-000000-pre-update")
        one_session(home.parent / f"gone_{day}.db")
        assert command("--db", home.parent / f"gone_{day}.db", "delete", "--yes", "s").code == 0
    done = command("where", "zucchini")
    assert "  Trash of 4 state files: ~/gone_1.db, ~/gone_2.db, " in done.err
    assert "  5 snapshots of default, 1 Jan 2026 to " in done.err
    assert "was not found anywhere. Searched 14 places." in done.err
    assert len(json.loads(command("where", "zucchini", "--json").out)["places"]) == 14


def test_copies_of_a_session_that_was_named_are_not_called_nothing(
    home: Path, command: Command
) -> None:
    snapshot(home, "newer")
    said = command("where", "cranberry").err
    nothing = said.split("Nothing in:\n")[1]
    assert "Searched:\n  Profile default: 1 session\nOnly copies in:\n  2 snapshots of" in said
    assert ": 2 copies of sessions named above\n" in said
    assert "napshot" not in nothing


def test_fields_do_not_hide_the_session_again(home: Path, command: Command) -> None:
    done = command("where", "blueberry source:telegram")
    assert done.code == 0
    assert "cron_1" in done.out
    assert "Fields such as source: are left out" in done.err


def test_fields_alone_are_nothing_to_look_for(home: Path, command: Command) -> None:
    assert command("where", "source:cron").code == ExitCode.USAGE


def test_a_broken_profile_is_named_and_the_others_are_searched(
    home: Path, command: Command
) -> None:
    (home / "profiles" / "play" / "state.db").write_bytes(b"x" * 5000)
    result = command("where", "--json", "jackfruit").json
    assert result["found"] == 1
    errors = {one["profile"]: one["error"] for one in result["places"] if one["error"]}
    assert errors.keys() == {"play"}


def test_a_wrong_path_does_not_keep_the_others_from_being_searched(
    home: Path, command: Command, tmp_path: Path
) -> None:
    done = command("--db", tmp_path / "nowhere", "where", "apricot")
    assert done.code == 0
    assert "In another profile: default." in done.out


def test_the_result_names_title_place_reason_and_command(home: Path, command: Command) -> None:
    lines = command("where", "dragonfruit").out.splitlines()
    assert lines[0] == "Profile default"
    assert lines[1].startswith("  Put away  arch_1 · cli · ")
    assert lines[2] == "    content: old dragonfruit"
    listing = "session-explorer --profile default list --all --limit 0"
    assert lines[3] == f"    Archived. `{listing}` lists it."
    assert lines[4] == "    session-explorer show default/arch_1"


def test_of_very_many_sessions_the_newest_are_named_and_all_are_counted(
    tmp_path: Path, command: Command
) -> None:
    path = tmp_path / "old.db"
    with StateFile.create(path) as state:
        for number in range(25):
            talk(state, f"n_{number}", "a walnut", at=T0 + number)
    done = command("--db", path, "where", "walnut")
    assert done.out.splitlines()[0] == "State file old"
    assert done.out.count("Listed.") == 20
    assert "  n_24 · cli" in done.out
    assert "State file old: 25 sessions · 5 more not shown (--limit 0 shows all)" in done.err
    assert "25 sessions found." in done.err
    every = command("--db", path, "where", "walnut", "--limit", "0")
    assert every.out.count("Listed.") == 25
    assert "not shown" not in every.err
    few = command("--db", path, "where", "--json", "walnut", "--limit", "3").json
    assert (len(few["sightings"]), few["found"]) == (3, 25)


def test_a_renamed_session_is_found_by_its_earlier_title(home: Path, command: Command) -> None:
    assert command("rename", "default/plain_1", "Orchard", "--yes").code == 0
    assert command("rename", "default/plain_1", "Plantation", "--yes").code == 0
    assert command("rename", "default/plain_1", "Greengrocer", "--yes").code == 0
    for text in ("orchard", "plantation"):
        found = _one(command, text)
        assert (found["id"], found["title"]) == ("plain_1", "Greengrocer")
        assert (found["profile"], found["reasons"]) == ("default", ["renamed"])
        assert found["field"] == "earlier title"
        assert found["why"] == "Renamed: only an earlier title has these words."
        assert "apricot" in _typed(command, found["command"])
    assert "earlier title: Orchard" in command("where", "orchard").out
    assert command("undo", "--all-profiles", "--yes").code == 0
    assert _one(command, "greengrocer")["field"] == "earlier title", "a rename that was undone"
    assert _one(command, "plantation")["field"] == "title"


def test_a_renamed_and_deleted_session_is_found_by_its_earlier_title(
    home: Path, command: Command
) -> None:
    command("rename", "play_1", "Chess", "--yes")
    command("delete", "play_1", "--yes")
    found = _one(command, "games")
    assert (found["place"], found["title"]) == ("trash", "Chess")
    assert found["reasons"] == ["trash", "renamed"]
    assert "Deleted: in the trash until " in found["why"]


def test_an_earlier_part_is_found_by_the_title_that_it_had(home: Path, command: Command) -> None:
    command("rename", "part_1", "Short talk", "--yes", "--force")
    found = _one(command, "Long talk")
    assert found["reasons"][-1] == "renamed"
    assert found["id"] in ("part_1", "part_2")


def test_a_place_that_cannot_be_searched_does_not_count_as_searched(
    home: Path, command: Command
) -> None:
    (home / "profiles" / "bad").mkdir()
    (home / "profiles" / "bad" / "state.db").write_bytes(b"no database at all" * 100)
    result = command("where", "--json", "apricot").json
    assert [one["what"] for one in result["not_searched"]] == ["Profile bad"]
    done = command("where", "apricot")
    assert "Searched 7 places, 1 not searched." in done.err
    after = done.err.split("Not searched:\n")[1]
    assert after.startswith("  Profile bad: Not a database.")


def test_what_is_counted_as_not_searched_is_what_is_listed(home: Path, command: Command) -> None:
    assert "“zucchini” was not found anywhere." in command("where", "zucchini").err
    (home / "profiles" / "bad").mkdir()
    (home / "profiles" / "bad" / "state.db").write_bytes(b"no database at all" * 100)
    (home / "profiles" / "blank").mkdir()
    (home / "profiles" / "blank" / "state.db").touch()
    (home / "profiles" / "fresh").mkdir()
    (home / "backups").mkdir()
    (home / "backups" / "pre-update-1.zip").write_bytes(b"PK")
    (home / "state.db.bak").write_bytes(b"zucchini")
    *lines, summary = command("where", "zucchini").err.split("Not searched:\n")[1].splitlines()
    assert [line.split(":")[0].rpartition("/")[2].strip() for line in lines] == [
        "Profile bad",
        "backups",
        "state.db.bak",
    ]
    assert summary == (
        "“zucchini” was not found in what could be searched. Searched 7 places, 3 not searched."
    )


def test_chats_are_searched_by_name_and_by_the_id_that_they_lead_to(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(gateway_home(tmp_path / "hermes")))
    gone = _one(command, "Hal")
    assert (gone["place"], gone["id"], gone["field"]) == ("chats", NAMED["gone"].session, "chat")
    assert gone["why"].startswith("A chat leads to it, but no state file has it")
    assert "DM with Hal" in _typed(command, gone["command"])
    assert _one(command, NAMED["gone"].session)["reasons"] == ["gone"]
    # Its route is in another file than its session.
    assert _one(command, "Ivy")["reasons"] == []


def test_words_in_the_transcript_file_of_a_deleted_session_are_found(
    home: Path, command: Command
) -> None:
    line = json.dumps({"role": "user", "content": "only the file says quince"})
    (home / "sessions" / "arch_1.jsonl").write_text(f"{line}\n")
    assert command("delete", "default/arch_1", "--yes").code == 0
    assert not (home / "sessions" / "arch_1.jsonl").exists()
    found = _one(command, "quince")
    assert (found["place"], found["id"]) == ("trash", "arch_1")


def test_a_session_that_only_a_file_has_is_shown_and_not_resumed(
    home: Path, command: Command
) -> None:
    assert "Sour." in _typed(command, _one(command, "lemon")["command"])
    done = command("resume", "--print", "default/filed_1")
    assert done.code == ExitCode.REFUSED
    assert "This session is only in filed_1.jsonl, not in the state file" in done.err


def test_the_date_of_a_snapshot_is_when_hermes_made_it(home: Path, command: Command) -> None:
    """Not when its file was copied with the rest of the home."""
    dated = home / "state-snapshots" / "20240229-120000-pre-update"
    (home / "state-snapshots" / "before_update").rename(dated)
    assert _one(command, "huckleberry")["snapshot_at"] == "2024-02-29T12:00:00Z"
    noted = dated.rename(dated.with_name("before_update"))
    (noted / "manifest.json").write_text('{"id": "?", "timestamp": "20240301-120000"}')
    assert _one(command, "huckleberry")["snapshot_at"] == "2024-03-01T12:00:00Z"
    for content in ("{", "[]", '{"timestamp": 7}', '{"timestamp": "20249999-120000"}'):
        (noted / "manifest.json").write_text(content)
        os.utime(noted / "state.db", (T0, T0))
        assert _one(command, "huckleberry")["snapshot_at"] == iso_utc(T0)


def test_the_newest_snapshots_are_chosen_by_when_they_were_made(
    home: Path, command: Command
) -> None:
    """A file that was copied last may be of the oldest."""
    source = home / "state-snapshots" / "before_update"
    for day in range(1, 31):
        folder = home / "state-snapshots" / f"202402{day:02}-000000"
        if day > 29:
            folder = home / "state-snapshots" / "20240301-000000"
        folder.mkdir()
        os.link(source / "state.db", folder / "state.db")
    source.rename(source.with_name("20230101-000000-first"))
    os.utime(home / "state-snapshots" / "20230101-000000-first" / "state.db")
    found = _one(command, "huckleberry")
    assert found["snapshot_at"] == "2024-03-01T00:00:00Z"
    result = command("where", "--json", "huckleberry").json
    assert sum(one["place"] == "snapshot" for one in result["places"]) == 30
    assert [one["what"] for one in result["not_searched"]] == ["1 older snapshot"]


def test_the_command_that_lists_a_hidden_session_lists_it_among_very_many(
    home: Path, command: Command
) -> None:
    with altered(home / "state.db") as db:
        for number in range(60):
            go_on(db, "cron_1", f"newer_{number}", T0 + 10_000 + number)
        db.execute("UPDATE sessions SET parent_session_id = NULL, source = 'cli'")
        db.execute("UPDATE sessions SET source = 'cron' WHERE id = 'cron_1'")
    said = command("where", "blueberry").out
    assert "cron_1" in _typed(command, said.split("`")[1])


def test_it_is_true_that_a_list_has_what_is_only_in_a_file(
    home: Path, command: Command, tmp_path: Path
) -> None:
    line = {"role": "user", "content": "quince"}
    bad = home / "profiles" / "bad" / "sessions"
    bad.mkdir(parents=True)
    (bad.parent / "state.db").write_bytes(b"no database at all" * 100)
    for name in (home / "sessions" / "good_1.jsonl", bad / "bad_1.jsonl"):
        name.write_text(json.dumps(line) + "\n")
    said = {
        one["id"]: (one["why"], command("where", one["id"]).out)
        for one in command("where", "--json", "quince").json["sightings"]
    }
    listed = command("list", "--all", "--limit", "0").out
    assert {id_: id_ in listed for id_ in said} == {"good_1": True, "bad_1": False}
    for id_, (why, out) in said.items():
        assert ("Hidden: file-only session." in why) == (id_ in listed)
        assert ("list --all --limit 0` lists it." in out) == (id_ in listed)
    copied = tmp_path / "copied" / "state.db"
    copied.parent.mkdir()
    copied.write_bytes((home / "profiles" / "work" / "state.db").read_bytes())
    hidden = command("where", "--db", copied, "jackfruit").out
    assert f"`session-explorer --db {copied} list --all --limit 0` lists it." in hidden
    assert "sub_1" in command("--db", copied, "list", "--all").out

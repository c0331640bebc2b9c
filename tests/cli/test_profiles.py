"""Reading commands over every profile of a home: what adds up, which file is meant, and what a
profile that cannot be read does to the others."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from explorer.commands import stores
from explorer.completion.candidates import completions
from explorer.errors import ExitCode, SeveralSessions
from explorer.search.prune_rules import OPEN
from explorer.settings import notes_path
from explorer.stores import kept_census
from explorer.stores.columns import TITLE
from explorer.stores.discover import locate
from explorer.stores.hermes.store import HermesStore
from explorer.stores.open_found import open_found
from explorer.stores.ours.notes import Notes
from explorer.stores.resolve import resolve_for_edit
from tests.conftest import Command
from tests.edits.states import dump
from tests.factories import NOW, altered, say
from tests.locker import Locker
from tests.mutants.making import replace_index
from tests.profile_homes import (
    PROFILES,
    READABLE,
    SAME,
    profile_file,
    seven_profiles,
    two_profiles,
)
from tests.real_files import unpack

STORE = {"store", "path", "kind", "profile", "sessions", "messages", "bytes", "error"}


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = two_profiles(tmp_path / "hermes")
    monkeypatch.setenv("HERMES_HOME", str(root))
    return root


@pytest.fixture
def seven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = seven_profiles(tmp_path / "hermes")
    monkeypatch.setenv("HERMES_HOME", str(root))
    with Locker(profile_file(root, "locked")):
        yield root


def test_a_list_adds_up_over_all_profiles(two: Path, command: Command) -> None:
    found = command("list", "--json").json
    assert (found["total"], found["matching"]) == (4, 4)
    assert [one["title"] for one in found["sessions"]] == ["Release", "Pipes", None, "Garden"]
    for one in found["stores"]:
        assert set(one) >= STORE
        assert (one["sessions"], one["error"]) == (2, None)


def test_every_session_names_its_file_the_files_profile_and_its_owner(
    two: Path, command: Command
) -> None:
    default, work = str(two / "state.db"), str(profile_file(two, "work"))
    found = command("list", "--json").json["sessions"]
    assert {(one["id"], one["store"], one["profile"], one["owner"]) for one in found} == {
        (SAME, default, "default", "default"),
        ("chat", default, "default", "work"),
        (SAME, work, "work", "work"),
        ("only", work, "work", "work"),
    }
    shown = command("show", "chat", "--json").json["session"]
    assert (shown["store"], shown["profile"], shown["owner"]) == (default, "default", "work")


def test_one_file_tells_the_same_of_its_sessions(two: Path, command: Command) -> None:
    found = command("list", "--json", "--profile", "work").json
    (one,) = found["stores"]
    assert (one["profile"], one["sessions"], one["store"]) == (
        "work",
        2,
        found["sessions"][0]["store"],
    )
    info = command("info", "--json", "--profile", "work").json
    (one,) = info["stores"]
    assert (one["sessions"], one["messages"], info["kind"]) == (2, 4, "hermes")


def test_lines_name_the_profile_only_where_there_are_several(two: Path, command: Command) -> None:
    lines = command("list").out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["only", SAME, "chat", SAME]
    for line, profile in zip(lines, ("work", "work", "work, in default", "default"), strict=True):
        assert f"  {profile}  " in line
    assert "4 sessions · 2 profiles\n" in command("list").err
    assert "work" not in command("list", "--profile", "work").out
    hits = command("search", "train")
    assert "chat · work, in default · telegram · " in hits.out
    assert "work" not in command("search", "release", "--profile", "work").out


def test_a_copy_elsewhere_names_the_owners_that_its_sessions_name(
    two: Path, command: Command, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    with altered(two / "state.db") as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    files = ("--db", copy, "--db", profile_file(two, "work"))
    (chat,) = (line for line in command("list", *files).out.splitlines() if "chat" in line)
    assert "  work, in copy  " in chat
    assert "chat · work, in copy · telegram · " in command("search", *files, "train").out


def test_every_hit_names_its_file(two: Path, command: Command) -> None:
    hits = command("search", "--json", "water OR train OR garden").json["hits"]
    assert {(hit["title"], hit["message_id"], hit["profile"], hit["owner"]) for hit in hits} == {
        ("Garden", None, "default", "default"),
        ("Garden", 1, "default", "default"),
        (None, 3, "default", "work"),
        ("Pipes", 1, "work", "work"),
    }
    assert {hit["store"] for hit in hits} == {str(two / "state.db"), str(profile_file(two, "work"))}
    lines = command("search", "--json-lines", "release").out.splitlines()
    assert [json.loads(line)["profile"] for line in lines] == ["work", "work"]


@pytest.mark.parametrize("query", ["zebra", "/ze.ra/"])
def test_messages_without_a_session_keep_their_file(
    query: str, two: Path, command: Command
) -> None:
    """Also where two files have them under the same ids."""
    for profile in ("default", "work"):
        with altered(profile_file(two, profile)) as db:
            say(db, "gone", id=99, content=f"a zebra in {profile}")
    with altered(profile_file(two, "work")) as db:
        say(db, "gone", id=100, content="no stripes")
    hits = command("search", "--json", query).json["hits"]
    assert {(hit["snippet"], hit["profile"], hit["owner"]) for hit in hits} == {
        ("a zebra in default", "default", None),
        ("a zebra in work", "work", None),
    }
    for asked, profile in (
        (f"{query} profile:work", "work"),
        (f"{query} -profile:work", "default"),
    ):
        (hit,) = command("search", "--json", asked).json["hits"]
        assert hit["profile"] == profile
    several = command("show", "gone")
    assert several.code == ExitCode.NO_SUCH_SESSION
    assert "  default/gone\n  work/gone\n" in several.err
    said = command("show", "work/gone")
    assert said.code == ExitCode.DONE
    assert "a zebra in work" in said.out
    assert "default" not in said.out


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("only", "Release"),
        ("Garden", "Garden"),
        (f"work/{SAME}", "Pipes"),
        (f"default/{SAME}", "Garden"),
        ("work/2025", "Pipes"),
        ("default/Garden", "Garden"),
    ],
)
def test_a_session_can_be_named_with_its_profile(
    name: str, title: str, two: Path, command: Command
) -> None:
    assert command("show", name, "--json").json["session"]["title"] == title


def test_a_whole_title_beats_the_name_of_a_profile(two: Path, command: Command) -> None:
    with altered(profile_file(two, "default")) as db:
        db.execute("UPDATE sessions SET title = 'work/only' WHERE id = ?", (SAME,))
    assert command("show", "work/only", "--json").json["session"]["profile"] == "default"
    assert command("show", "work/onl", "--json").json["session"]["id"] == "only"


@pytest.mark.parametrize("typed", [SAME, "2025"])
def test_an_id_of_several_profiles_is_asked_for_with_one(
    typed: str, two: Path, command: Command
) -> None:
    said = command("show", typed)
    assert said.code == ExitCode.NO_SUCH_SESSION
    assert said.err.endswith(f"Use one of these:\n  default/{SAME}  Garden\n  work/{SAME}  Pipes\n")


def test_a_session_that_a_profile_does_not_have_is_unknown(two: Path, command: Command) -> None:
    said = command("show", "work/Garden")
    assert said.code == ExitCode.NO_SUCH_SESSION
    assert "No session with the id or title 'work/Garden'" in said.err
    assert "Closest: “Garden”" in said.err


@pytest.mark.parametrize("name", ["chat", "Trains"])
def test_a_session_is_named_by_its_owner_too(name: str, two: Path, command: Command) -> None:
    with altered(profile_file(two, "default")) as db:
        db.execute("UPDATE sessions SET title = 'Trains' WHERE id = 'chat'")
    shown = command("show", f"work/{name}", "--json").json["session"]
    assert (shown["id"], shown["profile"], shown["owner"]) == ("chat", "default", "work")
    assert command("archive", f"work/{name}", "--yes").code == 0
    with altered(profile_file(two, "default")) as db:
        db.execute("UPDATE sessions SET session_key = 'agent:zoo:telegram:dm:7' WHERE id = 'chat'")
    assert command("show", f"zoo/{name}", "--json").json["session"]["id"] == "chat"
    assert command("unarchive", f"zoo/{name}", "--yes").code == 0


@pytest.fixture
def homes(tmp_path: Path) -> list[str | Path]:
    """The options for two homes with profiles of the same names, one session in one of them."""
    roots = [two_profiles(tmp_path / name) for name in ("laptop", "backup")]
    with altered(profile_file(roots[1], "work")) as db:
        db.execute("UPDATE sessions SET id = 'copied', title = 'Copy' WHERE id = 'only'")
    return ["--db", roots[0], "--db", roots[1]]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("work/only", "laptop"),
        ("work/Copy", "backup"),
        ("work/copi", "backup"),
        (f"laptop/work/{SAME}", "laptop"),
    ],
)
def test_a_plain_profile_is_looked_for_in_every_home(
    name: str, place: str, homes: list[str | Path], command: Command
) -> None:
    shown = command(*homes, "show", name, "--json").json["session"]
    assert f"/{place}/profiles/work/" in shown["store"]
    assert command(*homes, "archive", name, "--yes").code == 0


def test_it_is_asked_for_with_its_home_only_where_several_have_it(
    homes: list[str | Path], command: Command
) -> None:
    several = f"  laptop/work/{SAME}  Pipes\n  backup/work/{SAME}  Pipes\n"
    for line in (("show", f"work/{SAME}"), ("archive", "--yes", "work/Pipes")):
        said = command(*homes, *line)
        assert said.code == ExitCode.NO_SUCH_SESSION
        assert said.err.endswith(several)
    chat = command(*homes, "show", "work/chat").err
    assert chat.endswith("  laptop/chat\n  backup/chat\n"), "the same by the owner"


def test_plain_names_of_profiles_are_known_in_several_homes(
    homes: list[str | Path], command: Command
) -> None:
    said = command(*homes, "search", "profile:work water").err
    assert "No profile" not in said
    assert "Closest: work" in command(*homes, "search", "profile:wrok").err
    assert "No profile 'wrok'. Closest: work" in command(*homes, "show", "wrok/x").err


def test_a_profile_whose_chats_are_all_in_another_file_names_them_too(
    two: Path, command: Command
) -> None:
    """A gateway of several profiles may never make the files of the others."""
    profile_file(two, "zoo")
    with altered(two / "state.db") as db:
        db.execute(
            "UPDATE sessions SET session_key = 'agent:zoo:telegram:dm:7', title = 'Trains'"
            " WHERE id = 'chat'"
        )
    for name in ("zoo/chat", "zoo/cha", "zoo/Trains"):
        assert command("show", name, "--json").json["session"]["id"] == "chat"
        assert command("resume", "--print", name).out.endswith("-p default --resume=chat\n")
        assert command("rename", name, "To Kyoto", "--dry-run").code == 0
    said = command("show", "zoo/Garden")
    assert said.code == ExitCode.NO_SUCH_SESSION
    assert "No session with the id or title 'zoo/Garden'" in said.err


def test_it_says_where_the_sessions_of_a_profile_without_a_file_are(
    two: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("zoo", "fresh"):
        profile_file(two, name)
    with altered(two / "state.db") as db:
        db.execute("UPDATE sessions SET session_key = 'agent:zoo:x:dm:7' WHERE id = 'chat'")
    elsewhere = "Sessions of zoo are in the file of default: `session-explorer"
    said = command("--profile", "zoo", "list")
    assert said.code == ExitCode.CANNOT_OPEN
    assert f"{elsewhere} search profile:zoo` lists them." in said.err
    assert command("search", "profile:zoo").out.startswith("book a train  chat · zoo, in default")
    beside = command("--profile", "zoo", "--profile", "work", "list")
    assert beside.code == ExitCode.CANNOT_OPEN
    assert elsewhere in beside.err
    assert "Sessions of fresh" not in command("--profile", "fresh", "list").err
    monkeypatch.delenv("HERMES_HOME")
    said = command("--db", two, "--profile", "zoo", "list")
    assert f"{elsewhere} --db {two} search profile:zoo` lists them." in said.err


def test_an_unknown_profile_before_a_slash_is_named_with_the_closest(
    seven: Path, command: Command
) -> None:
    near = command("show", "wrok/Pipes").err
    assert "No profile 'wrok'. Closest: work" in near
    far = command("show", "nosuch/Pipes").err
    assert "No profile 'nosuch'. Profiles: default, broken, empty, locked" in far
    known = command("show", "play/Pipes").err
    assert "It may be in" not in near + far + known


def test_a_pin_is_that_of_one_file(two: Path, command: Command) -> None:
    Notes(notes_path(), profile_file(two, "work")).pin([SAME], True)
    found = command("list", "--json").json["sessions"]
    assert [one["title"] for one in found if one["pinned"]] == ["Pipes"]
    pinned = command("search", "--json", "is:pinned").json["hits"]
    assert [hit["title"] for hit in pinned] == ["Pipes"]


@pytest.mark.parametrize("sort", ["active", "started", "messages", "cost", "title", "source"])
def test_every_order_goes_over_all_profiles(sort: str, two: Path, command: Command) -> None:
    found = command("list", "--json", "--sort", sort).json["sessions"]
    assert len(found) == 4
    if sort == "title":
        assert [one["title"] for one in found] == ["Garden", "Pipes", "Release", None]


def test_what_was_counted_is_kept_for_each_file(
    two: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "BIG", 0)
    monkeypatch.setattr(kept_census, "WORTH", 0.0)
    for profile in ("default", "work"):
        aged = time.time() - 60
        os.utime(profile_file(two, profile), (aged, aged))
    before = command("list", "--json").json
    read: list[Path] = []
    census = HermesStore.census

    def noted(store: HermesStore, *arguments: object) -> object:
        read.append(store.path)
        return census(store, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(HermesStore, "census", noted)
    assert command("list", "--json").json == before
    assert read == []
    with altered(profile_file(two, "work")) as db:
        db.execute("UPDATE sessions SET title = 'Ship' WHERE id = 'only'")
    assert command("list", "--json").json["sessions"][0]["title"] == "Ship"
    assert read == [profile_file(two, "work")]


def test_a_profile_that_cannot_be_read_is_one_line_and_stops_no_other(
    seven: Path, command: Command
) -> None:
    said = command("list", "--json", "--limit", "0")
    found = said.json
    warned = [line.partition(":")[0] for line in said.err.splitlines()]
    assert warned == ["broken", "locked"]
    shown = {one["profile"] for one in found["sessions"]}
    assert shown == {"default", "old", "play", "work"}
    errors = {one["profile"]: one["error"] for one in found["stores"]}
    assert list(errors) == list(PROFILES)
    assert [name for name, error in errors.items() if error] == ["broken", "empty", "locked"]
    assert sum(one["sessions"] or 0 for one in found["stores"]) == found["total"]
    assert found["matching"] + sum(found["hidden"].values()) == found["total"]


def test_every_reading_command_goes_on_without_them(seven: Path, command: Command) -> None:
    for arguments in (["search", "water"], ["show", "only"], ["list", "--all"], ["info"]):
        said = command(*arguments)
        assert said.code == ExitCode.DONE, arguments
        assert said.err.count("broken: Not a database.") == 1
        assert said.err.count("locked: ") == 1
        assert ("empty: No sessions yet." in said.err) == (arguments == ["info"])


@pytest.mark.parametrize(
    ("query", "complete"),
    [
        ("water", False),
        ("water profile:work", True),
        ("water profile:work,locked", False),
        ("water -profile:locked,broken", True),
        ("profile:broken", False),
        ("profile:empty", True),
    ],
)
def test_a_search_is_complete_where_all_that_it_asks_for_was_searched(
    query: str, complete: bool, seven: Path, command: Command
) -> None:
    found = command("search", "--json", query).json
    assert found["complete"] is complete
    assert [one["profile"] for one in found["stores"]] == list(PROFILES)
    errors = {one["profile"]: one["error"] for one in found["stores"] if one["error"]}
    assert errors.keys() == {"broken", "empty", "locked"}
    assert errors["broken"].startswith("Not a database. ")


def test_a_search_names_its_only_file_too(two: Path, command: Command) -> None:
    found = command("--db", two / "state.db", "search", "--json", "water").json
    assert found["complete"] is True
    (one,) = found["stores"]
    assert (one["store"], one["sessions"], one["error"]) == (str(two / "state.db"), 2, None)


def test_what_a_profile_that_was_named_cannot_do_is_an_error(seven: Path, command: Command) -> None:
    for name in ("broken", "empty"):
        for command_name in ("list", "info"):
            alone = command(command_name, "--profile", name)
            assert alone.code == ExitCode.CANNOT_OPEN
            several = command(command_name, "--profile", name, "--profile", "work")
            assert several.code == ExitCode.CANNOT_OPEN
    asked = command("list", "--db", seven / "profiles" / "broken", "--db", seven / "state.db")
    assert asked.code == ExitCode.CANNOT_OPEN
    held = command("list", "--profile", "locked", "--profile", "work")
    assert held.code == ExitCode.BUSY


def test_where_none_can_be_read_each_says_why(tmp_path: Path, command: Command) -> None:
    root = tmp_path / "hermes"
    for profile in ("default", "work"):
        profile_file(root, profile).write_bytes(b"nothing of the kind" * 100)
    profile_file(root, "empty")
    said = command("list", "--db", root)
    assert said.code == ExitCode.CANNOT_OPEN
    assert said.err.startswith("session-explorer: No profile can be read. Reasons:\n")
    for profile in ("default", "empty", "work"):
        assert f"\n  {profile}: " in said.err


def test_info_tells_of_each_profile(seven: Path, command: Command) -> None:
    found = command("info", "--json").json
    of_one = ("path", "kind", "schema_version", "journal_mode", "search", "edits", "clean_up")
    assert {name: found[name] for name in of_one} == dict.fromkeys(of_one)
    every = {one["profile"]: one for one in found["stores"]}
    assert list(every) == list(PROFILES)
    assert all(set(one) >= STORE for one in every.values())
    for name in ("sessions", "messages"):
        assert found[name] == sum(one[name] or 0 for one in every.values())
    assert (every["old"]["schema_version"], every["work"]["schema_version"]) == (2, 22)
    said = command("info").out
    assert said.startswith("profiles   7, 2 cannot be read\n")
    for profile in PROFILES:
        assert f"\n\n{profile}\n  file       " in said
    assert "  error      No sessions yet. " in said


def test_a_profile_that_no_session_has_is_named_with_the_closest(
    two: Path, command: Command
) -> None:
    assert "No profile 'wrok'. Closest: work.\n" in command("search", "profile:wrok").err
    assert "No profile" not in command("search", "profile:work").err


def test_a_prune_takes_the_profile_of_a_session(two: Path, command: Command) -> None:
    rules = ("--include-open", "--dry-run", "--json", "--db", two / "state.db")
    for query, ids in (("profile:work", ["chat"]), ("-profile:work", [SAME]), ("profile:x", [])):
        plan = command("prune", *rules, "--", query).json
        assert [one["id"] for one in plan["sessions"]] == ids


EVERY = [
    *(["list"], ["list", "--json"], ["search", "water"], ["search", "--json", "water"]),
    *(["show", "only"], ["show", SAME], ["show", "nobody"], ["info"], ["info", "--json"]),
    *(["search", "--json-lines", "/wa.er/"], ["show", "broken/x"], ["show", "locked/held"]),
    *(["list", "--sort", "expiring"], ["config"], ["completion", "bash"]),
    *(["where", "water"], ["where", "--json", "held"], ["list", "--sort", "profile", "--all"]),
]
CHANGES = [
    *(["rename", "only", "Other"], ["archive", "only"], ["unarchive", "only"], ["pin", "only"]),
    *(["unpin", "only"], ["end", "only"], ["reopen", "only"], ["clear", "only"]),
    *(["delete", "only"], ["delete", SAME], ["delete", f"work/{SAME}"], ["undo"]),
    *(["prune", "profile:work"], ["prune", "--older-than", "1d"], ["trash", "list"]),
    *(["prune", "--older-than", "1d", "--all-profiles"], ["undo", "--all-profiles"]),
    *(["resume", "only", "--print"], ["resume", "--last", "--print"]),
]
CODES = (*range(7), ExitCode.INTERRUPTED)


@pytest.mark.parametrize("arguments", EVERY, ids=" ".join)
def test_every_command_ends_well_on_such_a_home(
    arguments: list[str], seven: Path, command: Command
) -> None:
    said = command(*arguments)
    assert said.code in CODES
    assert "Traceback" not in said.out + said.err


@pytest.mark.parametrize("arguments", CHANGES, ids=" ".join)
def test_every_change_ends_well_on_such_a_home(
    arguments: list[str], seven: Path, command: Command
) -> None:
    dry = [] if arguments[0] in ("trash", "resume") else ["--dry-run"]
    said = command(*arguments, *dry)
    assert said.code in CODES
    assert "Traceback" not in said.out + said.err


DONE = {
    "rename": ["work/only", "Other"],
    "archive": ["work/only", f"play/{SAME}"],
    "pin": ["work/only", f"play/{SAME}"],
    "end": ["work/only", f"default/{SAME}"],
    "clear": ["work/only", f"play/{SAME}"],
    "delete": [f"default/{SAME}", f"work/{SAME}", f"play/{SAME}"],
    "prune": ["water", "--older-than", "1d", "--all-profiles", "--include-open"],
}


@pytest.mark.parametrize("name", DONE)
def test_every_change_of_such_a_home_is_undone_to_the_last_cell(
    name: str, seven: Path, command: Command
) -> None:
    def state() -> dict[str, object]:
        dumped: dict[str, object] = {
            one: dump(profile_file(seven, one)) for one in READABLE if one != "locked"
        }
        bytes_ = {one: profile_file(seven, one).read_bytes() for one in ("broken", "locked")}
        return dumped | bytes_ | {"empty": os.listdir(seven / "profiles" / "empty")}

    before = state()
    done = command(name, *DONE[name], "--yes")
    # A prune of all profiles leaves one out that is locked.
    assert done.code == (ExitCode.FAILED if name == "prune" else 0), done.err
    now = state()
    unchanged = {"broken", "locked", "empty"}
    assert {one for one in before if before[one] != now[one]}.isdisjoint(unchanged)
    assert now != before or name == "pin"
    assert command("undo", "--all-profiles", "--yes").code == 0
    assert state() == before


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (f"work/{SAME}", "Pipes"),
        ("default/2025", "Garden"),
        ("work/Pipes", "Pipes"),
        ("Release", "Release"),
        ("only", "Release"),
    ],
)
def test_a_change_takes_the_same_names(name: str, title: str, two: Path) -> None:
    store = open_found(locate([str(two)], [], {}, two))
    found = resolve_for_edit(store, name)
    assert store.columns({TITLE}, [found.key])[TITLE][found.key] == title


@pytest.mark.parametrize("name", [SAME, "2025", "Garden"])
def test_a_change_of_one_of_several_is_asked_for_with_its_profile(name: str, two: Path) -> None:
    with altered(profile_file(two, "work")) as db:
        db.execute("UPDATE sessions SET title = 'Garden' WHERE id = 'only'")
    store = open_found(locate([str(two)], [], {}, two))
    with pytest.raises(SeveralSessions, match=f"default/{SAME}"):
        resolve_for_edit(store, name)
    named = "work/Garden" if name == "Garden" else f"work/{name}"
    assert store.place(resolve_for_edit(store, named).key) == "work"


def test_only_the_damaged_profile_is_called_damaged(two: Path, command: Command) -> None:
    with altered(profile_file(two, "work")) as db:
        replace_index(db, "sqlite_autoindex_sessions_1", [1, 2])
    said = command("list", "--db", two)
    assert "work: The file is damaged." in said.err
    assert "hermes -p work sessions repair --check-only" in said.err
    assert said.err.count("damaged") == 1
    stores = command("list", "--json", "--db", two).json["stores"]
    assert {one["name"]: one["sound"] for one in stores} == {"default": True, "work": False}
    stores = command("info", "--json", "--db", two).json["stores"]
    assert {one["name"]: one["sound"] for one in stores} == {"default": True, "work": False}
    assert command("info", "--db", two).out.count("hermes -p work sessions repair") == 1


def test_an_empty_state_file_is_a_profile_without_sessions_yet(two: Path, command: Command) -> None:
    profile_file(two, "blank").touch()
    listed = command("list", "--db", two)
    assert (listed.code, "blank" in listed.err) == (0, False)
    assert "No sessions yet. The state file is empty" in command("info", "--db", two).out
    assert "blank" not in command("where", "water").err
    assert "Profile blank: no sessions yet" in command("where", "--profile", "blank", "water").err
    named = command("list", "--profile", "blank", "--db", two)
    assert named.code == ExitCode.CANNOT_OPEN
    assert "Empty file" in named.err


@pytest.mark.parametrize("name", ["broken", "empty"])
def test_a_named_profile_that_cannot_be_read_does_not_stop_a_good_one(
    seven: Path, command: Command, name: str
) -> None:
    both = ["--profile", "work", "--profile", name]
    for arguments in (["list"], ["search", "water"], ["show", "only"], ["chats"], ["info"]):
        said = command(*arguments, *both)
        alone = command(*arguments, "--profile", "work")
        assert said.code == ExitCode.CANNOT_OPEN, arguments
        assert said.err.count(f"{name}: ") == 1, arguments
        assert alone.code == ExitCode.DONE
        assert bool(said.out) == bool(alone.out), arguments
    files = [("--db", seven / "state.db"), ("--db", seven / "nope.db")]
    gone = command("list", *(one for pair in files for one in pair))
    assert (gone.code, SAME in gone.out) == (ExitCode.CANNOT_OPEN, True)


def test_a_locked_profile_that_is_named_does_not_stop_a_good_one(
    seven: Path, command: Command
) -> None:
    said = command("list", "--profile", "work", "--profile", "locked")
    assert (said.code, "only" in said.out) == (ExitCode.BUSY, True)
    assert said.err.startswith("locked: The file is busy.")


def test_what_to_do_about_a_profile_is_not_to_open_another_file(
    seven: Path, command: Command
) -> None:
    said = command("list")
    assert "broken: Not a database. The file has no SQLite header. Restore it" in said.err
    empty = command("list", "--profile", "empty")
    assert "`hermes -p empty` makes the file." in empty.err
    assert "HERMES_HOME" not in empty.err


@pytest.mark.parametrize(
    "arguments",
    [
        *(["list"], ["info"], ["show", "broken/x"], ["delete", "broken/x", "--yes"]),
        *(["--profile", "broken", "list"], ["where", "zucchini"], ["where", "--json", "zucchini"]),
    ],
    ids=" ".join,
)
def test_a_broken_file_has_one_remedy_wherever_it_is_read(
    seven: Path, command: Command, arguments: list[str]
) -> None:
    folder = seven / "profiles" / "broken" / "state-snapshots"
    for day in (1, 2):
        (folder / f"2026020{day}-030405").mkdir(parents=True)
        (folder / f"2026020{day}-030405" / "state.db").touch()
    done = command(*arguments)
    said = done.out + done.err
    remedy = (
        ". Restore it from a backup, or move it away."
        f" {folder} has 2 snapshots (the newest from 2 Feb 2026)."
    )
    assert remedy in said
    assert "with --db PATH" not in said


def test_an_unknown_session_may_be_in_a_profile_that_cannot_be_read(
    seven: Path, command: Command
) -> None:
    said = command("show", "held")
    assert said.code == ExitCode.NO_SUCH_SESSION
    assert "It may be in broken or locked, which cannot be read now." in said.err
    named = command("show", "locked/held")
    assert named.code == ExitCode.BUSY
    assert "No such session" not in named.err


def test_a_prune_asks_each_file_whether_its_sessions_end(
    two: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "bot"
    here.mkdir()
    file = unpack("power-loop-8.0.0", here).rename(here / "power_loop_sessions.db")
    monkeypatch.chdir(here)
    with altered(file) as db:
        db.execute("UPDATE pl_sessions SET created_at = 1000000000000, updated_at = created_at")
        db.execute("UPDATE pl_messages SET created_at = 1000000000000 + seq")
    with altered(two / "state.db") as db:
        db.execute("UPDATE sessions SET ended_at = NULL, end_reason = NULL")
    rules = ("prune", "--older-than", "1d", "--dry-run", "--json")
    alone = command(*rules, "--profile", "bot").json
    assert alone["sessions"]
    assert OPEN not in alone["skipped"]
    every = command(*rules, "--profile", "bot", "--profile", "default").json
    doomed = {(one["store"], one["id"]) for one in every["sessions"]}
    assert {(one["store"], one["id"]) for one in alone["sessions"]} <= doomed
    assert every["skipped"] == alone["skipped"] | {OPEN: 2}, "those of the file where they end"


def test_the_file_of_the_current_folder_is_named_as_lists_name_it(
    two: Path, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "bot"
    here.mkdir()
    unpack("power-loop-8.0.0", here).rename(here / "power_loop_sessions.db")
    monkeypatch.chdir(here)
    every = command("list", "--json", "--all").json
    assert [one["name"] for one in every["stores"]] == ["default", "work", "bot"]
    (alone,) = command("list", "--json", "--all", "--profile", "bot").json["stores"]
    assert alone["path"] == str(here / "power_loop_sessions.db")
    both = command("list", "--json", "--profile", "bot", "--profile", "work").json["stores"]
    assert [one["name"] for one in both] == ["work", "bot"]
    offered = [one.value for one in completions(["list", "--profile"], "", NOW).found]
    assert offered == ["default", "work", "bot"]
    monkeypatch.setenv("SESSION_EXPLORER_DB", str(two))
    offered = [one.value for one in completions(["list", "--profile"], "", NOW).found]
    assert offered == ["default", "work"], "it is not listed beside files that are asked for"
    monkeypatch.delenv("SESSION_EXPLORER_DB")
    wrong = command("list", "--profile", "bob")
    assert wrong.code == ExitCode.USAGE

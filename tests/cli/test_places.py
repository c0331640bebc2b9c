"""Which file a command works on: the one asked for, then Hermes' own; never the demo."""

from pathlib import Path

import pytest

from explorer.errors import ExitCode, StoreError, UsageError
from explorer.stores.discover import locate
from tests.conftest import Command
from tests.factories import one_session
from tests.profile_homes import profile_file


def _home(folder: Path) -> Path:
    """A home of Hermes with a default and two profiles, each file with its own title."""
    for place in (folder, folder / "profiles" / "work", folder / "profiles" / "play"):
        place.mkdir(parents=True, exist_ok=True)
        one_session(place / "state.db", title=f"of {place.name}")
    return folder


@pytest.fixture
def hermes(tmp_path: Path) -> Path:
    return _home(tmp_path / "hermes")


def _title(command: Command, *arguments: str | Path) -> str:
    (title,) = _titles(command, *arguments)
    return title


def _titles(command: Command, *arguments: str | Path) -> set[str]:
    found = command("list", "--json", *arguments).json["sessions"]
    return {str(session["title"]) for session in found}


EVERY = {"of hermes", "of work", "of play"}


def test_a_folder_means_the_file_in_it(hermes: Path, command: Command) -> None:
    assert _title(command, "--db", hermes / "profiles" / "work") == "of work"


def test_a_root_means_all_its_profiles(hermes: Path, command: Command) -> None:
    assert _titles(command, "--db", hermes) == EVERY


def test_several_paths_mean_just_those(hermes: Path, command: Command) -> None:
    work, play = hermes / "profiles" / "work", hermes / "profiles" / "play" / "state.db"
    assert _titles(command, "--db", work, "--db", play) == {"of work", "of play"}
    assert _titles(command, "--db", work, "--db", work / "state.db") == {"of work"}


def test_a_folder_may_hold_a_file_of_power_loop(tmp_path: Path) -> None:
    (tmp_path / "power_loop_sessions.db").touch()
    (found,) = locate([str(tmp_path)], [], {}, tmp_path)
    assert found[:2] == (tmp_path / "power_loop_sessions.db", True)


def test_the_variable_names_the_default(
    hermes: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SESSION_EXPLORER_DB", str(hermes / "profiles" / "work"))
    assert _title(command) == "of work"
    assert _title(command, "--db", hermes / "state.db") == "of hermes"


def test_the_home_of_hermes_comes_next(
    hermes: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERMES_HOME", str(hermes))
    assert _titles(command) == EVERY
    monkeypatch.setenv("SESSION_EXPLORER_DB", str(hermes / "profiles" / "play"))
    assert _title(command) == "of play"


def test_then_the_place_that_hermes_chooses_itself(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    _home(tmp_path / ".hermes")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _titles(command) == {"of .hermes", "of work", "of play"}


def test_then_a_file_of_power_loop_in_the_working_folder(tmp_path: Path) -> None:
    (tmp_path / "power_loop_sessions.db").touch()
    (found,) = locate([], [], {"HOME": str(tmp_path)}, tmp_path)
    assert found[:2] == (tmp_path / "power_loop_sessions.db", False)


def test_a_profile_is_chosen_by_name(
    hermes: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _title(command, "--db", hermes, "--profile", "work") == "of work"
    monkeypatch.setenv("HERMES_HOME", str(hermes))
    assert _title(command, "--profile", "play") == "of play"
    assert _title(command, "--profile", "default") == "of hermes"
    both = "--profile", "work", "--profile", "default"
    assert _titles(command, *both) == {"of work", "of hermes"}


def _usual(environment: dict[str, str]) -> list[str]:
    return [one.name for one in locate([], [], environment, None) if one.usual]


def test_the_profile_that_hermes_is_set_to_is_the_usual_one(hermes: Path) -> None:
    assert _usual({"HERMES_HOME": str(hermes)}) == ["default"]
    (hermes / "active_profile").write_text("work\n")
    assert _usual({"HERMES_HOME": str(hermes)}) == ["work"]


@pytest.mark.parametrize("content", [b"gone\n", b"../../etc\n", b"\xff\xfe", b""])
def test_an_invalid_active_profile_is_ignored(hermes: Path, content: bytes) -> None:
    (hermes / "active_profile").write_bytes(content)
    assert _usual({"HERMES_HOME": str(hermes)}) == ["default"]


def test_a_home_that_is_a_profile_makes_it_the_usual_one(
    hermes: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hermes / "active_profile").write_text("play")
    work = str(hermes / "profiles" / "work")
    assert _usual({"HERMES_HOME": work}) == ["work"]
    monkeypatch.setenv("HERMES_HOME", work)
    assert _titles(command) == EVERY
    assert _title(command, "--profile", "play") == "of play"


def test_a_link_to_a_profile_does_not_take_its_name(hermes: Path) -> None:
    for link in ("aaa", "zzz"):
        (hermes / "profiles" / link).symlink_to("work")
    names = [one.name for one in locate([], [], {"HERMES_HOME": str(hermes)}, None)]
    assert names == ["default", "play", "work"]
    chosen = locate([], ["aaa"], {"HERMES_HOME": str(hermes)}, None)
    assert [one.name for one in chosen] == ["aaa"], "it was asked for"


def test_a_session_is_found_by_the_name_of_a_link_to_its_profile(
    hermes: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hermes / "profiles" / "aaa").symlink_to("work")
    monkeypatch.setenv("HERMES_HOME", str(hermes))
    found = command("search", "profile:aaa", "--json").json
    assert {(one["title"], one["profile"]) for one in found["hits"]} == {("of work", "work")}
    assert command("show", "aaa/of work", "--json").json["session"]["title"] == "of work"
    assert "-p work " in command("resume", "aaa/of work", "--print").out


def test_a_link_to_the_usual_profile_leaves_it_the_usual_one(hermes: Path) -> None:
    (hermes / "profiles" / "aaa").symlink_to("work")
    for used in ("work", "aaa"):
        (hermes / "active_profile").write_text(used)
        assert _usual({"HERMES_HOME": str(hermes)}) == ["work"]
        (hermes / "active_profile").unlink()
        assert _usual({"HERMES_HOME": str(hermes / "profiles" / used)}) == ["work"]


def test_a_home_that_is_not_there_is_an_error_beside_profiles_too(
    hermes: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = hermes / "profiles" / "wrok"
    monkeypatch.setenv("HERMES_HOME", str(home))
    said = command("list")
    assert said.code == ExitCode.CANNOT_OPEN
    assert "$HERMES_HOME is set to" in said.err
    home.mkdir()
    (home / "config.yaml").touch()
    assert _titles(command) == EVERY, "a new profile"


def test_a_home_with_a_name_that_no_profile_has_is_the_usual_one(
    hermes: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hermes uses the folder that it is told, whatever its name is."""
    home = hermes / "profiles" / "Not A Name"
    home.mkdir()
    monkeypatch.setenv("HERMES_HOME", str(home))
    assert command("list").code == ExitCode.CANNOT_OPEN
    one_session(home / "state.db", title="of its own")
    assert _titles(command) == EVERY | {"of its own"}
    assert _usual({"HERMES_HOME": str(home)}) == ["Not A Name"]


def test_files_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "old", tmp_path / "b" / "old", tmp_path / "c" / "copy.db"]
    for path in paths[:2]:
        path.mkdir(parents=True)
        one_session(path / "state.db")
    found = locate([str(path) for path in paths], [], {}, tmp_path)
    assert [one.name for one in found] == ["a/old", "b/old", "copy"]


def test_profiles_of_two_homes_are_told_apart(tmp_path: Path) -> None:
    """By the folder in which the homes differ: inside, they have the same folders."""
    homes = [_home(tmp_path / machine / "hermes") for machine in ("old", "new")]
    one_session(profile_file(homes[1], "zoo"))
    found = locate([str(home) for home in homes], [], {}, tmp_path)
    assert [one.name for one in found] == [
        *("old/default", "old/play", "old/work"),
        *("new/default", "new/play", "new/work", "zoo"),
    ]
    moved = homes[0].rename(tmp_path / "backup")
    found = locate([str(homes[1]), str(moved)], [], {}, tmp_path)
    assert [one.name for one in found if "work" in one.name] == ["hermes/work", "backup/work"]


def test_a_profile_of_two_homes_is_chosen_by_the_name_that_lists_give_it(
    tmp_path: Path, command: Command
) -> None:
    for home in ("laptop", "backup"):
        for folder in (tmp_path / home, tmp_path / home / "profiles" / "work"):
            folder.mkdir(parents=True)
            one_session(folder / "state.db", title=f"{folder.name} of {home}")
    both = "--db", tmp_path / "laptop", "--db", tmp_path / "backup"
    assert _titles(command, *both, "--profile", "backup/work") == {"work of backup"}
    assert _titles(command, *both, "--profile", "work") == {"work of laptop", "work of backup"}


def test_the_only_profile_of_a_name_keeps_it(tmp_path: Path) -> None:
    home, other = _home(tmp_path / "hermes"), tmp_path / "work" / "state.db"
    other.parent.mkdir()
    one_session(other)
    found = locate([str(home), str(other)], [], {}, tmp_path)
    names = [one.name for one in found]
    assert names[:3] == ["default", "play", "work"]
    assert names[3].endswith("/work")


def test_a_profile_without_a_file_is_found_beside_others(hermes: Path) -> None:
    (hermes / "profiles" / "new").mkdir()
    found = locate([], [], {"HERMES_HOME": str(hermes)}, None)
    assert [one.name for one in found] == ["default", "new", "play", "work"]


@pytest.mark.parametrize("name", ["gone", "UPPER", "../x", "", "a/b"])
def test_a_missing_profile_is_wrong_usage(hermes: Path, name: str) -> None:
    with pytest.raises(UsageError, match="No such profile"):
        locate([str(hermes)], [name], {}, hermes)


def test_an_unknown_profile_names_the_closest_ones(hermes: Path) -> None:
    with pytest.raises(UsageError, match=r"'wrk' in .*\. Closest: work, play, default\.$"):
        locate([str(hermes)], ["wrk"], {}, hermes)


def test_a_profile_of_a_file_is_wrong_usage(hermes: Path) -> None:
    with pytest.raises(UsageError, match="Omit --profile"):
        locate([str(hermes / "state.db")], ["work"], {}, hermes)


@pytest.mark.parametrize("name", ["SESSION_EXPLORER_DB", "HERMES_HOME"])
def test_a_missing_file_that_was_asked_for_is_an_error(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    _home(tmp_path / ".hermes")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(name, str(tmp_path / "gone"))
    said = command("list", "--json")
    assert (said.code, said.out) == (ExitCode.CANNOT_OPEN, "")
    assert f"${name} is set to {tmp_path}/gone: correct it, or unset it." in said.err
    (tmp_path / "gone").mkdir()
    said = command("list", "--json")
    assert said.code == ExitCode.CANNOT_OPEN
    assert f"${name} is set to {tmp_path}/gone: correct it, or unset it." in said.err
    assert f"${name}" not in command("list", "--db", tmp_path / "other.db").err


@pytest.mark.parametrize("arguments", [["list"], ["show", "x"], ["search", "x"], ["info"]])
def test_no_command_falls_back_to_the_demo(command: Command, arguments: list[str]) -> None:
    said = command(*arguments, "--json")
    assert (said.code, said.out) == (ExitCode.CANNOT_OPEN, "")
    assert "No state file found" in said.err
    assert "--db" in said.err


def test_without_a_request_and_without_a_file_nothing_is_found(tmp_path: Path) -> None:
    assert not locate([], [], {"HOME": str(tmp_path)}, tmp_path)


def test_an_empty_path_is_wrong_usage_and_an_empty_variable_is_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--db needs"):
        locate([""], [], {}, tmp_path)
    quiet = {"HOME": str(tmp_path), "SESSION_EXPLORER_DB": "", "HERMES_HOME": " "}
    assert not locate([], [], quiet, tmp_path)


def test_a_home_is_expanded_and_an_unknown_home_does_not_crash(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_session(tmp_path / "mine.db", title="mine")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert _title(command, "--db", "~/mine.db") == "mine"
    assert command("list", "--db", "~nobody-of-that-name/x.db").code == ExitCode.CANNOT_OPEN


def test_a_folder_without_a_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"has no state\.db and no"):
        locate([str(tmp_path)], [], {}, tmp_path)

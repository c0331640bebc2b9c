"""Places that the user named, with an option or a variable: each is searched, or said not to be."""

from pathlib import Path

import pytest

from explorer.errors import ExitCode
from tests.conftest import Command
from tests.factories import one_session
from tests.whereabouts.homes import lost_home


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of Hermes, in the usual place."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    return lost_home(tmp_path / ".hermes")


NAMED = {
    "an option": (("--db", "nope"), {}),
    "an option for a folder": (("--db", "empty"), {}),
    "$HERMES_HOME": ((), {"HERMES_HOME": "nope"}),
    "$HERMES_HOME for a folder": ((), {"HERMES_HOME": "empty"}),
    "$HERMES_HOME for a profile": ((), {"HERMES_HOME": ".hermes/profiles/nope"}),
    "$SESSION_EXPLORER_DB": ((), {"SESSION_EXPLORER_DB": "nope"}),
    "$SESSION_EXPLORER_DB for a folder": ((), {"SESSION_EXPLORER_DB": "empty"}),
}


@pytest.mark.parametrize("way", NAMED)
def test_a_place_that_is_not_there_is_named_among_those_not_searched(
    home: Path, command: Command, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    options, variables = NAMED[way]
    for name, value in variables.items():
        monkeypatch.setenv(name, str(home.parent / value))
    for word, code in (("apricot", ExitCode.DONE), ("zucchini", ExitCode.CANNOT_OPEN)):
        done = command("where", *options, word)
        assert done.code == code
        told = done.err.split("Not searched:\n")[1].splitlines()[0]
        assert told.startswith(("  State file nope: No such", "  State file empty: No state file"))
        assert ([*variables] or ["--db"])[0] in told
        assert "Searched 7 places, 1 not searched." in done.err
    result = command("where", *options, "--json", "apricot").json
    failed = [one for one in result["places"] if one["error"]]
    assert [one["path"] for one in failed] == [one["path"] for one in result["not_searched"]]
    assert len(failed) == 1


def test_one_wrong_option_keeps_no_other_from_being_searched(
    home: Path, command: Command, tmp_path: Path
) -> None:
    other = one_session(tmp_path / "other.db", "a walnut")
    done = command("where", "--db", tmp_path / "empty", "--db", other, "walnut")
    assert done.code == ExitCode.DONE
    assert "Listed." in done.out
    assert "  State file empty: No state file here." in done.err.split("Not searched:\n")[1]


def test_a_session_that_is_in_no_readable_place_may_be_in_the_broken_one_that_was_named(
    home: Path, command: Command, tmp_path: Path
) -> None:
    """Only what was named says so with its exit code, as with a list."""
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"x" * 5000)
    assert command("where", "--db", broken, "zucchini").code == ExitCode.CANNOT_OPEN
    assert command("where", "--db", broken, "apricot").code == ExitCode.DONE
    (home / "profiles" / "play" / "state.db").write_bytes(b"x" * 5000)
    assert command("where", "--profile", "play", "zucchini").code == ExitCode.CANNOT_OPEN
    assert command("where", "zucchini").code == ExitCode.NO_SUCH_SESSION


def test_the_home_of_one_variable_is_searched_beside_the_file_of_the_other(
    home: Path, command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    second = lost_home(tmp_path / "second")
    other = one_session(tmp_path / "other.sqlite", "a walnut")
    monkeypatch.setenv("SESSION_EXPLORER_DB", str(other))
    monkeypatch.setenv("HERMES_HOME", str(second))
    found = command("where", "--json", "kiwi").json["sightings"]
    assert {one["path"] for one in found} == {
        str(root / "profiles" / "play" / "state.db") for root in (home, second)
    }
    for one in found:
        _, *arguments = one["command"].split()
        assert "kiwi" in command(*arguments).out

"""Two homes with profiles of the same names, as with the backup of another machine: what is shown
tells them apart, and every command that is shown works as it is."""

import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.tui.driving import opened
from tests.whereabouts.homes import lost_home


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Hermes' home, with a session deleted since the backup was made; the backup."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "here" / "hermes"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    home, backup = tmp_path / "here" / "hermes", tmp_path / "backup" / "hermes"
    lost_home(home)
    shutil.copytree(home, backup)
    return home, backup


WORDS = (
    *("apricot", "blueberry", "dragonfruit", "elderberry", "grape", "jackfruit", "kiwi", "fig"),
    *("huckleberry", "lemon", "mango"),
)


def _opened_by(home: Path, backup: Path) -> dict[str, Sequence[str]]:
    return {
        "neither": (),
        "the backup": ("--db", str(backup)),
        "both": ("--db", str(home), "--db", str(backup)),
        "a profile": ("--profile", "play"),
        "a file of the backup": ("--db", str(backup / "profiles" / "work" / "state.db")),
    }


@pytest.mark.parametrize(
    "way", ["neither", "the backup", "both", "a profile", "a file of the backup"]
)
def test_every_command_that_is_shown_works(
    homes: tuple[Path, Path], command: Command, way: str
) -> None:
    assert command("delete", "--yes", "play_1").code == 0
    options = _opened_by(*homes)[way]
    seen = set[str]()
    for word in WORDS:
        for one in command("where", "--json", *options, word).json["sightings"]:
            line = one["command"]
            if line in seen or not line.startswith("session-explorer"):
                continue
            seen.add(line)
            _, *arguments = shlex.split(line)
            dry = ["--dry-run"] if "restore" in arguments else []
            done = command(*arguments, *dry)
            assert done.code == 0, (line, done.err)
            assert word in done.out or dry, line
    assert any("restore" in line for line in seen)
    assert len(seen) > 8


def test_places_of_two_homes_are_told_apart(homes: tuple[Path, Path], command: Command) -> None:
    places = command("where", "--json", "--db", homes[1], "apricot").json["places"]
    named = [one["profile"] for one in places if one["place"] == "profile"]
    assert {"here/work", "backup/work", "here/default", "backup/default"} <= set(named)
    assert len(named) == len(set(named)) == 6


async def test_in_the_app_the_copied_command_works(
    homes: tuple[Path, Path], command: Command
) -> None:
    assert command("delete", "--yes", "play_1").code == 0
    trash = homes[0].parents[1] / "data" / "session-explorer" / "trash.db"
    async with opened(homes[1], trash=trash) as driver:
        await driver.press("W")
        await driver.type("kiwi")
        await driver.press("enter")
        assert "Trash of here/play" in driver.screen()
        await driver.press("down", "y")
        line = driver.app.clipboard
    _, *arguments = shlex.split(line)
    assert "restore" in arguments
    assert command(*arguments, "--dry-run").code == 0, line

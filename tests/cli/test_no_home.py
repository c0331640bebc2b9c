"""Without a home folder nothing is kept in a wrong place, and nothing is changed."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edits.states import dump
from tests.factories import one_session
from tests.unprivileged import open_folder, run_as_nobody

UNKNOWN = 61_234
"""A user id without an account."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of that user's, with a state file in it."""
    if os.geteuid() != 0:
        pytest.skip("only root can become a user without a home")
    with open_folder() as folder:
        one_session(folder / "state.db", title="kept")
        for place in (folder, folder / "state.db"):
            os.chown(place, UNKNOWN, UNKNOWN)
        yield folder


def _run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    homes = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
    rest = {name: value for name, value in os.environ.items() if name not in homes}
    return run_as_nobody(
        *arguments, "--db", folder / "state.db", user=UNKNOWN, here=folder, environment=rest
    )


def test_edits_are_refused_and_no_folder_named_tilde_is_made(folder: Path) -> None:
    before = dump(folder / "state.db")
    for edit in (["delete", "s", "--yes", "--force"], ["archive", "s", "--yes"]):
        done = _run(folder, *edit)
        assert (done.returncode, "Set HOME" in done.stderr) == (1, True), done.stderr
    assert dump(folder / "state.db") == before
    assert not list(folder.glob("~*"))


def test_reading_works_and_settings_below_the_current_folder_are_not_read(folder: Path) -> None:
    settings = folder / "~" / ".config" / "session-explorer"
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text('resume_command = ["./evil", "{id}"]')
    listed = _run(folder, "list", "--json")
    assert '"kept"' in listed.stdout, listed.stderr
    assert "evil" not in _run(folder, "resume", "s", "--print").stdout

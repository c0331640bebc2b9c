"""Editors on copies of real files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.stores.edits.editor import Editor
from explorer.stores.hermes.create.state_file import StateFile
from tests.editors import edits_on
from tests.factories import NOW, talk


@pytest.fixture
def at_full_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for an agent between two batches, where there is none."""
    monkeypatch.setattr("explorer.stores.edits.batches.PAUSE", 0.0)
    monkeypatch.setattr("explorer.stores.edits.batches.ALONE_PAUSE", 0.0)


@pytest.fixture
def editor_of(tmp_path: Path) -> Callable[[Path], Editor]:
    """An editor with a trash of its own, at a time when nothing runs."""
    return lambda path: edits_on(path, tmp_path / "ours" / "trash.db", lambda: NOW)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two sessions, both ended, in a folder of their own."""
    path = tmp_path / "home" / "state.db"
    path.parent.mkdir()
    with StateFile.create(path) as state:
        talk(state, "s", "hello", "Hi.", title="Trip", end="cli_close")
        talk(state, "t", "hello", end="cli_close")
    return path

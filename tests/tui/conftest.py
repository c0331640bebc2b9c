"""State files for tests of the app."""

import threading
from pathlib import Path

import pytest

from explorer.demo import write_demo
from explorer.tui.dialogs.attention import is_typing
from tests.tui.driving import NOW


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, written once: reading changes nothing."""
    path = tmp_path_factory.mktemp("demo") / "state.db"
    write_demo(path, NOW)
    return path


@pytest.fixture
def trash(tmp_path: Path) -> Path:
    """The trash of the test."""
    return tmp_path / "ours" / "trash.db"


@pytest.fixture
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """No dialog opens over an edit that a test holds, however slow the machine is: keys go where
    they would in time."""
    monkeypatch.setattr("explorer.tui.edits.confirm.PATIENCE", 3600.0)


@pytest.fixture
def progress(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Only when this is set does that dialog open, where it may."""
    may = threading.Event()
    asked = "explorer.tui.edits.confirm.is_typing"
    monkeypatch.setattr(asked, lambda app: not may.is_set() or is_typing(app))
    return may


@pytest.fixture(autouse=True)
def _painted_when_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not sixty times a second, which is most of what a test costs: the pilot paints whenever a
    test waits, and nobody else looks."""
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 0.5)

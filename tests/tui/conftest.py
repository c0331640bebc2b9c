"""State files for tests of the app."""

from pathlib import Path

import pytest

from explorer.demo import write_demo
from tests.tui.driving import NOW


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, written once: reading changes nothing."""
    path = tmp_path_factory.mktemp("demo") / "state.db"
    write_demo(path, NOW)
    return path


@pytest.fixture
def trash(tmp_path: Path) -> Path:
    """Where what is deleted is kept."""
    return tmp_path / "ours" / "trash.db"

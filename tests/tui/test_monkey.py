"""Two thousand blows at keys, mouse and window: no crash, no hang, and all of it can be undone."""

from pathlib import Path

import pytest

from tests.tui.monkey import FILES, let_loose

pytestmark = pytest.mark.long

BLOWS = 667
"""On each of the files; the soak has ten times as many."""


@pytest.mark.parametrize("name", FILES)
def test_a_monkey_does_no_harm(tmp_path: Path, name: str) -> None:
    assert let_loose(name, tmp_path, seed=2026, blows=BLOWS) == []

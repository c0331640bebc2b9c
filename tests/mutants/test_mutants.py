"""Damaged files, by the hundred: nothing ends in a traceback, everything ends, reading changes
nothing, and what an edit did is undone. `make soak` tries ten thousand."""

import subprocess
import sys
from pathlib import Path

import pytest

FILES = 300
PARTS = 6


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_no_damage_does_harm(part: int) -> None:
    each = FILES // PARTS
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants.ordeal", str(part * each), str(each)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    assert f"{each} files" in done.stdout

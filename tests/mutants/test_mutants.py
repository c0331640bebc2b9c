"""Damaged files, by the hundred: nothing ends in a traceback, everything ends, reading changes
nothing, and what an edit did is undone. `make soak` tries ten thousand."""

import subprocess
import sys
from pathlib import Path

import pytest

FILES = 300
PARTS = 6
SEEN = (1002277, 1002440, 1003777, 1007454, 1007919, 1008794, 1009746)
"""Files that were found among many more: free pages that are none, search tables that are broken
inside, and an undo that had the whole file and waited for its own reader."""


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_no_damage_does_harm(part: int) -> None:
    each = FILES // PARTS
    _survive(part * each, each)


@pytest.mark.parametrize("number", SEEN)
def test_damage_that_once_did_harm(number: int) -> None:
    _survive(number, 1)


def _survive(first: int, count: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants.ordeal", str(first), str(count)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    assert f"{count} files" in done.stdout

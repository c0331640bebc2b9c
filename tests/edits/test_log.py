"""The log of a long edit is written back where nobody else has the file, and nowhere else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.stores.sqlite.leases import holders, sees_all
from tests.edits.alone import ENOUGH

ROOT = Path(__file__).resolve().parents[2]
IN_A_NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc"]

pytestmark = pytest.mark.long


def _may_unshare() -> bool:
    try:
        return subprocess.run([*IN_A_NAMESPACE, "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not _may_unshare(), reason="no namespace of processes can be made here")
def test_a_log_is_written_back_only_where_nobody_else_has_the_file(tmp_path: Path) -> None:
    done = subprocess.run(
        [*IN_A_NAMESPACE, sys.executable, "-m", "tests.edits.alone", str(tmp_path / "here")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for how in ("alone", "as usual", "without its locks"):
        assert (found[how]["same"], found[how]["faults"]) == (True, []), how
    assert found["alone"]["written back"]
    assert found["alone"]["longest"] < 15 * ENOUGH
    for how in ("as usual", "without its locks"):
        assert not found[how]["written back"], how
        assert found[how]["longest"] > 30 * ENOUGH, how
    assert found["wrong"] == []
    assert found["kills"] > 3


@pytest.mark.skipif(not sees_all(), reason="not all processes can be seen from here")
def test_whoever_cannot_see_all_that_is_open_concludes_nothing(tmp_path: Path) -> None:
    """Where what a single process has open is hidden, nobody is said to have the file."""
    file = tmp_path / "file"
    file.write_text("x")
    hidden = any(not _readable(name) for name in os.listdir("/proc") if name.isdigit())
    with file.open() as ours, subprocess.Popen(["sleep", "60"], stdin=ours) as sleeper:
        found = holders([str(file)])
        sleeper.kill()
    assert found == (None if hidden else {sleeper.pid})


def _readable(process: str) -> bool:
    folder = f"/proc/{process}/fd"
    try:
        for number in os.listdir(folder):
            try:
                os.stat(f"{folder}/{number}")
            except PermissionError:
                return False
            except OSError:
                continue
    except PermissionError:
        return False
    except OSError:
        return True
    return True

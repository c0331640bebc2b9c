"""What is to be tried where no other process can have the file: run in a namespace of its own.

`unshare --pid --fork --mount-proc python -m tests.edits.alone FOLDER` prints what it found, as
JSON.
"""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from explorer.model import Action
from explorer.stores.edits import batches
from explorer.stores.edits.plans import Progress
from explorer.stores.sqlite.failures import log_size
from tests.editors import edits_on
from tests.edits.kills import kill_alone
from tests.edits.states import dump, faults
from tests.edits.victim import alone
from tests.factories import NOW, rows
from tests.real_files import unpack

ENOUGH = 200_000

HOLD = """
import sqlite3, sys
path, how = sys.argv[1:]
db = sqlite3.connect(path)
db.execute("SELECT count(*) FROM sessions").fetchone()
if how == "without its locks":
    # Closing another handle on a file drops all locks that this process has on it.
    for end in ("", "-shm"):
        open(path + end).close()
print("ready", flush=True)
sys.stdin.readline()
"""


@contextmanager
def held(path: Path, how: str) -> Iterator[None]:
    """Somebody else has the file open."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "ready"
        yield
        process.communicate("\n")


class Trial:
    """One file, of which all is deleted and restored."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.path = unpack("hermes-v22", folder)
        with closing(sqlite3.connect(self.path)) as db:
            db.execute("PRAGMA journal_mode = WAL").fetchall()
        self._editor = edits_on(self.path, folder / "trash.db", lambda: NOW)
        self.longest = 0

    def _look(self, progress: Progress) -> None:
        self.longest = max(self.longest, log_size(self.path))

    def run(self) -> dict[str, object]:
        before = dump(self.path)
        with closing(sqlite3.connect(self.path)) as keeper:
            # Ours: the log outlasts each connection, as with an agent that is not there.
            keeper.execute("SELECT 1 FROM sessions").fetchone()
            written = os.stat(self.path).st_mtime_ns
            numbers = [int(str(row)) for (row,) in rows(self.path, "SELECT rowid FROM sessions")]
            plan = self._editor.plan(Action.DELETE, numbers, force=True)
            self._editor.apply(plan, progress=self._look, force=True)
            self._editor.undo(self._editor.undo_plan(), progress=self._look)
            back = os.stat(self.path).st_mtime_ns != written
        same = dump(self.path) == before
        found = {"longest": self.longest, "written back": back, "same": same}
        return found | {"faults": faults(self.path)}


def main(folder: Path) -> None:
    alone(ENOUGH)
    batches.ALONE_PAUSE = batches.PAUSE = 0.0
    found: dict[str, object] = {"alone": Trial(folder / "alone").run()}
    for how in ("as usual", "without its locks"):
        trial = Trial(folder / how.replace(" ", "-"))
        with held(trial.path, how):
            found[how] = trial.run()
    killed = kill_alone(folder, 12, seed=5, messages=400)
    found["kills"] = sum(one.kills for one in killed.values())
    found["wrong"] = [line for one in killed.values() for line in one.wrong]
    print(json.dumps(found))
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""An explorer in a process of its own that edits a file, to be killed in the middle of it.

It says `begin` and `end`. Killed from outside it dies wherever it happens to be; told to, it kills
itself after so many ticks of SQLite, which lands inside statements however short they are. It can
also be given a disk on which no file may grow beyond some size.
"""

import os
import resource
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from explorer.errors import ExplorerError
from explorer.model import Action
from explorer.search.prune_rules import DAY, Rules, choose, ground, parts_of
from explorer.stores.edits import batches, connection
from explorer.stores.edits.editor import Editor
from explorer.stores.edits.plans import EditPlan
from explorer.stores.kinds import open_store
from explorer.stores.sqlite import leases
from tests.editors import edits_on
from tests.edits.appender import SMALL
from tests.edits.nursery import Job, say, serve
from tests.edits.whereabouts import layout
from tests.factories import NOW, rows

TICK = 25
"""Instructions of SQLite between two looks whether it is time to die."""


def numbers(path: Path, *ids: str) -> list[int]:
    """The rows of sessions by their ids."""
    here = layout(path)
    found = {id_: row for id_, row in rows(path, f"SELECT {here.id}, rowid FROM {here.sessions}")}
    return [int(str(found[id_])) for id_ in ids if id_ in found]


def small() -> list[str]:
    return [f"small-{number}" for number in range(SMALL)]


def _delete(editor: Editor, *ids: str) -> Callable[[], object]:
    plan = editor.plan(Action.DELETE, numbers(editor.path, *ids))
    return lambda: editor.apply(plan)


def prune_plan(editor: Editor, rules: Rules, now: float) -> EditPlan:
    """By rules, as the app does it."""
    store = open_store(editor.path)
    catalog = store.catalog()
    chosen = choose(ground(store, catalog, frozenset()), rules, None, now)
    return editor.plan(Action.PRUNE, parts_of(catalog, chosen.rows))


def _prune(editor: Editor) -> Callable[[], object]:
    plan = prune_plan(editor, Rules(older=7 * DAY, most=7), NOW)
    assert len(plan.doomed) > SMALL
    return lambda: editor.apply(plan)


def _clear(editor: Editor) -> Callable[[], object]:
    plan = editor.plan(Action.CLEAR, numbers(editor.path, "big", "small-6"))
    return lambda: editor.apply(plan)


def _rename(editor: Editor) -> Callable[[], object]:
    plan = editor.plan(Action.RENAME, [numbers(editor.path, "big")[0]], title="Another title")
    return lambda: editor.apply(plan)


def _archive(editor: Editor) -> Callable[[], object]:
    rows = numbers(editor.path, "root", "branch", *small())
    plan = editor.plan(Action.ARCHIVE, rows)
    return lambda: editor.apply(plan)


def _reopen(editor: Editor) -> Callable[[], object]:
    plan = editor.plan(Action.REOPEN, numbers(editor.path, *small()))
    return lambda: editor.apply(plan)


def _undo(editor: Editor) -> Callable[[], object]:
    plan = editor.undo_plan()
    return lambda: editor.undo(plan)


EDITS: dict[str, Callable[[Editor], Callable[[], object]]] = {
    "delete one big": lambda editor: _delete(editor, "big"),
    "delete many": lambda editor: _delete(editor, *small(), "root"),
    "prune": _prune,
    "clear": _clear,
    "rename": _rename,
    "archive": _archive,
    "reopen": _reopen,
    "undo a big delete": _undo,
    "undo a delete of many": _undo,
    "undo a prune": _undo,
    "undo a clear": _undo,
    "undo an archive": _undo,
}
"""Every edit, planned: what is called then does it."""

BEFORE = {
    "undo a big delete": "delete one big",
    "undo a delete of many": "delete many",
    "undo a prune": "prune",
    "undo a clear": "clear",
    "undo an archive": "archive",
}
"""What must have been done for an edit to be possible."""


def trash_of(path: Path) -> Path:
    return path.parent / "ours" / "trash.db"


def editor_on(path: Path) -> Editor:
    return edits_on(path, trash_of(path), lambda: NOW)


def quickly(pause: float) -> None:
    """Shorter transactions and pauses: more of the time is spent where it hurts."""
    batches.run_batches.__defaults__ = (0.005, pause)


def alone(enough: int) -> None:
    """As on a machine on which nobody but the processes of this namespace can have the file; logs
    are written back that are of so many bytes."""
    leases._FIRST = os.readlink("/proc/self/ns/pid")
    connection.LOG_ENOUGH, connection.LOG_LEAST = enough, 0


def work(job: Job) -> None:
    path = Path(str(job["path"]))
    quickly(float(job["pause"]))
    if enough := int(job.get("enough", 0)):
        alone(enough)
    act = EDITS[str(job["edit"])](editor_on(path))
    ticks = _ticking(int(job["ticks"]))
    if most := int(job["most"]):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    say("begin")
    try:
        act()
    except ExplorerError as error:
        say(f"failed {error.message}")
    say("end")
    say(f"ticks {ticks()}")


def _ticking(last: int) -> Callable[[], int]:
    """Count the ticks on every connection from now on; at the last one, die."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 1
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    plain: Any = sqlite3.connect

    def connect(*args: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = plain(*args, **more)
        connection.set_progress_handler(tick, TICK)
        return connection

    setattr(sqlite3, "connect", connect)  # noqa: B010
    return lambda: count


if __name__ == "__main__":
    serve(work)

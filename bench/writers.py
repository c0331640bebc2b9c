"""Four agents that append to one big file while it is searched, and while sessions are deleted,
pruned and restored: how long their appends take, on an idle machine and on a busy one.

`python -m bench.writers` measures this alone and prints the table.
"""

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.generate import FILES, NOW
from bench.progress import say
from bench.report import Table, environment
from bench.sizes import Crowd, History, chosen, ready
from bench.surroundings import APP, PYTHON, surroundings
from bench.waits import HEADINGS, MODES, REST, during_all, tabulate
from explorer.model import Action
from explorer.search.prune_rules import PRESETS
from tests.editors import edits_on
from tests.edits.appender import Appender, acknowledged, appender
from tests.edits.victim import prune_plan

AGENT = "0.19.0"
WRITERS = 4
MERGED_AFTER = 1_000
"""Writes after which an agent merges its search tables."""
PRESET = PRESETS["Cron sessions older than 7 days"]
SLOWER = {"WAL": 1, "DELETE": 2}
"""Without a log an append holds the lock for so long that a hundred a second leave little of it:
who waits then, waits for another agent and not for us."""

LONG = """
SELECT rowid, message_count FROM sessions WHERE message_count <= ? AND ended_at IS NOT NULL
ORDER BY message_count DESC LIMIT 1
"""
BURN = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""
"""Keeps a core busy, and ends with the process that started it, however that ends."""

TEXT = """
Four agents (Hermes 0.19.0, each with a session of its own) append to a file of {messages:,}
messages, together about a hundred messages a second, or fifty without a write-ahead log. At the
same time, it is searched for a word that it does not contain, a session of {long:,} messages is
deleted and restored, and all cron sessions with at most {most} messages are pruned and restored:
how long an append takes, by the agents' own clocks. On the busy machine, every core also runs a
process that only calculates; the floor is measured there as well.

An agent merges its search tables after a thousand writes. On a file of a million messages that
takes more than ten seconds, and the other agents wait for it, with or without us. So every row is
measured with four new processes, which do not get that far. `python -m bench.writers` measures only
this.
"""


@contextmanager
def _burdened() -> Iterator[None]:
    """As many busy processes as there are cores."""
    burners = [subprocess.Popen([PYTHON, "-c", BURN]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


MACHINES: Mapping[str, Callable[[], AbstractContextManager[None]]] = {
    "idle": nullcontext,
    "busy": _burdened,
}


def writers(history: History, crowd: Crowd, rounds: int) -> Table:
    """One round is enough: whatever is done meets hundreds of appends."""
    row, messages = _long(history.path, crowd.long)
    table = Table(
        "Four agents on one file",
        TEXT.format(messages=crowd.recipe.messages, long=messages, most=crowd.most),
        ("machine", "journal", "of their appends", *HEADINGS[1:]),
    )
    # beside the original, where there was room for that
    beside = history.path.resolve().parents[1]
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory(prefix="agents-")))
        agents = [
            stack.enter_context(appender(AGENT, home / str(number))) for number in range(WRITERS)
        ]
        for (machine, burdened), mode in product(MACHINES.items(), MODES):
            say(f"  {machine} machine, {mode}")
            with TemporaryDirectory(prefix="writers-", dir=beside) as folder:
                path = _copied(history, Path(folder), mode)
                with burdened():
                    quiet, *ours = _measured(agents, path, mode, row, crowd)
            tabulate(table, (machine, mode), quiet[1], [], ours)
    return table


def _long(path: Path, most: int) -> tuple[int, int]:
    """The row and the messages of the session that is deleted."""
    with closing(sqlite3.connect(path)) as db:
        row, messages = db.execute(LONG, (most,)).fetchone()
    return row, messages


def _copied(history: History, folder: Path, mode: str) -> Path:
    path = folder / "state.db"
    shutil.copyfile(history.path, path)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode = {mode}").fetchall()
    with path.open("rb") as copy:
        # else the first agent that writes its log back waits until the disk has all of the copy
        os.fsync(copy.fileno())
    return path


def _measured(
    agents: Sequence[Appender], path: Path, mode: str, row: int, crowd: Crowd
) -> Iterator[tuple[str, list[float]]]:
    """What is done beside the agents, and milliseconds of each of their appends at that time."""
    during = partial(_during, agents, path, WRITERS * REST * SLOWER[mode])
    yield "nothing else", during(partial(time.sleep, crowd.alone))
    yield "the search", during(partial(_search, path))
    editor = edits_on(path, path.with_name("trash.db"), time.time)
    rules = PRESET._replace(most=crowd.most)
    for what, planned in (
        ("delete", partial(editor.plan, Action.DELETE, [row])),
        ("prune", partial(prune_plan, editor, rules, NOW)),
    ):
        yield f"the {what}", during(partial(editor.apply, planned()))
        yield f"the undo of the {what}", during(partial(editor.undo, editor.undo_plan()))


def _search(path: Path) -> None:
    command = [APP, "search", "--limit", "50", "--json", "quokka", "--db", str(path)]
    subprocess.run(command, check=True, capture_output=True)


def _during(
    agents: Sequence[Appender], path: Path, rest: float, act: Callable[[], object]
) -> list[float]:
    """Milliseconds of each append that overlaps the act, by agents that have just begun."""
    logs = [path.with_name(f"log-{number}") for number in range(len(agents))]
    with ExitStack() as stack:
        for number, (agent, log) in enumerate(zip(agents, logs, strict=True)):
            log.unlink(missing_ok=True)
            stack.enter_context(agent.appending(path, "", log, rest, session=f"live-{number}"))
        timed = during_all(logs, act)
    for agent, log in zip(agents, logs, strict=True):
        agent.check()
        if len(acknowledged(log)) >= MERGED_AFTER:
            say("  an agent has merged its search tables: the longest append may be its own doing")
    return timed


def main() -> None:
    crowd = chosen(os.environ).crowd
    history = ready(crowd.recipe, Path(os.environ.get("BENCH_FILES") or FILES))
    with surroundings():
        table = writers(history, crowd, rounds=1)
    print(f"{table.markdown()}\n\n{environment()}.")


if __name__ == "__main__":
    main()

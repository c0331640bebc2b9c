"""An agent that appends while a long session is deleted and restored: how long it is kept waiting.

The agent is the real one, in a process of its own; each append is timed there.
"""

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.conversations import Conversation
from bench.report import Aim, Table, ms
from explorer.store.edits.editor import Editor
from tests.edits.appender import Appender, acknowledged, appender
from tests.edits.victim import numbers

AGENT = "0.19.0"
REST = 0.01
"""Seconds between two appends: about a hundred a second."""
ALONE = 5.0
SERIOUS = 5_000
"""Messages from which on a figure says something."""
P99_BEYOND, LONGEST_BEYOND = 150, 500

TEXT = """
An agent (Hermes 0.19.0) appends about a hundred messages a second to a file in which a session of
{messages:,} messages is deleted, and then restored: how long its appends take, by its own clock. An
edit holds the lock for some hundredths of a second and then leaves the file alone for longer.
"""


def appends(long: Conversation, rounds: int) -> Table:
    """One round is enough: an edit of this length meets thousands of appends. Where the long
    conversation is a short one, only whether it runs is of interest."""
    serious = long.messages > SERIOUS
    messages = long.messages if serious else SERIOUS // 50
    table = Table(
        "An agent beside an edit",
        TEXT.format(messages=messages),
        ("journal", "of its appends", "while", "appends", "time", "beyond"),
    )
    for mode in ("WAL", "DELETE"):
        with tempfile.TemporaryDirectory(prefix="appends-") as folder:
            path = Path(folder) / "state.db"
            with appender(AGENT, Path(folder) / "home") as agent:
                agent.make(path, messages)
                _measure(table, agent, path, mode, ALONE if serious else 0.3)
    return table


def _measure(table: Table, agent: Appender, path: Path, mode: str, alone: float) -> None:
    log = path.with_name("log")
    editor = Editor(path, path.with_name("trash.db"), time.time)
    with agent.appending(path, mode, log, REST):
        plan = editor.delete_plan(numbers(path, "big"))
        quiet = _during(log, lambda: time.sleep(alone))
        gone = _during(log, lambda: editor.apply(plan))
        back = editor.undo_plan()
        restored = _during(log, lambda: editor.undo(back))
    if agent.errors:
        raise RuntimeError(f"the agent met errors: {agent.errors[:3]}")
    for figure, limit in (("p99", P99_BEYOND), ("longest", LONGEST_BEYOND)):
        floor = _figure(figure, quiet)
        table.add(mode, figure, "nothing else", f"{len(quiet):,}", ms(floor), "")
        for what, timed in (("the delete", gone), ("the undo", restored)):
            took = _figure(figure, timed)
            aim = Aim(f"< {limit} ms beyond", took - floor < limit)
            table.add(
                mode, figure, what, f"{len(timed):,}", ms(took), ms(max(took - floor, 0.0)), aim=aim
            )


def _during(log: Path, act: Callable[[], object]) -> list[float]:
    """Milliseconds of each append that overlaps the act."""
    begun = time.monotonic()
    act()
    ended = time.monotonic()
    # the one that was under way is told of when it is done
    while not (said := acknowledged(log)) or said[-1][1] < ended:
        time.sleep(0.01)
    return [took * 1000 for _, at, took in said if at + took > begun and at < ended]


def _figure(name: str, timed: Sequence[float]) -> float:
    ordered = sorted(timed)
    return ordered[-1] if name == "longest" else ordered[math.ceil(0.99 * len(ordered)) - 1]

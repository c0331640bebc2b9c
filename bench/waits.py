"""How long the appends of a real agent take while something else is done to its file.

The agent is in a process of its own and times itself; both sides read the same clock.
"""

import math
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.report import Aim, Table, ms
from tests.edits.appender import acknowledged

REST = 0.01
"""Seconds between two appends: about a hundred a second."""
MODES = ("WAL", "DELETE")
HEADINGS = ("of its appends", "while", "appends", "time", "beyond")
LIMITS = {"p99": 150, "longest": 500}
"""Milliseconds beyond its own pace that an edit of ours may cost."""


def during(log: Path, act: Callable[[], object]) -> list[float]:
    """Milliseconds of each append that overlaps the act."""
    return during_all([log], act)


def during_all(logs: Sequence[Path], act: Callable[[], object]) -> list[float]:
    """The same of several agents, each with a log of its own."""
    begun = time.monotonic()
    act()
    ended = time.monotonic()
    timed: list[float] = []
    for log in logs:
        # the one that was under way is logged when it is done
        while not (said := acknowledged(log)) or said[-1][1] < ended:
            time.sleep(0.01)
        timed += [took * 1000 for _, at, took in said if at + took > begun and at < ended]
    return timed


def tabulate(
    table: Table,
    where: Sequence[str],
    quiet: Sequence[float],
    floors: Sequence[tuple[str, Sequence[float]]],
    ours: Sequence[tuple[str, Sequence[float]]],
) -> None:
    """Rows for the agent by itself, beside what we are compared with, and beside us."""
    for name, limit in LIMITS.items():
        floor = figure(name, quiet)
        table.add(*where, name, "nothing else", f"{len(quiet):,}", ms(floor), "")
        for what, timed in (*floors, *ours):
            took = figure(name, timed)
            cells = (*where, name, what, f"{len(timed):,}", ms(took), ms(max(took - floor, 0.0)))
            aim = Aim(f"< {limit} ms beyond", took - floor < limit)
            table.add(*cells, aim=aim if (what, timed) in ours else None)


def figure(name: str, timed: Sequence[float]) -> float:
    ordered = sorted(timed)
    return ordered[-1] if name == "longest" else ordered[math.ceil(0.99 * len(ordered)) - 1]

"""Commands for scripts, as whole processes, against Python doing nothing."""

from collections.abc import Callable, Sequence
from functools import partial

from bench.measure import child, interleaved
from bench.report import Aim, Table, below, ms, times
from bench.sizes import History
from bench.surroundings import APP, PYTHON

COMMANDS = ("list", "info")
NOTHING = "python -c pass"
MODULES = "python -c 'import sqlite3, json'"

AGAINST_MODULES = 3
SLOWEST = 600.0
"""Milliseconds, for any file."""

TEXT = """
`list --json` (50 rows, in exact order) and `info --json`, from start to end of the process. The
floors are Python alone, and Python with the two modules that both commands need.
"""


def commands(histories: Sequence[History], rounds: int) -> Table:
    cases: dict[tuple[str, str], Callable[[], float]] = {
        (NOTHING, ""): partial(child, [PYTHON, "-c", "pass"]),
        (MODULES, ""): partial(child, [PYTHON, "-c", "import sqlite3, json"]),
    }
    for command in COMMANDS:
        for history in histories:
            argv = [APP, "--db", str(history.path), command, "--json"]
            cases[command, history.name] = partial(child, argv)
    taken = interleaved(cases, rounds)
    nothing, modules = (taken[floor, ""].median for floor in (NOTHING, MODULES))
    table = Table(
        "Commands",
        TEXT,
        ("command", "sessions", "median", "fastest", "x nothing", "x modules"),
    )
    for floor in (NOTHING, MODULES):
        timing = taken[floor, ""]
        table.add(f"`{floor}`", "", ms(timing.median), ms(timing.min), "", "")
    for command in COMMANDS:
        for history in histories:
            timing = taken[command, history.name]
            ratio = timing.median / modules
            table.add(
                f"`{command} --json`",
                history.name,
                ms(timing.median),
                ms(timing.min),
                times(timing.median / nothing),
                times(ratio),
                aim=_aim(history, ratio, timing.median),
            )
    return table


def _aim(history: History, ratio: float, median: float) -> Aim:
    """On a small file starting is all there is to it; on a greater one reading is added."""
    if history.recipe.sessions <= 1_000:
        return below(ratio, AGAINST_MODULES, "x modules")
    return below(median, SLOWEST, "ms")

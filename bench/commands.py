"""Commands for scripts, as whole processes, against Python doing nothing; and a short list of the
biggest file against the agent's own.
"""

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

from bench.lists import ACTIVE_KEYS
from bench.measure import Timing, child, interleaved
from bench.own_search import AGENT
from bench.report import Aim, Table, at_most, below, ms, times
from bench.sizes import History, biggest
from bench.surroundings import APP, PYTHON

COMMANDS = ("list", "info")
NOTHING = "python -c pass"
MODULES = "python -c 'import sqlite3, json'"

AGAINST_MODULES = 3
SLOWEST = 600.0
"""Milliseconds, for any file."""

SHORT = 20
"""Rows of the list that is compared with the agent's."""
HERMES = """
import sys
sys.path[0] = sys.argv[3]
from pathlib import Path
from hermes_state import SessionDB
assert SessionDB(Path(sys.argv[1]), read_only=True).list_sessions_rich(limit=int(sys.argv[2]))
"""
WALKS: tuple[tuple[str, tuple[int, ...]], ...] = (
    (ACTIVE_KEYS, (SHORT,)),
    (
        "SELECT rowid FROM sessions NOT INDEXED WHERE parent_session_id IS NOT NULL OR archived"
        " OR instr(model_config, '_delegate_from')",
        (),
    ),
    ("SELECT source, count(*) FROM sessions INDEXED BY idx_sessions_source GROUP BY source", ()),
)
"""What exact counts have to look at: the newest message, flags and links of each session."""
BARE, OWN = "bare walks", "Hermes: `list_sessions_rich`"
UNCHANGED, CHANGED = f"`list --limit {SHORT}`", f"`list --limit {SHORT}`, just written"

TEXT = """
`list --json` (50 rows, in exact order) and `info --json`, from start to end of the process. The
floors are Python alone, and Python with the two modules that both commands need.

Then a list of 20 rows, of a file that has not changed since the last one and of a file that was
written to a moment ago, so that all is counted anew. It is compared with Hermes 0.19.0, which
imports its own library for the first 20 sessions by start, and counts none. The bare walks are what
exact counts have to look at, in SQL on an open connection.
"""


def commands(histories: Sequence[History], rounds: int) -> Table:
    cases: dict[tuple[str, str], Callable[[], float | None]] = {
        (NOTHING, ""): partial(child, [PYTHON, "-c", "pass"]),
        (MODULES, ""): partial(child, [PYTHON, "-c", "import sqlite3, json"]),
    }
    for command in COMMANDS:
        for history in histories:
            argv = [APP, "--db", str(history.path), command, "--json"]
            cases[command, history.name] = partial(child, argv)
    big = biggest(histories)
    cases |= {(what, big.name): case for what, case in _short(big.path).items()}
    taken = interleaved(cases, rounds)
    nothing, modules = (taken[floor, ""].median for floor in (NOTHING, MODULES))
    table = Table(
        "Commands",
        TEXT,
        ("command", "sessions", "median", "fastest", "x nothing", "x modules", "x Hermes"),
    )
    for floor in (NOTHING, MODULES):
        timing = taken[floor, ""]
        table.add(f"`{floor}`", "", ms(timing.median), ms(timing.min), "", "", "")
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
                "",
                aim=_aim(history, ratio, timing.median),
            )
    _compare(table, {what: taken[what, name] for what, name in taken if name == big.name}, big)
    return table


def _short(path: Path) -> Mapping[str, Callable[[], float | None]]:
    listed = partial(child, [APP, "--db", str(path), "list", "--limit", str(SHORT)])
    own = [PYTHON, "-c", HERMES, str(path), str(SHORT), str(AGENT)]
    found: dict[str, Callable[[], float | None]] = {BARE: partial(_walk, path)}
    if AGENT.is_dir():
        found[OWN] = partial(child, own)
    return found | {UNCHANGED: listed, CHANGED: partial(_just_written, path, listed)}


def _walk(path: Path) -> None:
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True)) as db:
        for sql, values in WALKS:
            db.execute(sql, values).fetchall()


def _just_written(path: Path, listed: Callable[[], float]) -> float:
    """As a file looks that was: nothing that is kept of it is used, or kept anew."""
    before = path.stat()
    os.utime(path)
    try:
        return listed()
    finally:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _compare(table: Table, taken: Mapping[str, Timing], big: History) -> None:
    """A short list with the agent's own, where that was fetched."""
    for what in (BARE, OWN, UNCHANGED, CHANGED):
        if what not in taken:
            continue
        timing = taken[what]
        against, aim = "", None
        if what in (UNCHANGED, CHANGED) and OWN in taken:
            ratio = timing.median / taken[OWN].median
            against, aim = times(ratio), at_most(ratio, 1)
        cells = what, big.name, ms(timing.median), ms(timing.min), "", "", against
        table.add(*cells, aim=aim)


def _aim(history: History, ratio: float, median: float) -> Aim:
    """On a small file starting is all there is to it; on a greater one reading is added."""
    if history.recipe.sessions <= 1_000:
        return below(ratio, AGAINST_MODULES, "x modules")
    return below(median, SLOWEST, "ms")

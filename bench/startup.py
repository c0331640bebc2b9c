"""From starting the app until its first rows are painted, against an empty Textual app."""

import json
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from bench.measure import Timing, first_paint, interleaved
from bench.report import Table, at_most, ms, times
from bench.sizes import History
from bench.surroundings import APP, PYTHON

EMPTY = Path(__file__).with_name("empty_app.py")
MARKER = 14
"""Characters looked for: short enough for any column a title is cut to."""
CLEAR = 8
"""Characters that are enough to be sure that it is this row."""

AGAINST_EMPTY = 1.35
MANY_AGAINST_FEW = 1.3

TEXT = """
From the start of the process until a terminal of 120 x 40 has received the first row of the list.
The floor is a Textual app with one label and nothing else.
"""


def startup(histories: Sequence[History], rounds: int) -> Table:
    cases: dict[str, Callable[[], float]] = {
        "": partial(first_paint, [PYTHON, str(EMPTY)], "READY"),
    }
    for history in histories:
        marker = newest_row(history.path)
        cases[history.name] = partial(first_paint, [APP, "--db", str(history.path)], marker)
    taken = interleaved(cases, rounds)
    floor = taken[""]
    table = Table(
        "First rows on the screen",
        TEXT,
        ("sessions", "median", "fastest", "x empty app", "x (fastest)"),
    )
    table.add("empty Textual app", ms(floor.median), ms(floor.min), "", "")
    for history in histories:
        _compare(table, history.name, taken[history.name], floor, AGAINST_EMPTY)
    few, *others = histories
    for history in others:
        if history.big and not history.recipe.noise:
            name = f"{history.name} against {few.name}"
            _compare(table, name, taken[history.name], taken[few.name], MANY_AGAINST_FEW)
    return table


def _compare(table: Table, name: str, timing: Timing, floor: Timing, limit: float) -> None:
    ratio = timing.median / floor.median
    table.add(
        name,
        ms(timing.median),
        ms(timing.min),
        times(ratio),
        times(timing.min / floor.min),
        aim=at_most(ratio, limit),
    )


def newest_row(path: Path) -> str:
    """The beginning of what the list shows for its newest session, or for one right below it.

    Only plain letters: a terminal is free to send wide ones in parts.
    """
    said = subprocess.check_output([APP, "--db", str(path), "list", "--limit", "5", "--json"])
    for session in json.loads(said)["sessions"]:
        name: str = session["title"] or session["preview"] or ""
        marker = name[:MARKER].rstrip()
        if len(marker) >= CLEAR and marker.isascii() and marker.isprintable():
            return marker
    raise ValueError("none of the newest sessions has a name in plain letters")

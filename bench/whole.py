"""The whole of a long list: until it is there, and until it is another one at a key."""

from pathlib import Path

from bench.measure import Terminal, timing
from bench.report import Table, below, ms
from bench.sizes import History
from bench.startup import EMPTY
from bench.surroundings import APP, PYTHON
from bench.using import (
    BACKSPACE,
    DOWN,
    ESCAPE,
    SELECT_ALL,
    Rows,
    Using,
    border,
    counted,
    cursor_on,
)
from explorer.browse.arrangement import CLASSES
from explorer.browse.choices import SELDOM

NOTHING = "empty Textual app"
COMPLETE = "the list is complete"
LAST = "`G` for the first time"
ALL = "`ctrl+a`"
OPENED = "the filters, with what each would list"
CHOSEN = "one source only"
TAKEN_OFF = "all sources again"

BEYOND_EMPTY = 1_000.0
AIMS = {LAST: 100.0, ALL: 100.0, OPENED: 1_000.0, CHOSEN: 300.0, TAKEN_OFF: 300.0}
"""Milliseconds."""

TEXT = """
From the start of the process until the list is complete: in exact order, under its headings, with
the exact counts in its border. The floor is a Textual app with one label. Then, from a key press
until the terminal has received its effect: the last row; the number of selected rows; the filter
dialog with all its counts; the list of one source, while the dialog counts again; and the whole
list again. Half as many rounds.
"""


def whole(history: History, rounds: int) -> Table:
    rows = Rows(history.path)
    taken: dict[str, list[float]] = {}
    for number in range(max(rounds // 2, 1) + 1):
        spent = {NOTHING: _start([PYTHON, str(EMPTY)], "READY")}
        spent[COMPLETE] = _start([APP, "--db", str(history.path)], counted(rows.listed))
        spent |= use(history.path, rows)
        if number:
            for what, time in spent.items():
                taken.setdefault(what, []).append(time)
    table = Table("The whole list", TEXT, ("what", "sessions", "median", "fastest", "beyond"))
    empty, complete = timing(taken[NOTHING]), timing(taken[COMPLETE])
    beyond = complete.median - empty.median
    table.add(NOTHING, "", ms(empty.median), ms(empty.min), "")
    table.add(
        COMPLETE,
        history.name,
        ms(complete.median),
        ms(complete.min),
        ms(beyond),
        aim=below(beyond, BEYOND_EMPTY, "ms beyond"),
    )
    for what, limit in AIMS.items():
        timed = timing(taken[what])
        cells = what, history.name, ms(timed.median), ms(timed.min), ""
        table.add(*cells, aim=below(timed.median, limit, "ms"))
    return table


def _start(argv: list[str], marker: str) -> float:
    with Terminal(argv) as terminal:
        return terminal.until(marker)


def use(path: Path, rows: Rows, profiles: int = 0) -> dict[str, float]:
    """What each key takes that is about all of the list, of so many profiles if it is a home."""
    spent = {}
    with Using(path) as app:
        app.until(counted(rows.listed))
        app.rest(0.5)
        spent[LAST] = app.press(b"G", cursor_on(rows.last))
        app.press(b"g", cursor_on(rows.first[0]))
        spent[ALL] = app.press(SELECT_ALL, f"{rows.listed:,} selected")
        app.press(ESCAPE, "Sessions · by")
        spent[OPENED] = app.press(b"f", f"Filters · {rows.listed:,}")
        # the classes come first, then the profiles and the sources, the commonest before the others
        app.send(DOWN * (len(CLASSES) - len(SELDOM) + profiles))
        app.rest(0.3)
        app.expect(f"Filters · {rows.of_commonest:,}")
        spent[CHOSEN] = app.press(b" ", border(rows.of_commonest))
        app.until_met()
        app.send(ESCAPE)
        app.rest(0.5)
        spent[TAKEN_OFF] = app.press(BACKSPACE, border(rows.listed))
    return spent

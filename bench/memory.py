"""The memory that a long list takes."""

from pathlib import Path

from bench.measure import Terminal, peak_mb
from bench.report import Table, below
from bench.sizes import History
from bench.startup import EMPTY
from bench.surroundings import PYTHON
from bench.using import PAGE_DOWN, SELECT_ALL, Rows, Using, counted, cursor_on

MOST = 100.0
PAGES = 20

TEXT = """
The peak memory of the process, after going to the end of the list and back, twenty pages down, and
selecting all sessions. Measured once. The floor is a Textual app with one label.
"""


def memory(few: History, many: History, rounds: int) -> Table:
    table = Table("Memory", TEXT, ("what", "sessions", "MB"))
    with Terminal([PYTHON, str(EMPTY)]) as empty:
        empty.until("READY")
        table.add("empty Textual app", "", f"{peak_mb(empty.pid):.0f}")
    for history in (few, many):
        most = most_memory(history.path)
        table.add("the app", history.name, f"{most:.0f}", aim=below(most, MOST, "MB"))
    return table


def most_memory(path: Path) -> float:
    rows = Rows(path)
    with Using(path) as app:
        app.until(counted(rows.listed))
        app.rest(0.3)
        app.press(b"G", cursor_on(rows.last))
        app.press(b"g", cursor_on(rows.first[0]))
        for _ in range(PAGES):
            app.send(PAGE_DOWN)
            app.rest(0.05)
        app.press(SELECT_ALL, f"{rows.listed:,} selected")
        app.rest(0.3)
        return peak_mb(app.pid)

"""From a key to the painted list, while all sessions are being read in the background."""

from collections.abc import Iterator
from itertools import cycle

from bench.living import living
from bench.measure import timing
from bench.report import Table, at_most, ms, times
from bench.sizes import History
from bench.using import LOOK_AT_ALL, Rows, Using, counted, cursor_on

AGAINST_REST = 4.0
WALK = 9
"""Rows walked down and up again, since at first there is one page only."""
MOST = 2_000
"""Keys after which there is something wrong."""

REST, START, AGAIN = "idle", "at the start", "all read again"

TEXT = """
As above, with `j` and `k` held down, so that a key may have to wait for the transcript of the row
before: when idle; from the first frame until the exact counts of all sessions are shown; and while
all of them are read and sorted again. The aim is for the slowest of 20 keys (p95). Half as many
rounds.
"""

Step = tuple[bytes, str]
"""A key, and what it paints."""


def loading(many: History, rounds: int) -> Table:
    taken: dict[str, list[float]] = {REST: [], START: [], AGAIN: []}
    known = Rows(many.path)
    rows, hidden = known.first, known.total - known.listed
    with living(many, "WAL") as history:
        for number in range(max(rounds // 2, 1) + 1):
            walk = _walk(rows[: WALK + 1])
            with Using(history.path) as app:
                app.expect(counted(history.sessions - hidden))
                app.until(next(walk)[1])
                spent = {START: _until_met(app, walk)}
                app.rest(0.5)
                spent[REST] = [app.hold(*next(walk)) for _ in spent[START]]
                rows.insert(0, history.begin())
                app.expect(counted(history.sessions - hidden))
                app.tell(LOOK_AT_ALL)
                spent[AGAIN] = _until_met(app, walk)
            if number:
                for when, new in spent.items():
                    taken[when] += new
    table = Table(
        "Keys while the rest is read",
        TEXT,
        ("when", "sessions", "keys", "median", "p95", "slowest", "x idle (p95)"),
    )
    floor = timing(taken[REST]).p95
    for when, all_spent in taken.items():
        timed = timing(all_spent)
        ratio = timed.p95 / floor
        slowest = ms(max(all_spent))
        cells = when, many.name, str(len(all_spent)), ms(timed.median), ms(timed.p95), slowest
        if when == REST:
            table.add(*cells, "")
        else:
            table.add(*cells, times(ratio), aim=at_most(ratio, AGAINST_REST))
    return table


def _walk(rows: list[str]) -> Iterator[Step]:
    """Down and up again, without end. The first step is where it begins."""
    down = [(b"j", cursor_on(name)) for name in rows]
    up = [(b"k", cursor_on(name)) for name in reversed(rows[:-1])]
    yield down[0]
    yield from cycle(down[1:] + up)


def _until_met(app: Using, walk: Iterator[Step]) -> list[float]:
    """The times of all keys until what is expected is painted, at least one."""
    spent = []
    for _ in range(MOST):
        spent.append(app.hold(*next(walk)))
        if app.met:
            return spent
    raise TimeoutError("the list was never complete")

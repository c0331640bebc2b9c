"""From a key to the painted list, among few sessions and among many."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench.measure import timing
from bench.report import Table, at_most, ms, times
from bench.sizes import History
from bench.using import ESCAPE, PAGE_DOWN, Rows, Using, counted, cursor_on

MANY_AGAINST_FEW = 1.3
PRESSES = 2
"""Times that each key is pressed in a round."""

TEXT = """
From a key press until the terminal has received its effect: the row under the cursor, or the new
number of selected sessions for `space`. The transcript beside the list follows, and then the next
key. The floor is a short list; both lists are open side by side and get each key in turn.
"""

Case = tuple[str, bytes, str]
"""(what is pressed, as bytes, what it paints)."""


def keys(few: History, many: History, rounds: int) -> Table:
    taken: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as stack:
        used = {h.name: Used(h.path, stack.enter_context(Using(h.path))) for h in (few, many)}
        for number in range(rounds + 1):
            for cases in zip(*(one.cases() for one in used.values()), strict=True):
                for history, (name, key, marker) in zip(used, cases, strict=True):
                    spent = used[history].app.press(key, marker)
                    if number:
                        taken.setdefault((name, history), []).append(spent)
    table = Table(
        "Keys in the list",
        TEXT,
        ("key", "sessions", "median", "fastest", "p95", "x few", "x (fastest)"),
    )
    for name in ("j", "PgDn", "G", "g", "space"):
        floor, timed = (timing(taken[name, h.name]) for h in (few, many))
        ratio = timed.median / floor.median
        cells = f"`{name}`", few.name, ms(floor.median), ms(floor.min), ms(floor.p95)
        table.add(*cells, "", "")
        table.add(
            f"`{name}`",
            many.name,
            ms(timed.median),
            ms(timed.min),
            ms(timed.p95),
            times(ratio),
            times(timed.min / floor.min),
            aim=at_most(ratio, MANY_AGAINST_FEW),
        )
    return table


class Used:
    """An idle app, and the keys that it gets."""

    def __init__(self, path: Path | str, app: Using) -> None:
        self.app = app
        self._rows = Rows(path)
        app.until(counted())
        app.rest(1)
        self._page = 0
        app.send(PAGE_DOWN)
        app.until_seen(self._find_page, "a page")
        app.press(b"g", self._on(0))

    def cases(self) -> Iterator[Case]:
        """The keys of a round, which begins and ends at the top of the list."""
        for at in range(PRESSES):
            yield "j", b"j", self._on(at + 1)
        yield "", b"g", self._on(0)
        for _ in range(PRESSES):
            # the first one may not scroll: its row is visible already
            yield "", PAGE_DOWN, self._on(self._page)
            yield "PgDn", PAGE_DOWN, self._on(2 * self._page)
            yield "G", b"G", cursor_on(self._rows.last)
            yield "g", b"g", self._on(0)
        for at in range(PRESSES):
            yield "space", b" ", f"{at + 1} selected"
        yield "", ESCAPE, "Sessions · by"
        yield "", b"g", self._on(0)

    def _on(self, place: int) -> str:
        return cursor_on(self._rows.first[place])

    def _find_page(self, seen: bytes) -> re.Match[bytes] | None:
        for place in range(1, len(self._rows.first)):
            if found := re.search(re.escape(self._on(place)).encode(), seen):
                self._page = place
                return found
        return None

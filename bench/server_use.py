"""The app with a long history on a server: its keys against those with a file, and its memory."""

import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from bench.keys import MANY_AGAINST_FEW, Used
from bench.measure import Terminal, Timing, peak_mb, timing
from bench.memory import PAGES
from bench.report import Table, at_most, below, ms, times
from bench.searches import Searched
from bench.searching import press_last, searching_app
from bench.server_store import COMMON, ONCE, Served
from bench.sizes import History
from bench.startup import CLEAR
from bench.using import DOWN, ESCAPE, PAGE_DOWN, SELECT_ALL, Using
from explorer.browse.arrangement import SORTS
from explorer.model import Sort

LETTER = "a letter of a search"
MOST = 300.0

KEYS_TEXT = """
From a key press until the terminal has received its effect, as above. The floor is the longest list
of a file in this run; both are open side by side and get each key in turn. For the letter the floor
is a file of power-loop, which has no search table either: the last letter of a common word, until
every visible row shows its match. With a million sessions this aim is missed, since the server
sorts them all for each letter, and answers several questions about what it finds.
"""
MEMORY_TEXT = """
The peak memory of one app on the server, after one thing and then the next: the list is complete;
its end, its beginning and twenty pages; all sessions are selected; the filters count what each
choice would list; two other orders; a search for a common word goes on for some seconds; all that
it has found by then is selected, and a delete of that planned, which is not done. A plan names each
session, so it takes more the more was found: on a fast machine, that aim may be missed. Measured
once.
"""


def server_keys(served: Served, file: History, looped: Path, rounds: int) -> Table:
    title = "Keys in the list of a server"
    headings = ("key", "sessions", "in a file", "on the server", "x file", "x (fastest)")
    table = Table(title, KEYS_TEXT, headings)
    taken: dict[str, tuple[list[float], list[float]]] = {}
    pair = file.path, served.address
    with ExitStack() as stack:
        used = [Used(path, stack.enter_context(Using(path))) for path in pair]
        for number in range(rounds + 1):
            for cases in zip(*(one.cases() for one in used), strict=True):
                for at, (name, key, marker) in enumerate(cases):
                    spent = used[at].app.press(key, marker)
                    if number and name:
                        taken.setdefault(f"`{name}`", ([], []))[at].append(spent)
    taken[LETTER] = _letters(served, looped, rounds)
    for name, (floor, own) in taken.items():
        _compare(table, name, f"{served.recipe.sessions:,}", timing(floor), timing(own))
    return table


def _letters(served: Served, looped: Path, rounds: int) -> tuple[list[float], list[float]]:
    taken: tuple[list[float], list[float]] = [], []
    with ExitStack() as stack:
        apps = [stack.enter_context(searching_app(path)) for path in (looped, served.address)]
        for number in range(rounds + 1):
            for at, word in enumerate((ONCE, COMMON)):
                spent = press_last(apps[at], Searched("common word", word, word))
                if number:
                    taken[at].append(spent)
    return taken


def _compare(table: Table, name: str, sessions: str, floor: Timing, own: Timing) -> None:
    ratio = own.median / floor.median
    table.add(
        name,
        sessions,
        ms(floor.median),
        ms(own.median),
        times(ratio),
        times(own.min / floor.min),
        aim=at_most(ratio, MANY_AGAINST_FEW),
    )


def server_memory(served: Served, rounds: int) -> Table:
    table = Table("Memory with a server", MEMORY_TEXT, ("after", "sessions", "MB"))
    steps: dict[str, Callable[[Terminal], object]] = {
        "the list is complete": lambda app: app.until_seen(_listed, "all sessions", 300),
        "the end, the beginning, twenty pages": _walked,
        "`ctrl+a`": lambda app: _pressed(app, SELECT_ALL, " selected"),
        "the filters": _filtered,
        "sorted by messages": lambda app: _sorted(app, Sort.ACTIVE, Sort.MESSAGES),
        "sorted by title": lambda app: _sorted(app, Sort.MESSAGES, Sort.TITLE),
        "a search": lambda app: _searched(app, rounds / 2),
        "a delete of what was found": _planned,
    }
    with Using(served.address) as app:
        for what, step in steps.items():
            step(app)
            app.rest(0.5)
            most = peak_mb(app.pid)
            cells = what, f"{served.recipe.sessions:,}", f"{most:.0f}"
            table.add(*cells, aim=below(most, MOST, "MB"))
        app.send(ESCAPE)
        app.rest(0.3)
    return table


_listed = re.compile(rb"[\d,]+ listed ").search


def _pressed(app: Terminal, key: bytes, marker: str, timeout: float = 120) -> None:
    app.send(key)
    app.until(marker, timeout)
    app.rest(0.3)


def _walked(app: Terminal) -> None:
    for key in (b"G", b"g", *[PAGE_DOWN] * PAGES):
        app.send(key)
        app.rest(0.05)


def _filtered(app: Terminal) -> None:
    app.send(b"f")
    app.until_seen(re.compile(rb"Filters \xc2\xb7 [\d,]+").search, "the filters", 300)
    _pressed(app, ESCAPE, "Sessions")


def _sorted(app: Terminal, now: Sort, then: Sort) -> None:
    orders = list(SORTS)
    _pressed(app, b"s", "Sort")
    app.send(DOWN * (orders.index(then) - orders.index(now)))
    app.rest(0.3)
    # How many are selected stands before it, so that its end may be cut off.
    _pressed(app, b"\r", SORTS[then][:CLEAR])


def _searched(app: Terminal, seconds: float) -> None:
    _pressed(app, ESCAPE, "Sessions")
    _pressed(app, b"/", "Clear")
    app.send(COMMON.encode())
    app.until_seen(re.compile(rb"\d\+? hits").search, "hits", 120)
    app.rest(seconds)


def _planned(app: Terminal) -> None:
    # From the bar to what was found, and there back to the list.
    for key in (b"\r", ESCAPE):
        app.send(key)
        app.rest(0.5)
    _pressed(app, SELECT_ALL, " selected")
    app.send(b"d")
    app.until_seen(re.compile(rb"Delete [\d,]+ sessions").search, "the plan", 300)

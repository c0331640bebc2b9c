"""From a key in the search bar to painted results, against the bare query."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bench.measure import Terminal, timing
from bench.report import Table, below, ms
from bench.searches import Searched, bare, searched
from bench.sizes import History
from bench.surroundings import PYTHON
from bench.using import ESCAPE, counted

APP = Path(__file__).with_name("searched_app.py")
BEYOND = 50.0
"""Milliseconds that a key may take beyond the bare query."""
PRESSES = 5
"""Times that each query is typed in a round."""

TEXT = """
All letters but the last are typed and show their first results. Then the last letter is typed,
while the file is still being searched for the others: until every visible row shows its match, or
until the app says that there is none. The floor is the newest page of 50 by a bare query with
SQLite's own excerpts, on an open connection, in turn with the keys. Two characters are in no search
table, so there the floor reads messages until it has a page.
"""


def searching(histories: Sequence[History], rounds: int) -> Table:
    table = Table(
        "Searching while typing",
        TEXT,
        ("query", "messages", "median", "p95", "bare median", "bare p95", "beyond (p95)"),
    )
    for history in histories:
        for query, keys, floor in _typed(history, rounds):
            key, raw = timing(keys), timing(floor)
            beyond = key.p95 - raw.p95
            table.add(
                query.kind,
                f"{history.recipe.messages:,}",
                ms(key.median),
                ms(key.p95),
                ms(raw.median),
                ms(raw.p95),
                ms(beyond),
                aim=below(beyond, BEYOND, "ms beyond"),
            )
    return table


def _typed(history: History, rounds: int) -> list[tuple[Searched, list[float], list[float]]]:
    taken = [(query, list[float](), list[float]()) for query in searched(history.path)]
    uri = f"{history.path.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True)) as db,
        searching_app(history.path) as app,
    ):
        for number in range(rounds * PRESSES + 1):
            for query, keys, floor in taken:
                begun = time.perf_counter()
                bare(db, query)
                raw = (time.perf_counter() - begun) * 1000
                spent = press_last(app, query)
                if number:
                    keys.append(spent)
                    floor.append(raw)
    return taken


def searching_app(place: Path | str) -> Terminal:
    """An app with the focus in the search bar, on a file or at the address of a server."""
    app = Terminal([PYTHON, str(APP), "--db", str(place)])
    app.until(counted())
    # Letters that came before the bar has the focus would be keys of the list.
    app.send(b"/")
    app.until("Clear")
    app.rest(0.5)
    return app


def press_last(app: Terminal, query: Searched) -> float:
    app.send(query.typed[:-1].encode())
    app.until(f"⟨{query.typed[:-1]}⟩")
    app.settle(0.02, 0.1)
    app.send(query.typed[-1].encode())
    taken = app.until(f"⟦{query.typed}⟧" if query.finds else f"⟨{query.typed}⟩")
    app.send(ESCAPE)
    # What an empty bar says: the next letters must not come before it is empty.
    app.until("search all sessions")
    app.settle(0.05)
    return taken

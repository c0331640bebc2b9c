"""Reading lists within one process, against the bare queries.

The bare queries run on a connection that stays open, and give rows as SQLite has them. Ours open
the file, fold conversations, leave noise out and find previews: the ratio tells what that costs.
"""

import gc
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from functools import partial

from bench.generate import NOW
from bench.measure import interleaved
from bench.report import Aim, Table, below, ms, times
from bench.sizes import History
from explorer.model import Sort
from explorer.stores.base import Store
from explorer.stores.kinds import open_store

PAGE = 50
QUICK = 10.0
QUICK_AMONG_NOISE = 50.0
"""Milliseconds for a page, when hardly any of the newest sessions is one to show."""
WHOLE = 1_000.0

STARTED_KEYS = "SELECT rowid FROM sessions ORDER BY started_at DESC LIMIT ?"
LIGHT_COLUMNS = "SELECT id, source, started_at, message_count, title FROM sessions WHERE rowid IN"
# The fastest exact way: ids come in the order of the index that is probed for each.
ACTIVE_KEYS = """
SELECT s.rowid, (SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id) AS active
FROM sessions s INDEXED BY sqlite_autoindex_sessions_1 ORDER BY active DESC LIMIT ?
"""

BY_START = "first page by start"
BY_ACTIVITY = "first page by last activity"
CATALOG = "all sessions"
READS = {BY_START: "started", BY_ACTIVITY: "active", CATALOG: "active"}
"""What is read, and the bare query that it is compared with."""

TEXT = """
The first 50 rows as the app reads them, and the order and links of all sessions, which follow in
the background. The floors are bare queries on an open connection: by start, the keys from their
index and then a few columns of these rows; by last activity, the newest message of every session.
"""


def lists(histories: Sequence[History], rounds: int) -> Table:
    cases: dict[tuple[str, str], Callable[[], None]] = {}
    with ExitStack() as stack:
        for history in histories:
            bare = sqlite3.connect(f"{history.path.absolute().as_uri()}?mode=ro", uri=True)
            stack.enter_context(closing(bare))
            for what, case in _cases(open_store(history.path), bare):
                cases[what, history.name] = case
        # as at the start of the app and in commands, which both do without it
        gc.disable()
        stack.callback(gc.enable)
        taken = interleaved(cases, rounds)
    table = Table(
        "Reading lists",
        TEXT,
        ("what", "sessions", "median", "fastest", "bare query", "x bare query"),
    )
    for what, query in READS.items():
        for history in histories:
            timing, floor = taken[what, history.name], taken[query, history.name]
            table.add(
                what,
                history.name,
                ms(timing.median),
                ms(timing.min),
                ms(floor.median),
                times(timing.median / floor.median),
                aim=_aim(what, history, timing.median),
            )
    return table


def _aim(what: str, history: History, median: float) -> Aim:
    if what == CATALOG:
        return below(median, WHOLE, "ms")
    return below(median, QUICK_AMONG_NOISE if history.recipe.noise else QUICK, "ms")


def _cases(store: Store, bare: sqlite3.Connection) -> Iterator[tuple[str, Callable[[], None]]]:
    yield BY_START, partial(_page, store, Sort.STARTED)
    yield BY_ACTIVITY, partial(_page, store, Sort.ACTIVE)
    yield CATALOG, partial(_catalog, store)
    yield "started", partial(_bare_started, bare)
    yield "active", partial(_bare_active, bare)


def _page(store: Store, sort: Sort) -> None:
    found = len(store.first_page(PAGE, NOW, sort))
    if found != PAGE:
        raise ValueError(f"{found} rows, where a page is {PAGE}")


def _catalog(store: Store) -> None:
    store.catalog()


def _bare_started(db: sqlite3.Connection) -> None:
    keys = [row[0] for row in db.execute(STARTED_KEYS, (PAGE,))]
    db.execute(f"{LIGHT_COLUMNS} ({','.join('?' * len(keys))})", keys).fetchall()


def _bare_active(db: sqlite3.Connection) -> None:
    db.execute(ACTIVE_KEYS, (PAGE,)).fetchall()

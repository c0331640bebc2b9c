"""A first page of hits and its excerpts, against the agent's own search on the same file; and how
soon a cancelled search has ended.

Within one process each, without painting: ours is newest first, the agent's is ranked.
"""

import contextlib
import json
import math
import os
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from bench.generate import NOW
from bench.measure import Timing, timing
from bench.report import Aim, Table, at_most, below, ms, times
from bench.searches import Searched, searched
from bench.sizes import History
from bench.surroundings import PYTHON
from explorer.browse.live_search import excerpts
from explorer.cancel import CancelToken
from explorer.errors import Cancelled
from explorer.search.engine import Gathered, Request, SearchResult, left_out, search
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.kinds import open_store

AGENT = Path(__file__).resolve().parents[1] / ".venv" / "agents" / "hermes-agent-0.19.0"
COMMON_AGAINST_AGENT = 0.05
"""A twentieth: ranking a common word takes it most of a second."""
CANCELLED = 15.0
CANCELS = 5
"""Searches that are stopped in a round."""
CONVERSATIONS = 24
"""As many as most lists show."""

TEXT = """
The first 24 conversations with their excerpts, as a function, without painting. Hermes 0.19.0
returns 50 hits from its own `search_messages` on the same file: its hits are ranked, ours are the
newest. The last rows measure from cancelling a search that reads all messages until its thread has
ended.
"""

HERMES = """
import json, sys, time
from pathlib import Path
from hermes_state import SessionDB
db = SessionDB(db_path=Path(sys.argv[1]), read_only=True)
# Opened for reading it does not look for its search tables, and finds nothing.
db._fts_enabled = db._trigram_available = True
taken = {}
for number in range(int(sys.argv[2]) + 1):
    for query in json.loads(sys.argv[3]):
        begun = time.perf_counter()
        db.search_messages(query, limit=50)
        if number:
            taken.setdefault(query, []).append((time.perf_counter() - begun) * 1000)
print(json.dumps(taken))
"""


class _FirstPage(Exception):
    """There is something to show: the rest is not of interest here."""


def own_search(histories: Sequence[History], rounds: int) -> Table:
    table = Table(
        "Searching, against the agent",
        TEXT,
        ("what", "messages", "median", "p95", "Hermes", "x Hermes"),
    )
    for history in histories:
        queries = searched(history.path)
        store = open_store(history.path)
        catalog = store.catalog()
        theirs = _hermes(history.path, queries, min(rounds, 5))
        for query in queries:
            ours = _timed(store, catalog, query, rounds)
            hermes = theirs.get(query.asked)
            # Where the agent was not fetched, nothing is shown and no aim is met.
            ratio = ours.median / hermes.median if hermes else math.inf
            table.add(
                query.kind,
                f"{history.recipe.messages:,}",
                ms(ours.median),
                ms(ours.p95),
                ms(hermes.median) if hermes else "",
                times(ratio) if hermes else "",
                aim=_aim(query, ratio),
            )
    for history in histories:
        taken = timing(_cancels(open_store(history.path), rounds * CANCELS))
        cells = "taken back", f"{history.recipe.messages:,}", ms(taken.median), ms(taken.p95)
        table.add(*cells, "", "", aim=below(taken.p95, CANCELLED, "ms"))
    return table


def _aim(query: Searched, ratio: float) -> Aim:
    return at_most(ratio, COMMON_AGAINST_AGENT if query.common else 1.0)


def _timed(store: Store, catalog: Catalog, query: Searched, rounds: int) -> Timing:
    taken = []
    for number in range(rounds + 1):
        begun = time.perf_counter()
        _first_page(store, catalog, query)
        if number:
            taken.append((time.perf_counter() - begun) * 1000)
    return timing(taken)


def _first_page(store: Store, catalog: Catalog, query: Searched) -> None:
    matcher, token = Matcher(parse(query.typed, NOW)), CancelToken()
    request = Request(store, catalog, matcher, hides=left_out(catalog))

    def lit(result: SearchResult) -> bool:
        excerpts(store, result.order[:CONVERSATIONS], result, request.matcher, token)
        return bool(result.total) or not query.finds

    def tell(is_something: bool) -> None:
        if is_something:
            raise _FirstPage

    try:
        search(Gathered(request), lit, tell, token)
    except _FirstPage:
        return


def _hermes(path: Path, queries: Sequence[Searched], rounds: int) -> dict[str, Timing]:
    """By query; nothing where the agent was not fetched."""
    if not AGENT.is_dir():
        return {}
    asked = json.dumps([query.asked for query in queries])
    done = subprocess.run(
        [PYTHON, "-c", HERMES, str(path), str(rounds), asked],
        env={**os.environ, "PYTHONPATH": str(AGENT)},
        # Away from here: its modules have names that ours have too.
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return {query: timing(taken) for query, taken in json.loads(done.stdout).items()}


def _cancels(store: Store, times_: int) -> list[float]:
    request = Request(store, store.catalog(), Matcher(parse("qqzzxxyy", NOW)))
    taken = []
    for number in range(times_):
        token, under_way, ended = CancelToken(), threading.Event(), [0.0]

        def work(
            token: CancelToken = token,
            under_way: threading.Event = under_way,
            ended: list[float] = ended,
        ) -> None:
            with contextlib.suppress(Cancelled):
                search(Gathered(request), lambda _: None, lambda _: under_way.set(), token)
            ended[0] = time.perf_counter()

        thread = threading.Thread(target=work)
        thread.start()
        under_way.wait()
        # at another place of the scan each time
        time.sleep(0.002 * (number % 7))
        begun = time.perf_counter()
        token.cancel()
        thread.join()
        taken.append(max(ended[0] - begun, 0.0) * 1000)
    return taken

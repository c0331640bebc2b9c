"""Reading a database on a server, against the bare query for a first page.

Called as `python -m bench.server_store SESSIONS MESSAGES`: the history of `bench.server_history`,
the first page, all sessions, the first hits of a search, and the memory that they take.
"""

import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

import psycopg

from bench.measure import interleaved
from bench.server_history import DATABASE, FLOOR, ServerRecipe, fill
from explorer.stores.base import Needles, Store
from explorer.stores.discover import locate
from explorer.stores.open_found import every_set, open_found
from tests.postgres.server import running, stop

T = TypeVar("T")

PAGE = 50
LATER = 2e9
WORD = "zzyzx"
"""A word that no message holds: every stretch is searched in vain."""


class ServerFigures(NamedTuple):
    """What was measured."""

    first_page: float
    """Milliseconds, as `floor`."""
    floor: float
    catalog: float
    """Seconds, as `search`."""
    search: float
    memory: int
    """Bytes of this process at most."""

    def __str__(self) -> str:
        return (
            f"first page {self.first_page:,.1f} ms, bare query {self.floor:,.1f} ms:"
            f" {self.first_page / self.floor:.2f}x; all sessions {self.catalog:,.1f} s;"
            f" first stretch of a search {self.search:,.2f} s; memory {self.memory / 1e6:,.0f} MB"
        )


def measured(address: str, rounds: int) -> ServerFigures:
    """The figures of a database that was filled."""
    store = open_found(every_set(locate([address], (), {}, None)))
    with psycopg.connect(address) as connection:

        def bare() -> None:
            connection.execute(FLOOR.encode()).fetchall()
            connection.rollback()

        cases: dict[str, Callable[[], object]] = {
            "floor": bare,
            "page": lambda: store.first_page(PAGE, LATER),
        }
        taken = interleaved({name: _silent(case) for name, case in cases.items()}, rounds)
    catalog, seconds = _timed(store.catalog)
    assert len(catalog)
    search = _timed(lambda: _first_stretch(store))[1]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return ServerFigures(taken["page"].median, taken["floor"].median, seconds, search, memory)


def _silent(case: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        case()

    return run


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = time.monotonic()
    return work(), time.monotonic() - began


def _first_stretch(store: Store) -> None:
    store.scanned(Needles(groups=((WORD,),)), None)


def main(sessions: int, messages: int) -> None:
    server = running(os.getpid(), {"shared_buffers": "256MB", "max_wal_size": "4GB"})
    try:
        server.run(f"CREATE DATABASE {DATABASE}")
        address = server.address(DATABASE)
        with TemporaryDirectory() as home:
            fill(address, ServerRecipe(sessions, messages), Path(home))
        print(f"{sessions:,} sessions, {messages:,} messages: {measured(address, 9)}")
    finally:
        stop(server)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ("10000", "100000")))

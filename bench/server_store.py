"""Reading a database on a server, against the bare queries that it costs at least."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import LiteralString

import psycopg

from bench.measure import interleaved
from bench.progress import say
from bench.report import Table, at_most, ms, times
from bench.server_history import DATABASE, FLOOR, ServerRecipe, fill
from explorer.cancel import CancelToken
from explorer.search.engine import Gathered, Request, scan
from explorer.search.language.query import parse
from explorer.search.matcher import Matcher
from explorer.stores.base import Store
from explorer.stores.catalog import Catalog
from explorer.stores.discover import locate
from explorer.stores.open_found import every_set, open_found
from tests.postgres.server import running

PAGE = 50
LATER = 2e9
"""A time after every history."""
OF_PAGE, OF_COMMON, OF_ONE = 1.5, 2.0, 4.0
"""How many times as long as the bare query each may take."""
COMMON, ONCE = "docker", "zebrafish"
SETTINGS = {"shared_buffers": "256MB", "max_wal_size": "4GB"}

TEXT = """
{sessions:,} sessions with {messages:,} messages of power-loop on a PostgreSQL server of this
machine, which has no index on times and none on words; we make none. The floors are bare queries on
an open connection: the {page} sessions written last; a page of messages with a common word in the
100 sessions written last; and a walk through all messages for a word that a single one holds, in
the middle of the history. We also look at tool calls, names and what is noted about a message. The
last one is measured in a third of the rounds.

A server beats a file where one question is enough: it keeps a million sessions in its memory, and
sorts them with several processes. It loses where each message must be looked at. A file is walked
from its end in one go; a server has to find the messages of each session by the primary key, so
that the newest come first and a search can be stopped after each thousand sessions. With a million
sessions the last aim is missed, since the bare walk reads the table in its own order and with
several processes.
"""
PLANT: LiteralString = """
UPDATE pl_messages SET content = content || %s WHERE (session_id, seq) = (
    SELECT m.session_id, min(m.seq) FROM pl_messages m WHERE m.session_id = (
        SELECT s.session_id FROM pl_sessions s JOIN pl_session_state t USING (session_id)
        WHERE t.next_seq > 1 AND s.kind = 'root' AND s.status = 'active'
        ORDER BY s.updated_at DESC OFFSET %s LIMIT 1)
    GROUP BY m.session_id)
"""
BARE_NEWEST: LiteralString = """
SELECT m.session_id, m.seq, m.content
FROM (SELECT session_id FROM pl_sessions ORDER BY updated_at DESC LIMIT 100) s
JOIN pl_messages m USING (session_id) WHERE strpos(lower(m.content), %s) > 0 LIMIT 50
"""
BARE_ALL: LiteralString = "SELECT count(*) FROM pl_messages WHERE strpos(lower(content), %s) > 0"


@dataclass(frozen=True, slots=True)
class Served:
    """A history on a server that runs."""

    address: str
    recipe: ServerRecipe


def served(recipe: ServerRecipe, owner: int) -> Served:
    """A server with this history, which ends with the process `owner`."""
    say(f"server with {recipe.sessions:,} sessions and {recipe.messages:,} messages")
    server = running(owner, SETTINGS)
    server.run(f"CREATE DATABASE {DATABASE}")
    address = server.address(DATABASE)
    with TemporaryDirectory() as home:
        fill(address, recipe, Path(home))
    return Served(address, recipe)


def filled(address: str) -> Served:
    """A server that has a history already."""
    with psycopg.connect(address) as connection:
        (sessions,) = connection.execute("SELECT count(*) FROM pl_sessions").fetchone() or (0,)
        (messages,) = connection.execute("SELECT count(*) FROM pl_messages").fetchone() or (0,)
    return Served(address, ServerRecipe(sessions, messages))


def plant(connection: "psycopg.Connection[tuple[object, ...]]", recipe: ServerRecipe) -> None:
    """Write a word into one message, in the middle of the history."""
    found = connection.execute(BARE_ALL, (ONCE,)).fetchone()
    if found == (0,):
        connection.execute(PLANT, (f" {ONCE}", recipe.sessions // 3))


def server_store(served: Served, rounds: int) -> Table:
    recipe = served.recipe
    text = TEXT.format(sessions=recipe.sessions, messages=recipe.messages, page=PAGE)
    table = Table("A server", text, ("what", "bare", "here", "x bare", "x (fastest)"))
    store = open_found(every_set(locate([served.address], (), {}, None)))
    catalog = store.catalog()
    with psycopg.connect(served.address, autocommit=True) as connection:
        plant(connection, recipe)
        ask = partial(_bare, connection)
        find = partial(_first_message, store, catalog)
        for what, bare, here, limit, often in (
            ("first page", partial(ask, FLOOR), partial(_page, store), OF_PAGE, rounds),
            (
                "first message with a common word",
                partial(ask, BARE_NEWEST, (COMMON,)),
                partial(find, COMMON),
                OF_COMMON,
                rounds,
            ),
            (
                "the only message with a word",
                partial(ask, BARE_ALL, (ONCE,)),
                partial(find, ONCE),
                OF_ONE,
                max(rounds // 3, 1),
            ),
        ):
            cases: dict[str, Callable[[], None]] = {"bare": bare, "here": here}
            took = interleaved(cases, often)
            floor, own = took["bare"], took["here"]
            ratio, fastest = own.median / floor.median, own.min / floor.min
            cells = what, ms(floor.median), ms(own.median), times(ratio), times(fastest)
            table.add(*cells, aim=at_most(ratio, limit))
    return table


def _bare(
    connection: "psycopg.Connection[tuple[object, ...]]",
    sql: LiteralString,
    values: Sequence[str] = (),
) -> None:
    connection.execute(sql, values).fetchall()


def _page(store: Store) -> None:
    assert store.first_page(PAGE, LATER)


def _first_message(store: Store, catalog: Catalog, word: str) -> None:
    """Search until there is a hit."""
    gathered = Gathered(Request(store, catalog, Matcher(parse(word, LATER), LATER)))
    for stretch in scan(gathered.request, CancelToken()):
        gathered.add(stretch.found)
        if gathered.total:
            break

"""What makes it fast at any size: no query on the way to a list or a transcript walks all
messages."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from explorer.model import Sort
from explorer.search.filters import FILTERED
from explorer.stores.base import Store
from explorer.stores.catalog import Mark
from explorer.stores.columns import (
    BYTES,
    ENDED,
    ID,
    LEASE,
    SOURCE,
    STARTED,
    TITLE,
    TOKENS,
    WORKSPACE,
)
from explorer.stores.kinds import open_store
from explorer.stores.sort_order import values_of
from explorer.stores.sqlite.read_only import Reader, Values
from tests.hermes_homes import hermes_home
from tests.newer_files import newer_file

Statement = tuple[str, Values]

NEWEST_FIRST = "ORDER BY id DESC LIMIT ?"
"""A walk over the newest few messages by their key: bounded, so a scan may bear that name."""


def _first_page(store: Store) -> None:
    store.first_page(50, 0.0, Sort.ACTIVE)
    store.first_page(50, 0.0, Sort.STARTED)


def _survey(store: Store) -> None:
    store.catalog()


def _sort_values(store: Store) -> None:
    for sort in Sort:
        if sort is not Sort.ACTIVE:
            values_of(store, sort)


def _rows(store: Store) -> None:
    catalog = store.catalog()
    store.sessions([catalog.folded(key) for key in catalog.select()[0]], 0.0)


def _outlines(store: Store) -> None:
    for key in store.catalog().keys:
        store.outlines(key)
        store.first_outlines(key, 3)


def _bodies(store: Store) -> None:
    for key in store.catalog().keys[-5:]:
        ids = [outline.id for outline in store.outlines(key)]
        store.messages(key, ids)
        store.around(key, ids[:3])


def _changes(store: Store) -> None:
    mark = store.catalog().mark
    assert isinstance(mark, Mark)
    store.changes(mark._replace(message=mark.message - 5, session=mark.session - 2))


def _details(store: Store) -> None:
    catalog = store.catalog()
    for key in catalog.keys:
        store.details(catalog.folded(key))


def _lookups(store: Store) -> None:
    for text in ("20251009_085320_52e6b4", "2025", "Marathon", "nobody"):
        store.find(text)
        store.lost_messages(text)


def _facts(store: Store) -> None:
    store.columns(FILTERED)
    store.columns(FILTERED, store.catalog().keys[:3])
    store.columns({BYTES, ENDED, LEASE, STARTED, TOKENS, WORKSPACE})
    store.columns({ID, SOURCE, TITLE}, store.catalog().keys[:3])
    store.keys_of(["nobody", "no\ufffdbody"])


@pytest.fixture(
    params=[
        *(_first_page, _survey, _sort_values, _rows, _outlines, _bodies),
        *(_changes, _details, _lookups, _facts),
    ],
    ids=lambda asked: asked.__name__.strip("_"),
)
def asked(request: pytest.FixtureRequest) -> Callable[[Store], None]:
    made: Callable[[Store], None] = request.param
    return made


def _captured(
    path: Path, asked: Callable[[Store], None], monkeypatch: pytest.MonkeyPatch
) -> list[Statement]:
    """The statements that a piece of work runs, each once."""
    plain = Reader.rows
    found: dict[str, Values] = {}

    def rows(self: Reader, sql: str, values: Values = ()) -> list[object]:
        found.setdefault(sql, values)
        return plain(self, sql, values)

    monkeypatch.setattr(Reader, "rows", rows)
    asked(open_store(path))
    return list(found.items())


def _scans(path: Path, statement: Statement) -> list[str]:
    sql, values = statement
    with closing(sqlite3.connect(path)) as db:
        plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    # A search without a condition is a walk as well: for the greatest value of all, say.
    return [
        step
        for step in plan
        if step.split()[1:2] in (["messages"], ["m"])
        and (step.startswith("SCAN") or "(" not in step)
    ]


@pytest.mark.parametrize("name", ["hermes-v25", "hermes-v31", "hermes-v22-to-v31"])
def test_no_query_walks_all_messages_of_todays_hermes(
    name: str,
    tmp_path: Path,
    asked: Callable[[Store], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    test_no_query_walks_all_messages(newer_file(name, tmp_path, "delete"), asked, monkeypatch)


def test_no_query_walks_all_messages(
    hermes_file: Path, asked: Callable[[Store], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    statements = _captured(hermes_file, asked, monkeypatch)
    assert statements
    for statement in statements:
        if NEWEST_FIRST not in statement[0]:
            assert _scans(hermes_file, statement) == [], statement[0]


@pytest.mark.parametrize("name", ["hermes-v22", "hermes-v23", "hermes-v26", "hermes-v31"])
def test_what_hermes_will_do_needs_no_walk_over_all_messages(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = "sessions: {auto_prune: true, max_resume_messages: 1}"
    path = hermes_home(tmp_path, name, config)

    def asked(store: Store) -> None:
        catalog = store.catalog()
        assert store.fates(catalog).deletes
        store.fates(catalog, catalog.keys[:3])
        store.too_long(catalog.folded(catalog.keys[0]))

    for statement in _captured(path, asked, monkeypatch):
        if NEWEST_FIRST not in statement[0]:
            assert _scans(path, statement) == [], statement[0]


def test_an_id_is_looked_up_in_the_index_on_it(
    hermes_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(store: Store) -> None:
        store.keys_of(["nobody"])

    (statement,) = _captured(hermes_file, asked, monkeypatch)
    with closing(sqlite3.connect(hermes_file)) as db:
        plan = db.execute(f"EXPLAIN QUERY PLAN {statement[0]}", statement[1]).fetchall()
    assert [row[3].split(" (")[0] for row in plan] == [
        "SEARCH s USING COVERING INDEX sqlite_autoindex_sessions_1"
    ]


def test_a_walk_over_all_messages_would_be_noticed(hermes_file: Path) -> None:
    assert _scans(hermes_file, ("SELECT m.content FROM messages m", ()))
    assert _scans(hermes_file, ("SELECT max(timestamp) FROM messages", ()))
